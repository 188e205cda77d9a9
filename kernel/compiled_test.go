//go:build !js

package kernel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

func init() { engines = append(engines, testEngine{"go", startCompiled}) }

// startCompiled starts a session that compiles its cells, each for as long as a build takes: tests that are to be quick
// do without.
func startCompiled(t testing.TB) kernel.Session {
	t.Helper()
	heavy.Skip(t, "it compiles cells")
	return startOn(t, kernel.Compiled("..", ""))
}

// What the checker lets pass and the compiler does not is an error at its place in the cell, and the session goes on.
func TestCompilerErrorsHavePlaces(t *testing.T) {
	s := startCompiled(t)
	if r, _ := execute(s, "x := 1"); r.Error != nil {
		t.Fatal(value(r))
	}
	r, _ := execute(s, "type big [1 << 50]byte\nvar b big\nlen(b)")
	if r.Error == nil {
		t.Fatal("an array of a petabyte was compiled")
	}
	if r.Error.Name != "CompileError" || len(r.Error.Positions) == 0 || r.Error.Positions[0].Line != 1 {
		t.Errorf("got %s at %v", value(r), r.Error.Positions)
	}
	kerneltest.Cells(t, s, [][2]string{{"x", "1"}})
}

// A panic in a function of the cell is located where it happens, also behind calls.
func TestPanicInACompiledFunction(t *testing.T) {
	s := startCompiled(t)
	r, _ := execute(s, "func f(m map[string]int) {\n\tm[\"a\"] = 1\n}\nf(nil)")
	if r.Error == nil || r.Error.Name != "Panic" || len(r.Error.Positions) != 1 || r.Error.Positions[0].Line != 2 {
		t.Errorf("got %+v", r.Error)
	}
}

// Loops at the top level of a cell hold its variables in registers, and whatever ends them leaves what was assigned.
func TestLoopsAtTheTopLevel(t *testing.T) {
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{"n, xs := 0, []int{1, 2, 3}\nfor {\n\tn++\n\txs[n] = 10 * n\n}",
			"Panic: runtime error: index out of range [3] with length 3"},
		{"n", "3"},
		{`a, b, text := 0, 1, ""
L:
for i := range 10 {
	if i == 5 { continue L }
	a, b = b, a+b
	switch {
	case i == 8: break L
	case i%2 == 0: text += "even "
	default: text += "odd "
	}
}
count := 0
bump := func() { count++ }
for range 3 {
	bump()
	count *= 2
}
p := &n
for n = 0; n < 4; n++ { *p += 1 }
[]any{a, b, text, count, n, xs}`, "[21 34 even odd even odd even even odd  14 4 [1 10 20]]"},
	})
}

// Loops that are written out as several rounds end where they are to, after any number of them, and fail at their line.
func TestTightLoops(t *testing.T) {
	s := startCompiled(t)
	kerneltest.Cells(t, s, [][2]string{
		{`func find(xs []int, x int) (k int) {
	for k = 0; k < len(xs); k++ {
		if xs[k] == x { break }
	}
	return k
}
func odd(n int) (t int) {
	for i, j := 0, 10; i < n; i, j = i+1, j+2 {
		if i%2 == 0 { continue }
		t += i * j
	}
	for n > 0 { n /= 3; t++ }
	return t
}
func sum(xs []int) (t int) {
	for i := 0; i < 10; i++ {
		k := i * i
		t += k *
			xs[i]
	}; return 1 / t
}
got := []int{}
for n := range 6 { got = append(got, find([]int{1, 2, 3, 4, 5}, n), odd(n)) }
got`, "[5 0 0 1 1 13 2 14 3 62 4 62]"},
	})
	for code, line := range map[string]int{"sum(nil)": 19, "sum(make([]int, 7))": 19, "sum(make([]int, 10))": 20} {
		r, _ := execute(s, code)
		if r.Error == nil || !strings.Contains(strings.Join(r.Error.Traceback, "\n"),
			fmt.Sprintf("cell [1]:%d:1, in sum", line)) {
			t.Errorf("%s: expected line %d, got %+v", code, line, r.Error)
		}
	}
}

