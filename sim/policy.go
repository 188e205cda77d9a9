package sim

import (
	"fmt"

	"nacre/internal/rng"
)

// Policy chooses actions for a chunk of environments.
type Policy interface {
	// Act writes one action row per row of obs; row k belongs to episode episodes[k] of the slice given to Rollout,
	// at step steps[k]. Calls with different worker numbers may run at the same time. The action of an episode
	// must not depend on which other episodes share the call.
	Act(worker int, episodes, steps []int, obs, act []float64) error
}

// Watcher is a Policy that is told the results of its actions. A policy with a memory needs them. Rollout calls Watch
// after every Act, with the same worker, episodes and steps, when the environments have stepped; reward[k] is the
// ContextReward of row k.
type Watcher interface {
	Policy
	Watch(worker int, episodes, steps []int, reward []float64) error
}

// RandomPolicy returns the policy that draws every action of f uniformly (see Spec.RandomAction), with the random
// stream of the episode. It is the lower baseline of a learned policy. It serves one Rollout of the same episodes.
func RandomPolicy(f Family, episodes []Episode) Policy { return uniformPolicy{episodes, f.Spec()} }

// UniformPolicy is RandomPolicy for families whose actions are in [-1,1]^actDim.
func UniformPolicy(episodes []Episode, actDim int) Policy {
	return uniformPolicy{episodes, Spec{ActDim: actDim}}
}

type uniformPolicy struct {
	episodes []Episode
	spec     Spec
}

func (p uniformPolicy) Act(_ int, episodes, steps []int, _, act []float64) error {
	for k, e := range episodes {
		r := rng.New(p.episodes[e].Seed, rng.Action, uint64(steps[k]))
		p.spec.RandomAction(r, act[k*p.spec.ActDim:(k+1)*p.spec.ActDim])
	}
	return nil
}

// GoalPolicy returns the policy of f's goal-knowing controller: the upper baseline of a learned policy. It serves one
// Rollout of the same episodes. It is an error if f has no such controller.
func GoalPolicy(f Family, episodes []Episode) (Policy, error) {
	c, ok := f.(Controller)
	if !ok {
		return nil, fmt.Errorf("sim: family %s has no goal-knowing controller", f.Spec().Name)
	}
	s := f.Spec()
	return goalPolicy{c, episodes, s.ObsDim, s.ActDim}, nil
}

// ReferencePolicy returns a policy of f that learns the task within an episode, by its name (see Referrer). It serves
// one Rollout of the same episodes. It is an error if f has none of this name.
func ReferencePolicy(f Family, name string, episodes []Episode) (Policy, error) {
	r, ok := f.(Referrer)
	if !ok {
		return nil, fmt.Errorf("sim: family %s has no reference policies", f.Spec().Name)
	}
	return r.Reference(name, episodes)
}

// BlindPolicy returns the policy of f's goal-blind controller; GoalPolicy returns the policy of the goal-knowing
// controller. It is an error if f has no goal-blind controller.
func BlindPolicy(f Family, episodes []Episode) (Policy, error) {
	b, ok := f.(Blinder)
	if !ok {
		return nil, fmt.Errorf("sim: family %s has no goal-blind controller", f.Spec().Name)
	}
	s := f.Spec()
	return goalPolicy{b.Blind(), episodes, s.ObsDim, s.ActDim}, nil
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
