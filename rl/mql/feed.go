package mql

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/rl/replay"
	"nacre/rl/replay/mirror"
)

// stores are the plan's.
func (l *Learner) stores() [][]*replay.Task { return [][]*replay.Task{{l.all}} }

// openFeed makes room for the data of training's updates, and lets the device draw them if it can; l.fed stays nil if not.
func (l *Learner) openFeed() (err error) {
	plan := feed.Plan{
		Obs: l.dims.Obs, Act: l.dims.Act, Tasks: 1, Slots: 1, Stores: 1, Capacity: l.cfg.BufferCapacity,
		Draws: []feed.Draw{{Kind: feed.Transitions, N: l.cfg.Batch, Skip: lead}},
		Noise: []feed.Noise{{Input: "eps", N: l.cfg.Batch * l.dims.Act}},
		Fills: []feed.Fill{
			{Input: "obs", Field: feed.Obs}, {Input: "act", Field: feed.Act}, {Input: "rew", Field: feed.Reward}, {Input: "done", Field: feed.Done},
			{Input: "next_obs", Field: feed.NextObs},
			{Input: "before", Field: feed.Before, History: l.cfg.History}, {Input: "after", Field: feed.After, History: l.cfg.History},
		},
	}
	if l.sampler, err = replay.NewSampler(plan); err != nil {
		return err
	}
	m, err := mirror.New(l.device, l.mem, plan, l.stores)
	if m == nil || err != nil {
		return err
	}
	l.fed = m
	for i := range l.feds {
		k := l.training()
		k.policy = i == 1
		p, err := updateProgram(l.cfg, l.nets, k)
		if err != nil {
			return err
		}
		if l.feds[i], err = m.Load(p, k.outputs()); err != nil {
			return err
		}
		if err = l.feds[i].Write("weight", l.weight); err != nil {
			return err
		}
	}
	return nil
}

// Chunk is how many updates UpdateMany makes at a time at most: more than one where the device draws their data.
func (l *Learner) Chunk() int { return l.fed.Chunk() }

// UpdateMany makes n gradient updates from number update on, as Update does. A device that draws their data is only given
// them: it may still be at work on return, and a loss that is no longer a number is found by a later call.
func (l *Learner) UpdateMany(iteration, update, n int) error {
	return l.fed.Make(l.seed, iteration, update, n, mirror.Way{Run: l.drawn, Host: l.Update, Note: l.note})
}

// Settle waits until all updates are made and looks at their losses.
func (l *Learner) Settle() error { return l.fed.Hear(true, l.note) }

// drawn is the program of an update on data that the device draws.
func (l *Learner) drawn(update int) core.Runner {
	run, _ := l.choose(l.feds, update)
	return run
}

// note adds the outputs of an update on data that the device drew to the means.
func (l *Learner) note(u mirror.Update) error {
	_, k := l.choose(l.feds, u.Number)
	for i, name := range k.outputs() {
		if err := l.means.note(name, float64(u.Scalars[i]), where(u.Iteration, u.Number)); err != nil {
			return err
		}
	}
	return nil
}
