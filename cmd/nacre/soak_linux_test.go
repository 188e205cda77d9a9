package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/server/servertest"
)

// program is the command to test as a process of its own: what NACRE_BIN names, else this test.
func program(args ...string) *exec.Cmd {
	if path := os.Getenv("NACRE_BIN"); path != "" {
		return exec.Command(path, args...)
	}
	cmd, _ := separate(args...)
	cmd.Stderr = nil
	return cmd
}

// soakCells are what the kernels of a soak run again and again, with what each prints and shows; no text is whatever
// the first run to its end has printed, as results depend on the seed only.
var soakCells = []struct {
	id, code    string
	text, shown []string
}{
	{"print", `import ("fmt"; "time")
for i := range 1000 {
	fmt.Println("line", i)
	if i%50 == 0 { time.Sleep(10*time.Millisecond) }
}`, upTo(1000, "line %d\n"), nil},
	{"show", `import ("fmt"; "time"; "nacre/library/display")
for i := range 200 {
	display.Show(display.Text(fmt.Sprint("shown ", i)))
	if i%20 == 0 { time.Sleep(10*time.Millisecond) }
}`, nil, upTo(200, "shown %d")},
	{"train", `import ("crypto/sha256"; "fmt"; "os"; "path/filepath"; "nacre/experiment"; "nacre/experiment/progress"; "nacre/library/cell")
func must[T any](v T, err error) T { if err != nil { panic(err) }; return v }
func train() {
	dir := must(os.MkdirTemp("", "nacre-soak-"))
	defer os.RemoveAll(dir)
	cfg := must(experiment.Preset("quick/point-goal"))
	must(0, experiment.Change(&cfg, "pearl.iterations=3", "pearl.hidden=16", "pearl.encoder_hidden=16", "pearl.meta_batch=4", "pearl.batch=16",
		"pearl.updates_per_iteration=40", "pearl.initial_steps=40", "pearl.tasks_per_iteration=3", "train_tasks=6", "test_tasks=4", "evaluation.every=2"))
	t := must(experiment.Start(filepath.Join(dir, "run"), cfg, experiment.Host{}))
	defer t.Close()
	for i := range 3 { fmt.Println("before training", i) }
	must(0, t.Train(cell.Context(), progress.Silent()))
	fmt.Printf("%d updates, %x\n", t.Updates(), sha256.Sum256(must(os.ReadFile(filepath.Join(dir, "run", experiment.WeightsFile)))))
}
train()`, nil, nil},
}

func upTo(n int, format string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(format, i))
	}
	return list
}

// soak is a server under way.
type soak struct {
	*testing.T
	*servertest.Process
	cut     *servertest.Cutter
	clients []*servertest.Client

	mu      sync.Mutex
	trained string // what the training prints
	cells   int    // that ended
	died    int    // of them with their kernel
}

