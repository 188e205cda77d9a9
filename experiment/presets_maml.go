package experiment

import "nacre/maml"

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

// cheetahMAML is a reduction for cheetah-vel: half the tasks, a horizon of ten control steps in the discount, which a
// velocity needs no more than, longer inner steps and three times the divergence.
func cheetahMAML(iterations int) Config {
	m := maml.Default()
	m.Hidden, m.MetaBatch, m.InnerLR, m.Discount, m.MaxKL, m.Iterations = 64, 10, 0.3, 0.9, 0.03, iterations
	c := meta(cheetah(1), m)
	c.Evaluation.Every = 10
	return c
}

func mamlPresets() []preset {
	out := []preset{
		{"paper/ml1-maml", "MAML-TRPO on Meta-World without garage's defects; choose the family", func() Config { return meta(metaWorld(), maml.Default()) }},
		{"paper/ml1-maml-garage", "MAML-TRPO on Meta-World as garage has it; choose the family", garageMAML},
		{"quick/point-goal-maml", "the point robot by MAML-TRPO: 100 meta-updates, 800,000 steps", func() Config { return pointMAML(100) }},
		{"study/cheetah-vel-maml", "half-cheetah velocity by MAML-TRPO: 50 meta-updates, 2,000,000 steps", func() Config { return cheetahMAML(50) }},
	}
	for _, k := range controls {
		out = append(out, preset{"paper/" + k.family + "-maml", "MAML-TRPO as the ProMP repository has it for MuJoCo", func() Config { return promp(k) }})
	}
	return out
}
