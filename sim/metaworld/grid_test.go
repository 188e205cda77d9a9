package metaworld

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/sim"
)

// Goals of push lie in a box of 0.2 by 0.1 m: eight cells are squares of 5 cm.
func TestGridOfPush(t *testing.T) {
	tasks, err := familyCalled(t, "ml1/push").Grid(8)
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		want := []float64{0, 0.65, 0.02, []float64{-0.075, -0.025, 0.025, 0.075}[i%4], []float64{0.825, 0.875}[i/4],
			0.015}
		for j, v := range task.Params {
			if math.Abs(v-want[j]) > 1e-12 {
				t.Errorf("task %d: %v, expected %v", i, task.Params, want)
				break
			}
		}
		if task.ID != i {
			t.Errorf("task %d has ID %d", i, task.ID)
		}
	}
	if _, err := familyCalled(t, "ml1/push").Grid(0); err == nil || !strings.Contains(err.Error(), "0 tasks") {
		t.Errorf("a grid of nothing: %v", err)
	}
}

// Every family spreads eight different tasks inside the box of its vectors.
func TestGridOfEveryFamily(t *testing.T) {
	var near []string
	for _, w := range rows() {
		var g sim.Gridder = &family{row: w, version: v1, horizon: 200}
		tasks, err := g.Grid(8)
		if err != nil || len(tasks) != 8 {
			t.Fatalf("%s: %d tasks, %v", w.name, len(tasks), err)
		}
		seen := map[key]bool{}
		tooNear := false
		for _, task := range tasks {
			v := task.Params
			seen[keyOf(v)] = true
			for j := range v {
				if v[j] < w.low[j] || v[j] > w.high[j] {
					t.Errorf("%s: %v is outside %v to %v", w.name, v, w.low, w.high)
				}
			}
			if w.apart > 0 && w.from == nil {
				tooNear = tooNear || math.Hypot(v[0]-v[3], v[1]-v[4]) < w.apart
			}
		}
		if len(seen) != 8 {
			t.Errorf("%s: %d different tasks of 8", w.name, len(seen))
		}
		if tooNear {
			near = append(near, w.name)
		}
	}
	if !slices.Equal(near, []string{"box-close", "coffee-push", "coffee-pull", "disassemble"}) {
		t.Errorf("families whose grid of 8 has a goal nearer to the object than draws allow: %v", near)
	}
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		n       int
		lengths []float64
		want    []int
	}{
		{8, []float64{0.2, 0.1}, []int{4, 2}}, {9, []float64{1, 1}, []int{3, 3}}, {7, []float64{0.1, 0.2}, []int{1, 7}},
		{8, []float64{1, 1, 1}, []int{2, 2, 2}}, {12, []float64{0.2, 0.1, 0.3}, []int{2, 1, 6}},
		{5, []float64{3}, []int{5}},
	} {
		if got := divide(c.n, c.lengths); !slices.Equal(got, c.want) {
			t.Errorf("%d cells of %v: %v, expected %v", c.n, c.lengths, got, c.want)
		}
	}
}
