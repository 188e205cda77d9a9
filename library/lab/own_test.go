package lab

import (
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/rl/belief"
	"nacre/sim"
	"nacre/tcl"
)

// cosine compares the directions of the means, whose lengths are shifted by eps.
func cosine(eps float64) tcl.Similarity {
	return func(s *core.Stage, q, k belief.Posterior) (all, own *graph.Node) {
		unit := func(x *graph.Node) *graph.Node { return s.Div(x, s.Sqrt(s.Shift(s.SumCols(s.Square(x)), eps))) }
		a, b := unit(q.Mean), unit(k.Mean)
		return s.MatMul(a, b, false, true), s.SumCols(s.Mul(a, b))
	}
}

// A loss of one's own is trained with beside others, and its run is found again until the loss is another.
func TestLoss(t *testing.T) {
	t.Chdir(t.TempDir())
	runs, err := Compare("quick/point-goal", []string{"tcl-pearl", "cosine"}, nil, small, Iterations(1), Quiet(),
		Loss("cosine", cosine(1e-8)))
	if err != nil {
		t.Fatal(err)
	}
	if names, _ := runs.Metrics().Unique("algorithm"); strings.Join(names, " ") != "TCL-PEARL cosine" {
		t.Errorf("runs of %q", names)
	}
	loss, err := runs.Metrics().Numbers("tcl_similarity_own")
	if err == nil && loss[0] == loss[1] {
		t.Errorf("both losses have similarities of %v", loss)
	}
	var dirs []string
	for _, eps := range []float64{1e-8, 1e-8, 1e-2} {
		run, err := Train("quick/point-goal", small, Iterations(1), Quiet(), Loss("cosine", cosine(eps)))
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, run.Dir)
	}
	if dirs[0] != dirs[1] || dirs[1] == dirs[2] {
		t.Errorf("runs are in %q", dirs)
	}
	for _, name := range []string{"", "A loss", "x/y", "../x"} {
		if _, err := Train("quick/point-goal", Loss(name, nil)); err == nil ||
			!strings.Contains(err.Error(), "expected small letters") {
			t.Errorf("a loss called %q: %v", name, err)
		}
	}
	wrong := func(s *core.Stage, q, k belief.Posterior) (all, own *graph.Node) { return q.Mean, k.Mean }
	if _, err := Train("quick/point-goal", Loss("wrong", wrong)); err == nil ||
		!strings.Contains(err.Error(), "loss wrong") {
		t.Errorf("a similarity of other shapes: %v", err)
	}
}

// A reward of one's own makes a family of its own; another reward under the name is another run.
func TestReward(t *testing.T) {
	t.Chdir(t.TempDir())
	var dirs []string
	for _, scale := range []float64{1, 1, 2} {
		run, err := Train("quick/point-goal", small, Iterations(1), Quiet(), Reward("point-goal", "point-still",
			func(_ sim.Task, obs, _, next []float64) float64 {
				return -scale * math.Hypot(next[0]-obs[0], next[1]-obs[1])
			}))
		if err != nil {
			t.Fatal(err)
		}
		if run.Config().Family != "point-still" {
			t.Errorf("trained on %s", run.Config().Family)
		}
		dirs = append(dirs, run.Dir)
	}
	if dirs[0] != dirs[1] || dirs[1] == dirs[2] {
		t.Errorf("runs are in %q", dirs)
	}
	if _, err := Train("quick/point-goal", Reward("point-gaol", "x", nil)); err == nil ||
		!strings.Contains(err.Error(), `did you mean "point-goal"`) {
		t.Errorf("a base that is not there: %v", err)
	}
	if _, err := Train("quick/point-goal", small, Quiet(),
		Family(sim.WithReward(mustLookup(t, "point-goal"), "point-goal-sparse",
			func(sim.Task, []float64, []float64, []float64) float64 { return 0 }))); err == nil {
		t.Error("a family took the name of the program's own")
	}
}

func mustLookup(t *testing.T, name string) sim.Family {
	t.Helper()
	f, err := sim.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
