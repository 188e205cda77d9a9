package simtest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"nacre/internal/rng"
	"nacre/sim"
)

// shapes checks which numbers a reset and a step write, and that wrong sizes are errors.
func shapes(s *suite) error {
	var errs []error
	for i := range envs {
		obs := slices.Repeat([]float64{math.NaN()}, s.spec.ObsDim)
		if err := s.batch.Reset(i, s.train[0], rng.New(uint64(i), rng.Reset), obs[:len(obs):len(obs)]); err != nil {
			return err
		}
		errs = append(errs, finite(fmt.Sprintf("the first observation of environment %d", i), obs))
	}
	if s.spec.TaskDim > 0 {
		short := sim.Task{Params: s.train[0].Params[1:]}
		if err := s.batch.Reset(1, short, rng.New(1, rng.Reset), s.row(1)); err == nil {
			errs = append(errs, fmt.Errorf("a reset to a task of %d parameters; expected an error, TaskDim is %d",
				len(short.Params), s.spec.TaskDim))
		}
	}
	errs = append(errs, s.inactive())
	for what, call := range map[string]func() error{
		"a flag too few": func() error { return s.batch.Step(all[1:], s.draw(envs, 0), s.obs, &s.out) },
		"an action too short": func() error {
			return s.batch.Step(all, s.draw(envs, 0)[1:], s.obs, &s.out)
		},
		"an action too long": func() error {
			return s.batch.Step(all, append(s.draw(envs, 0), 0), s.obs, &s.out)
		},
		"an observation too short": func() error {
			return s.batch.Step(all, s.draw(envs, 0), s.obs[1:], &s.out)
		},
	} {
		if err := s.alike(); err != nil {
			return err
		}
		if err := s.run(func(*suite) error { return refused(call()) }); err != nil {
			errs = append(errs, fmt.Errorf("a step with %s: %w", what, err))
		}
	}
	return errors.Join(errs...)
}

// untouched is a number that no environment writes by chance.
const untouched = -7.25e77

// inactive checks that a step writes the rows of active environments, and no others.
func (s *suite) inactive() error {
	if err := s.alike(); err != nil {
		return err
	}
	obs, out := s.obs, s.out
	for j := range obs {
		obs[j] = untouched
	}
	for i := range envs {
		out.Reward[i], out.ContextReward[i], out.Done[i], out.Success[i] = untouched, untouched, true, true
	}
	act := s.draw(envs, 0)
	before := slices.Clone(act)
	active := []bool{false, true, false}
	if err := s.batch.Step(active, act, obs, &out); err != nil {
		return err
	}
	if !slices.Equal(act, before) {
		return errors.New("Step changed the actions it was given")
	}
	for i, on := range active {
		kept := out.Reward[i] == untouched && out.ContextReward[i] == untouched && out.Done[i] && out.Success[i]
		for j, v := range s.row(i) {
			if written := v != untouched; written != on {
				return fmt.Errorf("a step wrote %v at index %d of the observation of environment %d, whose flag is "+
					"%v; expected it to write all of those and none of the others", v, j, i, on)
			}
		}
		if on && (out.Reward[i] == untouched || out.ContextReward[i] == untouched) || !on && !kept {
			return fmt.Errorf("a step left environment %d, whose flag is %v, with reward %v and context reward %v; "+
				"expected it to write those of active ones alone", i, on, out.Reward[i], out.ContextReward[i])
		}
	}
	return errors.Join(finite("an observation", s.row(1)),
		finite("a reward", []float64{out.Reward[1], out.ContextReward[1]}))
}

// refused turns an error into nil and nil into an error.
func refused(err error) error {
	if err == nil {
		return errors.New("was made; expected an error")
	}
	return nil
}

