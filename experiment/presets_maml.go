package experiment

import "nacre/maml"

// meta makes a preset of its MAML: the same family and tasks, by the on-policy protocol.
func meta(c Config, m maml.Config) Config {
	c.Algorithm, c.MAML = "maml", m
	c.Evaluation.Protocol = mustProtocol("garage-ml1-onpolicy")
	return c
}

// pointMAML is a reduction for the point robot: a narrow policy and a horizon of ten steps in the discount.
func pointMAML(iterations int) Config {
	m := maml.Default()
	m.Hidden, m.MetaBatch, m.Episodes, m.Discount = 32, 20, 10, 0.9
	m.Iterations = iterations
	c := meta(point(1, 1), m)
	c.Evaluation.Every = 10
	return c
}

// cheetahMAML is a reduction for cheetah-vel.
func cheetahMAML(iterations int) Config {
	m := maml.Default()
	m.Hidden, m.MetaBatch, m.Episodes = 64, 20, 10
	m.Iterations = iterations
	c := meta(cheetah(1), m)
	c.Evaluation.Every = 10
	return c
}

func mamlPresets() []preset {
	return []preset{
		{"quick/point-goal-maml", "the point robot by MAML-TRPO", func() Config { return pointMAML(100) }},
		{"study/cheetah-vel-maml", "half-cheetah velocity by MAML-TRPO", func() Config { return cheetahMAML(100) }},
	}
}
