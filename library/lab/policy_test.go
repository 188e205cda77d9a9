package lab

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/sim"
)

// What a policy does is what the agent does in the episode that the run records after adaptation.
func TestPolicyIsTheAgentsOfTheRollout(t *testing.T) {
	t.Chdir(t.TempDir())
	run, err := Train("quick/point-goal", small, Iterations(1), Latent(2), Quiet())
	if err != nil {
		t.Fatal(err)
	}
	policy, err := run.Policy(1)
	if err != nil {
		t.Fatal(err)
	}
	defer policy.Close()
	last := policy.adapted.Last
	if last.Len == 0 || policy.Spec.ObsDim != 2 {
		t.Fatalf("an episode of %d steps of %+v", last.Len, policy.Spec)
	}
	for step := range last.Len {
		act, err := policy.Act(float64(last.Obs[2*step]), float64(last.Obs[2*step+1]))
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range act {
			if want := float64(last.Act[2*step+j]); math.Abs(v-want) > 1e-5 {
				t.Fatalf("step %d: action %v, in the episode %v", step, act, last.Act[2*step:2*step+2])
			}
		}
	}
	f := policy.Map(Axis{Obs: 0, Lo: -1, Hi: 1, N: 3}, Axis{Obs: 1, Lo: -2, Hi: 2, N: 5})
	if f.Err() != nil || f.Len() != 15 {
		t.Fatal(f)
	}
	table := func(name string) []float64 {
		x, err := f.Numbers(name)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x, y, first, second := table("obs0"), table("obs1"), table("act0"), table("act1")
	for i := range x {
		act, err := policy.Act(x[i], y[i])
		if err != nil || act[0] != first[i] || act[1] != second[i] {
			t.Errorf("at (%v, %v): %v in the map, %v alone, %v", x[i], y[i], []float64{first[i], second[i]}, act, err)
		}
	}
	chart := run.PolicyMap(1, Axis{Obs: 0}, Axis{Obs: 1})
	if chart.Err() != nil || len(chart.Panels[0].Marks[0].X) != 21*21 {
		t.Fatalf("a map by itself: %v", chart)
	}
	if err := chart.Save(filepath.Join(t.TempDir(), "policy.pdf")); err != nil {
		t.Error(err)
	}
	if act, err := run.Act(0.3, 0.1); err != nil || len(act) != 2 {
		t.Errorf("the action of an agent that saw nothing: %v, %v", act, err)
	}
	one := Axis{Obs: 1}
	for want, call := range map[string]func() error{
		"test task 9 of point-goal; expected 0 to 3": func() error { _, err := run.Policy(9); return err },
		"those of point-goal have 2":                 func() error { _, err := policy.Act(1); return err },
		"number 1 of the observation is NaN":         func() error { _, err := policy.Act(1, math.NaN()); return err },
		"expected two":                               func() error { return policy.Map(Axis{}, Axis{}).Err() },
		"number 7 of the observation":                func() error { return policy.Map(Axis{}, Axis{Obs: 7}).Err() },
		"expected two finite numbers in order":       func() error { return policy.Map(Axis{Lo: 1}, one).Err() },
		"1 steps of an axis; expected 2 to 200":      func() error { return policy.Map(Axis{N: 1}, one).Err() },
		"a state of 3 numbers": func() error {
			return run.PolicyMap(0, Axis{}, one, 1, 2, 3).Err()
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; expected %q", err, want)
		}
	}
}

// The belief of what was seen is narrower than the prior; that of nothing is the prior.
func TestBelief(t *testing.T) {
	t.Chdir(t.TempDir())
	run, err := Train("quick/point-goal", small, Iterations(1), Latent(2), Quiet())
	if err != nil {
		t.Fatal(err)
	}
	family, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	context := Random(family, 1)
	seen, err := run.Belief(context)
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := run.Belief(context.Where(func(frame.Row) bool { return false }))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		if nothing.Mean[k] != 0 || nothing.Var[k] != 1 {
			t.Errorf("the belief of nothing is %v, %v", nothing.Mean, nothing.Var)
		}
		if !(seen.Var[k] < 1) {
			t.Errorf("the belief of an episode has variances %v", seen.Var)
		}
	}
	if _, err := run.Belief(context.Select("obs0", "reward")); err == nil ||
		!strings.Contains(err.Error(), "needs 2 columns obs, 2 columns act and reward") {
		t.Error(err)
	}
}
