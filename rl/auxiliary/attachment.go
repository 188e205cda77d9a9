package auxiliary

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/config"
	"nacre/rl/replay"
	"nacre/sim"
)

// Config says from which contexts a loss learns if it is attached to an algorithm that draws no contexts of single
// tasks, such as MQL, RL² and VariBAD.
type Config struct {
	Tasks    int    `toml:"tasks" range:"[1,1024]" comment:"number of tasks per update of the loss"`
	Rows     int    `toml:"rows" range:"[1,65536]" comment:"transitions of a context, for a loss that does not draw its own"`
	Sampling string `toml:"sampling" oneof:"windows rows" comment:"such a context is a window, or the same number of rows that are not consecutive"`
	Keep     int    `toml:"keep" range:"[1,1e9]" comment:"contexts are drawn from this number of the newest transitions of a train task"`
}

// Default has as many tasks as PEARL's meta-batch and windows as long as TCL's.
func Default() Config { return Config{Tasks: 16, Rows: 64, Sampling: "windows", Keep: 2000} }

// Table is the table of a run's configuration that algorithms with an attached loss read.
var Table = rl.Table{Name: "auxiliary", Default: Default()}

// Of returns these settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Carry is the algorithm a with the loss l on its encoders, under the name a-l. The function learner makes its
// learners.
func Carry(a rl.Algorithm, l Loss,
	learner func(rl.Config, rl.Setup, *Attachment) (rl.Learner, error)) rl.Algorithm {
	a.Name, a.Title, a.About = a.Name+"-"+l.Name, a.Title+" + "+l.Title, a.Title+" with a loss on its encoder: "+l.About
	a.Tables = append(slices.Clone(a.Tables), Table, l.Table)
	a.Small = append(slices.Clone(a.Small), Table.Name+".tasks=4", Table.Name+".rows=5")
	for _, set := range l.Small {
		if strings.HasPrefix(set, l.Table.Name+".") { // others are PEARL's
			a.Small = append(a.Small, set)
		}
	}
	a.Presets, a.Variants, a.Benchmark = nil, nil, nil
	name := a.Name
	a.New = func(c rl.Config, s rl.Setup) (rl.Learner, error) {
		aux, err := Attach(name, l, c, s)
		if err != nil {
			return nil, err
		}
		return learner(c, s, aux)
	}
	return a
}

// Attachment adds a loss to the encoders of an algorithm that draws no contexts of single tasks itself. It keeps the
// newest trajectories of each train task, draws contexts from them and computes the loss's gradient by an encoder's
// parameters. The algorithm adds this gradient to that of its own loss, so that its optimiser follows the sum.
//
// A nil Attachment stands for an algorithm without such a loss; its methods do nothing.
type Attachment struct {
	algorithm string
	loss      Loss
	config    rl.Config
	cfg       Config
	seed      uint64
	dims      replay.Dims
	stores    [][]*replay.Task // a single store: by train task
	parts     []*Part
}

// Attach prepares the loss l for a run of the algorithm with this name.
func Attach(algorithm string, l Loss, c rl.Config, s rl.Setup) (*Attachment, error) {
	a := &Attachment{algorithm: algorithm, loss: l, config: c, cfg: Of(c), seed: s.Seed,
		dims: replay.Dims{Obs: s.Spec.ObsDim, Act: s.Spec.ActDim}, stores: [][]*replay.Task{nil}}
	if err := config.Check(a.cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", algorithm, err)
	}
	for range s.Train {
		a.stores[0] = append(a.stores[0], replay.NewTask(a.dims, a.cfg.Keep))
	}
	return a, nil
}

