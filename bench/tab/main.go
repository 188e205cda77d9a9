// Command tab measures the time that a browser's tab needs to start the kernel of a static site, and to compute. It
// compares the computing with that of other libraries in the tab.
//
//	make site && go run ./bench/tab -what start -site out/site -loads 5
//	go run ./bench/tab -what update -rounds 5
//	go run ./bench/tab -what webgpu -rounds 5
//
// Start opens a notebook of the site in a headless Chromium and runs 1 + 1 in its first cell, in a new profile and
// again in the same one: milliseconds from the start of the navigation, by the page's clock, and the processor time of
// all threads of the page's process until then. Update measures three things natively, in Node and in Chromium: the
// benchmark's TCL-PEARL updates, a product of matrices (4,096 × 300 by 300 × 300), and the gradient of a critic's loss.
// jax-js and TensorFlow.js, on their WebAssembly devices, compute only the product and the gradient, without the
// optimiser's step that ours includes. Webgpu measures the same on the WebGPU devices of nacre and jax-js, with
// Chromium's software adapter and only the smaller update. There programs for GPUs run on a processor, so their times
// say nothing about a GPU. The libraries take turns; their results are compared with float64. npm installs them into
// this folder; they are no part of the program. A line of JSON for every row goes to standard output.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"nacre/bench/page"
	"nacre/internal/loopback"
)

func main() {
	log.SetFlags(0)
	what := flag.String("what", "update", "start, update or webgpu")
	site := flag.String("site", "out/site", "`folder` that nacre site wrote, for start")
	notebook := flag.String("notebook", "notebooks/quickstart.ipynb", "notebook of the site to open")
	loads := flag.Int("loads", 5, "times to open it, of each kind")
	rounds := flag.Int("rounds", 5, "times to compute each")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *what, *site, *notebook, *loads, *rounds); err != nil {
		log.Fatalf("tab: %v", err)
	}
}

func run(ctx context.Context, what, site, notebook string, loads, rounds int) error {
	if loads < 1 || rounds < 1 {
		return fmt.Errorf("-loads %d, -rounds %d: expected at least 1", loads, rounds)
	}
	if !slices.Contains([]string{"start", "update", "webgpu"}, what) {
		return fmt.Errorf("-what %q: expected start, update or webgpu", what)
	}
	program, err := page.Find()
	if err != nil {
		return err
	}
	switch what {
	case "update":
		return updates(ctx, program, rounds)
	case "webgpu":
		return webgpus(ctx, program, rounds)
	}
	return starts(ctx, program, site, notebook, loads)
}

// serve serves a handler to this machine and returns its address.
func serve(h http.Handler) (address string, end func(), err error) {
	l, err := loopback.Listen()
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(l) }() // ended by Close
	return "http://" + l.Addr().String() + "/", func() { s.Close() }, nil
}

// print writes a line of JSON.
func print(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// output runs a program in a folder and returns the lines it prints.
func output(ctx context.Context, dir, name string, args ...string) ([]string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}
