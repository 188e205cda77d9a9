package varibad

import (
	"context"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl/onpolicy"
	"nacre/sim"
)

// Collect gathers the trials of an iteration, each on a train task, with the stochastic policy. It returns the number
// of environment steps that this took. If it fails, for instance because ctx is done, it leaves nothing behind.
func (l *Learner) Collect(ctx context.Context, iteration int) (steps int, err error) {
	trials, paths, returns, err := l.trials(ctx, uint64(iteration))
	if err != nil {
		return 0, err
	}
	for _, p := range paths {
		steps += p.Len
	}
	if err := l.ppo.set(paths); err != nil {
		return steps, err
	}
	for i, t := range trials {
		l.buffer.add(t)
		l.sums["collected_first"] += returns[i][0] / float64(len(trials))
		l.sums["collected_last"] += returns[i][1] / float64(len(trials))
	}
	return steps, nil
}

// trials runs the episodes of every trial, one after the other; the belief is carried through all of them. The Obs of a
// path are the inputs of the policy. returns holds the returns of each trial's first and last episodes.
func (l *Learner) trials(ctx context.Context,
	iteration uint64) (out []*trial, paths []onpolicy.Path, returns [][2]float64, err error) {
	n := l.cfg.MetaBatch
	order := rng.New(l.seed, rng.Tasks, iteration).Perm(len(l.tasks))
	members, err := l.actor.members(n)
	if err != nil {
		return nil, nil, nil, err
	}
	std, err := l.actor.std()
	if err != nil {
		return nil, nil, nil, err
	}
	out, returns = make([]*trial, n), make([][2]float64, n)
	act, reward := make([][]float32, n), make([][]float32, n)
	var collected [][]sim.Trajectory
	for k := range uint64(l.cfg.Episodes) {
		episodes, noise := make([]sim.Episode, n), make([]*rand.Rand, n)
		for i := range episodes {
			episodes[i] = sim.Episode{
				Task: l.tasks[order[i%len(order)]],
				Seed: rng.New(l.seed, rng.Rollout, iteration, uint64(i), k).Uint64(),
			}
			noise[i] = rng.New(l.seed, rng.Action, iteration, uint64(i), k)
		}
		policy := &rollout{actor: l.actor, members: members, std: std, noise: noise, keep: true}
		trajectories, err := l.pool.Rollout(ctx, episodes, policy, 0)
		if err != nil {
			return nil, nil, nil, err
		}
		collected = append(collected, trajectories)
		for i := range trajectories {
			t := &trajectories[i]
			if k == 0 {
				out[i], returns[i][0] = new(trial), t.Return
			}
			returns[i][1] = t.Return
			out[i].join(t)
			members[i].end(t)
			act[i], reward[i] = append(act[i], t.Act...), append(reward[i], t.Reward...)
		}
	}
	for i, m := range members {
		p := onpolicy.NewPath(out[i].Len)
		p.Obs, p.Act, p.Reward = m.seen, act[i], reward[i]
		paths = append(paths, p)
	}
	return out, paths, returns, l.aux.KeepRounds(order, collected)
}

// join appends an episode's transitions.
func (t *trial) join(episode *sim.Trajectory) {
	obs, act := len(episode.Obs)/(episode.Len+1), len(episode.Act)/episode.Len
	for i := range episode.Len {
		t.Rows = append(t.Rows, episode.Obs[i*obs:(i+1)*obs]...)
		t.Rows = append(t.Rows, episode.Act[i*act:(i+1)*act]...)
		t.Rows = append(t.Rows, episode.CtxReward[i])
		t.Rows = append(t.Rows, episode.Obs[(i+1)*obs:(i+2)*obs]...)
	}
	t.Len += episode.Len
}
