package kernel_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// page is a notebook whose cells run in a session.
type page struct {
	t     *testing.T
	s     kernel.Session
	cells []kernel.Source
}

func newPage(t *testing.T, s kernel.Session, cells ...string) *page {
	p := &page{t: t, s: s}
	for k, code := range cells {
		p.cells = append(p.cells, kernel.Source{ID: fmt.Sprint("cell-", k+1), Code: code})
	}
	return p
}

// run runs cells, counted from 1; none are all.
func (p *page) run(which ...int) {
	p.t.Helper()
	if which == nil {
		for k := range p.cells {
			which = append(which, k+1)
		}
	}
	for _, k := range which {
		c := p.cells[k-1]
		if r := p.s.Execute(context.Background(), kernel.Request{Code: c.Code, CellID: c.ID, StoreHistory: true},
			&kerneltest.Output{}); r.Error != nil {
			p.t.Errorf("cell %d: %s", k, value(r))
		}
	}
}

// stale is which cells are, with the names that have changed: "2 x,y; 3 edited".
func (p *page) stale() string {
	var list []string
	for k, s := range p.s.Stale(p.cells) {
		switch {
		case s.Edited:
			list = append(list, fmt.Sprint(k+1, " edited"))
		case len(s.Because) > 0:
			list = append(list, fmt.Sprint(k+1, " ", strings.Join(s.Because, ",")))
		}
	}
	return strings.Join(list, "; ")
}

func (p *page) is(want, when string) {
	p.t.Helper()
	if got := p.stale(); got != want {
		p.t.Errorf("%s stale is %q, want %q", when, got, want)
	}
}

