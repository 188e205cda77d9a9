package rltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/replay"
	"nacre/sim"
)

// Sizes of what the suites of encoders and of losses on them run on.
const (
	someObs, someAct     = 3, 2
	someSlots, someTrain = 5, 4
	someRows             = 6
)

// Encoders are small encoders of transitions with 3 observations and 2 actions: a product of Gaussians, and a recurrent
// one that gives points.
func Encoders() map[string]belief.ContextEncoder {
	const row = someObs + someAct + 1
	return map[string]belief.ContextEncoder{
		"product of Gaussians": belief.Encoder{Latent: 3,
			Net: nn.MLP{Name: "encoder", In: row, Hidden: []int{7}, Out: 6, Act: op.Tanh}},
		"recurrent": belief.Recurrent{Memory: nn.GRU{Name: "encoder/memory", In: row, Hidden: 4}},
	}
}

// Auxiliary tests a loss on encoders against the contract of belief.Auxiliary. It tests the draws and the inputs that
// they fill, the shapes, the gradients against finite differences, that a gradient step lowers the loss, that any
// number of workers gives equal bits, the metrics, and the state. If encoders is nil, it takes those of the function
// Encoders. Encoders that you give must read transitions of the same sizes as the encoders of Encoders do.
func Auxiliary(t *testing.T, open func(auxiliary.Setting) (belief.Auxiliary, error),
	encoders map[string]belief.ContextEncoder) {
	t.Helper()
	if encoders == nil {
		encoders = Encoders()
	}
	for name, enc := range encoders {
		t.Run(name, func(t *testing.T) {
			on := auxiliary.Setting{Encoder: enc, Slots: someSlots, Train: someTrain, Obs: someObs, Act: someAct,
				Context: feed.Draw{Kind: feed.Window, N: someRows}, Seed: 5}
			a, err := open(on)
			check(t, err)
			s := auxiliarySuite{Auxiliary: a, on: on, open: open}
			s.draw(t)
			s.state(t)
			s.gradients(t)
			s.descends(t)
			s.workers(t)
		})
	}
}

type auxiliarySuite struct {
	belief.Auxiliary
	on   auxiliary.Setting
	open func(auxiliary.Setting) (belief.Auxiliary, error)

	contexts belief.Contexts // those of the algorithm's posterior
	sampler  *replay.Sampler
	record   feed.Record
}

// draw draws an update's data from trajectories of which some are shorter than a window, by the loss's description.
func (s *auxiliarySuite) draw(t *testing.T) {
	t.Helper()
	draws, fills := s.Feed()
	filled := map[string]int{}
	for i, f := range fills {
		if _, twice := filled[f.Input]; twice {
			t.Errorf("input %s is filled twice", f.Input)
		}
		filled[f.Input] = i
	}
	at, has := filled["context"]
	weight, too := filled["context_weight"]
	if !has || !too || fills[at].Field != s.on.Encoder.Field() || fills[weight].Field != feed.Weight ||
		fills[at].Draw != fills[weight].Draw {
		t.Fatalf("fills %+v, want context with the encoder's rows and context_weight with their weights", fills)
	}
	s.contexts = belief.Contexts{Input: "context", Weight: "context_weight", N: s.on.Slots,
		Rows: draws[fills[at].Draw].N}
	dims := replay.Dims{Obs: s.on.Obs, Act: s.on.Act}
	var err error
	s.sampler, err = replay.NewSampler(feed.Recipe{Obs: s.on.Obs, Act: s.on.Act, Tasks: s.on.Train, Slots: s.on.Slots,
		Choose: feed.WithReplacement, Stores: 1, Capacity: 100, Draws: draws, Fills: fills})
	check(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	var tasks []*replay.Task
	for task := range s.on.Train {
		tasks = append(tasks, replay.NewTask(dims, 100))
		for range 3 {
			check(t, tasks[task].Add(trajectory(r, dims, 2+3*task, float32(task))))
		}
	}
	// A task twice, and not only one.
	for seed := uint64(0); ; seed++ {
		s.record, err = s.sampler.Sample(rand.New(rand.NewPCG(seed, 1)), [][]*replay.Task{tasks})
		check(t, err)
		different := slices.Clone(s.record.Tasks)
		slices.Sort(different)
		if n := len(slices.Compact(different)); n > 2 && n < s.on.Slots {
			break
		}
	}
	s.Count(s.record)
}

// trajectory is one of n steps whose numbers are about mean.
func trajectory(r *rand.Rand, d replay.Dims, n int, mean float32) *sim.Trajectory {
	x := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(r.NormFloat64()) + mean
		}
		return out
	}
	return &sim.Trajectory{Len: n, Obs: x((n + 1) * d.Obs), Act: x(n * d.Act), Reward: x(n), CtxReward: x(n)}
}

