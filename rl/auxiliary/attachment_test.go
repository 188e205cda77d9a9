package auxiliary

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/sim"
)

var check = fatal.On

// linear is a loss with a parameter of its own that learns: (mean of z·w − the number of the task)². A copy of w
// follows w.
type linear struct {
	Plain
	on Setting
}

func (l linear) Learned() ([]core.ParamSpec, float64) {
	return []core.ParamSpec{{Name: l.on.Own("linear") + "/w", Rows: l.on.Encoder.Size(), Cols: 1}}, 0.1
}

func (l linear) Params() []core.ParamSpec {
	own, _ := l.Learned()
	return append(own, core.ParamSpec{Name: l.on.Own("linear") + "/copy", Rows: own[0].Rows, Cols: 1})
}

func (l linear) Init(m core.Memory) error {
	one := make([]float64, l.on.Encoder.Size())
	one[0] = 1
	return m.Write(l.Params()[0].Name, one)
}

func (l linear) Feed() ([]feed.Draw, []feed.Fill) {
	table := make([]float32, l.on.Train)
	for i := range table {
		table[i] = float32(i)
	}
	return l.on.Fills(feed.Fill{Input: "number", Field: feed.OfTask, Table: table})
}

func (l linear) Loss(s *core.Stage, q belief.Posterior) *graph.Node {
	p := l.Params()[0]
	off := s.Sub(s.MatMul(q.Mean, s.Param(p.Name, p.Rows, 1), false, false), s.Input("number", l.on.Slots, 1))
	loss := s.MeanAll(s.Square(off))
	s.Output("linear_loss", loss)
	return loss
}

func (l linear) AfterStep(b *core.Builder) { b.EMA(l.Params()[1].Name, l.Params()[0].Name, 0.5) }

func (linear) MetricNames() []string { return []string{"linear_loss"} }

func (l linear) Diagnose(run core.Runner, record func(string, float64)) error {
	return Record(run, record, l.MetricNames()...)
}

var own = Loss{Name: "linear", Table: rl.Table{Name: "linear", Default: struct{}{}},
	New: func(_ rl.Config, s Setting) (belief.Auxiliary, error) { return linear{on: s}, nil }}

// attached is the loss on a recurrent encoder of a family with three tasks, of which two have trajectories.
func attached(t *testing.T, c Config) (*Attachment, *Part, core.Memory) {
	t.Helper()
	cfg := rl.Default()
	cfg.Put(Table, c)
	a, err := Attach("test", own, cfg, rl.Setup{Spec: sim.Spec{ObsDim: 2, ActDim: 1}, Train: make([]sim.Task, 3),
		Seed: 3})
	check(t, err)
	p, err := a.On(belief.Recurrent{Memory: nn.GRU{Name: "encoder", In: 4, Hidden: 3}}, "actor")
	check(t, err)
	m, err := ref.Device.NewMemory(append(p.on.Encoder.Specs(), a.Params()...))
	check(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	check(t, nn.InitUniform(m, p.on.Encoder, 0.5, r))
	check(t, a.Open(ref.Device, m))
	t.Cleanup(func() { check(t, a.Close()) })
	return a, p, m
}

func collect(t *testing.T, a *Attachment) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	for i := range 6 {
		n := 4 + i
		check(t, a.Keep(2*(i%2), &sim.Trajectory{Len: n, Obs: draw(2 * (n + 1)), Act: draw(n), Reward: draw(n),
			CtxReward: draw(n)}))
	}
}

func read(t *testing.T, m core.Memory) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, p := range m.Params() {
		out[p.Name] = make([]float64, p.Rows*p.Cols)
		check(t, m.Read(p.Name, out[p.Name]))
	}
	return out
}