// Cells that only call, read and assign run without the compiler, and give what compiled ones give.
func TestCellsThatDeclareNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := startCompiled(t)
	kerneltest.Cells(t, s, [][2]string{
		{`import ("errors"; "fmt"; "math"; "os"; "strings"; "time")
type P struct{ X int; y int }
func (p *P) Inc() int { p.X++; return p.X }
func (p P) String() string { return fmt.Sprint("P", p.X) }
func half(n int) (int, error) { if n%2 != 0 { return 0, errors.New("odd") }; return n / 2, nil }
func sum(xs ...float64) (s float64) { for _, x := range xs { s += x }; return s }
p, q, none := &P{}, P{}, (*P)(nil)
m := map[string]int{"a": 1}
var i8 int8 = -128
half(2); sum(); _ = P{}; _, _, _ = math.Pi, os.Args, strings.ToUpper`, ""},
	})
	folders, err := filepath.Glob(filepath.Join(dir, "nacre-cells-*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := os.RemoveAll(folders[0]); err != nil { // nothing can be compiled any more
		t.Fatal(err)
	}
	kerneltest.Cells(t, s, [][2]string{
		{"x := 5", ""},
		{"x*2 + 1", "11"},
		{"float64(x)/2 - float64(time.Second)*0 + float64(i8)", "-125.5"},
		{"xs := []float64{1, 2.5, float64(x)}\nxs[1] = -xs[0]\nxs = append(xs, 7)\nsum(xs...)", "12"},
		{"ages := map[string]int{\"a\": x}\nages[\"b\"] = len(xs)\nages", "map[a:5 b:4]"},
		{"s := P{X: 3}\ns.X = s.X + 1\nlist := []P{{X: 1}, s}\nat := &P{X: 9}\nat.X = 10\nfmt.Println(s, list, at, " +
			"[]any{1, \"a\", nil, s})", "P4 [P1 P4] P10 [1 a <nil> P4]\n"},
		{"copied := s\ncopied.X = 50\nfmt.Println(s, !(x > 4 && s.X == 4) || none != nil && none.X > 0)", "P4 false\n"},
		{"var table map[string]int\ntable[\"a\"] = 1", "Panic: assignment to entry in nil map"},
		{"xs[x] = 1", "Panic: runtime error: index out of range [5] with length 4"},
		{"half(x)", "Error: half: odd"},
		{"h, err := half(8)", ""},
		{"fmt.Println(h, err, 'a', 1.5, \"t\", nil)", "4 <nil> 97 1.5 t <nil>\n"},
		{"sum(1, 2.5, math.Sqrt(4))", "5.5"},
		{"p.Inc()\nq.Inc()\nfmt.Println(p, q, p.X)", "P1 P1 1\n"},
		{"none.X", "Panic: runtime error: invalid memory address or nil pointer dereference"},
		{"strings.Fields(\"a b\")[7]", "Panic: runtime error: index out of range [7] with length 2"},
		{"m[\"a\"] + m[\"b\"] + len(m)", "2"},
		{"i8 / -1", "-128"},
		{"i8 -= 1\ni8", "127"},
		{"x / (x - 5)", "Panic: runtime error: integer divide by zero"},
		{"x++\nx += 10\nx >= 16", "true"},
		{"math.NaN() != math.NaN()", "true"},
		{"var d time.Duration = 3\nd * time.Second", "3s"},
		{"var e error\ne", ""},
		{"os.Stdout.WriteString(\"out\\n\")", "out\n4"},
		{"fine := 2\nfails := strings.Fields(\"\")[0]", "Panic: runtime error: index out of range [0] with length 0"},
		{"fine", "2"},
		{"fails", "CompileError: 1:1: undefined: fails"},
		{"x = nosuch", "CompileError: 1:5: undefined: nosuch"},
		{"h = \"text\"", "CompileError: 1:5: cannot use \"text\" (untyped string constant) as int value in assignment"},
	})
	if r, _ := execute(s, "for range 3 { x++ }"); r.Error == nil || r.Error.Name != "EngineError" {
		t.Errorf("a loop did not need the compiler: %s", value(r))
	}
}

