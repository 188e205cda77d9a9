package kernel_test

import (
	"runtime"
	"strconv"
	"testing"

	"nacre/kernel/kerneltest"
)

// onEngines runs cells one after another on each engine, each with what it must print followed by what it must show.
func onEngines(t *testing.T, steps [][2]string) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { kerneltest.Cells(t, e.start(t), steps) })
	}
}

// TestTypesAcrossCells has values of types of one cell used in others: a type must be the same one in all of them.
func TestTypesAcrossCells(t *testing.T) {
	onEngines(t, [][2]string{
		{"import \"fmt\"\ntype point struct { x, y int }\nfunc (p point) String() string { return fmt.Sprintf(\"<%d " +
			"%d>\", p.x, p.y) }\nfunc (p *point) move(d int) { p.x += d }\nfunc (p point) norm() int { return " +
			"p.x*p.x + p.y*p.y }", ""},
		{"p := point{3, 4}\np.move(1)\np", "<4 4>"},
		{"type normer interface { norm() int }\nvar n normer = p\nn.norm()", "32"},
		{"fmt.Sprintf(\"%v %T %+v\", []point{p}, p, map[string]point{\"a\": p})", `"[<4 4>] main.point map[a:<4 4>]"`},
		{"q, ok := n.(point)\nok && q.x == 4", "true"},
		{"type stack[T any] struct { list []T }\nfunc (s *stack[T]) push(v T) *stack[T] { s.list = append(s.list, " +
			"v); return s }\nfunc (s *stack[T]) pop() T { v := s.list[len(s.list)-1]; s.list = " +
			"s.list[:len(s.list)-1]; return v }", ""},
		{"s := &stack[point]{}\ns.push(p).push(point{1, 1})\nlen(s.list)", "2"},
		{"s.pop()", "<1 1>"},
		{"var a any = s\nt, ok := a.(*stack[point])\nok && t == s", "true"},
		{"func mapped[T, U any](xs []T, f func(T) U) []U { var out []U; for _, x := range xs { out = append(out, " +
			"f(x)) }; return out }\nmapped([]int{1, 2}, func(k int) point { return point{k, k} })", "[<1 1> <2 2>]"},
		{"mapped(s.list, point.norm)", "[32]"},
		{"type named struct { point; name string }\nm := named{p, \"m\"}\nm.norm()", "32"},
		{"n = m\nn.norm()", "32"},
		{"fmt.Sprint(m)", `"<4 4>"`},
		{"f := func() int { type local struct { k int }; return local{p.x}.k }\nf()", "4"},
		{"p.x = 10\nf()", "10"},
		{"get := func() *point { return &p }\nget().move(5)\np.x", "15"},
		{"ch := make(chan point, 1)\ngo func() { ch <- p }()\n(<-ch).x", "15"},
		{"import \"encoding/json\"\ntype row struct { A int `json:\"a\"`; B []point `json:\"b\"`; c int }\n" +
			"b, _ := json.Marshal(row{1, []point{p}, 2})\nstring(b)", `"{\"a\":1,\"b\":[{}]}"`},
		{"import \"sort\"\ntype byNorm []point\nfunc (b byNorm) Len() int { return len(b) }\nfunc (b byNorm) Less(i, " +
			"j int) bool { return b[i].norm() < b[j].norm() }\nfunc (b byNorm) Swap(i, j int) { b[i], b[j] = b[j], " +
			"b[i] }\nps := byNorm{{3, 3}, {1, 1}}\nsort.Sort(ps)\nps[0]", "<1 1>"},
		{"type failure struct { code int }\nfunc (f *failure) Error() string { return fmt.Sprint(\"code \", f.code) " +
			"}\nfunc try() error { return fmt.Errorf(\"wrapped: %w\", &failure{7}) }", ""},
		{"import \"errors\"\nvar target *failure\nerrors.As(try(), &target)\ntarget.code", "7"},
		{"try()", "Error: try: wrapped: code 7"},
		{"type node[T any] struct { v T }\nfunc (n node[T]) Value() T { return n.v }\nfunc wrap[T any](x T) any { " +
			"return node[T]{x} }", ""},
		{"w := wrap(1)", ""},
		{"_, ok = w.(node[int])\nok", "true"},
		{"w.(interface{ Value() int }).Value()", "1"},
		{"func again(x any) (any, bool) { type local struct { k int }; _, ok := x.(local); return local{1}, ok }\n" +
			"v, _ := again(nil)", ""},
		{"_, ok = again(v)\nok", "true"},
		{"pair := func() (struct { A int; p point }, error) { return struct { A int; p point }{1, p}, nil }\n" +
			"sp, _ := pair()", ""},
		{"sp, _ = pair()\nsp.p.x + sp.A", "16"},
		{"var it interface { normer; fmt.Stringer } = p\nit.norm() + len(it.String())", "247"},
		{"import \"iter\"\nfunc upto(n int) iter.Seq[int] { return func(yield func(int) bool) { for k := range n { " +
			"if !yield(k) { return } } } }\nseq := upto(4)", ""},
		{"sum := 0\nfor k := range seq { if k == 3 { break }; sum += k }\nsum", "3"},
	})
}

