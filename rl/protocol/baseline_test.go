package protocol

import (
	"reflect"
	"strings"
	"testing"

	"nacre/sim"
)

func pointPool(t *testing.T, workers int) (sim.Family, *sim.Pool) {
	t.Helper()
	f, err := sim.Lookup("point-goal-sparse")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := sim.NewPool(f, workers, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return f, pool
}

// From the origin to the goal (1, ½) in steps of at most 0.1 along each axis, straight: the distance shrinks by a
// tenth of √1.25 in each of 10 steps and then stays 0, so 20 steps return -√1.25·(0.9+0.8+…+0.1) = -4.5·√1.25.
func TestScriptedOnThePointRobot(t *testing.T) {
	f, pool := pointPool(t, 2)
	p := Protocol{Explore: 1, Scored: 1, Deterministic: true, Z: Mean, Repeats: 2}
	tasks := []sim.Task{{ID: 0, Params: []float64{1, .5}}, {ID: 1, Params: []float64{0, 0}}}
	r, err := Evaluate(t.Context(), pool, tasks, p, Scripted(f.(sim.Controller)), 1)
	if err != nil {
		t.Fatal(err)
	}
	for repeat := range 2 {
		for traj := range 2 {
			near(t, "return", r.Tasks[0].Return[repeat][traj], -5.031152949, 1e-8)
			near(t, "return at the goal", r.Tasks[1].Return[repeat][traj], 0, 0)
		}
	}
	near(t, "adapted", r.Summary.Adapted.Mean, -5.031152949/2, 1e-8)
}

func TestRandomIsWorseAndIndependentOfWorkers(t *testing.T) {
	f, one := pointPool(t, 1)
	_, two := pointPool(t, 2)
	_, tasks, err := f.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := Preset("oyster")
	p.Repeats = 3
	random, err := Evaluate(t.Context(), one, tasks, p, Random(f.Spec()), 1)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Evaluate(t.Context(), two, tasks, p, Random(f.Spec()), 1)
	if err != nil || !reflect.DeepEqual(random, same) {
		t.Errorf("two workers give another result, error %v", err)
	}
	oracle, err := Evaluate(t.Context(), two, tasks, p, Scripted(f.(sim.Controller)), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tasks {
		if random.AdaptedByTask()[i] >= oracle.AdaptedByTask()[i] {
			t.Errorf("task %v: random %v, oracle %v", tasks[i], random.AdaptedByTask()[i], oracle.AdaptedByTask()[i])
		}
	}
	// Trajectories and repeats draw other actions.
	first := random.Tasks[0].Return
	if first[0][0] == first[0][1] || first[0][0] == first[1][0] {
		t.Errorf("the same random trajectory twice: %v", first)
	}
	if random.Steps != len(tasks)*3*3*20 {
		t.Errorf("%d steps", random.Steps)
	}
}

func TestScriptedWithoutController(t *testing.T) {
	p, _ := Preset("oracle")
	_, err := Evaluate(t.Context(), &line{}, goals(0, 1), p, Scripted(nil), 1)
	if err == nil || !strings.Contains(err.Error(), "no goal-knowing controller") {
		t.Errorf("error %v", err)
	}
}
