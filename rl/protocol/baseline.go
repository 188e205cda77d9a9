package protocol

import (
	"errors"
	"fmt"

	"nacre/internal/rng"
	"nacre/sim"
)

// Random returns the agent that draws every action uniformly from [-1,1]^spec.ActDim and learns nothing: the lower
// baseline.
func Random(spec sim.Spec) Adapter { return &random{actDim: spec.ActDim} }

type random struct {
	actDim int
	seeds  []uint64
}

func (a *random) Start(_ int, seeds []uint64) error {
	a.seeds = seeds
	return nil
}

func (a *random) Policy(traj int, _ bool, _ Protocol) (sim.Policy, error) {
	return policyFunc(func(episodes, steps []int, _, act []float64) error {
		for k, e := range episodes {
			r := rng.New(a.seeds[e], rng.Action, uint64(traj), uint64(steps[k]))
			for j := range a.actDim {
				act[k*a.actDim+j] = 2*r.Float64() - 1
			}
		}
		return nil
	}), nil
}

func (a *random) Observe(int, *sim.Trajectory) error { return nil }

// Still returns the agent whose actions are all 0: where it costs to move, random actions are no lower end of a scale.
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

// Scripted returns the agent that is told each task and acts by the family's controller c: the upper baseline, which
// learns nothing (the algorithm oracle is told each task and learns).
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

// policyFunc is a sim.Policy that does not care which worker asks.
type policyFunc func(episodes, steps []int, obs, act []float64) error

func (f policyFunc) Act(_ int, episodes, steps []int, obs, act []float64) error {
	return f(episodes, steps, obs, act)
}
