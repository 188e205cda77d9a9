package varibad

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/rl/protocol"
	"nacre/rl/rltest"
	"nacre/sim"
)

func small() Config {
	c := PointGoal()
	c.Latent, c.Embed, c.Memory, c.Decoder, c.PolicyHidden, c.BufferTrials = 2, 5, 4, 5, 5, 6
	c.Trials, c.Posteriors, c.Decodes, c.VAEUpdates, c.MetaBatch, c.Epochs, c.StateWeight = 3, 4, 4, 2, 4, 2, 1
	return c
}

// newPoint is a learner on the point robot.
func newPoint(t testing.TB, d core.Device, c Config, workers int) (*Learner, []sim.Task) {
	t.Helper()
	s, _, test := rltest.Point(t, d, workers)
	l, err := New(c, s)
	check(t, err)
	t.Cleanup(func() { l.Close() })
	return l, test
}

func onPolicy(t *testing.T) protocol.Protocol {
	t.Helper()
	p, err := protocol.Preset("garage-ml1-onpolicy")
	check(t, err)
	p.Explore = 2
	return p
}

func evaluate(t *testing.T, l *Learner, p protocol.Protocol, tasks ...sim.Task) protocol.Result {
	t.Helper()
	r, err := protocol.Evaluate(context.Background(), l.pool, tasks, p, l.Adapter(), 1)
	check(t, err)
	return r
}

// iterate makes the rest of iteration i from an update on, collecting before the first, and tells everything with all
// digits.
func iterate(t *testing.T, l *Learner, test []sim.Task, i, update int) (out string) {
	t.Helper()
	if update == 0 {
		steps, err := l.Collect(context.Background(), i)
		check(t, err)
		out = fmt.Sprint(steps)
	}
	for ; update < l.cfg.Updates(); update++ {
		check(t, l.Update(i, update))
	}
	out += fmt.Sprint(evaluate(t, l, onPolicy(t), test...).Tasks)
	check(t, l.Metrics(i, func(name string, v float64) { out += fmt.Sprintf(" %s %x", name, math.Float64bits(v)) }))
	return out
}

func TestWorkersChangeNothing(t *testing.T) {
	var reports []string
	for _, workers := range []int{1, 3} {
		d, err := cpu.New(cpu.Options{Workers: workers})
		check(t, err)
		l, test := newPoint(t, d, small(), workers)
		reports = append(reports, iterate(t, l, test, 0, 0)+iterate(t, l, test, 1, 0))
	}
	if reports[0] != reports[1] {
		t.Errorf("1 and 3 workers:\n%s\n%s", reports[0], reports[1])
	}
}

// Saved between two iterations, between two passes of the policy and between two steps of the encoder, a learner goes on
// to the same end; the trials kept are more than fit then, so that the oldest go in the same order.
func TestRestoredLearnerGoesOn(t *testing.T) {
	for _, update := range []int{0, 1, 3} {
		whole, test := newPoint(t, ref.Device, small(), 1)
		iterate(t, whole, test, 0, 0)
		if update > 0 {
			_, err := whole.Collect(context.Background(), 1)
			check(t, err)
			for u := range update {
				check(t, whole.Update(1, u))
			}
		}
		restored, _ := newPoint(t, ref.Device, small(), 1)
		for _, p := range whole.mem.Params() {
			for suffix, n := range map[string]int{"": p.Rows * p.Cols, ".m": p.Rows * p.Cols, ".v": p.Rows * p.Cols, ".t": 1} {
				x := make([]float64, n)
				check(t, whole.mem.Read(p.Name+suffix, x), restored.mem.Write(p.Name+suffix, x))
			}
		}
		for i, part := range whole.State() {
			var file bytes.Buffer
			check(t, part.Save(&file), restored.State()[i].Load(&file))
		}
		a := iterate(t, whole, test, 1, update) + iterate(t, whole, test, 2, 0)
		if b := iterate(t, restored, test, 1, update) + iterate(t, restored, test, 2, 0); a != b {
			t.Errorf("saved before update %d: whole and restored:\n%s\n%s", update, a, b)
		}
	}
}

