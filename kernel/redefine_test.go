package kernel_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

func TestRedefineFunction(t *testing.T) {
	cellsTest(t, [][2]string{
		{"func f() int { return 1 }\nfunc g() int { return f() + 100 }\nfunc h() int { return g() * 2 }", ""},
		{"h()", "202"},
		{"func f() int { return 2 }", ""},
		{"h()", "204"},
		{"func f() float64 { return 2.5 }", ""}, // g does not fit it
		{"f()", "2.5"},
		{"h()", "204"}, // and keeps to the old one, as a warning said
		{"func g() int { return int(f()) }", ""},
		{"h()", "4"},
	})
	s := start(t)
	execute(s, "func f() int { return 1 }\nfunc g() int { return f() + 100 }")
	_, out := execute(s, "func f() string { return \"\" }")
	if !strings.Contains(out.Stderr(), "g of cell 1") {
		t.Errorf("no warning: %q", out.Stderr())
	}
}

func TestRedefineType(t *testing.T) {
	cellsTest(t, [][2]string{
		{"type T struct { A int }\nfunc (t T) Sum() int { return t.A }\nt := T{1}", ""},
		{"t.Sum()", "1"},
		{"func use(x T) int { return x.Sum() * 10 }\nuse(t)", "10"},
		// The same cell again changes nothing.
		{"type T struct { A int }\nfunc (t T) Sum() int { return t.A }", ""},
		{"use(t)", "10"},
		// A method added in another cell reaches the variables there are.
		{"func (t T) Twice() int { return 2 * t.A }", ""},
		{"t.Twice()", "2"},
		{"use(t)", "10"},
		// A method with another body.
		{"func (t T) Sum() int { return t.A + 5 }", ""},
		{"use(t)", "60"},
		// Another layout: old variables keep the old type, functions follow.
		{"type T struct { A, B int }\nfunc (t T) Sum() int { return t.A + t.B }\nfunc (t T) Twice() int { return 2 * " +
			"t.Sum() }", ""},
		{"use(T{3, 4})", "70"},
		{"t.A", "1"},
		{"t = T{1, 2}", "CompileError: 1:5: cannot use T{…} (value of struct type T) as T value in assignment: the " +
			"value is of the T declared last, the variable of an earlier one; define the variable again with := or " +
			"var"},
		{"t := T{5, 6}\nt.Sum()", "11"},
	})
}

// A cell that is run again with one of its declarations changed: the others, unchanged themselves, follow it.
func TestRunAgainWithAChange(t *testing.T) {
	cell := func(size, field, area string) string {
		return "const size = " + size + `
type P struct { X` + field + ` int }
func (p P) Area() int { return p.X * size` + area + ` }
type Q struct { P; list [size]P }
func twice(q Q) int { return 2 * q.Area() * len(q.list) }
func start() int { q := Q{}; q.X = 3; return twice(q) }
start()`
	}
	onEngines(t, [][2]string{
		{cell("2", "", ""), "24"},
		{cell("3", "", ""), "54"},
		{cell("3", ", Y", ""), "54"},
		{cell("3", ", Y", " + 1"), "60"},
		{"type G[T any] struct { v T; p P }\nfunc (g G[T]) Get() T { return g.v }\nfunc get[T any](v T) T { return " +
			"G[T]{v: v}.Get() }\nget(5)", "5"},
		{"type G[T any] struct { v T; p P }\nfunc (g G[T]) Get() (x T) { return x }\nfunc get[T any](v T) T { return " +
			"G[T]{v: v}.Get() }\nget(5)", "0"},
	})
}

