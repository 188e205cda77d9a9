package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nacre/internal/rng"
)

// exactSigns is the most pairs whose signs SignFlipTest goes through: 2^20 ways.
const exactSigns = 20

// SignFlips is the result of a SignFlipTest.
type SignFlips struct {
	P     float64 `json:"p"`     // two-sided p value
	Least float64 `json:"least"` // smallest P that this number of pairs can give
	Ways  int     `json:"ways"`  // number of ways to give signs that were tried
	Exact bool    `json:"exact"` // whether all ways were tried, not random ones
	// Detectable is the mean difference that a two-sided paired t test at .05 finds four times in five, with this
	// number of pairs and their standard deviation. The sign-flip test has no such formula, so this value is given for
	// it too.
	Detectable float64 `json:"detectable"`
}

// SignFlipTest tests whether the mean of paired differences is 0. It gives the differences all possible signs and
// counts how often their mean is at least as far from 0 as the observed mean. If there are more than 2^20 ways to give
// signs, it takes 100,000 random ways and adds the observed one. It needs at least two pairs, and finite differences.
func SignFlipTest(differences []float64) (SignFlips, error) {
	n := len(differences)
	if n < 2 {
		return SignFlips{}, fmt.Errorf("stats: sign-flip test of %d pairs; expected at least two", n)
	}
	sum, size := 0.0, 0.0
	for i, v := range differences {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return SignFlips{}, fmt.Errorf("stats: sign-flip test: difference %d is %v; expected a finite number", i, v)
		}
		sum, size = sum+v, max(size, math.Abs(v))
	}
	limit := math.Abs(sum) - 1e-12*size*float64(n) // sums in another order differ by rounding
	out := SignFlips{Exact: n <= exactSigns, Detectable: Detectable(n, stat.StdDev(differences, nil), .05, .8)}
	extreme := 0
	count := func(flipped float64) {
		out.Ways++
		if math.Abs(flipped) >= limit {
			extreme++
		}
	}
	if out.Exact {
		for signs := range 1 << n {
			count(flipped(differences, uint64(signs)))
		}
	} else {
		count(sum)
		r := rng.New(0, rng.Bootstrap)
		for range 100_000 {
			total := 0.0
			for i := 0; i < n; i += 64 {
				total += flipped(differences[i:min(n, i+64)], r.Uint64())
			}
			count(total)
		}
	}
	out.P, out.Least = float64(extreme)/float64(out.Ways), 1/float64(out.Ways)
	if out.Exact { // the mirror image is as far from 0
		out.Least *= 2
	}
	return out, nil
}

// flipped is the sum of the values, less where a bit of signs is set.
func flipped(values []float64, signs uint64) (sum float64) {
	for i, v := range values {
		if signs>>i&1 == 1 {
			v = -v
		}
		sum += v
	}
	return sum
}

// Detectable is the mean difference that a two-sided paired t test of n pairs at level alpha finds with probability
// power. The differences have the given standard deviation. It is NaN for fewer than two pairs.
func Detectable(n int, deviation, alpha, power float64) float64 {
	if n < 2 {
		return math.NaN()
	}
	nu := float64(n - 1)
	critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}.Quantile(1 - alpha/2)
	// These are the values that |T| must exceed, in standard errors of a known deviation, at the midpoints of equally
	// likely parts of the estimated deviation.
	limits := make([]float64, 500)
	chi := distuv.ChiSquared{K: nu}
	for i := range limits {
		limits[i] = critical * math.Sqrt(chi.Quantile((float64(i)+.5)/float64(len(limits)))/nu)
	}
	low, high := 0.0, 100*critical // bounds of the shift in standard errors
	for range 50 {
		middle, found := (low+high)/2, 0.0
		for _, l := range limits {
			found += (distuv.UnitNormal.Survival(l-middle) + distuv.UnitNormal.CDF(-l-middle)) / float64(len(limits))
		}
		if found < power {
			low = middle
		} else {
			high = middle
		}
	}
	return low * deviation / math.Sqrt(float64(n))
}
