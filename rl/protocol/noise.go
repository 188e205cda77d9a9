package protocol

import (
	"math/rand/v2"

	"nacre/internal/rng"
)

// Noise returns the stream of each adaptation's action noise in trajectory number traj, from the seeds given to
// Adapter.Start. It returns nil if the protocol scores deterministic actions.
func (p Protocol) Noise(seeds []uint64, traj int) []*rand.Rand {
	if p.Deterministic {
		return nil
	}
	noise := make([]*rand.Rand, len(seeds))
	for i, seed := range seeds {
		noise[i] = rng.New(seed, rng.Action, uint64(traj))
	}
	return noise
}
