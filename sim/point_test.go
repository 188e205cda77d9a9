package sim

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
)

func mustLookup(t *testing.T, name string) Family {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func pointBatchOf(t *testing.T, name string, n int) Batch {
	t.Helper()
	b, err := mustLookup(t, name).NewBatch(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newResult(n int) *StepResult {
	return &StepResult{Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n),
		ContextReward: make([]float64, n)}
}

func TestPointStep(t *testing.T) {
	for _, c := range []struct {
		name        string
		goal, act   [2]float64
		steps       int
		pos         [2]float64
		reward, ctx float64
		success     bool
		description string
	}{
		{"point-goal-sparse", [2]float64{0.3, 0.4}, [2]float64{0, 0}, 1, [2]float64{0, 0}, -0.5, 0, false,
			"3-4-5 triangle"},
		{"point-goal-sparse", [2]float64{1, 0}, [2]float64{0.5, 0}, 2, [2]float64{0.1, 0}, -0.9, 0, false,
			"half speed"},
		{"point-goal-sparse", [2]float64{0.1, -0.1}, [2]float64{7, -3}, 1, [2]float64{0.1, -0.1}, 0, 1, true,
			"clipped to the box"},
		{"point-goal-sparse", [2]float64{1, 0}, [2]float64{1, 0}, 7, [2]float64{0.7, 0}, -0.3, 0, false,
			"outside the radius"},
		{"point-goal-sparse", [2]float64{1, 0}, [2]float64{1, 0}, 9, [2]float64{0.9, 0}, -0.1, 0.9, true,
			"inside the radius"},
	} {
		b := pointBatchOf(t, c.name, 2)
		obs, out := []float64{9, 9, 9, 9}, newResult(2)
		if err := b.Reset(1, Task{Params: c.goal[:]}, nil, obs[2:]); err != nil {
			t.Fatal(err)
		}
		if obs[2] != 0 || obs[3] != 0 {
			t.Errorf("%s: starts at %v", c.description, obs[2:])
		}
		for range c.steps {
			if err := b.Step([]bool{false, true}, []float64{math.NaN(), 1, c.act[0], c.act[1]}, obs, out); err != nil {
				t.Fatal(err)
			}
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-15*float64(10*c.steps) }
		if !near(obs[2], c.pos[0]) || !near(obs[3], c.pos[1]) || !near(out.Reward[1], c.reward) ||
			!near(out.ContextReward[1], c.ctx) || out.Success[1] != c.success || out.Done[1] {
			t.Errorf("%s: position %v, result %+v; expected %+v", c.description, obs[2:], out, c)
		}
		if obs[0] != 9 || out.Reward[0] != 0 {
			t.Errorf("%s: the inactive environment changed", c.description)
		}
	}
}

func TestPointTasks(t *testing.T) {
	for name, sizes := range map[string][2]int{"point-goal": {40, 10}, "point-goal-sparse": {80, 20}} {
		f := mustLookup(t, name)
		train, test, err := f.Tasks(7, 0, 0)
		if err != nil || len(train) != sizes[0] || len(test) != sizes[1] {
			t.Fatalf("%s: %d and %d tasks, %v", name, len(train), len(test), err)
		}
		again, _, _ := f.Tasks(7, 0, 0)
		other, _, _ := f.Tasks(8, 0, 0)
		if !slices.Equal(again[3].Params, train[3].Params) {
			t.Errorf("%s: the same seed gave other tasks", name)
		}
		if slices.Equal(other[3].Params, train[3].Params) && slices.Equal(other[4].Params, train[4].Params) {
			t.Errorf("%s: another seed gave the same tasks", name)
		}
		for i, task := range append(train, test...) {
			if task.ID != i {
				t.Errorf("%s: task %d has ID %d", name, i, task.ID)
			}
		}
		if _, _, err := f.Tasks(0, -3, 1); err == nil || !strings.Contains(err.Error(), "-3") {
			t.Errorf("%s: -3 tasks: %v", name, err)
		}
	}
}

func TestSparseGoalsAreEvenOnTheHalfCircle(t *testing.T) {
	train, test, _ := mustLookup(t, "point-goal-sparse").Tasks(3, 4, 1)
	var angles []float64
	for _, task := range append(train, test...) {
		if r := math.Hypot(task.Params[0], task.Params[1]); math.Abs(r-1) > 1e-15 {
			t.Errorf("goal at radius %v", r)
		}
		angles = append(angles, math.Atan2(task.Params[1], task.Params[0]))
	}
	slices.Sort(angles)
	for i, a := range angles {
		if math.Abs(a-float64(i)*math.Pi/4) > 1e-15 {
			t.Errorf("angle %d is %v, expected %v", i, a, float64(i)*math.Pi/4)
		}
	}
}

// The dense family starts anywhere in the square and shows the context the reward it trains on.
func TestDenseStart(t *testing.T) {
	b := pointBatchOf(t, "point-goal", 1)
	obs, out := make([]float64, 2), newResult(1)
	var mean, square float64
	for i := range 2000 {
		if err := b.Reset(0, Task{Params: []float64{0, 1}}, rng.New(1, uint64(i)), obs); err != nil {
			t.Fatal(err)
		}
		x, y := obs[0], obs[1]
		mean += (x + y) / 4000
		square += (x*x + y*y) / 4000
		if err := b.Step([]bool{true}, []float64{0.5, -1}, obs, out); err != nil {
			t.Fatal(err)
		}
		if want := -math.Hypot(x+0.05, y-0.1-1); math.Abs(out.Reward[0]-want) > 1e-15 ||
			out.ContextReward[0] != out.Reward[0] {
			t.Fatalf("from (%v, %v): rewards %v and %v, want %v", x, y, out.Reward[0], out.ContextReward[0], want)
		}
	}
	// U[-1,1] has mean 0 and mean square 1/3; the bounds are four standard errors of 4000 draws.
	if math.Abs(mean) > 4*math.Sqrt(1./3/4000) || math.Abs(square-1./3) > 4*math.Sqrt(4./45/4000) {
		t.Errorf("mean %v and mean square %v of the starts are not those of U[-1,1]", mean, square)
	}
}

// After k moves straight at a goal that lies (dx,dy) from the start the distance is
// |(dx,dy)|·max(0, 1 - 0.1k/max(|dx|,|dy|)).
func TestControllerReachesEveryGoal(t *testing.T) {
	for _, name := range []string{"point-goal", "point-goal-sparse"} {
		f := mustLookup(t, name)
		train, test, _ := f.Tasks(5, 0, 0)
		var eps []Episode
		for _, task := range append(train, test...) {
			eps = append(eps, Episode{Task: task})
		}
		p, err := NewPool(f, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		policy, err := GoalPolicy(f, eps)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Rollout(context.Background(), eps, policy, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range out {
			g := tr.Task.Params
			dx, dy := g[0]-float64(tr.Obs[0]), g[1]-float64(tr.Obs[1])
			want := 0.0
			for k := 1; k <= 20; k++ {
				want -= math.Hypot(dx, dy) * max(0, 1-0.1*float64(k)/max(math.Abs(dx), math.Abs(dy)))
			}
			if math.Abs(tr.Return-want) > 1e-5 || // observations are float32
				tr.Success != (name == "point-goal-sparse") {
				t.Errorf("%s: goal %v: return %v, success %v; closed form %v", name, g, tr.Return, tr.Success, want)
			}
			if d := math.Hypot(float64(tr.Obs[40])-g[0], float64(tr.Obs[41])-g[1]); d > 1e-6 {
				t.Errorf("%s: ends %v from the goal", name, d)
			}
		}
	}
}