// On makes the loss for an encoder. Its name tells the algorithm's encoders apart; it is empty if there is one only.
func (a *Attachment) On(encoder belief.ContextEncoder, name string) (*Part, error) {
	if a == nil {
		return nil, nil
	}
	p := &Part{of: a, number: uint64(len(a.parts)), grads: map[string][]float64{}}
	p.on = Setting{Encoder: encoder, Name: name, Slots: a.cfg.Tasks, SlotsKey: Table.Name + ".tasks",
		Train: len(a.stores[0]), Obs: a.dims.Obs, Act: a.dims.Act, Seed: a.seed + p.number,
		Context: feed.Draw{Kind: feed.Window, N: a.cfg.Rows}}
	if a.cfg.Sampling == "rows" {
		p.on.Context.Kind = feed.Transitions
	}
	var err error
	if p.Auxiliary, err = a.loss.New(a.config, p.on); err != nil {
		return nil, fmt.Errorf("%s: %w", a.algorithm, err)
	}
	draws, fills := p.Feed()
	at := slices.IndexFunc(fills, func(f feed.Fill) bool { return f.Input == "context" })
	if at < 0 {
		return nil, fmt.Errorf("%s: the loss %s fills no input context, want one with the encoder's rows",
			a.algorithm, a.loss.Name)
	}
	p.rows = draws[fills[at].Draw].N
	if p.sampler, err = replay.NewSampler(feed.Recipe{Obs: a.dims.Obs, Act: a.dims.Act, Tasks: p.on.Train,
		Slots: p.on.Slots, Choose: feed.WithReplacement, Stores: 1, Capacity: a.cfg.Keep, Draws: draws,
		Fills: fills}); err != nil {
		return nil, fmt.Errorf("%s: %w", a.algorithm, err)
	}
	for _, s := range p.learned() {
		p.grads[s.Name] = make([]float64, s.Rows*s.Cols)
	}
	a.parts = append(a.parts, p)
	return p, nil
}

// Params lists the parameters that the loss adds.
func (a *Attachment) Params() (out []core.ParamSpec) {
	for _, p := range a.all() {
		out = append(out, p.Params()...)
	}
	return out
}

func (a *Attachment) all() []*Part {
	if a == nil {
		return nil
	}
	return a.parts
}

// Open sets these parameters in m, after the encoders' own are set, and loads the loss's programs.
func (a *Attachment) Open(d core.Device, m core.Memory) error {
	for _, p := range a.all() {
		if err := p.open(d, m); err != nil {
			return err
		}
	}
	return nil
}

// Keep adds a trajectory of a train task to those that contexts are drawn from.
func (a *Attachment) Keep(task int, t *sim.Trajectory) error {
	if a == nil {
		return nil
	}
	return a.stores[0][task].Add(t)
}