// learned are the parameters that an update steps: the encoder's, and the loss's own.
func (s *auxiliarySuite) learned() []core.ParamSpec {
	out := s.on.Encoder.Specs()
	if l, ok := s.Auxiliary.(belief.Learning); ok {
		own, _ := l.Learned()
		out = append(out, own...)
	}
	return out
}

// program has the loss, its gradients by what it teaches and, with a step, Adam's and what follows it.
func (s *auxiliarySuite) program(t *testing.T, step bool) *core.Program {
	t.Helper()
	b := core.NewBuilder("auxiliary", s.on.Slots)
	stage := b.Stage("encoder")
	q := s.on.Encoder.Encode(stage, s.contexts)
	loss := s.Loss(stage, q)
	check(t, stage.Err())
	if shape := loss.Shape(); shape[0] != 1 || shape[1] != 1 {
		t.Fatalf("a loss of shape %v, want 1×1", shape)
	}
	stage.Output("loss", loss)
	learned := s.learned()
	for i, g := range stage.Gradients(loss, belief.Nodes(stage, learned)...) {
		stage.Output("d/"+learned[i].Name, g)
	}
	if step {
		stage.Minimise(loss, core.DefaultAdam(0.01), belief.Nodes(stage, s.on.Encoder.Specs())...)
		belief.StepOwn(stage, s.Auxiliary, loss)
		s.AfterStep(b)
	}
	p, err := b.Compile()
	check(t, err)
	return p
}

// load runs a program on a device's memory with the parameters as they begin, moved a little so that no two encoders
// are the same, and with what was drawn.
func (s *auxiliarySuite) load(t *testing.T, d core.Device, p *core.Program) (core.Memory, core.Runner) {
	t.Helper()
	specs := append(slices.Clone(s.on.Encoder.Specs()), s.Params()...)
	m, err := d.NewMemory(specs)
	check(t, err)
	r := rand.New(rand.NewPCG(7, 8))
	move := func(specs []core.ParamSpec, by float64) {
		for _, spec := range specs {
			x := make([]float64, spec.Rows*spec.Cols)
			check(t, m.Read(spec.Name, x))
			for i := range x {
				x[i] += by * r.NormFloat64()
			}
			check(t, m.Write(spec.Name, x))
		}
	}
	move(s.on.Encoder.Specs(), 0.5)
	check(t, s.Init(m))
	move(s.Params(), 0.05)
	run, err := d.Load(p, m)
	check(t, err)
	check(t, s.sampler.Write(run, p))
	t.Cleanup(func() { run.Close() })
	return m, run
}

// state: its JSON form is read back and written the same.
func (s *auxiliarySuite) state(t *testing.T) {
	text, err := json.Marshal(s.Auxiliary)
	check(t, err)
	other, err := s.open(s.on)
	check(t, err)
	check(t, json.Unmarshal(text, other))
	again, err := json.Marshal(other)
	check(t, err)
	if !bytes.Equal(text, again) {
		t.Errorf("the state %s is read back as %s", text, again)
	}
}

