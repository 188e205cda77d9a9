//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package webgpu_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"nacre/internal/heavy"
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

// The same tests as a program in a worker of a page, on the adapter that Chromium has without a GPU: the contract,
// drawing, two algorithms' programs, the yardstick, and a device that the page destroys. All of it, with the yardsticks
// at full size, takes long:
//
//	NACRE_WEBGPU_WHOLE=1 go test ./core/webgpu -run InBrowser -v -timeout 1h
func TestInBrowser(t *testing.T) {
	heavy.Skip(t, "it takes building the tests for the browser")
	dir := t.TempDir()
	if out, err := exec.Command("../../wasm/build.sh", "tests", "./core/webgpu", dir).CombinedOutput(); err != nil {
		t.Skipf("not tested: the tests cannot be built for the browser: %s", out)
	}
	parts := []string{"update", "same_bits", "nothing_left", "close"} // of the contract
	tests := []string{"TestContract", "TestNormals", "TestPrograms", "TestYardstick", "TestLost"}
	for _, algorithm := range []string{"tcl-pearl", "rl2"} { // of the programs; the whole run has all
		parts = append(parts, algorithm)
		tests = append(tests, "TestPrograms/"+algorithm)
	}
	pattern, env, limit := "^Test(Contract|Normals|Programs|Yardstick|Lost)$/^("+strings.Join(parts, "|")+")?$", map[string]string{}, 8*time.Minute
	whole := os.Getenv(wholeVariable) != ""
	if whole {
		pattern, limit = ".", time.Hour
		env[wholeVariable] = "1"
		tests = append(tests, "TestFeedDrawsAsReplayDoes", "TestYardsticksInFull")
	}
	said := inBrowser(t, dir, []string{"test", "-test.v", "-test.run", pattern}, env, limit)
	for _, name := range tests {
		if !strings.Contains(said, "--- PASS: "+name+" ") {
			t.Errorf("%s does not pass in the browser", name)
		}
	}
	if t.Failed() || whole {
		t.Log(said)
	}
}

// inBrowser runs the program in a folder in a headless Chromium and returns what it prints.
func inBrowser(t *testing.T, dir string, arguments []string, env map[string]string, limit time.Duration) string {
	t.Helper()
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
		words, _ := json.Marshal(arguments)
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
	// It opens nothing but the page above, so it may do without its sandbox, which many containers and root lack.
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--user-data-dir="+t.TempDir(), "--enable-unsafe-webgpu",
		"--use-webgpu-adapter=swiftshader", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", srv.URL+"/start")
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