// Types keep their names and values what they were through redefinitions, on every engine.
func TestRedefinedTypesKeepTheirNames(t *testing.T) {
	onEngines(t, [][2]string{
		{"import \"fmt\"\ntype T struct { A int; b []int }\nfunc (t T) Sum() int { return t.A }\nt := T{A: 1}\n" +
			"keep := &t", ""},
		{"func use(x T) int { return x.Sum() * 10 }\nuse(t)", "10"},
		{"func (t T) Twice() int { return 2 * t.A }", ""},
		{"fmt.Sprintf(\"%T %T %T %T\", t, any(t), []T{t}, map[string]*T{}) + fmt.Sprint(t.Twice())",
			`"main.T main.T []main.T map[string]*main.T2"`},
		{"keep.A = 4\nt.A", "4"},
		{"func (t T) Sum() int { return t.A + 5 }\nuse(t)", "90"},
		{"type U struct { T; n int }\nu := U{T: t, n: 2}\nfmt.Sprintf(\"%+v %T\", u, u)",
			`"{T:{A:4 b:[]} n:2} main.U"`},
		{"type T struct { A, B int }\nfunc (t T) Sum() int { return t.A + t.B }\nuse(T{3, 4})", "70"},
		{"t.A + len(t.b)", "4"},
	})
}

// Variables that are not used are no errors in cells, whichever engine compiles them.
func TestUnusedVariables(t *testing.T) {
	onEngines(t, [][2]string{
		{"for i, v := range []int{1, 2} { unused := v }\nif k := 3; true { z, w := 1, 2; _ = z }\n" +
			"switch q := any(1).(type) { case int: var y, z = 1, 2 }", ""},
		{"func f() int { a := 1; select { case v := <-make(chan int): default: }; switch b := 2; { case true: }; " +
			"return 5 }\nf()", "5"},
	})
}

func TestInterfacesAcrossCells(t *testing.T) {
	cellsTest(t, [][2]string{
		{"type Shape interface { Area() float64 }\nshapes := []Shape{}", ""},
		{"type Sq struct { s float64 }\nfunc (q Sq) Area() float64 { return q.s * q.s }\nshapes = append(shapes, " +
			"Sq{3})", ""},
		{"shapes[0].Area()", "9"},
		{"func (q Sq) Area() float64 { return -1 }", ""},
		{"shapes[0].Area()", "-1"},
		{"var a any = Sq{2}\n_, ok := a.(Shape)\nok", "true"},
		{"q := a.(Sq)\nq.s", "2"},
	})
}

func TestVariablesAcrossCells(t *testing.T) {
	cellsTest(t, [][2]string{
		{"x := 1\nget := func() int { return x }\np := &x", ""},
		{"x := 2\nget()", "2"}, // assigned in place
		{"*p = 7\nx", "7"},
		{"x := \"s\"\nget()", "7"}, // another type is another variable
		{"x", `"s"`},
		{"x := x + \"t\"\nx", `"st"`},
		{"func show() string { return x }\nshow()", `"st"`},
		{"x := 3.5", ""}, // show does not fit it
		{"show()", `"st"`},
		{"var z int\nz", "0"},
		{"z = 5\nvar z int\nz", "0"},
		{"a, b := 1, 2\na, b = b, a\na*10 + b", "21"},
		{"y := 1\npanic(\"no\")\nw := 2", "Panic: no"},
		{"y", "1"},
		{"w", "CompileError: 1:1: undefined: w"},
	})
}

func TestImports(t *testing.T) {
	cellsTest(t, [][2]string{
		{`import "math/rand"`, ""},
		{`import "math/rand"`, ""},
		{"import \"fmt\"\nimport str \"strings\"\nfmt.Println(str.ToUpper(\"a\"))", "A\n"},
		{`import rand "crypto/rand"
_, err := rand.Read(make([]byte, 4))
err`, ""},
		{"import . \"math\"\nSqrt(4)", "2"},
		{"Pow(2, 3)", "8"},
		{`import "no/such/pakage"`, `CompileError: 1:8: package "no/such/pakage" is not one this notebook can import`},
		{`import "json"`,
			`CompileError: 1:8: package "json" is not one this notebook can import; there is "encoding/json"`},
	})
}