// Trials that were damaged or are another learner's are an error, and do not take the room they claim.
func TestDamagedTrials(t *testing.T) {
	l, _ := newPoint(t, ref.Device, small(), 1)
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	var file bytes.Buffer
	check(t, l.buffer.Encode(&file))
	longer := slices.Clone(file.Bytes())
	longer[16+3] = 1 // of the first trial's length
	for name, data := range map[string][]byte{
		"cut": file.Bytes()[:file.Len()-1], "empty": nil, "a trial too long": longer, "too many": bytes.Repeat([]byte{7}, 100),
	} {
		if err := l.buffer.Decode(bytes.NewReader(data), l.longest); err == nil || !strings.Contains(err.Error(), "varibad: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A collection that is cancelled leaves nothing behind: the next one is what it would have been.
func TestCancelledCollection(t *testing.T) {
	l, test := newPoint(t, ref.Device, small(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Collect(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled collection: %v", err)
	}
	if err := l.Update(0, 0); err == nil || !strings.Contains(err.Error(), "iteration 0") {
		t.Errorf("an update after it: %v", err)
	}
	other, _ := newPoint(t, ref.Device, small(), 1)
	if a, b := iterate(t, l, test, 0, 0), iterate(t, other, test, 0, 0); a != b {
		t.Errorf("after a cancelled collection and without one:\n%s\n%s", a, b)
	}
}

// The belief that the policy acts on is the posterior of the trial so far, through the ends of episodes: before the first
// step that of nothing, before the second episode that of the whole first one, its last observation included.
func TestTheBeliefGoesThroughTheTrial(t *testing.T) {
	l, _ := newPoint(t, ref.Device, small(), 1)
	trials, paths, _, err := l.trials(context.Background(), 0)
	check(t, err)
	e, in := l.nets.Encoder, l.nets.policy.Net.In
	hand := values(t, l.mem, e.Specs())
	for i, one := range trials {
		if one.Len != 60 || paths[i].Len != 60 {
			t.Fatalf("a trial of %d transitions and %d steps", one.Len, paths[i].Len)
		}
		var contexts [][]float32
		for step := range one.Len {
			contexts = append(contexts, one.Rows[:step*e.Width()])
		}
		q, err := l.Encoder().Posteriors(contexts)
		check(t, err)
		byHand := hand.beliefs(e, wide(one.Rows))
		for step := range one.Len {
			x := paths[i].Obs[step*in : (step+1)*in]
			if !slices.Equal(x[:e.obs], one.Rows[step*e.Width():][:e.obs]) {
				t.Fatalf("step %d: the policy saw observation %v", step, x[:e.obs])
			}
			for j := range e.latent {
				mean, variance := q[step].Mean[j], q[step].Var[j]
				if acted := math.Exp(float64(x[e.obs+e.latent+j])); math.Abs(mean-float64(x[e.obs+j])) > 1e-5 || math.Abs(variance-acted) > 1e-5 {
					t.Fatalf("step %d: acted on N(%v, %v), the posterior is N(%v, %v)", step, x[e.obs+j], acted, mean, variance)
				}
				if math.Abs(mean-byHand[step].Mean[j]) > 1e-12 || math.Abs(variance-byHand[step].Var[j]) > 1e-12 {
					t.Fatalf("step %d: posterior N(%v, %v), by hand N(%v, %v)", step, mean, variance, byHand[step].Mean[j], byHand[step].Var[j])
				}
			}
		}
	}
	if _, err := l.Encoder().Posteriors([][]float32{nil, make([]float32, 8)}); err == nil || !strings.Contains(err.Error(), "context 1 has 8 numbers") {
		t.Errorf("a context with a broken row: %v", err)
	}
}

// A posterior depends on its own context only, whatever else is inferred in the same call, more than fit in a program.
func TestPosteriorsAreIndependent(t *testing.T) {
	l, _ := newPoint(t, ref.Device, small(), 1)
	w := l.Encoder().Width()
	var contexts [][]float32
	for i := range 21 {
		contexts = append(contexts, normals(w*(i%5), 1, uint64(i)))
	}
	together, err := l.Encoder().Posteriors(contexts)
	check(t, err)
	for i, c := range contexts {
		alone, err := l.Encoder().Posteriors([][]float32{c})
		check(t, err)
		if a, b := fmt.Sprint(together[i]), fmt.Sprint(alone[0]); a != b {
			t.Errorf("context %d: %s among others, %s alone", i, a, b)
		}
	}
}

// Scored trajectories begin with the belief exploration left and leave it alone, unless the protocol extends the context;
// what a task returns depends neither on its neighbours nor on the number of scored trajectories.
func TestEvaluation(t *testing.T) {
	l, test := newPoint(t, ref.Device, small(), 1)
	p := onPolicy(t)
	p.Scored = 2
	both := evaluate(t, l, p, test...)
	p.Scored = 1
	for i, task := range test {
		alone := evaluate(t, l, p, task)
		if a, b := fmt.Sprint(both.Tasks[i].Return[0][:3]), fmt.Sprint(alone.Tasks[0].Return[0]); a != b {
			t.Errorf("task %d returns %s beside another, %s alone", i, a, b)
		}
	}
	for _, extend := range []bool{false, true} {
		p.Extend = extend
		for _, explore := range []bool{true, false} {
			a := &adapter{l: l}
			check(t, a.Start(1, []uint64{1}))
			before := a.members[0].clone()
			policy, err := a.Policy(0, explore, p)
			check(t, err)
			for step := range 2 {
				check(t, policy.Act(0, []int{0}, []int{step}, []float64{0.3, 0.4}, make([]float64, 2)))
			}
			if moved := !slices.Equal(before.h, a.members[0].h); moved != (explore || extend) {
				t.Errorf("explores: %v, extends: %v; the belief moved: %v", explore, extend, moved)
			}
		}
	}
}

func TestSetupIsChecked(t *testing.T) {
	s, _, _ := rltest.Point(t, ref.Device, 1)
	rltest.Refused(t, New, small(), s, map[string]func(*Config){
		"clip":          func(c *Config) { c.Clip = 0 },
		"kl_to":         func(c *Config) { c.KLTo = "next" },
		"latent":        func(c *Config) { c.Latent = 0 },
		"reward_weight": func(c *Config) { c.RewardWeight, c.StateWeight = 0, 0 },
	})
	for _, change := range []func(*Config){func(c *Config) { c.RewardWeight = 0 }, func(c *Config) { c.StateWeight = 0 }} {
		c := small()
		change(&c)
		l, test := newPoint(t, ref.Device, c, 1)
		iterate(t, l, test, 0, 0)
	}
	many := make([]int, 5)
	l, _ := newPoint(t, ref.Device, small(), 1)
	policy := l.Encoder().Explorer(1, make([]uint64, 5))
	if err := policy.Act(0, many, many, make([]float64, 10), make([]float64, 10)); err == nil || !strings.Contains(err.Error(), "5 environments") {
		t.Errorf("more environments than the actor was made for: %v", err)
	}
}
