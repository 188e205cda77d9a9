package mql

import (
	"slices"

	"nacre/core/feed"
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
	for _, k := range (kind{rows: l.cfg.Batch, lr: l.cfg.LR}).both() {
		p, err := updateProgram(l.cfg, l.nets, k)
		if err != nil {
			return u, err
		}
		u.Programs = append(u.Programs, offpolicy.Program{Program: p, Scalars: k.outputs()})
	}
	return u, nil
}

// choose returns which of the two programs makes update number u. Every PolicyEvery-th update also steps the actor.
func (l *Learner) choose(u int) int {
	if u%l.cfg.PolicyEvery == 0 {
		return 1
	}
	return 0
}
