//go:build !js

package webgpu_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/wasm/build"
)

// worker runs a program for the browser as the kernel's worker does, and sends what it prints to the server.
const worker = `importScripts('wasm_exec.js');
const decoder = new TextDecoder();
let sent = Promise.resolve();
const send = text => sent = sent.then(() => fetch('said', {method: 'POST', body: text}));
globalThis.fs.writeSync = (fd, bytes) => (send(decoder.decode(bytes)), bytes.length);
const go = new Go();
go.argv = ['test', ...ARGUMENTS];
go.exit = code => send('EXIT ' + code + '\n');
WebAssembly.instantiateStreaming(fetch('test.wasm'), go.importObject)
	.then(r => go.run(r.instance), e => send(e + '\nEXIT 1\n'));
`

// The same tests as a program in a worker of a page, on the adapter that Chromium has without a GPU.
func TestInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("not tested: there is no Chromium")
	}
	dir := t.TempDir()
	if out, err := exec.Command("../../wasm/build.sh", "tests", ".", dir).CombinedOutput(); err != nil {
		t.Skipf("not tested: %s", out)
	}
	if out := inBrowser(t, browser, dir, "-test.v", "-test.run", "TestContract|TestNormals|TestFeedDrawsAsReplayDoes/(pairs|histories)$|TestPrograms/(tcl-pearl|rl2)|TestLost"); !strings.Contains(out, "\nPASS") || strings.Contains(out, "--- SKIP: TestContract ") {
		t.Errorf("in the browser:\n%s", out)
	}
}