// Cells that run from the top leave none stale, whatever they do to each other's variables; then one is edited, and it
// runs.
func TestStale(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		edit  int    // the cell that is changed
		to    string // its code
		// What is stale when it is edited and when it ran.
		edited, ran string
	}{
		"value": {[]string{"x := 1", "x * 2", "y := 3"}, 1, "x := 2", "1 edited; 2 x", "2 x"},
		"chain": {[]string{"x := 1", "y := x + 1", "y * 2"}, 1, "x := 5", "1 edited; 2 x; 3 y",
			"2 x; 3 y"},
		"shadowed": {[]string{"x := 1", "for x := range 3 { println(x) }",
			"f := func(x int) int { return x }\nf(2)"}, 1, "x := 7", "1 edited", ""},
		"defined anew": {[]string{"x := 1", "x := 2", "x + 1"}, 1, "x := 9", "1 edited", "3 x"},
		"parameter": {[]string{"x := 1", "func id(x int) int { return x }", "id(3)"}, 1, "x := 2",
			"1 edited", ""},
		"function": {[]string{"func f() int { return 1 }", "f()", "3"}, 1, "func f() int { return 2 }",
			"1 edited; 2 f", "2 f"},
		"through function": {[]string{"x := 1", "func f() int { return x }\nfunc g() int { return f() }", "g()",
			"2"}, 1, "x := 2", "1 edited; 3 x", "3 x"},
		"state behind function": {[]string{"n := 0\nfunc inc() { n++ }", "inc()", "n"}, 2, "inc()\ninc()",
			"2 edited; 3 n", "3 n"},
		"method": {[]string{"type T struct{ a int }\nfunc (t T) Sum() int { return t.a }", "t := T{1}", "t.Sum()",
			"1 + 1"}, 1,
			"type T struct{ a int }\nfunc (t T) Sum() int { return t.a + 1 }", "1 edited; 2 T,T.Sum; 3 T,T.Sum,t",
			"2 T.Sum; 3 T.Sum,t"},
		"method behind interface": {[]string{"import \"fmt\"\ntype T struct{ a int }",
			"func (t T) String() string { return \"one\" }", "fmt.Sprint(T{1})"}, 2,
			"func (t T) String() string { return \"two\" }", "2 edited; 3 T.String", "3 T.String"},
		"pointer method": {[]string{"type C struct{ n int }\nfunc (c *C) Add(k int) { c.n += k }",
			"c := &C{}", "c.Add(2)", "c.n"}, 3, "c.Add(3)", "3 edited; 4 c", "4 c"},
		"pointer helper": {
			[]string{"func set(p *int) { *p = 4 }\nfunc twice(p *int) { set(p); set(p) }", "x := 0\np := &x",
				"twice(p)", "*p"}, 3, "twice(p); twice(p)", "3 edited; 4 p", "4 p"},
		"address": {[]string{"import \"fmt\"\nx := 0", "fmt.Sscan(\"5\", &x)", "x"}, 2,
			"fmt.Sscan(\"6\", &x)", "2 edited; 3 x", "3 x"},
		"field": {[]string{"type C struct{ lr float64 }\nc := C{}", "c.lr = 0.1",
			"c.lr * 2"}, 2, "c.lr = 0.2", "2 edited; 3 c", "3 c"},
		"two fields": {[]string{"type C struct{ a, b int }\nc := C{}", "c.a = 1", "c.b = 2",
			"c"}, 1, "type C struct{ a, b int }\nc := C{3, 4}", "1 edited; 2 C,c; 3 C,c; 4 C,c", "2 c; 3 c; 4 c"},
		"map": {[]string{"m := map[string]int{}", "m[\"a\"] = 1", "delete(m, \"a\")",
			"len(m)"}, 3, "clear(m)", "3 edited; 4 m", "4 m"},
		"append": {[]string{"xs := []int{}", "xs = append(xs, 1)", "xs = append(xs, 2)",
			"xs"}, 2, "xs = append(xs, 5)", "2 edited; 3 xs; 4 xs", "3 xs; 4 xs"},
		"sorted in place": {[]string{"import \"sort\"\nxs := []int{3, 1}", "sort.Ints(xs)", "xs"},
			2, "sort.Sort(sort.IntSlice(xs))", "2 edited; 3 xs", "3 xs"},
		"library method": {[]string{"import \"strings\"\nvar b strings.Builder",
			"b.WriteString(\"a\")", "b.String()"}, 2, "b.WriteString(\"b\")", "2 edited; 3 b", "3 b"},
		"reading method": {[]string{"import \"strings\"\nvar b strings.Builder", "b.Len()",
			"b.String()"}, 2, "b.Len() + 0", "2 edited", ""},
		"constant": {[]string{"const n = 2", "const m = n * 2", "m", "3"}, 1, "const n = 3",
			"1 edited; 3 n", "3 n"},
		"type": {[]string{"type T struct{ a int }", "func f(t T) int { return t.a }",
			"f(T{a: 1})"}, 1, "type T struct{ a, b int }", "1 edited; 3 T", "3 T"},
		"goroutine": {[]string{"done := make(chan bool)\nx := 0",
			"go func() { x = 1; done <- true }()\n<-done", "x"}, 2, "go func() { x = 2; done <- true }()\n<-done",
			"2 edited; 3 x", "3 x"},
		"closure": {[]string{"x := 1", "f := func() int { return x }\nf()", "2"}, 1,
			"x := 3", "1 edited; 2 x", "2 x"},
		"generic": {[]string{"func m[T int | float64](a, b T) T { return a + b }",
			"m(1, 2)", "m(1.5, 2)"}, 1, "func m[T int | float64](a, b T) T { return a - b }", "1 edited; 2 m; 3 m",
			"2 m; 3 m"},
		"printing": {[]string{"import \"fmt\"\nx := []int{1}", "fmt.Println(x)", "x"}, 2,
			"fmt.Println(x, x)", "2 edited", ""},
		"function value": {[]string{"x := 1", "f := func() int { return x }", "f()"}, 1, "x := 2",
			"1 edited; 2 x; 3 f,x", "2 x; 3 x,f"},
		"state behind function value": {[]string{"n := 0", "inc := func() { n++ }", "inc()", "n"}, 3,
			"inc()\ninc()", "3 edited; 4 n", "4 n"},
		"its own state behind function value": {[]string{"n := 0\nvar inc = func() { n++ }", "inc()", "n"}, 2,
			"inc()\ninc()", "2 edited; 3 n", "3 n"},
		"function value by another name": {[]string{"n := 0", "inc := func() { n++ }\nmore := inc",
			"again := more", "again()", "n"}, 4, "again()\nagain()", "4 edited; 5 n", "5 n"},
		"function that a function returns": {[]string{"n := 0\nfunc counter() func() { return func() { n++ } }",
			"inc := counter()", "inc()", "n"}, 3, "inc()\ninc()", "3 edited; 4 n", "4 n"},
		"function in a field": {[]string{"n := 0\ntype T struct{ do func() }",
			"t := T{do: func() { n++ }}", "t.do()", "n"}, 3, "t.do()\nt.do()", "3 edited; 4 n", "4 n"},
		"function given anew": {[]string{"n := 0", "f := func() { n++ }", "f = func() {}", "f()", "n"},
			4, "f()\nf()", "4 edited", ""},
		"loop over it": {[]string{"total := 0", "for i := range 4 { total += i }", "total"}, 2,
			"for i := range 5 { total += i }", "2 edited; 3 total", "3 total"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, start(t), c.cells...)
			if p.is("", "before anything ran"); p.s.Stale(p.cells)[0].Ran {
				t.Error("a cell has run that did not")
			}
			p.run()
			p.is("", "after all cells ran")
			p.cells[c.edit-1].Code = c.to
			p.is(c.edited, "after the edit")
			p.run(c.edit)
			p.is(c.ran, "after the edited cell ran")
			for k := range p.cells {
				if k >= c.edit {
					p.run(k + 1)
				}
			}
			p.is("", "after all below ran")
		})
	}
}

// Both engines and cells out of order: what a cell below changes counts once it has run again.
func TestStaleOutOfOrder(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			p := newPage(t, e.start(t), "n := 0\nfunc inc() { n++ }", "n", "inc()", "n + 1")
			p.run()
			p.is("", "after all cells ran")
			p.run(3)
			p.is("2 n; 4 n", "after a cell ran again")
			p.run(2)
			p.is("4 n", "after the first of these ran")
			p.cells = append(p.cells[:2], p.cells[3])
			p.is("3 n", "after the cell was deleted")
		})
	}
}

// A cell that does not compile is stale when one of its names changes.
func TestStaleAfterAnError(t *testing.T) {
	p := newPage(t, start(t), "y := x + 1", "x := 1")
	if r := p.s.Execute(context.Background(), kernel.Request{Code: p.cells[0].Code, CellID: "cell-1"},
		&kerneltest.Output{}); r.Error == nil {
		t.Fatal("x is not there and was found")
	}
	p.is("", "after the error")
	p.run(2)
	p.run(2)
	p.is("1 x", "once the name is there")
	p.run(1)
	p.is("", "after it ran")
}