// A cell that is not compiled reads as compiled code does: what calls return pointers to after all of its calls.
func TestReadsComeAfterCalls(t *testing.T) {
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{`type T struct{ X int }
func (t T) Get() int { return t.X }
t, xs := &T{1}, []int{1}
func h() *T { return t }
func list() []int { return xs }
func g() int { t.X++; xs[0]++; return t.X }
func add(a, b int) int { return a*100 + b }`, ""},
		{"add(h().X, g())", "202"},
		{"add(list()[0], g())", "303"},
		{"add(h().Get(), g())", "304"},
		{"h().X + g()", "10"},
	})
}

// What the run time says of types names them as the program does, also of those that were redefined.
func TestNamesOfTheRunTime(t *testing.T) {
	nils := "value method main.V.Get called using nil *V pointer"
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{`import ("fmt"; "reflect")
type V struct{ X int }
func (v V) Get() int { return v.X }
type Getter interface{ Get() int }
func get(g Getter) (text string) { defer func() { text = fmt.Sprint(recover()) }(); g.Get(); return }
var none *V
_ = reflect.TypeOf`, ""},
		{"none.Get()", "Panic: runtime error: invalid memory address or nil pointer dereference"},
		{"fmt.Println(get(none))", nils + "\n"},
		{"var g Getter = none\ng.Get()", "Panic: " + nils},
		{"type V struct{ X, Y int }\nvar other *V\nfmt.Println(get(other), reflect.TypeOf(other).Elem().PkgPath())",
			nils + " main\n"},
	})
}

// What cells share with compiled ones is the package's own, and ends the cell rather than the kernel.
func TestSharedLoggers(t *testing.T) {
	s := startCompiled(t)
	ended := "Exit: the kernel and its variables are still there; the cell ended with exit status "
	kerneltest.Cells(t, s, [][2]string{
		{`import ("bytes"; "fmt"; "log"; "os")
var buf bytes.Buffer
type Service struct { *log.Logger; Name string }
type Held struct { Inner struct { log.Logger } }
func use(l *log.Logger) { l.Print("used") }
_, _, _ = os.Args, log.New, fmt.Print`, ""},
		{`l := log.New(&buf, "a: ", 0)`, ""},
		{"use(l)\nl.Println(1)", ""},
		{"l.Fatal(2, 3)", ended + "1"},
		{"func (s Service) stop() { defer s.Fatalf(\"%s-%d\", s.Name, 4); l.SetFlags(log.Lmsgprefix|log.Lshortfile) " +
			"}\nService{l, \"svc\"}.stop()", ended + "1"},
		{"var held Held\nheld.Inner.SetOutput(&buf)\nf := held.Inner.Fatalln\nf(\"held\", 5)", ended + "1"},
		{"fmt.Print(buf.String())", "a: used\na: 1\na: 2 3\n/cell 5:1: a: svc-4\nheld 5\n"},
		{"k := log.New(os.Stdout, \"k: \", 0)\nk.Print(6)", "k: 6\n"},
		{"use(k)", "k: used\n"},
		{"log.Fatal(7)", ended + "1"},
		{"os.Exit(4)", ended + "4"},
		{"p := os.FindProcess(os.Getpid())\np.Pid == os.Getpid()", "true"},
	})
}

