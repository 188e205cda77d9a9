// Package stats computes the statistics of reports: intervals over seeds and tasks, exact permutation tests, and
// aggregates of methods over many families with stratified bootstrap intervals. It also compares methods in pairs over
// environments, and counts ranks and wins with their ties.
//
// The comment of every function says what it does with ties and with too little data. No function drops a value
// silently.
//
//	returns := []float64{212, 240, 225}              // one adapted return per seed
//	ci, err := stats.StudentT(returns, 0.95)         // stats.MeanInterval also takes a single value
//	p := stats.SignTest(35, 13)                      // wins and losses over environments, ties left out
//	ranks, err := stats.MeanRanks(table)             // one row per environment, one column per method
package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with the interval around it. If the width is unknown, as for a single value, Lo is -Inf and
// Hi is +Inf; both are null in JSON.
type Interval struct {
	Mean, Lo, Hi float64
	Level        float64 // nominal coverage, e.g. 0.95
	N            int     // number of independent values (seeds, tasks)
}

// String is "212 [180, 244]". If the interval is unknown, it is "212".
func (i Interval) String() string {
	if !i.Known() {
		return fmt.Sprintf("%.4g", i.Mean)
	}
	return fmt.Sprintf("%.4g [%.4g, %.4g]", i.Mean, i.Lo, i.Hi)
}

// Known reports whether the interval says anything about the spread.
func (i Interval) Known() bool { return !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0) }

type intervalJSON struct {
	Mean  float64  `json:"mean"`
	Lo    *float64 `json:"lo"`
	Hi    *float64 `json:"hi"`
	Level float64  `json:"level"`
	N     int      `json:"n"`
}

// MarshalJSON writes {"mean", "lo", "hi", "level", "n"}.
func (i Interval) MarshalJSON() ([]byte, error) {
	out := intervalJSON{Mean: i.Mean, Level: i.Level, N: i.N}
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
		return fmt.Errorf("stats: interval: %w", err)
	}
	*i = Interval{Mean: in.Mean, Lo: math.Inf(-1), Hi: math.Inf(1), Level: in.Level, N: in.N}
	if in.Lo != nil {
		i.Lo = *in.Lo
	}
	if in.Hi != nil {
		i.Hi = *in.Hi
	}
	return nil
}

// Mean is the arithmetic mean; NaN if there are no values. It is finite if all values are.
func Mean(x []float64) float64 {
	sum, n := 0.0, float64(len(x))
	for _, v := range x {
		sum += v
	}
	if !finite(sum) && largest(x) <= math.MaxFloat64 {
		sum = 0
		for _, v := range x {
			sum += v / n
		}
		return sum
	}
	return sum / n
}

// largest is the largest size of a value; NaN if a value is.
func largest(x []float64) (size float64) {
	for _, v := range x {
		size = max(size, math.Abs(v))
	}
	return size
}

// StdDev is the sample standard deviation (divisor n-1); NaN for fewer than two values.
func StdDev(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	mean, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	if size := largest(x); math.IsInf(sum, 0) && size <= math.MaxFloat64 { // the squares are too large
		small := make([]float64, len(x))
		for i, v := range x {
			small[i] = v / size
		}
		return size * StdDev(small)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// Median is the middle value. For an even number of values it is the mean of the two middle values; for no values it is
// NaN.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1] + (s[n/2]-s[n/2-1])/2
}

// GeometricMean is exp of the mean logarithm. Ratios must be positive and there must be at least one.
func GeometricMean(ratios []float64) (float64, error) {
	if len(ratios) == 0 {
		return 0, fmt.Errorf("stats: geometric mean of no ratios")
	}
	sum := 0.0
	for i, r := range ratios {
		if !(r > 0) {
			return 0, fmt.Errorf("stats: geometric mean: ratio %d is %g; expected a positive number", i, r)
		}
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios))), nil
}

// StudentT is the mean with Student's t interval mean ± t(n-1)·s/√n at the given level in (0,1). The values must be
// independent: one per seed, not one per episode. It needs at least two values.
func StudentT(x []float64, level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, err
	}
	if len(x) < 2 {
		return Interval{}, fmt.Errorf("stats: Student t interval of %d values; expected at least 2", len(x))
	}
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + level) / 2)
	mean, half := Mean(x), t*StdDev(x)/math.Sqrt(n)
	return Interval{Mean: mean, Lo: mean - half, Hi: mean + half, Level: level, N: len(x)}, nil
}

// MeanInterval is StudentT at 95 % for any number of values. For a single value the ends are infinite; for no values
// everything is NaN.
func MeanInterval(x []float64) Interval {
	if i, err := StudentT(x, 0.95); err == nil {
		return i
	}
	i := Interval{Mean: Mean(x), Lo: math.Inf(-1), Hi: math.Inf(1), Level: 0.95, N: len(x)}
	if len(x) == 0 {
		i.Lo, i.Hi = math.NaN(), math.NaN()
	}
	return i
}

func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("stats: level %g; expected a value in (0,1)", level)
	}
	return nil
}

func checkBootstrap(level float64, resamples int) error {
	if resamples < 1 {
		return fmt.Errorf("stats: bootstrap of %d resamples; expected at least 1", resamples)
	}
	return checkLevel(level)
}

// SignTest is the two-sided exact sign test. It is the probability of a split at least as uneven as this one if wins
// and losses are equally likely. Ties are left out. Without wins and losses it is 1.
func SignTest(wins, losses int) float64 {
	n := wins + losses
	tail := new(big.Int)
	for k := max(wins, losses); k <= n; k++ {
		tail.Add(tail, new(big.Int).Binomial(int64(n), int64(k)))
	}
	tail.Lsh(tail, 1)
	p, _ := new(big.Rat).SetFrac(tail, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return math.Min(p, 1)
}

// Paired counts where b is greater than, equal to and less than a, element by element. The lengths must agree.
func Paired(a, b []float64) (greater, equal, less int, err error) {
	if len(a) != len(b) {
		return 0, 0, 0, fmt.Errorf("stats: paired comparison of %d and %d values", len(a), len(b))
	}
	for i := range a {
		switch {
		case b[i] > a[i]:
			greater++
		case b[i] < a[i]:
			less++
		case b[i] == a[i]:
			equal++
		default:
			return 0, 0, 0, fmt.Errorf("stats: paired comparison: pair %d is (%g, %g)", i, a[i], b[i])
		}
	}
	return greater, equal, less, nil
}
