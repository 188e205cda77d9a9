package kernel_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"nacre/kernel"
)

// book takes the cells of a notebook apart, which a line --- separates. A bar stands in front of the name that is asked
// for.
func book(t *testing.T, text string) (cells []string, cell, cursor int) {
	t.Helper()
	cells = strings.Split(text, "\n---\n")
	for k, code := range cells {
		if before, after, ok := strings.Cut(code, "¦"); ok {
			cells[k] = before + after
			return cells, k, utf8.RuneCountInString(before)
		}
	}
	t.Fatalf("no bar in %q", text)
	return nil, 0, 0
}

// after are cells with the changes of a renaming.
func after(cells []string, r kernel.Renaming) string {
	out := make([]string, len(cells))
	for k, code := range cells {
		text := []rune(code)
		for i := len(r.Edits[k]) - 1; i >= 0; i-- {
			e := r.Edits[k][i]
			text = append(text[:e.From:e.From], append([]rune(e.Text), text[e.To:]...)...)
		}
		out[k] = string(text)
	}
	return strings.Join(out, "\n---\n")
}

// What must change with a name changes, in all cells; what only looks like it stays.
func TestRename(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ name, before, to, after string }{
		{"a variable over cells", "¦x := 1\n---\ny := x + 1\nfmt := x", "rate",
			"rate := 1\n---\ny := rate + 1\nfmt := rate"},
		{"from a use in a function", "x := 1\n---\nfunc f() int { return ¦x }\n---\nx = 2\nf()", "n",
			"n := 1\n---\nfunc f() int { return n }\n---\nn = 2\nf()"},
		{"a shadowed name", "¦x := 1\nfor x := range 3 { _ = x }\nfunc f(x int) int { return x }\nx", "y",
			"y := 1\nfor x := range 3 { _ = x }\nfunc f(x int) int { return x }\ny"},
		{"the name that shadows", "x := 1\nfor ¦x := range 3 { _ = x }\nx", "i",
			"x := 1\nfor i := range 3 { _ = i }\nx"},
		{"a parameter", "func f(¦x int) int { g := func(x int) int { return x }; return g(x) }", "n",
			"func f(n int) int { g := func(x int) int { return x }; return g(n) }"},
		{"a field, not the variable", "type T struct{ x int }\n---\nx := 1\nt := T{x: x}\n---\nt.¦x + x", "y",
			"type T struct{ y int }\n---\nx := 1\nt := T{y: x}\n---\nt.y + x"},
		{"the variable, not the field", "type T struct{ x int }\n---\n¦x := 1\nt := T{x: x}\n---\nt.x + x", "y",
			"type T struct{ x int }\n---\ny := 1\nt := T{x: y}\n---\nt.x + y"},
		{"unkeyed literals", "type P struct{ x, y int }\n---\nx, y := 1, 2\nP{¦x, y}", "a",
			"type P struct{ x, y int }\n---\na, y := 1, 2\nP{a, y}"},
		{"a method", "type T int\nfunc (t T) Get() int { return int(t) }\n---\nvar t T\nt.Get()\n---\nf := T.¦Get\ng " +
			":= t.Get",
			"Read", "type T int\nfunc (t T) Read() int { return int(t) }\n---\nvar t T\nt.Read()\n---\nf := " +
				"T.Read\ng := t.Read"},
		{"a method through an embedded type", "type A struct{}\nfunc (A) M() {}\ntype B struct{ *A }\n---\nb := " +
			"B{&A{}}\n" +
			"b.¦M()\nb.A.M()", "Do", "type A struct{}\nfunc (A) Do() {}\ntype B struct{ *A }\n---\nb := " +
			"B{&A{}}\nb.Do()\nb.A.Do()"},
		{"a type that is embedded", "type ¦A struct{ n int }\ntype B struct{ A }\n---\nb := B{A: A{1}}\nb.A.n + b.n",
			"Base",
			"type Base struct{ n int }\ntype B struct{ Base }\n---\nb := B{Base: Base{1}}\nb.Base.n + b.n"},
		{"an interface's method and those that have it", "type S interface{ Area() float64 }\ntype Q struct{ a " +
			"float64 }\n" +
			"func (q Q) Area() float64 { return q.a * q.a }\n---\ntype O struct{}\nfunc (O) Area(int) {}\n---\n" +
			"var s S = Q{2}\ns.¦Area()\nO{}.Area(1)", "Size", "type S interface{ Size() float64 }\ntype Q struct{ a " +
			"float64 }\n" +
			"func (q Q) Size() float64 { return q.a * q.a }\n---\ntype O struct{}\nfunc (O) Area(int) {}\n---\n" +
			"var s S = Q{2}\ns.Size()\nO{}.Area(1)"},
		{"a generic function and its parameter", "func Map[¦T, U any](xs []T, f func(T) U) (ys []U) {\n\tfor _, x := " +
			"range xs " +
			"{\n\t\tys = append(ys, f(x))\n\t}\n\treturn ys\n}\ntype T int", "In",
			"func Map[In, U any](xs []In, f func(In) U) (ys []U) {\n\tfor _, x := range xs " +
				"{\n\t\tys = append(ys, f(x))\n\t}\n\treturn ys\n}\ntype T int"},
		{"a generic type's field and receiver", "type Stack[T any] struct{ list []T }\nfunc (s *Stack[T]) Push(x T) " +
			"{ s.list = " +
			"append(s.list, x) }\n---\nvar s Stack[int]\ns.Push(1)\nlen(s.¦list)", "items",
			"type Stack[T any] struct{ items []T }\nfunc (s *Stack[T]) Push(x T) { s.items = " +
				"append(s.items, x) }\n---\nvar s Stack[int]\ns.Push(1)\nlen(s.items)"},
		{"a type switch's variable", "func f(v any) string {\n\tswitch ¦x := v.(type) {\n\tcase int:\n\t\treturn " +
			"string(rune(x))\n" +
			"\tcase string:\n\t\treturn x\n\t}\n\treturn \"\"\n}", "y",
			"func f(v any) string {\n\tswitch y := v.(type) {\n\tcase int:\n\t\treturn string(rune(y))\n" +
				"\tcase string:\n\t\treturn y\n\t}\n\treturn \"\"\n}"},
		{"a label", "¦loop:\nfor {\n\tfor {\n\t\tbreak loop\n\t}\n}\nloop2 := 1", "outer",
			"outer:\nfor {\n\tfor {\n\t\tbreak outer\n\t}\n}\nloop2 := 1"},
		{"a constant of a group", "const (\n\ta = iota\n\t¦b\n)\n---\nx := [b]int{}\nb", "two",
			"const (\n\ta = iota\n\ttwo\n)\n---\nx := [two]int{}\ntwo"},
		{"an import", "import \"math/rand\"\n---\n¦rand.N(3)", "r", "import r \"math/rand\"\n---\nr.N(3)"},
		{"an import with a name", "import ¦r \"math/rand\"\nr.N(3)\n---\nr.N(3)", "rnd",
			"import rnd \"math/rand\"\nrnd.N(3)\n---\nrnd.N(3)"},
		{"letters beyond ASCII", "größe, x := 1, \"größe\" // größe\n---\nx + string(rune(¦größe))", "maß",
			"maß, x := 1, \"größe\" // größe\n---\nx + string(rune(maß))"},
		{"CRLF", "¦x := 1\r\ny := x\r\n\n---\nx", "z", "z := 1\r\ny := z\r\n\n---\nz"},
		{"behind a helper", "%time ¦x := 1\n---\n%%timeit\nx + 1", "z", "%time z := 1\n---\n%%timeit\nz + 1"},
		{"a cell that runs later", "func f() int { return g() }\n---\nfunc ¦g() int { return 1 }\nf()", "h",
			"func f() int { return h() }\n---\nfunc h() int { return 1 }\nf()"},
		{"one variable made twice", "¦x := 1\n---\nfunc f() int { return x }\n---\nx := 2\nf()", "n",
			"n := 1\n---\nfunc f() int { return n }\n---\nn := 2\nf()"},
		{"a cell with another error", "x := 1\ny := undefined + x\n---\n¦x + 1", "n",
			"n := 1\ny := undefined + n\n---\nn + 1"},
		{"a type declared again", "type T struct{ a int }\n---\ntype T struct{ ¦a, b int }\n---\nT{a: 1}", "c",
			"type T struct{ c int }\n---\ntype T struct{ c, b int }\n---\nT{c: 1}"},
		{"the same declaration twice", "func f(x int) int { return ¦x }\n---\nfunc f(x int) int { return x }", "n",
			"func f(n int) int { return n }\n---\nfunc f(x int) int { return x }"},
		{"a function in the same declaration twice", "func ¦f(x int) int { return x }\n---\nfunc f(x int) int { " +
			"return x }\nf(1)",
			"g", "func g(x int) int { return x }\n---\nfunc g(x int) int { return x }\ng(1)"},
		{"beside a dot import", "import . \"math\"\n---\n¦x := Sqrt(2)\n---\nSqrt(x)", "root",
			"import . \"math\"\n---\nroot := Sqrt(2)\n---\nSqrt(root)"},
		{"an error that is left out", "import \"strconv\"\n---\n¦n := strconv.Atoi(\"3\")\nn", "k",
			"import \"strconv\"\n---\nk := strconv.Atoi(\"3\")\nk"},
		{"a key of a map", "¦k := \"a\"\nm := map[string]int{k: 1}\nm[k]", "key",
			"key := \"a\"\nm := map[string]int{key: 1}\nm[key]"},
		{"a named result", "func f() (¦n int, err error) { n = 1; return n, nil }", "k",
			"func f() (k int, err error) { k = 1; return k, nil }"},
		{"an anonymous struct's field", "v := struct{ a, ¦b int }{a: 1, b: 2}\n---\nv.b", "c",
			"v := struct{ a, c int }{a: 1, c: 2}\n---\nv.c"},
		{"a closure's variable", "f := func() func() int { ¦i := 0; return func() int { i++; return i } }()\ni := 3",
			"n",
			"f := func() func() int { n := 0; return func() int { n++; return n } }()\ni := 3"},
	} {
		cells, cell, cursor := book(t, c.before)
		r, err := s.Rename(cells, cell, cursor, c.to)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := after(cells, r); got != c.after {
			t.Errorf("%s:\n%s\nbecame\n%s\nwant\n%s", c.name, c.before, got, c.after)
		}
	}
}