func TestErrorsAreInCellCoordinates(t *testing.T) {
	s := start(t)
	execute(s, "x := 1")
	r, _ := execute(s, "y := 2\n\nx + undefined1\nfunc f() int {\n\treturn \"s\" + undefined2\n}")
	if r.Error == nil || len(r.Error.Positions) != 2 {
		t.Fatalf("got %+v", r.Error)
	}
	if p := r.Error.Positions; p[0] != (kernel.Position{3, 5}) || p[1] != (kernel.Position{5, 15}) {
		t.Errorf("positions %v", p)
	}
	r, _ = execute(s, "a := 1\nb := []int{1}\nfor k := range 3 {\n\tb[k] = a\n}")
	if r.Error == nil || r.Error.Name != "Panic" || len(r.Error.Positions) != 1 || r.Error.Positions[0].Line != 4 {
		t.Errorf("got %+v", r.Error)
	}
	r, _ = execute(s, "if x == 1 {")
	if r.Error == nil || r.Error.Name != "CompileError" || len(r.Error.Positions) == 0 {
		t.Errorf("got %+v", r.Error)
	}
}

func TestValues(t *testing.T) {
	cellsTest(t, [][2]string{
		{"", ""},
		{"// nothing", ""},
		{"x := 3", ""},
		{"x", "3"},
		{"x;", ""},
		{"func f() (int, string) { return 1, \"a\" }\nf()", `1, "a"`},
		{"func e() (int, error) { return 2, nil }\ne()", "2"},
		{"if x > 1 { x = 2 }", ""},
		{"func g() {}\ng()", ""},
		{"nil", "CompileError: 1:1: use of untyped nil"},
		{"[]int(nil)", "[]"},
		{"map[string]int{\"b\": 2, \"a\": 1}", "map[a:1 b:2]"},
		{"import \"time\"\n1500 * time.Millisecond", "1.5s"},
		{"func() int { return 1 }", "func() int"},
		{"'x'", "120"},
		{"1 << 40", "1099511627776"},
		{"struct{ A int; b string }{1, \"q\"}", "{A:1 b:q}"},
		{"&struct{ A int }{1}", "&{A:1}"},
		{"import \"errors\"\nerrors.New(\"bad\")", "Error: errors.New: bad"},
		{"return\npanic(1)", ""},
	})
}

func TestOutputIsAttributed(t *testing.T) {
	s := start(t)
	_, first := execute(s, `import ("fmt"; "os"; "log"; "time")
go func() { time.Sleep(150 * time.Millisecond); fmt.Println("late") }()
fmt.Print("a")
fmt.Fprintln(os.Stdout, "b")
os.Stdout.WriteString("c\n")
log.SetFlags(0)
log.Print("logged")
println("built in", 1)
fmt.Fprint(os.Stderr, "err")`)
	_, second := execute(s, "time.Sleep(300 * time.Millisecond)\nfmt.Println(\"second\")")
	if got := first.Stdout(); got != "ab\nc\n" {
		t.Errorf("first cell printed %q", got)
	}
	if got := first.Stderr(); got != "logged\nbuilt in 1\nerr" {
		t.Errorf("first cell wrote %q to stderr", got)
	}
	if got := second.Stdout(); got != "late\nsecond\n" { // the first cell's goroutine, while the second runs
		t.Errorf("second cell printed %q", got)
	}
}

func TestGoroutinePanicIsReported(t *testing.T) {
	s := start(t)
	r, _ := execute(s, "import (\"sync\"; \"time\")\nvar wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); "+
		"var m map[string]int; m[\"a\"] = 1 }()\nwg.Wait()\ntime.Sleep(time.Second)")
	if r.Error == nil || r.Error.Name != "Panic" ||
		!strings.Contains(r.Error.Message, "assignment to entry in nil map") {
		t.Fatalf("got %+v", r.Error)
	}
	execute(s, "go func() { time.Sleep(100 * time.Millisecond); panic(\"later\") }()")
	_, out := execute(s, "time.Sleep(300 * time.Millisecond)")
	if !strings.Contains(out.Stderr(), "later") {
		t.Errorf("the late panic is lost: %q", out.Stderr())
	}
}