func TestExactTypes(t *testing.T) {
	onEngines(t, [][2]string{
		{"type ints []int\nvar x any = []int{1}\n_, ok := x.(ints)\nok", "false"},
		{"x = ints{1}\n_, ok = x.([]int)\nok", "false"},
		{"x.([]int)", "Panic: interface conversion: interface {} is main.ints, not []int"},
		{"x.(ints)[0]", "1"},
		{"func kind(x any) string { switch x.(type) { case []int: return \"plain\" }; return \"other\" }\n" +
			"kind([]int{}) + kind(3)", `"plainother"`},
		{"switch v := x.(type) { case []int: v[0] = 5; case ints: v[0] = 6 }\nx", "[6]"},
		{"kind(x)", `"other"`},
	})
}

// TestTraps are programs in which an engine could go wrong, with what Go prints.
func TestTraps(t *testing.T) {
	nilPanic := new(runtime.PanicNilError).Error() // it depends on the release of Go
	onEngines(t, [][2]string{
		{"import \"fmt\"\nfunc f() (err error) { defer func() { if r := recover(); r != nil { err = fmt.Errorf(\"got " +
			"%v\", r) } }(); var m map[string]int; m[\"a\"] = 1; return nil }\nf()",
			"Error: f: got assignment to entry in nil map"},
		{"var p *struct{ a int }\np.a", "Panic: runtime error: invalid memory address or nil pointer dereference"},
		{"z := 0\n1 / z", "Panic: runtime error: integer divide by zero"},
		{"go func() { panic(\"oh\") }()\nselect {}", "Panic: oh (in a goroutine of this cell)"},
		{"func show(n int) { fmt.Println(n) }\nn := 1\ndone := make(chan bool)\ngo func(n int) { show(n); " +
			"close(done) }(n)\nn = 2\n<-done", "1\nfalse"},
		{"type E struct{}\nfunc (*E) Error() string { return \"e\" }\nfunc g() error { var e *E; return e }\n" +
			"g() == nil", "false"},
		{"type S struct { a [2]int; m map[string]int }\ns := S{m: map[string]int{}}\ns2 := s\ns2.a[0] = 4\n" +
			"s2.m[\"x\"] = 1\ns.a[0] + len(s.m)", "1"},
		{"ps := []*int{}\nfor i := range 3 { ps = append(ps, &i) }\n*ps[0] + *ps[1] + *ps[2]", "3"},
		{"func() (s string) { defer func() { s = fmt.Sprint(recover()) }(); panic(nil) }()", strconv.Quote(nilPanic)},
		{"panic(nil)", "Panic: " + nilPanic},
		{"import \"log\"\nfunc() { defer fmt.Println(\"no\"); defer func() { recover() }(); log.SetFlags(0); " +
			"log.Fatal(\"end\") }()",
			"Exit: the kernel and its variables are still there; the cell ended with exit status 1"},
	})
}