// KeepRounds keeps the trajectories of several rounds, of which trajectory i is of the i-th of the given train tasks,
// which repeat.
func (a *Attachment) KeepRounds(tasks []int, rounds [][]sim.Trajectory) error {
	for _, round := range rounds {
		for i := range round {
			if err := a.Keep(tasks[i%len(tasks)], &round[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bytes estimates the memory of the kept transitions when so many were collected.
func (a *Attachment) Bytes(rows int64) int64 {
	if a == nil {
		return 0
	}
	return a.dims.Bytes(min(rows, int64(len(a.stores[0]))*int64(a.cfg.Keep)))
}

// State lists what a checkpoint must hold: the kept transitions and the state of the loss.
func (a *Attachment) State() []replay.Part {
	if a == nil {
		return nil
	}
	out := []replay.Part{replay.JSONPart("auxiliary", func() any { return a.parts }, func(of []json.RawMessage) error {
		if len(of) != len(a.parts) {
			return fmt.Errorf("%s: states of %d losses, want %d", a.algorithm, len(of), len(a.parts))
		}
		for i, p := range a.parts {
			if err := json.Unmarshal(of[i], p.Auxiliary); err != nil {
				return fmt.Errorf("%s: state of the loss: %w", a.algorithm, err)
			}
		}
		return nil
	})}
	for i, t := range a.stores[0] {
		out = append(out, replay.Part{Name: fmt.Sprintf("auxiliary/%d", i), Save: t.Encode, Load: t.Decode})
	}
	return out
}

// MetricNames lists the names of the values that Metrics reports, in order. If the algorithm has several encoders, a
// name begins with that of the encoder.
func (a *Attachment) MetricNames() (out []string) {
	for _, p := range a.all() {
		for _, name := range append(p.MetricNames(), norm) {
			out = append(out, p.on.Own(name))
		}
	}
	return out
}

// diagnostic is the update number whose random stream draws the data of an iteration's metrics.
const diagnostic = 1 << 40

// Metrics reports the loss's metrics and the norm of its gradient, on contexts drawn for them. It changes no
// parameter.
func (a *Attachment) Metrics(iteration int, record func(name string, value float64)) error {
	for _, p := range a.all() {
		own := func(name string, value float64) { record(p.on.Own(name), value) }
		drawn, err := p.run(iteration, diagnostic)
		if err == nil && drawn {
			err = p.Diagnose(p.gradient, own)
		}
		if err == nil && drawn {
			err = Record(p.gradient, own, norm)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close frees the programs.
func (a *Attachment) Close() error {
	var errs []error
	for _, p := range a.all() {
		errs = append(errs, core.CloseAll(p.gradient, p.follow))
		p.gradient, p.follow = nil, nil
	}
	return errors.Join(errs...)
}

// Part is the loss on one encoder. A nil Part stands for an encoder without a loss; its methods do nothing.
//
// For an update the algorithm calls Compute. Then it makes its step with the gradient, by AddTo and Write, or by Add.
// Then it calls Follow.
type Part struct {
	belief.Auxiliary
	of       *Attachment
	on       Setting
	number   uint64 // in the attachment
	rows     int    // of a context
	sampler  *replay.Sampler
	gradient core.Runner
	follow   core.Runner // nil if there is nothing to do after a step
	grads    map[string][]float64
}

// norm is the output that is the norm of the gradient by the encoder's parameters.
const norm = "grad_encoder_aux"

// gradientOf is the name of the gradient by a parameter, as an output and as an input.
func gradientOf(param string) string { return "auxiliary/" + param }

// own are the parameters of the loss that learn, and their learning rate.
func (p *Part) own() ([]core.ParamSpec, float64) {
	if l, ok := p.Auxiliary.(belief.Learning); ok {
		return l.Learned()
	}
	return nil, 0
}

// learned are the parameters by which the gradient is computed.
func (p *Part) learned() []core.ParamSpec {
	own, _ := p.own()
	return slices.Concat(p.on.Encoder.Specs(), own)
}

func (p *Part) open(d core.Device, m core.Memory) error {
	if err := p.Init(m); err != nil {
		return fmt.Errorf("%s: %w", p.of.algorithm, err)
	}
	programs := []core.Loading{{Run: &p.gradient, Make: p.gradientProgram}}
	if len(p.Params()) > 0 {
		programs = append(programs, core.Loading{Run: &p.follow, Make: p.followProgram})
	}
	_, err := core.LoadAll(d, m, programs...)
	return err
}

// gradientProgram computes the loss and its gradients. It changes no parameter.
func (p *Part) gradientProgram() (*core.Program, error) {
	b := core.NewBuilder("auxiliary.gradient", p.on.Slots)
	s := b.Stage("loss")
	loss := p.Loss(s, p.on.Encoder.Encode(s, belief.Contexts{Input: "context", Weight: "context_weight",
		N: p.on.Slots, Rows: p.rows}))
	params := p.learned()
	grads := s.Gradients(loss, belief.Nodes(s, params)...)
	for i, g := range grads {
		s.Output(gradientOf(params[i].Name), g)
	}
	s.OutputNorm(norm, grads[:len(p.on.Encoder.Specs())]...)
	return b.Compile()
}

// followProgram makes the step of the loss's own parameters, and what the loss does after the encoder's step.
func (p *Part) followProgram() (*core.Program, error) {
	b := core.NewBuilder("auxiliary.follow", 1)
	s := b.Stage("own")
	belief.Nodes(s, slices.Concat(p.on.Encoder.Specs(), p.Params())) // averages need their shapes
	if own, lr := p.own(); len(own) > 0 {
		s.Minimise(product(s, own), core.DefaultAdam(lr), belief.Nodes(s, own)...)
	}
	p.AfterStep(b)
	return b.Compile()
}

// product is Σ g⊙θ over parameters θ, 1×1, where the inputs g are their gradients. The gradient of it by θ is g.
func product(s *core.Stage, params []core.ParamSpec) (sum *graph.Node) {
	for _, p := range params {
		x := s.SumAll(s.Mul(s.WholeInput(gradientOf(p.Name), p.Rows, p.Cols), s.Param(p.Name, p.Rows, p.Cols)))
		if sum == nil {
			sum = x
		} else {
			sum = s.Add(sum, x)
		}
	}
	return sum
}

// AddTo adds to a loss of a program a term whose gradient by the encoder's parameters is that of the auxiliary loss.
// Write fills its inputs.
func (p *Part) AddTo(s *core.Stage, loss *graph.Node) *graph.Node {
	if p == nil {
		return loss
	}
	return s.Add(loss, product(s, p.on.Encoder.Specs()))
}

// Compute draws contexts for an update of an iteration and computes the gradient of the loss. Before anything is
// collected the gradient is zero.
func (p *Part) Compute(iteration, update int) error {
	if p == nil {
		return nil
	}
	drawn, err := p.run(iteration, uint64(update))
	if err != nil || !drawn {
		return err
	}
	var size [1]float64
	if err := p.gradient.Read64(norm, size[:]); err != nil {
		return err
	}
	if err := rl.Finite(p.of.algorithm, p.on.Own(norm), size[0], iteration, update, nil); err != nil {
		return err
	}
	return p.read()
}

func (p *Part) read() error {
	for name, g := range p.grads {
		if err := p.gradient.Read64(gradientOf(name), g); err != nil {
			return err
		}
	}
	return nil
}

// run computes the loss on contexts drawn from tasks that have data; drawn is false if none has.
func (p *Part) run(iteration int, update uint64) (drawn bool, err error) {
	var seen []int
	for i, t := range p.of.stores[0] {
		if t.Len() > 0 {
			seen = append(seen, i)
		}
	}
	if len(seen) == 0 {
		return false, nil
	}
	r := rng.New(p.of.seed, rng.Replay, uint64(iteration), update, 1+p.number)
	tasks, order := make([]int, p.on.Slots), r.Perm(len(seen))
	for i := range tasks {
		tasks[i] = seen[order[i%len(order)]]
	}
	record, err := p.sampler.SampleTasks(r, tasks, p.of.stores)
	if err != nil {
		return false, fmt.Errorf("%s: train %w", p.of.algorithm, err)
	}
	p.Count(record)
	return true, errors.Join(p.sampler.Write(p.gradient, nil), p.gradient.Run())
}

// Write writes the gradient to a program that has AddTo's term.
func (p *Part) Write(run core.Runner) error {
	if p == nil {
		return nil
	}
	for _, s := range p.on.Encoder.Specs() {
		if err := run.Write64(gradientOf(s.Name), p.grads[s.Name]); err != nil {
			return err
		}
	}
	return nil
}

// Add adds the gradient to sums of gradients by parameter.
func (p *Part) Add(sums map[string][]float64) {
	if p == nil {
		return
	}
	for _, s := range p.on.Encoder.Specs() {
		for i, g := range p.grads[s.Name] {
			sums[s.Name][i] += g
		}
	}
}

// Follow makes the step of the loss's own parameters and its moving averages, after the encoder's step.
func (p *Part) Follow() error {
	if p == nil || p.follow == nil {
		return nil
	}
	own, _ := p.own()
	for _, s := range own {
		if err := p.follow.Write64(gradientOf(s.Name), p.grads[s.Name]); err != nil {
			return err
		}
	}
	return p.follow.Run()
}
