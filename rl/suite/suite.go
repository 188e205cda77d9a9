// Package suite holds the benchmarks that presets of all algorithms start from: which families, how many tasks, how
// often and how they are evaluated. They are configurations without an algorithm.
//
//	c := suite.MetaWorld().For("rl2", "garage-ml1-onpolicy")
//	rl2.Put(&c, rl2.Default())
package suite

import "nacre/rl"

// Control is a task family of the MuJoCo tables published with PEARL.
type Control struct {
	Family      string
	Train, Test int // tasks
	Repeats     int // evaluations of each test task
}

// Controls are the six, in the table's order.
var Controls = []Control{
	{"cheetah-dir", 2, 2, 4},
	{"cheetah-vel", 100, 30, 1},
	{"humanoid-dir", 100, 30, 1},
	{"ant-dir", 2, 2, 4},
	{"ant-goal", 150, 30, 1},
	{"walker-rand-params", 40, 10, 2},
}

// Config evaluates a control under PEARL's protocol.
func (k Control) Config() rl.Config {
	c := rl.Default()
	c.Family, c.TrainTasks, c.TestTasks = k.Family, k.Train, k.Test
	c.Evaluation.Protocol.Repeats = k.Repeats
	return c
}

// MetaWorld is one of the fifty ML1 families of Meta-World, push until another is chosen.
func MetaWorld() rl.Config {
	c := rl.Default().For("", "garage-ml1")
	c.Family, c.TrainTasks, c.TestTasks = "ml1/push", 50, 10
	return c
}

// Point is the point robot with fewer tasks, for reductions that run in minutes.
func Point() rl.Config {
	c := rl.Default()
	c.Family, c.TrainTasks, c.TestTasks = "point-goal", 40, 10
	c.Evaluation.Every = 5
	return c
}

// Cheetah is the half-cheetah's velocities with fewer tasks, for reductions.
func Cheetah() rl.Config {
	c := Control{"cheetah-vel", 40, 10, 1}.Config()
	c.Evaluation.Every = 4
	return c
}
