package rltest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/replay"
)

// Encoder tests an encoder against the contract of rl.Encoder. d are the sizes of an observation and of an action.
func Encoder(t *testing.T, e rl.Encoder, d replay.Dims) {
	t.Helper()
	if want := d.ContextWidth(e.NextObs()); e.Width() != want || e.Latent() < 1 {
		t.Fatalf("rows of %d numbers, want %d; %d latent dimensions, want at least 1", e.Width(), want, e.Latent())
	}
	r := rand.New(rand.NewPCG(1, 2))
	contexts := make([][]float32, 20)
	for i := range contexts {
		rows := []int{0, 1, 16, 100, 3}[i%5]
		for range rows * e.Width() {
			contexts[i] = append(contexts[i], float32(r.NormFloat64()))
		}
	}
	infer := func(contexts ...[]float32) []belief.Gaussian {
		t.Helper()
		q, err := e.Posteriors(contexts)
		check(t, err)
		if len(q) != len(contexts) {
			t.Fatalf("%d posteriors of %d contexts", len(q), len(contexts))
		}
		return q
	}
	before := make([][]float32, len(contexts))
	for i, c := range contexts {
		before[i] = slices.Clone(c)
	}
	all := infer(contexts...)
	for i, q := range all {
		if len(q.Mean) != e.Latent() || len(q.Var) != e.Latent() {
			t.Fatalf("posterior %d has %d means and %d variances, want %d", i, len(q.Mean), len(q.Var), e.Latent())
		}
		for l := range q.Var {
			if !(q.Var[l] > 0) || !(q.Mean[l]*0 == 0) || !(q.Var[l]*0 == 0) {
				t.Errorf("posterior %d: mean %v, variance %v, want numbers and above 0", i, q.Mean[l], q.Var[l])
			}
		}
		if !slices.Equal(contexts[i], before[i]) {
			t.Errorf("context %d was changed", i)
		}
	}
	same := func(what string, i int, q belief.Gaussian) {
		t.Helper()
		if !slices.Equal(q.Mean, all[i].Mean) || !slices.Equal(q.Var, all[i].Var) {
			t.Errorf("posterior %d is another %s", i, what)
		}
	}
	for i, q := range infer(contexts...) {
		same("the second time", i, q)
	}
	order := r.Perm(len(contexts))
	shuffled := make([][]float32, len(contexts))
	for k, i := range order {
		shuffled[k] = contexts[i]
	}
	for k, q := range infer(shuffled...) {
		same("in another order of the batch", order[k], q)
	}
	for i, c := range contexts {
		same("alone", i, infer(c)[0])
	}
	same("of a nil context", 0, infer(nil)[0])
	infer()
	if slices.Equal(all[1].Mean, all[6].Mean) {
		t.Error("two contexts have one posterior: it does not depend on them")
	}
	if _, err := e.Posteriors([][]float32{contexts[1], contexts[2][:e.Width()+1]}); err == nil {
		t.Errorf("no error about a context of %d numbers, with rows of %d", e.Width()+1, e.Width())
	}
	if e.Explorer(1, []uint64{4, 5}) == nil {
		t.Error("no policy explores")
	}
}
