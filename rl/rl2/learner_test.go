package rl2

import (
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
	c := Default()
	c.Hidden, c.MetaBatch, c.Episodes, c.Chunk, c.Epochs = 5, 4, 3, 7, 3
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

// act gives the deterministic first actions of an episode for one observation.
func act(t *testing.T, l *Learner, states []trialState, obs ...float64) []float64 {
	t.Helper()
	r := &rollout{actor: l.actor, states: states}
	n := len(states)
	episodes, out := make([]int, n), make([]float64, n*l.policy.act)
	var all []float64
	for i := range n {
		episodes[i] = i
		all = append(all, obs...)
	}
	check(t, r.Act(0, episodes, make([]int, n), all, out))
	return out
}

// The last reward of an episode reaches the first action of the next, unless inputs are reset as garage resets them;
// the state goes on from episode to episode of a trial and begins at zero in every trial.
func TestTheStateGoesThroughTheTrial(t *testing.T) {
	for _, resets := range []bool{false, true} {
		c := small()
		c.ResetInputs = resets
		l, _ := newPoint(t, ref.Device, c, 1)
		states := []trialState{l.policy.newState(c), l.policy.newState(c)}
		act(t, l, states, 0.3, -0.4)
		r := &rollout{actor: l.actor, states: states}
		check(t, r.Watch(0, []int{0, 1}, []int{0, 0}, []float64{-1, 2}))
		kept := slices.Clone(states[0].h)
		next := act(t, l, states, 0.1, 0.2)
		if differ := next[0] != next[2] || next[1] != next[3]; differ == resets {
			t.Errorf("inputs reset: %v; first actions after rewards -1 and 2: %v", resets, next)
		}
		if slices.Equal(kept, make([]float64, c.Hidden)) || slices.Equal(kept, states[0].h) {
			t.Error("the state does not move")
		}
		// By hand: the second episode's first input says what happened and that an episode ended.
		v := values(t, l.mem, l.policy)
		x := []float64{0.1, 0.2, 0, 0, 0, 0}
		if !resets {
			first := act(t, l, []trialState{l.policy.newState(c)}, 0.3, -0.4)
			copy(x[2:], []float64{first[0], first[1], -1, 1})
		}
		want := v.step(l.policy, x, kept)
		for j := range want {
			if math.Abs(next[j]-want[j]) > 1e-12 {
				t.Errorf("action %v, by hand %v", next[:2], want)
			}
		}
		fresh := l.policy.newState(c)
		if !slices.Equal(fresh.h, make([]float64, c.Hidden)) || fresh.begun {
			t.Error("a trial does not begin at zero")
		}
	}
}

// The trials that are learned from: inputs are those the policy acted on, so that without noise the means computed from
// them are the actions; advantages are sums over the joined episodes, with the entropy added to the rewards and a
// baseline that has not seen the batch, which at first is zero.
func TestTrials(t *testing.T) {
	c := small()
	c.InitStd = 1e-6
	l, _ := newPoint(t, ref.Device, c, 1)
	steps, err := l.Collect(context.Background(), 0)
	check(t, err)
	const T = 60
	if steps != 4*T || len(l.ppo.batch.X) != 9 {
		t.Fatalf("%d steps in %d chunks", steps, len(l.ppo.batch.X))
	}
	v, k := values(t, l.mem, l.policy), l.ppo.chunk
	trials, err := l.trials(context.Background(), 0)
	check(t, err)
	entropy := 2 * (math.Log(1e-6) + math.Log(2*math.Pi*math.E)/2)
	for i := range 4 {
		h := make([]float64, c.Hidden)
		for step := range T {
			at, row := step/k.steps, i*k.steps+step%k.steps
			x := make([]float64, 6)
			for j := range x {
				x[j] = float64(l.ppo.batch.X[at][row*6+j])
			}
			if end := step == 20 || step == 40; (x[5] == 1) != end {
				t.Fatalf("step %d: end of an episode %v", step, x[5])
			}
			for j, mean := range v.step(l.policy, x, h) {
				if a := float64(l.ppo.batch.Act[at][row*2+j]); math.Abs(a-mean) > 1e-5 {
					t.Fatalf("trial %d, step %d: action %v, mean %v", i, step, a, mean)
				}
			}
			want, factor := 0.0, 1.0
			for _, r := range trials[i].Reward[step:] {
				want += factor * (float64(r) + c.Entropy*entropy)
				factor *= c.Discount * c.GAELambda
			}
			if got := float64(l.ppo.batch.Advantage[at][row]); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("trial %d, step %d: advantage %v, by hand %v", i, step, got, want)
			}
			if w := l.ppo.batch.Weight[at][row]; math.Abs(float64(w)-1.0/240) > 1e-9 {
				t.Fatalf("weight %v", w)
			}
		}
		if w := l.ppo.batch.Weight[8][i*k.steps+T%k.steps]; w != 0 {
			t.Errorf("a step behind the trial has weight %v", w)
		}
	}
	// Before the first step the policy is the one that acted.
	f, err := l.ppo.gradients(l.ppo.batch)
	check(t, err)
	if math.Abs(f.KL) > 1e-6 || f.Clipped != 0 {
		t.Errorf("kl %v, clipped %v before the first step", f.KL, f.Clipped)
	}
}

// With fit_first the baseline has seen the batch: the advantages' square is smaller. Otherwise the next batch's is.
func TestBaseline(t *testing.T) {
	size := func(fitFirst bool, iteration int) (sum float64) {
		c := small()
		c.FitFirst, c.Entropy = fitFirst, 0
		l, _ := newPoint(t, ref.Device, c, 1)
		for i := range iteration + 1 {
			_, err := l.Collect(context.Background(), i)
			check(t, err)
		}
		for _, chunk := range l.ppo.batch.Advantage {
			for _, a := range chunk {
				sum += float64(a) * float64(a)
			}
		}
		return sum
	}
	without, first, next := size(false, 0), size(true, 0), size(false, 1)
	if first > without/4 || next > without/2 {
		t.Errorf("advantages' square %v without, %v with a baseline fitted first, %v with one of the batch before",
			without, first, next)
	}
}

// Scored trajectories begin with the state exploration left and leave it alone: what a task returns does not depend on
// their number.
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
	a := &adapter{l: l}
	check(t, a.Start(1, []uint64{1}))
	for traj, explore := range []bool{true, false} {
		before := a.states[0].clone()
		policy, err := a.Policy(traj, explore, p)
		check(t, err)
		check(t, policy.Act(0, []int{0}, []int{0}, []float64{0.3, 0.4}, make([]float64, 2)))
		if moved := !slices.Equal(before.h, a.states[0].h); moved != explore {
			t.Errorf("explores: %v; the state moved: %v", explore, moved)
		}
	}
}

func TestSetupIsChecked(t *testing.T) {
	s, _, _ := rltest.Point(t, ref.Device, 1)
	rltest.Refused(t, New, small(), s, map[string]func(*Config){
		"clip":         func(c *Config) { c.Clip = 0 },
		"entropy_mode": func(c *Config) { c.EntropyMode = "min" },
	})
	l, _ := newPoint(t, ref.Device, small(), 1)
	if err := l.Update(4, 0); err == nil || !strings.Contains(err.Error(), "iteration 4") {
		t.Errorf("an update before the collection: %v", err)
	}
}
