package onpolicy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
)

// Policy is a distribution over actions. It is a Gaussian, or, with Choices, a Categorical. A network gives its means
// or logits, obs → act. A Gaussian's log standard deviations are one vector that does not depend on the observation.
// Actions are not squashed: environments clip them.
type Policy struct {
	Net nn.MLP
	// Choices are the numbers of choices of a discrete action (sim.Spec.ActChoices). Then the fields below have no
	// meaning. Nil: a Gaussian.
	Choices   []int
	MinLogStd float64 // lower bound of the log standard deviation; below this bound no gradient passes
	// Scale divides means and deviations, so that outputs of ±Scale stand for the ends of the actions' range. 0 means
	// 1.
	Scale float64
}

func (p Policy) scale() float64 {
	if p.Scale == 0 {
		return 1
	}
	return p.Scale
}

// LogStdMax only stops the clamp from having no upper end.
const LogStdMax = 20

// Discrete reports whether actions are choices.
func (p Policy) Discrete() bool { return len(p.Choices) > 0 }

// Specs lists the network's parameters and then, of a Gaussian, "name/log_std", 1 × act.
func (p Policy) Specs() []core.ParamSpec {
	if p.Discrete() {
		return p.Net.Specs()
	}
	return append(p.Net.Specs(), p.LogStd())
}

// Parts lists the numbers that make the distribution for rows of observations, by name: "mean" and "log_std", or
// "logits". Numbers that differ between rows come before those that all rows share.
func (p Policy) Parts(rows int) []core.ParamSpec {
	if p.Discrete() {
		return []core.ParamSpec{{Name: "logits", Rows: rows, Cols: p.Net.Out}}
	}
	return []core.ParamSpec{{Name: "mean", Rows: rows, Cols: p.Net.Out}, {Name: "log_std", Rows: 1, Cols: p.Net.Out}}
}

// Input makes a distribution whose numbers are inputs of the stage. Each input is called prefix + a name of Parts.
func (p Policy) Input(s *core.Stage, prefix string, rows int) Distribution {
	if p.Discrete() {
		return Categorical{Logits: s.Input(prefix+"logits", rows, p.Net.Out), Choices: p.Choices}
	}
	return Gaussian{
		Mean:   s.Input(prefix+"mean", rows, p.Net.Out),
		LogStd: s.WholeInput(prefix+"log_std", 1, p.Net.Out),
	}
}

// LogStd is the parameter of a Gaussian's log standard deviations.
func (p Policy) LogStd() core.ParamSpec {
	return core.ParamSpec{Name: p.Net.Name + "/log_std", Rows: 1, Cols: p.Net.Out}
}

// Size is the number of parameters, all matrices together.
func (p Policy) Size() (n int) {
	for _, s := range p.Specs() {
		n += s.Rows * s.Cols
	}
	return n
}

// Each cuts a vector of all parameters, in the order of Specs, and calls f with each name and its part until one fails.
func (p Policy) Each(params []float64, f func(name string, part []float64) error) error {
	if n := p.Size(); len(params) != n {
		return fmt.Errorf("onpolicy: %d parameters for a policy of %d", len(params), n)
	}
	for _, s := range p.Specs() {
		n := s.Rows * s.Cols
		if err := f(s.Name, params[:n:n]); err != nil {
			return err
		}
		params = params[n:]
	}
	return nil
}

// Init draws the network's parameters by nn.Xavier and sets every standard deviation of a Gaussian to std.
func (p Policy) Init(m core.Memory, std float64, r *rand.Rand) error {
	if err := (nn.Xavier{}).Init(m, p.Net, r); err != nil || p.Discrete() {
		return err
	}
	x := make([]float64, p.Net.Out)
	for i := range x {
		x[i] = math.Log(std)
	}
	return m.Write(p.LogStd().Name, x)
}

// Nodes returns the parameters as nodes of s, in the order of Specs.
func (p Policy) Nodes(s *core.Stage) []*graph.Node {
	if p.Discrete() {
		return p.Net.Nodes(s)
	}
	return append(p.Net.Nodes(s), s.Param(p.LogStd().Name, 1, p.Net.Out))
}

// Apply returns the distribution of actions for rows of observations. The argument params are the parameters in the
// order of Specs: the nodes of Nodes, or nodes computed from them.
func (p Policy) Apply(s *core.Stage, params []*graph.Node, obs *graph.Node) Distribution {
	if p.Discrete() {
		return Categorical{Logits: p.Net.Forward(s, params, obs), Choices: p.Choices}
	}
	last := len(params) - 1
	return Gaussian{
		Mean:   s.Scale(p.Net.Forward(s, params[:last], obs), 1/p.scale()),
		LogStd: s.Shift(s.Clamp(params[last], p.MinLogStd, LogStdMax), -math.Log(p.scale())),
	}
}

// Actor runs the policy during rollouts. It holds several sets of parameters, its slots, so that episodes under
// different ones (each task's own) go through one rollout.
type Actor struct {
	policy  Policy
	out     string // the programs' output: means or logits
	device  core.Device
	calls   []call // by their number of rows; the last one is for a worker's environments at most
	workers []actorWorker
	slots   []slot
}

// call is the policy compiled for a number of rows.
type call struct {
	rows    int
	program *core.Program
}

// actorWorker is a simulation worker's room: the rows of one slot, gathered.
type actorWorker struct {
	which     []int // rows of the call
	done      []bool
	obs, mean []float64 // mean: or logits
}

