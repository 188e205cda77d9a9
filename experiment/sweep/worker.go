package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
)

// Attempt is the last process that worked on a run.
type Attempt struct {
	Number  int       `json:"number"` // 1 for the first process
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Job     string    `json:"job,omitempty"` // of Slurm, with its array index
	Started time.Time `json:"started"`
	Error   string    `json:"error,omitempty"` // why it gave up; empty after success, an interruption or a kill
}

// Work does one run of a sweep in this process: it starts it, continues it from its checkpoint, or finds it finished.
// While another process is writing the run it waits for it: that one may be ending, or be left over from a job whose
// node was given up.
func Work(ctx context.Context, dir, name string, host experiment.Host, show progress.Progress) error {
	f := &Folder{Dir: dir}
	cfg, err := f.config(name)
	if err != nil {
		return err
	}
	a, err := f.LastAttempt(name)
	if err != nil {
		return err
	}
	hostname, _ := os.Hostname()
	a = Attempt{Number: a.Number + 1, PID: os.Getpid(), Host: hostname, Job: jobName(), Started: time.Now().UTC().Truncate(time.Second)}
	if err := writeJSON(f.stateFile(name), a); err != nil {
		return err
	}
	err = f.train(ctx, name, cfg, host, show)
	if err != nil && context.Cause(ctx) == nil {
		a.Error = err.Error()
		err = errors.Join(err, writeJSON(f.stateFile(name), a))
	}
	return err
}

func (f *Folder) train(ctx context.Context, name string, cfg experiment.Config, host experiment.Host, show progress.Progress) error {
	t, err := f.open(ctx, name, cfg, host, show)
	if err != nil {
		return err
	}
	defer t.Close()
	if same, err := t.Config.Equal(cfg); err != nil || !same {
		return errors.Join(err, fmt.Errorf("%s was made with another configuration than %s", t.Dir(), f.configFile(name)))
	}
	return t.Train(ctx, show)
}

// lockPause is how long a worker waits before it tries a run again that another process is writing.
const lockPause = 500 * time.Millisecond

// open starts or resumes a run, once no other process is writing it.
func (f *Folder) open(ctx context.Context, name string, cfg experiment.Config, host experiment.Host, show progress.Progress) (*experiment.Training, error) {
	dir := f.RunDir(Run{Name: name})
	for waiting := false; ; waiting = true {
		var t *experiment.Training
		var notices []string
		_, err := os.Stat(filepath.Join(dir, experiment.ConfigFile))
		if err == nil {
			t, notices, err = experiment.Resume(dir, host)
		} else {
			t, err = experiment.Start(dir, cfg, host)
		}
		if !errors.Is(err, experiment.ErrLocked) {
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

// HostOfJob is as many workers as Slurm gave this process cores, since not every cluster keeps it on those; outside of a
// job one for each core.
func HostOfJob() experiment.Host {
	n, _ := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK"))
	return experiment.Host{Workers: max(0, n)}
}

// jobName is the Slurm job this process belongs to, empty outside of one.
func jobName() string {
	job, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID")
	if job == "" || task == "" {
		return ""
	}
	return job + "_" + task
}
