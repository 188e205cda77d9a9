package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/plainfile"
	"nacre/pearl"
	"nacre/sim"
)

// Estimate says what a study will do, and about how long this takes on this machine.
type Estimate struct {
	Name     string        `json:"name"`
	Runs     int           `json:"runs"`
	Done     int           `json:"done"` // number of runs whose training is finished
	Together int           `json:"together"`
	Arms     []ArmEstimate `json:"arms"`
	// Remaining is the time for training, evaluation and exploration for embeddings, without t-SNE, in nanoseconds.
	Remaining time.Duration `json:"remaining"`
}

// ArmEstimate is one arm's part of an Estimate.
type ArmEstimate struct {
	Arm      string `json:"arm"`
	Title    string `json:"title"`
	EnvSteps int64  `json:"env_steps"` // environment steps of one run's training
	Updates  int64  `json:"updates"`   // updates of one run
	// These are measured on this machine, with as many runs at the same time as in the study. They are 0 if nothing is
	// left to train.
	CollectRate  float64 `json:"collect_steps_per_second,omitempty"`
	UpdateRate   float64 `json:"updates_per_second,omitempty"`
	EvaluateRate float64 `json:"evaluate_steps_per_second,omitempty"`
	// Run is the duration of one whole run with its evaluations and embeddings, in nanoseconds.
	Run time.Duration `json:"run,omitempty"`
}

// String writes a line for the plan, and a line per arm.
func (e Estimate) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d runs, %d at a time", e.Name, e.Runs, e.Together)
	switch {
	case e.Done == e.Runs:
		b.WriteString("; all are trained")
	case e.Done > 0:
		fmt.Fprintf(&b, "; %d are trained, about %s for the others", e.Done, hours(e.Remaining))
	default:
		fmt.Fprintf(&b, "; about %s", hours(e.Remaining))
	}
	for _, a := range e.Arms {
		fmt.Fprintf(&b, "\n  %s: %s environment steps and %s updates per run", a.Title, grouped(a.EnvSteps),
			grouped(a.Updates))
		if a.Run > 0 {
			fmt.Fprintf(&b, ", %s at %.0f steps and %.0f updates a second", hours(a.Run), a.CollectRate, a.UpdateRate)
		}
	}
	return b.String()
}

// hours writes a duration as roughly as it is known.
func hours(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", max(1, d.Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// Survey says what Run would do in dir, and measures how fast. Every arm that is not yet trained does a short training
// in a temporary folder. As many of them run at the same time as in the study.
func Survey(ctx context.Context, dir string, plan Plan, host experiment.Host) (Estimate, error) {
	arms, err := plan.arms()
	if err != nil {
		return Estimate{}, err
	}
	r, err := newRunner(dir, plan, host, progress.Silent())
	if err != nil {
		return Estimate{}, err
	}
	out := Estimate{Name: plan.Name, Runs: plan.Seeds * len(arms), Together: together(host, plan.Seeds*len(arms))}
	host.Workers = workersOf(host) / out.Together
	left := make([]float64, len(arms)) // number of runs; a run under way counts by its remaining part
	for i, arm := range arms {
		e, done, remaining, err := r.outline(arm)
		if err != nil {
			return Estimate{}, err
		}
		out.Done += done
		left[i] = remaining
		out.Arms = append(out.Arms, e)
	}
	turns := make(chan struct{}, out.Together)
	var all sync.WaitGroup
	failed := make([]error, len(arms))
	for i, arm := range arms {
		if left[i] == 0 {
			continue
		}
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			failed[i] = r.time(ctx, host, arm, &out.Arms[i])
		})
	}
	all.Wait()
	for i, err := range failed {
		if err != nil {
			return Estimate{}, r.failed(arms[i], 1, err)
		}
		out.Remaining += time.Duration(left[i] * float64(out.Arms[i].Run) / float64(out.Together))
	}
	return out, nil
}

// workersOf is the number of threads of a host.
func workersOf(host experiment.Host) int {
	if host.Workers > 0 {
		return host.Workers
	}
	return runtime.NumCPU()
}

// together is how many of the runs a host trains at the same time.
func together(host experiment.Host, runs int) int { return min(workersOf(host), runs) }

