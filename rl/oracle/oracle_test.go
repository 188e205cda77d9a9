package oracle

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/rl/rltest"
	"nacre/sim"
)

var check = fatal.On

func small() Config {
	c := Default()
	c.Hidden, c.Layers, c.MetaBatch, c.Batch = 8, 2, 3, 4
	c.InitialSteps, c.TasksPerIteration, c.StepsPerTask = 20, 2, 20
	return c
}

// newPoint is a learner on the point robot.
func newPoint(t *testing.T, d core.Device, c Config, workers int) (*Learner, *sim.Pool) {
	t.Helper()
	s, pool, _ := rltest.Point(t, d, workers)
	l, err := New(c, s)
	check(t, err)
	t.Cleanup(func() { l.Close() })
	return l, pool
}

func read(t *testing.T, m core.Memory, name string, n int) []float64 {
	t.Helper()
	x := make([]float64, n)
	check(t, m.Read(name, x))
	return x
}

// forward is an MLP written out: ReLU layers, the last one linear.
func forward(t *testing.T, m core.Memory, net nn.MLP, x []float64) []float64 {
	specs := net.Specs()
	for l := 0; l < len(specs); l += 2 {
		w, y := read(t, m, specs[l].Name, specs[l].Rows*specs[l].Cols), read(t, m, specs[l+1].Name, specs[l].Cols)
		for j := range y {
			for i := range x {
				y[j] += x[i] * w[i*len(y)+j]
			}
			if l < len(specs)-2 {
				y[j] = max(y[j], 0)
			}
		}
		x = y
	}
	return x
}

func join(parts ...[]float64) (out []float64) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func wide(x []float32, i, n int) []float64 {
	out := make([]float64, n)
	for j := range out {
		out[j] = float64(x[i*n+j])
	}
	return out
}

// The losses of the first update, row by row from the equations, and the first step of every temperature: Adam moves
// it by its learning rate, up where the policy's entropy is below the target and down where it is above.
func TestFirstUpdate(t *testing.T) {
	c := small()
	c.RewardScale = 2
	l, _ := newPoint(t, ref.Device, c, 1)
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	logAlpha := []float64{0.3, -0.2, 0.1, 0.5, -0.7}
	check(t, l.mem.Write("log_alpha", logAlpha))

	twin, _ := newPoint(t, ref.Device, c, 1) // keeps the parameters of before
	check(t, twin.mem.Write("log_alpha", logAlpha))
	check(t, l.Update(0, 0))

	gaussian := func(o, g, eps []float64) (a []float64, logProb float64) {
		h := forward(t, twin.mem, twin.nets.policy.Net, join(o, g))
		for j := range eps {
			mean, logStd := h[j], min(max(h[len(eps)+j], -20), 2)
			u := mean + math.Exp(logStd)*eps[j]
			a = append(a, math.Tanh(u))
			logProb += -eps[j]*eps[j]/2 - logStd - math.Log(2*math.Pi)/2 - math.Log(1-a[j]*a[j]+1e-6)
		}
		return a, logProb
	}
	var qLoss, pLoss float64
	short := map[int]float64{}
	nb, in := c.MetaBatch*c.Batch, l.Input
	check(t, l.Settle())
	check(t, l.Sample(rng.New(l.seed, rng.Replay, 0, 0))) // as the update did
	drawn := l.Drawn()
	for i := range nb {
		task := drawn.Tasks[i/c.Batch]
		g, alpha := l.vector(l.tasks[task]), math.Exp(logAlpha[task])
		o, next, act := wide(in("obs"), i, 2), wide(in("next_obs"), i, 2), wide(in("act"), i, 2)
		a, logProb := gaussian(next, g, wide(in("eps_next"), i, 2))
		x := join(next, a, g)
		future := min(forward(t, twin.mem, twin.nets.target[0], x)[0], forward(t, twin.mem, twin.nets.target[1], x)[0])
		y := 2*float64(in("rew")[i]) + (1-float64(in("done")[i]))*0.99*(future-alpha*logProb)
		for k := range 2 {
			d := forward(t, twin.mem, twin.nets.q[k], join(o, act, g))[0] - y
			qLoss += d * d / float64(nb)
		}
		a, logProb = gaussian(o, g, wide(in("eps_a"), i, 2))
		x = join(o, a, g) // the policy sees the critics already stepped
		pLoss += (alpha*logProb - min(forward(t, l.mem, l.nets.q[0], x)[0],
			forward(t, l.mem, l.nets.q[1], x)[0])) / float64(nb)
		short[task] += logProb - 2
	}
	for name, want := range map[string]float64{"q_loss": qLoss, "policy_loss": pLoss} {
		if got, _ := l.Means.Of(name); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("%s = %.12g, by hand %.12g", name, got, want)
		}
	}
	after := read(t, l.mem, "log_alpha", 5)
	for k := range after {
		want := logAlpha[k]
		if s, drawn := short[k]; drawn {
			want += math.Copysign(c.LRAlpha, s)
		}
		if math.Abs(after[k]-want) > 1e-7 {
			t.Errorf("log α of task %d went from %g to %g, want %g", k, logAlpha[k], after[k], want)
		}
	}
	w := l.nets.q[0].Specs()[0]
	old, stepped, target := read(t, twin.mem, w.Name, 48), read(t, l.mem, w.Name, 48),
		read(t, l.mem, l.nets.target[0].Specs()[0].Name, 48)
	for j := range target {
		if want := old[j] + c.TargetTau*(stepped[j]-old[j]); math.Abs(target[j]-want) > 1e-12 {
			t.Errorf("target weight %d is %g, want %g", j, target[j], want)
		}
	}
}

// What a task returns does not depend on the tasks beside it.
func TestToldItsOwnTask(t *testing.T) {
	l, pool := newPoint(t, ref.Device, small(), 1)
	p, err := protocol.Preset("oracle")
	check(t, err)
	p.Deterministic = false
	evaluate := func(tasks ...sim.Task) protocol.Result {
		r, err := protocol.Evaluate(context.Background(), pool, tasks, p, l.Adapter(), 1)
		check(t, err)
		return r
	}
	both, alone := evaluate(l.tasks[0], l.tasks[1]), evaluate(l.tasks[1])
	if a, b := fmt.Sprint(both.Tasks[1].Return), fmt.Sprint(alone.Tasks[0].Return); a != b {
		t.Errorf("returns %s beside another task, %s alone", a, b)
	}
	if a, b := fmt.Sprint(both.Tasks[0].Return), fmt.Sprint(both.Tasks[1].Return); a == b {
		t.Errorf("two tasks both return %s", a)
	}
}

func TestStandardise(t *testing.T) {
	s := standardise([]sim.Task{{Params: []float64{1, 7}}, {Params: []float64{3, 7}}})
	if fmt.Sprint(s.mean, s.deviation) != "[2 0] [1 1]" {
		t.Errorf("mean %v, deviation %v", s.mean, s.deviation)
	}
}

func TestSetupIsChecked(t *testing.T) {
	s, _, _ := rltest.Point(t, ref.Device, 1)
	rltest.Refused(t, New, small(), s, map[string]func(*Config){
		"discount": func(c *Config) { c.Discount = 2 },
	})
	s.Spec.TaskDim = 0
	if _, err := New(small(), s); err == nil || !strings.Contains(err.Error(), "no vector") {
		t.Errorf("a task without a vector: %v", err)
	}
}
