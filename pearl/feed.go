package pearl

import (
	"nacre/core/feed"
	"nacre/rl/belief"
	"nacre/rl/replay"
)

// Stores of the plan.
const (
	storeRL = iota
	storeEnc
)

// feedContext describes what is drawn of a task for its context, and the inputs that this fills.
func feedContext(c Config, aux belief.Auxiliary) (feed.Draw, []feed.Fill) {
	if aux != nil {
		d, fills := aux.Feed()
		d.Store = storeEnc
		return d, fills
	}
	row, d := feed.Context, feed.Draw{Kind: feed.Transitions, Store: storeEnc, N: c.Context}
	if c.NextObsInContext {
		row = feed.ContextNext
	}
	if c.ContextSampling == "window" {
		d.Kind = feed.Window
	}
	return d, []feed.Fill{{Input: "context", Field: row}, {Input: "context_weight", Field: feed.Weight}}
}

// contextRows is the number of context rows per task of an update.
func contextRows(c Config, aux belief.Auxiliary) int {
	d, _ := feedContext(c, aux)
	return d.N
}

// feedPlan describes what an update draws: the meta-batch, for each of its tasks a context and transitions, and noise.
func feedPlan(c Config, n Networks, aux belief.Auxiliary, tasks int) feed.Plan {
	context, fills := feedContext(c, aux)
	p := feed.Plan{
		Obs: n.obs, Act: n.act, Tasks: tasks, Slots: c.MetaBatch, Choose: feed.WithoutReplacement, Stores: 2, Capacity: c.BufferCapacity,
		Draws: []feed.Draw{context, {Kind: feed.Transitions, Store: storeRL, N: c.Batch}},
		Noise: []feed.Noise{{Input: "eps_z", N: c.MetaBatch * c.Latent}, {Input: "eps_a", N: c.MetaBatch * c.Batch * n.act}},
		Fills: append(fills,
			feed.Fill{Input: "obs", Field: feed.Obs, Draw: 1}, feed.Fill{Input: "act", Field: feed.Act, Draw: 1},
			feed.Fill{Input: "rew", Field: feed.Reward, Draw: 1}, feed.Fill{Input: "done", Field: feed.Done, Draw: 1},
			feed.Fill{Input: "next_obs", Field: feed.NextObs, Draw: 1}),
	}
	if c.TasksWithReplacement {
		p.Choose = feed.WithReplacement
	}
	return p
}

// stores are the plan's.
func (l *Learner) stores() [][]*replay.Task {
	return [][]*replay.Task{storeRL: l.buf.RL, storeEnc: l.buf.Enc}
}
