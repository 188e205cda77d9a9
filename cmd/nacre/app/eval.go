package app

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/rl/config"
	"nacre/rl/protocol"
)

// EvalReport is the output of nacre eval.
type EvalReport struct {
	Run       string          `json:"run"`
	Algorithm string          `json:"algorithm"`
	Family    string          `json:"family"`
	Agent     protocol.Result `json:"agent"`
	// Swap is measured if the flag asks for it.
	Swap *protocol.Swapped `json:"swap,omitempty"`
	experiment.Baselines
	// the agent's place between Baselines.Foot, the better of random actions and standing still (0), and the controller
	// (1)
	Share    *float64          `json:"share,omitempty"`
	Protocol protocol.Protocol `json:"protocol"`
}

// EvalOptions are the flags of nacre eval. A negative number or an empty text keeps the protocol's own value.
type EvalOptions struct {
	Dir      string
	Protocol string // name of a protocol; if empty, the run's
	Explore  int
	Scored   int
	Repeats  int
	Z        string // "mean", "sample"
	Actions  string // "deterministic", "sampled"
	Seed     uint64
	Train    bool // evaluate on the train tasks instead of the test tasks
	Swap     bool // measure the swap gain too
	Workers  int
}

// Eval adapts the agent of a run to tasks. In each task the agent begins without a context.
func Eval(ctx context.Context, env *Env, o EvalOptions) error {
	a, err := env.agent(o.Dir, o.Workers)
	if err != nil {
		return err
	}
	defer a.Close()
	p, err := o.protocol(a.Config.Evaluation.Protocol)
	if err != nil {
		return err
	}
	tasks := a.TestTasks
	if o.Train {
		tasks = a.TrainTasks
	}
	r := EvalReport{Run: o.Dir, Algorithm: a.Config.Algorithm, Family: a.Config.Family, Protocol: p}
	stage := env.Progress.Stage(fmt.Sprintf("adapting to %d tasks", len(tasks)), 0)
	defer stage.Done()
	if r.Agent, err = a.Evaluate(ctx, tasks, p, o.Seed); err != nil {
		return err
	}
	if o.Swap {
		stage.Describe("exchanging beliefs")
		swapped, err := a.Swap(ctx, tasks, p, o.Seed)
		if err != nil {
			return err
		}
		r.Swap = &swapped
	}
	stage.Describe("baselines")
	if r.Baselines, err = a.Baselines(ctx, tasks, p, o.Seed); err != nil {
		return err
	}
	if r.Share, err = r.Baselines.Share(r.Agent.Summary.Adapted.Mean); err != nil {
		return err
	}
	stage.Done()
	return env.Print(r, r.WriteText)
}

// protocol returns the run's protocol, or a named one, with the changes of the flags.
func (o EvalOptions) protocol(p protocol.Protocol) (protocol.Protocol, error) {
	if o.Protocol != "" {
		var err error
		if p, err = protocol.Preset(o.Protocol); err != nil {
			return p, err
		}
	}
	for _, f := range []struct {
		flag int
		at   *int
	}{{o.Explore, &p.Explore}, {o.Scored, &p.Scored}, {o.Repeats, &p.Repeats}} {
		if f.flag >= 0 {
			*f.at = f.flag
		}
	}
	if o.Z != "" {
		p.Z = o.Z
	}
	if o.Actions != "" {
		p.Deterministic = o.Actions == "deterministic"
	}
	return p, config.Check(&p)
}

// WriteText prints the report as text.
func (r EvalReport) WriteText(w io.Writer) error {
	p := r.Protocol
	z, actions := "the posterior's mean", "sampled"
	if p.Z == protocol.Sample {
		z = "a draw from the posterior"
	}
	if p.Deterministic {
		actions = "deterministic"
	}
	fmt.Fprintf(w, "%s on %s: %d tasks × %d repeats, z after exploration is %s, actions %s\n\n",
		r.Algorithm, r.Family, len(r.Agent.Tasks), p.Repeats, z, actions)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "trajectory\t\treturn\t95 % over tasks\trandom\tstill"
	if r.Blind != nil {
		head += "\tgoal-blind"
	}
	if r.Goal != nil {
		head += "\tgoal-knowing"
	}
	fmt.Fprintln(t, head)
	row := func(name, phase string, pick func(protocol.Summary) stats.Interval) {
		agent := pick(r.Agent.Summary)
		fmt.Fprintf(t, "%s\t%s\t%.4g\t%s\t%.4g\t%.4g", name, phase, agent.Mean, between(agent),
			pick(r.Random.Summary).Mean, pick(r.Still.Summary).Mean)
		if r.Blind != nil {
			fmt.Fprintf(t, "\t%.4g", pick(r.Blind.Summary).Mean)
		}
		if r.Goal != nil {
			fmt.Fprintf(t, "\t%.4g", pick(r.Goal.Summary).Mean)
		}
		fmt.Fprintln(t)
	}
	for i := range p.Trajectories() {
		phase := "scored"
		if i < p.Explore {
			phase = "explore"
		}
		row(fmt.Sprint(i+1), phase, func(s protocol.Summary) stats.Interval { return s.Return[i] })
	}
	row("adapted", "", func(s protocol.Summary) stats.Interval { return s.Adapted })
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Swap != nil {
		fmt.Fprintf(w, "\nswap gain: %.4g (%s over tasks), the return after exploring the task itself less that after "+
			"exploring another one\n", r.Swap.Gain.Mean, between(r.Swap.Gain))
	}
	if r.Share != nil {
		_, err := fmt.Fprintf(w, "\n%.1f %% of the way from standing still or random actions, whichever returns "+
			"more, to the goal-knowing controller\n", 100**r.Share)
		return err
	}
	return nil
}

// between formats the two ends of an interval.
func between(i stats.Interval) string {
	if math.IsInf(i.Lo, 0) || math.IsInf(i.Hi, 0) {
		return "unknown: one task"
	}
	return fmt.Sprintf("%.4g to %.4g", i.Lo, i.Hi)
}

// agent loads the agent of a run and says what must be known of it.
func (env *Env) agent(dir string, workers int) (*experiment.Agent, error) {
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: workers})
	if err != nil {
		return nil, err
	}
	if n := a.Notice(); n != "" {
		env.Notice(n)
	}
	return a, nil
}
