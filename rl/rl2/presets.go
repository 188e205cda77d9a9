package rl2

import (
	"nacre/rl"
	"nacre/rl/suite"
)

// on configures RL² for a benchmark with the protocol of the on-policy algorithms. The number of exploration
// trajectories is the number of a trial's episodes less one.
func on(c rl.Config, r Config) rl.Config {
	c = c.For(name, scored)
	c.Evaluation.Protocol.Repeats, c.Evaluation.Protocol.Explore = 1, max(r.Episodes-1, 1)
	Put(&c, r)
	return c
}

// ml1 is garage's launcher for Meta-World: a million steps, evaluated every ten iterations after ten trajectories.
func ml1() rl.Config {
	c := on(suite.MetaWorld(), Default())
	c.Evaluation.Every, c.Evaluation.Protocol.Explore = 10, 10
	return c
}

// promp is the sweep on the MuJoCo controls in the ProMP repository, to which the TCL paper refers: 100 trials of two
// episodes. Its cell is an LSTM, ours a gated recurrent unit of the same width. 25 iterations are a million steps.
func promp(c rl.Config) rl.Config {
	r := Default()
	r.MetaBatch, r.Episodes, r.GAELambda, r.Advantages, r.Epochs = 100, 2, 1, "std", 5
	r.Entropy, r.Iterations = 0, 25
	return on(c, r)
}

// pointRobot is a reduction for the point robot, with the discount and learning rate of point: 300 iterations
// are 720,000 steps.
func pointRobot(iterations int) rl.Config {
	r := Default()
	r.Hidden, r.InitStd, r.MetaBatch, r.Episodes = 32, 0.5, 40, 3
	r.Discount, r.GAELambda, r.Advantages, r.Entropy = 0.9, 0.9, "std", 0
	r.Chunk, r.Iterations = 20, iterations
	c := on(suite.Point(), r)
	c.Evaluation.Every = 20
	return c
}

// bandit is a reduction for the bandit, whose trials are one episode of 10 pulls: 300 iterations are 600,000 pulls.
func bandit() rl.Config {
	r := Default()
	r.Hidden, r.MetaBatch, r.Episodes, r.GAELambda, r.Advantages = 32, 200, 1, 0.3, "std"
	r.Entropy, r.EntropyMode, r.LR, r.Epochs, r.Chunk, r.Iterations = 0.01, regularized, 3e-3, 8, 10, 300
	c := on(suite.Bandit(), r)
	c.Evaluation.Protocol.Repeats, c.Evaluation.Protocol.Explore = 10, 0
	return c
}

// grid is a reduction for the grid world, whose trials are 4 episodes of 15 steps: 400 iterations are 960,000 steps.
func grid() rl.Config {
	r := Default()
	r.Hidden, r.MetaBatch, r.Episodes, r.Discount, r.Advantages = 32, 40, 4, 0.95, "std"
	r.Entropy, r.EntropyMode, r.LR, r.Chunk, r.Iterations = 0.03, regularized, 3e-3, 20, 400
	c := on(suite.Grid(), r)
	c.Evaluation.Every = 20
	return c
}

// cheetah is a reduction for the half-cheetah, with the discount of cheetah.
func cheetah(iterations int) rl.Config {
	r := Default()
	r.InitStd, r.MetaBatch, r.Episodes = 0.5, 20, 2
	r.Discount, r.GAELambda, r.Advantages, r.Entropy = 0.95, 0.9, "std", 0
	r.LR, r.Iterations = 2e-3, iterations
	c := on(suite.Cheetah(), r)
	c.Evaluation.Every = 20
	return c
}

func presets() []rl.PresetOf {
	var out []rl.PresetOf
	for _, k := range suite.Controls {
		out = append(out, rl.PresetOf{Name: "rl2/" + k.Family, About: "RL² as in the ProMP repository, a million steps",
			Make: func() rl.Config { return promp(k.Config()) }})
	}
	return append(out,
		rl.PresetOf{Name: "rl2/ml1",
			About: "RL² on Meta-World as garage launches it, a million steps; choose the family", Make: ml1},
		rl.PresetOf{Name: "quick/point-goal-rl2", About: "the point robot by RL²: 3,000 updates",
			Make: func() rl.Config {
				return pointRobot(300)
			}},
		rl.PresetOf{Name: "quick/bandit-rl2", About: "RL²'s bandit of 5 arms by RL²: 600,000 pulls, 2,400 updates",
			Make: bandit},
		rl.PresetOf{Name: "quick/grid-rl2", About: "VariBAD's grid world by RL²: 960,000 steps, 4,000 updates",
			Make: grid},
		rl.PresetOf{Name: "study/cheetah-vel-rl2", About: "half-cheetah velocity by RL²: 800,000 steps, 1,000 updates",
			Make: func() rl.Config { return cheetah(100) }})
}
