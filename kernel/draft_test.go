package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/kernel"
)

func TestCompletionImports(t *testing.T) {
	s := start(t)
	for code, want := range map[string]string{
		"strings.ToUp|": "import \"strings\"\nstrings.ToUpper",
		"import \"fmt\"\nfmt.Println(strings.ToUp|": "import \"fmt\"\nimport \"strings\"\nfmt.Println(strings.ToUpper",
		"import (\n\t\"fmt\"\n)\nstrings.ToUp|":     "import (\n\t\"strings\"\n\t\"fmt\"\n)\nstrings.ToUpper",
		"\n// A cell.\nstrco|":                      "\nimport \"strconv\"\n// A cell.\nstrconv",
		"import \"strings\"\nstrings.ToUp|":         "import \"strings\"\nstrings.ToUpper",
		"strings := 3\nstrings.To|":                 "strings := 3\nstrings.To", // a variable
	} {
		text, cursor := at(code)
		c := s.Draft().Complete(text, cursor)
		if got := taken(text, c); got != want {
			t.Errorf("%q becomes %q, want %q", code, got, want)
		}
	}
}

// taken is the text after the first match is chosen.
func taken(text string, c kernel.Completion) string {
	if len(c.Matches) == 0 {
		return text
	}
	m, r := c.Matches[0], []rune(text)
	insert := m.Insert
	if insert == "" {
		insert = m.Text
	}
	out := string(r[:c.Start]) + insert + string(r[c.End:])
	if m.Import != nil {
		out = out[:m.Import.At] + m.Import.Text + out[m.Import.At:]
	}
	return out
}

// What cells above declare is known before they run, and gone when they change.
func TestDraft(t *testing.T) {
	s := start(t)
	above := []string{"import \"strings\"\ntype Arm struct{ Name string }", "arms := []Arm{{\"a\"}}", "broken := arms[0].Nam\nother := 3"}
	text, cursor := at("arms[0].|")
	if got := firstFive(s.Draft(above...).Complete(text, cursor)); len(got) != 1 || got[0] != "Name" {
		t.Errorf("below the cells: %q", got)
	}
	text, cursor = at("oth|")
	if got := firstFive(s.Draft(above...).Complete(text, cursor)); len(got) == 0 || got[0] != "other" {
		t.Errorf("below a cell with an error: %q", got)
	}
	text, cursor = at("arms[0].|")
	if got := firstFive(s.Draft(above[0]).Complete(text, cursor)); len(got) != 0 {
		t.Errorf("without the cell: %q", got)
	}
	if got := firstFive(s.Draft().Complete(text, cursor)); len(got) != 0 {
		t.Errorf("drafts stay: %q", got)
	}
}

