package sim_test

import (
	"math"
	"testing"

	"nacre/sim"
)

func TestPointGridCoversTheSquare(t *testing.T) {
	f, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := f.(sim.Gridder).Grid(8)
	if err != nil {
		t.Fatal(err)
	}
	// Eight goals are four columns by two rows, half a unit and one unit apart.
	for i, want := range [][2]float64{{-.75, -.5}, {-.25, -.5}, {.25, -.5}, {.75, -.5}, {-.75, .5}, {-.25, .5}, {.25, .5}, {.75, .5}} {
		if p := tasks[i].Params; p[0] != want[0] || p[1] != want[1] {
			t.Errorf("goal %d at %v, want %v", i, p, want)
		}
	}
	if _, err := f.(sim.Gridder).Grid(0); err == nil {
		t.Error("a grid of 0 tasks was accepted")
	}
}

func TestSparseGridLiesOnTheHalfCircle(t *testing.T) {
	f, err := sim.Lookup("point-goal-sparse")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := f.(sim.Gridder).Grid(4)
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		if a := math.Atan2(task.Params[1], task.Params[0]); math.Abs(a-math.Pi*(2*float64(i)+1)/8) > 1e-12 {
			t.Errorf("goal %d at angle %v", i, a)
		}
	}
}
