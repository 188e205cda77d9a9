package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"nacre/analysis/stats"
	"nacre/bench/page"
	"nacre/core/cpu"
	"nacre/internal/usage"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// measured holds what one library took for one thing; seconds are medians of the rounds.
type measured struct {
	Where   string  `json:"where"` // native, Node or Chromium
	Library string  `json:"library"`
	Device  string  `json:"device"` // of the library's, by its own name
	What    string  `json:"what"`   // oyster, metaworld: updates; product; critic
	Rounds  int     `json:"rounds"`
	Wall    float64 `json:"wall_s"`
	CPU     float64 `json:"cpu_s"`  // of all its threads
	Rate    float64 `json:"gflops"` // by processor time
	Off     float64 `json:"off"`    // largest relative difference from float64, of an update from the reference figures
}

// judged holds what was found before the first round.
type judged struct {
	Off     map[string]map[string]float64 `json:"off"`
	Devices map[string]string             `json:"devices"`
	Work    map[string]float64            `json:"work"`
	Repeats map[string]float64            `json:"repeats"` // computations of a call
}

// call is one call of one library.
type call struct {
	Library, What string
	Round         int
	Wall, CPU     float64
}

// sizes are the benchmark's.
var sizes = []string{"oyster", "metaworld"}

func updates(ctx context.Context, chromium string, rounds int) error {
	here, programs, err := prepare(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	b, err := page.Start(ctx, chromium)
	if err != nil {
		return err
	}
	defer b.Close()
	for _, rows := range []func() ([]measured, error){
		func() ([]measured, error) { return native(rounds) },
		func() ([]measured, error) { return inNode(ctx, here, programs, rounds) },
		func() ([]measured, error) { return inChromium(b, "Chromium", "wasm", sizes, here, programs, rounds) },
	} {
		if err := report(rows()); err != nil {
			return err
		}
	}
	return nil
}

// clearing is a flag by which Chromium writes a loop into kernels that clears the memory of a workgroup. SwiftShader's
// own way, which it has otherwise, is a store per number and lane.
const clearing = "--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension"

// webgpus measures the libraries' WebGPU devices on Chromium's software adapter, in two browsers.
func webgpus(ctx context.Context, chromium string, rounds int) error {
	here, programs, err := prepare(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	for _, where := range []string{"Chromium", "Chromium, clearing in a loop"} {
		flags := page.SoftwareGPU
		if where != "Chromium" {
			flags = append(slices.Clone(flags), clearing)
		}
		b, err := page.Start(ctx, chromium, flags...)
		if err != nil {
			return err
		}
		b.Patience = 10 * time.Minute // to compile, on a processor
		rows, err := inChromium(b, where, "webgpu", sizes[:1], here, programs, rounds)
		b.Close()
		if err := report(rows, err); err != nil {
			return err
		}
	}
	return nil
}

// prepare installs the libraries and returns their folder, and one with the training core, which the caller removes.
func prepare(ctx context.Context) (here, programs string, err error) {
	root, err := output(ctx, ".", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", "", err
	}
	here = filepath.Join(root[0], "bench/tab")
	if _, err := os.Stat(filepath.Join(here, "node_modules")); err != nil {
		if _, err := output(ctx, here, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
			return "", "", err
		}
	}
	if programs, err = os.MkdirTemp("", "nacre-tab-"); err != nil {
		return "", "", err
	}
	if _, err := output(ctx, root[0], "wasm/build.sh", "program", "./bench/tab/program", programs); err != nil {
		os.RemoveAll(programs)
		return "", "", err
	}
	return here, programs, nil
}

// native times the updates with one worker, as a tab has.
func native(rounds int) ([]measured, error) {
	d, err := cpu.New(cpu.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	found := judged{Off: map[string]map[string]float64{"nacre": {}}, Devices: map[string]string{"nacre": d.Name()},
		Work: map[string]float64{}}
	var calls []call
	for _, size := range sizes {
		s, err := benchmark.Find(size)
		if err != nil {
			return nil, err
		}
		y, err := tclpearl.NewBenchmark(s, d)
		if err != nil {
			return nil, err
		}
		figures, err := y.Update(0)
		if err != nil {
			return nil, err
		}
		for name, want := range y.Expected(0) {
			found.Off["nacre"][size] = max(found.Off["nacre"][size], math.Abs(figures[name]/want-1))
		}
		found.Work[size] = float64(y.FLOPs())
		for round := range rounds {
			c, err := timed(y.Run)
			if err != nil {
				return nil, err
			}
			c.Library, c.What, c.Round = "nacre", size, round
			calls = append(calls, c)
		}
		if err := y.Close(); err != nil {
			return nil, err
		}
	}
	return rowsOf("native, "+runtime.GOARCH, found, calls), nil
}

func inNode(ctx context.Context, here, dir string, rounds int) ([]measured, error) {
	lines, err := output(ctx, here, "node", "node.mjs", filepath.Join(dir, "wasm_exec.js"),
		filepath.Join(dir, "program.wasm"), strconv.Itoa(rounds), strings.Join(sizes, ","))
	if err != nil {
		return nil, err
	}
	var found judged
	if err := json.Unmarshal([]byte(lines[0]), &found); err != nil {
		return nil, fmt.Errorf("node.mjs printed %q: %w", lines[0], err)
	}
	calls := make([]call, len(lines)-1)
	for i, line := range lines[1:] {
		if err := json.Unmarshal([]byte(line), &calls[i]); err != nil {
			return nil, fmt.Errorf("node.mjs printed %q: %w", line, err)
		}
	}
	return rowsOf("Node", found, calls), nil
}

// inChromium has the libraries' devices of a kind, wasm or webgpu, take turns in a page's worker.
func inChromium(b *page.Browser, where, device string, sizes []string, here, dir string,
	rounds int) ([]measured, error) {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(here)))
	mux.Handle("/program/", http.StripPrefix("/program/", http.FileServer(http.Dir(dir))))
	address, end, err := serve(mux)
	if err != nil {
		return nil, err
	}
	defer end()
	p, err := b.NewProfile()
	if err != nil {
		return nil, err
	}
	defer p.Drop()
	t, err := p.Open(address + "page.html")
	if err != nil {
		return nil, err
	}
	ask := func(question, answer any) error {
		q, err := json.Marshal(question)
		if err != nil {
			return err
		}
		return t.Eval("new Promise(r => { const w = () => window.ask ? r() : setTimeout(w, 10); w(); }).then(() => "+
			"ask("+string(q)+"))", answer)
	}
	var found judged
	if err := ask(map[string]any{"kind": "start", "device": device, "updates": sizes}, &found); err != nil {
		return nil, err
	}
	var calls []call
	for round := range rounds {
		var order [][2]string
		if err := ask(map[string]any{"kind": "order", "round": round}, &order); err != nil {
			return nil, err
		}
		for _, o := range order {
			c := call{Library: o[0], What: o[1], Round: round}
			before, err := b.Used(page.Pages, page.GPU)
			if err != nil {
				return nil, err
			}
			if err := ask(map[string]any{"kind": "call", "library": o[0], "what": o[1]}, &c.Wall); err != nil {
				return nil, err
			}
			after, err := b.Used(page.Pages, page.GPU)
			if err != nil {
				return nil, err
			}
			c.CPU = after.Since(before) / found.Repeats[c.What]
			calls = append(calls, c)
		}
	}
	return rowsOf(where, found, calls), nil
}

// timed runs f.
func timed(f func() error) (c call, err error) {
	start, used := time.Now(), usage.CPU()
	err = f()
	return call{Wall: time.Since(start).Seconds(), CPU: usage.CPU() - used}, err
}

// report prints the rows, unless there is an error.
func report(rows []measured, err error) error {
	for _, m := range rows {
		if err == nil {
			err = print(m)
		}
	}
	return err
}

// rowsOf is a row for every library and thing, in the order of their first calls.
func rowsOf(where string, found judged, calls []call) (rows []measured) {
	type key struct{ library, what string }
	var order []key
	walls, cpus := map[key][]float64{}, map[key][]float64{}
	for _, c := range calls {
		k := key{c.Library, c.What}
		if walls[k] == nil {
			order = append(order, k)
		}
		walls[k], cpus[k] = append(walls[k], c.Wall), append(cpus[k], c.CPU)
	}
	for _, k := range order {
		m := measured{Where: where, Library: k.library, Device: found.Devices[k.library], What: k.what,
			Rounds: len(walls[k]), Wall: stats.Median(walls[k]), CPU: stats.Median(cpus[k]),
			Off: found.Off[k.library][k.what]}
		m.Rate = found.Work[k.what] / m.CPU / 1e9
		rows = append(rows, m)
	}
	return rows
}
