package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"nacre/experiment"
	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/sim/recording"
)

// RolloutOptions are the flags of nacre rollout.
type RolloutOptions struct {
	Family   string // if empty, with Run: the run's own family
	Policy   string // "random", "scripted", "blind" or a reference policy of the family; not used with Run
	Run      string // folder of a run whose agent acts after it has adapted
	Task     int    // index into the test tasks, or the train tasks with Train
	Train    bool
	Episodes int // number of episodes, one on each task from Task on
	Steps    int // steps of an episode; 0: the family's horizon
	Seed     uint64
	Out      string // .npz; with several episodes NAME-1.npz and so on; if empty, nothing is written
}

// RolloutReport is the output of nacre rollout.
type RolloutReport struct {
	Family   string           `json:"family"`
	Policy   string           `json:"policy"`
	Episodes []RolloutEpisode `json:"episodes"`
}

// RolloutEpisode is one episode.
type RolloutEpisode struct {
	Task    int       `json:"task"`
	Params  []float64 `json:"params"`
	Steps   int       `json:"steps"`
	Return  float64   `json:"return"`
	Success bool      `json:"success"`
	File    string    `json:"file,omitempty"`
}

// Rollout runs episodes with one policy, prints their returns and writes them as recordings.
func Rollout(ctx context.Context, env *Env, o RolloutOptions) error {
	if o.Out != "" && filepath.Ext(o.Out) != ".npz" {
		return Usagef("--out %s: expected a name that ends in .npz", o.Out)
	}
	if o.Run == "" { // checked before anything is reported as under way
		if _, err := sim.Lookup(o.Family); err != nil {
			return err
		}
	}
	var rec recording.Recorder
	defer func() { rec.Close() }()
	stage := env.Progress.Stage("rollout", 0)
	defer stage.Done()
	tasks, policy, err := o.record(ctx, &rec)
	if err != nil {
		return err
	}
	r := RolloutReport{Family: rec.Family.Spec().Name, Policy: policy}
	for i := range rec.Recordings {
		e := &rec.Recordings[i]
		line := RolloutEpisode{
			Task: tasks[i].ID, Params: e.Params, Steps: len(e.Act), Return: e.Return(), Success: e.Succeeded(),
			File: o.file(i),
		}
		if line.File != "" {
			if err := makeParent(line.File); err != nil {
				return err
			}
			if err := e.Save(line.File); err != nil {
				return err
			}
		}
		r.Episodes = append(r.Episodes, line)
	}
	stage.Done()
	return env.Print(r, r.WriteText)
}

// record runs the episodes and returns the name of the actor.
func (o RolloutOptions) record(ctx context.Context,
	rec *recording.Recorder) (tasks []sim.Task, policy string, err error) {
	if o.Run != "" {
		tasks, err = o.withAgent(ctx, rec)
		return tasks, "agent of " + o.Run, err
	}
	tasks, err = o.without(ctx, rec)
	return tasks, o.Policy, err
}

// without runs the random or a scripted policy.
func (o RolloutOptions) without(ctx context.Context, rec *recording.Recorder) ([]sim.Task, error) {
	family, err := sim.Lookup(o.Family)
	if err != nil {
		return nil, err
	}
	rec.Family = family
	train, test, err := family.Tasks(o.Seed, 0, 0)
	if err != nil {
		return nil, err
	}
	tasks, err := o.choose(train, test)
	if err != nil {
		return nil, err
	}
	episodes := make([]sim.Episode, len(tasks))
	for i, t := range tasks {
		episodes[i] = sim.Episode{Task: t, Seed: rng.New(o.Seed, rng.Rollout, uint64(t.ID)).Uint64()}
	}
	policy := sim.RandomPolicy(family, episodes)
	switch o.Policy {
	case "random":
	case "scripted":
		policy, err = sim.GoalPolicy(family, episodes)
	case "blind":
		policy, err = sim.BlindPolicy(family, episodes)
	default:
		policy, err = sim.ReferencePolicy(family, o.Policy, episodes)
	}
	if err != nil {
		return nil, err
	}
	_, err = rec.Rollout(ctx, episodes, policy, o.Steps)
	return tasks, err
}

// withAgent lets the agent of a run adapt to the tasks by the run's protocol and keeps its last trajectories.
func (o RolloutOptions) withAgent(ctx context.Context, rec *recording.Recorder) ([]sim.Task, error) {
	a, err := experiment.LoadAgent(o.Run, experiment.Host{Workers: 1, Envs: 1})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if o.Family != "" && o.Family != a.Spec.Name {
		return nil, Usagef("the run in %s is of %s, not of %s", o.Run, a.Spec.Name, o.Family)
	}
	rec.Family = a.Family
	tasks, err := o.choose(a.TrainTasks, a.TestTasks)
	if err != nil {
		return nil, err
	}
	p := a.Config.Evaluation.Protocol
	p.Repeats, p.CarryBelief = 1, false // side by side, each from the prior: the recorder keeps the last round
	if o.Steps > 0 {
		p.Horizon = o.Steps
	}
	_, err = protocol.Evaluate(ctx, rec, tasks, p, a.Learner.Adapter(), o.Seed)
	return tasks, err
}

// choose picks the tasks of the episodes.
func (o RolloutOptions) choose(train, test []sim.Task) ([]sim.Task, error) {
	tasks, kind := test, "test"
	if o.Train {
		tasks, kind = train, "train"
	}
	if o.Episodes == 1 && o.Task >= len(tasks) {
		return nil, Usagef("--task %d: the family has %d %s tasks, counted from 0", o.Task, len(tasks), kind)
	}
	if o.Task+o.Episodes > len(tasks) {
		return nil, Usagef("--task %d and --episodes %d: the family has %d %s tasks", o.Task, o.Episodes,
			len(tasks), kind)
	}
	return tasks[o.Task : o.Task+o.Episodes], nil
}

// file is the name of episode i's recording.
func (o RolloutOptions) file(i int) string {
	if o.Out == "" || o.Episodes == 1 {
		return o.Out
	}
	return fmt.Sprintf("%s-%d.npz", strings.TrimSuffix(o.Out, ".npz"), i+1)
}

// WriteText prints the report as text.
func (r RolloutReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, policy: %s\n", r.Family, r.Policy)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head, succeeds := "task\tsteps\treturn\t", sim.Succeeds(r.Family)
	if succeeds {
		head += "success\t"
	}
	fmt.Fprintln(t, head)
	for _, e := range r.Episodes {
		fmt.Fprintf(t, "%d\t%d\t%.4g\t", e.Task, e.Steps, e.Return)
		if succeeds {
			fmt.Fprintf(t, "%v\t", e.Success)
		}
		fmt.Fprintf(t, " %s\n", e.File)
	}
	return t.Flush()
}