// Loggers that name their callers name cells, also those that would run without being compiled.
func TestCallersOfLoggers(t *testing.T) {
	s := startCompiled(t)
	kerneltest.Cells(t, s, [][2]string{
		{`import ("fmt"; "log"; "log/slog"; "os"; "runtime")
_, _, _ = os.Args, slog.Info, runtime.Caller
log.SetOutput(os.Stdout)
log.SetFlags(0)
log.Print("plain")`, "plain\n"},
		{"log.Println(1)", "1\n"},
		{"log.SetFlags(log.Lshortfile)", ""},
		{"log.Println(1)", "/cell 4:1: 1\n"},
		{"\n\nlog.Printf(\"%d\", 2)", "/cell 5:3: 2\n"},
		{"func g() {\n\tlog.Print(3)\n\tdefer func() { fmt.Println(recover()) }()\n\tlog.Panicf(\"%d\", 4)\n}\ng()",
			"/cell 6:2: 3\n/cell 6:4: 4\n4\n"},
		{"f := log.Println", ""},
		{"f(5)", "/cell 8:1: 5\n"},
		{"l := log.New(os.Stdout, \"\", log.Lshortfile)", ""},
		{"l.Print(6)", "/cell 10:1: 6\n"},
		{"log.Default().Print(7)", "/cell 11:1: 7\n"},
		{"o := slog.HandlerOptions{AddSource: true, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {\n" +
			"\tif a.Key == slog.TimeKey {\n\t\ta = slog.Attr{}\n\t}\n\treturn a\n}}\n" +
			"h := slog.New(slog.NewTextHandler(os.Stdout, &o))", ""},
		{"h.Info(\"x\")", "level=INFO source=\"/cell 13:1\" msg=x\n"},
		{"slog.SetDefault(h)", ""},
		{"slog.Warn(\"y\")", "level=WARN source=\"/cell 15:1\" msg=y\n"},
		{"_, file, line, ok := runtime.Caller(0)", ""},
		{"fmt.Println(file, line, ok)", "/cell 16 1 true\n"},
	})
}

// Values in interfaces do not get methods that are added later, and a line says so.
func TestMethodsAddedLater(t *testing.T) {
	s := startCompiled(t)
	kerneltest.Cells(t, s, [][2]string{
		{"import \"fmt\"\ntype T struct{ A int }\ntype U struct{}\nx := T{1}\nheld := []any{x}\n" +
			"fmt.Print(x, held, U{})", "{1} [{1}] {}"}})
	_, out := execute(s, "func (t T) String() string { return \"a T\" }\nfunc (U) String() string { return \"a U\" "+
		"}\nfmt.Print(x, held, U{})")
	if got := out.Stdout(); got != "a T [{1}] a U" {
		t.Errorf("got %q", got)
	}
	if got := out.Stderr(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "values of T") {
		t.Errorf("got %q", got)
	}
}

// Functions and cells may declare types of one name in their bodies: each stays the type that it is in later cells.
func TestTypesInBodies(t *testing.T) {
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{"import \"reflect\"\nfunc a() any {\n\ttype T struct{ A, B, C string }\n\ttype S []T\n\treturn " +
			"S{{\"x\", \"y\", \"z\"}}\n}\nfunc b() any {\n\ttype T any\n\ttype S []T\n\treturn S{1, \"two\"}\n}", ""},
		{"func size(v any) uintptr { return reflect.TypeOf(v).Elem().Size() }", ""},
		{"size(a())", "48"},
		{"size(b())", "16"},
		{"b()", "[1 two]"},
		{"var v any\nfor range 1 {\n\ttype T [2]int\n\tv = T{1, 2}\n}\nv", "[1 2]"},
		{"func() any {\n\ttype T map[string]int\n\treturn T{\"n\": 1}\n}()", "map[n:1]"},
		{"v", "[1 2]"},
		{"func c(v any) any {\n\ttype T struct{ N int }\n\tt, _ := v.(T)\n\tt.N++\n\treturn t\n}\nx := c(nil)", ""},
		{"a()\nx = c(x)\nx", "{N:2}"},
		{"x = c(c(x))\nreflect.DeepEqual(x, c(c(c(c(nil)))))", "true"},
	})
}

