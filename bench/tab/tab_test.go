package main

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"nacre/bench/page"
	"nacre/internal/heavy"
)

func TestValue(t *testing.T) {
	if err := value(`[{"output_type": "execute_result", "data": {"text/plain": "2"}}]`); err != nil {
		t.Error(err)
	}
	for _, outputs := range []string{`[]`, `[{"data": {"text/plain": "3"}}]`, `[{"output_type": "error"}]`, `{`} {
		if value(outputs) == nil {
			t.Errorf("the outputs %s are taken for the value of 1 + 1", outputs)
		}
	}
}

// Rows come in the order of the first calls, with the medians of all, and rates by processor time.
func TestReport(t *testing.T) {
	found := judged{Off: map[string]map[string]float64{"a": {"product": 1e-6}, "b": {"product": 0}},
		Devices: map[string]string{"a": "wasm"}, Work: map[string]float64{"product": 2e9}}
	rows := rowsOf("Node", found, []call{
		{"b", "product", 0, 9, 1}, {"a", "product", 0, 9, 4}, {"a", "product", 1, 1, 2}, {"b", "product", 1, 1, 1},
		{"a", "product", 2, 2, 2},
	})
	if len(rows) != 2 || rows[0].Library != "b" || rows[0].Rate != 2 || rows[0].Wall != 5 {
		t.Errorf("%+v", rows)
	}
	if a := rows[1]; a.CPU != 2 || a.Rate != 1 || a.Wall != 2 || a.Rounds != 3 || a.Off != 1e-6 || a.Device != "wasm" {
		t.Errorf("%+v", a)
	}
}

// In Node: what a library computes wrongly is off, and one of which nothing is wrong is not.
func TestJudge(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node: install Node 18 or newer")
	}
	lines, err := output(t.Context(), ".", "node", "--input-type=module", "-e", `
		import { judge } from './turns.mjs';
		const want = { product: [4, -8], loss: 2, norm: 5 }, right = () => { const c = new Float32Array(1010); c[0] = 4; c[1009] = -8; return c; };
		const library = (product, critic) => ({ device: 'wasm', product: async () => product, critic: async () => critic });
		console.log(JSON.stringify((await judge({
			right: library(right(), { loss: 2, gradient: [[3], [0, 4]] }), nothing: library(new Float32Array(1010), { loss: 0, norm: 0 }),
			gradient: library(right(), { loss: 2, gradient: [[3], [0, 0]] }), element: library(right().fill(-9, 1009), { loss: 2, norm: 5 }),
		}, want)).off));`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"right":{"product":0,"critic":0},"nothing":{"product":1,"critic":1},"gradient":{"product":0,"critic":0.4},"element":{"product":0.125,"critic":0}}`
	if lines[0] != want {
		t.Errorf("%s\nwant\n%s", lines[0], want)
	}
}

// Both libraries compute the product and the gradient on Chromium's software adapter, right and by WebGPU.
func TestWebGPU(t *testing.T) {
	heavy.Skip(t, "an adapter that computes on a processor takes its time")
	program, err := page.Find()
	if err != nil {
		t.Skip(err)
	}
	for _, needed := range []string{"node", "npm"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("not tested: ", err)
		}
	}
	if _, err := os.Stat("node_modules"); err != nil {
		t.Skip("jax-js is not installed: run npm ci in bench/tab")
	}
	b, err := page.Start(t.Context(), program, page.SoftwareGPU...)
	if err != nil {
		t.Skip(err)
	}
	defer b.Close()
	b.Patience = 10 * time.Minute
	if !hasAdapter(t, b) {
		t.Skip("this Chromium has no adapter for WebGPU: install a newer one")
	}
	here, programs, err := prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(programs)
	rows, err := inChromium(b, "Chromium", "webgpu", []string{}, here, programs, 1)
	if err != nil {
		t.Fatal(err)
	}
	devices := map[string]string{"nacre": "webgpu:0/fp32 ", "jax-js": "webgpu"}
	seen := map[string]bool{}
	for _, m := range rows {
		seen[m.Library+" "+m.What] = true
		if d := devices[m.Library]; d == "" || !strings.HasPrefix(m.Device, d) {
			t.Errorf("%s computes on %q", m.Library, m.Device)
		}
		// In float32 no such sum comes out exact.
		if !(0 < m.Off && m.Off < 1e-5) || !(m.Wall > 0) || !(m.CPU > 0) || !(m.Rate > 0) {
			t.Errorf("%+v", m)
		}
	}
	for name := range devices {
		for _, what := range []string{"product", "critic"} {
			if !seen[name+" "+what] {
				t.Errorf("%s has no row of the %s", name, what)
			}
		}
	}
}

// hasAdapter reports whether pages of a browser have WebGPU.
func hasAdapter(t *testing.T, b *page.Browser) (has bool) {
	t.Helper()
	address, end, err := serve(http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	p, err := b.NewProfile()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Drop()
	tab, err := p.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	const ask = `(async () => Boolean(await navigator.gpu?.requestAdapter()))()`
	for range 50 { // until the address is there, where WebGPU may be
		if err := tab.Eval(ask, &has); err == nil && has {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

func TestUnknown(t *testing.T) {
	if err := run(t.Context(), "update", "", "", 5, 0); err == nil || !strings.Contains(err.Error(), "-rounds 0") {
		t.Errorf("no rounds: %v", err)
	}
	if err := run(t.Context(), "else", "", "", 1, 1); err == nil || !strings.Contains(err.Error(), `-what "else"`) {
		t.Errorf("another thing: %v", err)
	}
}
