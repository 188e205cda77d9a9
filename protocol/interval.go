package protocol

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence level of every Interval.
const Level = 0.95

// Interval is a mean with its 95 % confidence interval [Lo, Hi]. Where nothing can be said about its width, as from
// a single task, Lo is -Inf and Hi is +Inf; both are null in JSON.
type Interval struct {
	Mean, Lo, Hi float64
	N            int // how many numbers the mean is over
}

// String formats the interval as "mean [lo, hi] (n)".
func (i Interval) String() string {
	return fmt.Sprintf("%.4g [%.4g, %.4g] (%d)", i.Mean, i.Lo, i.Hi, i.N)
}

type intervalJSON struct {
	Mean float64  `json:"mean"`
	Lo   *float64 `json:"lo"`
	Hi   *float64 `json:"hi"`
	N    int      `json:"n"`
}

// MarshalJSON writes {"mean", "lo", "hi", "n"}.
func (i Interval) MarshalJSON() ([]byte, error) {
	out := intervalJSON{Mean: i.Mean, N: i.N}
	if !math.IsInf(i.Lo, 0) {
		out.Lo = &i.Lo
	}
	if !math.IsInf(i.Hi, 0) {
		out.Hi = &i.Hi
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Interval) UnmarshalJSON(b []byte) error {
	var in intervalJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("protocol: interval: %w", err)
	}
	*i = Interval{Mean: in.Mean, Lo: math.Inf(-1), Hi: math.Inf(1), N: in.N}
	if in.Lo != nil {
		i.Lo = *in.Lo
	}
	if in.Hi != nil {
		i.Hi = *in.Hi
	}
	return nil
}

// MeanInterval is Student's interval of the mean of independent numbers, of which there must be at least one:
//
//	mean ± t(0.975; n-1) · s/√n,   s² = Σ(x-mean)²/(n-1)
func MeanInterval(x []float64) Interval {
	n := float64(len(x))
	if len(x) < 2 {
		return Interval{Mean: stat.Mean(x, nil), Lo: math.Inf(-1), Hi: math.Inf(1), N: len(x)}
	}
	mean, s := stat.MeanStdDev(x, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+Level)/2) * s / math.Sqrt(n)
	return Interval{Mean: mean, Lo: mean - half, Hi: mean + half, N: len(x)}
}

// Bootstrap is the percentile interval of the mean of x[seed][task] when seeds and tasks are both samples of what
// might have been: each resample draws the seeds and, independently, the tasks with replacement, and keeps all
// pairs (the pigeonhole bootstrap of Owen, 2007). Every seed must have the same tasks in the same order; with one
// seed the interval is over tasks only, with one task over seeds only. resamples is 100 to 1000000.
func Bootstrap(x [][]float64, resamples int, r *rand.Rand) (Interval, error) {
	if len(x) == 0 || len(x[0]) == 0 {
		return Interval{}, fmt.Errorf("protocol: bootstrap of nothing: expected at least one seed and one task")
	}
	if resamples < 100 || resamples > 1_000_000 {
		return Interval{}, fmt.Errorf("protocol: %d bootstrap resamples: expected 100 to 1000000", resamples)
	}
	seeds, tasks := len(x), len(x[0])
	sum := 0.0
	for s := range x {
		if len(x[s]) != tasks {
			return Interval{}, fmt.Errorf("protocol: seed %d has %d tasks, the first has %d", s, len(x[s]), tasks)
		}
		for _, v := range x[s] {
			sum += v
		}
	}
	n := seeds * tasks
	out := Interval{Mean: sum / float64(n), Lo: math.Inf(-1), Hi: math.Inf(1), N: n}
	if n == 1 {
		return out, nil
	}
	means := make([]float64, resamples)
	drawn := make([]int, tasks)
	for k := range means {
		for t := range drawn {
			drawn[t] = r.IntN(tasks)
		}
		sum := 0.0
		for range seeds {
			row := x[r.IntN(seeds)]
			for _, t := range drawn {
				sum += row[t]
			}
		}
		means[k] = sum / float64(n)
	}
	slices.Sort(means)
	out.Lo, out.Hi = percentile(means, (1-Level)/2), percentile(means, (1+Level)/2)
	return out, nil
}

// percentile interpolates linearly between the sorted numbers x, of which the first is at 0 and the last at 1.
func percentile(x []float64, p float64) float64 {
	at := p * float64(len(x)-1)
	i := min(int(at), len(x)-2)
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}

// Normalised is how far a return lies on the way from a random policy, 0, to a goal-knowing controller, 1:
//
//	(adapted - random) / (oracle - random)
//
// It is an error if the controller is not better than the random policy, or if a return is not finite.
func Normalised(adapted, random, oracle float64) (float64, error) {
	f := (adapted - random) / (oracle - random)
	if !(oracle > random) || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("protocol: normalise %v between random %v and oracle %v: expected finite returns with random below oracle",
			adapted, random, oracle)
	}
	return f, nil
}
