//go:build !js

// Package testpage runs the tests of a package in a browser, as a program in a worker of a page.
package testpage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
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
go.env = %s;
go.argv = %s;
go.exit = code => send('EXIT ' + code + '\n');
WebAssembly.instantiateStreaming(fetch('test.wasm'), go.importObject)
	.then(r => go.run(r.instance), e => send(e + '\nEXIT 1\n'));
`

// Tests builds a package's tests for the browser, runs those that match pattern in a headless Chromium, within limit,
// and returns their output. The test is skipped if they cannot be built or there is no Chromium. The argument pkg is
// the package's path from the module's root, and root is the path from the test's folder to the module's root.
func Tests(t *testing.T, root, pkg, pattern string, env map[string]string, limit time.Duration) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command(filepath.Join(root, "wasm", "build.sh"), "tests", pkg,
		dir).CombinedOutput(); err != nil {
		t.Skipf("the tests cannot be built for the browser: %s", out)
	}
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: run make browser")
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
		variables, _ := json.Marshal(env)
		words, _ := json.Marshal([]string{"test", "-test.v", "-test.run", pattern})
		fmt.Fprintf(w, worker, variables, words)
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
	// It opens only the page above, so it needs no sandbox, which many containers and root do not have.
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--user-data-dir="+t.TempDir(),
		"--enable-unsafe-webgpu",
		"--use-webgpu-adapter=swiftshader", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", srv.URL+"/start")
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Skipf("not tested: %v", err)
	}
	select {
	case <-ended:
	case <-time.After(limit):
		t.Errorf("the browser has not ended the tests in %v", limit)
	}
	cancel()
	cmd.Wait()
	mu.Lock()
	defer mu.Unlock()
	return said.String()
}