func TestExit(t *testing.T) {
	s := start(t)
	for code, want := range map[string]string{
		"import \"os\"\nos.Exit(3)":                "exit status 3",
		"import \"log\"\nlog.Fatal(\"no way on\")": "exit status 1",
	} {
		r, _ := execute(s, code)
		if r.Error == nil || r.Error.Name != "Exit" || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%s: %+v", code, r.Error)
		}
	}
}

func TestInput(t *testing.T) {
	s := start(t)
	out := &kerneltest.Output{Answers: []string{"Ada 36"}}
	r := s.Execute(t.Context(),
		kernel.Request{Code: "import \"fmt\"\nvar name string\nvar age int\nfmt.Scan(&name, &age)\n" +
			"fmt.Println(name, age)"}, out)
	if value(r) != "" || out.Stdout() != "Ada 36\n" {
		t.Errorf("got %q %q", value(r), out.Stdout())
	}
}

func TestMagic(t *testing.T) {
	s := start(t)
	_, out := execute(s, "%time x := 1 + 1")
	if !strings.Contains(out.Stdout(), "to compile") {
		t.Errorf("%q", out.Stdout())
	}
	if r, _ := execute(s, "x"); value(r) != "2" {
		t.Error(value(r))
	}
	_, out = execute(s, "%%timeit 5\nx * 2")
	if !strings.Contains(out.Stdout(), "(5 runs)") {
		t.Errorf("%q", out.Stdout())
	}
	if r, _ := execute(s, "%nothing"); !strings.Contains(value(r), "%time, %timeit, %get, %capture and %test") {
		t.Error(value(r))
	}
}

// What a cell puts in os.Stdout gets what is printed, and nothing else; what it took before still is the cell.
func TestSwappedStandardFiles(t *testing.T) {
	const imports = "import (\"encoding/json\"; \"fmt\"; \"io\"; \"os\")\n// %%\n"
	for name, c := range map[string]struct{ code, stdout, stderr string }{
		"captured": {`old := os.Stdout
r, w, _ := os.Pipe()
os.Stdout = w
fmt.Print("hello")
w.Close()
os.Stdout = old
got, _ := io.ReadAll(r)
fmt.Printf("%q\n", got)`, "\"hello\"\n", ""},
		"in a function": {`func inside() string {
	old := os.Stdout
	defer func() { os.Stdout = old }()
	r, w, _ := os.Pipe()
	os.Stdout = w
	fmt.Println("a", 1)
	fmt.Fprintf(os.Stdout, "%d\n", 2)
	os.Stdout.WriteString("c\n")
	fmt.Fprintln(old, "past it")
	w.Close()
	b, _ := io.ReadAll(r)
	return string(b)
}
fmt.Printf("%q\n", inside())`, "past it\n\"a 1\\n2\\nc\\n\"\n", ""},
		"standard error": {`old := os.Stderr
r, w, _ := os.Pipe()
os.Stderr = w
fmt.Fprint(os.Stderr, "x")
println("the built-in stays")
w.Close()
os.Stderr = old
b, _ := io.ReadAll(r)
fmt.Fprintf(os.Stderr, "%q\n", b)`, "", "the built-in stays\n\"x\"\n"},
		"one for the other": {`old := os.Stdout
os.Stdout = os.Stderr
fmt.Print("e")
os.Stdout = old
fmt.Print("o")`, "o", "e"},
		"a file": {`old := os.Stdout
f, _ := os.CreateTemp("", "")
os.Stdout = f
fmt.Print("kept")
json.NewEncoder(os.Stdout).Encode(1)
os.Stdout = old
f.Close()
b, _ := os.ReadFile(f.Name())
os.Remove(f.Name())
fmt.Printf("%q", b)`, "\"kept1\\n\"", ""},
		"over cells": {`old := os.Stdout
r, w, _ := os.Pipe()
os.Stdout = w
// %%
fmt.Print("second")
// %%
os.Stdout = old
w.Close()
b, _ := io.ReadAll(r)
fmt.Printf("%q", b)`, "\"second\"", ""},
	} {
		for _, e := range engines {
			t.Run(name+" on "+e.name, func(t *testing.T) {
				s := e.start(t)
				stdout, stderr := "", ""
				for code := range strings.SplitSeq(imports+c.code, "// %%\n") {
					r, out := execute(s, code)
					if r.Error != nil {
						t.Errorf("%+v", r.Error)
					}
					stdout += out.Stdout()
					stderr += out.Stderr()
				}
				if stdout != c.stdout || stderr != c.stderr {
					t.Errorf("printed %q, %q to stderr; expected %q, %q", stdout, stderr, c.stdout, c.stderr)
				}
			})
		}
	}
}

