package rl2

import (
	"nacre/rl/protocol"
	"nacre/sim"
)

// Adapter returns the agent in its present state. The policy's state continues through all exploration trajectories.
// Each scored trajectory begins with the state after them.
func (l *Learner) Adapter() protocol.Adapter { return &adapter{l: l} }

type adapter struct {
	l      *Learner
	seeds  []uint64
	states []trialState
}

// Start implements protocol.Adapter.
func (a *adapter) Start(n int, seeds []uint64) error {
	a.seeds, a.states = seeds, make([]trialState, n)
	for i := range a.states {
		a.states[i] = a.l.policy.newState(a.l.cfg)
	}
	return nil
}

// Policy implements protocol.Adapter.
func (a *adapter) Policy(traj int, explore bool, p protocol.Protocol) (sim.Policy, error) {
	std, err := a.l.actor.std()
	if err != nil {
		return nil, err
	}
	r := &rollout{actor: a.l.actor, states: a.states, std: std, noise: p.Noise(a.seeds, traj)}
	if !explore && !p.Extend {
		r.states = make([]trialState, len(a.states))
		for i, s := range a.states {
			r.states[i] = s.clone()
		}
	}
	return r, nil
}

// Observe implements protocol.Adapter. What was seen is in the state already.
func (a *adapter) Observe(int, *sim.Trajectory) error { return nil }
