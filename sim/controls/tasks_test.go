package controls

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
)

func TestAntDirections(t *testing.T) {
	train, test, err := antDir(true).Tasks(5, 0, 0)
	if err != nil || len(train) != 2 || len(test) != 2 {
		t.Fatal(train, test, err)
	}
	for i, want := range []float64{0, math.Pi} {
		if train[i].Params[0] != want || test[i].Params[0] != want || train[i].ID != i {
			t.Errorf("task %d: train %+v, test %+v", i, train[i], test[i])
		}
	}
}

// Published sizes, a seed's tasks, and that more tasks begin with the fewer.
func TestDrawnTasks(t *testing.T) {
	for _, c := range []struct {
		family      *control
		train, test int
	}{{antGoal(true), 150, 30}, {humanoidDir(true), 100, 30}, {walkerRandParams(), 40, 10}} {
		train, test, err := c.family.Tasks(1, 0, 0)
		if err != nil || len(train) != c.train || len(test) != c.test {
			t.Fatalf("%s: %d train, %d test tasks, error %v", c.family.name, len(train), len(test), err)
		}
		for i, task := range append(slices.Clone(train), test...) {
			if task.ID != i || len(task.Params) != c.family.params {
				t.Errorf("%s: task %d is %+v", c.family.name, i, task)
			}
		}
		few, fewTest, err := c.family.Tasks(1, 3, 2)
		if err != nil || len(few) != 3 || len(fewTest) != 2 {
			t.Fatalf("%s: %d train, %d test tasks, error %v", c.family.name, len(few), len(fewTest), err)
		}
		if !slices.Equal(few[2].Params, train[2].Params) || !slices.Equal(fewTest[1].Params, test[1].Params) {
			t.Errorf("%s: the number of tasks changed their parameters", c.family.name)
		}
		other, _, err := c.family.Tasks(2, 1, 1)
		if err != nil || slices.Equal(other[0].Params, train[0].Params) ||
			slices.Equal(test[0].Params, train[0].Params) {
			t.Errorf("%s: another seed or list has the same first task, error %v", c.family.name, err)
		}
		if _, _, err := c.family.Tasks(1, -4, 2); err == nil || !strings.Contains(err.Error(), "-4 train") {
			t.Errorf("%s: -4 train tasks: %v", c.family.name, err)
		}
	}
}

// uniform checks that values are uniform on [low, high] by Kolmogorov's distance, below 1.63/√n with 99 %.
func uniform(t *testing.T, what string, values []float64, low, high float64) {
	t.Helper()
	slices.Sort(values)
	n := float64(len(values))
	distance := 0.0
	for i, v := range values {
		u := (v - low) / (high - low)
		distance = max(distance, math.Abs(u-float64(i)/n), math.Abs(u-float64(i+1)/n))
	}
	if distance > 1.63/math.Sqrt(n) {
		t.Errorf("%s is not uniform on [%v, %v]: distance %v of %v values, %v to %v", what, low, high, distance, n,
			values[0], values[len(values)-1])
	}
}

// Goals are uniform in the disc of radius 3, directions on the circle, and the walker's multipliers have exponents
// uniform on [-3, 3] to their bases.
func TestDistributionOfTasks(t *testing.T) {
	var squares, angles, directions, damping, others []float64
	goals, _, err := antGoal(true).Tasks(4, 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goals {
		x, y := g.Params[0], g.Params[1]
		squares, angles = append(squares, x*x+y*y), append(angles, math.Atan2(y, x))
	}
	humanoid, _, err := humanoidDir(true).Tasks(4, 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range humanoid {
		directions = append(directions, d.Params[0])
	}
	walkers, _, err := walkerRandParams().Tasks(4, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range walkers {
		for j, m := range w.Params {
			if j >= 32 && j < 41 {
				damping = append(damping, math.Log(m)/math.Log(1.3))
			} else {
				others = append(others, math.Log(m)/math.Log(1.5))
			}
		}
	}
	uniform(t, "squared goal distance", squares, 0, 9)
	uniform(t, "goal angle", angles, -math.Pi, math.Pi)
	uniform(t, "direction", directions, 0, 2*math.Pi)
	uniform(t, "exponent of damping", damping, -3, 3)
	uniform(t, "exponent of the other multipliers", others, -3, 3)
}

// A walker's task is what the model multiplies, in the order mass, inertia, damping, friction.
func TestWalkerParameters(t *testing.T) {
	needMuJoCo(t)
	b, err := walkerRandParams().newBatch(2)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	nominal := b.model.Parameters(walkerFields...)
	if len(nominal) != 65 {
		t.Fatalf("%d parameters", len(nominal))
	}
	// Masses of the published model in kg; damping and friction as in its file.
	for j, want := range map[int]float64{
		0: 0, 1: 3.665, 2: 4.058, 3: 2.781, 4: 3.167, 5: 4.058, 7: 3.167, 32: 0, 34: 0, 35: 0.1, 40: 0.1,
		41: 0.7, 42: 0.1, 44: 0.9, 62: 1.9, 64: 0.1,
	} {
		if math.Abs(nominal[j]-want) > 5e-4 {
			t.Errorf("parameter %d is %v, expected %v", j, nominal[j], want)
		}
	}
	tasks, _, err := b.control.Tasks(8, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		if err := b.Reset(i, task, rng.New(1), make([]float64, 17)); err != nil {
			t.Fatal(err)
		}
	}
	for i, task := range tasks {
		for j, got := range b.chunk.Parameters(i) {
			if got != nominal[j]*task.Params[j] {
				t.Errorf("environment %d, parameter %d: %v, expected %v·%v", i, j, got, nominal[j], task.Params[j])
			}
		}
	}
	tasks[0].Params[64] = -1
	if err := b.Reset(0, tasks[0], rng.New(1), make([]float64, 17)); err == nil ||
		!strings.Contains(err.Error(), "-1 at index 64") {
		t.Errorf("a negative multiplier: %v", err)
	}
}
