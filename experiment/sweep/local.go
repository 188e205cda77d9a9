package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
)

// Runner runs a sweep in processes of this machine.
type Runner struct {
	Local
	// Worker is the command that calls Work. Run adds the sweep's folder and the names of runs to it.
	Worker []string
	Show   progress.Progress
}

// RunFailure is a run whose process did not finish it.
type RunFailure struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
	Log    string `json:"log"`
}

// Outcome holds the result of a call of Runner.Run.
type Outcome struct {
	Kept     int          `json:"kept"`     // runs that were finished before
	Finished int          `json:"finished"` // runs that this call finished
	Failed   []RunFailure `json:"failed,omitempty"`
	Left     int          `json:"left"` // runs that are not finished because the sweep was interrupted
}

// Run works on all runs that are not finished, with Local.Processes processes at a time. Each process has its own cores
// and works on one run, or on Together runs of one system. A run that fails is reported, and the others continue. If
// ctx is cancelled, the processes save a checkpoint, and then Run returns the cause. The next call continues from
// there.
func (e Runner) Run(ctx context.Context, f *Folder) (Outcome, error) {
	status, err := f.Status()
	if err != nil {
		return Outcome{}, err
	}
	slots, err := e.slots()
	if err != nil {
		return Outcome{}, err
	}
	j := &jobs{Folder: f, engine: e, stage: e.Show.Stage("sweep "+f.Name, len(status)), active: map[string]bool{}}
	defer j.stage.Done()
	var left []Run
	for _, s := range status {
		if s.State == Finished {
			j.out.Kept++
			j.stage.Add(1)
		} else {
			left = append(left, s.Run)
		}
	}
	queue := make(chan []Run, len(left))
	for _, batch := range batches(left, max(1, e.Together)) {
		queue <- batch
	}
	close(queue)
	watching, stop := context.WithCancel(context.Background())
	go j.watch(watching)
	var wait sync.WaitGroup
	var unpinned sync.Once
	for _, cores := range slots {
		wait.Go(func() {
			// The thread is this slot's for good: its processes inherit the cores it may use, and end when it does.
			runtime.LockOSThread()
			if err := pin(cores); err != nil {
				unpinned.Do(func() {
					e.Show.Note(fmt.Sprintf("sweep %s: runs are not pinned to cores: %v", f.Name, err))
				})
			}
			for batch := range queue {
				if ctx.Err() != nil {
					return
				}
				j.do(ctx, batch)
			}
		})
	}
	wait.Wait()
	stop()
	j.out.Left = len(status) - j.out.Kept - j.out.Finished - len(j.out.Failed)
	slices.SortFunc(j.out.Failed, func(a, b RunFailure) int { return strings.Compare(a.Run, b.Run) })
	if j.out.Left > 0 {
		return j.out, context.Cause(ctx)
	}
	return j.out, nil
}

// batches divides runs into groups, one for each process: up to n runs of one system, in their order.
func batches(runs []Run, n int) (out [][]Run) {
	open := map[string]int{} // batch of each system that has room
	for _, r := range runs {
		i, has := open[r.System]
		if !has {
			i = len(out)
			open[r.System] = i
			out = append(out, nil)
		}
		if out[i] = append(out[i], r); len(out[i]) == n {
			delete(open, r.System)
		}
	}
	return out
}

// slots are the cores of each process.
func (e Runner) slots() ([][]int, error) {
	cores := allowedCores()
	each := max(1, e.Cores)
	if each > len(cores) {
		return nil, fmt.Errorf("local.cores = %d, but there are %d", each, len(cores))
	}
	each = min(each*max(1, e.Together), len(cores))
	n := cmp.Or(e.Processes, max(1, len(cores)/each))
	slots := make([][]int, n)
	for i := range slots {
		for k := range each {
			slots[i] = append(slots[i], cores[(i*each+k)%len(cores)])
		}
	}
	return slots, nil
}

// jobs is a call of Runner.Run in progress.
type jobs struct {
	*Folder
	engine Runner
	stage  progress.Stage

	mu     sync.Mutex
	out    Outcome
	active map[string]bool // runs under way
}

// saving is how long an interrupted process may take to save its checkpoint.
const saving = 5 * time.Minute

// do does runs in a process and books how they went.
func (j *jobs) do(ctx context.Context, batch []Run) {
	j.mu.Lock()
	for _, r := range batch {
		j.active[r.Name] = true
	}
	j.mu.Unlock()
	err := j.process(ctx, batch)
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range batch {
		delete(j.active, r.Name)
		j.book(ctx, r, err, j.LogFile(batch[0]))
	}
}

// book notes how a run went whose process ended with err and wrote output; j is locked.
func (j *jobs) book(ctx context.Context, r Run, err error, output string) {
	if s, failed := j.status(r); err != nil && failed == nil && s.State == Finished {
		err = nil // another run of the process was not finished
	}
	switch {
	case err == nil:
		j.out.Finished++
		j.stage.Add(1)
		j.engine.Show.Note(r.Name + ": finished")
	case ctx.Err() != nil:
		// Interrupted with all the others.
	default:
		failure := j.failure(r, err, output)
		j.out.Failed = append(j.out.Failed, failure)
		j.engine.Show.Note(fmt.Sprintf("%s: FAILED, %s; log: %s", failure.Run, failure.Reason, failure.Log))
	}
}

func (j *jobs) process(ctx context.Context, batch []Run) error {
	log, err := j.openLog(batch[0])
	if err != nil {
		return err
	}
	defer log.Close()
	argv := append(slices.Clone(j.engine.Worker), j.Dir)
	for _, r := range batch {
		argv = append(argv, r.Name)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	cmd.WaitDelay = saving
	ownGroup(cmd)
	return cmd.Run()
}

// failure is why a run gave up, or else how its process ended and what that wrote last.
func (j *jobs) failure(r Run, err error, output string) RunFailure {
	if a, readErr := j.LastAttempt(r.Name); readErr == nil && a.Error != "" {
		return RunFailure{Run: r.Name, Reason: a.Error, Log: j.LogFile(r)}
	}
	reason := err.Error()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		if data, readErr := os.ReadFile(output); readErr == nil {
			lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
			reason += ": " + string(lines[len(lines)-1])
		}
	}
	return RunFailure{Run: r.Name, Reason: reason, Log: output}
}

// watchEvery is how often the progress of the runs under way is read.
const watchEvery = 2 * time.Second

// watch shows how far the runs under way are.
func (j *jobs) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		}
		j.mu.Lock()
		names := slices.Sorted(maps.Keys(j.active))
		j.mu.Unlock()
		for i, name := range names {
			names[i] = fmt.Sprintf("%s %.0f %%", name, 100*j.read(name))
		}
		j.stage.Describe(strings.Join(names, ", "))
	}
}

// read is how far a run is; 0 where that cannot be read at the moment.
func (j *jobs) read(name string) float64 {
	run, err := experiment.View(filepath.Join(j.Dir, runsDir, name))
	if err != nil {
		return 0
	}
	cfg, err := j.config(Run{Name: name})
	if err != nil {
		return 0
	}
	s, err := run.Standing(cfg)
	if err != nil {
		return 0
	}
	return s.Share
}