// Steps along gradients that are handed over are those of one program that has both losses, on the same contexts.
func TestHandedGradientsAreThoseOfOneProgram(t *testing.T) {
	for _, sampling := range []string{"windows", "rows"} {
		c := Default()
		c.Tasks, c.Rows, c.Sampling = 5, 6, sampling
		a, p, m := attached(t, c)
		collect(t, a)
		specs := p.on.Encoder.Specs()
		others := func(s *core.Stage) (sum *graph.Node) { // the algorithm's own loss: Σθ²
			for _, n := range belief.Nodes(s, specs) {
				if x := s.SumAll(s.Square(n)); sum == nil {
					sum = x
				} else {
					sum = s.Add(sum, x)
				}
			}
			return sum
		}
		adam := core.DefaultAdam(0.01)
		b := core.NewBuilder("handed", 1)
		s := b.Stage("step")
		s.Minimise(p.AddTo(s, others(s)), adam, belief.Nodes(s, specs)...)
		handed := load(t, b, m)

		whole, err := ref.Device.NewMemory(m.Params())
		check(t, err)
		for name, x := range read(t, m) {
			check(t, whole.Write(name, x))
		}
		b = core.NewBuilder("whole", p.on.Slots)
		s = b.Stage("step")
		loss := p.Loss(s, p.on.Encoder.Encode(s, belief.Contexts{Input: "context", Weight: "context_weight",
			N: p.on.Slots, Rows: p.rows}))
		s.Minimise(s.Add(others(s), loss), adam, belief.Nodes(s, specs)...)
		belief.Nodes(s, p.Params()) // the average needs their shapes
		belief.StepOwn(s, p.Auxiliary.(linear), loss)
		p.AfterStep(b)
		one := load(t, b, whole)

		for update := range 3 {
			check(t, p.Compute(0, update))
			check(t, p.Write(handed))
			check(t, handed.Run())
			check(t, p.Follow())
			check(t, p.sampler.Write(one, nil))
			check(t, one.Run())
		}
		after := read(t, whole)
		for name, x := range read(t, m) {
			for i, v := range x {
				if !(math.Abs(v-after[name][i]) <= 1e-12) {
					t.Fatalf("%s: %s %d is %v, in one program %v", sampling, name, i, v, after[name][i])
				}
			}
		}
		if after["actor_linear/copy"][0] == 0 || after["actor_linear/w"][1] == 0 {
			t.Errorf("%s: the loss's own parameters did not move: %v", sampling, after)
		}
	}
}

func load(t *testing.T, b *core.Builder, m core.Memory) core.Runner {
	t.Helper()
	program, err := b.Compile()
	check(t, err)
	run, err := ref.Device.Load(program, m)
	check(t, err)
	t.Cleanup(func() { check(t, run.Close()) })
	return run
}

// Only tasks with data are drawn; before there are any, the gradient is zero and nothing is reported.
func TestTasksWithoutData(t *testing.T) {
	a, p, m := attached(t, Config{Tasks: 4, Rows: 3, Sampling: "windows", Keep: 100})
	before := read(t, m)
	check(t, p.Compute(0, 0))
	check(t, p.Follow())
	reported := map[string]float64{}
	check(t, a.Metrics(0, func(name string, v float64) { reported[name] = v }))
	if len(reported) > 0 {
		t.Errorf("%v is reported without data", reported)
	}
	for name, x := range p.grads {
		for _, g := range x {
			if g != 0 {
				t.Errorf("a gradient of %v by %s without data", g, name)
			}
		}
	}
	if after := read(t, m); after["encoder/w0"] != nil && after["encoder/w0"][0] != before["encoder/w0"][0] {
		t.Error("the encoder changed without data")
	}
	collect(t, a)
	check(t, p.Compute(0, 0))
	for _, number := range p.sampler.Input("number") {
		if number == 1 {
			t.Error("a task without data was drawn")
		}
	}
	check(t, a.Metrics(0, func(name string, v float64) { reported[name] = v }))
	if len(reported) != 2 || !(reported["actor_grad_encoder_aux"] > 0) || !(reported["actor_linear_loss"] > 0) {
		t.Errorf("reported %v, want actor_linear_loss and actor_grad_encoder_aux", reported)
	}
}

func TestWrongAttachments(t *testing.T) {
	cfg := rl.Default()
	cfg.Put(Table, Config{Tasks: 0, Rows: 3, Sampling: "windows", Keep: 1})
	if _, err := Attach("test", own, cfg, rl.Setup{}); err == nil || !strings.Contains(err.Error(), "tasks") {
		t.Errorf("error %v, want one about auxiliary.tasks", err)
	}
	one := Setting{Slots: 1, SlotsKey: "auxiliary.tasks"}
	if err := one.Compares("focal"); err == nil || !strings.Contains(err.Error(), "(auxiliary.tasks)") {
		t.Errorf("error %v, want one that names auxiliary.tasks", err)
	}
	a, _, _ := attached(t, Config{Tasks: 4, Rows: 3, Sampling: "windows", Keep: 100})
	if err := a.State()[0].Load(strings.NewReader("[]")); err == nil || !strings.Contains(err.Error(), "want 1") {
		t.Errorf("error %v of a state of no losses", err)
	}
}
