package protocol

import (
	"errors"
	"fmt"

	"nacre/internal/rng"
	"nacre/sim"
)

// Random returns the lower baseline: an agent that draws every action uniformly (sim.Spec.RandomAction) and learns
// nothing.
func Random(spec sim.Spec) Adapter { return &random{spec: spec} }

type random struct {
	spec  sim.Spec
	seeds []uint64
}

func (a *random) Start(_ int, seeds []uint64) error {
	a.seeds = seeds
	return nil
}

func (a *random) Policy(traj int, _ bool, _ Protocol) (sim.Policy, error) {
	return policyFunc(func(episodes, steps []int, _, act []float64) error {
		for k, e := range episodes {
			r := rng.New(a.seeds[e], rng.Action, uint64(traj), uint64(steps[k]))
			a.spec.RandomAction(r, act[k*a.spec.ActDim:(k+1)*a.spec.ActDim])
		}
		return nil
	}), nil
}

func (a *random) Observe(int, *sim.Trajectory) error { return nil }

// Still returns the agent whose actions are all 0. If moving is penalised, it can return more than random actions, so
// it is the better lower baseline.
func Still() Adapter { return still{} }

type still struct{}

func (still) Start(int, []uint64) error { return nil }

func (still) Policy(int, bool, Protocol) (sim.Policy, error) {
	return policyFunc(func(_, _ []int, _, act []float64) error {
		clear(act)
		return nil
	}), nil
}

func (still) Observe(int, *sim.Trajectory) error { return nil }

// Scripted returns the upper baseline: an agent that is told each task, acts by the family's controller c and learns
// nothing. The algorithm oracle is told each task too, and learns.
func Scripted(c sim.Controller) Adapter { return &scripted{controller: c} }

type scripted struct {
	controller sim.Controller
	tasks      []sim.Task
}

func (a *scripted) Know(tasks []sim.Task) error {
	if a.controller == nil {
		return errors.New("the family has no goal-knowing controller")
	}
	a.tasks = tasks
	return nil
}

func (a *scripted) Start(n int, _ []uint64) error {
	if len(a.tasks) != n {
		return fmt.Errorf("%d tasks known for %d adaptations", len(a.tasks), n)
	}
	return nil
}

func (a *scripted) Policy(int, bool, Protocol) (sim.Policy, error) {
	return policyFunc(func(episodes, _ []int, obs, act []float64) error {
		o, w := len(obs)/len(episodes), len(act)/len(episodes)
		for k, e := range episodes {
			a.controller.Act(a.tasks[e], obs[k*o:(k+1)*o], act[k*w:(k+1)*w])
		}
		return nil
	}), nil
}

func (a *scripted) Observe(int, *sim.Trajectory) error { return nil }

// policyFunc is a sim.Policy that ignores which worker asks.
type policyFunc func(episodes, steps []int, obs, act []float64) error

func (f policyFunc) Act(_ int, episodes, steps []int, obs, act []float64) error {
	return f(episodes, steps, obs, act)
}
