package pearl

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// trained is a walker after an iteration, with its recorder emptied.
func trained(t *testing.T, change func(*setup)) (*Learner, *recorder) {
	t.Helper()
	l, rec := newWalker(t, change)
	train(t, l, 0, 1)
	rec.calls = nil
	return l, rec
}

func evaluate(t *testing.T, l *Learner, rec *recorder, p protocol.Protocol, tasks ...sim.Task) protocol.Result {
	t.Helper()
	result, err := protocol.Evaluate(context.Background(), rec, tasks, p, l.Adapter(), 9)
	check(t, err)
	return result
}

func mustProtocol(t *testing.T, name string) protocol.Protocol {
	t.Helper()
	p, err := protocol.Preset(name)
	check(t, err)
	return p
}

// The numbers of a task are the same alone, beside others and in any order, and every time.
func TestAdaptationsDoNotMeet(t *testing.T) {
	l, rec := trained(t, nil)
	tasks := walkTasks(3, 4, 5, 6, 7)
	for _, deterministic := range []bool{true, false} {
		p := mustProtocol(t, "oyster")
		p.Repeats, p.Scored, p.Deterministic = 2, 2, deterministic
		all := evaluate(t, l, rec, p, tasks...)
		again := evaluate(t, l, rec, p, tasks...)
		if fmt.Sprint(all) != fmt.Sprint(again) {
			t.Error("two evaluations differ")
		}
		trajectories := map[string]string{} // of a task and start, in the evaluation of all
		remember := func(calls []call, to map[string]string) {
			for k, c := range calls {
				for i, tr := range c.out {
					to[fmt.Sprint(k, c.episodes[i].Task.Params, c.episodes[i].Seed)] = fmt.Sprint(c.z[i],
						tr.Obs, tr.Act)
				}
			}
		}
		rec.calls = nil
		evaluate(t, l, rec, p, tasks...)
		remember(rec.calls, trajectories)
		for _, subset := range [][]sim.Task{{tasks[4], tasks[1]}, {tasks[2]}} {
			rec.calls = nil
			evaluate(t, l, rec, p, subset...)
			some := map[string]string{}
			remember(rec.calls, some)
			if len(some) != len(subset)*2*4 {
				t.Fatalf("%d trajectories of %d tasks", len(some), len(subset))
			}
			for key, got := range some {
				if trajectories[key] != got {
					t.Errorf("trajectory %s: %s, among all tasks %s", key, got, trajectories[key])
				}
			}
		}
		rec.calls = nil
	}
}

// posteriorOf is what an adaptation believes after observing trajectories.
func posteriorOf(t *testing.T, l *Learner, trs ...sim.Trajectory) (mean, variance []float64) {
	t.Helper()
	var c []float32
	for i := range trs {
		c = l.dims.AppendContext(c, &trs[i], l.cfg.NextObsInContext)
	}
	q, err := l.infer.Posteriors([][]float32{c})
	check(t, err)
	return q[0].Mean, q[0].Var
}

// Exploration draws z from the prior for each trajectory; afterwards z is the mean, or a draw, of the posterior of
// all that was seen: with Extend also of the scored trajectories.
func TestLatentsOfAdaptation(t *testing.T) {
	l, rec := trained(t, nil)
	for _, extend := range []bool{false, true} {
		p := protocol.Protocol{Explore: 2, Scored: 2, Extend: extend, Deterministic: true, Z: protocol.Mean, Repeats: 1}
		rec.calls = nil
		evaluate(t, l, rec, p, walkTasks(4)...)
		z, out := rec.all()
		if len(z) != 4 || rec.calls[0].noisy {
			t.Fatalf("%d trajectories, want 4 without noise", len(z))
		}
		if fmt.Sprint(z[0]) == fmt.Sprint(z[1]) {
			t.Errorf("both exploration trajectories act on %v", z[0])
		}
		for k := 2; k < 4; k++ {
			seen := out[:2]
			if extend {
				seen = out[:k]
			}
			if want, _ := posteriorOf(t, l, seen...); fmt.Sprint(z[k]) != fmt.Sprint(want) {
				t.Errorf("extend %v: trajectory %d acts on %v, want the mean %v", extend, k, z[k], want)
			}
		}
	}
	p := protocol.Protocol{Explore: 1, Scored: 1, Z: protocol.Sample, Repeats: 1}
	rec.calls = nil
	evaluate(t, l, rec, p, walkTasks(4)...)
	z, out := rec.all()
	if !rec.calls[1].noisy {
		t.Error("a stochastic protocol acts without noise")
	}
	mean, variance := posteriorOf(t, l, out[0])
	for i := range mean {
		if d := (z[1][i] - mean[i]) * (z[1][i] - mean[i]) / variance[i]; d == 0 || d > 36 {
			t.Errorf("z = %v is no draw from N(%v, %v)", z[1], mean, variance)
		}
	}
}

