package mql

import (
	"slices"

	"nacre/rl"
	"nacre/rl/suite"
)

// column is one column of the table published with MQL; the family's tasks are those of PEARL's table.
type column struct {
	family                string
	evals                 int // scored episodes
	policyEvery           int
	explore, policyNoise  float64
	history               int
	betaClip              float64
	context               int
	lr                    float64
	updates, adapt, main  int
	propensityC           float64
	propensityObservation bool
}

var columns = []column{
	{"ant-dir", 4, 4, .2, .4, 25, 1.2, 30, 3e-4, 1000, 5, 400, .05, false},
	{"humanoid-dir", 2, 3, .2, .3, 15, 2, 20, 3e-4, 500, 5, 15, .1, true},
	{"cheetah-vel", 2, 2, .3, .3, 20, 1, 15, 1e-3, 200, 10, 100, .1, false},
	{"cheetah-dir", 4, 2, .3, .3, 20, 1.5, 20, 3e-4, 500, 10, 50, .5, false},
	{"ant-goal", 2, 4, .3, .3, 40, 2, 40, 4e-4, 200, 10, 150, .1, false},
	{"walker-rand-params", 2, 3, .2, .2, 10, 1.1, 30, 8e-4, 200, 10, 400, .06, false},
}

// config returns the table's values over one million environment steps, where episodes last to the horizon.
func (k column) config(trainTasks int) Config {
	m := Default()
	m.PolicyEvery, m.ExplorationNoise, m.PolicyNoise = k.policyEvery, k.explore, k.policyNoise
	m.History, m.Context, m.LR = k.history, k.context, k.lr
	m.UpdatesPerIteration, m.AdaptUpdates, m.ReplayUpdates = k.updates, k.adapt, k.main
	m.BetaClip, m.PropensityC, m.PropensityObs = k.betaClip, k.propensityC, k.propensityObservation
	const steps, horizon = 1_000_000, 200
	m.Iterations = 1 + (steps-max(m.InitialSteps*trainTasks, m.MinInitialSteps))/(m.EpisodesPerIteration*horizon)
	return m
}

// on configures MQL for a benchmark, with its own protocol and the given number of scored episodes.
func on(c rl.Config, m Config, episodes int) rl.Config {
	c = c.For(name, scored)
	c.Evaluation.Protocol.Repeats, c.Evaluation.Protocol.Scored = 1, episodes
	Put(&c, m)
	return c
}

// ml1 is the TCL paper's column for Meta-World, which is the walker's with ten times its learning rate.
func ml1(lr float64) rl.Config {
	c := suite.MetaWorld()
	m := columns[5].config(c.TrainTasks)
	m.LR = lr
	c = on(c, m, 2)
	c.Evaluation.Every = 20
	return c
}

// pointRobot is a reduction for the point robot, with the width, discount and learning rate of point.
func pointRobot(iterations, updates int) rl.Config {
	m := Default()
	m.Hidden, m.Context, m.History, m.Batch = 64, 10, 10, 128
	m.Discount, m.TargetTau = 0.9, 0.02
	m.InitialSteps, m.MinInitialSteps, m.InitialEpisode, m.EpisodesPerIteration = 100, 4000, 20, 20
	m.UpdatesPerIteration, m.WarmupTransitions, m.Iterations = updates, 0, iterations
	m.AdaptUpdates, m.ReplayUpdates, m.ReplayBatches = 5, 20, 1
	c := on(suite.Point(), m, 1)
	c.Evaluation.Every = 20
	return c
}

// cheetah is a reduction for the half-cheetah, with the width, discount and learning rate of cheetah.
func cheetah(iterations int) rl.Config {
	m := Default()
	m.Hidden, m.History, m.Batch = 128, 10, 128
	m.Discount, m.TargetTau = 0.9, 0.01
	m.InitialSteps, m.EpisodesPerIteration = 400, 5
	m.UpdatesPerIteration, m.WarmupTransitions, m.Iterations = 400, 0, iterations
	m.AdaptUpdates, m.ReplayUpdates, m.ReplayBatches = 5, 20, 2
	c := on(suite.Cheetah(), m, 1)
	c.Evaluation.Every = 20
	return c
}

func presets() []rl.PresetOf {
	var out []rl.PresetOf
	for _, k := range columns {
		out = append(out, rl.PresetOf{Name: "mql/" + k.family, About: "as published with MQL, a million steps",
			Make: func() rl.Config {
				i := slices.IndexFunc(suite.Controls, func(t suite.Control) bool { return t.Family == k.family })
				c := suite.Controls[i].Config()
				c = on(c, k.config(c.TrainTasks), k.evals)
				c.Evaluation.Every = 20
				return c
			}})
	}
	return append(out,
		rl.PresetOf{Name: "mql/ml1",
			About: "MQL on Meta-World: the TCL paper's table with the learning rate it must mean; choose the family",
			Make: func() rl.Config {
				return ml1(8e-4)
			}},
		rl.PresetOf{Name: "mql/ml1-literal", About: "the same with the learning rate it prints, 0.008",
			Make: func() rl.Config {
				return ml1(8e-3)
			}},
		rl.PresetOf{Name: "quick/point-goal-mql",
			About: "the point robot by MQL in a quarter of a minute: 6,000 updates", Make: func() rl.Config {
				return pointRobot(60, 100)
			}},
		rl.PresetOf{Name: "study/point-goal-mql", About: "the point robot by MQL: 30,000 updates",
			Make: func() rl.Config {
				return pointRobot(150, 200)
			}},
		rl.PresetOf{Name: "study/cheetah-vel-mql", About: "half-cheetah velocity by MQL: 48,000 updates",
			Make: func() rl.Config {
				return cheetah(120)
			}})
}
