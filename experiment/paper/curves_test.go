package paper_test

import (
	"math"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment/paper"
)

// The logs average to the cells of the paper's first table over its last 100,000 steps, which says that they are the
// runs behind it; MAML's cells are the one evaluation at 880,000 steps. Both hold to the rounding of log and table.
func TestCurvesAreThoseOfTheTables(t *testing.T) {
	count := map[string]int{}
	check := func(environment, method string, at, cell float64) {
		var values []float64
		for _, c := range paper.Curves(environment) {
			for i, x := range c.EnvSteps {
				if c.Method == method && x == at {
					values = append(values, c.Return[i]/1000)
				}
			}
		}
		if len(values) == 0 {
			return
		}
		count[method]++
		if got := stats.Mean(values); math.Abs(got-cell) > 0.016 {
			t.Errorf("%s on %s: %.3f, the table has %.2f", method, environment, got, cell)
		}
	}
	one, two := paper.Table1(), paper.Table2()
	for i, e := range one.Environments {
		check(e, "PEARL", 950_000, one.Rows[i][0])
		check(e, "TCL-PEARL", 950_000, one.Rows[i][1])
	}
	for i, e := range two.Environments {
		check(e, "MAML", 850_000, two.Rows[i][0])
	}
	if count["PEARL"] != 20 || count["TCL-PEARL"] != 20 || count["MAML"] != 25 {
		t.Errorf("environments found: %v, want 20 of PEARL and TCL-PEARL, 25 of MAML", count)
	}
	if c := paper.Curves("point-goal"); c != nil {
		t.Errorf("curves of an environment that is not there: %v", c)
	}
}
