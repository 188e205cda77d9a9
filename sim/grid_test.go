package sim_test

import (
	"math"
	"testing"

	"nacre/sim"
)

func TestPointGridLiesOnTheHalfCircle(t *testing.T) {
	f, err := sim.Lookup("point-goal")
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
	if _, err := f.(sim.Gridder).Grid(0); err == nil {
		t.Error("a grid of 0 tasks was accepted")
	}
}