// outline counts the steps and updates of an arm's runs, and how many runs are done and left.
func (r *runner) outline(arm Arm) (e ArmEstimate, done int, left float64, err error) {
	e = ArmEstimate{Arm: arm.Name, Title: arm.Title}
	for seed := uint64(1); seed <= uint64(r.plan.Seeds); seed++ {
		cfg, err := r.config(arm, seed)
		if err != nil {
			return e, 0, 0, err
		}
		p := pearl.Of(cfg)
		e.EnvSteps = int64(cfg.TrainTasks*p.InitialSteps) +
			int64(p.Iterations*p.TasksPerIteration*(p.PriorSteps+p.PosteriorSteps+p.ExtraPosteriorSteps))
		e.Updates = int64(p.Iterations) * int64(p.UpdatesPerIteration)
		share := 0.0
		if dir := r.begun(arm, seed); exists(filepath.Join(dir, experiment.ConfigFile)) {
			run, err := experiment.View(dir)
			if err != nil {
				return e, 0, 0, err
			}
			standing, err := run.Standing(cfg)
			if err != nil {
				return e, 0, 0, err
			}
			share = standing.Share
		}
		if left += 1 - share; share == 1 {
			done++
		}
	}
	return e, done, left, nil
}

func exists(path string) bool {
	_, err := plainfile.Stat(path)
	return err == nil
}

// time measures how fast an arm collects, updates and evaluates, and from that how long one run takes.
func (r *runner) time(ctx context.Context, host experiment.Host, arm Arm, e *ArmEstimate) error {
	whole, err := r.config(arm, 1)
	if err != nil {
		return err
	}
	family, err := sim.Lookup(whole.Family)
	if err != nil {
		return err
	}
	horizon := family.Spec().Horizon
	short := whole
	p := pearl.Of(whole)
	p.InitialSteps, p.Iterations, p.TasksPerIteration = min(p.InitialSteps, horizon), 1, min(2, p.TasksPerIteration)
	p.UpdatesPerIteration = min(24, p.UpdatesPerIteration)
	pearl.Put(&short, p)
	short.TestTasks, short.EnvSteps, short.Evaluation.Every = min(2, whole.TestTasks), 0, 1
	dir, err := os.MkdirTemp("", "nacre-study-")
	if err != nil {
		return fmt.Errorf("study: %w", err)
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "run")
	t, err := experiment.Start(folder, short, host)
	if err != nil {
		return err
	}
	err = t.Train(ctx, r.show)
	steps, updates := float64(t.EnvSteps()), float64(t.Updates())
	t.Close()
	if err != nil {
		return err
	}
	timing, err := experiment.ReadMetrics(filepath.Join(folder, experiment.TimingFile))
	if err != nil {
		return err
	}
	seconds := map[string]float64{}
	for _, name := range []string{"collect_s", "update_s", "evaluate_s"} {
		column, err := timing.Column(name)
		if err != nil {
			return err
		}
		for _, v := range column {
			seconds[name] += v
		}
		seconds[name] = max(seconds[name], 1e-6)
	}
	evaluation := whole.Evaluation.Protocol
	trajectories := func(tasks, repeats int) float64 {
		return float64(tasks * repeats * evaluation.Trajectories() * horizon)
	}
	e.CollectRate, e.UpdateRate = steps/seconds["collect_s"], updates/seconds["update_s"]
	e.EvaluateRate = trajectories(short.TestTasks, evaluation.Repeats) / seconds["evaluate_s"]

	iterations, _, err := whole.Schedule()
	if err != nil {
		return err
	}
	often := 1 + iterations/max(1, whole.Evaluation.Every)
	evaluated := float64(often)*trajectories(whole.TestTasks, evaluation.Repeats) +
		2*trajectories(whole.TestTasks, r.plan.Repeats)
	explored := float64(r.plan.Tasks * r.plan.Windows * horizon)
	if r.plan.Adaptations > 0 {
		explored += trajectories(r.plan.Tasks, r.plan.Adaptations)
	}
	e.Run = time.Duration((float64(e.EnvSteps)/e.CollectRate + float64(e.Updates)/e.UpdateRate +
		(evaluated+explored)/e.EvaluateRate) * float64(time.Second))
	return nil
}
