package app

import (
	"testing"

	tsnebench "nacre/bench/tsne"
	"nacre/tsne"
)

// Differences are taken start by start; a library that failed from one start is compared from the others.
func TestPaired(t *testing.T) {
	layout := func(name string, kl float64, absent string) tsnebench.Result {
		return tsnebench.Result{Name: name, KL: kl, Trust: 1, Recall: kl / 10, Absent: absent}
	}
	got := paired(tsne.NewMatrix(50, 3), [][]tsnebench.Result{
		{layout("nacre", 1, ""), layout("a", 2, ""), layout("b", 0, "failed")},
		{layout("nacre", 3, ""), layout("a", 6, ""), layout("b", 0, "failed")},
		{layout("nacre", 9, ""), layout("a", 0, "failed"), layout("b", 0, "failed")},
	})
	if len(got) != 1 {
		t.Fatalf("%d comparisons, expected 1", len(got))
	}
	// Differences of −1 and −3: mean −2, and Student's t for one degree of freedom is 12.706.
	p := got[0]
	if p.Name != "a" || p.Starts != 2 || p.KL.Mean != -2 || p.KL.Hi < 10.70 || p.KL.Hi > 10.71 || p.Trust.Mean != 0 {
		t.Errorf("%+v", p)
	}
}
