package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"nacre/cmd/nacre/app"
	"nacre/experiment/progress"
)

// programs is where wasm/build.sh puts the kernel for the browser.
const programs = "../../bin/wasm"

// static is a site behind a plain file server.
type static struct {
	t   *testing.T
	url string
	dir string // the folder that is served

	headers bool // the server sends those of the site's file _headers

	mu    sync.Mutex
	asked []string // addresses the pages asked for
}

// newStatic writes a site of files and serves it.
func newStatic(t *testing.T, files map[string]any) *static {
	t.Helper()
	return newStaticWith(t, files, false)
}

// newStaticWith writes and serves a site, with the scenes of Meta-World or without.
func newStaticWith(t *testing.T, files map[string]any, scenes bool) *static {
	t.Helper()
	chrome(t)
	if _, err := os.Stat(filepath.Join(programs, "manifest.json")); err != nil {
		t.Skip("the browser's kernel is not built: run wasm/build.sh")
	}
	from := t.TempDir()
	for name, content := range files {
		b, isText := content.([]byte)
		if !isText {
			var err error
			if b, err = json.Marshal(content); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(from, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return newStaticOf(t, from, programs, scenes)
}

// newStaticOf writes and serves a site of a folder, with the programs for the browser in another.
func newStaticOf(t *testing.T, from, programs string, scenes bool) *static {
	t.Helper()
	chrome(t)
	out := filepath.Join(t.TempDir(), "site")
	env := &app.Env{Out: io.Discard, Err: io.Discard, Progress: progress.Silent(), Log: slog.New(slog.DiscardHandler)}
	if err := app.Site(context.Background(), env, app.SiteOptions{Paths: []string{from}, Out: out, Programs: programs,
		NoScenes: !scenes}); err != nil {
		t.Fatal(err)
	}
	// Under a path of its own, as a project's pages have, so that an address from the root is noticed.
	s := &static{t: t, dir: out}
	handler := http.StripPrefix("/some/place/", http.FileServer(http.Dir(out)))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.headers {
			s.addHeaders(w.Header(), strings.TrimPrefix(r.URL.Path, "/some/place"))
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	s.url = srv.URL + "/some/place/"
	return s
}

// addHeaders adds what the file _headers asks for at a path, which ends in * where it is a beginning.
func (s *static) addHeaders(h http.Header, path string) {
	text, err := os.ReadFile(filepath.Join(s.dir, "_headers"))
	if err != nil {
		s.t.Error(err)
	}
	applies := false
	for _, line := range strings.Split(string(text), "\n") {
		name, value, indented := strings.Cut(line, ": ")
		if !indented {
			start, open := strings.CutSuffix(line, "*")
			applies = line == path || open && strings.HasPrefix(path, start)
		} else if applies {
			h.Set(strings.TrimSpace(name), value)
		}
	}
}

// open opens a page of the site in a browser profile of its own; beside opens it in that of another tab.
func (s *static) open(address string, beside *tab) *tab {
	s.t.Helper()
	option := chromedp.WithNewBrowserContext()
	if beside != nil {
		option = chromedp.WithExistingBrowserContext(chromedp.FromContext(beside.ctx).BrowserContextID)
	}
	ctx, cancel := chromedp.NewContext(chrome(s.t), option)
	s.t.Cleanup(cancel)
	tb := &tab{t: s.t, ctx: ctx, cancel: cancel}
	if err := chromedp.Listen(ctx, tb.listen); err != nil {
		s.t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, s.listen); err != nil {
		s.t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		s.t.Fatal(err)
	}
	tb.do(chromedp.Navigate(s.url + address))
	tb.await("document.body.dataset.ready === 'yes'")
	return tb
}

func (s *static) listen(event any) {
	if e, ok := event.(*network.EventRequestWillBeSent); ok {
		s.mu.Lock()
		s.asked = append(s.asked, e.Request.URL)
		s.mu.Unlock()
	}
}

// own fails if a page asked for anything that is not the site's.
func (s *static) own() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		s.t.Error("no request was seen at all")
	}
	for _, url := range s.asked {
		if !strings.HasPrefix(url, s.url) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
			s.t.Errorf("the page asked for %s", url)
		}
	}
}

// A hostile document on the static site, which has no server's headers: every cell is there, nothing of it runs, and
// nothing leaves: what the document asks for elsewhere is stopped by the policy in the page.
func TestHostileSite(t *testing.T) {
	url, calls, last := beacon(t)
	nb := withOutputs(append(hostileOutputs(url), display(map[string]any{"text/plain": "the end"}))...)
	cells := nb["cells"].([]cell)
	for i, h := range append(withBeacon(hostileHTML, url), awkward...) {
		cells = append(cells, cell{"cell_type": "markdown", "id": fmt.Sprint("text-", i), "metadata": cell{},
			"source": "cell\n\n" + h})
	}
	nb["cells"] = cells
	s := newStatic(t, map[string]any{"a.ipynb": nb})
	p := s.open("?notebooks/a.ipynb", nil)
	p.await("[...document.querySelectorAll('.cell .output')].at(-1)?.textContent.includes('the end')")
	if n := eval[int](p, "document.querySelectorAll('.cell').length"); n != len(cells) {
		t.Errorf("%d cells are on the page, expected %d", n, len(cells))
	}
	eval[any](p, "document.querySelectorAll('.outputs *:not(a):not(button), .prose *:not(a)').forEach(e => "+
		"e.click?.())")
	time.Sleep(300 * time.Millisecond) // what does not happen has no event to wait for
	if eval[bool](p, "'pwned' in window") || calls.Load() > 0 {
		t.Errorf("foreign code ran: %v; %d requests left, the last %v", eval[bool](p, "'pwned' in window"),
			calls.Load(), last.Load())
	}
	if n := eval[int](p, "document.querySelectorAll('.outputs iframe').length"); n != 0 {
		t.Errorf("%d frames run scripts of the file", n)
	}
}

// Without a server: values, plots, input, errors, files, a loop without an end, a restart, and edits that stay.
func TestSite(t *testing.T) {
	s := newStatic(t, map[string]any{
		"data.txt": []byte("from the site\n"),
		"a.ipynb": notebook(
			"import \"fmt\"\n\nx := 6\nfmt.Println(\"hello\")\nx * 7",
			"import \"gonum.org/v1/plot\"\np := plot.New()\np.Title.Text = \"empty\"\np",
			"import \"os\"\n\nb, err := os.ReadFile(\"data.txt\")\nfmt.Print(string(b), err)\n"+
				"fmt.Println(os.WriteFile(\"/tmp/a\", b, 0o600), os.Remove(\"/tmp/a\"))",
			"n := 0\nfor {\n\tn++\n}",
			"n > 0",
			"var name string\nfmt.Scan(&name)\nfmt.Println(\"hello,\", name)",
			"import \"net/http\"",
		)})
	p := s.open("?notebooks/a.ipynb", nil)
	for range 3 {
		p.press("Shift-Enter")
	}
	p.idle()
	if got := p.shown(0); !strings.Contains(got, "hello") || !strings.Contains(got, "42") {
		t.Errorf("the first cell shows %q", got)
	}
	p.await("document.querySelectorAll('.cell')[1].querySelector('.output img')?.naturalWidth > 100")
	if got := p.shown(2); got != "from the site\n<nil><nil> <nil>\n" {
		t.Errorf("the cell that reads files shows %q", got)
	}
	p.press("Shift-Enter")
	p.await("nacre.notebook.cells[3].state === 'running'")
	time.Sleep(300 * time.Millisecond)
	took := eval[float64](p, `(async () => {
		const start = performance.now();
		nacre.run('kernel.interrupt');
		while (nacre.notebook.cells[3].state !== 'idle') await new Promise(done => setTimeout(done, 1));
		return performance.now() - start;
	})()`)
	t.Logf("an endless loop ended %.0f ms after the interrupt", took)
	p.press("Shift-Enter")
	p.idle()
	if got := p.shown(4); got != "true" {
		t.Errorf("after the interrupt n > 0 is %q", got)
	}
	p.press("Ctrl-Enter")
	p.await("document.querySelector('.cell .input input, .cell input')")
	p.write("Ada")
	p.press("Enter")
	p.idle()
	if got := p.shown(5); !strings.Contains(got, "hello, Ada") {
		t.Errorf("the cell that asks shows %q", got)
	}
	eval[any](p, "nacre.running.range(6, 7).then(() => null)")
	p.idle()
	if got := p.shown(6); !strings.Contains(got, "browser") {
		t.Errorf("an import that the browser lacks shows %q", got)
	}
	p.quiet()
	keepsEdits(t, s, p)
	s.own()
}

// What a cell needs and a tab lacks is said in one sentence; %%capture works as elsewhere.
func TestSiteLacks(t *testing.T) {
	failed := func(sentence string) string { return "error: " + sentence }
	steps := [][2]string{
		{"!ls", failed("!ls: no command runs here: cells in a browser's tab and on Windows have no shell")},
		{"files, err := !ls *.txt\nprintln(len(files))\nerr",
			"!ls *.txt: no command runs here: cells in a browser's tab and on Windows have no shell"},
		{"%%capture out\nimport \"fmt\"\nfmt.Println(1)\n2", ""},
		{"fmt.Printf(\"%q %d\", out.Stdout, len(out.Outputs))", `"1\n" 1`},
		{"%test", failed("%test: tests do not run in a browser's tab; use a server, or go test")},
		{"import \"testing\"\nfunc TestA(t *testing.T) {}", failed("1:8: package \"testing\" is not part of the " +
			"kernel in the browser: open the notebook with nacre notebook to use it")},
		{"%get golang.org/x/exp@latest", failed("%get: the engine yaegi has its own packages only; modules are for " +
			"the engine go")},
		{"1 + 1", "2"},
	}
	var sources []string
	for _, step := range steps {
		sources = append(sources, step[0])
	}
	nb := notebook(sources...)
	for _, c := range nb["cells"].([]cell) {
		c["metadata"] = cell{"tags": []string{"raises-exception"}}
	}
	p := newStatic(t, map[string]any{"a.ipynb": nb}).open("?notebooks/a.ipynb", nil)
	p.runAll()
	for k, step := range steps {
		got := eval[string](p, fmt.Sprintf("nacre.notebook.cells[%d].outputs.map(o => "+
			"o.ename ? 'error: ' + o.evalue : o.text ?? o.data['text/plain']).join('')", k))
		if !strings.Contains(got, step[1]) || step[1] == "" && got != "" {
			t.Errorf("%s gives %q, want %q", step[0], got, step[1])
		}
	}
	p.quiet()
}

// keepsEdits changes and saves a notebook and opens it in another tab of the same profile.
func keepsEdits(t *testing.T, s *static, p *tab) {
	t.Helper()
	eval[any](p, "(nacre.notebook.cells[0].setSource('x := 7'), nacre.saving.save()).then(() => null)")
	again := s.open("?notebooks/a.ipynb", p)
	if got := again.sources(); !strings.HasPrefix(got, "x := 7|") {
		t.Errorf("after saving, another tab has %q", got)
	}
	// The list knows the file, and a restarted kernel has nothing of the old one.
	eval[any](again, "nacre.running.range(0, 1).then(() => null)")
	again.idle()
	eval[any](again, "nacre.link.restart().then(() => null)")
	eval[any](again, "(nacre.notebook.cells[1].setSource('x'), nacre.running.range(1, 2)).then(() => null)")
	again.idle()
	if got := again.shown(1); !strings.Contains(got, "undefined: x") {
		t.Errorf("after a restart x is %q", got)
	}
	list := s.open("", p)
	if got := eval[string](list, "document.querySelector('.list').textContent"); !strings.Contains(got, "data.txt") ||
		!strings.Contains(got, "just now") {
		t.Errorf("the list of files: %q", got)
	}
	// A browser that has never been here sees what was shipped.
	other := s.open("?notebooks/a.ipynb", nil)
	if got := other.sources(); strings.HasPrefix(got, "x := 7|") {
		t.Error("an edit has left its browser")
	}
	other.quiet()
	again.quiet()
}

// The shipped quickstart runs to its last table in the tab, with less training.
func TestSiteQuickstart(t *testing.T) {
	s := newStatic(t, map[string]any{"quickstart.ipynb": shipped(t, "quickstart.ipynb", "iterations := 2",
		"windows := 20")})
	p := s.open("?notebooks/quickstart.ipynb", nil)
	t.Logf("the quickstart took %v", p.finish(8*time.Minute).Round(time.Second))
	tables := eval[[]string](p, "[...document.querySelectorAll('.outputs table')].map(t => t.textContent)")
	if len(tables) != 3 || !strings.Contains(tables[0], "trajectory") ||
		!strings.Contains(tables[1], "told the goal") || !strings.Contains(tables[2], "t-SNE plane") {
		t.Errorf("the tables: %q", tables)
	}
	if n := eval[int](p, "document.querySelectorAll('.outputs canvas').length"); n < 3 {
		t.Errorf("%d pictures, want the curves and two layouts", n)
	}
	s.own()
	p.quiet()
}
