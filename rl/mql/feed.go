package mql

import (
	"slices"

	"nacre/core"
	"nacre/core/feed"
	"nacre/rl/auxiliary"
	"nacre/rl/offpolicy"
	"nacre/rl/replay"
)

// stores are the plan's.
func (l *Learner) stores() [][]*replay.Task { return [][]*replay.Task{{l.all}} }

// feedPlan describes what an update of training draws: transitions of all tasks with their histories, and noise.
func (l *Learner) feedPlan() feed.Recipe {
	return feed.Recipe{
		Obs: l.dims.Obs, Act: l.dims.Act, Tasks: 1, Slots: 1, Stores: 1, Capacity: l.cfg.BufferCapacity,
		Draws: []feed.Draw{{Kind: feed.Transitions, N: l.cfg.Batch, Skip: lead}},
		Noise: []feed.Noise{{Input: "eps", N: l.cfg.Batch * l.dims.Act}},
		Fills: []feed.Fill{
			{Input: "obs", Field: feed.Obs}, {Input: "act", Field: feed.Act}, {Input: "rew", Field: feed.Reward},
			{Input: "done", Field: feed.Done}, {Input: "next_obs", Field: feed.NextObs},
			{Input: "before", Field: feed.Before, History: l.cfg.History},
			{Input: "after", Field: feed.After, History: l.cfg.History},
		},
	}
}

// updates describes the updates of training to what makes them.
func (l *Learner) updates() (offpolicy.Updates, error) {
	u := offpolicy.Updates{
		Algorithm: name, Seed: l.seed, Plan: l.feedPlan(), Stores: l.stores, Choose: l.choose,
		Fixed: map[string][]float32{"weight": slices.Repeat([]float32{1 / float32(l.cfg.Batch)}, l.cfg.Batch)},
	}
	if l.aux != nil {
		u.Before, u.After = l.before, l.after
	}
	for _, k := range (kind{rows: l.cfg.Batch, lr: l.cfg.LR, critics: l.onCritics, actor: l.onActor}).both() {
		p, err := updateProgram(l.cfg, l.nets, k)
		if err != nil {
			return u, err
		}
		u.Programs = append(u.Programs, offpolicy.Program{Program: p, Scalars: k.outputs()})
	}
	return u, nil
}

// steps returns the auxiliary losses on the encoders that an update steps.
func (l *Learner) steps(update int) []*auxiliary.Part {
	if l.choose(update) == 1 {
		return []*auxiliary.Part{l.onCritics, l.onActor}
	}
	return []*auxiliary.Part{l.onCritics}
}

// before gives an update the gradients of the auxiliary losses.
func (l *Learner) before(run core.Runner, iteration, update int) error {
	for _, p := range l.steps(update) {
		if err := p.Compute(iteration, update); err != nil {
			return err
		}
		if err := p.Write(run); err != nil {
			return err
		}
	}
	return nil
}

// after makes the steps of the auxiliary losses' own parameters.
func (l *Learner) after(_, update int) error {
	for _, p := range l.steps(update) {
		if err := p.Follow(); err != nil {
			return err
		}
	}
	return nil
}

// choose returns which of the two programs makes update number u. Every PolicyEvery-th update also steps the actor.
func (l *Learner) choose(u int) int {
	if u%l.cfg.PolicyEvery == 0 {
		return 1
	}
	return 0
}
