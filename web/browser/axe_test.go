package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
)

// axeScript is the script of axe-core, a package that the front end's tests have.
const axeScript = "../node_modules/axe-core/axe.min.js"

// axe-core finds nothing to object to on any page, light and dark, on a desk and on a phone.
func TestAxe(t *testing.T) {
	heavy.Skip(t, "axe-core reads ten pages in a browser")
	script, err := os.ReadFile(axeScript)
	if err != nil {
		t.Skipf("%v: npm ci in web fetches axe-core", err)
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(
		display(map[string]any{"text/plain": "table", "text/html": "<p>some text</p>"}))})
	for path, ready := range map[string]string{
		"/":                  "document.body.dataset.ready === 'yes'",
		"/notebooks/a.ipynb": "document.body.dataset.ready === 'yes'",
		"/runs":              "document.body.dataset.ready === 'yes'",
		"/embeddings":        "document.querySelector('main')",
		"/tsne/":             "document.querySelector('main')",
	} {
		p := s.opened(path, ready)
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int{1440, 390} {
				view := emulation.SetDeviceMetricsOverrideParams{Width: int64(width), Height: 850, DeviceScaleFactor: 1}
				if _, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, view); err != nil {
					t.Fatal(err)
				}
				eval[any](p, fmt.Sprintf("(document.documentElement.dataset.theme = %q, null)", theme))
				eval[any](p, string(script)+"\n;null")
				text := eval[string](p, `axe.run().then(r => JSON.stringify(r.violations.map(v =>
					v.id + ': ' + v.nodes.map(n => n.target.join(' ') + ' ' + n.failureSummary).join('; '))))`)
				var found []string
				if err := json.Unmarshal([]byte(text), &found); err != nil {
					t.Fatal(err)
				}
				if len(found) > 0 {
					t.Errorf("%s, %s, %d pixels:\n%s", path, theme, width, strings.Join(found, "\n"))
				}
			}
		}
		p.close()
	}
}

// A browser's language that is none stops nothing. What keeps a page's script from running is said in the page.
func TestNoWhitePage(t *testing.T) {
	heavy.Skip(t, "a browser opens pages")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one")})
	open := func(before, path, ready string) *tab {
		t.Helper()
		ctx, cancel := chromedp.NewContext(chrome(t), chromedp.WithNewBrowserContext())
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: before}); err != nil {
			t.Fatal(err)
		}
		return s.arrive(ctx, cancel, path, ready)
	}
	const c = "Object.defineProperty(Navigator.prototype, 'language', { configurable: true, get: () => 'C' })"
	for _, path := range []string{"/", "/notebooks/a.ipynb", "/runs"} {
		p := open(c, path, "document.body?.dataset.ready === 'yes'")
		if got := eval[string](p, "navigator.language"); got != "en" {
			t.Errorf("%s: the language is %q", path, got)
		}
		p.quiet()
		p.close()
	}
	p := open("Intl.NumberFormat = function () { throw new RangeError('no numbers here') }", "/notebooks/a.ipynb",
		"document.querySelector('.problem')")
	if got := eval[string](p, "document.querySelector('.problem').textContent"); !strings.Contains(got,
		"This page could not be shown: Uncaught RangeError: no numbers here. Load it again") {
		t.Errorf("it says %q", got)
	}
}
