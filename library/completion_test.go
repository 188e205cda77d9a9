package library_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/kernel/kerneltest"
)

func TestComplete(t *testing.T) {
	s := start(t)
	execute(s, `import ("fmt"; "gonum.org/v1/gonum/stat"; "gorgonia.org/gorgonia")
type Robot struct { Speed float64; wheels int }
// Drive moves.
func (r *Robot) Drive(m float64) float64 { return r.Speed * m }
robots := []*Robot{{Speed: 1}}
ünï := 3`)
	for code, want := range map[string]string{
		"fmt.Prin|":                        "Printf Println Print",
		"stat.Mea|":                        "Mean MeanStdDev",
		"gorgonia.NewTape|":                "NewTapeMachine",
		"robots[0].|":                      "Speed Drive wheels",
		"robots[0].Sp|eed":                 "Speed",
		"for _, r := range robots { r.Dr|": "Drive",
		"import \"gonum.org/v1/gonum/sta|": "gonum.org/v1/gonum/stat gonum.org/v1/gonum/stat/distuv " +
			"gonum.org/v1/gonum/stat/distmv",
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
		text, cursor := kerneltest.At(code)
		c := s.Complete(context.Background(), text, cursor)
		var got []string
		for _, m := range c.Matches {
			got = append(got, m.Text)
		}
		if n := len(strings.Fields(want)); strings.Join(got[:min(n, len(got))], " ") != want || n == 0 && len(got) > 0 {
			t.Errorf("%s: %v, want %s", code, got, want)
		}
	}
	text, cursor := kerneltest.At("ünï + fmt.Pr|int")
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
		text, cursor := kerneltest.At(code)
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
	text, cursor := kerneltest.At("Twi|ce")
	if r := s.Inspect(context.Background(), text, cursor, 1); !strings.Contains(r.Data.MIME["text/plain"].(string),
		"return 2 * n") {
		t.Errorf("source is missing: %v", r.Data.MIME["text/plain"])
	}
	if r := s.Inspect(context.Background(), "nothing_here", 3, 0); r.Found {
		t.Error("found what is not there")
	}
}

func TestSignature(t *testing.T) {
	s := start(t)
	execute(s, "import (\"fmt\"; \"strings\"; \"slices\")\n// Scale multiplies.\nfunc Scale(xs []float64, by "+
		"float64) []float64 { return xs }\ntype P struct{}\n// Move moves.\nfunc (P) Move(x, y int) {}")
	for code, want := range map[string]string{
		"Scale(|": "Scale(xs []float64, by float64) []float64 / xs []float64 / " +
			"Scale multiplies.",
		"Scale([]float64{1, 2}, |": "Scale(xs []float64, by float64) []float64 / by float64 / Scale " +
			"multiplies.",
		"fmt.Println(Scale(nil, 2), |": "Println(a ...any) (n int, err error) / a ...any / Println formats using the " +
			"default formats for its operands and writes to standard output.",
		"P{}.Move(1, |2)": "Move(x int, y int) / y int / Move moves.",
		"strings.Repeat(\"a, |": "Repeat(s string, count int) string / s string / Repeat returns a new string " +
			"consisting of count copies of the string s.",
		"x := append(nil, |": "append(slice []T, elems ...T) / elems ...T / append adds " +
			"elements to a slice and returns the longer one.",
		"f := func(a int) {}\nf(|": "f(a int) / a int / ",
		"slices.Contains(|": "Contains[S ~[]E, E comparable](s S, v E) bool / s S / Contains " +
			"reports whether v is present in s.",
		"Scale(nil, 1)|":                           "",
		"x := 3|":                                  "",
		"Scale(func() []float64 { return make(|":   "make(T, size ...int) / T / make makes a slice, map or channel.",
		"Scale(func() []float64 {\n\tx := |\n}, 2": "",
	} {
		text, cursor := kerneltest.At(code)
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
	execute(s, "// Arm is one.\ntype Arm struct {\n\t// Name is shown.\n\tName string\n\tSeed int // of its run\n}\n"+
		"arm := Arm{}")
	for code, want := range map[string]string{
		"arm.Na|me":                  "Name is shown.",
		"arm.Seed|":                  "of its run",
		"Arm{Se|ed: 1}":              "of its run",
		"Ar|m":                       "Arm is one.",
		"strings.Builder{}.WriteSt|": "",
		"os.ReadFi|le":               "ReadFile reads the named file",
	} {
		text, cursor := kerneltest.At(code)
		r := s.Draft().Inspect(text, cursor, 0)
		got, _ := r.Data.MIME["text/plain"].(string)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// The entry that is wanted is among the first five.
func TestPositions(t *testing.T) {
	s := start(t)
	for _, c := range kerneltest.PositionCells {
		if reply, _ := execute(s, c); reply.Error != nil {
			t.Fatal(reply.Error.Message)
		}
	}
	for name, list := range map[string][]kerneltest.Position{"script": kerneltest.Positions,
		"fresh": kerneltest.FreshPositions, "later": kerneltest.LaterPositions} {
		found, began := 0, time.Now()
		for _, p := range list {
			text, cursor := kerneltest.At(p.Code)
			first := kerneltest.FirstFive(s.Draft().Complete(text, cursor))
			if slices.Contains(first, p.Want) {
				found++
			} else {
				t.Logf("%s: %q is not among the first of %q", name, p.Want, p.Code)
				t.Logf("\t%q", first)
			}
		}
		t.Logf("%s: %d of %d, %v each", name, found, len(list),
			(time.Since(began) / time.Duration(len(list))).Round(10*time.Microsecond))
		if found < len(list)*11/12 {
			t.Errorf("%s: %d of %d positions have their entry among the first five, want 55 of 60", name,
				found, len(list))
		}
	}
}
