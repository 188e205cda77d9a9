package pearl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/config"
	"nacre/sim"
	"nacre/tcl"
)

// withTCL attaches TCL with windows of 3.
func withTCL(s *setup) {
	s.auxiliary = func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
		c := tcl.Default()
		c.Window = 3
		return tcl.New(c, enc, metaBatch)
	}
}

func onCPU(t *testing.T, workers int) core.Device {
	t.Helper()
	d, err := cpu.New(cpu.Options{Workers: workers})
	check(t, err)
	return d
}

// train makes iterations of three updates from a place on and returns everything they report.
func train(t *testing.T, l *Learner, from, to int) (report []string) {
	t.Helper()
	for i := from; i < to; i++ {
		steps, err := l.Collect(context.Background(), i)
		check(t, err)
		report = append(report, fmt.Sprint(i, " ", steps))
		for u := range 3 {
			check(t, l.Update(i, u))
		}
		report = append(report, finish(t, l, i)...)
	}
	return report
}

// finish reports an iteration's metrics with all their digits.
func finish(t *testing.T, l *Learner, iteration int) (report []string) {
	t.Helper()
	check(t, l.Metrics(iteration, func(name string, v float64) {
		report = append(report, fmt.Sprintf("%s %x", name, math.Float64bits(v)))
	}))
	return report
}

// parameters is everything in a learner's memory, by entry.
func parameters(t *testing.T, m core.Memory) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, p := range m.Params() {
		for suffix, n := range map[string]int{"": p.Rows * p.Cols, ".m": p.Rows * p.Cols, ".v": p.Rows * p.Cols,
			".t": 1} {
			x := make([]float64, n)
			check(t, m.Read(p.Name+suffix, x))
			out[p.Name+suffix] = x
		}
	}
	return out
}

func same(t *testing.T, what string, a, b *Learner) {
	t.Helper()
	pa, pb := parameters(t, a.Memory()), parameters(t, b.Memory())
	if len(pa) != len(pb) {
		t.Errorf("%s: %d and %d entries", what, len(pa), len(pb))
	}
	for name, x := range pa {
		equal(t, what+": "+name, pb[name], x)
	}
	for i := range a.tasks {
		rl1, enc1 := content(t, a, i)
		rl2, enc2 := content(t, b, i)
		if rl1 != rl2 || enc1 != enc2 {
			t.Errorf("%s: the buffers of task %d differ", what, i)
		}
	}
}

// A learner restored in the middle of an iteration goes on bit for bit: weights, optimiser, target and key networks,
// buffers, the iteration's sums and the counts of windows.
func TestRestoredLearnerGoesOn(t *testing.T) {
	for name, device := range map[string]core.Device{"ref": ref.Device, "cpu": onCPU(t, 2)} {
		change := func(s *setup) { withTCL(s); s.Device = device }
		whole, _ := newWalker(t, change)
		train(t, whole, 0, 1)
		_, err := whole.Collect(context.Background(), 1)
		check(t, err)
		check(t, whole.Update(1, 0))

		restored, _ := newWalker(t, change)
		for entry, x := range parameters(t, whole.Memory()) {
			check(t, restored.Memory().Write(entry, x))
		}
		for i, part := range whole.State() {
			var file bytes.Buffer
			check(t, part.Save(&file))
			check(t, restored.State()[i].Load(&file))
		}
		same(t, name+" at the checkpoint", whole, restored)

		var reports [2][]string
		for k, l := range []*Learner{whole, restored} {
			check(t, l.Update(1, 1))
			check(t, l.Update(1, 2))
			reports[k] = append(finish(t, l, 1), train(t, l, 2, 3)...)
		}
		if !slices.Equal(reports[0], reports[1]) {
			t.Errorf("%s: reports differ:\n%v\n%v", name, reports[0], reports[1])
		}
		same(t, name+" after it", whole, restored)
	}
}

