package kernel_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// A call of a cell's top level may leave its error out: one that is there ends the cell, whatever runs it.
func TestErrorsLeftOut(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			s := e.start(t)
			kerneltest.Cells(t, s, [][2]string{
				{`import ("errors"; "fmt"; "strconv"; "strings"; "os"; "bytes")
type own struct{ n int }
func (o own) Error() string { return fmt.Sprint("own ", o.n) }
func fails() error { return own{7} }
func one(s string) (int, error) { return strconv.Atoi(s) }
func two(s string) (a, b int, err error) { a, err = one(s); return a, 2 * a, err }
func fine() error { return nil }
type box struct{ v int }
func open(s string) (*box, error) { v, err := one(s); return &box{v}, err }
func (b *box) add(s string) (*box, error) { v, err := one(s); return &box{b.v + v}, err }
func pair[T any](x T, err error) (T, T, error) { return x, x, err }
var b strings.Builder`, ""},
				{"x := one(\"4\")\nx", "4"},
				{"x = one(\"5\")\nvar y, z = two(\"3\")\nx + y + z", "14"},
				{"p, q := pair(\"s\", nil)\np + q", `"ss"`},
				{"open(\"1\").add(\"2\").add(\"3\").v", "6"},
				{"one(\"1\") + one(\"2\")*one(\"3\")", "7"},
				{"for range one(\"2\") { fmt.Print(\"r\", one(\"8\")) }", "r8r8"},
				{"fmt.Print(one(\"9\"))", "9 <nil>"}, // plain Go: it takes both
				{"[]int{one(\"1\"), one(\"2\")}", "[1 2]"},
				{"fine()", ""},
				{"two(\"5\")", "5, 10"},
				{"fails()", "Error: fails: own 7"},
				{"one(\"a\")", `Error: one: strconv.Atoi: parsing "a": invalid syntax`},
				{"fmt.Print(1)\none(\"b\")\nfmt.Print(2)", `1Error: one: strconv.Atoi: parsing "b": invalid syntax`},
				{"open(\"1\").add(\"c\").v", `Error: add: strconv.Atoi: parsing "c": invalid syntax`},
				{"if one(\"1\") == 1 { two(\"d\") }", `Error: two: strconv.Atoi: parsing "d": invalid syntax`},
				{"w := one(\"6\")\nv := one(\"e\")", `Error: one: strconv.Atoi: parsing "e": invalid syntax`},
				{"w", "6"},
				{"v", "CompileError: 1:1: undefined: v"},
				// Plain Go stays what it is.
				{"x, err := one(\"f\")\nx", "0"},
				{"err", `Error: strconv.Atoi: parsing "f": invalid syntax`},
				{"_, _ = one(\"g\")\nfunc() { fails() }()\ndefer fails()\nerrors.Join(nil) == nil", "true"},
				{"b.WriteString(\"h\")\nfmt.Fprintln(os.Stdout, b.Len())", "1\n"},
				{"f := func() int { return one(\"1\") }",
					"CompileError: 1:26: too many return values\n\thave (int, error)\n\twant (int)"},
				{"func g() { n := one(\"1\"); _ = n }",
					"CompileError: 1:17: assignment mismatch: 1 variable but one returns 2 values"},
				{"n := two(\"1\")", "CompileError: 1:6: assignment mismatch: 1 variable but two returns 3 values"},
				{"var e error\ne", ""},
				{"bytes.NewBufferString(\"a\").WriteString(\"b\")", "1"},
			})
		})
	}
}

// The message names the call and its place, also behind others on its line.
func TestPlaceOfAnErrorLeftOut(t *testing.T) {
	s := start(t)
	r, _ := execute(s, "import \"strconv\"\nx := 1\nx += strconv.Atoi(\"1\") +\n\tstrconv.Atoi(\"q\")")
	if r.Error == nil || !slices.Equal(r.Error.Positions, []kernel.Position{{Line: 4, Column: 2}}) {
		t.Fatalf("got %+v", r.Error)
	}
	text := strings.Join(r.Error.Traceback, "\n")
	for _, want := range []string{"line 4 of this cell, strconv.Atoi", "strconv.Atoi(\"q\")", "invalid syntax"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Of a long line an error shows the part around its place, with the mark below the first character of what is wrong.
func TestPlaceInALongLine(t *testing.T) {
	s := start(t)
	many := strings.Repeat("\t1 +", 100)
	words := strings.Repeat("é😀", 60)
	for code, below := range map[string]string{
		"wrong + " + many + " 1":                  "wrong",
		"x := " + many + " wrong":                 "wrong",
		"x := " + many + " wrong +" + many + " 1": "wrong",
		"x, y := 1, \"" + words + "\" + wrong":    "wrong",
		"x, y := 1, wrong + \"" + words + "\"":    "wrong",
		"\tx := \"é\" +\t\twrong":                 "wrong",
		"var é = wrong\r":                         "wrong",
		"import \"strconv\"\nx := " + many + " strconv.Atoi(\"q\") +" + many + " 1": "strconv.Atoi",
	} {
		r, _ := execute(s, code)
		if r.Error == nil {
			t.Fatalf("%q: no error", code)
		}
		lines := strings.Split(colours.ReplaceAllString(strings.Join(r.Error.Traceback, "\n"), ""), "\n")
		k := slices.IndexFunc(lines, func(s string) bool { return strings.TrimLeft(s, " ") == "^" })
		if k < 1 {
			t.Errorf("%q: no mark in\n%s", code, strings.Join(lines, "\n"))
			continue
		}
		shown, mark := []rune(lines[k-1]), len(lines[k])-1
		if len(shown) > 79 || !strings.HasPrefix(string(shown[min(mark, len(shown)):]), below) {
			t.Errorf("%q: not below %s, or too long:\n%s\n%s", code, below, lines[k-1], lines[k])
		}
	}
}

// As a program, cells do what they do in the notebook: the calls that leave errors out are wrapped.
func TestProgram(t *testing.T) {
	heavy.Skip(t, "it compiles a program")
	s := start(t)
	cells, decls := s.Program([]string{
		"import (\"fmt\"; \"strconv\")",
		"func two(s string) (a, b int, err error) { a, err = strconv.Atoi(s); return a, 2 * a, err }",
		"x := strconv.Atoi(\"4\")\ny, z := two(fmt.Sprint(strconv.Atoi(\"5\") + x)) // nine\nfmt.Println(x, y, z)",
		"nonsense(",
		"strconv.Atoi(strconv.Itoa(x) + strconv.Unquote(\"no\"))",
	})
	if r, _ := execute(s, "x"); r.Error == nil {
		t.Error("the cells ran")
	}
	main := "package main\n" + cells[0] + "\n" + decls + cells[1] + "\nfunc main() {\n" + cells[2] + "\n" +
		cells[4] + "\n}\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	run := exec.Command("go", "run", "main.go")
	run.Dir, run.Stdout, run.Stderr = dir, &stdout, &stderr
	if err := run.Run(); err == nil || stdout.String() != "4 9 18\n" {
		t.Errorf("%v, printed %q of\n%s", err, stdout.String(), main)
	}
	line := strings.Count(main[:strings.Index(main, "strconv.Unquote")], "\n") + 1
	if want := fmt.Sprintf("main.go:%d: invalid syntax\n", line); !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("ended with %q, want %q", stderr.String(), want)
	}
	if cells[3] != "nonsense(" {
		t.Errorf("a cell with an error became %q", cells[3])
	}
}
