package pearl

import (
	"math/rand/v2"
	"time"

	"nacre/internal/rng"
	"nacre/rl/actor"
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

// PolicyTime is the time spent on choosing actions so far, summed over workers.
func (l *Learner) PolicyTime() time.Duration {
	t := l.actor.Busy()
	if l.ahead != nil {
		t += l.ahead.hands.actor.Busy()
	}
	return t
}
