package lab

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/experiment"
	"nacre/library/cell"
	"nacre/rl/belief"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Policy is what a run's agent does after its adaptation to one test task. It is valid until Close.
type Policy struct {
	Task    sim.Task
	Spec    sim.Spec
	agent   *experiment.Agent
	adapted *protocol.Adapted
}

// Policy lets the agent adapt to a test task, counted from 0, by the run's protocol, and returns what it does after it.
// It takes mean actions. An agent with a memory begins an episode at every call.
//
//	policy, err := run.Policy(0)
//	defer policy.Close()
//	action, err := policy.Act(0.5, -0.2)
func (r *Run) Policy(task int) (*Policy, error) { return r.policy(task, true) }

// policy is Policy, without adaptation unless adapt is true.
func (r *Run) policy(task int, adapt bool) (*Policy, error) {
	a, err := experiment.LoadAgent(r.Dir, r.host)
	if err != nil {
		return nil, err
	}
	p := &Policy{agent: a, Spec: a.Spec}
	if task < 0 || task >= len(a.TestTasks) {
		return nil, errors.Join(fmt.Errorf("lab: test task %d of %s; expected 0 to %d", task, a.Spec.Name,
			len(a.TestTasks)-1), a.Close())
	}
	p.Task = a.TestTasks[task]
	how := a.Config.Evaluation.Protocol
	how.Repeats, how.CarryBelief, how.Deterministic, how.Z = 1, false, true, "mean"
	if !adapt {
		how.Explore, how.Scored, how.Extend = 0, 1, false
	}
	if p.adapted, err = a.Adapt(cell.Context(), p.Task, how, r.cfg.Seed); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return p, nil
}

// Close frees the agent's memory.
func (p *Policy) Close() error { return p.agent.Close() }

// Act returns the action for an observation, Spec.ObsDim numbers in, Spec.ActDim numbers in [-1,1] out. The action is
// the one that the agent takes if an episode begins with this observation.
func (p *Policy) Act(obs ...float64) ([]float64, error) {
	if len(obs) != p.Spec.ObsDim {
		return nil, fmt.Errorf("lab: an observation of %d numbers; those of %s have %d", len(obs), p.Spec.Name,
			p.Spec.ObsDim)
	}
	for k, v := range obs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("lab: number %d of the observation is %v; expected a finite number", k, v)
		}
	}
	return p.adapted.Act(obs)
}

// Act returns the action of an agent that has seen nothing of its task. Policy(task).Act returns the action after
// adaptation.
func (r *Run) Act(obs ...float64) (act []float64, err error) {
	p, err := r.policy(0, false)
	if err != nil {
		return nil, err
	}
	act, err = p.Act(obs...)
	return act, errors.Join(err, p.Close())
}

// Belief is the posterior over the latent task variable that the run's encoder infers from a context: a row per
// transition, with columns obs0, obs1, …, act0, act1, … and reward as Random and Told have them. If the encoder's rows
// also have the next observation, Belief takes it from the next row of the episode, and leaves each episode's last row
// out. A frame without rows gives the prior.
func (r *Run) Belief(context *frame.Frame) (q belief.Gaussian, err error) {
	err = r.agent(func(a *experiment.Agent) error {
		encoder, err := a.Encoder()
		if err != nil {
			return err
		}
		rows, err := contextRows(a.Spec, context, encoder.NextObs())
		if err != nil {
			return err
		}
		list, err := encoder.Posteriors([][]float32{rows})
		if err == nil {
			q = list[0]
		}
		return err
	})
	return q, err
}

// contextRows are the rows of a frame as an encoder reads them.
func contextRows(spec sim.Spec, f *frame.Frame, nextObs bool) ([]float32, error) {
	column := func(name string) ([]float64, error) {
		x, err := f.Numbers(name)
		if err != nil {
			return nil, fmt.Errorf("lab: the context of %s needs %d columns obs, %d columns act and reward: %w",
				spec.Name, spec.ObsDim, spec.ActDim, err)
		}
		for i, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("lab: row %d (counted from 0) of column %s of the context is %v", i, name, v)
			}
		}
		return x, nil
	}
	reward, err := column("reward")
	if err != nil {
		return nil, err
	}
	table := func(name string, n int) ([]float32, error) {
		out := make([]float32, n*len(reward))
		for j := range n {
			x, err := column(fmt.Sprint(name, j))
			if err != nil {
				return nil, err
			}
			for i, v := range x {
				out[i*n+j] = float32(v)
			}
		}
		return out, nil
	}
	obs, err := table("obs", spec.ObsDim)
	if err != nil {
		return nil, err
	}
	act, err := table("act", spec.ActDim)
	if err != nil {
		return nil, err
	}
	episode, _ := f.Numbers("episode")
	dims := replay.Dims{Obs: spec.ObsDim, Act: spec.ActDim}
	var rows []float32
	for from := 0; from < len(reward); {
		to := from + 1
		for to < len(reward) && (episode == nil || episode[to] == episode[from]) {
			to++
		}
		t := sim.Trajectory{Len: to - from, Obs: obs[from*spec.ObsDim : to*spec.ObsDim]}
		if nextObs {
			t.Len--
		}
		t.Act = act[from*spec.ActDim:]
		for _, v := range reward[from:to] {
			t.CtxReward = append(t.CtxReward, float32(v))
		}
		rows = dims.AppendContext(rows, &t, nextObs)
		from = to
	}
	return rows, nil
}

