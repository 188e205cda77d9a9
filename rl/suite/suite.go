// Package suite holds the configurations from which presets of all algorithms start. They name no algorithm, only the
// family, the number of tasks, and how and how often they are evaluated.
//
//	c := suite.MetaWorld().For("rl2", "garage-ml1-onpolicy")
//	rl2.Put(&c, rl2.Default())
package suite

import "nacre/rl"

// Control is a task family of the MuJoCo tables published with PEARL.
type Control struct {
	Family      string
	Train, Test int // tasks
	Repeats     int // number of evaluations of each test task
}

// Controls lists the six MuJoCo families in the order of PEARL's table.
var Controls = []Control{
	{"cheetah-dir", 2, 2, 4},
	{"cheetah-vel", 100, 30, 1},
	{"humanoid-dir", 100, 30, 1},
	{"ant-dir", 2, 2, 4},
	{"ant-goal", 150, 30, 1},
	{"walker-rand-params", 40, 10, 2},
}

// Config is the configuration of a control, evaluated under PEARL's protocol.
func (k Control) Config() rl.Config {
	c := rl.Default()
	c.Family, c.TrainTasks, c.TestTasks = k.Family, k.Train, k.Test
	c.Evaluation.Protocol.Repeats = k.Repeats
	return c
}

// MetaWorld is one of the fifty ML1 families of Meta-World. It is push unless another is chosen.
func MetaWorld() rl.Config {
	c := rl.Default().For("", "garage-ml1")
	c.Family, c.TrainTasks, c.TestTasks = "ml1/push", 50, 10
	return c
}

// Point is the point robot with fewer tasks, for small presets that run in minutes.
func Point() rl.Config {
	c := rl.Default()
	c.Family, c.TrainTasks, c.TestTasks = "point-goal", 40, 10
	c.Evaluation.Every = 5
	return c
}

// Bandit is the bandit with 5 arms and 10 pulls. An episode is a whole trial, so nothing is explored before it.
func Bandit() rl.Config {
	c := rl.Default()
	c.Family, c.TrainTasks, c.TestTasks = "bandit-5", 1000, 100
	c.Evaluation.Every, c.Evaluation.Protocol.Repeats = 20, 10
	return c
}

// Grid is VariBAD's grid world, evaluated on all of its goals.
func Grid() rl.Config {
	c := rl.Default()
	c.Family, c.Evaluation.Every = "grid", 20
	c.Evaluation.Protocol.Repeats = 1
	return c
}

// Cheetah is the half-cheetah velocity family with fewer tasks, for smaller presets.
func Cheetah() rl.Config {
	c := Control{"cheetah-vel", 40, 10, 1}.Config()
	c.Evaluation.Every = 4
	return c
}
