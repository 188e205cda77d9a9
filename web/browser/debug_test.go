package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
)

// What helps to debug: a panic shows its message and place, and the calls that led there when they are opened; a long
// value is cut and shown whole on request; variables open a level at a time, also those that hold themselves.
func TestDebugging(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(
		"func inner(xs []int, k int) int {\n\treturn xs[k]\n}\n\nfunc outer(n int) int {\n\treturn inner([]int{1, 2, "+
			"3}, n) + 1\n}",
		"import \"strings\"\nstrings.Repeat(\"0123456789\", 300)",
		"type Node struct {\n\tName string\n\tNext *Node\n\tTags map[string]any\n}\n\nn := &Node{Name: \"first\"}\n"+
			"n.Next = n\nn.Tags = map[string]any{\"of\": n, \"deep\": []float64{0.5, 1.5}}\nmany := make([]int, 250)",
		"outer(7)",
	)})
	p := s.open("/notebooks/a.ipynb")
	for range 4 {
		p.press("Shift-Enter")
	}
	p.idle()

	const failed = "document.querySelectorAll('.cell')[3].querySelector('.outputs')"
	p.await(failed + ".querySelector('details.calls')")
	if got := eval[string](p, failed+".querySelector('pre.error').textContent"); !strings.Contains(got,
		"index out of range") || !strings.Contains(got, "return xs[k]") || strings.Contains(got, "outer") {
		t.Errorf("in sight is %q, expected the message and the innermost place only", got)
	}
	if got := eval[bool](p, failed+".querySelector('details.calls').open"); got {
		t.Error("the calls are open from the start")
	}
	eval[any](p, failed+".querySelector('summary').click()")
	if got := eval[string](p, failed+".querySelector('details.calls pre').innerText"); !strings.Contains(got,
		"in outer") || !strings.Contains(got, "line 1 of this cell") {
		t.Errorf("the calls are %q", got)
	}
	if got := eval[string](p,
		"[..."+failed+".querySelectorAll('details.calls .place')].map(l => l.textContent).join()"); got != "cell "+
		"[1]:6:1,line 1" {
		t.Errorf("of the calls %q can be clicked", got)
	}

	const long = "document.querySelectorAll('.cell')[1].querySelector('.outputs')"
	p.await(long + ".querySelector('button.more')")
	if got := eval[string](p, long+".querySelector('pre').textContent"); len(got) > 1100 ||
		!strings.HasSuffix(got, "bytes more)") {
		t.Errorf("of a text of 3,002 bytes %d are shown: …%q", len(got), got[max(0, len(got)-40):])
	}
	eval[any](p, long+".querySelector('button.more').click()")
	if got := eval[string](p, long+".querySelector('pre').textContent"); got != `"`+strings.Repeat("0123456789", 300)+
		`"` {
		t.Errorf("shown whole the text has %d bytes, expected 3002", len(got))
	}

	p.press("Escape", "Ctrl-Shift-v")
	const table = "document.querySelector('.variables table')"
	p.await(table + ".querySelectorAll('tbody tr').length >= 2")
	open := func(name string, at int) {
		t.Helper()
		button := fmt.Sprintf("[...%s.querySelectorAll('button.open')].filter(b => b.getAttribute('aria-label') === "+
			"%q)[%d]", table, "What "+name+" holds", at)
		p.await(button)
		eval[any](p, button+".click()")
	}
	open("n", 0)
	open("Next", 0)
	open("Next", 1)
	open("Tags", 2)
	open(`["deep"]`, 0)
	open("many", 0)
	p.await(table + ".textContent.includes('and 150 more')")
	if n := eval[int](p, table+".querySelectorAll('button.open[aria-label=\"What Next holds\"]').length"); n != 3 {
		t.Errorf("Next can be opened %d times, expected once a level", n)
	}
	if got := eval[string](p, table+".textContent"); !strings.Contains(got, "1.5") || !strings.Contains(got, "first") {
		t.Errorf("the variables show %q", got)
	}
	eval[any](p, "document.querySelector('.variables input').focus()")
	eval[any](p, "nacre.variables.refresh()")
	p.await(table + ".textContent.includes('and 150 more')")
	if dir := os.Getenv("NACRE_SCREENSHOTS"); dir != "" {
		for _, theme := range []string{"light", "dark"} {
			eval[any](p, "document.documentElement.dataset.theme = '"+theme+"'")
			picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "debugging-"+theme+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.quiet()
}
