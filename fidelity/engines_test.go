package fidelity

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// onEngines runs a test in a session of each engine, with all that cells may import.
func onEngines(t *testing.T, test func(t *testing.T, s kernel.Session)) {
	needsCells(t)
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			if e.name != "yaegi" {
				heavy.Skip(t, "it compiles cells")
			}
			s := e.start(t)
			defer s.Close()
			test(t, s)
		})
	}
}

// Native code ends where the cell is interrupted that called it.
func TestInterruptOfNativeCalls(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		for _, c := range kerneltest.LibraryInterrupts {
			took, err := kerneltest.Interrupt(s, c.Code)
			if err != nil {
				t.Fatalf("%s: %v", c.Kind, err)
			}
			t.Logf("%s ended %v after the interrupt", c.Kind, took.Round(time.Millisecond))
			if r, _ := kerneltest.Execute(s, "1 + 1"); kerneltest.Value(r) != "2" {
				t.Fatalf("the next cell: %s", kerneltest.Value(r))
			}
		}
	})
}

// A cell that calls runtime.Goexit waits for its goroutines, as a program does. What would end the kernel is refused.
func TestEndsOfProcess(t *testing.T) {
	left := "Exit: the cell called runtime.Goexit, and nothing of it runs any more: exit status 2"
	onEngines(t, func(t *testing.T, s kernel.Session) {
		kerneltest.Cells(t, s, [][2]string{
			{"import (\n\"fmt\"\n\"os\"\n\"runtime\"\n\"testing\"\n)\nruntime.Goexit()", left},
			{"func leave() { defer fmt.Print(\"deferred \"); runtime.Goexit() }\nleave()", "deferred " + left},
			{"c := make(chan int)\nn := 0\ngo func() { n = <-c }()\n" +
				"func() { defer func() { c <- 7 }(); runtime.Goexit() }()", left},
			{"n", "7"},
			{"c = make(chan int, 1)\ngo func() { os.Exit(<-c) }()\n" +
				"func() { defer func() { c <- 3 }(); runtime.Goexit() }()",
				"Exit: the kernel and its variables are still there; the cell ended with exit status 3"},
			{"testing.Main(nil, nil, nil, nil)",
				"CompileError: 1:9: testing.Main is not supported: it ends the kernel; call the test functions " +
					"themselves"},
			{"f := runtime.Breakpoint", ""},
			{"runtime.Breakpoint()",
				"Panic: runtime.Breakpoint is not supported: without a debugger it ends the kernel"},
			{"f()", "Panic: runtime.Breakpoint is not supported: without a debugger it ends the kernel"},
			{"n + 1", "8"},
		})
	})
}

// The interpreter would name its own files, so such code is refused.
func TestOwnFiles(t *testing.T) {
	needsCells(t)
	s := testEngine{"yaegi", kernel.Yaegi}.start(t)
	defer s.Close()
	refused := " is not supported by this engine: it would name the interpreter's own files"
	kerneltest.Cells(t, s, [][2]string{
		{"import \"runtime\"\nfunc where() string {\n\t_, file, _, _ := runtime.Caller(1)\n\treturn file\n}",
			"CompileError: 3:27: runtime.Caller" + refused},
		{"import \"log\"\nlog.SetFlags(log.LstdFlags | log.Lshortfile)",
			"CompileError: 2:34: log.Lshortfile" + refused},
		{"import \"log/slog\"\no := slog.HandlerOptions{Level: slog.LevelWarn, AddSource: true}",
			"CompileError: 2:49: slog.AddSource" + refused},
		{"import \"log/slog\"\no := slog.HandlerOptions{AddSource: false}\no.AddSource = true",
			"CompileError: 3:3: slog.AddSource" + refused},
		{"import \"log/slog\"\no := []slog.HandlerOptions{{true, nil, nil}}",
			"CompileError: 2:28: slog.AddSource" + refused},
		{"import \"log/slog\"\no := slog.HandlerOptions{AddSource: false}\no.Level == nil", "true"},
	})
}

// Types of cells implement interfaces of packages outside the standard library.
func TestTypesForNativeInterfaces(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		kerneltest.Cells(t, s, [][2]string{
			{"import \"gonum.org/v1/gonum/mat\"\ntype diag struct{ n int }\nfunc (g diag) Dims() (int, int) { return " +
				"g.n, g.n }\nfunc (g diag) At(i, j int) float64 { if i == j { return 2 }; return 0 }\n" +
				"func (g diag) T() mat.Matrix { return g }\nmat.Sum(mat.DenseCopyOf(diag{3}))", "6"},
			{"import \"gonum.org/v1/plot\"\nimport \"gonum.org/v1/plot/vg/draw\"\ntype dot struct{}\n" +
				"func (dot) Plot(c draw.Canvas, p *plot.Plot) {}\nfunc (dot) DataRange() (a, b, c, d float64) { " +
				"return 1, 2, 3, 4 }\npl := plot.New()\npl.Add(dot{})\npl.X.Min + pl.Y.Max", "5"},
		})
	})
}

// A last value that cannot be shown has the place of its expression, whatever runs it, and whatever lines it ran.
func TestValueThatCannotBeShown(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		for _, c := range []struct {
			code, line string
			at         kernel.Position
		}{
			{"import \"nacre/analysis/frame\"\ntable := frame.Of(map[string][]float64{\"steps\": {1}})\n\n" +
				"\ttable.Sort(\"stpes\")",
				"   4 |  table.Sort(\"stpes\")", kernel.Position{Line: 4, Column: 2}},
			{"_ = 1 +\n1\ntable.Sort(\"stpes\")", "   3 | table.Sort(\"stpes\")", kernel.Position{Line: 3, Column: 1}},
			{"func sorted() *frame.Frame {\n\treturn table.Sort(\n\t\t\"stpes\")\n}\nx := 1; sorted()",
				"   5 | x := 1; sorted()", kernel.Position{Line: 5, Column: 9}},
			{"%time table.\n  Sort(\"stpes\")", "   1 |       table.", kernel.Position{Line: 1, Column: 7}},
		} {
			r, _ := kerneltest.Execute(s, c.code)
			if r.Error == nil || r.Error.Name != "Error" ||
				!strings.Contains(r.Error.Message, `did you mean "steps"?`) ||
				!slices.Equal(r.Error.Positions, []kernel.Position{c.at}) {
				t.Errorf("%s: got %+v, want the place %v", c.code, r.Error, c.at)
				continue
			}
			text := colours.ReplaceAllString(strings.Join(r.Error.Traceback, "\n"), "")
			want := fmt.Sprintf("\nline %d of this cell\n%s\n%s^", c.at.Line, c.line,
				strings.Repeat(" ", 6+c.at.Column))
			if !strings.HasSuffix(text, want) {
				t.Errorf("%s: want %s\nin %s", c.code, want, text)
			}
		}
	})
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Tables and types of packages are made on one system and used on others.
func TestCellsKnowTheirSystem(t *testing.T) {
	needsCells(t)
	s := open(t)
	defer s.Close()
	out := &kerneltest.Output{}
	s.Execute(context.Background(),
		kernel.Request{Code: "import (\n\t\"fmt\"\n\t\"runtime\"\n)\nfmt.Print(runtime.GOOS, runtime.GOARCH, " +
			"runtime.NumGoroutine() > 0)"}, out)
	if want := runtime.GOOS + runtime.GOARCH + "true"; out.Stdout() != want {
		t.Errorf("a cell finds itself on %q, want %q", out.Stdout(), want)
	}
}
