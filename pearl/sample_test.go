package pearl

import (
	"context"
	"math"
	"testing"

	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/sim"
)

// newTestLearner is a small learner on the point robot, computed by the reference.
func newTestLearner(t *testing.T, change func(*setup)) *Learner {
	t.Helper()
	f, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	train, _, err := f.Tasks(1, 6, 2)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := sim.NewPool(f, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	c := Default()
	c.Latent, c.Hidden, c.Layers, c.EncoderHidden, c.EncoderLayers = 2, 8, 1, 8, 1
	c.MetaBatch, c.Batch, c.Context = 3, 16, 7
	c.InitialSteps, c.PriorSteps, c.ExtraPosteriorSteps, c.TasksPerIteration = 60, 40, 60, 3
	s := setup{Config: c, Setup: rl.Setup{Spec: f.Spec(), Train: train, Seed: 1, Device: ref.Device, Pool: pool,
		Workers: 1, Envs: 4}}
	if change != nil {
		change(&s)
	}
	l, err := New(s.Config, s.Setup, s.auxiliary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Every sampled transition obeys the point robot's dynamics and the reward of its own slot's task, and every context
// row is a transition of that task.
func TestSampledDataBelongsToItsTask(t *testing.T) {
	l := newTestLearner(t, nil)
	if _, err := l.Collect(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	if err := l.Sample(rng.New(3)); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	in := l.Input
	for slot, task := range l.Drawn().Tasks {
		goal := l.tasks[task].Params
		for i := slot * l.cfg.Batch; i < (slot+1)*l.cfg.Batch; i++ {
			var next [2]float64
			for k := range 2 {
				next[k] = float64(in("obs")[2*i+k]) + 0.1*float64(in("act")[2*i+k])
				near("next observation", in("next_obs")[2*i+k], next[k])
			}
			near("reward", in("rew")[i], -math.Hypot(next[0]-goal[0], next[1]-goal[1]))
			near("done", in("done")[i], 0)
		}
		for i := slot * l.cfg.Context; i < (slot+1)*l.cfg.Context; i++ {
			c := in("context")[5*i : 5*i+5]
			x, y := float64(c[0])+0.1*float64(c[2]), float64(c[1])+0.1*float64(c[3])
			near("context reward", c[4], -math.Hypot(x-goal[0], y-goal[1]))
			near("context weight", in("context_weight")[i], 1)
		}
	}
}

// Mean and deviation are those of the initial collection, and the policy acts on what it sees by them.
func TestStandardisedObservations(t *testing.T) {
	l := newTestLearner(t, func(s *setup) { s.Config.Observations = "standardised" })
	l.cfg.TasksPerIteration = 0
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	mean, scale := make([]float64, 2), make([]float64, 2)
	check(t, l.mem.Read(obsMean, mean))
	check(t, l.mem.Read(obsScale, scale))
	for j := range 2 {
		var n, sum, squares float64
		for _, task := range l.buf.RL {
			for o := range task.Observations {
				n, sum = n+1, sum+float64(o[j])
			}
		}
		for _, task := range l.buf.RL {
			for o := range task.Observations {
				squares += (float64(o[j]) - sum/n) * (float64(o[j]) - sum/n)
			}
		}
		if n != 6*60 || math.Abs(mean[j]-sum/n) > 1e-12 || math.Abs(scale[j]-1/math.Sqrt(squares/n)) > 1e-9 {
			t.Errorf("coordinate %d of %g observations: mean %g and scale %g, want %g and %g", j, n, mean[j], scale[j],
				sum/n, 1/math.Sqrt(squares/n))
		}
	}

	raw := newTestLearner(t, nil)
	act := func(l *Learner, obs ...float64) []float64 {
		out := make([]float64, 2)
		check(t, l.actor.Policy([][]float64{{0.3, -1}}, nil).Act(0, []int{0}, nil, obs, out))
		return out
	}
	got, want := act(l, 0.4, -0.2), act(raw, (0.4-mean[0])*scale[0], (-0.2-mean[1])*scale[1])
	if math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) > 1e-12 {
		t.Errorf("action %v, want %v", got, want)
	}
}
