package mql

import (
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Adapter returns the agent in its present state. It explores with the trained actor. Then it fine-tunes a copy of the
// parameters for each task, with the transitions of the task. The learner's parameters stay as before.
func (l *Learner) Adapter() protocol.Adapter { return &adapter{l: l} }

type adapter struct {
	l     *Learner
	seeds []uint64
	seen  []*replay.Task // transitions of each adaptation
	tuned []*inference   // each adaptation's own actor; nil while the trained actor acts
	stale bool           // something was seen since the last fine-tuning
}

// maxSeen is the largest number of transitions kept of one test task. A protocol's trajectories never have so many.
const maxSeen = 1 << 30

// Start implements protocol.Adapter.
func (a *adapter) Start(n int, seeds []uint64) error {
	*a = adapter{l: a.l, seeds: seeds}
	for range n {
		a.seen = append(a.seen, replay.NewTask(a.l.dims, maxSeen))
	}
	return nil
}

// Policy implements protocol.Adapter.
func (a *adapter) Policy(traj int, explore bool, p protocol.Protocol) (sim.Policy, error) {
	if !explore && a.stale {
		if err := a.tune(traj, p); err != nil {
			return nil, err
		}
	}
	first, noise := make([]*rand.Rand, len(a.seeds)), p.Noise(a.seeds, traj)
	for i, seed := range a.seeds {
		first[i] = rng.New(seed, rng.Latent, uint64(traj))
	}
	if explore {
		return a.l.newRollout(first, noise, nil), nil
	}
	return a.l.newRollout(first, noise, a.tuned), nil
}

// tune makes every adaptation's own actor from all it has seen.
func (a *adapter) tune(traj int, p protocol.Protocol) error {
	if p.ContextLimit > 0 {
		return fmt.Errorf("mql: context_limit = %d; MQL adapts to whole trajectories, want 0", p.ContextLimit)
	}
	a.tuned, a.stale = nil, false
	horizon := a.l.spec.Horizon
	if p.Horizon > 0 {
		horizon = p.Horizon
	}
	most := p.Explore
	if p.Extend {
		most = p.Trajectories() - 1
	}
	for i, seed := range a.seeds {
		values, err := a.l.adapt(rng.New(seed, rng.Replay, uint64(traj)), a.seen[i], most*horizon)
		if err != nil {
			return err
		}
		if err := a.l.loadSlot(i, values); err != nil {
			return err
		}
		a.tuned = append(a.tuned, a.l.slots[i].inference)
	}
	return nil
}

// Observe implements protocol.Adapter.
func (a *adapter) Observe(i int, t *sim.Trajectory) error {
	n := a.seen[i].Trajectories()
	led := a.l.led(t, firstAction(rng.New(a.seeds[i], rng.Latent, uint64(n)), a.l.dims.Act, a.l.cfg.ExplorationNoise))
	a.stale = true
	return a.seen[i].Add(&led)
}
