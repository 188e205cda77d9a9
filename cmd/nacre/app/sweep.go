package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
)

// SweepOptions are the flags of nacre sweep.
type SweepOptions struct {
	Plan      string
	On        string // "local" or "slurm"
	Processes int    // replaces the plan's number of processes; 0 keeps the plan's
	Together  int    // replaces the plan's number of seeds trained together; 0 keeps the plan's
	DryRun    bool   // expand, check and write the folder and job script, but start nothing
	experiment.Host
}

// SweepFolderOptions are the flags of nacre sweep status and nacre sweep collect.
type SweepFolderOptions struct {
	Path string // path of the plan or of the sweep's folder
	Out  string // file for the collected table; if empty, a file in the folder
}

// SweepWorkerOptions are the arguments of nacre sweep worker.
type SweepWorkerOptions struct {
	Path  string   // of the plan or of the sweep's folder
	Runs  []string // names; if there are none, Index says which run
	Index int      // of a run in the plan, from 0
	Share bool     // leave a run that another process is writing
	experiment.Host
}

// SweepReport is the output of nacre sweep, sweep status and sweep collect.
type SweepReport struct {
	Name   string              `json:"name"`
	Dir    string              `json:"folder"`
	Counts map[sweep.State]int `json:"counts"`
	Runs   []sweep.RunStatus   `json:"runs"`
	Others []sweep.RunStatus   `json:"others,omitempty"` // runs in the folder that belong to other plans
	Job    *sweep.Submission   `json:"submission,omitempty"`
	File   string              `json:"file,omitempty"` // the collected table
	// Failed are the runs whose process failed in this call.
	Failed []sweep.RunFailure `json:"failed,omitempty"`
}

// Sweep trains the runs of a plan, on this machine or with Slurm.
func Sweep(ctx context.Context, env *Env, o SweepOptions) error {
	plan, err := sweep.Load(o.Plan)
	if err != nil {
		return err
	}
	folder, err := sweep.Prepare(plan)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	worker := []string{program, "sweep", "worker"}
	if o.On != "slurm" { // jobs wait instead: a node that was lost may still seem to write their run
		worker = append(worker, "--share")
	}
	if o.Device != "" {
		worker = append(worker, "--device", o.Device)
	}
	if o.Precision != "" {
		worker = append(worker, "--precision", o.Precision)
	}
	if o.On == "slurm" {
		return env.submit(ctx, folder, plan, worker, o.DryRun)
	}
	if o.DryRun {
		return env.sweepStatus(ctx, folder, func(*SweepReport) {})
	}
	engine := sweep.Runner{Local: plan.Local, Worker: worker, Show: env.Progress}
	if o.Processes > 0 {
		engine.Processes = o.Processes
	}
	if o.Together > 0 {
		engine.Together = o.Together
	}
	out, err := engine.Run(ctx, folder)
	if err != nil {
		if errors.Is(err, ErrInterrupted) {
			err = fmt.Errorf("%w, %d of %d runs finished; the same command continues where it stopped", err,
				out.Kept+out.Finished, len(folder.Runs))
		}
		return err
	}
	// A cancelled context no longer matters here: the work is done.
	if err := env.sweepStatus(context.WithoutCancel(ctx), folder, func(r *SweepReport) {
		r.Failed = out.Failed
	}); err != nil {
		return err
	}
	if n := len(out.Failed); n > 0 {
		var names []string
		for _, f := range out.Failed {
			names = append(names, f.Run)
		}
		return fmt.Errorf("%d of %d runs failed: %s", n, len(folder.Runs), strings.Join(names, ", "))
	}
	return nil
}

// submit writes the job script for the unfinished runs of a sweep and gives it to Slurm.
func (env *Env) submit(ctx context.Context, folder *sweep.Folder, plan sweep.Plan, worker []string, dry bool) error {
	sub, err := folder.WriteJobs(ctx, plan.Slurm, worker)
	if err != nil {
		return err
	}
	if sub != nil && !dry {
		if err := folder.Submit(ctx, sub); err != nil {
			return err
		}
	}
	return env.sweepStatus(ctx, folder, func(r *SweepReport) { r.Job = sub })
}

// ErrUnfinished is returned by SweepStatus, after it has printed, if a run is not finished.
var ErrUnfinished = errors.New("not every run is finished")

// SweepStatus prints the progress of a sweep.
func SweepStatus(ctx context.Context, env *Env, o SweepFolderOptions) error {
	folder, err := openSweep(o.Path)
	if err != nil {
		return err
	}
	finished := false
	err = env.sweepStatus(ctx, folder, func(r *SweepReport) { finished = r.Counts[sweep.Finished] == len(r.Runs) })
	if err == nil && !finished {
		return ErrUnfinished
	}
	return err
}

// SweepCollect writes the results of a sweep into one table.
func SweepCollect(ctx context.Context, env *Env, o SweepFolderOptions) error {
	folder, err := openSweep(o.Path)
	if err != nil {
		return err
	}
	status, err := folder.QueueStatus(ctx)
	if err != nil {
		return err
	}
	out := cmp.Or(o.Out, filepath.Join(folder.Dir, sweep.ResultsFile))
	if err := makeParent(out); err != nil {
		return err
	}
	if err := folder.Collect(out, status); err != nil {
		return err
	}
	r, err := newSweepReport(folder, status)
	if err != nil {
		return err
	}
	r.File = out
	return env.Print(r, r.WriteText)
}