// A server with several kernels that print, show and train, whose clients' connections break off again and again and
// whose kernels are killed at random, loses nothing, says nothing wrong, and leaves nothing behind. NACRE_SOAK is for
// how long, such as 1h; without it, seconds, and on a busy machine until a kernel has been killed. make soak runs it.
func TestSoak(t *testing.T) {
	kernels, length, pause, between := 3, 5*time.Second, 100*time.Millisecond, 2*time.Second
	if text := os.Getenv("NACRE_SOAK"); text == "" {
		heavy.Skip(t, "kernels are killed for seconds")
	} else {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		kernels, pause, between = 8, 16*time.Second, 20*time.Second
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder) // what killed cells leave there goes with it
	for i := range kernels {
		writeNotebook(t, filepath.Join(folder, fmt.Sprintf("%d.ipynb", i)))
	}
	p, err := servertest.Start(program(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	cut, err := servertest.Cut(p.Host, func(string) int64 { return 2000 + rand.Int64N(50_000) })
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	s := &soak{T: t, Process: p, cut: cut}
	var workers sync.WaitGroup
	round := func(until func(turn int) bool) {
		for i, c := range s.clients {
			workers.Go(func() {
				for turn := 0; until(turn) && !t.Failed(); turn++ {
					s.turn(c, i)
					time.Sleep(time.Duration(rand.Int64N(int64(pause))))
				}
			})
		}
	}
	for i := range kernels {
		kernel, err := p.Open(fmt.Sprintf("%d.ipynb", i))
		if err != nil {
			t.Fatal(err)
		}
		s.clients = append(s.clients, &servertest.Client{Host: p.Host, Through: cut.Host(), Token: p.Token,
			Kernel: kernel, Session: fmt.Sprint("tab-", i), After: i%2 == 0})
	}
	round(func(turn int) bool { return turn < 1 }) // so that all kernels have started and computed once
	workers.Wait()
	start, most := s.state(), usage{}
	began := time.Now()
	var killed atomic.Int64
	round(func(int) bool { return time.Since(began) < length || killed.Load() == 0 })
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { defer close(stopped); s.kill(between, &killed, stop) }()
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	for over, next := false, time.Now(); !over; {
		select {
		case <-done:
			over = true
		case <-time.After(time.Second):
			u := s.state()
			most = usage{max(most.server, u.server), max(most.kernels, u.kernels), max(most.files, u.files),
				max(most.processes, u.processes)}
			if time.Since(next) > 5*time.Minute {
				next = time.Now()
				t.Logf("after %v: %v", time.Since(began).Round(time.Second), u)
			}
		}
	}
	close(stop)
	<-stopped
	kills := int(killed.Load())
	round(func(turn int) bool { return turn < 1 }) // replaces who was killed last
	workers.Wait()
	end := s.state()
	s.report(kills, start, most, end)
	s.check(kills, start, end)
}

// turn runs the cells once and compares what came, and what the notebook has, with what they print.
func (s *soak) turn(c *servertest.Client, i int) {
	for _, cell := range soakCells {
		ctx, cancel := context.WithTimeout(s.Context(), 3*time.Minute)
		got, err := c.Run(ctx, cell.code, cell.id)
		cancel()
		if err != nil {
			s.Errorf("kernel %d, %s: %v", i, cell.id, err)
			return
		}
		text := strings.Join(cell.text, "")
		s.mu.Lock()
		s.cells++
		died := strings.HasPrefix(got.Error, "KernelDied")
		if died {
			s.died++
		}
		if cell.id == "train" {
			if s.trained == "" && !died {
				s.trained = got.Text
			}
			text = s.trained
		}
		s.mu.Unlock()
		whole := got.Text == text && slices.Equal(got.Shown, cell.shown) && got.Error == ""
		part := died && strings.HasPrefix(text, got.Text) && len(got.Shown) <= len(cell.shown) &&
			slices.Equal(got.Shown, cell.shown[:len(got.Shown)])
		if !whole && !part {
			s.Errorf("kernel %d, %s, after %d cuts: %d bytes of %d, %d displays of %d, error %q", i, cell.id, got.Cuts,
				len(got.Text), len(text), len(got.Shown), len(cell.shown), got.Error)
		}
		if kept := notebookText(s.T, s.Process, fmt.Sprintf("%d.ipynb", i), cell.id); kept != got.Text+
			strings.Join(got.Shown, "\n") {
			s.Errorf("kernel %d, %s: the notebook has %d bytes, the client %d", i, cell.id, len(kept),
				len(got.Text)+len(got.Shown))
		}
	}
}

// notebookText is what a notebook has of a cell: what was printed, and the texts of displays, one a line.
func notebookText(t *testing.T, p *servertest.Process, name, id string) string {
	t.Helper()
	var file struct {
		Content struct {
			Cells []struct {
				ID      string
				Outputs []struct {
					Text any
					Data map[string]any
				}
			}
		}
	}
	if err := p.Call("GET", "/api/contents/"+name, nil, &file); err != nil {
		t.Error(err)
	}
	var text string
	var shown []string
	for _, c := range file.Content.Cells {
		if c.ID != id {
			continue
		}
		for _, o := range c.Outputs {
			text += joined(o.Text)
			if o.Data != nil {
				shown = append(shown, joined(o.Data["text/plain"]))
			}
		}
	}
	return text + strings.Join(shown, "\n")
}

// joined is a text of a notebook, which may be a list of lines.
func joined(v any) string {
	list, isList := v.([]any)
	if !isList {
		text, _ := v.(string)
		return text
	}
	var b strings.Builder
	for _, line := range list {
		fmt.Fprint(&b, line)
	}
	return b.String()
}

// kill ends a random kernel again and again and counts how often. On a busy machine a kernel that was killed may still
// be there the next time: it is not killed twice.
func (s *soak) kill(between time.Duration, kills *atomic.Int64, stop <-chan struct{}) {
	dying := map[int]bool{}
	for {
		select {
		case <-stop:
			return
		case <-time.After(between/2 + time.Duration(rand.Int64N(int64(between)))):
		}
		list := slices.DeleteFunc(children(s.PID()), func(pid int) bool { return dying[pid] })
		if len(list) == 0 {
			continue
		}
		if pid := list[rand.IntN(len(list))]; syscall.Kill(pid, syscall.SIGKILL) == nil {
			dying[pid] = true
			kills.Add(1)
		}
	}
}

// usage is what a server and its kernels use.
type usage struct {
	server, kernels  int // memory, MiB
	files, processes int // open files of the server; kernels
}

func (u usage) String() string {
	return fmt.Sprintf("server %d MiB, kernels %d MiB, %d open files, %d kernels", u.server, u.kernels, u.files,
		u.processes)
}

func (s *soak) state() usage {
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.PID()))
	u := usage{server: resident(s.PID()), files: len(files)}
	for _, pid := range children(s.PID()) {
		u.kernels += resident(pid)
		u.processes++
	}
	return u
}

