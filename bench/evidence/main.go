// Command evidence works on the queue of trainings that the project's claims rest on (queue.toml), behind everything
// else: one run on each core, at the lowest priority, standing still while a measurement of speed is being made.
// Unfinished runs lie in the user's cache and continue from there. A run continues only with the CPU kernel with which
// it began, and only by a program that computes the same bits.
//
//	go build -o evidence ./bench/evidence   # a program of its own: what it computes does not change with the checkout
//	setsid ./evidence run -item cheetah-vel-control
//	./evidence status
//	go run ./bench/evidence pack            # in a checkout: finished runs into bench/evidence/runs, and results.json
//
// docs/evidence.md has the rules of each item and its result.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/home"
	_ "nacre/sim/families"
)

var errInterrupted = errors.New("interrupted")

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(errInterrupted)
	}()
	if err := act(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

const usage = "evidence run [-item NAME] [-processes N] | status | pack"

func act(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: " + usage)
	}
	if args[0] == "worker" { // what a queue starts for one run
		return sweep.Work(ctx, args[1], args[2:], experiment.Host{Workers: 1}, progress.Lines(os.Stderr, time.Minute))
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	only := flags.String("item", "", "one item of the queue")
	processes := flags.Int("processes", 0, "runs at a time, 0 for one on each core")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	items, err := load()
	if err != nil {
		return err
	}
	dir, err := home.Dir()
	if err != nil {
		return err
	}
	q := queue{items: items, dir: filepath.Join(dir, "evidence"), processes: *processes}
	if err := json.Unmarshal(resultsText, &q.committed); err != nil {
		return fmt.Errorf("results.json: %w", err)
	}
	if *only != "" {
		if q.items, err = q.named(*only); err != nil {
			return err
		}
	}
	switch args[0] {
	case "run":
		return q.run(ctx)
	case "status":
		return q.status()
	case "pack":
		return q.pack(".")
	}
	return fmt.Errorf("%q: usage: %s", args[0], usage)
}

// queue holds what is worked on, and where.
type queue struct {
	items     []Item
	dir       string
	processes int
	committed results // runs of earlier days and of other machines
}

func (q queue) named(name string) ([]Item, error) {
	var names []string
	for _, item := range q.items {
		if item.Name == name {
			return []Item{item}, nil
		}
		names = append(names, item.Name)
	}
	return nil, fmt.Errorf("the queue has no item %q: it has %s", name, strings.Join(names, ", "))
}

func say(text string) { fmt.Fprintln(os.Stderr, time.Now().UTC().Format("2006-01-02 15:04:05"), text) }

// status prints how far every run is.
func (q queue) status() error {
	for _, item := range q.items {
		for _, p := range q.committed.Runs {
			if p.Item == item.Name {
				fmt.Printf("%s: committed, 100 %%, %d steps, %s, bits %.8s, commit %s\n", p.Run, p.EnvSteps, p.Kernel,
					p.Bits, p.Commit)
			}
		}
		f, err := sweep.Open(filepath.Join(q.dir, item.Name))
		if errors.Is(err, os.ErrNotExist) || err != nil && item.Waits != "" {
			fmt.Printf("%s: waits for %s\n", item.Name, item.Waits)
			continue
		}
		if err != nil {
			fmt.Printf("%s: not begun\n", item.Name)
			continue
		}
		leaveOut(f, item.Name, q.committed)
		all, err := f.Status()
		if err != nil {
			return err
		}
		for _, r := range all {
			var p fingerprint
			if err := readJSON(begun(f, r.Run), &p); err != nil {
				return err
			}
			fmt.Printf("%s: %s, %.0f %%, %d steps, %v\n", r.Name, r.State, 100*r.Share, r.EnvSteps, p)
		}
	}
	return nil
}
