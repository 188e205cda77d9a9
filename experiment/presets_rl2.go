package experiment

import "nacre/rl/rl2"

// rl2On makes another preset RL²'s: the same family and tasks, the protocol of the on-policy algorithms with as many
// exploration trajectories as a trial has before its last.
func rl2On(c Config, r rl2.Config) Config {
	c.Algorithm, c.RL2 = "rl2", r
	c.Evaluation.Protocol = mustProtocol("garage-ml1-onpolicy")
	c.Evaluation.Protocol.Explore = max(r.Episodes-1, 1)
	return c
}

// rl2ML1 is garage's launcher for Meta-World: a million steps, evaluated every ten iterations after ten trajectories.
func rl2ML1() Config {
	c := rl2On(metaWorld(), rl2.Default())
	c.Evaluation.Every, c.Evaluation.Protocol.Explore = 10, 10
	return c
}

// rl2ProMP is the sweep on the MuJoCo controls in the ProMP repository, to which the TCL paper refers: 100 trials of two
// episodes. Its cell is an LSTM, ours a gated recurrent unit of the same width. 25 iterations are a million steps.
func rl2ProMP(c Config) Config {
	r := rl2.Default()
	r.MetaBatch, r.Episodes, r.GAELambda, r.Advantages, r.Epochs = 100, 2, 1, "std", 5
	r.Entropy, r.Iterations = 0, 25
	return rl2On(c, r)
}

// rl2Point is a reduction for the point robot, with the discount and learning rate of point: 300 iterations
// are 720,000 steps.
func rl2Point(iterations int) Config {
	r := rl2.Default()
	r.Hidden, r.InitStd, r.MetaBatch, r.Episodes = 32, 0.5, 40, 3
	r.Discount, r.GAELambda, r.Advantages, r.Entropy = 0.9, 0.9, "std", 0
	r.Chunk, r.Iterations = 20, iterations
	c := rl2On(point(1, 1), r)
	c.Evaluation.Every = 20
	return c
}

// rl2Cheetah is a reduction for the half-cheetah, with the discount of cheetah.
func rl2Cheetah(iterations int) Config {
	r := rl2.Default()
	r.InitStd, r.MetaBatch, r.Episodes = 0.5, 20, 2
	r.Discount, r.GAELambda, r.Advantages, r.Entropy = 0.95, 0.9, "std", 0
	r.LR, r.Iterations = 2e-3, iterations
	c := rl2On(cheetah(1), r)
	c.Evaluation.Every = 20
	return c
}

func rl2Presets() []preset {
	var out []preset
	for _, k := range controls {
		out = append(out, preset{"rl2/" + k.family, "RL² as in the ProMP repository, a million steps", func() Config { return rl2ProMP(k.config()) }})
	}
	return append(out,
		preset{"rl2/ml1", "RL² on Meta-World as garage launches it, a million steps; choose the family", rl2ML1},
		preset{"quick/point-goal-rl2", "the point robot by RL²: 3,000 updates", func() Config { return rl2Point(300) }},
		preset{"study/cheetah-vel-rl2", "half-cheetah velocity by RL²: 800,000 steps, 1,000 updates", func() Config { return rl2Cheetah(100) }})
}
