package browser

import (
	"slices"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// The formulas of a notebook are one text, as in JupyterLab: definitions hold in the cells below, equations have
// numbers that go on, and references find them wherever they are. Numbers follow cells that move, on the page and in a
// file.
func TestFormulasBelongTogether(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	text := func(id, source string) cell {
		return cell{"id": id, "cell_type": "markdown", "metadata": cell{}, "source": source}
	}
	latex := func(id, tex string) cell {
		return cell{"id": id, "cell_type": "code", "metadata": cell{}, "source": "x", "execution_count": 1,
			"outputs": []cell{{"output_type": "display_data", "metadata": cell{}, "data": cell{"text/latex": tex}}}}
	}
	nb := notebook()
	nb["cells"] = []cell{
		text("defs", `$$\newcommand{\R}{\mathbb{R}}\DeclareMathOperator{\tr}{tr}\def\half{\tfrac12}$$`),
		text("one", "By \\eqref{eq:b} and \\eqref{gone}, $x \\in \\R$:\n\n"+
			"\\begin{equation}a = \\half\\label{eq:a}\\end{equation}"),
		text("two", "\\begin{align}\nb &= \\tr c \\label{eq:b} \\\\\n c &= d \\notag\n\\end{align}\n\n"+
			"From $\\overset{\\eqref{eq:a}}{=}$ and \\ref{eq:c}."),
		latex("out", `\begin{equation}e = f\label{eq:c}\end{equation}`),
		text("far", strings.Repeat("line\n\n", 80)),
		text("fold", "# Folded"),
		text("inside", "\\begin{gather}g\\label{eq:g}\\end{gather}"),
	}
	nb["cells"].([]cell)[5]["metadata"] = cell{"heading_collapsed": true}
	nb["cells"] = append(nb["cells"].([]cell), text("links", "\\eqref{eq:g}"))
	s := newSite(t, map[string]any{"a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	said := func(id string) string {
		return eval[string](p, "[...document.querySelectorAll('[data-id="+id+"] a.equation')].map(a => a.textContent)"+
			".join(' ')")
	}
	p.await("document.querySelectorAll('.notebook .katex').length >= 7")
	if eval[bool](p, "document.querySelector('.notebook').innerHTML.includes('katex-error')") {
		t.Error("a formula is red")
	}
	if eval[bool](p, "!document.querySelector('[data-id=defs] .formula').hidden") {
		t.Error("definitions take room")
	}
	if one, two := said("one"), said("two"); one != "(2) (???)" || two != "3" {
		t.Errorf("the references say %q and %q", one, two)
	}
	if got := eval[string](p, "[...document.querySelectorAll('.notebook .formula.display:not([hidden])')].map(f => "+
		"f.querySelector('annotation').textContent.match(/\\\\tag\\{(.*?)\\}/)?.[1]).join()"); got != "1,2,3,4" {
		t.Errorf("the equations have the numbers %s", got)
	}
	p.press("Escape")
	eval[any](p, "nacre.notebook.moveTo([nacre.notebook.find('two')], 1)")
	p.await("document.querySelector('[data-id=one] a.equation').textContent === '(1)'")
	if two := said("two"); two != "3" {
		t.Errorf("after a move the reference says %q", two)
	}
	p.await("document.querySelector('[data-id=two] .katex-html a[href]')?.textContent === '(2)'")
	eval[any](p, "scrollTo(0, 0)")
	eval[any](p, "document.querySelector('[data-id=links] a.equation').click()")
	p.await("!document.querySelector('[data-id=inside]').hidden && scrollY > 500")
	file := p.exported()
	for _, want := range []string{"(1)", "(2)", "(3)", "(4)"} {
		if !strings.Contains(file, want+"</mtext>") {
			t.Errorf("the exported file has no equation %s", want)
		}
	}
	if strings.Contains(file, "\\R") && slices.Contains(strings.Fields(file), "katex-error") {
		t.Error("a formula of the exported file is red")
	}
	if !strings.Contains(file, `href="#user-content-eq%3Aa"`) || !strings.Contains(file, `id="user-content-eq:a"`) {
		t.Error("references lead nowhere in the exported file")
	}
	p.quiet()
}
