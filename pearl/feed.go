package pearl

import (
	"slices"

	"nacre/core/feed"
	"nacre/rl/belief"
	"nacre/rl/replay"
)

// Stores of the plan.
const (
	storeRL = iota
	storeEnc
)

// feedContext describes the draws from a task's encoder buffer, and the inputs that they fill.
func feedContext(c Config, aux belief.Auxiliary) ([]feed.Draw, []feed.Fill) {
	if aux != nil {
		draws, fills := aux.Feed()
		for i := range draws {
			draws[i].Store = storeEnc
		}
		return draws, fills
	}
	row, d := feed.Context, feed.Draw{Kind: feed.Transitions, Store: storeEnc, N: c.Context}
	if c.NextObsInContext {
		row = feed.ContextNext
	}
	if c.ContextSampling == "window" {
		d.Kind, d.ExclusiveEnd = feed.Window, c.ContextCrop == "exclusive"
	}
	return []feed.Draw{d}, []feed.Fill{{Input: "context", Field: row}, {Input: "context_weight", Field: feed.Weight}}
}

// contextDraw is the draw that fills the context.
func contextDraw(c Config, aux belief.Auxiliary) feed.Draw {
	draws, fills := feedContext(c, aux)
	at := slices.IndexFunc(fills, func(f feed.Fill) bool { return f.Input == "context" })
	return draws[fills[max(at, 0)].Draw]
}

// feedPlan describes what an update draws: the meta-batch, for each of its tasks a context and transitions, and noise.
func feedPlan(c Config, n Networks, aux belief.Auxiliary, tasks int) feed.Recipe {
	draws, fills := feedContext(c, aux)
	rl := len(draws)
	p := feed.Recipe{
		Obs: n.obs, Act: n.act, Tasks: tasks, Slots: c.MetaBatch, Choose: feed.WithoutReplacement, Stores: 2,
		Capacity: c.BufferCapacity,
		Draws:    append(draws, feed.Draw{Kind: feed.Transitions, Store: storeRL, N: c.Batch}),
		Noise:    []feed.Noise{{Input: "eps_a", N: c.MetaBatch * c.Batch * n.act}},
		Fills: append(fills,
			feed.Fill{Input: "obs", Field: feed.Obs, Draw: rl}, feed.Fill{Input: "act", Field: feed.Act, Draw: rl},
			feed.Fill{Input: "rew", Field: feed.Reward, Draw: rl}, feed.Fill{Input: "done", Field: feed.Done, Draw: rl},
			feed.Fill{Input: "next_obs", Field: feed.NextObs, Draw: rl}),
	}
	if !c.Points {
		p.Noise = slices.Insert(p.Noise, 0, feed.Noise{Input: "eps_z", N: c.MetaBatch * c.Latent})
	}
	if c.Critic == targetQ {
		p.Noise = append(p.Noise, feed.Noise{Input: "eps_next", N: c.MetaBatch * c.Batch * n.act})
	}
	if c.ActorLatent == "redrawn" && !c.Points {
		p.Noise = append(p.Noise, feed.Noise{Input: "eps_z_actor", N: c.MetaBatch * c.Latent})
	}
	if c.Temperature == perTask {
		p.Fills = append(p.Fills, feed.Fill{Input: "which", Field: feed.OfTask, Table: identity(tasks)})
	}
	if c.TasksWithReplacement {
		p.Choose = feed.WithReplacement
	}
	return p
}

// identity is the n×n matrix: of a task's row, the number at its own place is 1.
func identity(n int) []float32 {
	table := make([]float32, n*n)
	for i := range n {
		table[i*n+i] = 1
	}
	return table
}

// stores are the plan's.
func (l *Learner) stores() [][]*replay.Task {
	return [][]*replay.Task{storeRL: l.buf.RL, storeEnc: l.buf.Enc}
}