// Axis is a number of the observation that a map varies, from Lo to Hi in N steps. If Lo and Hi are both 0 they are the
// ends of what the adapted agent visits in an episode, and N is 21 if it is 0.
type Axis struct {
	Obs    int
	Lo, Hi float64
	N      int
}

// Map is a table of the actions over two numbers of the observation, with columns such as obs0, obs1, act0 and act1.
// The other numbers are those of state, ObsDim long; without it they are those at the start of an episode.
func (p *Policy) Map(x, y Axis, state ...float64) *frame.Frame {
	f, _, err := p.actions(x, y, state)
	if err != nil {
		return frame.Failed(err)
	}
	return f
}

// actions is the table of Map and the state around it.
func (p *Policy) actions(x, y Axis, state []float64) (*frame.Frame, []float64, error) {
	n := p.Spec.ObsDim
	if len(state) == 0 {
		for _, v := range p.adapted.Last.Obs[:n] {
			state = append(state, float64(v))
		}
	}
	if len(state) != n {
		return nil, nil, fmt.Errorf("lab: a state of %d numbers; observations of %s have %d", len(state),
			p.Spec.Name, n)
	}
	if x.Obs == y.Obs {
		return nil, nil, fmt.Errorf("lab: both axes of the map are number %d of the observation; expected two", x.Obs)
	}
	for _, a := range []*Axis{&x, &y} {
		if err := p.complete(a); err != nil {
			return nil, nil, err
		}
	}
	var obs []float64
	columns := make([][]float64, 2)
	for j := range y.N {
		for i := range x.N {
			row := append([]float64{}, state...)
			row[x.Obs], row[y.Obs] = x.at(i), y.at(j)
			obs = append(obs, row...)
			columns[0], columns[1] = append(columns[0], row[x.Obs]), append(columns[1], row[y.Obs])
		}
	}
	act, err := p.adapted.Act(obs)
	if err != nil {
		return nil, nil, err
	}
	f := frame.New(frame.Numbers(fmt.Sprint("obs", x.Obs), columns[0]),
		frame.Numbers(fmt.Sprint("obs", y.Obs), columns[1]))
	for k := range p.Spec.ActDim {
		column := make([]float64, len(columns[0]))
		for i := range column {
			column[i] = act[i*p.Spec.ActDim+k]
		}
		f = f.With(frame.Numbers(fmt.Sprint("act", k), column))
	}
	return f, state, nil
}

// complete fills in what an axis leaves open.
func (p *Policy) complete(a *Axis) error {
	n := p.Spec.ObsDim
	if a.Obs < 0 || a.Obs >= n {
		return fmt.Errorf("lab: number %d of the observation; those of %s have 0 to %d", a.Obs, p.Spec.Name, n-1)
	}
	if a.N = cmp.Or(a.N, 21); a.N < 2 || a.N > 200 {
		return fmt.Errorf("lab: %d steps of an axis; expected 2 to 200", a.N)
	}
	if a.Lo == 0 && a.Hi == 0 {
		a.Lo, a.Hi = math.Inf(1), math.Inf(-1)
		for i := a.Obs; i < len(p.adapted.Last.Obs); i += n {
			v := float64(p.adapted.Last.Obs[i])
			a.Lo, a.Hi = min(a.Lo, v), max(a.Hi, v)
		}
		if a.Lo == a.Hi {
			a.Lo, a.Hi = a.Lo-1, a.Hi+1
		}
	}
	if !(a.Lo < a.Hi) || math.IsInf(a.Hi-a.Lo, 0) {
		return fmt.Errorf("lab: an axis from %v to %v; expected two finite numbers in order", a.Lo, a.Hi)
	}
	return nil
}

// at is step i of an axis.
func (a Axis) at(i int) float64 {
	t := float64(i) / float64(a.N-1)
	return a.Lo*(1-t) + a.Hi*t
}

// PolicyMap draws what the agent does after its adaptation to a test task, over two numbers of the observation: arrows
// of the first two numbers of the action, or colours if the action has one. Policy(task).Map is the same as a table. A
// note states the other numbers of the observation.
//
//	run.PolicyMap(0, lab.Axis{Obs: 0}, lab.Axis{Obs: 1, Lo: -1, Hi: 1})
func (r *Run) PolicyMap(task int, x, y Axis, state ...float64) *plots.Chart {
	p, err := r.Policy(task)
	if err != nil {
		return plots.Scatter(frame.Failed(err), "x", "y")
	}
	f, state, err := p.actions(x, y, state)
	if err = errors.Join(err, p.Close()); err != nil {
		f = frame.Failed(err)
	}
	names := [2]string{fmt.Sprint("obs", x.Obs), fmt.Sprint("obs", y.Obs)}
	options := []plots.Option{plots.Title(fmt.Sprintf("%s, adapted to test task %d", r.Title(), task)),
		plots.Runs(r.Dir)}
	var others []string
	for k, v := range state {
		if k != x.Obs && k != y.Obs {
			others = append(others, fmt.Sprintf("obs%d = %.3g", k, v))
		}
	}
	if len(others) > 0 {
		options = append(options, plots.Note("The rest of the observation is "+strings.Join(others, ", ")+"."))
	}
	if p.Spec.ActDim == 1 {
		return plots.Heat(f, names[0], names[1], "act0", options...)
	}
	if p.Spec.ActDim > 2 {
		options = append(options, plots.Note(fmt.Sprintf("The action has %d numbers; the arrows are the first two.",
			p.Spec.ActDim)))
	}
	return plots.Arrows(f, names[0], names[1], "act0", "act1", append(options, plots.Equal())...)
}
