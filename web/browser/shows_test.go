package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// What files of other programs hold is shown: pictures of a cell, links within a page, boxes of tasks, formulas that
// use what earlier ones define, streams with carriage returns and with a first empty line.
func TestPageShowsWhatTheFileHas(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	text := func(id, source string) cell {
		return cell{"id": id, "cell_type": "markdown", "metadata": cell{}, "source": source}
	}
	pixel := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
	pictures := text("p", "![a](attachment:a.png) <img src=\"attachment:b%20c.svg\"> ![gone](attachment:gone.png)")
	pictures["attachments"] = cell{"a.png": cell{"image/png": pixel + "\n"},
		"b c.svg": cell{"image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>`}}
	out := func(id, text string) cell {
		return cell{"id": id, "cell_type": "code", "metadata": cell{}, "source": "", "execution_count": 1,
			"outputs": []cell{{"output_type": "stream", "name": "stdout", "text": text}}}
	}
	nb := notebook()
	nb["cells"] = []cell{pictures,
		text("l", "[1](#Data-and-Setup) [2](#data-and-setup) [3](#own) [4](#Caf%C3%A9) <a href=\"#named\">5</a> "+
			"[6](#setup-1) [7](#nothing) [8](other.ipynb#Part)"),
		text("t", "- [ ] open\n- [x] done\n- [y] no"),
		text("m", "$\\newcommand{\\EE}{\\mathbb{E}}\\DeclareMathOperator{\\Var}{Var}$"),
		text("f", "$\\EE[x] + \\Var(x)$"),
		text("s", strings.Repeat("line\n\n", 60)+"## Data and Setup\n\n## Café\n\n<h2 id=\"own\">X</h2>\n\n"+
			"<a name=\"named\"></a>\n\n# Setup\n\n# Setup\n"),
		out("r", "  0%\r 50%\r100%\nend\n"), out("n", "\n== Results ==\n"), out("w", strings.Repeat("\n", 3)),
	}
	s := newSite(t, map[string]any{"a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	p.await("[...document.querySelectorAll('[data-id=p] img')].filter(i => i.naturalWidth > 0).length === 2")
	if got := eval[string](p, "document.querySelector('[data-id=p] .prose').innerText"); !strings.Contains(got,
		"gone.png is not") {
		t.Errorf("a picture that is not there: %q", got)
	}
	for i := range 6 {
		eval[any](p, "scrollTo(0, 0)")
		if !eval[bool](p, "(l => { l.click(); const y = scrollY; scrollTo(0, 0); return y > 100 })"+
			"(document.querySelectorAll('[data-id=l] a')["+string(rune('0'+i))+"])") {
			t.Errorf("link %d leads nowhere", i+1)
		}
	}
	if href := eval[string](p, "document.querySelectorAll('[data-id=l] a')[7].href"); !strings.HasSuffix(href,
		"/notebooks/other.ipynb#Part") {
		t.Error(href)
	}
	if got := eval[string](p, "[...document.querySelectorAll('[data-id=t] li')].map(l => (l.querySelector('input')"+
		"?.checked ?? 'none') + ' ' + l.innerText).join()"); got != "false open,true done,none [y] no" {
		t.Errorf("tasks: %q", got)
	}
	p.await("document.querySelector('[data-id=f] .katex')")
	if eval[bool](p, "document.querySelector('[data-id=f] .prose').innerHTML.includes('cc0000')") {
		t.Error("the formula does not know what another has defined")
	}
	for id, want := range map[string]string{"r": "100%\nend\n", "n": "\n== Results ==\n", "w": "\n\n\n"} {
		if got := eval[string](p, "document.querySelector('[data-id="+id+"] pre.stream').textContent"); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if raw := eval[string](p, "nacre.notebook.find('r').outputs[0].text"); !strings.Contains(raw, "\r") {
		t.Errorf("the file's text is now %q", raw)
	}
	p.quiet()
}

// A file that cannot be opened says what can be made of it; a click makes that, and the checkpoint has what it was.
func TestBrokenFilesAreMended(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	const start, end = "{\n \"cells\": [\n", " ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
	one := func(id, source string) string {
		return `  {"cell_type": "markdown", "id": "` + id + `", "metadata": {}, "source": "` + source + `"}`
	}
	files := map[string][3]string{ // the file, what the page says, what its first button makes of the text
		"conflict": {start + "<<<<<<< HEAD\n" + one("a", "mine") + "\n=======\n" + one("a", "theirs") +
			"\n>>>>>>> side\n" + end, "a merge that did not end", "mine"},
		"cut":    {start + one("a", "whole") + ",\n  {\n   \"cell_t", "breaks off", "whole"},
		"zeros":  {start + one("a", "kept") + "\n" + end + strings.Repeat("\x00", 100), "100 zero bytes", "kept"},
		"latin1": {start + one("a", "caf\xe9") + "\n" + end, "“café”", "café"},
		"euro":   {start + one("a", "5 \x80") + "\n" + end, "“€”", "5 €"},
	}
	site := map[string]any{"text.ipynb": []byte("this is no JSON")}
	for name, f := range files {
		site[name+".ipynb"] = []byte(f[0])
	}
	s := newSite(t, site)
	for name, f := range files {
		p := s.openBroken("/notebooks/" + name + ".ipynb")
		p.await("document.querySelector('.problem button')")
		if got := eval[string](p, "document.querySelector('.problem').innerText"); !strings.Contains(got, f[1]) ||
			!strings.Contains(got, "Open it as text") {
			t.Errorf("%s: the page says %q", name, got)
		}
		eval[any](p, "document.querySelector('.problem button').click()")
		p.await("document.body.dataset.ready === 'yes' && nacre.notebook.cells[0].source === '" + f[2] + "'")
		kept, err := os.ReadFile(filepath.Join(s.dir, ".ipynb_checkpoints", name+"-checkpoint.ipynb"))
		if err != nil || string(kept) != f[0] {
			t.Errorf("%s: the checkpoint has %q, %v", name, kept, err)
		}
	}
	p := s.openBroken("/notebooks/text.ipynb")
	if got := eval[string](p, "document.querySelector('.problem').innerText"); !strings.Contains(got,
		"Open it as text") {
		t.Errorf("of a text that is none: %q", got)
	}
}