// actions checks what is done with numbers outside [-1,1]: clipped, or refused by name. Of discrete actions, all that
// do not choose must be refused.
func actions(s *suite) error {
	var errs []error
	wrong := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	if s.spec.Discrete() {
		wrong = append(wrong, 0.5, 1.5, -1)
	}
	for _, beyond := range []float64{1.5, -40} {
		if s.spec.Discrete() {
			break
		}
		if err := s.alike(); err != nil {
			return err
		}
		act := s.same(0)
		for i, v := range []float64{math.Copysign(1, beyond), beyond} {
			act[(i+1)*s.spec.ActDim-1] = v
		}
		if err := s.step(act); err != nil {
			return err
		}
		if !slices.Equal(s.row(0), s.row(1)) || s.out.Reward[0] != s.out.Reward[1] {
			errs = append(errs, fmt.Errorf("an action of %v leads elsewhere than one of %v; expected it to be "+
				"clipped to [-1,1]", beyond, math.Copysign(1, beyond)))
		}
	}
	for _, bad := range wrong {
		if err := s.alike(); err != nil {
			return err
		}
		act := s.same(0)
		act[2*s.spec.ActDim-1] = bad
		var at *sim.Error
		if err := s.step(act); !errors.As(err, &at) || at.Env != 1 || at.Family != s.spec.Name {
			errs = append(errs, fmt.Errorf("an action of %v in environment 1: %v; expected a *sim.Error that names it",
				bad, err))
		}
		if err := s.alike(); err != nil {
			return fmt.Errorf("a reset after an action of %v: %w", bad, err)
		}
	}
	return errors.Join(errs...)
}

// horizon checks that reaching it is not an end of the task: a batch is stepped on to where no horizon ends it.
func horizon(s *suite) error {
	if err := s.reset([envs]sim.Task{s.train[0], s.test[0], s.train[0]}, [envs]uint64{1, 2, 3}); err != nil {
		return err
	}
	active, ended := slices.Clone(all), [envs]int{}
	for t := range s.spec.Horizon + 2 {
		if err := s.batch.Step(active, s.draw(envs, t), s.obs, &s.out); err != nil {
			return fmt.Errorf("step %d of random actions: %w", t, err)
		}
		for i, on := range active {
			if on && s.out.Done[i] {
				ended[i] = t + 1
			}
			active[i] = on && !s.out.Done[i] && !s.out.Truncated[i]
		}
		if err := errors.Join(finite("an observation", s.obs), finite("a reward", s.out.Reward),
			finite("a context reward", s.out.ContextReward)); err != nil {
			return fmt.Errorf("step %d of random actions: %w", t, err)
		}
	}
	if h := s.spec.Horizon; ended == [envs]int{h, h, h} {
		return fmt.Errorf("three different episodes are Done at step %d, the horizon; expected Done for terminals "+
			"alone", h)
	}
	return nil
}

// starts checks that an episode's start depends only on its task and stream, and that a Starter keeps its promises.
func starts(s *suite) error {
	first, other, err := s.firsts(s.family)
	if err != nil {
		return err
	}
	v, ok := s.family.(sim.Starter)
	if !ok {
		return nil
	}
	if !slices.Equal(first, other) {
		return errors.New("starts of one task differ though the family is a Starter; expected them to differ after " +
			"VaryStart alone")
	}
	varied := v.VaryStart()
	want := s.spec
	want.Name, want.Source = varied.Spec().Name, varied.Spec().Source
	if !reflect.DeepEqual(varied.Spec(), want) || want.Name == s.spec.Name {
		return fmt.Errorf("VaryStart has the spec %+v; expected that of the family, %+v, with another name",
			varied.Spec(), s.spec)
	}
	train, test, err := varied.Tasks(1, 0, 0)
	if err != nil || !equal(train, s.train) || !equal(test, s.test) {
		return fmt.Errorf("VaryStart has other tasks than the family: %v", err)
	}
	if first, other, err = s.firsts(varied); err == nil && slices.Equal(first, other) {
		err = errors.New("two streams give the same start after VaryStart")
	}
	return err
}

// firsts are the first observations of a task from two streams. It is an error if one stream gives two.
func (s *suite) firsts(f sim.Family) (first, other []float64, err error) {
	b, err := f.NewBatch(2)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var seen [3][]float64
	for k, at := range [3]struct {
		env  int
		seed uint64
	}{{0, 4}, {0, 5}, {1, 4}} {
		seen[k] = make([]float64, s.spec.ObsDim)
		if err := b.Reset(at.env, s.train[0], rng.New(at.seed, rng.Reset), seen[k]); err != nil {
			return nil, nil, err
		}
	}
	if !slices.Equal(seen[0], seen[2]) {
		return nil, nil, errors.New("the same task and stream start differently in another environment")
	}
	return seen[0], seen[1], nil
}

// allocations checks that a step makes none once every environment has been stepped.
func allocations(s *suite) error {
	if err := s.alike(); err != nil {
		return err
	}
	act := s.same(0)
	var err error
	n := testing.AllocsPerRun(5, func() {
		if err == nil {
			err = s.step(act)
		}
	})
	if err == nil && n > 0 {
		err = fmt.Errorf("a step of %d environments makes %v allocations; expected none", envs, n)
	}
	return err
}
