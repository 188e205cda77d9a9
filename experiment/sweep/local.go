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
	// Worker is the command that calls Share. Run adds the sweep's folder and the names of runs to it.
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
	Others   int          `json:"others"`   // runs that other processes finished meanwhile
	Failed   []RunFailure `json:"failed,omitempty"`
	Left     int          `json:"left"` // runs that are not finished because the sweep was interrupted
}

// Run works on all runs that are not finished, with Local.Processes processes at a time. Each process has its own cores
// and works on one run, or on Together runs of one system. A run that fails is reported, and the others continue. If
// ctx is cancelled, the processes save a checkpoint, and then Run returns the cause. The next call continues from
// there.
//
// Calls of Run share the work, on any number of machines that share the folder. A run that another process is writing
// is left to that process. At the end Run waits for such runs, and takes over those that their process left unfinished.
func (e Runner) Run(ctx context.Context, f *Folder) (Outcome, error) {
	status, err := f.Status()
	if err != nil {
		return Outcome{}, err
	}
	slots, err := e.slots()
	if err != nil {
		return Outcome{}, err
	}
	j := &jobs{Folder: f, engine: e, stage: e.Show.Stage("sweep "+f.Name, len(status)), active: map[string]bool{},
		told: map[string]bool{}, before: map[string]int{}}
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
	j.queue = batches(left, max(1, e.Together))
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
			j.work(ctx)
		})
	}
	wait.Wait()
	stop()
	j.out.Left = len(status) - j.out.Kept - j.out.Finished - j.out.Others - len(j.out.Failed)
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
	queue  [][]Run         // runs for the next processes
	held   []Run           // runs that other processes were writing when their turn came
	active map[string]bool // runs under way
	told   map[string]bool // runs of which was said that another process writes them
	before map[string]int  // number of a run's last attempt when its turn came
}

// saving is how long an interrupted process may take to save its checkpoint.
const saving = 5 * time.Minute

// heldPause is how long a slot without other work waits before it looks again at runs that other processes write.
const heldPause = 2 * time.Second

// work does runs in one process after the other until all are done or ctx is cancelled.
func (j *jobs) work(ctx context.Context) {
	for ctx.Err() == nil {
		batch, more := j.next()
		switch {
		case len(batch) > 0:
			j.do(ctx, batch)
		case !more:
			return
		default:
			select {
			case <-ctx.Done():
			case <-time.After(heldPause):
			}
		}
	}
}

// next returns runs for a process: those of the queue that are free, then any that another process has left. more is
// true if there are none now, but other processes are still writing some.
func (j *jobs) next() (batch []Run, more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.queue) > 0 && len(batch) == 0 {
		batch, j.queue = j.free(j.queue[0]), j.queue[1:]
	}
	if len(batch) == 0 {
		held := j.held
		j.held = nil
		if batch = j.free(held); len(batch) > 1 { // each has a process of its own
			j.queue = append(j.queue, batches(batch[1:], 1)...)
			batch = batch[:1]
		}
	}
	for _, r := range batch {
		j.active[r.Name] = true
	}
	return batch, len(j.held) > 0
}

// free returns the runs that no process is writing and that are not finished. It books the others. j is locked.
func (j *jobs) free(runs []Run) (out []Run) {
	for _, r := range runs {
		s, err := j.status(r)
		switch {
		case err == nil && s.State == Finished:
			j.finished(r, &j.out.Others)
		case err == nil && s.State == Running:
			j.hold(r, s)
		default: // the process that tries it says what cannot be read
			out = append(out, r)
			j.before[r.Name] = s.Attempt.Number
		}
	}
	return out
}

// hold notes that another process is writing a run. j is locked.
func (j *jobs) hold(r Run, s RunStatus) {
	if !j.told[r.Name] && s.Attempt.PID > 0 {
		j.told[r.Name] = true
		j.engine.Show.Note(fmt.Sprintf("%s: process %d on %s is writing it", r.Name, s.Attempt.PID, s.Attempt.Host))
	}
	j.held = append(j.held, r)
}

// finished books a finished run under a count. j is locked.
func (j *jobs) finished(r Run, count *int) {
	*count++
	j.stage.Add(1)
	j.engine.Show.Note(r.Name + ": finished")
}

// do does runs in a process and books how they went.
func (j *jobs) do(ctx context.Context, batch []Run) {
	pid, err := j.process(ctx, batch)
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range batch {
		delete(j.active, r.Name)
		j.book(ctx, r, pid, err, j.LogFile(batch[0]))
	}
}

// book notes how a run went whose process ended with err and wrote output; j is locked.
func (j *jobs) book(ctx context.Context, r Run, pid int, err error, output string) {
	s, unread := j.status(r)
	switch {
	case unread == nil && s.State == Finished: // err is then of another run of the process
		host, _ := os.Hostname()
		own := s.Attempt.PID == pid && s.Attempt.Host == host
		if own || s.Attempt.Number == j.before[r.Name] { // no attempt: the process found it whole once it was mended
			j.finished(r, &j.out.Finished)
		} else {
			j.finished(r, &j.out.Others)
		}
	case ctx.Err() != nil:
		// Interrupted with all the others.
	case unread == nil && (err == nil || s.State == Running): // another process was faster
		j.hold(r, s)
	default:
		failure := j.failure(r, cmp.Or(err, unread), output)
		j.out.Failed = append(j.out.Failed, failure)
		j.engine.Show.Note(fmt.Sprintf("%s: FAILED, %s; log: %s", failure.Run, failure.Reason, failure.Log))
	}
}

// process works on runs in a process and returns its number.
func (j *jobs) process(ctx context.Context, batch []Run) (pid int, err error) {
	log, err := j.openLog(batch[0])
	if err != nil {
		return 0, err
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
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, cmd.Wait()
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
