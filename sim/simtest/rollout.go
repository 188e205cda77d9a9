package simtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"nacre/sim"
)

// episodes are n short episodes of train and test tasks; no two start alike where starts are drawn.
func (s *suite) episodes(n int) []sim.Episode {
	list := make([]sim.Episode, n)
	for i := range list {
		list[i] = sim.Episode{Task: s.train[i%len(s.train)], Seed: uint64(i)}
		if i%2 == 1 {
			list[i].Task = s.test[i%len(s.test)]
		}
	}
	return list
}

// short is a number of steps that shows a difference and costs little.
func (s *suite) short() int { return min(s.spec.Horizon, 12) }

// rollouts checks that trajectories depend neither on the workers, nor on the environments of each, nor on what these
// did before.
func rollouts(s *suite) error {
	list := s.episodes(7)
	var first []sim.Trajectory
	for _, size := range []struct{ workers, envs int }{{1, 1}, {1, 5}, {3, 2}} {
		pool, err := sim.NewPool(s.family, size.workers, size.envs)
		if err != nil {
			return err
		}
		for again := range 2 {
			var out []sim.Trajectory
			if out, err = pool.Rollout(context.Background(), list, sim.RandomPolicy(s.family, list),
				s.short()); err != nil {
				break
			}
			if first == nil {
				first = out
			}
			for i := range out {
				if !reflect.DeepEqual(out[i], first[i]) {
					err = errors.Join(err, fmt.Errorf("episode %d is another with %d workers of %d environments, "+
						"rollout %d, than with one of one; expected the same bits",
						i, size.workers, size.envs, again+1))
				}
			}
		}
		if err = errors.Join(err, pool.Close()); err != nil {
			return err
		}
	}
	return nil
}

// controller checks that a Controller is worth its name: on tasks of both lists it earns more than random actions do.
func controller(s *suite) error {
	c, ok := s.family.(sim.Controller)
	if !ok {
		return nil
	}
	if err := s.alike(); err != nil {
		return err
	}
	act, again := make([]float64, s.spec.ActDim), make([]float64, s.spec.ActDim)
	obs := append([]float64(nil), s.row(0)...)
	c.Act(s.train[0], obs, act)
	c.Act(s.train[0], obs, again)
	if !reflect.DeepEqual(act, again) || !reflect.DeepEqual(obs, s.row(0)) {
		return fmt.Errorf("Act gives %v and, called again, %v; expected the same action, and the observation as it was",
			act, again)
	}
	pool, err := sim.NewPool(s.family, 1, 0)
	if err != nil {
		return err
	}
	defer pool.Close()
	n := 16
	if _, native := s.family.(sim.Native); native {
		n = 2 // whole episodes, and there are many such families
	}
	list := s.episodes(n)
	told, err := sim.GoalPolicy(s.family, list)
	if err != nil {
		return err
	}
	knowing, succeeded, err := mean(pool, list, told)
	if err != nil {
		return err
	}
	random, byChance, err := mean(pool, list, sim.RandomPolicy(s.family, list))
	if err == nil && knowing <= random && succeeded <= byChance { // some rewards grow with what leads nowhere
		err = fmt.Errorf("the mean return of the goal-knowing controller is %.4g and that of random actions %.4g, "+
			"successes %.4g and %.4g; expected it to be better",
			knowing, random, succeeded, byChance)
	}
	return err
}

// blind checks that the goal-blind controller is the goal-knowing controller, or does the same for every task.
func blind(s *suite) error {
	b, ok := s.family.(sim.Blinder)
	if !ok {
		return nil
	}
	c := b.Blind()
	if reflect.DeepEqual(c, sim.Controller(b)) {
		return nil
	}
	if err := s.alike(); err != nil {
		return err
	}
	first, other := make([]float64, s.spec.ActDim), make([]float64, s.spec.ActDim)
	for _, task := range s.test {
		c.Act(s.train[0], s.row(0), first)
		c.Act(task, s.row(0), other)
		if !reflect.DeepEqual(first, other) {
			return fmt.Errorf("the goal-blind controller does %v in one task and %v in another; expected the same",
				first, other)
		}
	}
	return nil
}

// mean is the mean return of a policy and the share of episodes in which it succeeded.
func mean(pool *sim.Pool, list []sim.Episode, p sim.Policy) (returned, succeeded float64, err error) {
	out, err := pool.Rollout(context.Background(), list, p, 0)
	for i := range out {
		returned += out[i].Return / float64(len(out))
		if out[i].Success {
			succeeded += 1 / float64(len(out))
		}
	}
	return returned, succeeded, err
}
