package simtest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/sim"
	"nacre/sim/scene"
	"nacre/sim/simtest"
)

func TestPointMass(t *testing.T) { simtest.Family(t, pointMass{}) }

// broken is the point mass with one thing wrong.
type broken struct {
	pointMass
	spec  func(*sim.Spec)
	tasks func(train, test []sim.Task) ([]sim.Task, []sim.Task)
	step  func(b *wrong, active []bool, act, obs []float64, out *sim.StepResult) error
	reset func(b *wrong, i int, obs []float64)
}

func (f broken) Spec() sim.Spec {
	s := f.pointMass.Spec()
	if f.spec != nil {
		f.spec(&s)
	}
	return s
}

func (f broken) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	train, test, err = f.pointMass.Tasks(seed, nTrain, nTest)
	if err == nil && f.tasks != nil {
		train, test = f.tasks(train, test)
	}
	return train, test, err
}

func (f broken) NewBatch(n int) (sim.Batch, error) {
	b, err := f.pointMass.NewBatch(n)
	return &wrong{masses: b.(*masses), family: f, steps: make([]int, n)}, err
}

type wrong struct {
	*masses
	family broken
	steps  []int
	kept   []float64
}

func (b *wrong) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	b.steps[i] = 0
	err := b.masses.Reset(i, task, r, obs)
	if err == nil && b.family.reset != nil {
		b.family.reset(b, i, obs)
	}
	return err
}

func (b *wrong) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	if b.family.step != nil {
		return b.family.step(b, active, act, obs, out)
	}
	return b.masses.Step(active, act, obs, out)
}

// after does something to every step that is made.
func after(do func(b *wrong, i int, obs []float64, out *sim.StepResult)) broken {
	return broken{step: func(b *wrong, active []bool, act, obs []float64, out *sim.StepResult) error {
		err := b.masses.Step(active, act, obs, out)
		if err != nil {
			return err
		}
		for i, on := range active {
			if on {
				b.steps[i]++
				do(b, i, obs, out)
			}
		}
		return nil
	}}
}

// before does something to the actions of every step that is made.
func before(do func(act []float64) error) broken {
	return broken{step: func(b *wrong, active []bool, act, obs []float64, out *sim.StepResult) error {
		if err := do(act); err != nil {
			return err
		}
		return b.masses.Step(active, act, obs, out)
	}}
}

// total is shared by environments of a family that is wrong.
var total int

// Each contract broken alone is found, by name.
func TestBrokenFamiliesAreFound(t *testing.T) {
	for want, f := range map[string]sim.Family{
		"spec: the name \"Point Mass\"": broken{spec: func(s *sim.Spec) {
			s.Name = "Point Mass"
		}},
		"spec: the Source is empty":                                 broken{spec: func(s *sim.Spec) { s.Source = "" }},
		"tasks: train task 0 has 1 parameters; expected TaskDim, 2": broken{spec: func(s *sim.Spec) { s.TaskDim = 2 }},
		"ObsDim 0, ActDim 1":                                        broken{spec: func(s *sim.Spec) { s.ObsDim = 0 }},
		"tasks: the tasks of seed 1 are others": broken{tasks: func(train, test []sim.Task) ([]sim.Task, []sim.Task) {
			total++
			train[0].Params[0] += float64(total) / 100
			return train, test
		}},
		"tasks: test task 0 is train task 2": broken{tasks: func(train, test []sim.Task) ([]sim.Task, []sim.Task) {
			test[0].Params = train[min(2, len(train)-1)].Params
			return train, test
		}},
		"tasks: 3 train and 1 test tasks where 3 and 2": broken{tasks: func(train,
			test []sim.Task) ([]sim.Task, []sim.Task) {
			return train, test[:max(len(test)-1, 1)]
		}},
		"grid: a grid of 2 has the task [1.5]": gridded{},
		"shapes: the first observation of environment 0 has NaN": broken{reset: func(b *wrong, i int, obs []float64) {
			obs[1] = math.NaN()
		}},
		"shapes: a step wrote": after(func(b *wrong, i int, obs []float64,
			_ *sim.StepResult) {
			obs[0] = 0
		}),
		"shapes: Step changed the actions": before(func(act []float64) error {
			act[0] /= 2
			return nil
		}),
		"a step with an action too short: was made": unchecked(),
		"actions: an action of 1.5 leads": after(func(_ *wrong, i int, _ []float64, out *sim.StepResult) {
			total++
			out.Reward[i] = float64(total)
		}),
		"actions: an action of NaN": nameless(),
		"rollout: episode 0 is another": after(func(b *wrong, i int, _ []float64, out *sim.StepResult) {
			out.Reward[i] = float64(len(b.x))
		}),
		"horizon: three different episodes": after(func(b *wrong, i int, _ []float64, out *sim.StepResult) {
			out.Done[i] = b.steps[i] == 100
		}),
		"starts: the same task and stream": broken{reset: func(b *wrong, i int, obs []float64) {
			b.x[i] += float64(i) / 10
			obs[0] = b.x[i]
		}},
		"controller: the mean return":                      away{},
		"blind controller: the goal-blind controller does": peeking{},
		"allocations: a step of 3 environments": after(func(b *wrong, i int, obs []float64, _ *sim.StepResult) {
			b.kept = append([]float64(nil), obs...)
		}),
		"shapes: panic: runtime error": broken{reset: func(b *wrong, i int,
			obs []float64) {
			obs[7] = 0
		}},
		"state: environments have one state":     stuck{},
		"drawing: recording: point-mass: scene ": stuck{},
	} {
		err := simtest.Check(f)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, got %v", want, err)
		}
	}
}

