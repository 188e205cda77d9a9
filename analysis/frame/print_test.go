package frame

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func returns() *Frame {
	nan := math.NaN()
	return New(Texts("system", []string{"PEARL", "TCL-PEARL", "random_1 & co"}),
		Numbers("n", []float64{10, 10, 1}),
		Numbers("return", []float64{-21, -9.4567, -100}),
		Numbers("return_lo", []float64{-27.8, -12.25, nan}),
		Numbers("return_hi", []float64{-14.2, -6.6634, nan}),
		Numbers("accuracy", []float64{0.5, 0.98765, nan})).Note("2 runs are left out")
}

func TestLaTeXTable(t *testing.T) {
	got, err := returns().LaTeX(Caption("Returns & accuracy"))
	if err != nil {
		t.Fatal(err)
	}
	want := `% 2 runs are left out
% needs \usepackage{booktabs}
\begin{table}
\centering
\caption{Returns \& accuracy}
\begin{tabular}{lrr@{ }r@{ }rr}
\toprule
system & \multicolumn{1}{r}{n} & \multicolumn{3}{c}{return} & \multicolumn{1}{r}{accuracy} \\
\midrule
PEARL & 10 & $-$21.0 & [$-$27.8, & $-$14.2] & 0.5000 \\
TCL-PEARL & 10 & $-$9.5 & [$-$12.2, & $-$6.7] & 0.9877 \\
random\_1 \& co & 1 & $-$100.0 &  &  & -- \\
\bottomrule
\end{tabular}
\end{table}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlusMinusAndMarkdown(t *testing.T) {
	got, err := returns().Select("system", "return", "return_lo", "return_hi").Markdown(PlusMinus(), Decimals(1))
	if err != nil {
		t.Fatal(err)
	}
	want := `| system         |       return |
| -------------- | -----------: |
| PEARL          |  −21.0 ± 6.8 |
| TCL-PEARL      |   −9.5 ± 2.8 |
| random\_1 & co | −100.0       |

2 runs are left out
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	steady := New(Numbers("r", []float64{-179, -90}), Numbers("r_lo", []float64{-210, -94}),
		Numbers("r_hi", []float64{-148, -86}))
	tex, err := steady.LaTeX(PlusMinus())
	if want := "\\begin{tabular}{r@{ }r@{ }r}\n"; err != nil || !strings.Contains(tex, want) ||
		!strings.Contains(tex, "\n$-$90 & $\\pm$ & 4 \\\\\n") {
		t.Errorf("%v: %s", err, tex)
	}
	uneven := New(Numbers("r", []float64{1}), Numbers("r_lo", []float64{0}), Numbers("r_hi", []float64{5}))
	if _, err := uneven.LaTeX(PlusMinus()); err == nil || !strings.Contains(err.Error(),
		`row 0 (counted from 0) of column "r" is 1 with [0, 5], which is not symmetric`) {
		t.Error(err)
	}
}

func TestSaveTables(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"x.tex": `\toprule`, "x.md": "| --: |", "x.csv": "return_lo"} {
		path := filepath.Join(dir, name)
		f := returns()
		if name == "x.md" {
			f = f.Select("n")
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v: %s", name, err, data)
		}
	}
	for want, err := range map[string]error{
		`must end in .csv, .parquet, .tex or .md`: returns().Save(filepath.Join(dir, "x.pdf")),
		"options are for .tex and .md":            returns().Save(filepath.Join(dir, "y.csv"), Decimals(2)),
		"16 decimals; expected 0 to 15":           returns().Save(filepath.Join(dir, "y.tex"), Decimals(16)),
		"no columns to print":                     New().Save(filepath.Join(dir, "y.tex")),
		"no column":                               returns().Select("foo").Save(filepath.Join(dir, "y.tex")),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; expected %q", err, want)
		}
	}
}

// A frame in a Parquet file is read again as it was.
func TestSaveParquet(t *testing.T) {
	f := New(Texts("name", []string{"é", ""}), Numbers("return", []float64{-0.25, math.NaN()}),
		Numbers("steps", []float64{1 << 40, 3}))
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil || !slices.Equal(got.Names(), f.Names()) {
		t.Fatalf("%v, %v", got.Names(), err)
	}
	for _, name := range f.Names() {
		want, _ := f.Texts(name)
		if texts, err := got.Texts(name); err != nil || !slices.Equal(texts, want) {
			t.Errorf("%s: %q, %v; want %q", name, texts, err, want)
		}
	}
	if err := New().Save(path); err == nil || !strings.Contains(err.Error(), "no columns") {
		t.Errorf("a frame without columns: %v", err)
	}
}

// Tables of any texts and numbers have one cell for each column in each row, and decimals stand below each other.
func TestPrintedTablesOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := []rune(`ab &%$#_{}~^\|*"<>−±…٣א字` + "\n\t`")
	number := func() float64 {
		switch r.IntN(8) {
		case 0:
			return math.NaN()
		case 1:
			return 0
		case 2:
			return float64(r.IntN(2000) - 1000)
		}
		return r.NormFloat64() * math.Pow(10, float64(r.IntN(9)-4))
	}
	cell := regexp.MustCompile(`(?:^|[^\\])&`)
	for range 300 {
		n := r.IntN(6)
		var texts []string
		var v, lo, hi, w []float64
		for range n {
			text := make([]rune, r.IntN(12))
			for k := range text {
				text[k] = letters[r.IntN(len(letters))]
			}
			texts = append(texts, string(text))
			x, d := number(), math.Abs(number())
			v, lo, hi, w = append(v, x), append(lo, x-d), append(hi, x+d), append(w, number())
		}
		f := New(Texts("a & b", texts), Numbers("v", v), Numbers("v_lo", lo), Numbers("v_hi", hi), Numbers("w", w))
		tex, err := f.LaTeX()
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(tex, "\\midrule\n")
		body, _, _ = strings.Cut(body, "\\bottomrule")
		lines := strings.Split(strings.TrimSpace(body), "\n")
		if n == 0 {
			lines = nil
		}
		if len(lines) != n {
			t.Fatalf("%d lines for %d rows:\n%s", len(lines), n, tex)
		}
		for _, line := range lines {
			if got := len(cell.FindAllString(line, -1)); got != 4 || !strings.HasSuffix(line, `\\`) {
				t.Errorf("%d separators in %q", got, line)
			}
		}
		text, err := f.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		for k, line := range strings.Split(strings.TrimSpace(text), "\n") {
			if got := strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|"); got != 4 {
				t.Errorf("line %d of Markdown has %d bars: %q", k, got, line)
			}
		}
	}
}