// A new name that would make the notebook mean something else is refused, with the place.
func TestRenameRefused(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ before, to, want string }{
		{"¦x := 1\n---\ny := x", "y", "x cannot be y: the name is taken in cell 2, line 1"},
		{"¦x := 1\n---\nfunc f(y int) int { return x + y }", "y", "x cannot be y: the name is taken in cell 2, line 1"},
		{"x := 1\nfunc f(¦y int) int { return x + y }", "x", "y cannot be x: the name is taken in cell 1, line 2"},
		{"¦x := 1\n---\nlen([]int{x})", "len", "x cannot be len: the name is taken in cell 2, line 1"},
		{"type T struct{ ¦a, b int }", "b", "a cannot be b"},
		{"type T int\nfunc (T) ¦A() {}\nfunc (T) B() {}", "B", "A cannot be B"},
		{"import \"io\"\ntype R struct{}\nfunc (R) ¦Read(b []byte) (int, error) { return 0, nil }\n---\nvar r " +
			"io.Reader = R{}",
			"Get", "Read cannot be Get: cell 2 would not compile any more: line 1"},
		{"¦x := 1", "2x", `"2x" is no name of Go`},
		{"¦x := 1", "a b", `"a b" has blanks`},
		{"¦x := 1", "func", "func is a word of Go's own"},
		{"import \"fmt\"\nfmt.¦Println(1)", "Say", "Println is not defined in this notebook"},
		{"¦len([]int{})", "size", "len is not defined in this notebook"},
		{"x :=¦ 1", "y", "at the cursor is no name"},
		{"x := := ¦y", "z", "this cell does not parse: mend it first (1:6: expected operand"},
		{"func ¦main() {}", "start", "Go itself calls main"},
		{"unknown.¦field", "f", "at the cursor is no name of which is known"},
	} {
		cells, cell, cursor := book(t, c.before)
		if _, err := s.Rename(cells, cell, cursor, c.to); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q to %s: %v, want %s", c.before, c.to, err, c.want)
		}
	}
	cells, cell, cursor := book(t, "import (\n\"fmt\"\n\"encoding/json\"\n)\ntype T struct{ Rate int }\nfunc (T) "+
		"¦String() string { return \"\" }\n---\n"+
		"x := := 1")
	r, err := s.Rename(cells, cell, cursor, "Text")
	if err != nil || fmt.Sprint(r.Notes) != "[Not looked at, as they do not parse: cell 2. "+
		"With this method T is a fmt.Stringer; with another name it is none.]" {
		t.Errorf("notes %q, %v", r.Notes, err)
	}
	cells, cell, cursor = book(t, "import \"encoding/json\"\ntype T struct{ ¦Rate int }")
	if r, err = s.Rename(cells, cell, cursor, "Speed"); err != nil || len(r.Notes) != 1 ||
		!strings.HasPrefix(r.Notes[0], "Packages such as encoding/json read the name") {
		t.Errorf("notes %q, %v", r.Notes, err)
	}
}

