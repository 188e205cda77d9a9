package experiment

import "nacre/rl/mql"

// mqlColumn is one column of the table published with MQL; the family's tasks are those of PEARL's table.
type mqlColumn struct {
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

var mqlColumns = []mqlColumn{
	{"ant-dir", 4, 4, .2, .4, 25, 1.2, 30, 3e-4, 1000, 5, 400, .05, false},
	{"humanoid-dir", 2, 3, .2, .3, 15, 2, 20, 3e-4, 500, 5, 15, .1, true},
	{"cheetah-vel", 2, 2, .3, .3, 20, 1, 15, 1e-3, 200, 10, 100, .1, false},
	{"cheetah-dir", 4, 2, .3, .3, 20, 1.5, 20, 3e-4, 500, 10, 50, .5, false},
	{"ant-goal", 2, 4, .3, .3, 40, 2, 40, 4e-4, 200, 10, 150, .1, false},
	{"walker-rand-params", 2, 3, .2, .2, 10, 1.1, 30, 8e-4, 200, 10, 400, .06, false},
}

// column returns the table's values over one million environment steps, where episodes last to the horizon.
func (k mqlColumn) column(trainTasks int) mql.Config {
	m := mql.Default()
	m.PolicyEvery, m.ExplorationNoise, m.PolicyNoise = k.policyEvery, k.explore, k.policyNoise
	m.History, m.Context, m.LR = k.history, k.context, k.lr
	m.UpdatesPerIteration, m.AdaptUpdates, m.ReplayUpdates = k.updates, k.adapt, k.main
	m.BetaClip, m.PropensityC, m.PropensityObs = k.betaClip, k.propensityC, k.propensityObservation
	const steps, horizon = 1_000_000, 200
	m.Iterations = 1 + (steps-max(m.InitialSteps*trainTasks, m.MinInitialSteps))/(m.EpisodesPerIteration*horizon)
	return m
}

// mqlOn makes another preset MQL's: the same family and tasks, MQL's protocol.
func mqlOn(c Config, m mql.Config, scored int) Config {
	c.Algorithm, c.MQL = "mql", m
	c.Evaluation.Protocol = mustProtocol("mql")
	c.Evaluation.Protocol.Scored = scored
	return c
}

// mqlML1 is the TCL paper's column for Meta-World, which is the walker's with ten times its learning rate.
func mqlML1(lr float64) Config {
	c := metaWorld()
	m := mqlColumns[5].column(c.TrainTasks)
	m.LR = lr
	c = mqlOn(c, m, 2)
	c.Evaluation.Every = 20
	return c
}

// mqlPoint is a reduction for the point robot, with the width, discount and learning rate of point.
func mqlPoint(iterations, updates int) Config {
	m := mql.Default()
	m.Hidden, m.Context, m.History, m.Batch = 64, 10, 10, 128
	m.Discount, m.TargetTau = 0.9, 0.02
	m.InitialSteps, m.MinInitialSteps, m.InitialEpisode, m.EpisodesPerIteration = 100, 4000, 20, 20
	m.UpdatesPerIteration, m.WarmupTransitions, m.Iterations = updates, 0, iterations
	m.AdaptUpdates, m.ReplayUpdates, m.ReplayBatches = 5, 20, 1
	c := mqlOn(point(1, 1), m, 1)
	c.Evaluation.Every = 20
	return c
}

// mqlCheetah is a reduction for the half-cheetah, with the width, discount and learning rate of cheetah.
func mqlCheetah(iterations int) Config {
	m := mql.Default()
	m.Hidden, m.History, m.Batch = 128, 10, 128
	m.Discount, m.TargetTau = 0.9, 0.01
	m.InitialSteps, m.EpisodesPerIteration = 400, 5
	m.UpdatesPerIteration, m.WarmupTransitions, m.Iterations = 400, 0, iterations
	m.AdaptUpdates, m.ReplayUpdates, m.ReplayBatches = 5, 20, 2
	c := mqlOn(cheetah(1), m, 1)
	c.Evaluation.Every = 20
	return c
}

func mqlPresets() []preset {
	var out []preset
	for _, k := range mqlColumns {
		out = append(out, preset{"mql/" + k.family, "as published with MQL, a million steps", func() Config {
			c := base()
			for _, t := range controls {
				if t.family == k.family {
					c = t.config()
				}
			}
			c = mqlOn(c, k.column(c.TrainTasks), k.evals)
			c.Evaluation.Every = 20
			return c
		}})
	}
	return append(out,
		preset{"mql/ml1", "MQL on Meta-World: the TCL paper's table with the learning rate it must mean; choose the family", func() Config { return mqlML1(8e-4) }},
		preset{"mql/ml1-literal", "the same with the learning rate it prints, 0.008", func() Config { return mqlML1(8e-3) }},
		preset{"quick/point-goal-mql", "the point robot by MQL in a quarter of a minute: 6,000 updates", func() Config { return mqlPoint(60, 100) }},
		preset{"study/point-goal-mql", "the point robot by MQL: 30,000 updates", func() Config { return mqlPoint(150, 200) }},
		preset{"study/cheetah-vel-mql", "half-cheetah velocity by MQL: 48,000 updates", func() Config { return mqlCheetah(120) }})
}