// A context limit keeps that many of the observed rows, each once, and widens the posterior.
func TestContextLimit(t *testing.T) {
	l, _ := trained(t, nil)
	a := l.Adapter().(*Adapter)
	check(t, a.Start(2, []uint64{1, 2}))
	out, err := l.pool.Rollout(context.Background(), []sim.Episode{{Task: walkTasks(9)[0], Seed: 1}},
		l.Encoder().Explorer(1, []uint64{1}), 0)
	check(t, err)
	check(t, a.Observe(0, &out[0]))
	full, err := a.cropped(1, 0)
	check(t, err)
	width := l.nets.Encoder.Width()
	if len(full[0]) != 6*width || len(full[1]) != 0 {
		t.Fatalf("contexts of %d and %d numbers, want 6 rows and none", len(full[0]), len(full[1]))
	}
	some, err := a.cropped(1, 4)
	check(t, err)
	rows := map[string]bool{}
	for row := range slices.Chunk(full[0], width) {
		rows[fmt.Sprint(row)] = true
	}
	if len(some[0]) != 4*width {
		t.Fatalf("%d numbers, want 4 rows", len(some[0]))
	}
	for row := range slices.Chunk(some[0], width) {
		if !rows[fmt.Sprint(row)] {
			t.Errorf("row %v was not observed, or is there twice", row)
		}
		delete(rows, fmt.Sprint(row))
	}
	q, err := l.infer.Posteriors([][]float32{full[0], some[0]})
	check(t, err)
	for i := range q[0].Var {
		if q[1].Var[i] <= q[0].Var[i] {
			t.Errorf("variance %v of 4 rows, %v of 6", q[1].Var[i], q[0].Var[i])
		}
	}
	check(t, a.Start(1, []uint64{1}))
	if left, _ := a.cropped(1, 0); len(left) != 1 || len(left[0]) != 0 {
		t.Error("Start left an earlier context")
	}
}

// The action does not depend on the learner's seed, only on weights and the evaluation's seeds.
func TestAdaptationDependsOnWeightsOnly(t *testing.T) {
	a, reca := trained(t, nil)
	b, recb := newWalker(t, func(s *setup) { s.Seed = 77 })
	for entry, x := range parameters(t, a.Memory()) {
		check(t, b.Memory().Write(entry, x))
	}
	p := protocol.Protocol{Explore: 1, Scored: 1, Z: protocol.Sample, Repeats: 1} // stochastic actions
	evaluate(t, a, reca, p, walkTasks(4)...)
	evaluate(t, b, recb, p, walkTasks(4)...)
	for k := range reca.calls {
		if x, y := fmt.Sprint(reca.calls[k].out[0].Act), fmt.Sprint(recb.calls[k].out[0].Act); x != y {
			t.Errorf("trajectory %d: actions %s and, under another training seed, %s", k, x, y)
		}
	}
}

// More environments per call than the actor was made for is an error, not a crash.
func TestActorOfTooFewRows(t *testing.T) {
	l, _ := newWalker(t, func(s *setup) { s.Envs = 2 })
	if _, err := l.Collect(context.Background(), 0); err == nil {
		t.Error("no error")
	}
}

// Windows of context_sampling = "window" are consecutive transitions of one trajectory; shorter ones are padded.
func TestWindowContexts(t *testing.T) {
	l, _ := newWalker(t, func(s *setup) { s.Config.ContextSampling, s.Config.Context = "window", 5 })
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	for k := range uint64(20) {
		check(t, l.Sample(rng.New(k)))
		context := replay.Context{Rows: l.Input("context"), Weights: l.Input("context_weight")}
		for slot, task := range l.Drawn().Tasks {
			c := context.From(3, slot*5)
			want := min(5, []int{3, 6, 6, 2}[task])
			if got := slot*5 + want; context.Weights[got-1] != 1 || want < 5 && context.Weights[got] != 0 {
				t.Fatalf("weights %v of task %d, want %d ones", c.Weights[:5], task, want)
			}
			for i := range want - 1 {
				at, act, next := c.Rows[3*i], c.Rows[3*i+1], c.Rows[3*i+3]
				if d := at + 0.1*act - next; d > 1e-6 || d < -1e-6 {
					t.Fatalf("rows %d and %d are not consecutive: %v + 0.1·%v, then %v", i, i+1, at, act, next)
				}
			}
		}
	}
}

// With the belief carried over the first task explores on the prior and the second on the first's posterior, drawn anew
// for each trajectory; a new evaluation begins with the prior again.
func TestCarriedBelief(t *testing.T) {
	l, rec := trained(t, nil)
	p := mustProtocol(t, "garage-2020-old")
	p.Explore = 3
	tasks := walkTasks(3, 4)
	carried := evaluate(t, l, rec, p, tasks...)
	calls := slices.Clone(rec.calls)
	if len(calls) != 8 {
		t.Fatalf("%d rounds, want 4 of each task", len(calls))
	}
	p.CarryBelief = false
	rec.calls = nil
	evaluate(t, l, rec, p, tasks...)
	mean, variance := posteriorOf(t, l, calls[0].out[0], calls[1].out[0], calls[2].out[0])
	for k := range 3 {
		if first := rec.calls[k].z[0]; !slices.Equal(first, calls[k].z[0]) {
			t.Errorf("exploration %d of the first task acts on %v, want %v of the prior", k, calls[k].z[0], first)
		}
		for j, eps := range rec.calls[k].z[1] { // of the prior: standard normal
			if got, want := calls[4+k].z[0][j], mean[j]+math.Sqrt(variance[j])*eps; got != want {
				t.Errorf("exploration %d of the second task acts on z[%d] = %v, want %v of the first task's posterior",
					k, j, got, want)
			}
		}
	}
	p.CarryBelief = true
	if again := evaluate(t, l, rec, p, tasks...); fmt.Sprint(again) != fmt.Sprint(carried) {
		t.Error("a second evaluation differs from the first")
	}
}
