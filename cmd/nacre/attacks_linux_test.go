package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"nacre/internal/heavy"
	"nacre/server/servertest"
)

// TestAttacks repeats what has once got through, by nothing but the program's commands and its server's HTTP. NACRE_BIN
// names another program to try; that of commit db218f0 fails every one. Those that need a page are in
// nacre/web/browser. make attacks OLD=PROGRAM runs all with two programs.
func TestAttacks(t *testing.T) {
	heavy.Skip(t, "starts many programs")
	for _, attack := range []struct {
		name string
		try  func(*testing.T)
	}{
		{"D2 cookies at every port", attackCookies},
		{"D4 messages that were written and never read", attackDelivery},
		{"D5 a flood", attackFlood},
		{"D5 a crash", attackCrash},
		{"D6 no checkpoint", attackNoCheckpoint},
		{"D6 no weights", attackNoWeights},
		{"D6 a damaged checkpoint", attackDamagedCheckpoint},
		{"D6 no metrics", attackNoMetrics},
		{"D7 a socket after the logout", attackLogout},
		{"D7 the token in cells", attackToken},
		{"D7 no word about an open kernel", attackOpenKernel},
		{"D7 a request that was recorded", attackReplay},
		{"D8 garbage in the kernel's channel", attackChannel},
		{"D9 one file, two names", attackAlias},
		{"D9 hidden behind a link", attackHidden},
		{"D9 a deeply nested notebook", attackNested},
		{"D9 writable where nothing is", attackWritable},
		{"D9 half-written files", attackOrphans},
		{"D10 a long text in TOML", attackLongText},
		{"D10 a named pipe for a checkpoint", attackPipe},
		{"D10 a closed terminal", attackHangup},
		{"D10 an empty configuration", attackEmpty},
	} {
		t.Run(attack.name, func(t *testing.T) {
			t.Parallel()
			attack.try(t)
		})
	}
}

// served starts a server of a folder with one notebook.
func served(t *testing.T) (p *servertest.Process, folder string) {
	t.Helper()
	folder = t.TempDir()
	writeNotebook(t, filepath.Join(folder, "n.ipynb"))
	p, err := servertest.Start(program(), folder, "--kernel-memory", "2GB")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p, folder
}

