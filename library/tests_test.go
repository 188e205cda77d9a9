//go:build unix

package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// tested are functions that go test runs, in a cell and in a file.
const tested = `import (
	"errors"
	"fmt"
	"os"
	"testing"
)

func double(x int) int { return 2 * x }

func TestPasses(t *testing.T) {
	if got := double(2); got != 4 {
		t.Errorf("double(2) = %d", got)
	}
	fmt.Println("printed in a test")
}

func TestFails(t *testing.T) {
	t.Log("a log line", 1, 2.5)
	t.Errorf("double(%d)\nis %d", 2, double(2))
	t.Run("sub", func(t *testing.T) {
		defer func() { fmt.Println("deferred") }()
		t.Fatal("fatal", errors.New("an error"))
		fmt.Println("not reached")
	})
	t.Run("good sub", func(t *testing.T) { t.Log("inside") })
}

func TestSkips(t *testing.T) {
	t.Skip("not today")
}

func TestCleansUp(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NACRE_TESTED", "yes")
	t.Cleanup(func() { fmt.Println("cleanup 1", os.Getenv("NACRE_TESTED")) })
	t.Cleanup(func() { fmt.Println("cleanup 2", t.Name()) })
}

func TestParallel(t *testing.T) {
	for _, name := range []string{"a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				t.SkipNow()
			}
		})
	}
}

func BenchmarkDouble(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		double(3)
	}
}

func BenchmarkSubs(b *testing.B) {
	b.Run("one", func(b *testing.B) {
		for range b.N {
			double(1)
		}
	})
}

func ExampleDouble() {
	fmt.Println(double(21))
	// Output: 42
}

func ExampleWrong() {
	fmt.Println(double(1))
	// Output:
	// 3
}

func FuzzDouble(f *testing.F) {
	f.Add(3)
	f.Fuzz(func(t *testing.T, x int) {
		if double(x) == 6 {
			t.Error("six")
		}
	})
}

func Testify() {}

func helper(t *testing.T) {}
`

var (
	times  = regexp.MustCompile(`\d+\.\d+s`)
	places = regexp.MustCompile(`(cell \d+|x_test\.go):(\d+):`)
	bench  = regexp.MustCompile(`(?m)^(Benchmark\S+)\s+\d+\s+[\d.]+ ns/op(.*)$`)
	blanks = regexp.MustCompile(`[ \t]+`)
	header = regexp.MustCompile(`(?m)^(goos|goarch|pkg|cpu|exit status).*\n`)
)

// masked is what go test prints without times, numbers and the names of files.
func masked(text string) string {
	text = times.ReplaceAllString(text, "T")
	text = places.ReplaceAllString(text, "AT:$2:")
	text = bench.ReplaceAllStringFunc(text, func(line string) string {
		m := bench.FindStringSubmatch(line)
		return m[1] + " N ns/op" + regexp.MustCompile(`\d+`).ReplaceAllString(m[2], "N")
	})
	text = header.ReplaceAllString(text, "")
	text = strings.NewReplacer("FAIL\ttested\tT\nFAIL\n", "FAIL\tcells\tT\n", "\ttested\t", "\tcells\t").Replace(text)
	return blanks.ReplaceAllString(text, " ")
}

// Tests in cells print what go test prints of the same functions in a file.
func TestTestsInCells(t *testing.T) {
	heavy.Skip(t, "it compiles tests")
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module tested\n\ngo 1.26\n",
		"x_test.go": "package tested; " + tested} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	onEngines(t, func(t *testing.T, s kernel.Session) {
		if r, _ := execute(s, tested); r.Error != nil {
			t.Fatalf("%+v", r.Error)
		}
		for _, flags := range []string{"", "-v", "-run 'Fails/good sub' -v", `-run="Fails/good" -v`,
			"-v -short -run Parallel",
			"-run ^$ -bench . -benchtime 5x", "-run '' -list ''", "-count 2 -run Passes", "-run Nothing",
			"-skip 'Fails|Wrong|Fuzz'", "-run Fuzz -v", "-failfast"} {
			cmd := exec.Command("sh", "-c", "go test -vet=off -count=1 "+flags)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
			said, err := cmd.CombinedOutput()
			want := masked(string(said))
			r, out := execute(s, "%test "+flags)
			if got := masked(out.Stdout() + out.Stderr()); got != want || (err != nil) != (r.Error != nil) {
				t.Errorf("%%test %s: %+v, %v\n%s\nwant\n%s", flags, r.Error, err, got, want)
			}
		}
	})
}

