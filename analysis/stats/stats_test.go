package stats_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"nacre/analysis/stats"
)

func Example() {
	returns := []float64{212, 240, 225}
	ci, err := stats.StudentT(returns, 0.95)
	fmt.Println(ci, err)
	fmt.Printf("%.4f\n", stats.SignTest(35, 13))
	ranks, err := stats.MeanRanks([][]float64{{1, 2, 2}, {5, 4, 3}})
	fmt.Println(ranks, err)
	// Output:
	// 225.7 [190.9, 260.5] <nil>
	// 0.0021
	// [2 1.75 2.25] <nil>
}

func close(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// Expected figures of this file are SciPy's (stats.t.interval, binomtest, gmean) unless they are closed forms.
func TestStudentT(t *testing.T) {
	ci, err := stats.StudentT([]float64{212, 240, 225}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	close(t, "lo", ci.Lo, 190.85917819706788, 1e-12)
	close(t, "hi", ci.Hi, 260.47415513626544, 1e-12)
	ci, err = stats.StudentT([]float64{0.1, -3, 2.5, 7, 1e3, 4}, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	close(t, "lo", ci.Lo, -166.70774756089287, 1e-9)
	close(t, "hi", ci.Hi, 503.5744142275593, 1e-9)
	close(t, "mean", ci.Mean, 168.43333333333334, 1e-12)
	if ci.N != 6 || ci.Level != 0.9 {
		t.Errorf("N %d level %g, want 6 and 0.9", ci.N, ci.Level)
	}
}

func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		wins, losses int
		p            float64
	}{
		{35, 13, 0.0020881073339964478}, {30, 9, 0.0010650196345523}, {5, 5, 1}, {6, 5, 1},
		{10, 0, 2.0 / 1024}, {0, 3, 0.25}, {600, 500, 0.0028195449914364284}, {0, 0, 1},
	} {
		close(t, fmt.Sprintf("SignTest(%d, %d)", c.wins, c.losses), stats.SignTest(c.wins, c.losses), c.p, 1e-12)
	}
}

func TestLocation(t *testing.T) {
	x := []float64{0.1, -3, 2.5, 7, 1e3, 4}
	close(t, "median", stats.Median(x), 3.25, 1e-15)
	close(t, "median of three", stats.Median(x[:3]), 0.1, 1e-15)
	close(t, "standard deviation", stats.StdDev(x), 407.39698902503767, 1e-13)
	if x[0] != 0.1 || x[1] != -3 {
		t.Errorf("Median reordered its argument: %v", x)
	}
	g, err := stats.GeometricMean([]float64{2, 8, 0.25, 1e3})
	if err != nil {
		t.Fatal(err)
	}
	close(t, "geometric mean", g, 7.952707287670506, 1e-14)
	for what, v := range map[string]float64{"Mean": stats.Mean(nil), "Median": stats.Median(nil),
		"StdDev": stats.StdDev([]float64{1})} {
		if !math.IsNaN(v) {
			t.Errorf("%s of too little data = %g, want NaN", what, v)
		}
	}
}

func TestRanksAndWins(t *testing.T) {
	rows := [][]float64{{-3.88, -0.05, 0.01, -0.05}, {1, 1, 1, 1}, {4, 3, 2, 1}}
	ranks, err := stats.MeanRanks(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{(4 + 2.5 + 1) / 3, (2.5 + 2.5 + 2) / 3, (1 + 2.5 + 3) / 3, (2.5 + 2.5 + 4) / 3} {
		close(t, fmt.Sprintf("rank of column %d", i), ranks[i], want, 1e-15)
	}
	wins, err := stats.Wins(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := []stats.WinCount{{Outright: 1, Shared: 1}, {Shared: 1}, {Outright: 1, Shared: 1}, {Shared: 1}}
	if !reflect.DeepEqual(wins, want) {
		t.Errorf("wins %v, want %v", wins, want)
	}
	if s := wins[0].String() + "; " + (stats.WinCount{Outright: 7}).String(); s != "1 (+1 shared); 7" {
		t.Errorf("wins printed as %q", s)
	}
}

// Without spread between the tasks of a seed the two-level bootstrap is the ordinary one over seeds, whose
// resampling distribution over two seeds is known exactly: a, (a+b)/2, b with probabilities 1/4, 1/2, 1/4.
func TestBootstrapOverSeeds(t *testing.T) {
	values := [][]float64{{0, 0, 0}, {1}}
	for _, c := range []struct{ level, lo, hi float64 }{{0.95, 0, 1}, {0.4, 0.5, 0.5}} {
		ci, err := stats.Bootstrap(values, c.level, 4000, 1)
		if err != nil {
			t.Fatal(err)
		}
		if ci.Mean != 0.5 || ci.Lo != c.lo || ci.Hi != c.hi || ci.N != 2 {
			t.Errorf("level %g: %+v, want mean 0.5 in [%g, %g] of 2", c.level, ci, c.lo, c.hi)
		}
	}
}

// With one seed only the tasks vary: the mean of n draws from {0,1} is binomial, so the 95 % interval of 100
// tasks is 0.5 ± 0.1 to within one draw (exact binomial quantiles 40 and 60 of 100).
func TestBootstrapOverTasks(t *testing.T) {
	tasks := make([]float64, 100)
	for i := range tasks {
		tasks[i] = float64(i % 2)
	}
	ci, err := stats.Bootstrap([][]float64{tasks}, 0.95, 20000, 2)
	if err != nil {
		t.Fatal(err)
	}
	close(t, "mean", ci.Mean, 0.5, 0)
	close(t, "lo", ci.Lo, 0.40, 0.0101)
	close(t, "hi", ci.Hi, 0.60, 0.0101)
	again, _ := stats.Bootstrap([][]float64{tasks}, 0.95, 20000, 2)
	if again != ci {
		t.Errorf("equal arguments gave %v and %v", ci, again)
	}
	other, _ := stats.Bootstrap([][]float64{{0, 0.3, 1.7, 2.9}, {0.2, 5}}, 0.9, 500, 2)
	another, _ := stats.Bootstrap([][]float64{{0, 0.3, 1.7, 2.9}, {0.2, 5}}, 0.9, 500, 3)
	if other == another {
		t.Error("the seed has no effect")
	}
}

// Seeds count the same however many tasks they have.
func TestBootstrapMeanOfMeans(t *testing.T) {
	ci, err := stats.Bootstrap([][]float64{{1, 1, 1, 1}, {4}}, 0.9, 10, 0)
	if err != nil || ci.Mean != 2.5 {
		t.Errorf("mean %g (%v), want 2.5", ci.Mean, err)
	}
}

func TestErrors(t *testing.T) {
	ok := [][]float64{{1, 2}}
	check := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	_, err := stats.StudentT([]float64{1}, 0.95)
	check("t interval of one value", err)
	_, err = stats.StudentT([]float64{1, 2}, 1)
	check("level 1", err)
	_, err = stats.Bootstrap(nil, 0.95, 10, 0)
	check("no seeds", err)
	_, err = stats.Bootstrap([][]float64{{1}, {}}, 0.95, 10, 0)
	check("seed without tasks", err)
	_, err = stats.Bootstrap([][]float64{{math.NaN()}}, 0.95, 10, 0)
	check("NaN score", err)
	_, err = stats.Bootstrap(ok, 0.95, 0, 0)
	check("no resamples", err)
	_, err = stats.Bootstrap(ok, math.NaN(), 10, 0)
	check("level NaN", err)
	_, err = stats.GeometricMean([]float64{1, 0})
	check("ratio 0", err)
	_, err = stats.GeometricMean(nil)
	check("no ratios", err)
	_, err = stats.MeanRanks([][]float64{{1, 2}, {1}})
	check("ragged rows", err)
	_, err = stats.Wins([][]float64{{1, math.NaN()}})
	check("NaN cell", err)
	_, err = stats.Wins(nil)
	check("no rows", err)
	_, _, _, err = stats.Paired([]float64{1}, nil)
	check("unequal lengths", err)
	_, _, _, err = stats.Paired([]float64{1}, []float64{math.NaN()})
	check("NaN pair", err)
}
