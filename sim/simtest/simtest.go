// Package simtest is the conformance suite of task families. It tests whether a family keeps the contracts of package
// sim: the required contracts and those of the capabilities that the family has. It is a line in a family's tests,
//
//	func TestPointMass(t *testing.T) { simtest.Family(t, pointMass{}) }
//
// Where there is no test, as in a cell, it is
//
//	fmt.Println(simtest.Check(pointMass{}))
//
// The example of this package is a whole family that passes; begin your own family with it. The suite does not test
// whether a family is the one of a paper. Package sim/verify compares that, step by step.
package simtest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"nacre/internal/rng"
	"nacre/sim"
)

// A family has to pass checks, in this order. The first ones need nothing that a build may lack.
var checks = []struct {
	name  string
	steps bool // it steps environments
	run   func(*suite) error
}{
	{"spec", false, spec},
	{"tasks", false, tasks},
	{"grid", false, grid},
	{"shapes", true, shapes},
	{"actions", true, actions},
	{"rollout", true, rollouts},
	{"horizon", true, horizon},
	{"starts", true, starts},
	{"controller", true, controller},
	{"blind controller", true, blind},
	{"state", true, state},
	{"drawing", true, drawing},
	{"plain loop", true, plain},
	{"forced states", true, forced},
	{"allocations", true, allocations},
}

// Family checks a family with a subtest for every part of its contract. The family need not be registered. If this
// build or machine cannot run it, the subtests that step it are skipped with the reason.
func Family(t *testing.T, f sim.Family) {
	t.Helper()
	s, lacks, err := open(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	if lacks != nil {
		t.Log("not stepped: ", lacks)
	}
	for _, c := range checks {
		if c.steps && lacks != nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if err := s.run(c.run); err != nil {
				t.Error(err)
			}
		})
	}
}

// Check is Family without a testing.T. It returns an error that joins all broken parts of the contract, or nil. For a
// family that this build cannot run, the error wraps sim.ErrUnavailable.
func Check(f sim.Family) error {
	s, lacks, err := open(f)
	if err != nil {
		return err
	}
	errs := []error{lacks}
	for _, c := range checks {
		if c.steps && lacks != nil {
			continue
		}
		if err := s.run(c.run); err != nil {
			errs = append(errs, fmt.Errorf("simtest: %s: %s: %w", s.spec.Name, c.name, err))
		}
	}
	return errors.Join(append(errs, s.close())...)
}

// envs is how many environments the suite steps together.
const envs = 3

// suite is a family and what its checks share.
type suite struct {
	family sim.Family
	spec   sim.Spec
	train  []sim.Task
	test   []sim.Task
	batch  sim.Batch // batch of envs environments; nil if the family cannot be run
	obs    []float64 // what the last step or reset of batch wrote
	out    sim.StepResult
}

// open makes the suite; lacks says why the family cannot be run here.
func open(f sim.Family) (s *suite, lacks, err error) {
	s = &suite{family: f, spec: f.Spec()}
	if s.train, s.test, err = f.Tasks(1, 0, 0); err != nil {
		return nil, nil, fmt.Errorf("simtest: %s: its own numbers of tasks: %w", s.spec.Name, err)
	}
	if len(s.train) == 0 || len(s.test) == 0 {
		return nil, nil, fmt.Errorf("simtest: %s: %d train and %d test tasks; expected at least 1 of each", s.spec.Name,
			len(s.train), len(s.test))
	}
	if s.spec.ObsDim < 1 || s.spec.ActDim < 1 || s.spec.Horizon < 1 {
		return nil, nil, fmt.Errorf("simtest: %s: ObsDim %d, ActDim %d, Horizon %d; expected at least 1 of each",
			s.spec.Name, s.spec.ObsDim, s.spec.ActDim, s.spec.Horizon)
	}
	if c, ok := f.(sim.Checker); ok {
		if lacks := c.Available(); lacks != nil {
			if !errors.Is(lacks, sim.ErrUnavailable) {
				return nil, nil, fmt.Errorf("simtest: %s: Available says %w, which does not wrap sim.ErrUnavailable",
					s.spec.Name, lacks)
			}
			return s, lacks, nil
		}
	}
	if s.batch, err = f.NewBatch(envs); err != nil {
		return nil, nil, fmt.Errorf("simtest: %s: %w", s.spec.Name, err)
	}
	if n := s.batch.Len(); n != envs {
		return nil, nil, errors.Join(fmt.Errorf("simtest: %s: a batch of %d environments; expected %d", s.spec.Name, n,
			envs), s.batch.Close())
	}
	s.obs, s.out = make([]float64, envs*s.spec.ObsDim), result(envs)
	return s, nil, nil
}

// result has room for n environments.
func result(n int) sim.StepResult {
	return sim.StepResult{
		Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n), ContextReward: make([]float64, n),
		Truncated: make([]bool, n),
	}
}

func (s *suite) close() error {
	if s.batch == nil {
		return nil
	}
	return s.batch.Close()
}

// run is one check, whose panic is an error: a family that is wrong often goes beyond its slices.
func (s *suite) run(check func(*suite) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return check(s)
}

// all are the flags of a step of every environment.
var all = []bool{true, true, true}

// reset starts an episode in every environment of the batch: environment i has task tasks[i] and the stream of
// seeds[i].
func (s *suite) reset(tasks [envs]sim.Task, seeds [envs]uint64) error {
	for i := range envs {
		if err := s.batch.Reset(i, tasks[i], rng.New(seeds[i], rng.Reset), s.row(i)); err != nil {
			return err
		}
	}
	return nil
}

// alike starts the same episode in every environment.
func (s *suite) alike() error {
	return s.reset([envs]sim.Task{s.train[0], s.train[0], s.train[0]}, [envs]uint64{1, 1, 1})
}

// step steps every environment.
func (s *suite) step(act []float64) error { return s.batch.Step(all, act, s.obs, &s.out) }

// row is the observation of environment i.
func (s *suite) row(i int) []float64 { return s.obs[i*s.spec.ObsDim : (i+1)*s.spec.ObsDim] }

// draw returns random actions for n rows, addressed by step.
func (s *suite) draw(n, step int) []float64 {
	r := rng.New(1, rng.Action, uint64(step))
	act := make([]float64, n*s.spec.ActDim)
	for i := range n {
		s.spec.RandomAction(r, act[i*s.spec.ActDim:(i+1)*s.spec.ActDim])
	}
	return act
}

// same returns the actions of one row, repeated for every environment.
func (s *suite) same(step int) []float64 { return slices.Repeat(s.draw(1, step), envs) }

// finite names the first number that is none.
func finite(what string, v []float64) error {
	for j, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s has %v at index %d; expected finite numbers", what, x, j)
		}
	}
	return nil
}
