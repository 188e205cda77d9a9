package oracle

import (
	"nacre/rl"
	"nacre/rl/suite"
)

// on configures the oracle for a benchmark: the same family and tasks, scored without exploration.
func on(c rl.Config, o Config) rl.Config {
	c = c.For(name, scored)
	Put(&c, o)
	return c
}

// pointRobot and cheetah are reductions with the widths, discounts and learning rates of TCL-PEARL's on the same
// benchmarks.
func pointRobot(iterations, updates int) rl.Config {
	o := Default()
	o.Hidden, o.Layers, o.MetaBatch, o.Batch = 64, 2, 16, 16
	o.Discount, o.TargetTau, o.LRPolicy, o.LRQ, o.LRAlpha = 0.9, 0.02, 1e-3, 1e-3, 1e-3
	o.InitialSteps, o.TasksPerIteration, o.StepsPerTask = 200, 10, 100
	o.UpdatesPerIteration, o.Iterations = updates, iterations
	return on(suite.Point(), o)
}

func cheetah(iterations int) rl.Config {
	o := Default()
	o.Hidden, o.MetaBatch, o.Batch = 128, 8, 64
	o.Discount, o.TargetTau, o.RewardScale, o.LRPolicy, o.LRQ, o.LRAlpha = 0.9, 0.01, 10, 1e-3, 1e-3, 1e-3
	o.InitialSteps, o.TasksPerIteration, o.StepsPerTask = 400, 5, 400
	o.UpdatesPerIteration, o.Iterations = 400, iterations
	return on(suite.Cheetah(), o)
}

// presets: oracle/… are garage's multi-task SAC for a million steps on the families and tasks of the published tables.
func presets() []rl.PresetOf {
	out := []rl.PresetOf{
		{Name: "oracle/ml1", About: "Meta-World, told the goal, as in garage; choose the family",
			Make: func() rl.Config {
				return on(suite.MetaWorld(), Default())
			}},
		{Name: "quick/point-goal-oracle", About: "the point robot, told its goal: 4,000 updates",
			Make: func() rl.Config {
				return pointRobot(40, 100)
			}},
		{Name: "study/cheetah-vel-oracle", About: "half-cheetah, told its velocity: 48,000 updates",
			Make: func() rl.Config {
				return cheetah(120)
			}},
	}
	for _, k := range suite.Controls {
		out = append(out, rl.PresetOf{Name: "oracle/" + k.Family, About: "told the task, multi-task SAC as in garage",
			Make: func() rl.Config { return on(k.Config(), Default()) }})
	}
	return out
}
