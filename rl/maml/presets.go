package maml

import (
	"nacre/rl"
	"nacre/rl/suite"
)

// on configures MAML for a benchmark, by the on-policy protocol.
func on(c rl.Config, m Config) rl.Config {
	c = c.For(name, scored)
	Put(&c, m)
	return c
}

// garage is exactly garage's MAML-TRPO on Meta-World, with its defects.
func garage() rl.Config {
	m := Default()
	m.Advantages, m.Surrogate, m.Value = "variance", "log-prob", "mlp-once"
	return on(suite.MetaWorld(), m)
}

// promp is what the ProMP repository publishes for MAML-TRPO on MuJoCo, to which the paper refers: 40 tasks of 20 + 20
// episodes. Actions are a tenth of the policy's outputs.
func promp(k suite.Control) rl.Config {
	m := Default()
	m.Hidden, m.ActionScale, m.MetaBatch, m.Episodes, m.Iterations = 64, 10, 40, 20, 1001
	return on(k.Config(), m)
}

// pointRobot is a reduced configuration for the point robot: a narrow policy and a horizon of ten steps in the
// discount.
func pointRobot(iterations int) rl.Config {
	m := Default()
	m.Hidden, m.InnerLR, m.Discount, m.Iterations = 32, 0.3, 0.9, iterations
	c := on(suite.Point(), m)
	c.Evaluation.Every = 10
	return c
}

// cheetah is a reduced configuration for cheetah-vel, with many small meta-updates: 4 tasks of 4 + 4 episodes, ten
// times the divergence, and half the noise in the actions. The discount has a horizon of ten control steps, which is
// enough for a velocity.
func cheetah(iterations int) rl.Config {
	m := Default()
	m.Hidden, m.InitStd, m.MetaBatch, m.Episodes, m.MaxKL = 64, 0.5, 4, 4, 0.1
	m.Discount, m.GAELambda, m.Iterations = 0.9, 0.9, iterations
	c := on(suite.Cheetah(), m)
	c.Evaluation.Every = 25
	return c
}

func presets() []rl.PresetOf {
	out := []rl.PresetOf{
		{Name: "maml/ml1", About: "MAML-TRPO on Meta-World without garage's defects; choose the family",
			Make: func() rl.Config {
				return on(suite.MetaWorld(), Default())
			}},
		{Name: "maml/ml1-garage", About: "MAML-TRPO on Meta-World as garage has it; choose the family", Make: garage},
		{Name: "quick/point-goal-maml", About: "the point robot by MAML-TRPO: 100 meta-updates, 800,000 steps",
			Make: func() rl.Config { return pointRobot(100) }},
		{Name: "study/cheetah-vel-maml", About: "half-cheetah velocity by MAML-TRPO: 200 meta-updates, 1,280,000 steps",
			Make: func() rl.Config { return cheetah(200) }},
	}
	for _, k := range suite.Controls {
		out = append(out, rl.PresetOf{Name: "maml/" + k.Family,
			About: "MAML-TRPO as in the ProMP repository: 1,001 meta-updates of 320,000 steps", Make: func() rl.Config {
				return promp(k)
			}})
	}
	return out
}
