package varibad

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
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
		"cut": file.Bytes()[:file.Len()-1], "empty": nil, "a trial too long": longer,
		"too many": bytes.Repeat([]byte{7}, 100),
	} {
		if err := l.buffer.Decode(bytes.NewReader(data), l.longest); err == nil ||
			!strings.Contains(err.Error(), "varibad: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The belief that the policy acts on is the posterior of the trial so far, through the ends of episodes: before the
// first step that of nothing, before the second episode that of the whole first one, its last observation included.
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
				if acted := math.Exp(float64(x[e.obs+e.latent+j])); math.Abs(mean-float64(x[e.obs+j])) > 1e-5 ||
					math.Abs(variance-acted) > 1e-5 {
					t.Fatalf("step %d: acted on N(%v, %v), the posterior is N(%v, %v)", step, x[e.obs+j], acted,
						mean, variance)
				}
				if math.Abs(mean-byHand[step].Mean[j]) > 1e-12 || math.Abs(variance-byHand[step].Var[j]) > 1e-12 {
					t.Fatalf("step %d: posterior N(%v, %v), by hand N(%v, %v)", step, mean, variance,
						byHand[step].Mean[j], byHand[step].Var[j])
				}
			}
		}
	}
	if _, err := l.Encoder().Posteriors([][]float32{nil, make([]float32, 8)}); err == nil ||
		!strings.Contains(err.Error(), "context 1 has 8 numbers") {
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

// Scored trajectories begin with the belief exploration left and leave it alone, unless the protocol extends the
// context: what a task returns does not depend on their number.
func TestEvaluation(t *testing.T) {
	l, test := newPoint(t, ref.Device, small(), 1)
	p := onPolicy(t)
	p.Scored = 2
	two := evaluate(t, l, p, test...)
	p.Scored = 1
	one := evaluate(t, l, p, test...)
	for i := range test {
		if a, b := fmt.Sprint(two.Tasks[i].Return[0][:3]), fmt.Sprint(one.Tasks[i].Return[0]); a != b {
			t.Errorf("task %d returns %s when two trajectories are scored, %s when one is", i, a, b)
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
	for _, change := range []func(*Config){func(c *Config) {
		c.RewardWeight = 0
	}, func(c *Config) { c.StateWeight = 0 }} {
		c := small()
		change(&c)
		l, _ := newPoint(t, ref.Device, c, 1)
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
		for u := range c.Updates() {
			check(t, l.Update(0, u))
		}
	}
	l, _ := newPoint(t, ref.Device, small(), 1)
	if err := l.Update(0, 0); err == nil || !strings.Contains(err.Error(), "iteration 0") {
		t.Errorf("an update before the collection: %v", err)
	}
	many := make([]int, 5)
	policy := l.Encoder().Explorer(1, make([]uint64, 5))
	if err := policy.Act(0, many, many, make([]float64, 10), make([]float64, 10)); err == nil ||
		!strings.Contains(err.Error(), "5 environments") {
		t.Errorf("more environments than the actor was made for: %v", err)
	}
}
