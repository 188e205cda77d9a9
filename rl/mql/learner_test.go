package mql

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/rl/protocol"
	"nacre/rl/rltest"
	"nacre/sim"
)

// newPoint is a learner on the point robot.
func newPoint(t *testing.T, d core.Device, c Config, workers int) (*Learner, []sim.Task) {
	t.Helper()
	s, _, test := rltest.Point(t, d, workers)
	l, err := New(c, s)
	check(t, err)
	t.Cleanup(func() { l.Close() })
	return l, test
}

func mqlProtocol(t *testing.T) protocol.Protocol {
	t.Helper()
	p, err := protocol.Preset("mql")
	check(t, err)
	return p
}

func evaluate(t *testing.T, l *Learner, p protocol.Protocol, tasks ...sim.Task) protocol.Result {
	t.Helper()
	r, err := protocol.Evaluate(context.Background(), l.pool, tasks, p, l.Adapter(), 1)
	check(t, err)
	return r
}

// report is everything iterations tell, evaluation included, with all digits.
func report(t *testing.T, l *Learner, test []sim.Task, from, to int) (out string) {
	t.Helper()
	for i := from; i < to; i++ {
		steps, err := l.Collect(context.Background(), i)
		check(t, err)
		out += fmt.Sprint(steps, l.Updates(i))
		for u := range l.Updates(i) {
			check(t, l.Update(i, u))
		}
		out += fmt.Sprint(evaluate(t, l, mqlProtocol(t), test...).Tasks)
		check(t, l.Metrics(i, func(name string, v float64) { out += fmt.Sprintf(" %s %x", name, math.Float64bits(v)) }))
	}
	return out
}

// Adaptation puts weights, targets, moments and step counts back to the last bit, although it changes all of them, and
// what a task returns depends neither on its neighbours nor on an evaluation before.
func TestAdaptationIsRolledBack(t *testing.T) {
	l, test := newPoint(t, ref.Device, small(), 1)
	report(t, l, test, 0, 2)
	before, err := keep(l.mem)
	check(t, err)
	p := mqlProtocol(t)
	p.Scored = 2
	both := evaluate(t, l, p, test...)
	after, err := keep(l.mem)
	check(t, err)
	for name, x := range before {
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(after[name][i]) {
				t.Fatalf("%s[%d] was %v before and is %v after adaptation", name, i, x[i], after[name][i])
			}
		}
	}
	for i, task := range test {
		if a, b := fmt.Sprint(both.Tasks[i].Return), fmt.Sprint(evaluate(t, l, p, task).Tasks[0].Return); a != b {
			t.Errorf("task %d returns %s beside another, %s alone", i, a, b)
		}
	}
	trained := make([]float64, len(before["actor/net/w0"]))
	for i := range test {
		check(t, l.slots[i].mem.Read("actor/net/w0", trained))
		if slices.Equal(trained, before["actor/net/w0"]) {
			t.Errorf("the actor of test task %d was not tuned", i)
		}
	}
	// Without a trajectory to adapt to, the trained actor acts.
	p.Explore = 0
	evaluate(t, l, p, test...)
}

// What the actor saw while acting is what replay gives as the transition's history: the deterministic action of each
// stored history is the stored action, and one step later it is the next one's.
func TestHistoriesAreThoseOfActing(t *testing.T) {
	l, _ := newPoint(t, ref.Device, small(), 1)
	steps, err := l.gather(context.Background(), 1, []int{0, 1, 2, 3, 4, 0}, 0,
		func(_ []sim.Episode, first, _ []*rand.Rand) sim.Policy {
			return l.newRollout(first, nil, nil)
		})
	check(t, err)
	p := values(t, l.mem)
	b := newBatch(l.dims, steps, l.cfg.History)
	n := 0
	for i := range l.all.Trajectories() {
		m := l.all.Trajectory(i).Len - lead
		check(t, l.all.TrajectoryHistories(i, lead, m, l.cfg.History, b.rows))
		for k := range m {
			x := b.row(l.dims, l.cfg.History, k)
			got := [][]float64{p.act(l.nets.actor, x.obs, x.before)}
			want := [][]float64{x.act}
			if k < m-1 {
				got, want = append(got, p.act(l.nets.actor, x.next, x.after)),
					append(want, b.row(l.dims, l.cfg.History, k+1).act)
			}
			for j := range got {
				for c := range got[j] {
					if math.Abs(got[j][c]-want[j][c]) > 1e-6 {
						t.Fatalf("trajectory %d, step %d: action %v, from the stored history %v", i, k+j,
							want[j], got[j])
					}
				}
			}
			n++
		}
	}
	if n != steps || n != 6*20 {
		t.Errorf("%d transitions of %d steps", n, steps)
	}
}

// While there is little replay an iteration makes as many updates as episodes had steps; afterwards all of them.
func TestUpdatesGrowWithReplay(t *testing.T) {
	c := small()
	c.WarmupTransitions, c.UpdatesPerIteration = 160, 50
	l, _ := newPoint(t, ref.Device, c, 1)
	var got []int
	for i := range 3 {
		_, err := l.Collect(context.Background(), i)
		check(t, err)
		got = append(got, l.Updates(i))
	}
	// 5 tasks, 2 rounds of 10 steps, then 3 episodes of 20 steps an iteration; each trajectory has a row in front.
	if fmt.Sprint(got) != "[10 50 50]" || l.all.Len() != 110+2*63 {
		t.Errorf("%v updates, %d rows of replay", got, l.all.Len())
	}
}

func TestSetupIsChecked(t *testing.T) {
	s, _, _ := rltest.Point(t, ref.Device, 1)
	rltest.Refused(t, New, small(), s, map[string]func(*Config){
		"history":  func(c *Config) { c.History = 1 },
		"discount": func(c *Config) { c.Discount = 2 },
	})
	l, test := newPoint(t, ref.Device, small(), 1)
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	p := mqlProtocol(t)
	p.ContextLimit = 5
	if _, err := protocol.Evaluate(context.Background(), l.pool, test, p, l.Adapter(), 1); err == nil ||
		!strings.Contains(err.Error(), "context_limit = 5") {
		t.Errorf("a context limit: %v", err)
	}
}
