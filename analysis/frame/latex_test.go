package frame

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// setByLaTeX sets a page with pdfLaTeX and returns its text.
func setByLaTeX(t *testing.T, preamble, body string) string {
	t.Helper()
	needs := map[string]string{"pdflatex": "texlive-latex-recommended", "pdftotext": "poppler-utils"}
	for program, pack := range needs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; the package %s has it", program, pack)
		}
	}
	heavy.Skip(t, "LaTeX takes seconds")
	dir := t.TempDir()
	page := "\\documentclass{article}\n\\usepackage{booktabs}\n" + preamble + "\n\\begin{document}\n" + body +
		"\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "x.tex"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		text := string(out)
		t.Fatalf("%v: %s", err, text[max(0, strings.Index(text, "\n!")):])
	}
	text, err := exec.Command("pdftotext", "-layout", filepath.Join(dir, "x.pdf"), "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// LaTeX itself sets the table, in its old font encoding and in T1.
func TestTableByLaTeX(t *testing.T) {
	f := returns().Note("字: 100 % of \\x").With(Texts("[first]", []string{"[a]", "*b* --seed", "א 字 字 é 𝔸"}))
	f = f.Select("[first]", "system", "n", "return", "return_lo", "return_hi")
	tex, err := f.LaTeX(Caption("100 % of \"it\", a_b^c ~ {x} \\ <y> | z ± 2, Ωμ₂ ``q'' 字 e\u0301"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"% pdfLaTeX has no font for 字 (U+5B57), א (U+05D0), 𝔸 (U+1D538) and prints the numbers",
		"\n{}[a] &", "\n{}*b* -{}-seed &", `\otherletter{字}{U+5B57}`, " é}\n"} {
		if !strings.Contains(tex, want) {
			t.Errorf("the table has no %q:\n%s", want, tex)
		}
	}
	for name, preamble := range map[string]string{"OT1": "", "T1": "\\usepackage[T1]{fontenc}"} {
		text := setByLaTeX(t, preamble, tex)
		for _, want := range []string{"[a]", "*b* --seed", "[U+05D0] [U+5B57] [U+5B57]", "TCL-PEARL",
			"−21.0 [−27.8, −14.2]", "100 % of"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page has no %q:\n%s", name, want, text)
			}
		}
	}
}

// LaTeX sets every letter that is given to it as it is, and every command for others.
func TestLettersByLaTeX(t *testing.T) {
	var body strings.Builder
	for _, r := range inOT1 {
		body.WriteString(latex("x"+string(r)) + "\n")
	}
	for r := range inLaTeX {
		body.WriteString(latex("x"+string(r)) + "\n")
	}
	for r := ' '; r < 0x7F; r++ {
		body.WriteString(latex(string(r)+string(r)) + "\n")
	}
	setByLaTeX(t, "", body.String())
	for _, r := range inT1 {
		body.WriteString(string(r) + "\n")
	}
	setByLaTeX(t, "\\usepackage[T1]{fontenc}", body.String())
}

// LaTeX sets tables of any letters.
func TestAnyTableByLaTeX(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	letters := []rune("ab &%$#_{}~^\\|*[]\"'`,-<>−±…٣א字e\u0301\u200f\ufeff\u0000\u00a0😀ÿʃ\n\t\u2028")
	var body strings.Builder
	for range 60 {
		texts := make([]string, 1+r.IntN(4))
		for k := range texts {
			for range r.IntN(8) {
				texts[k] += string(letters[r.IntN(len(letters))])
			}
		}
		tex, err := New(Texts(texts[0]+" ", texts)).LaTeX()
		if err != nil {
			t.Fatal(err)
		}
		body.WriteString(tex + "\n\n")
	}
	setByLaTeX(t, "", body.String())
}
