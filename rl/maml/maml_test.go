package maml

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/rl/onpolicy"
	"nacre/rl/protocol"
	"nacre/rl/rltest"
	"nacre/sim"
)

func small() Config {
	c := Default()
	c.Hidden, c.MetaBatch, c.Episodes, c.Discount = 8, 3, 4, 0.9
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

func collect(t *testing.T, l *Learner, iteration int) {
	t.Helper()
	_, err := l.Collect(context.Background(), iteration)
	check(t, err)
}

// measure is the mean and standard deviation of a batch's advantages.
func measure(b *onpolicy.Batch) (m, std float64) {
	for i, w := range b.Weight {
		m += float64(w * b.Advantage[i])
		std += float64(w * b.Advantage[i] * b.Advantage[i])
	}
	return m, math.Sqrt(std - m*m)
}

// Whatever the value function, advantages that the losses see have mean 0 and deviation 1; garage's division by the
// variance leaves another.
func TestAdvantages(t *testing.T) {
	for _, value := range []string{linear, mlp, mlpOnce} {
		for _, how := range []string{onpolicy.Std, onpolicy.Variance} {
			c := small()
			c.Value, c.Advantages = value, how
			l, _ := newPoint(t, ref.Device, c, 1)
			collect(t, l, 0)
			for _, b := range slices.Concat(l.meta.before, l.meta.after) {
				m, std := measure(b)
				if math.Abs(m) > 1e-6 || (math.Abs(std-1) < 1e-6) != (how == onpolicy.Std) {
					t.Errorf("value %s, %s: mean %g, deviation %g", value, how, m, std)
				}
			}
		}
	}
}

// An accepted step is better and within the bound, measured once more; a batch that says nothing leaves θ as it was.
func TestUpdate(t *testing.T) {
	l, _ := newPoint(t, ref.Device, small(), 1)
	if err := l.Update(0, 0); err == nil || !strings.Contains(err.Error(), "collect") {
		t.Errorf("an update without batches: error %v", err)
	}
	collect(t, l, 0)
	was, err := l.meta.theta()
	check(t, err)
	check(t, l.Update(0, 0))
	is, err := l.meta.theta()
	check(t, err)
	at, err := l.meta.evaluate(is)
	check(t, err)
	if l.metrics["step"] == 0 || slices.Equal(was, is) || at.loss >= l.metrics["loss_before"] || at.kl > l.cfg.MaxKL ||
		at.kl <= 0 {
		t.Errorf("step %g: loss %g, then %g with divergence %g", l.metrics["step"], l.metrics["loss_before"],
			at.loss, at.kl)
	}
	collect(t, l, 1)
	for _, b := range l.meta.after {
		clear(b.Advantage)
	}
	check(t, l.Update(1, 0))
	if after, err := l.meta.theta(); err != nil || l.metrics["step"] != 0 || !slices.Equal(is, after) {
		t.Errorf("step %g without advantages, error %v", l.metrics["step"], err)
	}
}

// report is everything some iterations tell, with all digits.
func report(t *testing.T, l *Learner, from, to int) (out string) {
	t.Helper()
	for i := from; i < to; i++ {
		collect(t, l, i)
		out += finish(t, l, i)
	}
	return out
}

func finish(t *testing.T, l *Learner, i int) (out string) {
	t.Helper()
	check(t, l.Update(i, 0))
	check(t, l.Metrics(i, func(name string, v float64) { out += fmt.Sprintf(" %s %x", name, math.Float64bits(v)) }))
	theta, err := l.meta.theta()
	check(t, err)
	return out + fmt.Sprintln(theta)
}

func TestWorkersChangeNothing(t *testing.T) {
	c := small()
	c.Hidden, c.Episodes = 64, 20 // large enough for the device to share
	var reports []string
	for workers := 1; workers <= 2; workers++ {
		d, err := cpu.New(cpu.Options{Workers: workers})
		check(t, err)
		l, _ := newPoint(t, d, c, workers)
		reports = append(reports, report(t, l, 0, 2))
	}
	if reports[0] != reports[1] {
		t.Errorf("1 and 2 workers:\n%s\n%s", reports[0], reports[1])
	}
}

// restore brings what a checkpoint holds of one learner into a new one.
func restore(t *testing.T, whole *Learner, c Config) *Learner {
	t.Helper()
	restored, _ := newPoint(t, ref.Device, c, 1)
	for _, p := range whole.mem.Params() {
		for suffix, n := range map[string]int{"": p.Rows * p.Cols, ".m": p.Rows * p.Cols, ".v": p.Rows * p.Cols,
			".t": 1} {
			x := make([]float64, n)
			check(t, whole.mem.Read(p.Name+suffix, x))
			check(t, restored.mem.Write(p.Name+suffix, x))
		}
	}
	for i, part := range whole.State() {
		var file bytes.Buffer
		check(t, part.Save(&file))
		check(t, restored.State()[i].Load(&file))
	}
	return restored
}

func TestRestoredLearnerGoesOn(t *testing.T) {
	for _, value := range []string{linear, mlp, mlpOnce} {
		c := small()
		c.Value = value
		whole, _ := newPoint(t, ref.Device, c, 1)
		report(t, whole, 0, 1)
		restored := restore(t, whole, c)
		if a, b := report(t, whole, 1, 3), report(t, restored, 1, 3); a != b {
			t.Errorf("value %s, restored after an iteration:\n%s\n%s", value, a, b)
		}
		collect(t, whole, 3)
		restored = restore(t, whole, c)
		if a, b := finish(t, whole, 3), finish(t, restored, 3); a != b {
			t.Errorf("value %s, restored between collection and update:\n%s\n%s", value, a, b)
		}
	}
}

func evaluate(t *testing.T, l *Learner, pool *sim.Pool, explore int, tasks ...sim.Task) protocol.Result {
	t.Helper()
	p, err := protocol.Preset("garage-ml1-onpolicy")
	check(t, err)
	p.Explore = explore
	r, err := protocol.Evaluate(context.Background(), pool, tasks, p, l.Adapter(), 1)
	check(t, err)
	return r
}

// What a task returns does not depend on the tasks beside it, and adapting leaves the learner as it is.
func TestAdaptsToItsOwnTask(t *testing.T) {
	for _, value := range []string{linear, mlp, mlpOnce} {
		c := small()
		c.Value = value
		l, pool := newPoint(t, ref.Device, c, 1)
		report(t, l, 0, 1)
		was := restore(t, l, c)
		both, alone := evaluate(t, l, pool, 3, l.tasks[0], l.tasks[1]), evaluate(t, l, pool, 3, l.tasks[1])
		if a, b := fmt.Sprint(both.Tasks[1].Return), fmt.Sprint(alone.Tasks[0].Return); a != b {
			t.Errorf("value %s: returns %s beside another task, %s alone", value, a, b)
		}
		if a, b := report(t, was, 1, 2), report(t, l, 1, 2); a != b {
			t.Errorf("value %s: a learner that was evaluated goes on differently", value)
		}
	}
}

// The adapted policy of an evaluation is the inner step on exactly what was explored: with as many episodes as in
// training, and with fewer.
func TestAdaptation(t *testing.T) {
	l, pool := newPoint(t, ref.Device, small(), 1)
	theta, err := l.meta.theta()
	check(t, err)
	for _, explore := range []int{4, 2} {
		evaluate(t, l, pool, explore, l.tasks[0])
		a := l.Adapter().(*agent)
		check(t, a.Start(1, []uint64{7}))
		p := protocol.Protocol{Explore: explore, Scored: 1, Repeats: 1, Deterministic: true} // of the scored ones
		var context []sim.Trajectory
		for k := range explore {
			policy, err := a.Policy(k, true, p)
			check(t, err)
			tr, err := pool.Rollout(t.Context(), []sim.Episode{{Task: l.tasks[0], Seed: uint64(k)}}, policy, 0)
			check(t, err)
			if k > 0 && slices.Equal(context[k-1].Act, tr[0].Act) {
				t.Error("exploring twice takes the same actions")
			}
			context = append(context, tr[0])
			check(t, a.Observe(0, &tr[0]))
		}

		m := l.model
		m.paths = explore
		step, err := m.newAdaptation(l.device, l.mem, l.seed)
		check(t, err)
		batch := m.newBatch()
		check(t, step.prepare(context, false, batch))
		_, err = step.step(batch)
		check(t, err)
		check(t, step.close())
		if slices.Equal(step.theta, theta) {
			t.Error("adaptation changes nothing")
		}
		check(t, l.actor.Load(0, step.theta))
		obs, want, got := []float64{0.3, -0.2}, make([]float64, 2), make([]float64, 2)
		check(t, l.actor.Policy([]int{0}, nil).Act(0, []int{0}, nil, obs, want))
		adapted, err := a.Policy(explore, false, p)
		check(t, err)
		check(t, adapted.Act(0, []int{0}, nil, obs, got))
		if !slices.Equal(got, want) {
			t.Errorf("after %d episodes: action %v, want %v", explore, got, want)
		}
	}
}

// A few iterations on the point robot: adapting gains more and more, as it does nowhere by chance (the standard
// deviation of a mean over 200 episodes is about 0.4).
func TestLearns(t *testing.T) {
	c := Default()
	c.Hidden, c.Discount = 16, 0.9
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	l, _ := newPoint(t, d, c, 1)
	var gain []float64
	for i := range 12 {
		collect(t, l, i)
		gain = append(gain, l.metrics["return_after"]-l.metrics["return_before"])
		check(t, l.Update(i, 0))
	}
	if first, last := gain[0], gain[len(gain)-1]; last < first+3 {
		t.Errorf("adapting gains %.2f at first and %.2f after 12 iterations", first, last)
	}
}

func TestSetupIsChecked(t *testing.T) {
	s, _, _ := rltest.Point(t, ref.Device, 1)
	rltest.Refused(t, New, small(), s, map[string]func(*Config){
		"discount":   func(c *Config) { c.Discount = 2 },
		"advantages": func(c *Config) { c.Advantages = "square" },
		"backtrack":  func(c *Config) { c.Backtrack = 1 },
		"init_std":   func(c *Config) { c.MinStd = 2 },
	})
}
