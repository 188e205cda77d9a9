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
			if out, err = pool.Rollout(context.Background(), list, sim.UniformPolicy(list, s.spec.ActDim), s.short()); err != nil {
				break
			}
			if first == nil {
				first = out
			}
			for i := range out {
				if !reflect.DeepEqual(out[i], first[i]) {
					err = errors.Join(err, fmt.Errorf("episode %d is another with %d workers of %d environments, rollout %d, than with one of one; expected the same bits",
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
		return fmt.Errorf("Act gives %v and, called again, %v; expected the same action, and the observation as it was", act, again)
	}
	pool, err := sim.NewPool(s.family, 1, 0)
	if err != nil {
		return err
	}
	defer pool.Close()
	list := s.episodes(16)
	told, err := sim.GoalPolicy(s.family, list)
	if err != nil {
		return err
	}
	knowing, err := mean(pool, list, told)
	if err != nil {
		return err
	}
	random, err := mean(pool, list, sim.UniformPolicy(list, s.spec.ActDim))
	if err == nil && knowing <= random {
		err = fmt.Errorf("the mean return of the goal-knowing controller is %.4g and that of random actions %.4g; expected it to be better", knowing, random)
	}
	return err
}

func mean(pool *sim.Pool, list []sim.Episode, p sim.Policy) (float64, error) {
	out, err := pool.Rollout(context.Background(), list, p, 0)
	sum := 0.0
	for i := range out {
		sum += out[i].Return / float64(len(out))
	}
	return sum, err
}