// SweepWorker trains runs of a sweep. Given a plan it makes the sweep's folder, unless another process has.
func SweepWorker(ctx context.Context, env *Env, o SweepWorkerOptions) error {
	o.Workers = sweep.WorkersOfJob()
	work, dir := sweep.Work, o.Path
	if o.Share {
		work = sweep.Share
	}
	if info, err := plainfile.Stat(o.Path); err != nil || !info.IsDir() || len(o.Runs) == 0 {
		folder, err := prepared(o.Path)
		if err != nil {
			return err
		}
		if dir = folder.Dir; len(o.Runs) == 0 {
			if o.Index >= len(folder.Runs) {
				return fmt.Errorf("--index %d: sweep %s has %s, with the indices 0 to %d", o.Index, folder.Name,
					plural(len(folder.Runs), "run"), len(folder.Runs)-1)
			}
			o.Runs = []string{folder.Runs[o.Index].Name}
		}
	}
	return work(ctx, dir, o.Runs, o.Host, progress.Lines(env.Err, time.Minute))
}

// prepared opens the folder of a sweep, or makes or updates it if the path is that of its plan.
func prepared(path string) (*sweep.Folder, error) {
	if info, err := plainfile.Stat(path); err == nil && info.IsDir() {
		return sweep.Open(path)
	}
	plan, err := sweep.Load(path)
	if err != nil {
		return nil, err
	}
	return sweep.Prepare(plan)
}

// openSweep opens the folder of a sweep, given the path of the folder or of its plan.
func openSweep(path string) (*sweep.Folder, error) {
	if info, err := plainfile.Stat(path); err == nil && info.IsDir() {
		return sweep.Open(path)
	}
	plan, err := sweep.Load(path)
	if err != nil {
		return nil, err
	}
	return sweep.OpenPlan(plan)
}

func (env *Env) sweepStatus(ctx context.Context, folder *sweep.Folder, add func(*SweepReport)) error {
	status, err := folder.QueueStatus(ctx)
	if err != nil {
		return err
	}
	r, err := newSweepReport(folder, status)
	if err != nil {
		return err
	}
	add(&r)
	return env.Print(r, r.WriteText)
}

func newSweepReport(folder *sweep.Folder, status []sweep.RunStatus) (r SweepReport, err error) {
	others, err := folder.OtherStatus()
	return SweepReport{Name: folder.Name, Dir: folder.Dir, Counts: counts(status), Runs: status, Others: others}, err
}

func counts(status []sweep.RunStatus) map[sweep.State]int {
	n := map[sweep.State]int{}
	for _, s := range status {
		n[s.State]++
	}
	return n
}

// counted says in words how many runs are in each state.
func counted(n map[sweep.State]int) string {
	var words []string
	for _, s := range sweep.States {
		if n[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", n[s], s.Words()))
		}
	}
	return strings.Join(words, ", ")
}

// WriteText prints the counts, and the runs that are under way or that failed.
func (r SweepReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "sweep %s: %s, %s; folder %s\n", r.Name, plural(len(r.Runs), "run"), counted(r.Counts), r.Dir)
	for _, s := range r.Runs {
		if s.Damage != "" {
			fmt.Fprintf(w, "  %s: %s, %s\n", s.Name, s.State.Words(), s.Damage)
			continue
		}
		switch s.State {
		case sweep.Running:
			where := s.Attempt.Host
			if s.Attempt.Job != "" {
				where += ", job " + s.Attempt.Job
			}
			fmt.Fprintf(w, "  %s: running on %s, %.0f %%\n", s.Name, where, 100*s.Share)
		case sweep.Interrupted:
			fmt.Fprintf(w, "  %s: interrupted at %.0f %%\n", s.Name, 100*s.Share)
		case sweep.Failed:
			fmt.Fprintf(w, "  %s: failed, %s; log: %s\n", s.Name, s.Attempt.Error, s.Log)
		}
	}
	if len(r.Others) > 0 {
		var names []string
		for _, s := range r.Others {
			names = append(names, s.Name)
		}
		if more := len(names) - 5; more > 0 {
			names = append(names[:5], fmt.Sprintf("and %d more", more))
		}
		kept := ""
		if n := counts(r.Others)[sweep.Finished]; r.File != "" && n > 0 {
			kept = "; the finished keep their rows"
		}
		fmt.Fprintf(w, "  not in this plan: %s of the folder, %s%s (%s)\n", plural(len(r.Others), "run"),
			counted(counts(r.Others)), kept, strings.Join(names, ", "))
	}
	switch {
	case r.Job != nil && r.Job.Job != "":
		fmt.Fprintf(w, "submitted %d runs as job %s; follow them with: %s\n", len(r.Job.Runs), r.Job.Job,
			shell.Command("nacre", "sweep", "status", shell.Path(r.Dir)))
	case r.Job != nil:
		fmt.Fprintf(w, "job script for %d runs, not submitted: %s\n", len(r.Job.Runs), r.Job.Script)
	}
	if r.File != "" {
		fmt.Fprintln(w, r.File)
	}
	return nil
}
