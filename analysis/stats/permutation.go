package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/combin"

	"nacre/internal/rng"
)

// ExactSplits is how many ways of dividing the values of two samples PermutationTest goes through: ten against ten have
// 184,756, eleven against eleven 705,432.
const ExactSplits = 1_000_000

// Permutation is the outcome of a permutation test.
type Permutation struct {
	P      float64 `json:"p"`      // two-sided
	Least  float64 `json:"least"`  // the smallest P that samples of these sizes can give
	Splits int     `json:"splits"` // divisions looked at
	Exact  bool    `json:"exact"`  // all of them, not some drawn at random
}

// String is the p-value, with what bounds it from below.
func (p Permutation) String() string {
	kind := "exact"
	if !p.Exact {
		kind = fmt.Sprintf("%d random divisions", p.Splits)
	}
	return fmt.Sprintf("p = %.2g (%s, least possible %.2g)", p.P, kind, p.Least)
}

// PermutationTest asks how often the means of two samples would differ at least as much as they do if it were chance which
// value belongs to which: over all ways to divide the values, where there are at most ExactSplits, else over 100,000 random
// ones, to which the division as it is is added. It is two-sided. Both samples need a value, and none may be NaN.
func PermutationTest(a, b []float64) (Permutation, error) {
	all := append(append([]float64{}, a...), b...)
	n, k := len(all), len(a)
	if k == 0 || k == n {
		return Permutation{}, fmt.Errorf("stats: permutation test of %d and %d values; expected at least one of each", k, n-k)
	}
	total, size := 0.0, 0.0
	for i, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Permutation{}, fmt.Errorf("stats: permutation test: value %d is %v; expected a finite number", i, v)
		}
		total, size = total+v, max(size, math.Abs(v))
	}
	difference := func(first float64) float64 {
		return math.Abs(first/float64(k) - (total-first)/float64(n-k))
	}
	sum := 0.0
	for _, v := range a {
		sum += v
	}
	// Sums in another order differ by rounding, which must not make an equal division a smaller one.
	limit := difference(sum) - 1e-12*size
	out := Permutation{}
	extreme := 0
	count := func(first float64) {
		out.Splits++
		if difference(first) >= limit {
			extreme++
		}
	}
	ways := combin.GeneralizedBinomial(float64(n), float64(k))
	if out.Exact = math.Round(ways) <= ExactSplits; out.Exact {
		index := make([]int, k)
		for g := combin.NewCombinationGenerator(n, k); g.Next(); {
			first := 0.0
			for _, i := range g.Combination(index) {
				first += all[i]
			}
			count(first)
		}
	} else {
		count(sum)
		r := rng.New(0, rng.Bootstrap)
		for range 100_000 {
			first := 0.0
			for i := range k { // the first k of a shuffle
				j := i + r.IntN(n-i)
				all[i], all[j] = all[j], all[i]
				first += all[i]
			}
			count(first)
		}
	}
	out.P, out.Least = float64(extreme)/float64(out.Splits), 1/float64(out.Splits)
	if 2*k == n && out.Exact { // every division has a mirror image that differs as much
		out.Least *= 2
	}
	return out, nil
}
