package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
	"nacre/server/servertest"
)

// TestAttacks repeats what has once got through and needs a page, by nothing but what stands on it; the others are in
// nacre/cmd/nacre. NACRE_BIN names another program to try; that of commit db218f0 fails every one.
func TestAttacks(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	for _, attack := range []struct {
		name string
		try  func(*testing.T)
	}{
		{"D1 a percent sign in a document", attackPercent},
		{"D1 a percent sign on the static site", attackPercentOnSite},
		{"D2 scripts read the cookies", attackCookies},
		{"D3 WebRTC in a sandboxed output", attackWebRTC},
	} {
		t.Run(attack.name, attack.try)
	}
}

// another is the site of a program in a process of its own, if NACRE_BIN names one, else one of this package.
func another(t *testing.T, notebooks map[string]any) *site {
	t.Helper()
	program := os.Getenv("NACRE_BIN")
	if program == "" {
		return newSiteWith(t, golang, notebooks)
	}
	chrome(t)
	s := &site{t: t, token: token, dir: folderOf(t, notebooks)}
	cmd := exec.Command(program)
	cmd.Env = append(cmd.Environ(), "NACRE_TOKEN="+token)
	p, err := servertest.Start(cmd, s.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	s.url = "http://" + p.Host
	return s
}

func folderOf(t *testing.T, notebooks map[string]any) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range notebooks {
		b, err := json.Marshal(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// percents are texts with escapes that are none.
var percents = []string{"[a](caf%E9.png)", `<img src="50%.png">`, "![x](attachment:100%)", "![x](%)"}

// percentNotebooks are a harmless notebook, and one for each of the texts, in a text cell and in an output.
func percentNotebooks() map[string]any {
	all := map[string]any{"harmless.ipynb": notebook("# first", "# text", "# last")}
	for i, text := range percents {
		nb := notebook("# first", "# text\n\n"+text, "x", "# last")
		nb["cells"].([]cell)[2]["outputs"] = []any{display(map[string]any{"text/markdown": "text\n\n" + text})}
		all[fmt.Sprint(i, ".ipynb")] = nb
	}
	return all
}

// wholePages opens the notebooks at an address and reports those that do not show their last cell.
func wholePages(t *testing.T, address func(name string) string) {
	t.Helper()
	shows := func(name string) (cells int, whole bool) {
		ctx, cancel := chromedp.NewContext(chrome(t), chromedp.WithNewBrowserContext())
		defer cancel()
		if err := chromedp.Do(ctx, chromedp.Navigate(address(name))); err != nil {
			t.Fatal(err)
		}
		p := &tab{t: t, ctx: ctx, cancel: cancel}
		for began := time.Now(); time.Since(began) < patience/2; time.Sleep(20 * time.Millisecond) {
			if eval[bool](p, "[...document.querySelectorAll('.cell')].some(c => c.textContent.includes('last'))") {
				return eval[int](p, "document.querySelectorAll('.cell').length"), true
			}
		}
		return eval[int](p, "document.querySelectorAll('.cell').length"), false
	}
	if _, whole := shows("harmless.ipynb"); !whole {
		t.Fatal("a harmless notebook is not shown")
	}
	for i, text := range percents {
		if cells, whole := shows(fmt.Sprint(i, ".ipynb")); !whole || cells != 4 {
			t.Errorf("a page with the link %s shows %d of its 4 cells", text, cells)
		}
	}
}

func attackPercent(t *testing.T) {
	s := another(t, percentNotebooks())
	wholePages(t, func(name string) string { return s.url + "/notebooks/" + name + "?token=" + token })
}

func attackPercentOnSite(t *testing.T) {
	program := os.Getenv("NACRE_BIN")
	if program == "" {
		s := newStatic(t, percentNotebooks())
		wholePages(t, func(name string) string { return s.url + "?notebooks/" + name })
		return
	}
	chrome(t)
	out := filepath.Join(t.TempDir(), "site")
	if said, err := exec.Command(program, "site", folderOf(t, percentNotebooks()), "--out",
		out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer srv.Close()
	wholePages(t, func(name string) string { return srv.URL + "/?notebooks/" + name })
}

func attackCookies(t *testing.T) {
	p := another(t, map[string]any{"a.ipynb": notebook("1")}).open("/notebooks/a.ipynb")
	if cookies := eval[string](p, "document.cookie"); cookies != "" {
		name, _, _ := strings.Cut(cookies, "=")
		t.Errorf("scripts of the page can read the cookie %s", name)
	}
}

// attackWebRTC shows an output with a script, by the import of today and by that of db218f0.
func attackWebRTC(t *testing.T) {
	address, packets := stun(t)
	script := `<script>try { ` + call(address) +
		` } catch (e) {} setTimeout(() => parent.postMessage({ said: "done" }, "*"), 1000)</script>`
	show := fmt.Sprintf("display.Show(display.HTML(%q))", script)
	s := another(t, map[string]any{"a.ipynb": notebook("import \"nacre/library/display\"\n"+show,
		"import \"nacre/display\"\n"+show)})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "window.said = ''; addEventListener('message', e => { if (e.data?.said) window.said = e.data.said })")
	p.press("Shift-Enter")
	p.idle()
	p.press("Ctrl-Enter")
	p.await("said === 'done'")
	if n := packets.Load(); n > 0 {
		t.Errorf("%d packets left the sandbox", n)
	}
}
