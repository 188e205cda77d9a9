package oracle

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/rl/replay"
	"nacre/rl/replay/mirror"
)

// feedPlan describes what an update draws: tasks, again from the first where there are too few, for each transitions and
// what the networks are told of it, and noise.
func (l *Learner) feedPlan() feed.Plan {
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
	return feed.Plan{
		Obs: l.dims.Obs, Act: l.dims.Act, Tasks: n, Slots: c.MetaBatch, Choose: feed.WithoutReplacement, Stores: 1, Capacity: c.BufferCapacity,
		Draws: []feed.Draw{{Kind: feed.Transitions, N: c.Batch}},
		Noise: []feed.Noise{{Input: "eps_a", N: nb * l.dims.Act}, {Input: "eps_next", N: nb * l.dims.Act}},
		Fills: []feed.Fill{
			{Input: "obs", Field: feed.Obs}, {Input: "act", Field: feed.Act}, {Input: "rew", Field: feed.Reward},
			{Input: "done", Field: feed.Done}, {Input: "next_obs", Field: feed.NextObs},
			{Input: "task", Field: feed.OfTask, Table: told}, {Input: "which", Field: feed.OfTask, Table: which},
		},
	}
}

// stores are the plan's.
func (l *Learner) stores() [][]*replay.Task { return [][]*replay.Task{l.buf} }

// openFeed makes room for the data of an update, and lets the device draw them if it can; l.fed stays nil if not.
func (l *Learner) openFeed() (err error) {
	p := l.feedPlan()
	if l.sampler, err = replay.NewSampler(p); err != nil {
		return err
	}
	m, err := mirror.New(l.device, l.mem, p, l.stores)
	if m == nil || err != nil {
		return err
	}
	l.fed = m
	l.fedRun, err = m.Load(l.program, l.MetricNames())
	return err
}

// Chunk is how many updates UpdateMany makes at a time at most: more than one where the device draws their data.
func (l *Learner) Chunk() int { return l.fed.Chunk() }

// UpdateMany makes n gradient updates from number update on, as Update does. A device that draws their data is only given
// them: it may still be at work on return, and a loss that is no longer a number is found by a later call.
func (l *Learner) UpdateMany(iteration, update, n int) error {
	return l.fed.Make(l.seed, iteration, update, n, mirror.Way{Run: func(int) core.Runner { return l.fedRun }, Host: l.Update, Note: l.note})
}

// Settle waits until all updates are made and looks at their losses.
func (l *Learner) Settle() error { return l.fed.Hear(true, l.note) }

// note adds the losses of an update on data that the device drew to the sums.
func (l *Learner) note(u mirror.Update) error {
	for i, name := range l.MetricNames() {
		if err := l.add(name, float64(u.Scalars[i]), u.Iteration, u.Number, u.Tasks); err != nil {
			return err
		}
	}
	l.count++
	return nil
}