// resident is the memory of a process in MiB.
func resident(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib := 0
	_, _ = fmt.Sscan(rest, &kib)
	return kib >> 10
}

// children are the processes whose parent is one.
func children(parent int) (list []int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, f := range folders {
		status, _ := os.ReadFile(f + "/status")
		_, rest, _ := strings.Cut(string(status), "PPid:\t")
		line, _, _ := strings.Cut(rest, "\n")
		if pid, _ := strconv.Atoi(filepath.Base(f)); line == strconv.Itoa(parent) &&
			!strings.Contains(string(status), "State:\tZ") {
			list = append(list, pid)
		}
	}
	return list
}

func (s *soak) report(kills int, start, most, end usage) {
	var sum servertest.Client
	for _, c := range s.clients {
		sum.Sent, sum.Messages, sum.Twice, sum.Missing, sum.Cuts, sum.Forgotten =
			sum.Sent+c.Sent, sum.Messages+c.Messages, sum.Twice+c.Twice, sum.Missing+c.Missing, sum.Cuts+c.Cuts,
			sum.Forgotten+c.Forgotten
	}
	s.Logf("%d cells sent, %d ended, %d of them with their kernel; %d messages received, %d twice, %d missing; %d "+
		"connections cut; %d kernels killed",
		sum.Sent, s.cells, s.died, sum.Messages, sum.Twice, sum.Missing, sum.Cuts, kills)
	s.Logf("start: %v", start)
	s.Logf("most:  %v", most)
	s.Logf("end:   %v", end)
	if sum.Missing+sum.Forgotten > 0 {
		s.Errorf("%d messages are missing; %d times the server did not keep what a client had missed", sum.Missing,
			sum.Forgotten)
	}
	if sum.Cuts == 0 {
		s.Error("no cut of a connection has tested anything")
	}
}

// check ends the kernels and the server and looks for what stays.
func (s *soak) check(kills int, start, end usage) {
	if ends := strings.Count(s.Log(), "kernel ended"); ends != kills {
		s.Errorf("%d kernels ended, %d were killed: %s", ends, kills, s.Log())
	}
	if end.processes != len(s.clients) || end.files > start.files+2 {
		s.Errorf("at the start %v, at the end %v", start, end)
	}
	// What kernels have said is kept to 32 MB each.
	if bound := start.server + 32*len(s.clients) + 64; end.server > bound {
		s.Errorf("the server has %d MiB at the end, %d at the start", end.server, start.server)
	}
	left := children(s.PID())
	for _, c := range s.clients {
		if err := s.Call("DELETE", "/api/kernels/"+c.Kernel, nil, nil); err != nil {
			s.Error(err)
		}
	}
	if n := len(children(s.PID())); n > 0 {
		s.Errorf("%d kernels stay after they were deleted", n)
	}
	if err := s.Stop(); err != nil {
		s.Error(err)
	}
	for _, pid := range left {
		if syscall.Kill(pid, 0) == nil {
			s.Errorf("the kernel %d outlives its server", pid)
		}
	}
}

func writeNotebook(t *testing.T, path string) {
	t.Helper()
	cells := []any{}
	for _, c := range soakCells {
		cells = append(cells, map[string]any{"cell_type": "code", "id": c.id, "metadata": map[string]any{},
			"source": c.code, "outputs": []any{}, "execution_count": nil})
	}
	b, err := json.Marshal(map[string]any{"cells": cells, "metadata": map[string]any{}, "nbformat": 4,
		"nbformat_minor": 5})
	if err == nil {
		err = os.WriteFile(path, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
