package browser

import (
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// What GitHub shows of Markdown, the page shows too: footnotes, callouts, tasks, Mermaid's diagrams. The library that
// draws them comes only to a notebook that has one.
func TestMarkdownAsOnGitHub(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	text := func(id, source string) cell {
		return cell{"id": id, "cell_type": "markdown", "metadata": cell{}, "source": source}
	}
	plain, nb := notebook(), notebook()
	plain["cells"] = []cell{
		text("f", "One[^1], two[^two], one again[^1].\n\n[^1]: First.\n[^two]: Second, with $x^2$.\n"),
		text("g", "Another[^1].\n\n[^1]: Of another cell.\n"),
		text("c", "> [!WARNING]\n> Hot.\n\n> [!note] no\n\n> [!TIP]\n>\n> - a list\n"),
		text("far", strings.Repeat("line\n\n", 80)),
	}
	nb["cells"] = []cell{
		text("d", "```mermaid\nflowchart LR\n A[Task] --> B[Encoder]\n```\n"),
		text("bad", "```mermaid\nflowchart LR\n A[ -->\n```\n"),
		text("other", "```text\nflowchart LR\n```\n"),
	}
	s := newSite(t, map[string]any{"plain.ipynb": plain, "a.ipynb": nb})
	p := s.open("/notebooks/plain.ipynb")
	if got := eval[string](p, "[...document.querySelectorAll('.footnote-ref')].map(e => e.textContent).join()"); got !=
		"1,2,1,1" {
		t.Errorf("the notes have the numbers %s", got)
	}
	eval[any](p, "scrollTo(0, 0)")
	eval[any](p, "document.querySelector('[data-id=g] .footnote-ref a').click()")
	if got := eval[string](p, "document.querySelector('[data-id=g] .footnotes li').innerText"); !strings.HasPrefix(got,
		"Of another cell.") {
		t.Errorf("the other cell's note is %q", got)
	}
	to := "document.querySelector('[data-id=g] .footnote-ref a').getAttribute('href').slice(1)"
	if !eval[bool](p, "document.getElementById('user-content-' + "+to+").closest('[data-id=g]') !== null") {
		t.Error("a note of one cell leads to another cell")
	}
	if got := eval[string](p, "[...document.querySelectorAll('[data-id=c] blockquote')].map(q => "+
		"(q.dataset.kind ?? '') + ':' + q.innerText.replace(/\\s+/g, ' ')).join('|')"); got !=
		"warning:Warning Hot.|:[!note] no|tip:Tip a list" {
		t.Errorf("callouts: %q", got)
	}
	scripts := "performance.getEntriesByType('resource').filter(e => e.name.endsWith('.js')).length"
	before := eval[int](p, scripts)
	p.quiet()
	q := s.open("/notebooks/a.ipynb")
	q.await("document.querySelector('[data-id=d] figure img')?.naturalWidth > 50")
	q.await("document.querySelector('[data-id=bad] figure .note')")
	if after := eval[int](q, scripts); after <= before {
		t.Errorf("%d scripts with a diagram, %d without", after, before)
	}
	if got := eval[string](q, "document.querySelector('[data-id=bad] figure').innerText"); !strings.HasPrefix(got,
		"This diagram cannot be shown: Parse error") || !strings.Contains(got, "A[ -->") {
		t.Errorf("of a diagram that is wrong it says %q", got)
	}
	if eval[bool](q, "document.querySelector('[data-id=other] figure') !== null") {
		t.Error("a listing of another kind became a diagram")
	}
	light := eval[string](q, "document.querySelector('[data-id=d] img').src")
	eval[any](q, "document.documentElement.dataset.theme = 'dark'; document.dispatchEvent(new Event('nacre:theme')); "+
		"null")
	q.await("document.querySelector('[data-id=d] img').src !== " + "`" + light + "`")
	if file := q.exported(); !strings.Contains(file, "data:image/svg+xml") || strings.Contains(file, "data-source") {
		t.Error("the exported file has no picture of the diagram")
	}
	q.quiet()
}

// A diagram, or a formula, of somebody else's runs nothing, calls nobody and changes nothing outside its place.
func TestHostileDiagrams(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	url, calls, last := beacon(t)
	nb := notebook("print x")
	for _, source := range withBeacon([]string{
		"flowchart LR\n A[\"<img src=x onerror=window.pwned=1>\"] --> B[\"<script>window.pwned=1</script>\"]",
		"flowchart LR\n A --> B\n click A \"javascript:window.pwned=1\"\n click B call alert(1)",
		"%%{init: {\"securityLevel\": \"loose\", \"htmlLabels\": true}}%%\nflowchart LR\n A[\"<img src='B/loose.png' " +
			"onerror='window.pwned=1'>\"]",
		"%%{init: {\"themeCSS\": \"} .top { display: none } @import url(B/theme.css); * {\"}}%%\nflowchart LR\n A",
		"%%{init: {\"fontFamily\": \"x; } .top { display: none } a {\"}}%%\nflowchart LR\n A",
		"---\nconfig:\n  securityLevel: loose\n---\nflowchart LR\n A@{ img: \"B/shape.png\", label: \"x\" }",
		"sequenceDiagram\n A->>B: <svg onload=window.pwned=1>",
		"flowchart LR\n" + strings.Repeat(" A --> B\n", 5000),
	}, url) {
		nb["cells"] = append(nb["cells"].([]cell), cell{"id": "m" + string(rune('a'+len(nb["cells"].([]cell)))),
			"cell_type": "markdown", "metadata": cell{}, "source": "```mermaid\n" + source + "\n```\n"})
	}
	nb["cells"] = append(nb["cells"].([]cell), cell{"id": "tex", "cell_type": "markdown", "metadata": cell{},
		"source": `$\href{#x" onclick="window.pwned=1}{a} \htmlClass{top}{b} \htmlStyle{position:fixed}{c}` +
			`\href{` + url +
			`/x}{d}$ $$e\label{" onmouseover="window.pwned=1}$$ \eqref{" onmouseover="window.pwned=1}`})
	s := newSite(t, map[string]any{"a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	p.await("[...document.querySelectorAll('figure.diagram')].length === 8 && " +
		"[...document.querySelectorAll('figure.diagram')].every(f => f.querySelector('img, .note'))")
	calm(t, p, calls, last, "diagrams")
	if eval[bool](p, "document.querySelector('[data-id=tex] [style*=fixed], [data-id=tex] [onclick], [data-id=tex] "+
		"[onmouseover], [data-id=tex] a[href^=http]') !== null") {
		t.Error("a formula has what it must not have")
	}
}
