package protocol

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"nacre/internal/rng"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tolerance)
	}
}

// Figures from the tables of Student's t: 2.776445 at 4 degrees of freedom, 12.706205 at 1.
func TestMeanInterval(t *testing.T) {
	i := MeanInterval([]float64{1, 2, 3, 4, 5})
	near(t, "mean", i.Mean, 3, 0)
	near(t, "half width", i.Hi-i.Mean, 2.776445*math.Sqrt(2.5/5), 1e-6)
	near(t, "symmetry", i.Hi-i.Mean, i.Mean-i.Lo, 1e-12)
	near(t, "half width of two", MeanInterval([]float64{0, 2}).Hi-1, 12.706205, 1e-5)
	if one := MeanInterval([]float64{7}); one != (Interval{Mean: 7, Lo: math.Inf(-1), Hi: math.Inf(1), N: 1}) {
		t.Errorf("one number: %v", one)
	}
}

func TestSharesStayBetweenZeroAndOne(t *testing.T) {
	if i := share([]float64{1, 1, 0, 1}); i.Lo < 0 || i.Hi != 1 || i.Mean != .75 {
		t.Errorf("%v", i)
	}
}

// With one seed and tasks that return 0 or 1, the sum of a resample is binomial.
func TestBootstrapOverTasks(t *testing.T) {
	const n, ones = 40, 12
	x := make([]float64, n)
	for i := range ones {
		x[i] = 1
	}
	i, err := Bootstrap([][]float64{x}, 20_000, rng.New(1, rng.Bootstrap))
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
	near(t, "mean", i.Mean, .3, 1e-12)
	near(t, "lo", i.Lo, quantile(.025), 1./n+1e-12)
	near(t, "hi", i.Hi, quantile(.975), 1./n+1e-12)
}

// For x = a_seed + b_task the two means are resampled independently: the variance of a resample's mean is
// var(a)/S + var(b)/T with the population variances, and the mean is nearly normal.
func TestBootstrapOverSeedsAndTasks(t *testing.T) {
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
	i, err := Bootstrap(x, 20_000, r)
	if err != nil {
		t.Fatal(err)
	}
	want := 2 * 1.959964 * math.Sqrt(variance(a)/seeds+variance(b)/tasks)
	near(t, "width", i.Hi-i.Lo, want, .03*want)
	if i.N != seeds*tasks {
		t.Errorf("over %d numbers", i.N)
	}
	again, _ := Bootstrap(x, 500, rng.New(3))
	if same, _ := Bootstrap(x, 500, rng.New(3)); same != again {
		t.Error("the same stream gives another interval")
	}
}

func TestBootstrapBadInput(t *testing.T) {
	r := rng.New(1)
	for want, f := range map[string]func() (Interval, error){
		"nothing":           func() (Interval, error) { return Bootstrap(nil, 100, r) },
		"seed 1 has 1 task": func() (Interval, error) { return Bootstrap([][]float64{{1, 2}, {1}}, 100, r) },
		"99 bootstrap":      func() (Interval, error) { return Bootstrap([][]float64{{1}}, 99, r) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if one, err := Bootstrap([][]float64{{5}}, 100, r); err != nil || one.Mean != 5 || !math.IsInf(one.Hi, 1) {
		t.Errorf("one number: %v, %v", one, err)
	}
}

func TestPercentile(t *testing.T) {
	x := []float64{10, 20, 40}
	for p, want := range map[float64]float64{0: 10, .25: 15, .5: 20, .75: 30, 1: 40} {
		near(t, "percentile", percentile(x, p), want, 0)
	}
}

func TestNormalised(t *testing.T) {
	f, err := Normalised(-6, -10, -5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "share", f, .8, 1e-15)
	for _, x := range [][3]float64{{1, 2, 2}, {1, 3, 2}, {math.NaN(), 0, 1}, {0, math.Inf(-1), 1}, {0, 0, math.NaN()}} {
		if f, err := Normalised(x[0], x[1], x[2]); err == nil {
			t.Errorf("%v: %v", x, f)
		}
	}
}