// gridded has a grid outside its tasks.
type gridded struct{ pointMass }

func (gridded) Grid(n int) ([]sim.Task, error) {
	if n < 1 {
		return nil, errors.New("no tasks")
	}
	list := make([]sim.Task, n)
	for i := range list {
		list[i] = sim.Task{ID: i, Params: []float64{sim.Cell(i, n, 0, float64(n))}}
	}
	return list, nil
}

// away is a family whose controller flees the goal.
type away struct{ pointMass }

func (f away) Act(task sim.Task, obs, act []float64) {
	f.pointMass.Act(task, obs, act)
	act[0] = -act[0]
}

// peeking is a family whose goal-blind controller knows the goal after all.
type peeking struct{ pointMass }

func (f peeking) Blind() sim.Controller { return f.pointMass }

// stuck is a family whose states are always the same, and whose scene is empty.
type stuck struct{ pointMass }

func (f stuck) NewBatch(n int) (sim.Batch, error) {
	b, err := f.pointMass.NewBatch(n)
	return still{b.(*masses)}, err
}

type still struct{ *masses }

func (still) State(int) sim.State                      { return sim.State{QPos: []float64{0}} }
func (still) SetState(int, sim.State, []float64) error { return nil }
func (still) Scene(int) (*scene.Scene, error)          { return &scene.Scene{}, nil }
func (still) Poses(int, []scene.Pose) error            { return nil }

// unchecked makes rows of its own length of whatever it is given.
func unchecked() (f broken) {
	f.step = func(b *wrong, active []bool, act, obs []float64, out *sim.StepResult) error {
		act = append(act, 0, 0, 0)[:len(b.x)]
		return b.masses.Step(append(active, true)[:len(b.x)], act, append(obs, 0)[:2*len(b.x)], out)
	}
	return f
}

// nameless refuses actions that are not finite, and does not say whose they are.
func nameless() broken {
	return before(func(act []float64) error {
		for _, v := range act {
			if math.IsNaN(v) {
				return errors.New("NaN")
			}
		}
		return nil
	})
}

// absent is a family that this machine cannot run.
type absent struct{ pointMass }

func (absent) Available() error { return fmt.Errorf("masses are %w", sim.ErrUnavailable) }

func (absent) NewBatch(int) (sim.Batch, error) { panic("an absent family was run") }

func TestAbsentFamilyIsNotStepped(t *testing.T) {
	if err := simtest.Check(absent{}); !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), "masses") {
		t.Errorf("got %v", err)
	}
	simtest.Family(t, absent{})
}
