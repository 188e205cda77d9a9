package rl2

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/internal/rng"
	"nacre/rl/onpolicy"
)

// Policy is the recurrent Gaussian policy. Its input is x = (o, a, r, d): the observation, the last action, the last
// reward, and whether an episode has just ended. The input changes the state. The mean is linear in the state. The log
// standard deviations do not depend on the state.
type Policy struct {
	memory   nn.GRU
	mean     nn.MLP
	obs, act int
	least    float64 // lower bound of the log standard deviation
}

const logStd = "policy/log_std"

// maxLogStd only stops the clamp from having no upper end.
const maxLogStd = 20

// NewPolicy makes the policy for observations and actions of the given lengths.
func NewPolicy(c Config, obs, act int) Policy {
	return Policy{
		memory: nn.GRU{Name: "policy/memory", In: obs + act + 2, Hidden: c.Hidden},
		mean:   nn.MLP{Name: "policy/mean", In: c.Hidden, Out: act},
		obs:    obs, act: act, least: math.Log(c.MinStd),
	}
}

// Specs implements nn.Network.
func (p Policy) Specs() []core.ParamSpec {
	return append(append(p.memory.Specs(), p.mean.Specs()...), core.ParamSpec{Name: logStd, Rows: 1, Cols: p.act})
}

func (p Policy) nodes(s *core.Stage) []*graph.Node {
	var out []*graph.Node
	for _, spec := range p.Specs() {
		out = append(out, s.Param(spec.Name, spec.Rows, spec.Cols))
	}
	return out
}

// init draws the weights by Xavier, biases 0.
func (p Policy) init(m core.Memory, c Config, seed uint64) error {
	if err := nn.InitXavier(m, p.memory, rng.New(seed, rng.Init, 0)); err != nil {
		return err
	}
	if err := nn.InitXavier(m, p.mean, rng.New(seed, rng.Init, 1)); err != nil {
		return err
	}
	x := make([]float64, p.act)
	for j := range x {
		x[j] = math.Log(c.InitStd)
	}
	return m.Write(logStd, x)
}

// logStd is the log standard deviations, 1 × act.
func (p Policy) logStd(s *core.Stage) *graph.Node {
	return s.Clamp(s.Param(logStd, 1, p.act), p.least, maxLogStd)
}

// actor runs the policy during rollouts, one runner per simulation worker.
type actor struct {
	policy  Policy
	mem     core.Memory
	rows    int // environments per worker at most
	workers []actorWorker
}

type actorWorker struct {
	run     core.Runner
	x, h    []float64
	mean, n []float64 // n: the next states
}

// newActor loads one step of the policy: inputs x and h, outputs mean and next, by rows.
func newActor(d core.Device, m core.Memory, p Policy, workers, rows int) (*actor, error) {
	b := core.NewBuilder("rl2.act", rows)
	s := b.Stage("act")
	h := p.memory.Step(s, s.Input("x", rows, p.memory.In), s.Input("h", rows, p.memory.Hidden))
	s.Output("next", h)
	s.Output("mean", p.mean.Apply(s, h))
	program, err := b.Compile()
	if err != nil {
		return nil, err
	}
	a := &actor{policy: p, mem: m, rows: rows}
	for range workers {
		run, err := d.Load(program, m)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.workers = append(a.workers, actorWorker{
			run: run, x: make([]float64, rows*p.memory.In), h: make([]float64, rows*p.memory.Hidden),
			mean: make([]float64, rows*p.act), n: make([]float64, rows*p.memory.Hidden),
		})
	}
	return a, nil
}

// Close frees the runners.
func (a *actor) Close() error {
	var errs []error
	for _, w := range a.workers {
		errs = append(errs, w.run.Close())
	}
	return errors.Join(errs...)
}

