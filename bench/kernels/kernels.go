// Package kernels times Jupyter kernels: this program's and whichever others are installed, all through the same client
// over ZeroMQ and one after the other, so that their figures can be set side by side.
//
//	for _, k := range kernels.Find(kernels.Peers) {
//		r, err := kernels.Measure(ctx, k, kernels.Options{Cells: 200, Lines: 10000, Limit: time.Minute})
//	}
package kernels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmq"
)

// Kernel is a kernel that can be started.
type Kernel struct {
	Name  string
	Argv  []string // with "{connection_file}"
	First string   // the cell that the first answer of a new kernel is measured with
	Small string   // the cell whose round trip is measured
	Print string   // a cell that prints as many lines as its %d says
}

// Peers are the kernels that ours is compared with, by the names of their kernelspecs.
var Peers = []Kernel{
	{Name: "gonb", First: "%%\n_ = 1 + 1", Small: "%%\n_ = 1 + 1",
		Print: "%%%%\nfor i := 0; i < %d; i++ { fmt.Println(i) }"},
	{Name: "gophernotes", First: "1 + 1", Small: "1 + 1",
		Print: "import \"fmt\"\nfor i := 0; i < %d; i++ { fmt.Println(i) }"},
	{Name: "python3", First: "1 + 1", Small: "1 + 1", Print: "for i in range(%d): print(i)"},
}

// Ours is this program's kernel on one of its engines; program is its path.
func Ours(program, engine string) Kernel {
	return Kernel{
		Name: "nacre " + engine, Argv: []string{program, "kernel", "--engine", engine, "--connection-file",
			"{connection_file}"}, First: "1 + 1", Small: "1 + 1",
		Print: "import \"fmt\"\nfor i := 0; i < %d; i++ { fmt.Println(i) }",
	}
}

// Find completes the kernels whose kernelspec is installed and names the others.
func Find(wanted []Kernel) (found []Kernel, absent []string) {
	for _, k := range wanted {
		for _, dir := range specDirs() {
			var spec zmq.Spec
			b, err := os.ReadFile(filepath.Join(dir, k.Name, "kernel.json"))
			if err == nil && json.Unmarshal(b, &spec) == nil && len(spec.Argv) > 0 {
				k.Argv = spec.Argv
				break
			}
		}
		if k.Argv == nil {
			absent = append(absent, k.Name)
		} else {
			found = append(found, k)
		}
	}
	return found, absent
}

// specDirs are the folders in which Jupyter looks for kernelspecs.
func specDirs() []string {
	var dirs []string
	for _, d := range filepath.SplitList(os.Getenv("JUPYTER_PATH")) {
		dirs = append(dirs, filepath.Join(d, "kernels"))
	}
	if prefix := os.Getenv("VIRTUAL_ENV"); prefix != "" {
		d, _ := zmq.SpecDir(prefix)
		dirs = append(dirs, d)
	}
	if d, err := zmq.SpecDir(""); err == nil {
		dirs = append(dirs, d)
	}
	return append(dirs, "/usr/local/share/jupyter/kernels", "/usr/share/jupyter/kernels")
}

// Options says how much is measured.
type Options struct {
	Cells int           // round trips of the small cell
	Lines int           // printed by one cell
	Limit time.Duration // for the round trips of one kernel: one that compiles every cell does fewer
}

// Result holds what was measured of a kernel. Times are in milliseconds.
type Result struct {
	Name     string  `json:"kernel"`
	First    float64 `json:"first_cell_ms"` // from starting the process to the end of its first cell
	Cells    int     `json:"cells"`         // round trips measured
	P50      float64 `json:"round_trip_p50_ms"`
	P99      float64 `json:"round_trip_p99_ms"`
	Print    float64 `json:"print_ms"`          // to print Lines lines, to the end of the cell
	Lines    int     `json:"lines"`             // that arrived
	Messages int     `json:"stream_messages"`   // that carried them
	Problem  string  `json:"problem,omitempty"` // why figures are missing
}

// Measure starts a kernel, measures it and ends it.
func Measure(ctx context.Context, k Kernel, p Options) (r Result, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, 3*time.Minute,
		errors.New("the measurement took more than three minutes"))
	defer stop()
	r.Name = k.Name
	dir, err := os.MkdirTemp("", "nacre-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	c, err := zmq.NewConnection()
	if err != nil {
		return r, err
	}
	file := filepath.Join(dir, "kernel.json")
	if err := c.Write(file); err != nil {
		return r, err
	}
	argv := slices.Clone(k.Argv)
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], "{connection_file}", file)
	}
	began := time.Now()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		return r, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(fmt.Errorf("the kernel's process ended: %w", orEnd(cmd.Wait())))
	}()
	defer func() {
		_ = cmd.Process.Kill()
		<-ended
	}()
	link, err := zmq.Dial(ctx, c)
	if err != nil {
		return r, fmt.Errorf("%s: %w", k.Name, errors.Join(err, context.Cause(ctx)))
	}
	defer link.Close()
	defer shutdown(link, ended)
	if _, err := run(ctx, link, k.First, nil); err != nil {
		return r, fmt.Errorf("%s: %w", k.Name, err)
	}
	r.First = milliseconds(time.Since(began))
	if err := r.roundTrips(ctx, link, k, p); err != nil {
		return r, fmt.Errorf("%s: %w", k.Name, err)
	}
	return r, r.print(ctx, link, k, p)
}

func (r *Result) roundTrips(ctx context.Context, link *zmq.Link, k Kernel, p Options) error {
	var times []float64
	until := time.Now().Add(p.Limit)
	for len(times) < p.Cells && (time.Now().Before(until) || len(times) < 3) {
		took, err := run(ctx, link, k.Small, nil)
		if err != nil {
			return err
		}
		times = append(times, milliseconds(took))
	}
	slices.Sort(times)
	at := func(q float64) float64 { return stat.Quantile(q, stat.Empirical, times, nil) }
	r.Cells, r.P50, r.P99 = len(times), at(0.5), at(0.99)
	return nil
}

func (r *Result) print(ctx context.Context, link *zmq.Link, k Kernel, p Options) error {
	took, err := run(ctx, link, fmt.Sprintf(k.Print, p.Lines), func(m *jupyter.Message) {
		var s struct{ Text string }
		if m.Type() == "stream" && m.Decode(&s) == nil {
			r.Messages++
			r.Lines += strings.Count(s.Text, "\n")
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", k.Name, err)
	}
	r.Print = milliseconds(took)
	return nil
}

// shutdown asks a kernel to end, so that it can end what it has started, and waits for that a moment.
func shutdown(link *zmq.Link, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_, _ = link.Request(ctx, jupyter.Control, "shutdown_request", map[string]bool{"restart": false}, nil)
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// orEnd is the error of a process that should not have ended.
func orEnd(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// run times a cell from its request to its idle status and reply.
func run(ctx context.Context, link *zmq.Link, code string, on func(*jupyter.Message)) (time.Duration, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, errors.New("a cell took more than two minutes"))
	defer cancel()
	began := time.Now()
	reply, err := link.Execute(ctx, jupyter.ExecuteRequest{Code: code}, on)
	if err == nil && reply.Status != "ok" {
		err = fmt.Errorf("%s: %s", reply.Name, reply.Value)
	}
	return time.Since(began), err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
