package rl2

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"nacre/internal/rng"
	"nacre/rl/onpolicy"
	"nacre/sim"
)

// trial holds the episodes of one task in sequence.
type trial struct {
	onpolicy.Path           // Obs holds the inputs x
	first, last   float64   // returns of its first and last episodes
	entropy       []float64 // of the policy at each step
}

// Collect collects the trials of an iteration with the stochastic policy, each on one train task. It returns the number
// of environment steps.
func (l *Learner) Collect(ctx context.Context, iteration int) (steps int, err error) {
	trials, err := l.trials(ctx, uint64(iteration))
	if err != nil {
		return 0, err
	}
	paths, entropies := make([]onpolicy.Path, len(trials)), make([][]float64, len(trials))
	for i, t := range trials {
		paths[i], entropies[i] = t.Path, t.entropy
		steps += t.Len
		l.sums["collected_first"] += t.first / float64(len(trials))
		l.sums["collected_last"] += t.last / float64(len(trials))
	}
	l.sums["entropy"] = meanOf(entropies, steps)
	if err := l.advantages(paths, entropies); err != nil {
		return steps, err
	}
	return steps, l.ppo.Set(paths)
}

// meanOf is the mean of n numbers; if all are equal, exactly theirs.
func meanOf(lists [][]float64, n int) (mean float64) {
	first := lists[0][0]
	for _, list := range lists {
		for _, x := range list {
			mean += (x - first) / float64(n)
		}
	}
	return first + mean
}

// trials runs the episodes of every trial, one after the other, the policy's state going through all of them.
func (l *Learner) trials(ctx context.Context, iteration uint64) ([]trial, error) {
	n := l.cfg.MetaBatch
	order := rng.New(l.seed, rng.Tasks, iteration).Perm(len(l.tasks))
	states, before := make([]trialState, n), make([]trialState, n)
	for i := range states {
		states[i], before[i] = l.policy.newState(l.cfg), l.policy.newState(l.cfg)
	}
	std, err := l.actor.std()
	if err != nil {
		return nil, err
	}
	out, collected := make([]trial, n), [][]sim.Trajectory{}
	for k := range uint64(l.cfg.Episodes) {
		episodes, noise := make([]sim.Episode, n), make([]*rand.Rand, n)
		for i := range episodes {
			episodes[i] = sim.Episode{
				Task: l.tasks[order[i%len(order)]],
				Seed: rng.New(l.seed, rng.Rollout, iteration, uint64(i), k).Uint64(),
			}
			noise[i] = rng.New(l.seed, rng.Action, iteration, uint64(i), k)
		}
		policy := &rollout{actor: l.actor, states: states, std: std, noise: noise}
		if l.policy.discrete() {
			policy.entropy = make([][]float64, n)
		}
		trajectories, err := l.pool.Rollout(ctx, episodes, policy, 0)
		if err != nil {
			return nil, err
		}
		collected = append(collected, trajectories)
		for i := range trajectories {
			out[i].join(&trajectories[i], &before[i], l.policy)
			if l.policy.discrete() {
				out[i].entropy = append(out[i].entropy, policy.entropy[i]...)
			}
		}
	}
	for i := range out {
		p := onpolicy.NewPath(len(out[i].Reward))
		p.Obs, p.Act, p.Reward = out[i].Obs, out[i].Act, out[i].Reward
		out[i].Path = p
		if !l.policy.discrete() {
			out[i].entropy = slices.Repeat([]float64{entropyOf(std)}, p.Len)
		}
	}
	return out, l.aux.KeepRounds(order, collected)
}

// entropyOf is the entropy of a Gaussian with these standard deviations.
func entropyOf(std []float64) (entropy float64) {
	for _, s := range std {
		entropy += math.Log(s) + entropyOfUnit
	}
	return entropy
}

// join appends an episode; s follows the inputs that the policy had.
func (t *trial) join(episode *sim.Trajectory, s *trialState, p Policy) {
	x, obs := make([]float64, p.memory.In), make([]float64, p.obs)
	for step := range episode.Len {
		for j := range obs {
			obs[j] = float64(episode.Obs[step*p.obs+j])
		}
		s.input(x, obs, step == 0)
		for _, v := range x {
			t.Obs = append(t.Obs, float32(v))
		}
		for j := range p.act {
			s.last[j] = float64(episode.Act[step*p.act+j])
		}
		s.last[p.act], s.begun = float64(episode.CtxReward[step]), true
	}
	t.Act = append(t.Act, episode.Act...)
	t.Reward = append(t.Reward, episode.Reward...)
	if t.last = episode.Return; len(t.Reward) == episode.Len {
		t.first = episode.Return
	}
}

// advantages computes the paths' advantages: over the whole trial, the next episode's rewards included.
func (l *Learner) advantages(paths []onpolicy.Path, entropies [][]float64) error {
	onpolicy.Returns(l.cfg.Discount, paths)
	if l.cfg.FitFirst {
		if err := l.baseline.Fit(paths); err != nil {
			return err
		}
	}
	l.baseline.Predict(paths)
	if !l.cfg.FitFirst {
		if err := l.baseline.Fit(paths); err != nil {
			return err
		}
	}
	if l.cfg.EntropyMode == maxEntropy {
		for i := range paths {
			paths[i].Reward = append([]float32(nil), paths[i].Reward...)
			for t := range paths[i].Reward {
				paths[i].Reward[t] += float32(l.cfg.Entropy * entropies[i][t])
			}
		}
	}
	onpolicy.Advantages(l.cfg.Discount, l.cfg.GAELambda, paths)
	onpolicy.Normalise(l.cfg.Advantages, paths)
	return nil
}
