//go:build !js

package webgpu_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// page runs the tests in a worker, as pages run the kernel, and sends what they print to the server.
const page = `<!doctype html><script>new Worker('worker.js')</script>`

const worker = `importScripts('wasm_exec.js');
const decoder = new TextDecoder();
let sent = Promise.resolve();
const send = text => sent = sent.then(() => fetch('said', {method: 'POST', body: text}));
globalThis.fs.writeSync = (fd, bytes) => (send(decoder.decode(bytes)), bytes.length);
const go = new Go();
go.argv = ['test', %s];
go.exit = code => send('EXIT ' + code + '\n');
WebAssembly.instantiateStreaming(fetch('test.wasm'), go.importObject)
	.then(r => go.run(r.instance), e => send(e + '\nEXIT 1\n'));
`

// The same tests as a program in a worker of a page, on the adapter that Chromium has without a GPU: the contract, drawing,
// an algorithm's programs, and a device that the page destroys.
func TestInBrowser(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("../../wasm/build.sh", "tests", "./core/webgpu", dir).CombinedOutput(); err != nil {
		t.Skipf("not tested: the tests cannot be built for the browser: %s", out)
	}
	said := inBrowser(t, dir, `'-test.v', '-test.run', '^(TestContract|TestNormals|TestPrograms|TestLost)$/^(update|same_bits|nothing_left|close|pearl)?$'`)
	for _, name := range []string{"TestContract/update", "TestContract/nothing_left", "TestNormals", "TestPrograms/pearl", "TestLost"} {
		if !strings.Contains(said, "--- PASS: "+name+" ") {
			t.Errorf("%s does not pass in the browser", name)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}

// inBrowser runs the program in a folder in a headless Chromium and returns what it prints.
func inBrowser(t *testing.T, dir, arguments string) string {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
		}
	}
	if program == "" {
		t.Skip("not tested: there is no Chromium")
	}
	var mu sync.Mutex
	var said strings.Builder
	ended := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/start", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	})
	mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, worker, arguments)
	})
	mux.HandleFunc("/said", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if said.Write(text); strings.Contains(string(text), "EXIT ") {
			close(ended)
		}
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	ctx, cancel := context.WithCancel(context.Background())
	// It opens nothing but the page above, so it may do without its sandbox, which many containers and root lack.
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--user-data-dir="+t.TempDir(), "--enable-unsafe-webgpu",
		"--use-webgpu-adapter=swiftshader", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", srv.URL+"/start")
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Skipf("not tested: %v", err)
	}
	select {
	case <-ended:
	case <-time.After(8 * time.Minute):
		t.Error("the browser has not ended the tests in eight minutes")
	}
	cancel()
	cmd.Wait()
	mu.Lock()
	defer mu.Unlock()
	return said.String()
}