// A name leads to the place where it is defined: the one that counts there.
func TestDefinition(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		book string
		want string // cell:line:column, from 0 and 1, or what the description begins with
	}{
		{"x := 1\n---\n¦x + 1", "0:1:1"},
		{"x := 1\n---\nx := \"a\"\n---\n¦x", "1:1:1"},
		{"x := 1\n---\nx := ¦x + 1", "0:1:1"},
		{"x := 1\n---\nx := x + 1\n¦x", "1:1:1"},
		{"x := 1\nfunc f() int { return ¦x }", "0:1:1"},
		{"func f() int { return ¦g() }\n---\nfunc g() int { return 1 }", "1:1:6"},
		{"type T struct {\n\ta int\n\tbig float64 // of it\n}\n---\nT{}.¦big", "0:3:2"},
		{"type A struct{}\nfunc (A) M() {}\n---\ntype B struct{ A }\nB{}.¦M()", "0:2:10"},
		{"func f(n int) int {\n\tn++\n\treturn ¦n\n}", "0:1:8"},
		{"import r \"math/rand\"\n---\n¦r.N(3)", "0:1:8"},
		{"import \"math/rand\"\n---\n¦rand.N(3)", "0:1:8"},
		{"ä, ö := 1, 2\n---\n¦ö", "0:1:5"},
		{"%time x := 1\n---\n¦x", "0:1:7"},
		{"¦x := 1\n---\nx + x", "1:1:1"}, // the next use
		{"x := 1\n---\ny := := ¦x", "0:1:1"},
		{"import \"strings\"\nstrings.¦ToUpper(\"a\")", "func ToUpper(s string) string"},
		{"import \"¦strings\"", "package strings"},
		{"¦len(\"a\")", "func len"},
		{"import \"strings\"\nvar b strings.Builder\nb.¦WriteString(\"a\")", "func (*strings.Builder) WriteString"},
		{"1 ¦+ 2", ""},
	} {
		cells, cell, cursor := book(t, c.book)
		d := s.Definition(cells, cell, cursor)
		got := fmt.Sprintf("%d:%d:%d", d.Cell, d.Line, d.Column)
		if d.Cell < 0 {
			if got = ""; d.Card != nil {
				got = d.Card.Text
			}
		}
		if got != c.want && (c.want == "" || d.Cell >= 0 || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%q: %q, want %q", c.book, got, c.want)
		}
	}
}
