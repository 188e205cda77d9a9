package kernel_test

import (
	"regexp"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// A panic tells the calls that led to it, across cells, each with its cell and line.
func TestPanicsHaveStackTraces(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { stackTraces(t, e.start(t)) })
	}
}

func stackTraces(t *testing.T, s kernel.Session) {
	for _, code := range []string{
		"func at(s []int, i int) int {\n\n\treturn s[i]\n}",
		"type row struct{ s []int }\n\nfunc (r row) last() int {\n\tn := len(r.s)\n\treturn at(r.s, n)\n}",
	} {
		if r, _ := execute(s, code); r.Error != nil {
			t.Fatal(value(r))
		}
	}
	expect := func(code string, lines ...string) {
		t.Helper()
		r, _ := execute(s, code)
		if r.Error == nil || r.Error.Name != "Panic" {
			t.Fatalf("got %s", value(r))
		}
		text := colours.ReplaceAllString(strings.Join(r.Error.Traceback, "\n"), "")
		for _, line := range lines {
			if !strings.Contains(text, line) {
				t.Errorf("no %q in\n%s", line, text)
			}
		}
	}
	inner := []string{"cell [1]:3:1, in at", "   3 |  return s[i]", "cell [2]:5:1, in row.last",
		"   5 |  return at(r.s, n)"}
	expect("x := row{}\nx.last()", append(inner, "line 2 of this cell", "   2 | x.last()")...)
	if r, _ := execute(s, "y := row{}"); r.Error != nil {
		t.Fatal(value(r))
	}
	expect("y.last()", append(inner, "line 1 of this cell")...)
	expect("func outer() { func() { y.last() }() }\n\nouter()",
		append(inner, "line 1 of this cell, in outer", "line 3 of this cell")...)
	// A panic that was recovered leaves nothing behind, and is told in full, though its function is older than recover.
	r, _ := execute(s, "func safe() (x any) { defer func() { x = recover() }(); at(nil, 1); return }\nz := safe()\n"+
		"var p *row\np.s = nil")
	text := colours.ReplaceAllString(strings.Join(r.Error.Traceback, "\n"), "")
	if strings.Contains(text, "in at") || !strings.Contains(text, "line 4 of this cell") {
		t.Errorf("got\n%s", text)
	}
	kerneltest.Cells(t, s, [][2]string{{"z", "runtime error: index out of range [1] with length 0"}})
}

// At the top of a cell, and where a cell recovers, a panic says which index and how long the slice is.
func TestIndicesInPanics(t *testing.T) {
	for code, want := range map[string]string{
		"s := []int{1, 2, 3}\ni := 5\ns[i]":     "runtime error: index out of range [5] with length 3",
		"t := \"text\"\nk := 9\nt[2:k]":         "runtime error: slice bounds out of range [:9] with length 4",
		"a := [4]int{}\nj := -1\na[j]++":        "runtime error: index out of range [-1]",
		"b := make([]int, 2, 4)\nn := 5\nb[:n]": "runtime error: slice bounds out of range [:5] with capacity 4",
	} {
		r, _ := execute(startOn(t, kernel.Yaegi), code)
		if r.Error == nil || r.Error.Message != want {
			t.Errorf("%q: got %s, want %s", code, value(r), want)
		}
	}
}
