package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/stats"
)

// Four families of five runs each for two methods.
var (
	runsA = stats.Scores{
		{.031, .391, .107, .152, .085}, {.702, .485, .45, .059, .407}, {.526, .601, .815, .346, 1.117},
		{.506, .05, .563, .637, .017},
	}
	runsB = stats.Scores{
		{.205, .586, .286, .233, .299}, {.847, .428, .5, .19, .42}, {.49, .638, .713, .387, 1.065},
		{.569, .265, .598, .761, .096},
	}
)

// The numbers are rliable's (1.2.0, with arch 7.2.0 and numpy 2.4.6) on the same scores as an array of runs × families:
// metrics.aggregate_iqm, aggregate_median, aggregate_optimality_gap and probability_of_improvement, and the score
// distributions of library.create_performance_profile.
func TestAggregatesAreThoseOfRliable(t *testing.T) {
	within(t, "interquartile mean of A", stats.InterquartileMean(runsA), .3933, 1e-12)
	within(t, "interquartile mean of B", stats.InterquartileMean(runsB), .4563, 1e-12)
	within(t, "median of A", stats.MedianOfFamilies(runsA), .3876, 1e-12)
	within(t, "median of B", stats.MedianOfFamilies(runsB), .4674, 1e-12)
	within(t, "optimality gap of A", stats.OptimalityGap(runsA), .6035, 1e-12)
	within(t, "optimality gap of B", stats.OptimalityGap(runsB), .52445, 1e-12)
	within(t, "improvement of A over B", stats.ProbabilityOfImprovement(runsA, runsB), .36, 1e-12)
	within(t, "improvement of B over A", stats.ProbabilityOfImprovement(runsB, runsA), .64, 1e-12)
	within(t, "improvement over itself", stats.ProbabilityOfImprovement(runsA, runsA), .5, 1e-12)
	thresholds := []float64{0, .1, .25, .5, .8, 1}
	for m, want := range [][]float64{{1, .75, .65, .4, .1, .05}, {1, .95, .8, .4, .1, .05}} {
		p, err := stats.Profile([]stats.Scores{runsA, runsB}[m], thresholds, .95, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			within(t, fmt.Sprintf("profile %d at %v", m, thresholds[i]), p[i].Mean, v, 1e-12)
		}
	}
}

// The intervals are rliable's library.get_interval_estimates and create_performance_profile with 50,000 resamples. Both
// are random; the tolerances are about three standard errors of a percentile at our 20,000, and a step of the profile,
// which moves by 1/20.
func TestStratifiedIntervalsAreThoseOfRliable(t *testing.T) {
	iqm := func(m []stats.Scores) float64 { return stats.InterquartileMean(m[0]) }
	improvement := func(m []stats.Scores) float64 { return stats.ProbabilityOfImprovement(m[0], m[1]) }
	for _, c := range []struct {
		what     string
		methods  []stats.Scores
		estimate func([]stats.Scores) float64
		lo, hi   float64
	}{
		{"interquartile mean of A", []stats.Scores{runsA}, iqm, .2528, .5094},
		{"interquartile mean of B", []stats.Scores{runsB}, iqm, .3517, .5694},
		{"improvement of A over B", []stats.Scores{runsA, runsB}, improvement, .19, .54},
	} {
		i, err := stats.Stratified(c.methods, c.estimate, .95, 20_000, 1)
		if err != nil {
			t.Fatal(err)
		}
		within(t, c.what+", low end", i.Lo, c.lo, .011)
		within(t, c.what+", high end", i.Hi, c.hi, .011)
	}
	p, err := stats.Profile(runsA, []float64{0, .1, .25, .5, .8, 1}, .95, 20_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]float64{{1, 1}, {.55, .9}, {.5, .8}, {.25, .55}, {0, .2}, {0, .15}} {
		within(t, fmt.Sprintf("profile %d, low end", i), p[i].Lo, want[0], .05+1e-9)
		within(t, fmt.Sprintf("profile %d, high end", i), p[i].Hi, want[1], .05+1e-9)
	}
}

// Families may have different numbers of runs: each counts the same in a profile and in the probability of improvement.
func TestUnequalFamilies(t *testing.T) {
	a, b := stats.Scores{{1}, {0, 0, 0}}, stats.Scores{{0, 0}, {0}}
	within(t, "improvement", stats.ProbabilityOfImprovement(a, b), .75, 0)
	p, err := stats.Profile(a, []float64{.5}, .95, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "profile", p[0].Mean, .5, 0)
	if p[0].N != 1 {
		t.Errorf("%d runs at least, want 1", p[0].N)
	}
}

func TestScoresAreChecked(t *testing.T) {
	mean := func(m []stats.Scores) float64 { return stats.InterquartileMean(m[0]) }
	for want, s := range map[string]stats.Scores{
		"no families": {}, "family 1 has no runs": {{1}, {}}, "family 0, run 1: score NaN": {{1, math.NaN()}},
	} {
		if _, err := stats.Stratified([]stats.Scores{s}, mean, .95, 10, 1); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", s, err, want)
		}
	}
	improvement := func(m []stats.Scores) float64 { return stats.ProbabilityOfImprovement(m[0], m[1]) }
	if _, err := stats.Stratified([]stats.Scores{runsA, runsA[:2]}, improvement, .95, 10, 1); err == nil {
		t.Error("methods of different families compared")
	}
}

