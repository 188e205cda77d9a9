package stats_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"nacre/analysis/stats"
	"nacre/internal/rng"
)

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tolerance)
	}
}

// Figures from the tables of Student's t: 2.776445 at 4 degrees of freedom, 12.706205 at 1.
func TestMeanInterval(t *testing.T) {
	i := stats.MeanInterval([]float64{1, 2, 3, 4, 5})
	within(t, "mean", i.Mean, 3, 0)
	within(t, "half width", i.Hi-i.Mean, 2.776445*math.Sqrt(2.5/5), 1e-6)
	within(t, "symmetry", i.Hi-i.Mean, i.Mean-i.Lo, 1e-12)
	within(t, "half width of two", stats.MeanInterval([]float64{0, 2}).Hi-1, 12.706205, 1e-5)
	if one := stats.MeanInterval([]float64{7}); one != (stats.Interval{Mean: 7, Lo: math.Inf(-1), Hi: math.Inf(1),
		Level: 0.95, N: 1}) {
		t.Errorf("one number: %v", one)
	}
	if none := stats.MeanInterval(nil); !math.IsNaN(none.Mean) || !math.IsNaN(none.Lo) {
		t.Errorf("of nothing: %v", none)
	}
}

// With one seed and tasks that return 0 or 1, the sum of a resample is binomial.
func TestCrossedOverTasks(t *testing.T) {
	const n, ones = 40, 12
	x := make([]float64, n)
	for i := range ones {
		x[i] = 1
	}
	i, err := stats.BootstrapCrossed([][]float64{x}, 0.95, 20_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := distuv.Binomial{N: n, P: float64(ones) / n}
	quantile := func(p float64) float64 {
		k := 0.0
		for b.CDF(k) < p {
			k++
		}
		return k / n
	}
	within(t, "mean", i.Mean, .3, 1e-12)
	within(t, "lo", i.Lo, quantile(.025), 1./n+1e-12)
	within(t, "hi", i.Hi, quantile(.975), 1./n+1e-12)
}

// For x = a_seed + b_task the two means are resampled independently: the variance of a resample's mean is
// var(a)/S + var(b)/T with the population variances, and the mean is nearly normal.
func TestCrossedOverSeedsAndTasks(t *testing.T) {
	const seeds, tasks = 30, 50
	r := rng.New(2, rng.Bootstrap)
	a, b := make([]float64, seeds), make([]float64, tasks)
	for s := range a {
		a[s] = 3 * r.NormFloat64()
	}
	for k := range b {
		b[k] = 4 * r.NormFloat64()
	}
	variance := func(x []float64) float64 {
		var sum, square float64
		for _, v := range x {
			sum, square = sum+v, square+v*v
		}
		n := float64(len(x))
		return square/n - sum/n*sum/n
	}
	x := make([][]float64, seeds)
	for s := range x {
		for k := range b {
			x[s] = append(x[s], a[s]+b[k])
		}
	}
	i, err := stats.BootstrapCrossed(x, 0.95, 20_000, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := 2 * 1.959964 * math.Sqrt(variance(a)/seeds+variance(b)/tasks)
	within(t, "width", i.Hi-i.Lo, want, .03*want)
	if i.N != seeds || i.Level != 0.95 {
		t.Errorf("over %d seeds at level %g", i.N, i.Level)
	}
	again, _ := stats.BootstrapCrossed(x, 0.95, 500, 3)
	if same, _ := stats.BootstrapCrossed(x, 0.95, 500, 3); same != again {
		t.Error("the same seed gives another interval")
	}
}

func TestCrossedBadInput(t *testing.T) {
	for want, f := range map[string]func() (stats.Interval, error){
		"nothing": func() (stats.Interval, error) { return stats.BootstrapCrossed(nil, 0.95, 100, 1) },
		"seed 1 has 1 task": func() (stats.Interval, error) {
			return stats.BootstrapCrossed([][]float64{{1, 2}, {1}}, 0.95, 100, 1)
		},
		"0 resamples": func() (stats.Interval, error) {
			return stats.BootstrapCrossed([][]float64{{1}}, 0.95, 0, 1)
		},
		"level 1": func() (stats.Interval, error) {
			return stats.BootstrapCrossed([][]float64{{1}}, 1, 100, 1)
		},
		"not a number": func() (stats.Interval, error) {
			return stats.BootstrapCrossed([][]float64{{math.NaN(), 1}}, 0.9, 100, 1)
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if one, err := stats.BootstrapCrossed([][]float64{{5}}, 0.95, 100, 1); err != nil || one.Mean != 5 || one.Known() {
		t.Errorf("one number: %v, %v", one, err)
	}
}
