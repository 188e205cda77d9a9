package notebooks_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// page is a page of two columns, as wide as ICML's, with what the cells of testdata/paper.ipynb write.
const page = `\documentclass[twocolumn]{article}
\usepackage[paperwidth=8.5in,paperheight=11in,textwidth=6.75in,textheight=9in,columnsep=0.25in]{geometry}
\usepackage{booktabs,graphicx}
\begin{document}
\section{Results}
Figures \ref{curve} to \ref{scatter} and the tables come from cells of one notebook.
%s
\input{returns.tex}
\input{trajectories.tex}
\end{document}
`

// program runs one of the programs that the test cannot do without, or skips.
func program(t *testing.T, dir, name, pack string, arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed; the package %s has it", name, pack)
	}
	cmd := exec.Command(name, arguments...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// Four figures and two tables go straight from a notebook's cells onto a page of two columns. Measured in its PDF:
// figures are as wide as a column, their text has 8 points in an embedded font and is text, nothing runs out.
func TestPaperFromCells(t *testing.T) {
	heavy.Skip(t, "runs a notebook and LaTeX")
	program(t, ".", "pdflatex", "texlive-latex-recommended", "-version")
	dir := t.TempDir()
	run(t, "testdata/paper.ipynb", "folder="+dir)
	var figures strings.Builder
	for _, name := range []string{"curve", "box", "heat", "scatter"} {
		fmt.Fprintf(&figures, "\\begin{figure}\n\\includegraphics{%[1]s.pdf}\n\\caption{The %[1]s.}\\label{%[1]s}\n"+
			"\\end{figure}\n", name)
		if info := program(t, dir, "pdfinfo", "poppler-utils", name+".pdf"); !strings.Contains(info, "  234 x ") {
			t.Errorf("%s.pdf is not 234 points wide: %s", name, info)
		}
	}
	whole := fmt.Appendf(nil, page, figures.String())
	if err := os.WriteFile(filepath.Join(dir, "page.tex"), whole, 0o644); err != nil {
		t.Fatal(err)
	}
	var log string
	for range 2 {
		log = program(t, dir, "pdflatex", "texlive-latex-recommended", "-interaction=nonstopmode", "-halt-on-error",
			"page.tex")
	}
	for _, bad := range []string{"Overfull", "Undefined", "undefined"} {
		if strings.Contains(log, bad) {
			t.Errorf("LaTeX says %q: %s", bad, log)
		}
	}
	fonts := strings.Split(strings.TrimSpace(program(t, dir, "pdffonts", "poppler-utils", "page.pdf")), "\n")[2:]
	embedded := regexp.MustCompile(` yes +(yes|no) +(yes|no) +\d+ +\d+$`)
	ours := 0
	for _, font := range fonts {
		fields := strings.Fields(font)
		if !embedded.MatchString(font) || strings.Contains(font, "Type 3") {
			t.Errorf("a font is not embedded, or a picture: %s", font)
		}
		if strings.Contains(fields[0], "liberation") {
			ours++
		}
	}
	if ours == 0 {
		t.Errorf("no font of the figures is among %q", fonts)
	}
	measureText(t, dir)
}

// measureText checks the sizes of the figures' text in page.pdf.
func measureText(t *testing.T, dir string) {
	t.Helper()
	xml := program(t, dir, "pdftohtml", "poppler-utils", "-xml", "-stdout", "-i", "-zoom", "1", "-fontfullname",
		"page.pdf")
	sizes := map[string]int{}
	specs := regexp.MustCompile(`<fontspec [^>]*size="(\d+)" family="([^"]*)"`)
	for _, m := range specs.FindAllStringSubmatch(xml, -1) {
		if strings.Contains(strings.ToLower(m[2]), "liberation") {
			sizes[m[1]]++
		}
	}
	if len(sizes) != 1 || sizes["8"] == 0 {
		t.Errorf("fonts of figures by their size in points: %v; expected 8 alone", sizes)
	}
	text := program(t, dir, "pdftotext", "poppler-utils", "-layout", "page.pdf", "-")
	for _, want := range []string{"environment steps", "trajectory", "TCL-PEARL", "±", "["} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no text %q: %s", want, text)
		}
	}
	words := regexp.MustCompile(`<word xMin="([\d.]+)"[^>]*xMax="([\d.]+)"`)
	boxes := program(t, dir, "pdftotext", "poppler-utils", "-bbox", "page.pdf", "-")
	for _, m := range words.FindAllStringSubmatch(boxes, -1) {
		var lo, hi float64
		_, _ = fmt.Sscan(m[1], &lo)
		_, _ = fmt.Sscan(m[2], &hi)
		if lo < 63-1 || hi > 612-63+1 { // margins of 0.875 in
			t.Errorf("a word reaches from %v to %v, beyond the text's 63 to 549 points", lo, hi)
		}
	}
	if keep := os.Getenv("NACRE_KEEP"); keep != "" {
		data, _ := os.ReadFile(filepath.Join(dir, "page.pdf"))
		_ = os.WriteFile(keep, data, 0o644)
	}
}
