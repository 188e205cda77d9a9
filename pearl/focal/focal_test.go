package focal_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/pearl"
	"nacre/pearl/focal"
	"nacre/rl"
	"nacre/rl/rltest"
)

var small = []string{
	"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=3", "pearl.batch=8", "pearl.context=6",
	"pearl.initial_steps=40", "pearl.tasks_per_iteration=2", "pearl.prior_steps=20", "pearl.posterior_steps=20",
	"pearl.extra_posterior_steps=20", "pearl.updates_per_iteration=6",
}

var check = fatal.On

func TestContract(t *testing.T) { rltest.Learner(t, "focal", small...) }

// learner is one with settings over the small ones.
func learner(t *testing.T, settings ...string) *pearl.Learner {
	t.Helper()
	c := rl.Default()
	c.Algorithm = "focal"
	check(t, rl.Change(&c, append(slices.Clone(small), settings...)...))
	setup, _, _ := rltest.Point(t, ref.Device, 1)
	l, err := focal.New(c, setup)
	check(t, err)
	t.Cleanup(func() { check(t, l.Close()) })
	return l
}

// encoder are the weights of an encoder after an iteration.
func encoder(t *testing.T, settings ...string) []float64 {
	t.Helper()
	l := learner(t, settings...)
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	for u := range 6 {
		check(t, l.Update(0, u))
	}
	check(t, l.Settle())
	var out []float64
	for _, p := range l.Networks().Encoder.Specs() {
		x := make([]float64, p.Rows*p.Cols)
		check(t, l.Memory().Read(p.Name, x))
		out = append(out, x...)
	}
	return out
}

// The encoder learns from the metric alone: what the critics learn of rewards, and how fast, does not reach it, as it
// does in PEARL; the metric does.
func TestDetached(t *testing.T) {
	first := encoder(t)
	if !slices.Equal(first, encoder(t, "pearl.reward_scale=50", "pearl.lr_q=0.01")) {
		t.Error("the encoder depends on the critics")
	}
	if slices.Equal(first, encoder(t, "focal.epsilon=1")) {
		t.Error("the encoder does not depend on the metric")
	}
}

// An embedding is the mean over rows of tanh of the network's outputs, so that it is bounded; twice the same rows give
// the same.
func TestEmbeddingIsTheMeanOfRows(t *testing.T) {
	e := learner(t).Encoder()
	one, other := make([]float32, e.Width()), make([]float32, e.Width())
	for i := range one {
		one[i], other[i] = float32(i)-1, 2-float32(i)
	}
	q, err := e.Posteriors([][]float32{one, other, slices.Concat(one, other), slices.Concat(one, one)})
	check(t, err)
	for l := range q[0].Mean {
		a, b := q[0].Mean[l], q[1].Mean[l]
		if math.Abs(a) >= 1 || math.Abs(q[2].Mean[l]-(a+b)/2) > 1e-12 || math.Abs(q[3].Mean[l]-a) > 1e-12 {
			t.Errorf("dimension %d: embeddings %v and %v, of both rows %v, of one twice %v", l, a, b, q[2].Mean[l],
				q[3].Mean[l])
		}
	}
}
