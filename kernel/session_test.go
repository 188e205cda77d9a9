package kernel_test

import (
	"errors"
	"go/version"
	"os"
	"testing"

	"golang.org/x/mod/modfile"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/kernel/standard/common"
)

var execute, value = kerneltest.Execute, kerneltest.Value

// testEngine holds what tests run cells on.
type testEngine struct {
	name  string
	start func(testing.TB) kernel.Session
}

var engines = []testEngine{{"yaegi", start}}

func start(t testing.TB) kernel.Session { t.Helper(); return startOn(t, kernel.Yaegi) }

// startOn starts a session with the packages of package common.
func startOn(t testing.TB, engine kernel.Engine) kernel.Session {
	t.Helper()
	if raced {
		t.Skip("cells do not run under the race detector")
	}
	s, err := kernel.New(kernel.Options{Library: common.Library(), Engine: engine})
	if errors.Is(err, kernel.ErrNoToolChain) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// cellsTest runs cells one after another, each with what it must print followed by what it must show.
func cellsTest(t *testing.T, steps [][2]string) {
	t.Helper()
	kerneltest.Cells(t, start(t), steps)
}

func TestMixedCells(t *testing.T) {
	cellsTest(t, [][2]string{
		{`1 + 2`, "3"},
		{"x := 4\ny := x * 2", ""},
		{`x + y`, "12"},
		{`import "fmt"
fmt.Println("hi", x)`, "hi 4\n"},
		{`func double(n int) int { return 2 * n }
double(x)`, "8"},
		{`type T struct { A int; b string }
func (t T) String() string { return fmt.Sprintf("T<%d>", t.A) }
t := T{1, "q"}
fmt.Println(t, []T{{2, "r"}})
t`, "T<1> [T<2>]\nT<1>"},
		{`func double(n int) int { return 3 * n }`, ""},
		{`func quad(n int) int { return double(double(n)) }
quad(1)`, "9"},
		{`func double(n int) int { return 10 * n }`, ""},
		{`quad(1)`, "100"},
		{`x := "text"`, ""},
		{`x`, `"text"`},
	})
}

// Cells are written in the Go of go.mod, also where a newer one built the kernel: the cell compiler knows no more.
// Line directives of a program that was pasted into a cell do not move the places of its errors.
func TestLineDirectives(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			s := e.start(t)
			kerneltest.Cells(t, s, [][2]string{
				{"//line foo.y:4\nx := 1\n/*line :1:22*/ x", "1"},
				{"s := `\n//line b.go:3`\nlen(s)", "14"},
			})
			r, _ := execute(s, "//line foo.y:9\nvar z int = \"a\"")
			if r.Error == nil || len(r.Error.Positions) != 1 || r.Error.Positions[0].Line != 2 {
				t.Errorf("got %s, want an error on line 2", value(r))
			}
		})
	}
}

func TestGoOfCells(t *testing.T) {
	s := start(t)
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Info().LanguageVersion; "go"+got != version.Lang("go"+mod.Go.Version) {
		t.Errorf("cells are in Go %s, go.mod has %s", got, mod.Go.Version)
	}
	if r, _ := execute(s, "type T struct{}\nfunc (T) Is[P any](x P) P { return x }\nT{}.Is(1)"); r.Error == nil ||
		r.Error.Name != "CompileError" {
		t.Errorf("a generic method, of Go 1.27, gave %s", value(r))
	}
	cellsTest(t, [][2]string{{"*new(3)", "3"}}) // of Go 1.26
}

// What the program was started with are no flags of a cell.
func TestFlagsOfCells(t *testing.T) {
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = append(args[:1:1], "notebook", "--port", "0")
	onEngines(t, [][2]string{
		{"import \"flag\"\nflag.Parse()", ""},
		{"flag.NArg()", "0"},
		{"func parse() int { flag.Parse(); return flag.NArg() }\nparse()", "0"},
	})
}
