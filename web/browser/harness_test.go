package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"nacre/bench/page"
	"nacre/experiment/layouts"
	"nacre/experiment/runs"
	"nacre/experiment/runs/runstest"
	"nacre/internal/loopback"
	"nacre/kernel"
	"nacre/library"
	"nacre/server"
	"nacre/server/figures"
	"nacre/server/process"
	"nacre/web"
)

const (
	token       = "a-token-for-tests-only"
	kernelEnv   = "NACRE_BROWSER_TEST_KERNEL"
	serverEnv   = "NACRE_BROWSER_TEST_SERVER" // the folder that a server of its own process serves
	windowWidth = 1280
)

// patience is how long a page may take to do what it is asked.
var patience = 2 * time.Minute

// The kernels a site may have.
const (
	scripted = "scripted"
	golang   = "go"
)

var chromium struct {
	once    sync.Once
	ctx     context.Context
	missing string
}

// TestMain lets the test binary be its own kernel.
func TestMain(m *testing.M) {
	if runstest.Program() || product() {
		return
	}
	if dir := os.Getenv(serverEnv); dir != "" {
		if err := serveAlone(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if which := os.Getenv(kernelEnv); which != "" {
		if err := serveKernel(which); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	if chromium.ctx != nil {
		_ = chromedp.Cancel(chromium.ctx)
	}
	os.Exit(code)
}

// serveKernel is the process of one kernel: the scripted one of this package, or the one that runs Go.
func serveKernel(which string) error {
	if which == scripted {
		return process.Serve(context.Background(), &session{})
	}
	s, err := kernel.New(kernel.Options{Library: library.New()})
	if err != nil {
		return err
	}
	defer s.Close()
	return process.Serve(context.Background(), s)
}

// chrome starts the one browser of all tests, or skips.
func chrome(t *testing.T) context.Context {
	t.Helper()
	chromium.once.Do(func() {
		path, err := page.Find()
		if err != nil {
			chromium.missing = err.Error()
			return
		}
		if _, built := web.Files(); !built {
			chromium.missing = "the front end is not built: run make web"
			return
		}
		options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.Flag("headless", "new"),
			chromedp.WindowSize(windowWidth, 900)}
		for _, f := range []string{"no-sandbox", "disable-gpu", "disable-background-networking",
			"disable-component-update", "disable-sync", "no-first-run", "disable-dev-shm-usage", "hide-scrollbars"} {
			options = append(options, chromedp.Flag(f, true))
		}
		options = append(options, chromedp.Flag("enable-unsafe-webgpu", true),
			chromedp.Flag("use-webgpu-adapter", "swiftshader"))
		// SwiftShader's own way of clearing a workgroup's memory is a store per number and lane, half of a product's
		// time; with this Chromium writes the loop that clears it into the kernel.
		options = append(options,
			chromedp.Flag("disable-dawn-features", "use_vulkan_zero_initialize_workgroup_memory_extension"))
		allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ := chromedp.NewContext(allocator)
		if err := chromedp.Do(ctx); err != nil {
			chromium.missing = "Chromium does not start: " + err.Error()
			return
		}
		chromium.ctx = ctx
	})
	if chromium.missing != "" {
		t.Skip(chromium.missing)
	}
	return chromium.ctx
}

// site is a running server with a folder of notebooks.
type site struct {
	t      *testing.T
	token  string // that a server started from now on has
	dir    string
	url    string
	kernel string
	server *server.Server
	stop   func()
}

// newSite serves notebooks with the scripted kernel.
func newSite(t *testing.T, notebooks map[string]any) *site {
	t.Helper()
	return newSiteWith(t, scripted, notebooks)
}

func newSiteWith(t *testing.T, kernel string, notebooks map[string]any) *site {
	t.Helper()
	chrome(t)
	s := &site{t: t, dir: t.TempDir(), kernel: kernel, token: token}
	for name, content := range notebooks {
		b, isText := content.([]byte)
		if !isText {
			var err error
			if b, err = json.Marshal(content); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(s.dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.start(loopback.Any())
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *site) start(address string) {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	var files fs.FS
	files, _ = web.Files()
	index := runs.Open(s.dir)
	jobs, err := runs.NewJobs(index, []string{self}, 1, slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	products := runs.NewProducts(index, []string{self}, slog.New(slog.DiscardHandler))
	srv, err := server.New(server.Config{Runs: &runs.Service{Index: index, Jobs: jobs, Products: products},
		Layouts: &layouts.Service{Root: s.dir}, Figures: figures.Service{}, Dir: s.dir,
		Token: s.token, Kernel: []string{self},
		Env: []string{kernelEnv + "=" + s.kernel}, Static: files, Wasm: os.DirFS(programs),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.server, s.url = srv, "http://"+l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		_ = srv.Serve(ctx, l)
		close(done)
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		<-done
		srv.Close()
		jobs.Close()
		products.Close()
	})
}

// read is a file of the folder as JSON.
func (s *site) read(name string, into any) {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// tab is a page of its own in a browser profile.
type tab struct {
	t      *testing.T
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	noise  []string // errors and warnings of the page's console
}

// open opens a page in a browser profile of its own.
func (s *site) open(path string) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(chrome(s.t), chromedp.WithNewBrowserContext())
	return s.arrive(ctx, cancel, path, "document.body.dataset.ready === 'yes'")
}

// openBroken opens a page that says what is wrong with a file.
func (s *site) openBroken(path string) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(chrome(s.t), chromedp.WithNewBrowserContext())
	return s.arrive(ctx, cancel, path, "document.querySelector('.problem')")
}

// opened opens a page that is no part of the notebook's.
func (s *site) opened(path, ready string) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(chrome(s.t), chromedp.WithNewBrowserContext())
	return s.arrive(ctx, cancel, path, ready)
}

// more opens a further tab beside one.
func (s *site) more(beside *tab, path string) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(chrome(s.t),
		chromedp.WithExistingBrowserContext(chromedp.FromContext(beside.ctx).BrowserContextID))
	return s.arrive(ctx, cancel, path, "document.body.dataset.ready === 'yes'")
}

func (s *site) arrive(ctx context.Context, cancel context.CancelFunc, path, ready string) *tab {
	s.t.Helper()
	tb := &tab{t: s.t, ctx: ctx, cancel: cancel}
	s.t.Cleanup(cancel)
	if err := chromedp.Listen(ctx, tb.listen); err != nil {
		s.t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		s.t.Fatal(err)
	}
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	tb.do(chromedp.Navigate(s.url + path + join + "token=" + s.token))
	tb.await(ready)
	return tb
}

func (tb *tab) listen(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		tb.noise = append(tb.noise, text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			var words []string
			for _, a := range e.Args {
				words = append(words, string(a.Value)+a.Description)
			}
			tb.noise = append(tb.noise, strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" {
			tb.noise = append(tb.noise, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// quiet fails if the page's console had errors, but for those with one of some texts.
func (tb *tab) quiet(but ...string) {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, n := range tb.noise {
		if !slices.ContainsFunc(but, func(s string) bool { return strings.Contains(n, s) }) {
			tb.t.Errorf("the page's console: %.300s", n)
		}
	}
}

func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, 2*patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		tb.t.Fatal(err)
	}
}

// eval is the value of a JavaScript expression.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until a JavaScript expression is true and returns how long that took.
func (tb *tab) await(expression string) time.Duration {
	tb.t.Helper()
	start := time.Now()
	for {
		ok, err := chromedp.Run(tb.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return time.Since(start)
		}
		if time.Since(start) > patience {
			state, _ := chromedp.Run(tb.ctx, chromedp.Evaluate[string]("document.body.innerText.slice(0, 1500)"))
			tb.t.Fatalf("never true: %s (%v)\nthe page: %s", expression, err, state)
		}
		time.Sleep(40 * time.Millisecond)
	}
}

// keyCodes are the keys that have names; what a key writes, if anything, is its text.
var keyCodes = map[string]struct {
	code int64
	text string
}{
	"Enter": {13, "\r"}, "Escape": {27, ""}, "Tab": {9, ""}, "Space": {32, " "}, "Backspace": {8, ""}, "End": {35, ""},
	"Home": {36, ""}, "PageUp": {33, ""}, "PageDown": {34, ""},
	"F2": {113, ""}, "F8": {119, ""}, "F12": {123, ""}, "ArrowLeft": {37, ""}, "ArrowUp": {38, ""}, "ArrowRight": {39,
		""}, "ArrowDown": {40, ""},
}

// press sends keys as a keyboard does; "Shift-Enter" holds Shift. Unlike chromedp.KeyEvent it leaves the character to
// the key's own event, so that a key whose default the page prevents writes nothing.
func (tb *tab) press(keys ...string) {
	tb.t.Helper()
	mods := map[string]int64{"Shift": 8, "Ctrl": 2, "Alt": 1}
	for _, key := range keys {
		var held int64
		for {
			word, rest, more := strings.Cut(key, "-")
			if mod, isMod := mods[word]; more && isMod && rest != "" {
				held, key = held|mod, rest
				continue
			}
			break
		}
		named, isNamed := keyCodes[key]
		e := input.DispatchKeyEventParams{Type: "keyDown", Key: key, Code: key, Modifiers: held,
			WindowsVirtualKeyCode: named.code, Text: named.text}
		if !isNamed {
			if held&8 != 0 {
				e.Key = strings.ToUpper(key)
			}
			e.Code, e.Text = "Key"+strings.ToUpper(key), e.Key
			// of other signs the codes are those of other keys
			if c := strings.ToUpper(key)[0]; c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' {
				e.WindowsVirtualKeyCode = int64(c)
			}
		}
		if key == "Space" {
			e.Key = " "
		}
		if held&^8 != 0 {
			e.Text = ""
		}
		for _, kind := range []input.DispatchKeyEventType{"keyDown", "keyUp"} {
			e.Type = kind
			if kind == "keyUp" {
				e.Text = ""
			}
			if _, err := chromedp.Call(tb.ctx, input.DispatchKeyEvent, e); err != nil {
				tb.t.Fatal(err)
			}
		}
	}
}

func (tb *tab) write(text string) {
	tb.t.Helper()
	if _, err := chromedp.Call(tb.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		tb.t.Fatal(err)
	}
}

// close closes the tab as a user does. Its profile stays for other tabs.
func (tb *tab) close() {
	tb.t.Helper()
	id := chromedp.FromContext(tb.ctx).Target.TargetID
	if _, err := chromedp.CallBrowser(tb.ctx, target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil {
		tb.t.Fatal(err)
	}
}

// sources are the notebook's cells.
func (tb *tab) sources() string {
	tb.t.Helper()
	return eval[string](tb, "nacre.notebook.cells.map(c => (c.type === 'markdown' ? '#' : '') + c.source).join('|')")
}

// shown returns what the outputs of the cell at an index say, once the page has drawn what it knows: it does so frame
// by frame, and a tab in the background a few times a second.
func (tb *tab) shown(cell int) string {
	tb.t.Helper()
	return eval[string](tb, fmt.Sprintf(`Promise.race([
		new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
		new Promise(done => setTimeout(done, 400)),
	]).then(() => document.querySelectorAll('.cell')[%d].querySelector('.outputs').textContent)`, cell))
}

// exported is the notebook as the command writes it into an HTML file.
func (tb *tab) exported() string {
	tb.t.Helper()
	return eval[string](tb, `(async () => {
		const blobs = [];
		URL.createObjectURL = b => (blobs.push(b), 'blob:none');
		HTMLAnchorElement.prototype.click = () => {};
		nacre.run('file.html');
		while (!blobs.length) await new Promise(r => setTimeout(r, 20));
		return blobs[0].text();
	})()`)
}

// idle waits until no cell runs and what they gave is drawn, which the page does with its next frame, or soon after
// where there are none.
func (tb *tab) idle() {
	tb.t.Helper()
	tb.await("nacre.notebook.cells.every(c => c.state === 'idle')")
	eval[any](tb, "new Promise(r => { requestAnimationFrame(() => r(null)); setTimeout(r, 300, null); })")
}

// runAll runs the whole notebook and waits.
func (tb *tab) runAll() {
	tb.t.Helper()
	eval[any](tb, "nacre.running.range(0, nacre.notebook.cells.length).then(() => null)")
	tb.idle()
}

type cell map[string]any

// notebook makes the content of a file; a source that begins with # is text.
func notebook(sources ...string) map[string]any {
	cells := []cell{}
	for i, s := range sources {
		c := cell{"cell_type": "code", "id": fmt.Sprintf("cell-%d", i), "metadata": cell{}, "source": s,
			"outputs": []any{}, "execution_count": nil}
		if strings.HasPrefix(s, "#") {
			c = cell{"cell_type": "markdown", "id": fmt.Sprintf("cell-%d", i), "metadata": cell{}, "source": s}
		}
		cells = append(cells, c)
	}
	return map[string]any{"cells": cells, "metadata": cell{}, "nbformat": 4, "nbformat_minor": 5}
}

// withOutputs is a notebook of one cell with outputs from the file.
func withOutputs(outputs ...map[string]any) map[string]any {
	nb := notebook("print run")
	nb["cells"].([]cell)[0]["outputs"] = outputs
	return nb
}

func display(data map[string]any) map[string]any {
	return map[string]any{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
}