// gradients: central differences in float64, for some numbers of each parameter.
func (s *auxiliarySuite) gradients(t *testing.T) {
	t.Helper()
	p := s.program(t, false)
	m, run := s.load(t, ref.Device, p)
	for name := range p.Inputs {
		if s.sampler.Input(name) == nil {
			t.Errorf("input %s is filled by nothing", name)
		}
	}
	check(t, run.Run())
	want, felt := map[string][]float64{}, false
	for _, spec := range s.learned() {
		want[spec.Name] = make([]float64, spec.Rows*spec.Cols)
		check(t, run.Read64("d/"+spec.Name, want[spec.Name]))
		felt = felt || slices.ContainsFunc(want[spec.Name], func(x float64) bool { return x != 0 })
	}
	if !felt {
		t.Error("all gradients are 0")
	}
	loss := func() float64 {
		var x [1]float64
		check(t, run.Run())
		check(t, run.Read64("loss", x[:]))
		return x[0]
	}
	const step = 1e-5
	for _, spec := range s.learned() {
		x := make([]float64, spec.Rows*spec.Cols)
		check(t, m.Read(spec.Name, x))
		for i := 0; i < len(x); i += 1 + len(x)/5 {
			at := x[i]
			var f [2]float64
			for k, h := range []float64{-step, step} {
				x[i] = at + h
				check(t, m.Write(spec.Name, x))
				f[k] = loss()
			}
			x[i] = at
			got, g := (f[1]-f[0])/(2*step), want[spec.Name][i]
			if !(math.Abs(got-g) <= 1e-5*max(1, math.Abs(g))) {
				t.Errorf("gradient %d of %s is %.10g, by differences %.10g", i, spec.Name, g, got)
			}
		}
		check(t, m.Write(spec.Name, x))
	}
}

// descends: fifty steps lower the loss, and what it reports then are numbers under the names it announces.
func (s *auxiliarySuite) descends(t *testing.T) {
	t.Helper()
	_, run := s.load(t, ref.Device, s.program(t, true))
	var first, last [1]float64
	for step := range 50 {
		check(t, run.Run())
		check(t, run.Read64("loss", last[:]))
		if step == 0 {
			first = last
		}
	}
	if !(last[0] < first[0]) {
		t.Errorf("the loss is %v at first and %v after 50 steps", first[0], last[0])
	}
	names, at := s.MetricNames(), 0
	check(t, s.Diagnose(run, func(name string, value float64) {
		i := slices.Index(names[at:], name)
		if i < 0 {
			t.Errorf("metric %s is recorded twice, out of order, or was not announced in %v", name, names)
			return
		}
		at += i + 1
		if math.IsNaN(value) || math.IsInf(value, 0) {
			t.Errorf("metric %s is %v", name, value)
		}
	}))
	if at == 0 {
		t.Error("no metric is recorded")
	}
}

// workers: three updates on the CPU are the reference's as far as float32 goes, and bit for bit the same with 1, 2 and
// 3 workers.
func (s *auxiliarySuite) workers(t *testing.T) {
	t.Helper()
	p := s.program(t, true)
	after := func(d core.Device) map[string][]float64 {
		m, run := s.load(t, d, p)
		for range 3 {
			check(t, run.Run())
		}
		out := map[string][]float64{"loss": make([]float64, 1)}
		check(t, run.Read64("loss", out["loss"]))
		for _, spec := range m.Params() {
			out[spec.Name] = make([]float64, spec.Rows*spec.Cols)
			check(t, m.Read(spec.Name, out[spec.Name]))
		}
		return out
	}
	want := after(ref.Device)
	var first map[string][]float64
	for _, n := range []int{1, 2, 3} {
		d, err := cpu.New(cpu.Options{Workers: n})
		check(t, err)
		got := after(d)
		if first == nil {
			first = got
		}
		for name, x := range got {
			for i := range x {
				if math.Float64bits(x[i]) != math.Float64bits(first[name][i]) {
					t.Errorf("%s with %d workers is %v, with one %v", name, n, x[i], first[name][i])
					break
				}
			}
		}
	}
	if !(math.Abs(first["loss"][0]-want["loss"][0]) <= 1e-3*max(1, math.Abs(want["loss"][0]))) {
		t.Errorf("the loss after three updates on the CPU is %v, the reference's %v", first["loss"][0], want["loss"][0])
	}
}