// The p-value of four against four is scipy.stats.permutation_test's (1.17.1) of the difference of means, exact,
// two-sided. Figures of seeds that are normal, with normal replicates: the variance of the mean is (between +
// within)/seeds, between being the variance of the seeds' figures with divisor n.
func TestNested(t *testing.T) {
	const seeds, replicates, sd = 12, 4000, .5
	var a, b []stats.Replicated
	between := 0.0
	for s := range seeds {
		x := float64(s) - (seeds-1)/2.
		between += x * x / seeds
		one, other := stats.Replicated{Value: x}, stats.Replicated{Value: x + 1}
		for i := range replicates {
			// quantiles of a normal distribution, moved by a bias of 3 that must not count
			z := math.Sqrt2 * math.Erfinv(2*(float64(i)+.5)/replicates-1)
			one.Replicates, other.Replicates = append(one.Replicates, x+sd*z+3), append(other.Replicates, x+1+sd*z)
		}
		a, b = append(a, one), append(b, other)
	}
	first := func(m []float64) float64 { return m[0] }
	i, err := stats.Nested([][]stats.Replicated{a}, first, .95, 20_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	half := 1.96 * math.Sqrt((between+sd*sd)/seeds)
	within(t, "mean", i.Mean, 0, 1e-12)
	within(t, "low end", i.Lo, -half, .06*half)
	within(t, "high end", i.Hi, half, .06*half)
	// Seeds and replicates of both are drawn together: the difference is 1 in every resample.
	d, err := stats.Nested([][]stats.Replicated{a, b}, func(m []float64) float64 { return m[1] - m[0] }, .95, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "width of the paired difference", d.Hi-d.Lo, 0, 1e-9)
	within(t, "difference", d.Mean, 1, 1e-12)
	unknown, err := stats.Nested([][]stats.Replicated{a}, func([]float64) float64 { return math.NaN() }, .95, 10, 1)
	if err != nil || unknown.Known() {
		t.Errorf("of what is not a number: %v, %v", unknown, err)
	}
	if _, err := stats.Nested([][]stats.Replicated{a, b[1:]}, first, .95, 10, 1); err == nil ||
		!strings.Contains(err.Error(), "11 seeds") {
		t.Errorf("other seeds: %v", err)
	}
}

func ExampleStratified() {
	// The share of the way to a baseline, on two families with three seeds each.
	pearl, tcl := stats.Scores{{.2, .3, .25}, {.6, .5, .7}}, stats.Scores{{.4, .5, .45}, {.6, .7, .8}}
	p, err := stats.Stratified([]stats.Scores{tcl, pearl}, func(m []stats.Scores) float64 {
		return stats.ProbabilityOfImprovement(m[0], m[1])
	}, .95, 10_000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f (%.2f to %.2f)\n", p.Mean, p.Lo, p.Hi)
	// Output: 0.89 (0.67 to 1.00)
}

// The same of 24 generated cases, with scores below 0 and above 1 and ties, as testdata/scores.py has them from
// rliable. Intervals are of two bootstraps with draws of their own: their ends agree within a tenth of the width.
func TestGeneratedScoresAreThoseOfRliable(t *testing.T) {
	text, err := os.ReadFile("testdata/rliable.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		A, B       stats.Scores
		Points     [4]float64 `json:"iqm_median_mean_gap"`
		BOverA     float64    `json:"b_over_a"`
		Thresholds []float64
		Profile    []float64
		Intervals  [][2]float64
		BOverAEnds [2]float64 `json:"b_over_a_interval"`
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) != 24 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	estimates := [4]func(stats.Scores) float64{
		stats.InterquartileMean, stats.MedianOfFamilies, func(s stats.Scores) float64 {
			return stats.Mean(slices.Concat(s...))
		}, stats.OptimalityGap,
	}
	ends := func(what string, methods []stats.Scores, of func([]stats.Scores) float64, resamples int, want [2]float64) {
		i, err := stats.Stratified(methods, of, .95, resamples, 1)
		if err != nil {
			t.Fatal(err)
		}
		within(t, what+", low end", i.Lo, want[0], .1*(want[1]-want[0]))
		within(t, what+", high end", i.Hi, want[1], .1*(want[1]-want[0]))
	}
	for k, c := range cases {
		for e, of := range estimates {
			what := fmt.Sprintf("case %d, estimate %d", k, e)
			within(t, what, of(c.A), c.Points[e], 1e-12)
			if c.Intervals != nil {
				ends(what, []stats.Scores{c.A}, func(m []stats.Scores) float64 {
					return of(m[0])
				}, 10_000, c.Intervals[e])
			}
		}
		improvement := func(m []stats.Scores) float64 { return stats.ProbabilityOfImprovement(m[0], m[1]) }
		within(t, fmt.Sprintf("case %d, improvement", k), improvement([]stats.Scores{c.B, c.A}), c.BOverA, 1e-12)
		if c.Intervals != nil {
			ends(fmt.Sprintf("case %d, improvement", k), []stats.Scores{c.B, c.A}, improvement, 2000, c.BOverAEnds)
		}
		p, err := stats.Profile(c.A, c.Thresholds, .95, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range c.Profile {
			within(t, fmt.Sprintf("case %d, profile above %v", k, c.Thresholds[i]), p[i].Mean, v, 1e-12)
		}
	}
}
