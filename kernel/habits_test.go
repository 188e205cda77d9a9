package kernel_test

import (
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// What users of Python, IPython and GoNB type is answered by what to type here, at its line.
func TestHabits(t *testing.T) {
	for code, want := range map[string]string{
		"!ls":                             "cells of this kernel run no commands",
		"!pip install numpy":              "%get MODULE@VERSION",
		"!*go get golang.org/x/exp":       "%get golang.org/x/exp@VERSION",
		"%%\n1 + 1":                       "%% is not needed",
		"x := 1\n%%\nx":                   "%% is not needed",
		"x := 1\n%timeit x":               "%timeit stands in the first line",
		"%matplotlib inline":              "remove this line",
		"%%bash\nls":                      "lines := !ls keeps what it prints",
		"%%writefile a.txt\nhi":           "os.WriteFile(",
		"%%capture out\nprintln(1)":       "without a name it is dropped",
		"%%capture a b\nprintln(1)":       "%%capture a b: expected the name of a variable",
		"%cd /tmp":                        "os.Chdir(",
		"%pip install x":                  "%get MODULE@VERSION",
		"%who":                            "lists the variables",
		"%env A=1":                        "os.Setenv(",
		"%goflags -cover":                 "--engine",
		"strings.ToUpper?":                "Shift-Tab",
		"?strings.ToUpper":                "Shift-Tab",
		"for i in range(10):\n\tprint(i)": "for i := range 10 { … }",
		"for i in range(1, n):\n\tx":      "for i := 1; i < n; i++ { … }",
		"for x in xs:\n    y = x":         "for _, x := range xs { … }",
		"for k, v in d.items():\n    k":   "for k, v := range d { … }",
		"for i, x in enumerate(xs):\n i":  "for i, x := range xs { … }",
		"while True:\n    x()":            "for { … }",
		"while x < 3:\n    x += 1":        "for x < 3 { … }",
		"x := 3\nif x > 2:\n    print(x)": "if x > 2 { … }",
		"def f(x):\n    return x":         "func f(x float64) float64",
		"class A:\n    pass":              "type A struct",
		"try:\n    f()\nexcept E:\n    g": "if err != nil",
		"with open(\"f\") as h:\n    h":   "h := os.Open(\"f\")",
		"import numpy as np":              "gonum.org/v1/gonum/mat",
		"import \"pandas\"":               "nacre/analysis/frame",
		"from math import sqrt":           `import "math"`,
		"import math":                     `import "math"`,
		"x = [1, 2, 3]":                   "x := []int{…}",
		"x = [1.5, 2]":                    "x := []float64{…}",
		"x = [\"a\"]":                     "x := []string{…}",
		"d = {\"a\": 1}":                  "d := map[string]int{…}",
		"f := lambda x: x + 1":            "func(x float64) float64 { return x + 1 }",
		"x := None":                       "None is nil",
		"x := True":                       "true and false",
		"x := 'text'":                     `double quotes`,
		"# a comment":                     "begins with //",
		"x := 2\ny := x ** 3":             "math.Pow(x, 3)",
		"x := 1\nx is None":               "x == nil",
		"b := true\nc := not b":           "!b",
		"b := true\nc := b and b":         "&&",
		"xs := []int{1}\nxs[-1]":          "xs[len(xs)-1]",
		"xs := []int{1}\nxs.append(2)":    "xs = append(xs, 2)",
		"n := 1\ns := f\"n = {n}\"":       "fmt.Sprintf(",
		"x := 1\ns := str(x)":             "fmt.Sprint(x)",
		"name := input(\"who?\")":         "display.Input",
		"assert 1 == 1":                   "panic(",
		"raise ValueError(\"x\")":         "fmt.Errorf(",
		"\"\"\"text\"\"\"":                "back quotes",
	} {
		r, _ := execute(start(t), code)
		if r.Error == nil || r.Error.Name != "CompileError" || !strings.Contains(r.Error.Message, want) ||
			strings.Contains(r.Error.Message, "\n") {
			t.Errorf("%q: got %s, want one line with %q", code, value(r), want)
		}
	}
	kerneltest.Cells(t, start(t), [][2]string{ // what is Go stays Go
		{"x := []int{1, 2}\nfor i := range x { println(i) }\nlen(x)", "2"},
		{"type lambda struct{ self int }\nself := lambda{1}\nself.self", "1"},
		{"s := \"this and that\" + other // not None", "CompileError: 1:24: undefined: other"},
		{"for i := range (n) {}", "CompileError: 1:17: undefined: n"},
		{"y = 1", "CompileError: 1:1: undefined: y"},
	})
}

// A name that is not defined has its cell named, or its package.
func TestUndefinedNamesTheCell(t *testing.T) {
	s := start(t)
	p := newPage(t, s, "import tab \"time\"\nlab := 3", "func half() int { return lab / 2 }", "half()",
		"panic(1)\nlate := 2")
	run := func(k int) string {
		s.Stale(p.cells)
		c := p.cells[k-1]
		r := s.Execute(t.Context(), kernel.Request{Code: c.Code, CellID: c.ID}, &kerneltest.Output{})
		return value(r)
	}
	for _, step := range []struct {
		cell int
		want string
	}{
		{3, `undefined: half (the cell with "func half() int { return lab / 2 }" has not run: run it first)`},
		{2, `undefined: lab (the cell with "lab := 3" has not run: run it first)`},
		{1, ""}, {2, ""}, {3, "1"}, {4, "Panic: 1"},
	} {
		if got := run(step.cell); !strings.Contains(got, step.want) {
			t.Errorf("cell %d: got %s, want %s", step.cell, got, step.want)
		}
	}
	for code, want := range map[string]string{
		"late":                 `undefined: late (the cell with "late := 2" did not run to there: run it again)`,
		"fmt.Println(1)":       `1:1: undefined: fmt (add import "fmt")`,
		"x := strings.Fields":  `undefined: strings (add import "strings")`,
		"rand.N(3)":            `undefined: rand (add import "math/rand")`,
		"nothing_has_the_name": "1:1: undefined: nothing_has_the_name",
	} {
		if r, _ := execute(s, code); r.Error == nil || !strings.HasSuffix(r.Error.Message, want) {
			t.Errorf("%s: got %s, want %s", code, value(r), want)
		}
	}
}

// A cell that reads what no cell defines any more is stale until one does.
func TestStaleWithoutDefinition(t *testing.T) {
	p := newPage(t, start(t), "a := 1", "b := a + 1", "b * 2", "func f() int { return 1 }", "f()")
	p.run()
	p.run()
	p.is("", "when all ran twice")
	first := p.cells[0]
	p.cells = p.cells[1:]
	p.is("1 a; 2 b", "when a's cell is deleted")
	p.run(1)
	p.is("1 a; 2 b", "when b's cell ran again")
	p.cells = append([]kernel.Source{first}, p.cells...)
	p.is("3 b", "when a's cell is back")
	p.run(2, 3)
	p.is("", "when all is there")
	p.cells[0].Code = "aa := 1"
	p.is("1 edited; 2 a; 3 b", "when a is renamed")
	p.run(1)
	p.is("2 a; 3 b", "when the renamed one ran")
	p.cells[3].Code = "func g() int { return 1 }"
	p.run(4)
	p.is("2 a; 3 b; 5 f", "when f is renamed")
	p.cells[0].Code = "a := := 1"
	p.s.Execute(t.Context(), kernel.Request{Code: p.cells[0].Code, CellID: p.cells[0].ID}, &kerneltest.Output{})
	p.cells[0].Code, p.cells[3].Code = "a := 3", "func f() int { return 2 }"
	p.run(1, 2, 3, 4, 5)
	p.is("", "when both are back")
}
