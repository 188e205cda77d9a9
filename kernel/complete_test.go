package kernel_test

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// at splits code at the mark | that stands for the cursor.
func at(code string) (string, int) {
	before, after, _ := strings.Cut(code, "|")
	return before + after, len([]rune(before))
}

func TestComplete(t *testing.T) {
	s := start(t)
	execute(s, `import ("fmt"; "gonum.org/v1/gonum/stat"; "gorgonia.org/gorgonia")
type Robot struct { Speed float64; wheels int }
// Drive moves.
func (r *Robot) Drive(m float64) float64 { return r.Speed * m }
robots := []*Robot{{Speed: 1}}
ünï := 3`)
	for code, want := range map[string]string{
		"fmt.Prin|":                         "Printf Println Print",
		"stat.Mea|":                         "Mean MeanStdDev",
		"gorgonia.NewTape|":                 "NewTapeMachine",
		"robots[0].|":                       "Speed Drive wheels",
		"robots[0].Sp|eed":                  "Speed",
		"for _, r := range robots { r.Dr|":  "Drive",
		"import \"gonum.org/v1/gonum/sta|":  "gonum.org/v1/gonum/stat gonum.org/v1/gonum/stat/distuv gonum.org/v1/gonum/stat/distmv",
		"robo|":                             "robots Robot",
		"Rob|":                              "Robot robots",
		"ün|":                               "ünï",
		"func f(alpha int) { alp|":          "alpha",
		"local := 1\nloc|":                  "local",
		"import \"strings\"\nstrings.HasP|": "HasPrefix",
		"x := \"fmt.Pri|":                   "",
		"// fmt.Pri|":                       "",
		"fallth|":                           "fallthrough",
		"fmt.Sprint(robots[0].Dri|":         "Drive",
	} {
		text, cursor := at(code)
		c := s.Complete(context.Background(), text, cursor)
		var got []string
		for _, m := range c.Matches {
			got = append(got, m.Text)
		}
		if n := len(strings.Fields(want)); strings.Join(got[:min(n, len(got))], " ") != want || n == 0 && len(got) > 0 {
			t.Errorf("%s: %v, want %s", code, got, want)
		}
	}
	text, cursor := at("ünï + fmt.Pr|int")
	if c := s.Complete(context.Background(), text, cursor); c.Start != 10 || c.End != 15 {
		t.Errorf("code points %d to %d", c.Start, c.End)
	}
}

func TestInspect(t *testing.T) {
	s := start(t)
	execute(s, `import ("fmt"; "gonum.org/v1/gonum/mat"; "gorgonia.org/gorgonia")
// Twice doubles n.
func Twice(n int) int { return 2 * n }
x := 42
m := mat.NewDense(2, 2, nil)`)
	for code, want := range map[string][]string{
		"fmt.Print|ln(1)":  {"func Println(a ...any) (n int, err error)", "Spaces are always added between operands"},
		"fmt.Println(1, |": {"func Println(a ...any)"},
		"m.Mu|l(m, m)":     {"func (*mat.Dense) Mul(a mat.Matrix, b mat.Matrix)", "Mul"},
		"gorgonia.Gra|d":   {"func Grad(", "gorgonia"},
		"Twi|ce(2)":        {"func Twice(n int) int", "Twice doubles n."},
		"x|":               {"var x int = 42"},
		"mat|":             {"package mat"},
		"len|(x)":          {"built in"},
	} {
		text, cursor := at(code)
		r := s.Inspect(context.Background(), text, cursor, 0)
		if !r.Found {
			t.Errorf("%s: nothing found", code)
			continue
		}
		got := r.Data.MIME["text/plain"].(string)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q lacks %q", code, got, w)
			}
		}
	}
	text, cursor := at("Twi|ce")
	if r := s.Inspect(context.Background(), text, cursor, 1); !strings.Contains(r.Data.MIME["text/plain"].(string), "return 2 * n") {
		t.Errorf("source is missing: %v", r.Data.MIME["text/plain"])
	}
	if r := s.Inspect(context.Background(), "nothing_here", 3, 0); r.Found {
		t.Error("found what is not there")
	}
}

func TestIsComplete(t *testing.T) {
	s := start(t)
	for code, want := range map[string]string{
		"":                 "complete",
		"x := 1":           "complete",
		"func f() {":       "incomplete",
		"x := []int{1,\n2": "incomplete",
		"x +":              "incomplete",
		"s := `open":       "incomplete",
		"x := )":           "invalid",
		"func f() {}":      "complete",
		"for {\n}":         "complete",
		"x := := 2":        "invalid",
	} {
		if got := s.IsComplete(code); got.Status != want {
			t.Errorf("%q: %s, want %s", code, got.Status, want)
		}
	}
}

func TestVariables(t *testing.T) {
	s := start(t)
	execute(s, "type P struct{ A int }\nb := []float64{1, 2}\na := \"text\"\nc := P{3}\nfunc f() {}")
	var got []string
	for _, v := range s.Variables() {
		got = append(got, v.Name+" "+v.Type+" "+v.Value)
	}
	want := []string{`a string "text"`, "b []float64 [1 2]", "c P {A:3}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
