package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
)

// Attempt is the last process that worked on a run.
type Attempt struct {
	Number  int       `json:"number"` // 1 for the first process
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Job     string    `json:"job,omitempty"` // job of Slurm, with its array index
	Started time.Time `json:"started"`
	Error   string    `json:"error,omitempty"` // error that ended it; empty after success, an interruption or a kill
}

// Work works on runs of a sweep in this process, all at the same time. It starts a run or continues it from its
// checkpoint, unless the run is finished. On a GPU that supports it, the updates of several runs are one program
// (experiment.Host.Together). If another process is writing a run, Work waits for this process: it may be about to end,
// or be left from a job whose node was lost. Messages of several runs go to the log of each; messages of a single run
// go to show.
func Work(ctx context.Context, dir string, names []string, host experiment.Host, show progress.Progress) error {
	return work(ctx, &Folder{Dir: dir}, names, host, show)
}

// Share does what Work does, but it does not wait for a run that another process is writing. It leaves such a run alone
// and does not count it as an error.
func Share(ctx context.Context, dir string, names []string, host experiment.Host, show progress.Progress) error {
	return work(ctx, &Folder{Dir: dir, shared: true}, names, host, show)
}

func work(ctx context.Context, f *Folder, names []string, host experiment.Host, show progress.Progress) error {
	if len(names) > 1 {
		host.Workers = cmp.Or(host.Workers, runtime.NumCPU())
		host.Workers = max(1, host.Workers/len(names))
	}
	host, refused := host.Together(len(names))
	jobs, errs := make([]*job, len(names)), make([]error, len(names))
	for i, name := range names { // all before any trains: a program that is loaded later runs by itself
		own := show
		if len(names) > 1 {
			log, err := f.openLog(Run{Name: name})
			if errs[i] = err; err != nil {
				continue
			}
			defer log.Close()
			own = progress.Lines(log, time.Minute)
		}
		jobs[i], errs[i] = f.begin(ctx, name, host, refused, own)
	}
	var all sync.WaitGroup
	for i, j := range jobs {
		if errs[i] == nil {
			all.Go(func() { errs[i] = j.train(ctx) })
		}
	}
	all.Wait()
	for i, err := range errs {
		switch {
		case errors.Is(err, errDone):
			errs[i] = nil
		case f.shared && errors.Is(err, experiment.ErrLocked):
			errs[i] = nil
			show.Note(fmt.Sprintf("left: another process is writing %s", f.RunDir(Run{Name: names[i]})))
		}
	}
	return errors.Join(errs...)
}

// job is a run that this process has begun to work on.
type job struct {
	*experiment.Training
	folder  *Folder
	name    string
	attempt Attempt
	show    progress.Progress
}

// errDone says that another process has finished a run of a shared folder.
var errDone = errors.New("the run is finished")

// done reports whether another process has finished a run of a shared folder.
func (f *Folder) done(name string) bool {
	if !f.shared {
		return false
	}
	s, err := f.status(Run{Name: name})
	return err == nil && s.State == Finished
}

// begin opens a run and books an attempt at it, unless its host was refused.
func (f *Folder) begin(ctx context.Context, name string, host experiment.Host, refused error,
	show progress.Progress) (*job, error) {
	cfg, err := f.config(Run{Name: name})
	if err != nil {
		return nil, err
	}
	if f.done(name) {
		return nil, errDone
	}
	hostname, _ := os.Hostname()
	j := &job{folder: f, name: name, show: show, attempt: Attempt{PID: os.Getpid(), Host: hostname, Job: jobName(),
		Started: time.Now().UTC().Truncate(time.Second)}}
	err = refused
	if err == nil {
		j.Training, err = f.open(ctx, name, cfg, host, show)
	}
	if f.shared && errors.Is(err, experiment.ErrLocked) { // the attempt is another process's
		return nil, err
	}
	if err == nil && f.done(name) {
		return nil, cmp.Or(j.Close(), errDone)
	}
	// Only now is it known that no other process books one.
	before, unread := f.LastAttempt(name)
	j.attempt.Number = before.Number + 1
	if booked := cmp.Or(unread, j.book()); booked != nil {
		err = errors.Join(err, booked)
	}
	if err == nil {
		if same, failed := j.Config.Equal(cfg); failed != nil || !same {
			err = errors.Join(failed, fmt.Errorf("%s was made with another configuration than %s", j.Dir(),
				f.configFile(name)))
		}
	}
	if err != nil && j.Training != nil {
		err = errors.Join(err, j.Close())
	}
	if err != nil {
		return nil, j.ended(ctx, err)
	}
	return j, nil
}

func (j *job) book() error { return atomicfile.WriteJSON(j.folder.stateFile(j.name), j.attempt) }

// train trains a run to its end and closes it: others wait for what is open.
func (j *job) train(ctx context.Context) error {
	return j.ended(ctx, errors.Join(j.Train(ctx, j.show), j.Close()))
}

// ended books why an attempt gave up, unless it was interrupted.
func (j *job) ended(ctx context.Context, err error) error {
	if err == nil || context.Cause(ctx) != nil {
		return err
	}
	j.attempt.Error = err.Error()
	return errors.Join(err, j.book())
}

// lockPause is how long a worker waits before it tries a run again that another process is writing.
const lockPause = 500 * time.Millisecond

// open starts or resumes a run, once no other process is writing it. In a shared folder it does not wait: the error is
// experiment.ErrLocked.
func (f *Folder) open(ctx context.Context, name string, cfg experiment.Config, host experiment.Host,
	show progress.Progress) (*experiment.Training, error) {
	dir := f.RunDir(Run{Name: name})
	beaten := false
	for waiting := false; ; waiting = true {
		var t *experiment.Training
		var notices []string
		_, err := experiment.View(dir)
		var lost *experiment.NoConfigError // which Extend makes again from the checkpoint
		if err == nil || errors.As(err, &lost) {
			t, notices, err = experiment.Extend(dir, host, func(c *experiment.Config) error { *c = cfg; return nil })
		} else {
			t, err = experiment.Start(dir, cfg, host)
			if err != nil && !beaten && f.begun(Run{Name: name}) { // by a process that was faster
				beaten = true
				continue
			}
		}
		if f.shared || !errors.Is(err, experiment.ErrLocked) {
			if err == nil {
				notices = append(notices, t.Notices()...)
			}
			for _, n := range notices {
				show.Note(n)
			}
			return t, err
		}
		if !waiting {
			show.Note(fmt.Sprintf("waiting: another process is writing %s", dir))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}

// LastAttempt reads the last attempt at a run, by its name; it is zero before the first.
func (f *Folder) LastAttempt(name string) (a Attempt, err error) {
	err = readJSON(f.stateFile(name), &a)
	return a, err
}

// WorkersOfJob is the number of cores that Slurm gave this process. The number of visible cores can be larger, because
// not every cluster keeps the process on its own. Outside a job it is 0, which means one worker per core.
func WorkersOfJob() int {
	n, _ := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK"))
	return max(0, n)
}

// jobName is the Slurm job this process belongs to, empty outside of one.
func jobName() string {
	job, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID")
	if job == "" || task == "" {
		return ""
	}
	return job + "_" + task
}
