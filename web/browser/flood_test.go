package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
)

// work is what the page's main thread has worked since it began, in seconds, and its heap in bytes.
func (tb *tab) work() (seconds, heap float64) {
	tb.t.Helper()
	if _, err := chromedp.Call(tb.ctx, performance.Enable, performance.EnableParams{}); err != nil {
		tb.t.Fatal(err)
	}
	got, err := chromedp.Call(tb.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		tb.t.Fatal(err)
	}
	for _, m := range got.Metrics {
		switch m.Name {
		case "TaskDuration":
			seconds = m.Value
		case "JSHeapUsedSize":
			heap = m.Value
		}
	}
	return seconds, heap
}

// A million lines printed by a cell leave the page usable: it has the last thousands in a box of their own, and the
// file
// has all. The log has what that cost the page's main thread.
func TestMillionLines(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(
		"import \"fmt\"\nfor i := range 1_000_000 {\n\tfmt.Println(i)\n}", "1 + 1")})
	p := s.open("/notebooks/a.ipynb")
	p.press("j", "Ctrl-Enter")
	p.idle()
	before, heapBefore := p.work()
	p.press("k", "Ctrl-Enter")
	p.await("nacre.notebook.cells[0].state === 'idle' && nacre.notebook.cells[0].outputs.length")
	p.idle()
	after, heapAfter := p.work()
	eval[any](p, "nacre.saving.save().then(() => null)")
	saved, _ := p.work()
	t.Logf("the main thread worked %.2f s for the output and %.2f s to save it; the heap grew by %.0f MB", after-before,
		saved-after, (heapAfter-heapBefore)/1e6)
	const pre = "document.querySelector('.output pre.stream')"
	if got := eval[string](p, pre+".textContent.slice(-30)"); !strings.HasSuffix(strings.TrimSpace(got), "\n999999") {
		t.Errorf("the page ends with %q", got)
	}
	if n := eval[int](p, pre+".textContent.split('\\n').length"); n < 5000 || n > 15_000 {
		t.Errorf("%d lines are in the page", n)
	}
	if got := eval[string](p, pre+".textContent.slice(0, 60)"); !strings.HasPrefix(got, "… 9") {
		t.Errorf("the page begins with %q", got)
	}
	if h := eval[int](p, "document.querySelector('.cell').offsetHeight"); h > 600 {
		t.Errorf("the cell is %d px tall", h)
	}
	var file struct {
		Cells []struct{ Outputs []struct{ Text []string } }
	}
	s.read("a.ipynb", &file)
	text := strings.Join(file.Cells[0].Outputs[0].Text, "")
	if n := strings.Count(text, "\n"); n != 1_000_000 || !strings.HasSuffix(text, "\n999999\n") {
		t.Errorf("the file has %d lines", n)
	}
	p.press("Shift-o")
	p.await("document.querySelector('.cell').offsetHeight > 5000")
	p.press("Shift-o")
	p.await("document.querySelector('.cell').offsetHeight < 600")
	p.quiet()
}

// Five megabytes in one line, of whatever a notebook may hold, leave the page usable.
func TestLongLines(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	const size = 5_000_000
	long := strings.Repeat("0123456789", size/10)
	out := func(outputs ...cell) map[string]any {
		nb := notebook("1")
		nb["cells"].([]cell)[0]["outputs"] = outputs
		return nb
	}
	data := func(mime string, v any) cell {
		return cell{"output_type": "display_data", "metadata": cell{}, "data": cell{mime: v}}
	}
	code, text, raw := notebook(`x := "`+long+`"`), notebook("# "+long), notebook(long)
	raw["cells"].([]cell)[0]["cell_type"] = "raw"
	files := map[string]any{
		"stream.ipynb": out(cell{"output_type": "stream", "name": "stdout", "text": long + "\nend\n"}),
		"open.ipynb":   out(cell{"output_type": "stream", "name": "stderr", "text": long}),
		"plain.ipynb":  out(data("text/plain", long)), "json.ipynb": out(data("application/json", cell{"a": long})),
		"error.ipynb":    out(cell{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []string{long}}),
		"markdown.ipynb": out(data("text/markdown", long)), "html.ipynb": out(data("text/html", "<p>"+long+"</p>")),
		"latex.ipynb": out(data("text/latex", "$"+long+"$")),
		"code.ipynb":  code, "text.ipynb": text, "raw.ipynb": raw,
	}
	s := newSite(t, files)
	for name := range files {
		t.Run(name, func(t *testing.T) {
			s.t = t
			p := s.open("/notebooks/" + name)
			p.idle()
			open, heap := p.work()
			p.press("b")
			p.await("nacre.notebook.cells.length === 2")
			p.do(chromedp.EmulateViewport(700, 700))
			eval[any](p, "new Promise(r => requestAnimationFrame(() => setTimeout(r, 0, null)))")
			narrow, _ := p.work()
			p.press("k", "Enter")
			p.await("document.activeElement.closest('.cm-editor') || nacre.notebook.cells[0].type !== 'code'")
			p.write("y")
			p.press("Escape")
			typed, _ := p.work()
			t.Logf("%s: opened in %.1f s of the main thread, narrower in %.1f, a letter in %.1f; the heap has %.0f MB",
				strings.TrimSuffix(name, ".ipynb"), open, narrow-open, typed-narrow, heap/1e6)
			if n := eval[int](p, "document.querySelector('.cell .outputs').textContent.length"); n > size/2 {
				t.Errorf("%s: %d characters are in the page", name, n)
			}
			if strings.HasPrefix(name, "stream") && !strings.Contains(p.shown(0),
				"4,980,000 more characters of this line") {
				t.Errorf("%s: the page does not say that the line goes on", name)
			}
			eval[any](p, "nacre.saving.save().then(() => null)")
			p.close()
			var file map[string]any
			s.read(name, &file)
			if !strings.Contains(fmt.Sprint(file), long) {
				t.Errorf("%s: the saved file has lost the line", name)
			}
		})
	}
}
