package sim

import (
	"fmt"

	"nacre/internal/rng"
)

// UniformPolicy returns the policy that draws every action uniformly from [-1,1]^actDim, from the random stream of
// its episode: the lower yardstick of a learned policy. It serves one Rollout of the same episodes.
func UniformPolicy(episodes []Episode, actDim int) Policy {
	return uniformPolicy{episodes, actDim}
}

type uniformPolicy struct {
	episodes []Episode
	actDim   int
}

func (p uniformPolicy) Act(_ int, episodes, steps []int, _, act []float64) error {
	for k, e := range episodes {
		r := rng.New(p.episodes[e].Seed, rng.Action, uint64(steps[k]))
		for j := range p.actDim {
			act[k*p.actDim+j] = 2*r.Float64() - 1
		}
	}
	return nil
}

// GoalPolicy returns the policy of f's goal-knowing controller: the upper yardstick of a learned policy. It serves
// one Rollout of the same episodes. It is an error if f knows no such controller.
func GoalPolicy(f Family, episodes []Episode) (Policy, error) {
	c, ok := f.(Controller)
	if !ok {
		return nil, fmt.Errorf("sim: family %s has no goal-knowing controller", f.Spec().Name)
	}
	s := f.Spec()
	return goalPolicy{c, episodes, s.ObsDim, s.ActDim}, nil
}

type goalPolicy struct {
	controller     Controller
	episodes       []Episode
	obsDim, actDim int
}

func (p goalPolicy) Act(_ int, episodes, _ []int, obs, act []float64) error {
	for k, e := range episodes {
		p.controller.Act(p.episodes[e].Task, obs[k*p.obsDim:(k+1)*p.obsDim], act[k*p.actDim:(k+1)*p.actDim])
	}
	return nil
}