func TestDamagedStateIsAnError(t *testing.T) {
	l, _ := newWalker(t, withTCL)
	for _, part := range l.State() {
		if err := part.Load(strings.NewReader("{")); err == nil {
			t.Errorf("part %s: no error", part.Name)
		}
	}
	for _, part := range l.State() {
		if err := part.Save(failing{}); err == nil {
			t.Errorf("part %s: no error on a full disk", part.Name)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Workers and environments change no bit.
func TestWorkersChangeNothing(t *testing.T) {
	run := func(workers, envs int) (*Learner, []string) {
		pool, err := sim.NewPool(walk{}, workers, envs)
		check(t, err)
		t.Cleanup(func() { pool.Close() })
		l, _ := newWalker(t, func(s *setup) {
			withTCL(s)
			s.Pool, s.Workers, s.Envs, s.Device = pool, workers, envs, onCPU(t, workers)
		})
		return l, train(t, l, 0, 2)
	}
	one, a := run(1, 1)
	for _, n := range [][2]int{{1, 5}, {2, 3}, {3, 16}} {
		other, b := run(n[0], n[1])
		if !slices.Equal(a, b) {
			t.Errorf("%d workers of %d environments report otherwise:\n%v\n%v", n[0], n[1], a, b)
		}
		same(t, fmt.Sprint(n), one, other)
	}
}

// A loss that is not a number stops the run, one update later, with its name and place.
func TestDivergence(t *testing.T) {
	for parameter, want := range map[string]string{"encoder/b1": "kl", "q2/b2": "q_loss", "v/b2": "v_loss",
		"policy/b2": "v_loss"} {
		l, _ := newWalker(t, func(s *setup) { s.Config.Context = 4 })
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
		broken := parameters(t, l.Memory())[parameter]
		broken[0] = math.NaN()
		check(t, l.Memory().Write(parameter, broken))
		check(t, l.Update(0, 2))
		err = l.Update(0, 3)
		var d *rl.DivergedError
		if !errors.As(err, &d) {
			t.Fatalf("%s is NaN: error %v", parameter, err)
		}
		if d.Loss != want || d.Update != 2 || len(d.Tasks) != l.cfg.MetaBatch ||
			!strings.Contains(err.Error(), want+" became NaN at iteration 0, update 2") {
			t.Errorf("%s is NaN: error %q, want one about %s", parameter, err, want)
		}
	}
}

// Metrics are the means over the updates since the last report, under the promised names.
func TestMetricsAreMeans(t *testing.T) {
	for _, change := range []func(*setup){nil, withTCL} {
		l, _ := newWalker(t, change)
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
		single, _ := newWalker(t, change) // reports every update by itself
		_, err = single.Collect(context.Background(), 0)
		check(t, err)
		want := map[string]float64{}
		for u := range 3 {
			check(t, l.Update(0, u))
			check(t, single.Update(0, u))
			check(t, single.Metrics(0, func(name string, v float64) {
				if slices.Contains(l.scalarNames(), name) {
					want[name] += v / 3
				}
			}))
		}
		before := parameters(t, l.Memory())
		var names []string
		check(t, l.Metrics(0, func(name string, v float64) {
			names = append(names, name)
			if w, ok := want[name]; ok && math.Abs(v-w) > 1e-12*math.Abs(w) {
				t.Errorf("%s = %v, want the mean %v", name, v, w)
			}
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s = %v", name, v)
			}
		}))
		if !slices.Equal(names, l.MetricNames()) {
			t.Errorf("metrics %v, promised %v", names, l.MetricNames())
		}
		for entry, x := range parameters(t, l.Memory()) {
			equal(t, "after diagnostics: "+entry, x, before[entry])
		}
		if len(l.Means) != 0 {
			t.Errorf("means %v are left", l.Means)
		}
	}
}

// Without replacement the slots of a meta-batch are different tasks; with it, tasks repeat.
func TestTasksOfTheMetaBatch(t *testing.T) {
	learner := func(replacement bool) *Learner {
		l, _ := newWalker(t, func(s *setup) { s.Config.TasksWithReplacement, s.Config.MetaBatch = replacement, 3 })
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
		return l
	}
	l := learner(false)
	repeated := func(r uint64) bool {
		check(t, l.Sample(rng.New(r)))
		return len(slices.Compact(slices.Sorted(slices.Values(l.Drawn().Tasks)))) < 3
	}
	drawn := map[int]bool{}
	for r := range uint64(50) {
		if repeated(r) {
			t.Fatalf("meta-batch %v without replacement", l.Drawn().Tasks)
		}
		for _, task := range l.Drawn().Tasks {
			drawn[task] = true
		}
	}
	if len(drawn) != 4 {
		t.Errorf("only tasks %v were drawn", drawn)
	}
	l = learner(true)
	count := 0
	for r := range uint64(1000) {
		if repeated(r) {
			count++
		}
	}
	// 1 - 4·3·2/4³ = 5/8 of the draws of 3 from 4 repeat; 4 standard deviations are 61.
	if count < 625-61 || count > 625+61 {
		t.Errorf("%d of 1000 meta-batches repeat a task, want about 625", count)
	}
}

func TestSetupIsChecked(t *testing.T) {
	pool, err := sim.NewPool(walk{}, 1, 1)
	check(t, err)
	defer pool.Close()
	for want, change := range map[string]func(*setup){
		"at most the 4 train": func(s *setup) { s.Config.TasksWithReplacement, s.Config.MetaBatch = false, 5 },
		"latent":              func(s *setup) { s.Config.Latent = 0 },
		"discount":            func(s *setup) { s.Config.Discount = 1.01 },
		"reward_scale":        func(s *setup) { s.Config.RewardScale = math.NaN() },
		"context_sampling":    func(s *setup) { s.Config.ContextSampling = "windows" },
		"init":                func(s *setup) { s.Config.Init = "glorot" },
		"critic":              func(s *setup) { s.Config.Critic = "q" },
		"nothing to pool":     func(s *setup) { s.Config.PooledTemperature = true },
		"lr_encoder":          func(s *setup) { s.Config.LREncoder = 0 },
		"prior_steps":         func(s *setup) { s.Config.PriorSteps = 2_000_000 },
		"nothing to contrast": func(s *setup) { withTCL(s); s.Config.MetaBatch = 1 },
		"buffer_capacity":     func(s *setup) { s.Config.BufferCapacity = 0 },
		"131072":              func(s *setup) { s.Train = make([]sim.Task, maxTrain+1) },
	} {
		tasks, _, _ := walk{}.Tasks(0, 0, 0)
		s := setup{Config: small(nil), Setup: rl.Setup{Spec: walk{}.Spec(), Train: tasks, Device: ref.Device,
			Pool: pool, Workers: 1, Envs: 1}}
		change(&s)
		l, err := New(s.Config, s.Setup, s.auxiliary)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	check(t, config.Check(Default()))
}

// An update before anything was collected says which task has no data.
func TestUpdateWithoutData(t *testing.T) {
	l, _ := newWalker(t, nil)
	if err := l.Update(0, 0); err == nil || !strings.Contains(err.Error(), "pearl: train task") {
		t.Errorf("error %v", err)
	}
}

// Hidden weights are uniform in ±1/√outputs as published or ±1/√inputs; the two differ in a network's first layer.
func TestInitialWeights(t *testing.T) {
	for init, bound := range map[string]float64{"oyster": 1 / math.Sqrt(40),
		"fan-in": 1 / math.Sqrt(smallObs+smallAct+2)} {
		c := small(func(c *Config) { c.Init, c.Hidden = init, 40 })
		n := NewNetworks(c, smallObs, smallAct)
		m, err := ref.Device.NewMemory(n.Specs())
		check(t, err)
		check(t, n.Init(m, c, 1))
		p := parameters(t, m)
		largest := func(name string) float64 {
			return max(slices.Max(p[name]), -slices.Min(p[name]))
		}
		for name, b := range map[string]float64{"q1/w0": bound, "q2/w0": bound, "q1/w2": 3e-3, "v/w2": 3e-3,
			"policy/w2": 1e-3, "encoder/w1": 3e-3} {
			if x := largest(name); x > b || x < 0.7*b {
				t.Errorf("%s: largest weight of %s is %v, want just under %v", init, name, x, b)
			}
		}
		equal(t, "target", p["v_target/w0"], p["v/w0"])
		if p["q1/b1"][3] != 0.1 {
			t.Errorf("hidden bias %v, want 0.1", p["q1/b1"][3])
		}
	}
}