// client is one of a new kernel.
func client(t *testing.T, p *servertest.Process) *servertest.Client {
	t.Helper()
	kernel, err := p.Open("n.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	return &servertest.Client{Host: p.Host, Token: p.Token, Kernel: kernel, Session: "tab"}
}

func cellOf(t *testing.T, c *servertest.Client, code string) servertest.Cell {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cell, err := c.Run(ctx, code, "")
	if err != nil {
		t.Fatal(err)
	}
	return cell
}

// login opens the page as a browser does: cookies, and the proof that the page keeps.
func login(t *testing.T, p *servertest.Process) (cookies []*http.Cookie, proof string) {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	browser := http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	request, _ := http.NewRequest("GET", "http://"+p.Host+"/tree?token="+p.Token, nil)
	answer, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	cookies = jar.Cookies(request.URL)
	for _, c := range cookies {
		if c.Name == "_xsrf" {
			proof = c.Value
		}
	}
	if _, fragment, ok := strings.Cut(answer.Header.Get("Location"), "#proof="); ok {
		proof, _, _ = strings.Cut(fragment, ".")
	}
	return cookies, proof
}

// ask sends a request with cookies and headers and returns its status.
func ask(t *testing.T, method, address string, cookies []*http.Cookie, headers ...string) int {
	t.Helper()
	request, _ := http.NewRequest(method, address, nil)
	for _, c := range cookies {
		request.AddCookie(c)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// A program at another port of this machine gets the cookies, and knows nothing else.
func attackCookies(t *testing.T) {
	p, _ := served(t)
	cookies, _ := login(t, p)
	if len(cookies) == 0 {
		t.Fatal("no cookies")
	}
	for _, c := range cookies {
		status := ask(t, "GET", "http://"+p.Host+"/api/contents/n.ipynb", cookies, "Origin: http://"+p.Host,
			"X-XSRFToken: "+c.Value)
		if status != http.StatusForbidden {
			t.Errorf("a notebook is read with cookies alone: status %d", status)
		}
	}
}

func attackDelivery(t *testing.T) {
	p, _ := served(t)
	cut, err := servertest.Cut(p.Host, func(string) int64 { return 2000 + rand.Int64N(20_000) })
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	c := client(t, p)
	c.Through = cut.Host()
	cell := cellOf(t, c, "import (\"fmt\"; \"time\")\nfor i := range 6000 {\n\tfmt.Println(i)\n"+
		"\tif i%100 == 0 { time.Sleep(20*time.Millisecond) }\n}")
	if want := strings.Join(upTo(6000, "%d\n"), ""); cell.Text != want || c.Missing > 0 {
		t.Errorf("after %d cuts %d messages are missing, %d bytes of %d came", c.Cuts, c.Missing, len(cell.Text),
			len(want))
	}
	if c.Cuts < 3 {
		t.Errorf("%d cuts", c.Cuts)
	}
}

// What a cell prints beyond 10 MiB goes to a file.
func attackFlood(t *testing.T) {
	p, _ := served(t)
	cell := cellOf(t, client(t, p), "import (\"fmt\"; \"strings\")\nline := strings.Repeat(\"x\", 9999)\n"+
		"for range 4000 { fmt.Println(line) }")
	if n := len(cell.Text); n < 1<<20 || n > 12<<20 {
		t.Errorf("%.1f of 40 MB reach the client", float64(n)/1e6)
	}
}

// The dump of a crash with many goroutines is shown in part.
func attackCrash(t *testing.T) {
	p, _ := served(t)
	c := client(t, p)
	cellOf(t, c, "block := make(chan int)\nfor range 5000 { go func() { <-block }() }")
	runs := filepath.Join(t.TempDir(), "runs")
	go func() {
		for range 12_000 { // a kernel that is killed before would be replaced, and the cell run by the next
			if _, err := os.Stat(runs); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		for _, pid := range children(p.PID()) {
			_ = syscall.Kill(pid, syscall.SIGQUIT)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cell, err := c.Run(ctx, fmt.Sprintf("import (\"os\"; \"time\")\nos.WriteFile(%q, nil, 0o600)\n"+
		"time.Sleep(10*time.Minute)", runs), "")
	if err != nil || !strings.HasPrefix(cell.Error, "KernelDied") || len(cell.Text) > 1<<20 {
		t.Errorf("%.1f MB of the crash's dump reach the client; the cell ends with %q, the error is %v",
			float64(len(cell.Text))/1e6, cell.Error, err)
	}
}

func attackLogout(t *testing.T) {
	p, _ := served(t)
	c := client(t, p)
	cookies, proof := login(t, p)
	header := http.Header{"Origin": {"http://" + p.Host}}
	for _, k := range cookies {
		header.Add("Cookie", k.Name+"="+k.Value)
	}
	ws, _, err := websocket.DefaultDialer.Dial("ws://"+p.Host+"/api/kernels/"+c.Kernel+"/channels?session_id=x&proof="+
		proof, header)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if status := ask(t, "POST", "http://"+p.Host+"/logout", cookies, "Origin: http://"+p.Host, "X-XSRFToken: "+
		proof); status >= 400 {
		t.Fatalf("logout: status %d", status)
	}
	_ = ws.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		if _, _, err = ws.ReadMessage(); err != nil {
			break
		}
	}
	if strings.Contains(err.Error(), "timeout") {
		t.Error("the socket is open after the logout")
	}
}

// saved saves a notebook over a version and returns the answer's status.
func saved(p *servertest.Process, name, source, over string) int {
	body := fmt.Sprintf(`{"type":"notebook","format":"json","hash":%q,"content":{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"markdown","id":"a","metadata":{},"source":%q}]}}`,
		over, source)
	request, _ := http.NewRequest("PUT", "http://"+p.Host+"/api/contents/"+name, strings.NewReader(body))
	request.Header.Set("Authorization", "token "+p.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return answer.StatusCode
}

func attackAlias(t *testing.T) {
	p, folder := served(t)
	if err := os.Symlink("n.ipynb", filepath.Join(folder, "alias.ipynb")); err != nil {
		t.Fatal(err)
	}
	for round := range 40 {
		var model struct{ Hash string }
		if err := p.Call("GET", "/api/contents/n.ipynb?hash=1&content=1", nil, &model); err != nil || model.Hash == "" {
			t.Fatal(model, err)
		}
		var both atomic.Int32
		done := make(chan bool)
		for i, name := range []string{"n.ipynb", "alias.ipynb"} {
			go func() {
				if saved(p, name, fmt.Sprint("round ", round, " writer ", i), model.Hash) < 300 {
					both.Add(1)
				}
				done <- true
			}()
		}
		<-done
		<-done
		if n := both.Load(); n != 1 {
			t.Fatalf("%d of 2 writers that save over one version at the same time are told that it is saved (round %d)",
				n, round)
		}
	}
}

func attackHidden(t *testing.T) {
	p, folder := served(t)
	if err := os.Mkdir(filepath.Join(folder, ".hidden"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".hidden", "secret.txt"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".hidden", filepath.Join(folder, "shown")); err != nil {
		t.Fatal(err)
	}
	if err := p.Call("GET", "/api/contents/shown/secret.txt", nil, nil); err == nil {
		t.Error("a file in the hidden folder is read through the link")
	}
	if status := saved(p, "shown/new.ipynb", "x", ""); status < 400 {
		t.Errorf("a file in the hidden folder is written through the link: status %d", status)
	}
}

// 18 kB that would be written as 81 MB.
func attackNested(t *testing.T) {
	p, folder := served(t)
	deep := `{"type":"notebook","format":"json","content":{"nbformat":4,"nbformat_minor":5,"metadata":{"x":` +
		strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `},"cells":[]}}`
	request, _ := http.NewRequest("PUT", "http://"+p.Host+"/api/contents/deep.ipynb", strings.NewReader(deep))
	request.Header.Set("Authorization", "token "+p.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if info, err := os.Stat(filepath.Join(folder, "deep.ipynb")); err == nil && info.Size() > 1<<20 {
		t.Errorf("a notebook of %d bytes is saved as %d bytes", len(deep), info.Size())
	}
}

// attackWritable serves a folder of a file system that is mounted to be read only.
func attackWritable(t *testing.T) {
	folder := t.TempDir()
	writeNotebook(t, filepath.Join(folder, "n.ipynb"))
	inner := program()
	mounted := func(args ...string) *exec.Cmd {
		script := `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`
		cmd := exec.Command("unshare", append([]string{"-rm", "sh", "-c", script, folder}, args...)...)
		cmd.Env = inner.Env
		return cmd
	}
	if said, err := mounted("true").CombinedOutput(); err != nil {
		t.Skipf("nothing can be mounted here: %v: %s", err, said)
	}
	p, err := servertest.Start(mounted(inner.Args...), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	var model struct{ Writable bool }
	if err := p.Call("GET", "/api/contents/n.ipynb?content=0", nil, &model); err != nil {
		t.Fatal(err)
	}
	if model.Writable {
		t.Error("a notebook of a read-only file system is called writable")
	}
}

func attackOrphans(t *testing.T) {
	folder := t.TempDir()
	writeNotebook(t, filepath.Join(folder, "n.ipynb"))
	orphan := filepath.Join(folder, ".~0123abcd.tmp")
	old := time.Now().Add(-time.Hour)
	if err := os.WriteFile(orphan, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(orphan, old, old); err != nil {
		t.Fatal(err)
	}
	p, err := servertest.Start(program(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	for range 300 {
		if _, err := os.Stat(orphan); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("what a killed server left half written stays")
}