// ContextEncoder tests an encoder against the contract of belief.ContextEncoder. Its transitions have observations and
// actions of the sizes d. Its parameters must not be in a memory yet.
func ContextEncoder(t *testing.T, e belief.ContextEncoder, d replay.Dims) {
	t.Helper()
	if want := d.ContextWidth(e.Field() == feed.ContextNext); e.Width() != want || e.Size() < 1 {
		t.Fatalf("rows of %d numbers, want %d; embeddings of %d, want at least 1", e.Width(), want, e.Size())
	}
	twin := e.Twin("_key")
	names := map[string]bool{}
	for i, p := range e.Specs() {
		own := twin.Specs()[i]
		if own.Rows != p.Rows || own.Cols != p.Cols {
			t.Errorf("%s is %d×%d, of the twin %d×%d", p.Name, p.Rows, p.Cols, own.Rows, own.Cols)
		}
		for _, name := range []string{p.Name, own.Name} {
			if names[name] {
				t.Errorf("two parameters are called %s", name)
			}
			names[name] = true
		}
	}
	const n = 4
	embed := func(e belief.ContextEncoder, rows int, context, weight []float64) (mean, variance []float64) {
		t.Helper()
		b := core.NewBuilder("encode", n)
		s := b.Stage("encode")
		q := e.Encode(s, belief.Contexts{Input: "rows", Weight: "weights", N: n, Rows: rows})
		check(t, s.Err())
		for what, x := range map[string]*graph.Node{"mean": q.Mean, "variance": q.Var} {
			if x != nil && (x.Shape()[0] != n || x.Shape()[1] != e.Size()) {
				t.Fatalf("the %s is %v, want %d×%d", what, x.Shape(), n, e.Size())
			}
		}
		s.Output("mean", q.Mean)
		if q.Var != nil {
			s.Output("variance", q.Var)
		}
		p, err := b.Compile()
		check(t, err)
		m, err := ref.Device.NewMemory(e.Specs())
		check(t, err)
		r := rand.New(rand.NewPCG(5, 6))
		for _, spec := range e.Specs() {
			x := make([]float64, spec.Rows*spec.Cols)
			for i := range x {
				x[i] = r.NormFloat64() / 2
			}
			check(t, m.Write(spec.Name, x))
		}
		run, err := ref.Device.Load(p, m)
		check(t, err)
		defer run.Close()
		check(t, run.Write64("rows", context))
		check(t, run.Write64("weights", weight))
		check(t, run.Run())
		mean = make([]float64, n*e.Size())
		check(t, run.Read64("mean", mean))
		if q.Var != nil {
			variance = make([]float64, n*e.Size())
			check(t, run.Read64("variance", variance))
			for _, v := range variance {
				if !(v > 0) {
					t.Fatalf("a variance of %v", v)
				}
			}
		}
		return mean, variance
	}
	short, long := contexts(n, 3, 3, e.Width()), contexts(n, 3, 5, e.Width())
	mean, variance := embed(e, 3, short.rows, short.weights)
	padded, paddedVariance := embed(e, 5, long.rows, long.weights)
	if !slices.Equal(mean, padded) || !slices.Equal(variance, paddedVariance) {
		t.Error("rows of weight 0 change an embedding")
	}
	if same, _ := embed(twin, 3, short.rows, short.weights); !slices.Equal(mean, same) {
		t.Error("the twin with the same parameters gives other embeddings")
	}
	if fmt.Sprint(mean[:e.Size()]) == fmt.Sprint(mean[e.Size():2*e.Size()]) {
		t.Error("two contexts have one embedding: it does not depend on them")
	}
}

// inputsOf are contexts as inputs.
type inputsOf struct{ rows, weights []float64 }

// contexts are n contexts of so many rows, of which the first count; these do not depend on how many follow.
func contexts(n, count, rows, width int) (in inputsOf) {
	for i := range n {
		r, other := rand.New(rand.NewPCG(uint64(i), 1)), rand.New(rand.NewPCG(uint64(i), 2))
		for k := range rows {
			from, weight := r, 1.0
			if k >= count {
				from, weight = other, 0
			}
			in.weights = append(in.weights, weight)
			for range width {
				in.rows = append(in.rows, from.NormFloat64())
			}
		}
	}
	return in
}