func TestSignature(t *testing.T) {
	s := start(t)
	execute(s, "import (\"fmt\"; \"strings\"; \"slices\")\n// Scale multiplies.\nfunc Scale(xs []float64, by float64) []float64 { return xs }\ntype P struct{}\n// Move moves.\nfunc (P) Move(x, y int) {}")
	for code, want := range map[string]string{
		"Scale(|":                                  "Scale(xs []float64, by float64) []float64 / xs []float64 / Scale multiplies.",
		"Scale([]float64{1, 2}, |":                 "Scale(xs []float64, by float64) []float64 / by float64 / Scale multiplies.",
		"fmt.Println(Scale(nil, 2), |":             "Println(a ...any) (n int, err error) / a ...any / Println formats using the default formats for its operands and writes to standard output.",
		"P{}.Move(1, |2)":                          "Move(x int, y int) / y int / Move moves.",
		"strings.Repeat(\"a, |":                    "Repeat(s string, count int) string / s string / Repeat returns a new string consisting of count copies of the string s.",
		"x := append(nil, |":                       "append(slice []T, elems ...T) / elems ...T / append adds elements to a slice and returns the longer one.",
		"f := func(a int) {}\nf(|":                 "f(a int) / a int / ",
		"slices.Contains(|":                        "Contains[S ~[]E, E comparable](s S, v E) bool / s S / Contains reports whether v is present in s.",
		"Scale(nil, 1)|":                           "",
		"x := 3|":                                  "",
		"Scale(func() []float64 { return make(|":   "make(T, size ...int) / T / make makes a slice, map or channel.",
		"Scale(func() []float64 {\n\tx := |\n}, 2": "",
	} {
		text, cursor := at(code)
		g := s.Draft().Signature(text, cursor)
		got := g.Label
		if g.Label != "" {
			p := g.Parameters[g.Active]
			got = fmt.Sprintf("%s / %s / %s", g.Label, string([]rune(g.Label)[p[0]:p[1]]), g.Doc)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	s := start(t)
	execute(s, "x := 1")
	list := s.Problems([]kernel.Source{
		{Code: "x := 1", Ran: true},
		{Code: "type Arm struct{ N int }\narms := []Arm{{x}}"},
		{Code: "total := 0\nfor _, a := range arms {\n\ttotal += a.M\n}"},
		{Code: "total + arms[0].N + y"},
		{Code: "%time fmt.Println(total)"},
		{Code: "%tyme x"},
		{Code: "if x {"},
		{Code: "x.y()"},
	})
	want := []string{"", "", "3:13 a.M undefined (type Arm has no field or method M)", "1:21 undefined: y",
		"1:7 undefined: fmt (package \"fmt\" is not imported)", "1:1 %tyme is not known; there are %time and %timeit", "", "1:3 x.y undefined (type int has no field or method y)"}
	for k, found := range list {
		got := ""
		for _, p := range found {
			got += fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Message)
		}
		if k == 6 && got != "" { // a torso has an error, whatever the parser calls it
			continue
		}
		if got != want[k] {
			t.Errorf("cell %d: %q, want %q", k, got, want[k])
		}
	}
	if p := list[4][0]; p.Import == nil || p.Import.Text != "import \"fmt\"\n" {
		t.Errorf("the import that helps: %+v", p.Import)
	}
	if r := s.Execute(t.Context(), kernel.Request{Code: "arms"}, nil); r.Error == nil || !strings.Contains(r.Error.Message, "undefined: arms") {
		t.Errorf("checking has declared something: %+v", r)
	}
}

func TestSearch(t *testing.T) {
	s := start(t)
	for words, want := range map[string]string{
		"nacre/tsne":             "nacre/tsne .",
		"newdense":               "gonum.org/v1/gonum/mat NewDense",
		"strings.repeat":         "strings Repeat",
		"builder writestring":    "strings Builder.WriteString",
		"perplexity":             "nacre/tsne ",
		"no such thing anywhere": "",
	} {
		got := ""
		if list := s.Search(words, 5); len(list) > 0 {
			got = list[0].Path + " " + list[0].Name
		}
		if !strings.HasPrefix(got, strings.TrimSuffix(want, ".")) || want == "" && got != "" {
			t.Errorf("%s finds %q first, want %q", words, got, want)
		}
	}
	if list := s.Search("strings.repeat", 1); list[0].Snippet != "strings.Repeat(${s}, ${count})" {
		t.Errorf("the snippet is %q", list[0].Snippet)
	}
}

func TestFieldDocumentation(t *testing.T) {
	s := start(t)
	execute(s, "// Arm is one.\ntype Arm struct {\n\t// Name is shown.\n\tName string\n\tSeed int // of its run\n}\narm := Arm{}")
	for code, want := range map[string]string{
		"arm.Na|me":                  "Name is shown.",
		"arm.Seed|":                  "of its run",
		"Arm{Se|ed: 1}":              "of its run",
		"Ar|m":                       "Arm is one.",
		"strings.Builder{}.WriteSt|": "",
		"os.ReadFi|le":               "ReadFile reads the named file",
	} {
		text, cursor := at(code)
		r := s.Draft().Inspect(text, cursor, 0)
		got, _ := r.Data.MIME["text/plain"].(string)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
