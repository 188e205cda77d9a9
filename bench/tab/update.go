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
	"strconv"
	"strings"
	"time"

	"nacre/bench/cputime"
	"nacre/bench/page"
	"nacre/core/cpu"
	"nacre/rl/yardstick"
	"nacre/tcl/tclpearl"
)

// measured is what one library took for one thing; seconds are medians of the rounds.
type measured struct {
	Where   string  `json:"where"` // native, Node or Chromium
	Library string  `json:"library"`
	What    string  `json:"what"` // oyster, metaworld: updates; product; critic
	Rounds  int     `json:"rounds"`
	Wall    float64 `json:"wall_s"`
	CPU     float64 `json:"cpu_s"`  // of all its threads
	Rate    float64 `json:"gflops"` // by processor time
	Off     float64 `json:"off"`    // largest relative difference from float64, of an update from the reference figures
}

// judged is what was found before the first round.
type judged struct {
	Off     map[string]map[string]float64 `json:"off"`
	Work    map[string]float64            `json:"work"`
	Repeats map[string]float64            `json:"repeats"` // computations of a call
}

// call is one call of one library.
type call struct {
	Library, What string
	Round         int
	Wall, CPU     float64
}

func updates(ctx context.Context, b *page.Browser, rounds int) error {
	root, err := output(ctx, ".", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	here := filepath.Join(root[0], "bench/tab")
	if _, err := os.Stat(filepath.Join(here, "node_modules")); err != nil {
		if _, err := output(ctx, here, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "nacre-tab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := output(ctx, root[0], "wasm/build.sh", "program", "./bench/tab/program", dir); err != nil {
		return err
	}
	if err := native(rounds); err != nil {
		return err
	}
	if err := inNode(ctx, here, dir, rounds); err != nil {
		return err
	}
	return inChromium(b, here, dir, rounds)
}

// native times the updates with one worker, as a tab has.
func native(rounds int) error {
	d, err := cpu.New(cpu.Options{Workers: 1})
	if err != nil {
		return err
	}
	found := judged{Off: map[string]map[string]float64{"nacre": {}}, Work: map[string]float64{}}
	var calls []call
	for _, size := range []string{"oyster", "metaworld"} {
		s, err := yardstick.Find(size)
		if err != nil {
			return err
		}
		y, err := tclpearl.NewYardstick(s, d)
		if err != nil {
			return err
		}
		figures, err := y.Update(0)
		if err != nil {
			return err
		}
		for name, want := range y.Expected(0) {
			found.Off["nacre"][size] = max(found.Off["nacre"][size], math.Abs(figures[name]/want-1))
		}
		found.Work[size] = float64(y.FLOPs())
		for round := range rounds {
			c, err := timed(y.Run)
			if err != nil {
				return err
			}
			c.Library, c.What, c.Round = "nacre", size, round
			calls = append(calls, c)
		}
		if err := y.Close(); err != nil {
			return err
		}
	}
	return report("native, "+strings.TrimPrefix(d.Name(), "cpu/")+", "+runtime.GOARCH, found, calls)
}

func inNode(ctx context.Context, here, dir string, rounds int) error {
	lines, err := output(ctx, here, "node", "node.mjs", filepath.Join(dir, "wasm_exec.js"), filepath.Join(dir, "program.wasm"), strconv.Itoa(rounds))
	if err != nil {
		return err
	}
	var found judged
	if err := json.Unmarshal([]byte(lines[0]), &found); err != nil {
		return fmt.Errorf("node.mjs printed %q: %w", lines[0], err)
	}
	calls := make([]call, len(lines)-1)
	for i, line := range lines[1:] {
		if err := json.Unmarshal([]byte(line), &calls[i]); err != nil {
			return fmt.Errorf("node.mjs printed %q: %w", line, err)
		}
	}
	return report("Node", found, calls)
}

func inChromium(b *page.Browser, here, dir string, rounds int) error {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(here)))
	mux.Handle("/program/", http.StripPrefix("/program/", http.FileServer(http.Dir(dir))))
	address, end, err := serve(mux)
	if err != nil {
		return err
	}
	defer end()
	p, err := b.NewProfile()
	if err != nil {
		return err
	}
	defer p.Drop()
	t, err := p.Open(address + "page.html")
	if err != nil {
		return err
	}
	ask := func(question, answer any) error {
		q, err := json.Marshal(question)
		if err != nil {
			return err
		}
		return t.Eval("new Promise(r => { const w = () => window.ask ? r() : setTimeout(w, 10); w(); }).then(() => ask("+string(q)+"))", answer)
	}
	var found judged
	if err := ask(map[string]any{"kind": "start"}, &found); err != nil {
		return err
	}
	var calls []call
	for round := range rounds {
		var order [][2]string
		if err := ask(map[string]any{"kind": "order", "round": round}, &order); err != nil {
			return err
		}
		for _, o := range order {
			c := call{Library: o[0], What: o[1], Round: round}
			before, err := b.Used()
			if err != nil {
				return err
			}
			if err := ask(map[string]any{"kind": "call", "library": o[0], "what": o[1]}, &c.Wall); err != nil {
				return err
			}
			after, err := b.Used()
			if err != nil {
				return err
			}
			c.CPU = after.Since(before) / found.Repeats[c.What]
			calls = append(calls, c)
		}
	}
	return report("Chromium", found, calls)
}

// timed runs f.
func timed(f func() error) (c call, err error) {
	start, used := time.Now(), cputime.Seconds()
	err = f()
	return call{Wall: time.Since(start).Seconds(), CPU: cputime.Seconds() - used}, err
}

// report prints the rows.
func report(where string, found judged, calls []call) error {
	for _, m := range rowsOf(where, found, calls) {
		if err := print(m); err != nil {
			return err
		}
	}
	return nil
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
		m := measured{Where: where, Library: k.library, What: k.what, Rounds: len(walls[k]), Wall: middle(walls[k]), CPU: middle(cpus[k]), Off: found.Off[k.library][k.what]}
		m.Rate = found.Work[k.what] / m.CPU / 1e9
		rows = append(rows, m)
	}
	return rows
}