// slot is one set of parameters with a runner for each worker and call.
type slot struct {
	memory core.Memory
	run    [][]core.Runner
	std    []float64
}

// NewActor makes an actor without slots. Each simulation worker has at most `rows` environments.
func NewActor(d core.Device, p Policy, workers, rows int) (*Actor, error) {
	a := &Actor{policy: p, out: p.Parts(1)[0].Name, device: d}
	// An evaluation has a slot for every episode, a meta-batch some episodes of each.
	for _, n := range slices.Compact([]int{1, min(4, rows), rows}) {
		b := core.NewBuilder("act", 1)
		s := b.Stage("act")
		s.Output(p.Parts(n)[0].Name, p.Apply(s, p.Nodes(s), s.Input("obs", n, p.Net.In)).Parts()[0])
		program, err := b.Compile()
		if err != nil {
			return nil, err
		}
		a.calls = append(a.calls, call{n, program})
	}
	for range workers {
		a.workers = append(a.workers, actorWorker{
			which: make([]int, 0, rows), done: make([]bool, rows),
			obs: make([]float64, rows*p.Net.In), mean: make([]float64, rows*p.Net.Out),
		})
	}
	return a, nil
}

// Load sets the parameters of slot i, from one vector in the order of Policy.Each. It makes slots that are missing up
// to i. It must not be called during a rollout.
func (a *Actor) Load(i int, params []float64) error {
	for len(a.slots) <= i {
		if err := a.grow(); err != nil {
			return err
		}
	}
	s := a.slots[i]
	if err := a.policy.Each(params, s.memory.Write); err != nil || a.policy.Discrete() {
		return err
	}
	if err := s.memory.Read(a.policy.LogStd().Name, s.std); err != nil { // as the device rounded them
		return err
	}
	for j, x := range s.std {
		s.std[j] = math.Exp(min(max(x, a.policy.MinLogStd), LogStdMax)) / a.policy.scale()
	}
	return nil
}

func (a *Actor) grow() error {
	m, err := a.device.NewMemory(a.policy.Specs())
	if err != nil {
		return err
	}
	s := slot{memory: m, std: make([]float64, a.policy.Net.Out)}
	for range a.workers {
		var runs []core.Runner
		for _, c := range a.calls {
			run, err := a.device.Load(c.program, m)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		s.run = append(s.run, runs)
	}
	a.slots = append(a.slots, s)
	return nil
}

// Close gives the runners back.
func (a *Actor) Close() error {
	var first error
	for _, s := range a.slots {
		for _, run := range slices.Concat(s.run...) {
			if err := run.Close(); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

// Policy acts in episode i with the parameters of slot slots[i]. It draws the action with noise[i], or takes the mean
// or the most probable choice if noise is nil.
func (a *Actor) Policy(slots []int, noise []*rand.Rand) *Rollout {
	return &Rollout{actor: a, slots: slots, noise: noise}
}

// Rollout is the policy for one set of episodes. It implements sim.Policy.
type Rollout struct {
	actor *Actor
	slots []int        // one per episode
	noise []*rand.Rand // one stream per episode; nil: deterministic
}

// Act implements sim.Policy.
func (r *Rollout) Act(worker int, episodes, _ []int, obs, act []float64) error {
	if most := r.actor.calls[len(r.actor.calls)-1].rows; len(episodes) > most {
		return fmt.Errorf("onpolicy: %d environments in one call, the actor was made for %d", len(episodes), most)
	}
	w := &r.actor.workers[worker]
	clear(w.done)
	for first := range episodes {
		if w.done[first] {
			continue
		}
		at := r.slots[episodes[first]]
		w.which = w.which[:0]
		for k := first; k < len(episodes); k++ {
			if r.slots[episodes[k]] == at {
				w.which, w.done[k] = append(w.which, k), true
			}
		}
		if err := r.actWith(worker, at, episodes, obs, act); err != nil {
			return err
		}
	}
	return nil
}

// actWith writes the actions of the rows gathered in the worker's which.
func (r *Rollout) actWith(worker, at int, episodes []int, obs, act []float64) error {
	w, s := &r.actor.workers[worker], &r.actor.slots[at]
	o, n := r.actor.policy.Net.In, r.actor.policy.Net.Out
	for i, k := range w.which {
		copy(w.obs[i*o:(i+1)*o], obs[k*o:(k+1)*o])
	}
	size := 0
	for r.actor.calls[size].rows < len(w.which) {
		size++
	}
	rows, run := r.actor.calls[size].rows, s.run[worker][size]
	if err := run.Write64("obs", w.obs[:rows*o]); err != nil {
		return err
	}
	if err := run.Run(); err != nil {
		return err
	}
	if err := run.Read64(r.actor.out, w.mean[:rows*n]); err != nil {
		return err
	}
	for i, k := range w.which {
		var noise *rand.Rand
		if r.noise != nil {
			noise = r.noise[episodes[k]]
		}
		r.actor.policy.Draw(w.mean[i*n:(i+1)*n], s.std, noise, act[k*n:(k+1)*n])
	}
	return nil
}

// Draw writes an action for a row of means or logits. The action is drawn with noise; a Gaussian has the standard
// deviations std. If noise is nil, the action is the mean, or the most probable choice.
func (p Policy) Draw(of, std []float64, noise *rand.Rand, act []float64) {
	if p.Discrete() {
		Choose(p.Choices, of, noise, act)
		return
	}
	for j, a := range of {
		if noise != nil {
			a += std[j] * noise.NormFloat64()
		}
		act[j] = a
	}
}
