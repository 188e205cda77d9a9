package stats_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nacre/analysis/stats"
)

// P-values counted by hand, and with numpy over all signs.
func TestSignFlips(t *testing.T) {
	for _, c := range []struct {
		d        []float64
		p, least float64
	}{
		// only +++ and its mirror image
		{[]float64{1, 2, 3}, .25, .25},
		{[]float64{1, 2, -3}, 1, .25},                              // a mean of 0
		{[]float64{4, 3, -1}, .5, .25},                             // 6 and 8 of 8, 6, 2, 0
		{[]float64{.1, .2, .3, .4, .5}, .0625, .0625},              // five of one sign
		{[]float64{5, -1, 2, 2, 3, -2, 4, 1}, 28. / 256, 2. / 256}, // ties
		// the point robot: TCL-PEARL less PEARL on windows, latent
		{[]float64{-.49, -.17, -.86, -.96, -.12}, .0625, .0625},
		// push: windows less PEARL, plane
		{[]float64{.34, 1.01, .32, .51, .06, .13, .46, .10, .67, -.65}, 70. / 1024, 2. / 1024},
	} {
		got, err := stats.SignFlipTest(c.d)
		if err != nil || !got.Exact || got.Ways != 1<<len(c.d) {
			t.Errorf("%v: %+v, %v", c.d, got, err)
		}
		within(t, fmt.Sprint(c.d), got.P, c.p, 1e-12)
		within(t, fmt.Sprint("least of ", c.d), got.Least, c.least, 1e-15)
	}
	for want, d := range map[string][]float64{"of 1 pairs": {1}, "difference 1 is NaN": {1, math.NaN()},
		"of 0 pairs": nil} {
		if _, err := stats.SignFlipTest(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", d, err, want)
		}
	}
}

// Of many pairs signs are drawn; under normality the p-value is close to that of the paired t test
// (scipy.stats.ttest_1samp).
func TestSignFlipsOfMany(t *testing.T) {
	var d []float64
	for i := range 70 {
		d = append(d, math.Sin(float64(i))+.2)
	}
	got, err := stats.SignFlipTest(d)
	if err != nil || got.Exact || got.Ways != 100_001 {
		t.Fatalf("%+v, %v", got, err)
	}
	within(t, "p", got.P, .021304845435958276, .002)
}

// Cohen's d of a paired t test at .05 with a power of .8, as 400,000 draws of numpy's have it.
func TestDetectable(t *testing.T) {
	for n, d := range map[int]float64{5: 1.682, 10: .9962, 20: .6604, 34: .4949} {
		within(t, fmt.Sprintf("%d pairs", n), stats.Detectable(n, 1, .05, .8), d, 3e-3)
	}
	within(t, "in the unit of the deviation", stats.Detectable(10, 79.3, .05, .8), 79, .2)
	if v := stats.Detectable(1, 1, .05, .8); !math.IsNaN(v) {
		t.Errorf("one pair detects %v", v)
	}
}
