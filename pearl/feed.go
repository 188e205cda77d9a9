package pearl

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/rl/belief"
	"nacre/rl/replay"
	"nacre/rl/replay/mirror"
)

// Stores of the plan.
const (
	storeRL = iota
	storeEnc
)

// feedPlan describes sample and write; ok is false where the auxiliary loss draws in a way of its own.
func feedPlan(c Config, n Networks, aux belief.Auxiliary, tasks int) (p feed.Plan, ok bool) {
	p = feed.Plan{
		Obs: n.obs, Act: n.act, Tasks: tasks, Slots: c.MetaBatch, Choose: feed.Permuted, Stores: 2, Capacity: c.BufferCapacity,
		Noise: []feed.Noise{{Input: "eps_z", N: c.MetaBatch * c.Latent}, {Input: "eps_a", N: c.MetaBatch * c.Batch * n.act}},
	}
	if c.TasksWithReplacement {
		p.Choose = feed.Each
	}
	var context feed.Draw
	if aux != nil {
		able, ok := aux.(belief.Fed)
		if !ok {
			return p, false
		}
		context, p.Fills = able.Feed()
	} else {
		row := feed.Context
		if c.NextObsInContext {
			row = feed.ContextNext
		}
		context = feed.Draw{Kind: feed.Independent, N: c.Context}
		if c.ContextSampling == "window" {
			context.Kind = feed.Window
		}
		p.Fills = []feed.Fill{{Input: "context", Field: row}, {Input: "context_weight", Field: feed.Weight}}
	}
	context.Store = storeEnc
	p.Draws = []feed.Draw{context, {Kind: feed.Independent, Store: storeRL, N: c.Batch}}
	for _, f := range []feed.Fill{
		{Input: "obs", Field: feed.Obs}, {Input: "act", Field: feed.Act}, {Input: "rew", Field: feed.Reward},
		{Input: "done", Field: feed.Done}, {Input: "next_obs", Field: feed.NextObs},
	} {
		f.Draw = 1
		p.Fills = append(p.Fills, f)
	}
	return p, true
}

// openFeed lets the device draw if it can; l.fed stays nil if not.
func (l *Learner) openFeed(d core.Device, update *core.Program) error {
	p, ok := feedPlan(l.cfg, l.nets, l.aux, len(l.tasks))
	if !ok {
		return nil
	}
	m, err := mirror.New(d, l.mem, p, func() [][]*replay.Task { return [][]*replay.Task{l.buf.RL, l.buf.Enc} })
	if m == nil || err != nil {
		return err
	}
	l.fed = m
	l.fedRun, err = m.Load(update, l.scalarNames())
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
func (l *Learner) Settle() error { return l.tally() }

// note adds the losses of an update on data that the device drew to the sums.
func (l *Learner) note(u mirror.Update) error {
	for i, name := range l.scalarNames() {
		if err := l.add(name, float64(u.Scalars[i]), address{u.Iteration, u.Number}, u.Tasks); err != nil {
			return err
		}
	}
	l.count++
	if aux, ok := l.aux.(belief.Fed); ok {
		aux.Count(u.Record)
	}
	return nil
}
