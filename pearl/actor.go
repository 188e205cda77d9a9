package pearl

import (
	"math/rand/v2"
	"time"

	"nacre/internal/rng"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/sim"
)

// policy acts on latent z[i] in episode i, stochastically where noise[i] addresses a stream of action noise under
// seed; without noise actions are the mean's.
func policy(a *actor.Actor, z [][]float64, seed uint64, noise []uint64) sim.Policy {
	var streams []*rand.Rand
	for _, n := range noise {
		streams = append(streams, rng.New(seed, rng.Action, n))
	}
	return a.Policy(z, streams)
}

// PolicyTime is the time spent choosing actions so far, added up over workers.
func (l *Learner) PolicyTime() time.Duration {
	t := l.actor.Busy()
	if l.ahead != nil {
		t += l.ahead.hands.actor.Busy()
	}
	return t
}

// ExplorePolicy explores with z from the prior, drawn anew for each episode, and stochastic actions; addresses name
// the episodes' random streams under seed.
func (l *Learner) ExplorePolicy(seed uint64, addresses []uint64) sim.Policy {
	z := make([][]float64, len(addresses))
	for i, a := range addresses {
		z[i] = belief.Prior(l.cfg.Latent).Sample(rng.New(seed, rng.Latent, a))
	}
	return policy(l.actor, z, seed, addresses)
}
