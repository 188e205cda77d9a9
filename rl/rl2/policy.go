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

// Policy is the recurrent policy. Its input is x = (o, a, r, d): the observation, the last action, the last reward, and
// whether an episode has just ended. The input changes the state. The policy is a Gaussian whose mean is linear in the
// state and whose log standard deviations do not depend on it, or, for discrete actions, a categorical distribution
// whose logits are linear in the state.
type Policy struct {
	memory   nn.GRU
	mean     nn.MLP // or logits
	obs, act int
	choices  []int   // of discrete actions; nil: a Gaussian
	least    float64 // lower bound of the log standard deviation
}

const logStd = "policy/log_std"

// maxLogStd only stops the clamp from having no upper end.
const maxLogStd = 20

// NewPolicy makes the policy for observations and actions of the given lengths. If actions are discrete, choices are
// sim.Spec.ActChoices.
func NewPolicy(c Config, obs, act int, choices ...int) Policy {
	p := Policy{
		memory: nn.GRU{Name: "policy/memory", In: obs + act + 2, Hidden: c.Hidden},
		mean:   nn.MLP{Name: "policy/mean", In: c.Hidden, Out: act},
		obs:    obs, act: act, least: math.Log(c.MinStd), choices: choices,
	}
	if p.discrete() {
		p.mean.Name = "policy/logits"
	}
	return p
}

func (p Policy) discrete() bool { return len(p.choices) > 0 }

// Specs implements nn.Network.
func (p Policy) Specs() []core.ParamSpec {
	specs := append(p.memory.Specs(), p.mean.Specs()...)
	if p.discrete() {
		return specs
	}
	return append(specs, core.ParamSpec{Name: logStd, Rows: 1, Cols: p.act})
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
	if err := nn.InitXavier(m, p.mean, rng.New(seed, rng.Init, 1)); err != nil || p.discrete() {
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
	out     string // mean or logits
	x, h    []float64
	mean, n []float64 // mean: or logits; n: the next states
}

// newActor loads one step of the policy: inputs x and h, outputs mean or logits, and next, by rows.
func newActor(d core.Device, m core.Memory, p Policy, workers, rows int) (*actor, error) {
	b := core.NewBuilder("rl2.act", rows)
	s := b.Stage("act")
	h := p.memory.Step(s, s.Input("x", rows, p.memory.In), s.Input("h", rows, p.memory.Hidden))
	s.Output("next", h)
	s.Output(p.out(), p.mean.Apply(s, h))
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
			run: run, out: p.out(), x: make([]float64, rows*p.memory.In), h: make([]float64, rows*p.memory.Hidden),
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

// out is the output that actions are drawn from.
func (p Policy) out() string {
	if p.discrete() {
		return "logits"
	}
	return "mean"
}

// std reads the standard deviations; there are none if actions are discrete.
func (a *actor) std() ([]float64, error) {
	if a.policy.discrete() {
		return nil, nil
	}
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
	// entropy collects, for every episode of discrete actions, the policy's entropy at each step; nil: nobody asks
	entropy [][]float64
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
		of, a := w.mean[k*p.act:(k+1)*p.act], act[k*p.act:(k+1)*p.act]
		var noise *rand.Rand
		if r.noise != nil {
			noise = r.noise[e]
		}
		onpolicy.Policy{Choices: p.choices}.Draw(of, r.std, noise, a)
		copy(s.last, a)
		if r.entropy != nil {
			r.entropy[e] = append(r.entropy[e], onpolicy.EntropyOf(p.choices, of))
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
	return errors.Join(w.run.Write64("x", w.x), w.run.Write64("h", w.h), w.run.Run(), w.run.Read64(w.out, w.mean),
		w.run.Read64("next", w.n))
}

// logProbs is the log probability (for a Gaussian, the log density) of the actions of several steps, rows × steps: act
// holds the steps side by side, rows × steps·act, and outs are the means or logits of each. entropy, rows × steps, is
// nil for a Gaussian, whose entropy is the same at all steps.
func (p Policy) logProbs(s *core.Stage, outs []*graph.Node, act *graph.Node, steps int) (log, entropy *graph.Node) {
	if !p.discrete() {
		return p.logDensities(s, s.ConcatCols(outs...), act, steps), nil
	}
	logs := make([]*graph.Node, steps)
	for t, x := range outs {
		logs[t] = onpolicy.Categorical{Logits: x, Choices: p.choices}.Logs(s)
	}
	all, sum := s.ConcatCols(logs...), s.WholeInput("steps", steps*p.act, steps)
	return s.MatMul(s.Mul(act, all), sum, false, false), s.Neg(s.MatMul(s.Mul(s.Exp(all), all), sum, false, false))
}

// logDensities is logProbs of a Gaussian, with the means side by side as well.
func (p Policy) logDensities(s *core.Stage, mean, act *graph.Node, steps int) *graph.Node {
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
