package verify_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/sim"
	_ "nacre/sim/families"
	"nacre/sim/mujoco"
	"nacre/sim/verify"
)

func open(t *testing.T) verify.References {
	t.Helper()
	refs, err := verify.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

func lookup(t *testing.T, name string) sim.Family {
	t.Helper()
	family, err := sim.Lookup(name)
	if errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return family
}

// Every family that Meta-World and PEARL define, with every reward, does what they do. Each reward is compared on two
// of the three tasks, so that all three are met; nacre verify envs compares all.
func TestFamiliesAreTheirReferences(t *testing.T) {
	refs := open(t)
	var names []string
	for _, s := range sim.Families() {
		names = append(names, s.Name)
	}
	names = refs.Of(names)
	if len(names) != 156 {
		t.Errorf("%d families and rewards have a reference; expected 6 controls, 50 families with 2 rewards and 50 "+
			"of 2020", len(names))
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "ml1-2020/") && i%25 != 0 || strings.HasPrefix(name, "ml1/") && i%5 != 0 {
				heavy.Skip(t, "a scene takes up to a second to compile, and there are a hundred")
			}
			t.Parallel()
			family := lookup(t, name)
			if strings.HasPrefix(name, "ml1/") && mujoco.Version() != verify.ReferenceVersion {
				t.Skip("another version of MuJoCo moves Meta-World otherwise")
			}
			var tasks []int
			if strings.HasSuffix(name, ":v2") {
				tasks = []int{0, 2}
			} else if strings.HasPrefix(name, "ml1/") {
				tasks = []int{0, 1}
			}
			r, err := refs.Check(family, false, tasks...)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Passed {
				t.Errorf("%+v", r)
			}
			if strings.HasPrefix(name, "ml1-2020/") && (r.Observation.Largest != 0 || r.Steps != 450 ||
				r.TaskVectors != 200) {
				t.Errorf("observations differ by %g in %d steps, %d task vectors compared; expected 0, 450 and 200",
					r.Observation.Largest, r.Steps, r.TaskVectors)
			}
			if tasks != nil && (r.Steps != 300 || r.Poses != 40 || r.TaskVectors != 500) {
				t.Errorf("%d steps, %d poses and %d task vectors compared; expected 300, 40 and 500", r.Steps, r.Poses,
					r.TaskVectors)
			}
		})
	}
}

// Put into the reference's states, families observe and pay what it does, and so they do one step later.
func TestForced(t *testing.T) {
	refs := open(t)
	for _, name := range []string{"ml1/push", "ml1/stick-push:v2", "ml1/box-close:v2", "ml1/dial-turn",
		"ml1/bin-picking:v2"} {
		family := lookup(t, name)
		r, err := refs.Check(family, true, 0)
		if err != nil {
			t.Fatal(err)
		}
		// In states 0, 1, 15, 30 … 150; the first one is not judged.
		if r.Mode != "forced" || r.Steps != 11 || !r.SameFormulas() ||
			(!r.Passed && mujoco.Version() == verify.ReferenceVersion) {
			t.Errorf("%+v", r)
		}
	}
}

// other is a family that is off by a little in one place.
type other struct {
	sim.Family
	spoil func(step int, obs []float64, out *sim.StepResult)
}

type otherBatch struct {
	sim.Batch
	other
	steps *int
}

func (o other) NewBatch(n int) (sim.Batch, error) {
	b, err := o.Family.NewBatch(n)
	return otherBatch{b, o, new(int)}, err
}

func (b otherBatch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	err := b.Batch.Step(active, act, obs, out)
	b.spoil(*b.steps, obs, out)
	*b.steps++
	return err
}

func (b otherBatch) State(i int) sim.State { return b.Batch.(sim.Stateful).State(i) }
func (b otherBatch) SetState(i int, s sim.State, obs []float64) error {
	return b.Batch.(sim.Stateful).SetState(i, s, obs)
}

func TestDifferencesAreSeen(t *testing.T) {
	refs := open(t)
	family := lookup(t, "cheetah-vel")
	if mujoco.Version() != verify.ReferenceVersion {
		t.Skip("the differences are smaller than what another version of MuJoCo is allowed")
	}
	for name, c := range map[string]struct {
		spoil func(step int, obs []float64, out *sim.StepResult)
		seen  func(r verify.Result) bool
	}{
		"nothing": {func(int, []float64, *sim.StepResult) {}, func(r verify.Result) bool { return r.Passed }},
		"observation": {func(t int, obs []float64, _ *sim.StepResult) {
			obs[20+7] += bump(t, 1e-8)
		}, func(r verify.Result) bool { return r.Observation.Step == 31 && r.Observation.Column == 7 }},
		"reward": {func(t int, _ []float64, out *sim.StepResult) {
			out.Reward[1] += bump(t, 1e-8)
		}, func(r verify.Result) bool { return r.RewardDiff.Step == 30 }},
		"done": {func(t int, _ []float64, out *sim.StepResult) {
			out.Done[1] = t == 30
		}, func(r verify.Result) bool { return r.Flags == 1 }},
	} {
		r, err := refs.Check(other{family, c.spoil}, false)
		if err != nil {
			t.Fatal(err)
		}
		if !c.seen(r) || (r.Passed && name != "nothing") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func bump(step int, by float64) float64 {
	if step == 30 {
		return by
	}
	return 0
}

func TestBadReferences(t *testing.T) {
	if _, err := verify.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "ml1.py") {
		t.Errorf("an empty folder: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/cheetah-vel.npz", []byte("no zip"), 0o644); err != nil {
		t.Fatal(err)
	}
	refs, err := verify.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := refs.Load("cheetah-vel"); err == nil || !strings.Contains(err.Error(), "cheetah-vel") {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := refs.Load("ant-dir"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}
