package oracle

import (
	"nacre/core/feed"
	"nacre/rl/replay"
)

// feedPlan describes what an update draws: tasks, transitions and the task vector for each task, and noise. If there
// are too few tasks, they are used again from the first.
func (l *Learner) feedPlan() feed.Recipe {
	c, nb := l.cfg, l.cfg.MetaBatch*l.cfg.Batch
	n := len(l.tasks)
	var told []float32
	which := make([]float32, n*n)
	for i, t := range l.tasks {
		for _, x := range l.vector(t) {
			told = append(told, float32(x))
		}
		which[i*n+i] = 1
	}
	return feed.Recipe{
		Obs: l.dims.Obs, Act: l.dims.Act, Tasks: n, Slots: c.MetaBatch, Choose: feed.WithoutReplacement, Stores: 1,
		Capacity: c.BufferCapacity,
		Draws:    []feed.Draw{{Kind: feed.Transitions, N: c.Batch}},
		Noise:    []feed.Noise{{Input: "eps_a", N: nb * l.dims.Act}, {Input: "eps_next", N: nb * l.dims.Act}},
		Fills: []feed.Fill{
			{Input: "obs", Field: feed.Obs}, {Input: "act", Field: feed.Act}, {Input: "rew", Field: feed.Reward},
			{Input: "done", Field: feed.Done}, {Input: "next_obs", Field: feed.NextObs},
			{Input: "task", Field: feed.OfTask, Table: told}, {Input: "which", Field: feed.OfTask, Table: which},
		},
	}
}

// stores are the plan's.
func (l *Learner) stores() [][]*replay.Task { return [][]*replay.Task{l.buf} }
