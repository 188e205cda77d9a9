package mql

import (
	"context"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/sim"
)

// lead is how many rows stand before a trajectory's first transition in the buffers: one, (o₀, a, 0) with a random
// action a, with which every history begins.
const lead = 1

// Collect collects the data of an iteration and returns the number of environment steps. Before the first iteration it
// takes uniformly random actions. Then it runs episodes of random train tasks with the actor and noise.
func (l *Learner) Collect(ctx context.Context, iteration int) (int, error) {
	if iteration == 0 {
		return l.begin(ctx)
	}
	chosen := make([]int, l.cfg.EpisodesPerIteration)
	r := rng.New(l.seed, rng.Tasks, uint64(iteration))
	for i := range chosen {
		chosen[i] = r.IntN(len(l.tasks))
	}
	return l.gather(ctx, uint64(iteration), chosen, 0, func(_ []sim.Episode, first, noise []*rand.Rand) sim.Policy {
		return l.newRollout(first, noise, nil)
	})
}

// begin takes random episodes of all train tasks in turn until there are enough steps.
func (l *Learner) begin(ctx context.Context) (steps int, err error) {
	need := max(l.cfg.InitialSteps*len(l.tasks), l.cfg.MinInitialSteps)
	all := make([]int, len(l.tasks))
	for i := range all {
		all[i] = i
	}
	random := func(episodes []sim.Episode, _, _ []*rand.Rand) sim.Policy {
		return sim.UniformPolicy(episodes, l.dims.Act)
	}
	for turn := uint64(0); steps < need; turn++ {
		n, err := l.gather(ctx, turn<<32, all, l.cfg.InitialEpisode, random)
		if err != nil {
			return steps, err
		}
		steps += n
	}
	return steps, nil
}

// gather runs an episode of every chosen train task and keeps them.
func (l *Learner) gather(ctx context.Context, round uint64, chosen []int, horizon int,
	policy func(episodes []sim.Episode, first, noise []*rand.Rand) sim.Policy) (steps int, err error) {
	n := len(chosen)
	episodes, first, noise := make([]sim.Episode, n), make([]*rand.Rand, n), make([]*rand.Rand, n)
	for i, task := range chosen {
		stream := func(purpose uint64) *rand.Rand { return rng.New(l.seed, purpose, round, uint64(i)) }
		episodes[i] = sim.Episode{Task: l.tasks[task], Seed: stream(rng.Rollout).Uint64()}
		first[i], noise[i] = stream(rng.Latent), stream(rng.Action)
	}
	if horizon > l.spec.Horizon {
		horizon = 0
	}
	trajectories, err := l.pool.Rollout(ctx, episodes, policy(episodes, first, noise), horizon)
	if err != nil {
		return 0, err
	}
	for i := range trajectories {
		t := l.led(&trajectories[i], firstAction(rng.New(l.seed, rng.Latent, round, uint64(i)), l.dims.Act,
			l.cfg.ExplorationNoise))
		if err := l.all.Add(&t); err != nil {
			return steps, err
		}
		if err := l.recent[chosen[i]].Add(&t); err != nil {
			return steps, err
		}
		if err := l.aux.Keep(chosen[i], &trajectories[i]); err != nil {
			return steps, err
		}
		steps += trajectories[i].Len
	}
	l.length = float64(steps) / float64(n)
	return steps, nil
}

// led is a trajectory with the row before its first transition.
func (l *Learner) led(t *sim.Trajectory, first []float64) sim.Trajectory {
	out := *t
	out.Len++
	out.Obs = append(append([]float32(nil), t.Obs[:l.dims.Obs]...), t.Obs...)
	out.Act = nil
	for _, a := range first {
		out.Act = append(out.Act, float32(a))
	}
	out.Act = append(out.Act, t.Act...)
	out.Reward = append([]float32{0}, t.Reward...)
	out.CtxReward = append([]float32{0}, t.CtxReward...)
	return out
}
