package controls

import (
	"math"
	"testing"

	"nacre/sim"
)

func TestGridSpreadsEvenly(t *testing.T) {
	for _, c := range []struct {
		name string
		want [][]float64
	}{
		{"cheetah-vel", [][]float64{{0.375}, {1.125}, {1.875}, {2.625}}},
		{"humanoid-dir", [][]float64{{math.Pi / 4}, {3 * math.Pi / 4}, {5 * math.Pi / 4}, {7 * math.Pi / 4}}},
		{"ant-goal", [][]float64{{math.Sqrt2, math.Sqrt2}, {-math.Sqrt2, math.Sqrt2}, {-math.Sqrt2, -math.Sqrt2},
			{math.Sqrt2, -math.Sqrt2}}},
	} {
		var g sim.Gridder
		for _, f := range families() {
			if f.name == c.name {
				g = evenly(f).(sim.Gridder)
			}
		}
		tasks, err := g.Grid(4)
		if err != nil {
			t.Fatal(err)
		}
		for i, task := range tasks {
			for k, p := range task.Params {
				if math.Abs(p-c.want[i][k]) > 1e-12 {
					t.Errorf("%s: task %d is %v, want %v", c.name, i, task.Params, c.want[i])
				}
			}
		}
		if _, err := g.Grid(0); err == nil {
			t.Errorf("%s: a grid of 0 tasks was accepted", c.name)
		}
	}
}