// Package reflect may make a type without a name before a plugin has it: cells after it take the type for the same.
func TestTypesMadeByReflect(t *testing.T) {
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{`import "reflect"
type M int
func (m M) F(x []M) map[M]int { return map[M]int{m: len(x)} }
of, f := reflect.TypeOf(M(3)), reflect.ValueOf(M(3)).MethodByName("F")
a := reflect.MakeSlice(reflect.SliceOf(of), 2, 2)
r := f.Call([]reflect.Value{a})[0].Interface()
c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, of), 1).Interface()
p := reflect.New(reflect.PointerTo(of)).Interface()
l := reflect.New(reflect.ArrayOf(2, reflect.SliceOf(of))).Elem().Interface()
g := f.Interface()`, ""},
		{"x, ok := a.Interface().([]M)\nok && len(x) == 2", "true"},
		{"y, ok := r.(map[M]int)\nok && y[3] == 2", "true"},
		{"z, ok := c.(chan M)\nok && cap(z) == 1", "true"},
		{"_, ok = p.(**M)\nok", "true"},
		{"_, ok = l.([2][]M)\nok", "true"},
		{"h, ok := g.(func([]M) map[M]int)\nok", "true"},
		{"h(x)", "map[3:2]"},
		{"reflect.TypeOf(h) == reflect.TypeOf(g)", "true"},
	})
}

// In a list of constants that hides a name of the session, a repeated expression means the new one.
func TestConstantsThatHide(t *testing.T) {
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{"import \"fmt\"\nconst X, Half = 2, 0.25\ntype M uint8", ""},
		{"func() string { const (X = X + X; Y; Z = iota); return fmt.Sprint(X, Y, Z) }()", `"4 8 2"`},
		{"func() string { const (X M = X + X; _; Y); return fmt.Sprintf(\"%T%v %T%v\", X, X, Y, Y) }()",
			`"main.M4 main.M8"`},
		{"func() string { const (A = X << iota; B; C); return fmt.Sprint(A, B, C) }()", `"2 4 8"`},
		{"func() float64 { const (Half = Half + 1; More); return More }()", "CompileError: 1:25: the constant Half " +
			"stands in a list that repeats an expression whose names it hides: write each expression out"},
	})
}

// A cell may map memory and close it: what shows the session's variables does not read it then.
func TestMemoryThatCannotBeRead(t *testing.T) {
	s := startCompiled(t)
	kerneltest.Cells(t, s, [][2]string{
		{"import \"syscall\"\nb, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, " +
			"syscall.MAP_ANON|syscall.MAP_PRIVATE)", ""},
		{"err = syscall.Mprotect(b, syscall.PROT_NONE)\nlen(b)", "4096"},
		{"err = syscall.Mprotect(b, syscall.PROT_READ)\nb[1]", "0"},
	})
}

// The run time may make the method table of a type and an interface before a plugin has its own: cells after it take
// the type for the same.
func TestMethodTablesOfTheProcess(t *testing.T) {
	kerneltest.Cells(t, startCompiled(t), [][2]string{
		{"import \"fmt\"\ntype Shape interface{ Area() float64 }\ntype Sq struct{ S float64 }\n" +
			"func (s Sq) Area() float64 { return s.S * s.S }", ""},
		{"var xs = []any{Sq{1}, Sq{2}}\nshapes := []Shape{}\nfor _, x := range xs { shapes = append(shapes, " +
			"x.(Shape)) }", ""},
		{`sum := 0.0
seen := map[Shape]bool{Sq{1}: true}
for _, s := range shapes {
	switch s := s.(type) {
	case Sq:
		sum += s.S
	}
	_, ok := s.(Sq)
	fmt.Println(ok, s == Shape(Sq{1}), seen[s])
}
sum`, "true true true\ntrue false false\n3"},
	})
}
