package protocol

import (
	"context"
	"fmt"

	"nacre/rl/config"
	"nacre/sim"
)

// Adapted is an agent after its adaptation to a task.
type Adapted struct {
	Last sim.Trajectory // the last trajectory of the adaptation
	spec sim.Spec
	next func() (sim.Policy, error)
}

// Adapt adapts an agent to a task under a protocol, as Evaluate does with the first of its repeats. The argument spec
// is that of the environments of pool.
func Adapt(ctx context.Context, pool Roller, spec sim.Spec, task sim.Task, p Protocol, a Adapter,
	seed uint64) (*Adapted, error) {
	if err := config.Check(&p); err != nil {
		return nil, fmt.Errorf("protocol: %w", err)
	}
	out := &Adapted{spec: spec, next: func() (sim.Policy, error) { return a.Policy(p.Explore, false, p) }}
	err := adapt(ctx, pool, []cast{{task, task, address(seed, task, 0)}}, p, a,
		func(_, _ int, t *sim.Trajectory) { out.Last = *t })
	if err != nil {
		return nil, fmt.Errorf("protocol: %w", err)
	}
	return out, nil
}

// Act returns one action for each observation (n×ObsDim in, n×ActDim out). Each observation counts as the first of an
// episode of its own, so a policy with a memory takes nothing from one row to the next.
func (a *Adapted) Act(obs []float64) ([]float64, error) {
	n := len(obs) / a.spec.ObsDim
	if n*a.spec.ObsDim != len(obs) {
		return nil, fmt.Errorf("protocol: %d numbers of observations; those of %s have %d each", len(obs), a.spec.Name,
			a.spec.ObsDim)
	}
	policy, err := a.next()
	act := make([]float64, n*a.spec.ActDim)
	for k := 0; k < n && err == nil; k++ {
		if _, remembers := policy.(sim.Watcher); remembers && k > 0 {
			if policy, err = a.next(); err != nil {
				break
			}
		}
		err = policy.Act(0, []int{0}, []int{0}, obs[k*a.spec.ObsDim:(k+1)*a.spec.ObsDim],
			act[k*a.spec.ActDim:(k+1)*a.spec.ActDim])
	}
	if err != nil {
		return nil, fmt.Errorf("protocol: %w", err)
	}
	return act, nil
}
