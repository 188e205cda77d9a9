package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
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
		text, cursor := kerneltest.At(code)
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
	above := []string{"import \"strings\"\ntype Arm struct{ Name string }", "arms := []Arm{{\"a\"}}",
		"broken := arms[0].Nam\nother := 3"}
	text, cursor := kerneltest.At("arms[0].|")
	if got := kerneltest.FirstFive(s.Draft(above...).Complete(text, cursor)); len(got) != 1 || got[0] != "Name" {
		t.Errorf("below the cells: %q", got)
	}
	text, cursor = kerneltest.At("oth|")
	if got := kerneltest.FirstFive(s.Draft(above...).Complete(text, cursor)); len(got) == 0 || got[0] != "other" {
		t.Errorf("below a cell with an error: %q", got)
	}
	text, cursor = kerneltest.At("arms[0].|")
	if got := kerneltest.FirstFive(s.Draft(above[0]).Complete(text, cursor)); len(got) != 0 {
		t.Errorf("without the cell: %q", got)
	}
	if got := kerneltest.FirstFive(s.Draft().Complete(text, cursor)); len(got) != 0 {
		t.Errorf("drafts stay: %q", got)
	}
}

// What a call gives beside an error that is left out has its type.
func TestCompletionWithoutErrors(t *testing.T) {
	s := start(t)
	execute(s, "import (\"os\"; \"strings\")")
	for code, want := range map[string]string{
		"f := os.Open(\"a\")\nf.Rea|":                          "Read",
		"os.ReadFile(\"a\")[0]\nos.Open(\"a\").Stat().Na|":     "Name",
		"b := strings.ToUpper(string(os.ReadFile(\"a\")))\nb|": "b",
	} {
		text, cursor := kerneltest.At(code)
		if got := kerneltest.FirstFive(s.Draft().Complete(text, cursor)); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %s first", code, got, want)
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
		"1:7 undefined: fmt (add import \"fmt\")", "1:1 %tyme is not known", "",
		"1:3 x.y undefined (type int has no field or method y)"}
	for k, found := range list {
		got := ""
		for _, p := range found {
			got += fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Message)
		}
		if k == 6 && got != "" { // a torso has an error, whatever the parser calls it
			continue
		}
		if got != want[k] && (want[k] == "" || !strings.HasPrefix(got, want[k])) {
			t.Errorf("cell %d: %q, want %q", k, got, want[k])
		}
	}
	if p := list[4][0]; p.Import == nil || p.Import.Text != "import \"fmt\"\n" {
		t.Errorf("the import that helps: %+v", p.Import)
	}
	if r := s.Execute(t.Context(), kernel.Request{Code: "arms"}, nil); r.Error == nil ||
		!strings.Contains(r.Error.Message, "undefined: arms") {
		t.Errorf("checking has declared something: %+v", r)
	}
}