// The built-in print writes as Go's does.
func TestBuiltInPrint(t *testing.T) {
	const code = `import "time"
type T struct{ n int }
type F float64
func two() (int, string) { return 1, "x" }
println(1.5, -0.25, float32(0.1), 1e100, F(2), 100000000.0)
println(two())
println(3+4i, complex64(1i), true, 'a', uint8(7), time.Second)
var p *T
var m map[string]int
var e error
println(p, m, e, []int(nil))
print("a", 1, "b")
print()
println()`
	const want = "1.5 -0.25 0.1 1e+100 2 1e+08\n1 x\n(3+4i) (0+1i) true 97 7 1000000000\n" +
		"0x0 0x0 (0x0,0x0) [0/0]0x0\na1b\n"
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			r, out := execute(e.start(t), code)
			if r.Error != nil || out.Stderr() != want {
				t.Errorf("%+v, printed %q, expected %q", r.Error, out.Stderr(), want)
			}
		})
	}
}

// Constants may be lengths of arrays inside variables, of the cell and of earlier ones.
func TestConstantsOfLengths(t *testing.T) {
	onEngines(t, [][2]string{
		{"var bb struct{ a [10]int }\nconst nn = len(bb.a)\nnn", "10"},
		{"type G struct {\n\trows [3][4]int\n\tp *[7]byte\n}\nvar g G\npg := &g\nconst (\n\trows = len(g.rows)\n" +
			"\tcells = rows * len(g.rows[0])\n\tbytes = cap(g.p)\n)\nconst behind = len(pg.rows)\n" +
			"[]int{rows, cells, bytes, behind}", "[3 12 7 3]"},
		{"const again = len(g.rows) + len(bb.a)\nfunc f() (x [again]int) { return }\nlen(f()) + cells", "25"},
		{"const wrong = len(bb.b)", "CompileError: 1:22: bb.b undefined (type struct{a [10]int} has no " +
			"field or method b)"},
	})
}

// Variables under //go:embed hold the file, as strings and bytes.
func TestEmbeddedFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hi there.txt")
	if err := os.WriteFile(file, []byte("hi\n\"\xff"), 0o644); err != nil {
		t.Fatal(err)
	}
	onEngines(t, [][2]string{
		{"import _ \"embed\"\n\n// Text is a file.\n//\n//go:embed \"" + file + "\"\nvar s string\n\n" +
			"//go:embed " + file + "\nvar b []byte // with a comment\ns + string(b)", `"hi\n\"\xffhi\n\"\xff"`},
		{"//go:embed " + file + "\nvar t string\nlen(t) + nothere", "CompileError: 3:10: undefined: nothere"},
		{"x := 1\n//go:embed none.txt\nvar u string", "CompileError: 2:1: //go:embed none.txt: expected one file of " +
			"the notebook's folder: open none.txt: no such file or directory"},
	})
}
