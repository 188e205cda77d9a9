package experiment

import "nacre/rl/maml"

// meta makes a preset of its MAML: the same family and tasks, by the on-policy protocol.
func meta(c Config, m maml.Config) Config {
	c.Algorithm, c.MAML = "maml", m
	repeats := c.Evaluation.Protocol.Repeats
	c.Evaluation.Protocol = mustProtocol("garage-ml1-onpolicy")
	c.Evaluation.Protocol.Repeats = repeats
	return c
}

// garageMAML is garage's MAML-TRPO on Meta-World to the letter, its defects included.
func garageMAML() Config {
	m := maml.Default()
	m.Advantages, m.Surrogate, m.Value = "variance", "log-prob", "mlp-once"
	return meta(metaWorld(), m)
}

// promp is what the ProMP repository publishes for MAML-TRPO on MuJoCo, to which the paper refers: 40 tasks of 20 + 20
// episodes, with actions that are a tenth of the policy's outputs.
func promp(k control) Config {
	m := maml.Default()
	m.Hidden, m.ActionScale, m.MetaBatch, m.Episodes, m.Iterations = 64, 10, 40, 20, 1001
	return meta(k.config(), m)
}

// pointMAML is a reduction for the point robot: a narrow policy and a horizon of ten steps in the discount.
func pointMAML(iterations int) Config {
	m := maml.Default()
	m.Hidden, m.InnerLR, m.Discount, m.Iterations = 32, 0.3, 0.9, iterations
	c := meta(point(1, 1), m)
	c.Evaluation.Every = 10
	return c
}

// cheetahMAML is a reduction for cheetah-vel, of many small meta-updates: 4 tasks of 4 + 4 episodes, ten times the
// divergence, half the noise in the actions, and a horizon of ten control steps in the discount, which a velocity needs no
// more than.
func cheetahMAML(iterations int) Config {
	m := maml.Default()
	m.Hidden, m.InitStd, m.MetaBatch, m.Episodes, m.MaxKL = 64, 0.5, 4, 4, 0.1
	m.Discount, m.GAELambda, m.Iterations = 0.9, 0.9, iterations
	c := meta(cheetah(1), m)
	c.Evaluation.Every = 25
	return c
}

func mamlPresets() []preset {
	out := []preset{
		{"maml/ml1", "MAML-TRPO on Meta-World without garage's defects; choose the family", func() Config { return meta(metaWorld(), maml.Default()) }},
		{"maml/ml1-garage", "MAML-TRPO on Meta-World as garage has it; choose the family", garageMAML},
		{"quick/point-goal-maml", "the point robot by MAML-TRPO: 100 meta-updates, 800,000 steps", func() Config { return pointMAML(100) }},
		{"study/cheetah-vel-maml", "half-cheetah velocity by MAML-TRPO: 200 meta-updates, 1,280,000 steps", func() Config { return cheetahMAML(200) }},
	}
	for _, k := range controls {
		out = append(out, preset{"maml/" + k.family, "MAML-TRPO as in the ProMP repository: 1,001 meta-updates of 320,000 steps", func() Config { return promp(k) }})
	}
	return out
}
