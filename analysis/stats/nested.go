package stats

import (
	"fmt"
	"math"
	"slices"

	"nacre/internal/rng"
)

// Replicated is a figure of one seed with bootstrap replicates. A replicate is the same figure, computed on a resample
// of the contexts or tasks on which the figure was measured.
type Replicated struct {
	Value      float64
	Replicates []float64
}

// Nested is a bootstrap of two levels (hierarchical: Davison & Hinkley 1997, section 3.8) for numbers that need not be
// means. Here such a number is called a figure. The element figures[m][s] is the figure of method m and seed s. All
// methods have the same seeds in the same order, and all figures have the same number of replicates. Each resample
// draws the seeds with replacement and, for every drawn seed, the index of one of its replicates. Both are the same for
// all methods, so replicates that were made from common draws stay paired. The argument statistic turns the methods'
// means over the drawn seeds into one number. The bias of the replicates is removed first: they are shifted so that
// their mean is the figure. The interval's mean is the statistic of the figures themselves. Equal arguments give equal
// results.
//
// With one seed the interval shows only the spread of the replicates. A statistic that is not a number in some
// resamples makes the interval unknown, with infinite ends.
func Nested(figures [][]Replicated, statistic func(means []float64) float64, level float64, resamples int,
	seed uint64) (Interval, error) {
	if err := checkBootstrap(level, resamples); err != nil {
		return Interval{}, err
	}
	shift, err := biases(figures)
	if err != nil {
		return Interval{}, err
	}
	seeds, replicates := len(figures[0]), len(figures[0][0].Replicates)
	means := make([]float64, len(figures))
	for m := range figures {
		for _, f := range figures[m] {
			means[m] += f.Value / float64(seeds)
		}
	}
	out := Interval{Mean: statistic(means), Lo: math.Inf(-1), Hi: math.Inf(1), Level: level, N: seeds}
	draws := make([]float64, resamples)
	r := rng.New(seed, rng.Bootstrap)
	for i := range draws {
		clear(means)
		for range seeds {
			s, b := r.IntN(seeds), r.IntN(replicates)
			for m := range figures {
				means[m] += (figures[m][s].Replicates[b] - shift[m][s]) / float64(seeds)
			}
		}
		if draws[i] = statistic(means); math.IsNaN(draws[i]) {
			return out, nil
		}
	}
	slices.Sort(draws)
	out.Lo, out.Hi = quantile(draws, (1-level)/2), quantile(draws, (1+level)/2)
	return out, nil
}

// biases checks the arguments of Nested and returns how far the mean of each figure's replicates lies above it.
func biases(figures [][]Replicated) ([][]float64, error) {
	if len(figures) == 0 || len(figures[0]) == 0 {
		return nil, fmt.Errorf("stats: bootstrap of nothing; expected at least one method and one seed")
	}
	seeds, replicates := len(figures[0]), len(figures[0][0].Replicates)
	out := make([][]float64, len(figures))
	for m := range figures {
		if len(figures[m]) != seeds {
			return nil, fmt.Errorf("stats: bootstrap: method %d has %d seeds, the first has %d", m,
				len(figures[m]), seeds)
		}
		for s, f := range figures[m] {
			if len(f.Replicates) == 0 || len(f.Replicates) != replicates {
				return nil, fmt.Errorf("stats: bootstrap: method %d, seed %d has %d replicates; expected %d, at "+
					"least one", m, s, len(f.Replicates), replicates)
			}
			bias := Mean(f.Replicates) - f.Value
			if math.IsNaN(bias) || math.IsInf(bias, 0) {
				return nil, fmt.Errorf("stats: bootstrap: method %d, seed %d has a figure or a replicate that is not "+
					"a finite number", m, s)
			}
			out[m] = append(out[m], bias)
		}
	}
	return out, nil
}