// std reads the standard deviations.
func (a *actor) std() ([]float64, error) {
	x := make([]float64, a.policy.act)
	if err := a.mem.Read(logStd, x); err != nil {
		return nil, err
	}
	for j := range x {
		x[j] = math.Exp(min(max(x[j], a.policy.least), maxLogStd))
	}
	return x, nil
}

// trialState is what a policy keeps during a trial: its state, and the part of the next step's input that comes from
// the last step.
type trialState struct {
	h      []float64
	last   []float64 // action and reward
	begun  bool      // an episode of the trial has had a step
	resets bool      // Config.ResetInputs
}

func (p Policy) newState(c Config) trialState {
	return trialState{h: make([]float64, p.memory.Hidden), last: make([]float64, p.act+1), resets: c.ResetInputs}
}

func (s trialState) clone() trialState {
	s.h, s.last = append([]float64(nil), s.h...), append([]float64(nil), s.last...)
	return s
}

// input writes (o, a, r, d) for the next step; first says that an episode begins with it.
func (s *trialState) input(x, obs []float64, first bool) {
	n := copy(x, obs)
	end := 0.0
	if first && s.begun {
		end = 1
	}
	if first && s.resets {
		clear(x[n:])
		return
	}
	copy(x[n:], s.last)
	x[len(x)-1] = end
}

// rollout is the policy of the next episode of several trials; it implements sim.Watcher. Episode i moves states[i].
type rollout struct {
	actor  *actor
	states []trialState
	std    []float64
	noise  []*rand.Rand // one stream per episode; nil: deterministic
}

// Act implements sim.Policy.
func (r *rollout) Act(worker int, episodes, steps []int, obs, act []float64) error {
	w, p := &r.actor.workers[worker], r.actor.policy
	if len(episodes) > r.actor.rows {
		return fmt.Errorf("rl2: %d environments in one call, the actor was made for %d", len(episodes), r.actor.rows)
	}
	for k, e := range episodes {
		r.states[e].input(w.x[k*p.memory.In:(k+1)*p.memory.In], obs[k*p.obs:(k+1)*p.obs], steps[k] == 0)
		copy(w.h[k*p.memory.Hidden:], r.states[e].h)
	}
	if err := w.infer(); err != nil {
		return err
	}
	for k, e := range episodes {
		s := &r.states[e]
		copy(s.h, w.n[k*p.memory.Hidden:])
		for j := range p.act {
			a := w.mean[k*p.act+j]
			if r.noise != nil {
				a += r.std[j] * r.noise[e].NormFloat64()
			}
			act[k*p.act+j], s.last[j] = a, a
		}
		s.begun = true
	}
	return nil
}

// Watch implements sim.Watcher.
func (r *rollout) Watch(_ int, episodes, _ []int, reward []float64) error {
	for k, e := range episodes {
		r.states[e].last[r.actor.policy.act] = reward[k]
	}
	return nil
}

func (w *actorWorker) infer() error {
	return errors.Join(w.run.Write64("x", w.x), w.run.Write64("h", w.h), w.run.Run(), w.run.Read64("mean", w.mean),
		w.run.Read64("next", w.n))
}

// logProbs is the log density of the actions of several steps under one vector of log standard deviations: act and mean
// hold the steps side by side, rows × steps·act; the result is rows × steps.
func (p Policy) logProbs(s *core.Stage, mean, act *graph.Node, steps int) *graph.Node {
	one, repeated := p.logStd(s), make([]*graph.Node, steps)
	for t := range repeated {
		repeated[t] = one
	}
	g := onpolicy.Gaussian{Mean: mean, LogStd: s.ConcatCols(repeated...)}
	return s.MatMul(g.Terms(s, act), s.WholeInput("steps", steps*p.act, steps), false, false)
}

// stepMatrix adds the terms of each step: column t is 1 in the rows of step t's dimensions.
func (p Policy) stepMatrix(steps int) []float32 {
	x := make([]float32, steps*p.act*steps)
	for i := range steps * p.act {
		x[i*steps+i/p.act] = 1
	}
	return x
}