// A panic ends the tests and is the cell's error; the kernel goes on, and so do its tests.
func TestPanicInTest(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		kerneltest.Cells(t, s, [][2]string{
			{"import \"testing\"\nvar xs []int\nfunc TestA(t *testing.T) {\n\tt.Log(\"before\")\n" +
				"\tt.Run(\"sub\", func(t *testing.T) {\n\t\t_ = xs[3]\n\t})\n}\n" +
				"func TestB(t *testing.T) { println(\"not reached\") }", ""},
		})
		for range 2 {
			r, out := execute(s, "%test")
			if r.Error == nil || r.Error.Name != "Panic" ||
				!strings.Contains(r.Error.Message, "index out of range [3] with length 0") ||
				!strings.Contains(out.Stdout(), "--- FAIL: TestA/sub (") || out.Stderr() != "" {
				t.Errorf("%+v\n%s%s", r.Error, out.Stdout(), out.Stderr())
			}
		}
		kerneltest.Cells(t, s, [][2]string{
			{"func TestA(t *testing.T) { t.Cleanup(func() { panic(\"late\") }) }\n1", "1"},
		})
		if r, out := execute(s, "%test -run A"); r.Error == nil || r.Error.Message != "late" {
			t.Errorf("%+v\n%s", r.Error, out.Stdout())
		}
		kerneltest.Cells(t, s, [][2]string{
			{"func FuzzA(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, x int) { panic(\"fuzz\") }) }\n" +
				"func BenchmarkA(b *testing.B) {\n\tb.SetParallelism(50)\n" +
				"\tb.RunParallel(func(p *testing.PB) { panic(\"parallel\") })\n}\n1", "1"},
		})
		if r, out := execute(s, "%test -run Fuzz"); r.Error == nil || r.Error.Message != "fuzz" {
			t.Errorf("%+v\n%s", r.Error, out.Stdout())
		}
		if r, out := execute(s, "%test -run ^$ -bench ."); r.Error == nil || r.Error.Message != "parallel" {
			t.Errorf("%+v\n%s", r.Error, out.Stdout())
		}
		kerneltest.Cells(t, s, [][2]string{
			{"func TestA(t *testing.B) {}\n1", "1"},
		})
		if r, _ := execute(s, "%test"); r.Error == nil ||
			!strings.Contains(r.Error.Message, "wrong signature for TestA, must be: func TestA(t *testing.T)") {
			t.Errorf("%+v", r.Error)
		}
		for code, want := range map[string]string{
			"%test -run (":    "-run (: error parsing regexp",
			"%test -rn x":     "flag provided but not defined: -rn; it takes -bench,",
			"%test x":         "unexpected argument x",
			"%test -count -1": "-count -1: expected a whole number from 0",
			"%test -run 'A":   "-run 'A: the quote ' is not closed",
		} {
			if r, _ := execute(s, code); r.Error == nil || !strings.Contains(r.Error.Message, want) {
				t.Errorf("%s: %+v, want %s", code, r.Error, want)
			}
		}
	})
}

// A TestMain is not called, which is said.
func TestMainOfCells(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		kerneltest.Cells(t, s, [][2]string{
			{"import (\"os\"; \"testing\")\nfunc TestMain(m *testing.M) { println(\"main\"); os.Exit(m.Run()) }\n" +
				"func TestA(t *testing.T) { println(\"A\") }\n1", "1"},
		})
		r, out := execute(s, "%test")
		if r.Error != nil || !strings.HasPrefix(out.Stdout(), "A\nPASS\n") ||
			out.Stderr() != "%test does not call TestMain: what it prepares, a cell prepares before %test\n" {
			t.Errorf("%+v\n%s%s", r.Error, out.Stdout(), out.Stderr())
		}
	})
}

// An interrupt ends the tests, also a benchmark, and the kernel goes on.
func TestInterruptOfTests(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		file := filepath.Join(t.TempDir(), "began")
		code := "import (\"os\"; \"testing\")\nfunc TestLong(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) {\n" +
			"\t\tos.WriteFile(" + strconv.Quote(file) + ", nil, 0o600)\n\t\tfor {\n\t\t}\n\t})\n}\n" +
			"func TestNext(t *testing.T) { println(\"next\") }"
		if r, _ := execute(s, code); r.Error != nil {
			t.Fatalf("%+v", r.Error)
		}
		go func() {
			end := time.Now().Add(2 * time.Minute)
			for ; time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat(file); err == nil {
					break
				}
			}
			s.Interrupt()
		}()
		r, out := execute(s, "%test")
		if r.Error == nil || r.Error.Name != "Interrupted" || out.Stderr() != "" {
			t.Errorf("%+v\n%s%s", r.Error, out.Stdout(), out.Stderr())
		}
		r, out = execute(s, "%test -run Next")
		if r.Error != nil || !strings.HasPrefix(out.Stdout(), "next\nPASS\nok") {
			t.Errorf("%+v\n%s", r.Error, out.Stdout())
		}
	})
}
