package stats

import (
	"fmt"
	"math"
	"slices"

	"nacre/internal/rng"
)

// Scores are results over families and seeds. Scores[f] holds the score of every run on family f. Scores are normalised
// so that families can be compared, such as a success rate or the share of the way between two baselines. Families may
// differ in their number of runs. The estimates are those of Agarwal et al. (2021), Deep Reinforcement Learning at the
// Edge of the Statistical Precipice.
type Scores [][]float64

// check reports a family without runs and scores that are not numbers.
func (s Scores) check() error {
	if len(s) == 0 {
		return fmt.Errorf("stats: scores of no families; expected at least one")
	}
	for f, runs := range s {
		if len(runs) == 0 {
			return fmt.Errorf("stats: family %d has no runs; expected at least one", f)
		}
		for i, v := range runs {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("stats: family %d, run %d: score %v; expected a finite number", f, i, v)
			}
		}
	}
	return nil
}

// InterquartileMean is the mean of the middle half of all scores: a quarter of them, rounded down, is left out at
// either end. It is NaN if there are no scores.
func InterquartileMean(s Scores) float64 {
	all := slices.Concat(s...)
	slices.Sort(all)
	cut := len(all) / 4
	return Mean(all[cut : len(all)-cut])
}

// MedianOfFamilies is the median of the families' mean scores.
func MedianOfFamilies(s Scores) float64 {
	means := make([]float64, len(s))
	for f, runs := range s {
		means[f] = Mean(runs)
	}
	return Median(means)
}

// OptimalityGap is the mean amount by which scores are below 1. A score above 1 counts 0.
func OptimalityGap(s Scores) float64 {
	sum, n := 0.0, 0
	for _, runs := range s {
		for _, v := range runs {
			sum, n = sum+max(0, 1-v), n+1
		}
	}
	return sum / float64(n)
}

// ProbabilityOfImprovement is the mean over families of the probability that a run of a scores higher than a run of b;
// a tie counts half. In one family it is the Mann–Whitney statistic divided by the number of pairs. It is NaN if a and
// b have different numbers of families.
func ProbabilityOfImprovement(a, b Scores) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for f := range a {
		wins := 0.0
		for _, x := range a[f] {
			for _, y := range b[f] {
				switch {
				case x > y:
					wins++
				case x == y:
					wins += 0.5
				}
			}
		}
		sum += wins / float64(len(a[f])*len(b[f]))
	}
	return sum / float64(len(a))
}

// Stratified is an estimate over methods with a percentile interval of the stratified bootstrap. Within every family of
// every method, runs are drawn again with replacement; families are not drawn. Equal arguments give equal results. If
// every family has one run, the interval is unknown, with infinite ends.
func Stratified(methods []Scores, estimate func([]Scores) float64, level float64, resamples int,
	seed uint64) (Interval, error) {
	if err := checkBootstrap(level, resamples); err != nil {
		return Interval{}, err
	}
	for _, s := range methods {
		if err := s.check(); err != nil {
			return Interval{}, err
		}
	}
	value := estimate(methods)
	if math.IsNaN(value) {
		return Interval{}, fmt.Errorf("stats: the estimate over %d methods is not a number; expected as many "+
			"families of each", len(methods))
	}
	drawn := make([]Scores, len(methods))
	runs, most := math.MaxInt, 0
	for m, s := range methods {
		drawn[m] = make(Scores, len(s))
		for f := range s {
			drawn[m][f] = make([]float64, len(s[f]))
			runs, most = min(runs, len(s[f])), max(most, len(s[f]))
		}
	}
	if most < 2 {
		return Interval{Mean: value, Lo: math.Inf(-1), Hi: math.Inf(1), Level: level, N: runs}, nil
	}
	draws := make([]float64, resamples)
	r := rng.New(seed, rng.Bootstrap)
	for b := range draws {
		for m, s := range methods {
			for f := range s {
				for i := range s[f] {
					drawn[m][f][i] = s[f][r.IntN(len(s[f]))]
				}
			}
		}
		draws[b] = estimate(drawn)
	}
	slices.Sort(draws)
	return Interval{Mean: value, Lo: quantile(draws, (1-level)/2), Hi: quantile(draws, (1+level)/2), Level: level,
		N: runs}, nil
}

// Profile is the performance profile of a method. At every threshold it is the share of runs that score above the
// threshold, with its stratified bootstrap interval. Each family counts the same.
func Profile(s Scores, thresholds []float64, level float64, resamples int, seed uint64) ([]Interval, error) {
	out := make([]Interval, len(thresholds))
	for i, t := range thresholds {
		var err error
		if out[i], err = Stratified([]Scores{s}, func(m []Scores) float64 { return above(m[0], t) }, level, resamples,
			seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// above is the share of runs that score above a threshold, averaged over families.
func above(s Scores, threshold float64) float64 {
	sum := 0.0
	for _, runs := range s {
		n := 0
		for _, v := range runs {
			if v > threshold {
				n++
			}
		}
		sum += float64(n) / float64(len(runs))
	}
	return sum / float64(len(s))
}
