// Package protocol describes the meta-test as data, and scores agents by it. A protocol says for how many trajectories
// an agent explores a new task, how many trajectories are scored afterwards, how the agent acts and how it uses its
// belief. One function, Evaluate, runs any agent by any protocol, and the random and goal-knowing baselines in the same
// way. It reports every trajectory's return, so the result has "before adaptation", "after one trajectory" and "after
// k".
//
// Each task's numbers depend only on the task, the seed and the protocol. Other test tasks, their number and their
// order change nothing.
//
//	p, err := protocol.Preset("oyster") // 2 exploration trajectories, 1 scored
//	p.Repeats = 4
//	result, err := protocol.Evaluate(ctx, pool, test, p, agent, seed)
//	fmt.Println(result.Summary.Adapted) // mean return after adaptation, with an interval over tasks
//	random, err := protocol.Evaluate(ctx, pool, test, p, protocol.Random(family.Spec()), seed)
//	known, err := protocol.Evaluate(ctx, pool, test, p, protocol.Scripted(controller), seed)
//	share, err := protocol.Normalised(result.Summary.Adapted.Mean,
//		random.Summary.Adapted.Mean, known.Summary.Adapted.Mean)
package protocol

import (
	"fmt"

	"nacre/internal/nearest"
	"nacre/sim"
)

// Ways in which an agent turns its belief into a task embedding.
const (
	Mean   = "mean"   // the belief's mean
	Sample = "sample" // a draw from the belief
)

// Protocol says how agents are evaluated on a task. Trajectories 0 … Explore-1 explore, trajectories Explore …
// Explore+Scored-1 are scored. config.Check applies the ranges in its tags.
type Protocol struct {
	Name string `toml:"name" json:"name"`

	// Explore is the number of trajectories before adaptation, 0 to 1000. Their transitions are the agent's context.
	Explore int `toml:"explore" json:"explore" range:"[0,1000]" comment:"trajectories before adaptation"`

	// Scored is the number of trajectories after exploration whose mean return is the result, 1 to 1000.
	Scored int `toml:"scored" json:"scored" range:"[1,1000]" comment:"trajectories after them"`

	// Extend adds each scored trajectory to the context of the scored trajectories after it. Otherwise the context is
	// always that of exploration.
	Extend bool `toml:"extend" json:"extend" comment:"scored trajectories join the context of those that follow"`

	// With Deterministic the agent takes its mean action, also while exploring. Agents that adapt by policy gradients
	// still sample while exploring, because mean actions give no policy gradient. Without Deterministic all actions are
	// sampled.
	Deterministic bool `toml:"deterministic" json:"deterministic" comment:"mean actions"`

	// Z is "mean" or "sample": the embedding used after exploration. During exploration an agent that explores by
	// posterior sampling always draws from its prior, anew for each trajectory.
	Z string `toml:"z" json:"z" oneof:"mean sample" comment:"of the posterior, after exploration"`

	// Repeats is the number of adaptations per task, each from the beginning and with its own seeds, 1 to 10000.
	Repeats int `toml:"repeats" json:"repeats" range:"[1,10000]" comment:"adaptations per task"`

	// ContextLimit crops the context to this many transitions, chosen as the agent chooses its training contexts; 0 is
	// all of them. The posterior becomes narrower with more transitions. Without a limit, a long exploration would give
	// a posterior narrower than any seen in training.
	ContextLimit int `toml:"context_limit" json:"context_limit" range:"[0,1e9]" comment:"transitions; 0 is all"`

	// CarryBelief begins a task with the final belief of the task before it, in the given order; the first task begins
	// with the prior. The numbers of a task then depend on the tasks before it. It repeats a defect of the public code,
	// so that we can compare with results of that code. It changes nothing for baselines and for agents without a
	// belief.
	CarryBelief bool `toml:"carry_belief" json:"carry_belief,omitempty" comment:"defect of garage: a task begins with the belief about the one before"`

	// Tasks is the number of test tasks in each evaluation of a training run. Each evaluation takes the next ones in
	// turn; 0 is all of them.
	Tasks int `toml:"tasks" json:"tasks,omitempty" range:"[0,1000000]" comment:"test tasks of each evaluation in training, in turn; 0 is all"`

	// Horizon is the longest trajectory in steps; 0 is the family's own.
	Horizon int `toml:"horizon" json:"horizon" range:"[0,1e6]" comment:"steps; 0 is the family's"`
}

// presets are the protocols of the public implementations. The protocols of 2020 include the defects of those
// implementations; the others do not.
var presets = []Protocol{
	// PEARL and TCL-PEARL on the MuJoCo controls. The original counts 600 steps, so bodies that fall get more
	// trajectories. That is why this protocol counts trajectories.
	{Name: "oyster", Explore: 2, Scored: 1, Extend: true, Deterministic: true, Z: Sample, Repeats: 1},
	// PEARL and TCL-PEARL on ML1. The original carries the belief from one test task to the next, and samples actions
	// although it means not to. Here beliefs start at the prior, and deterministic actions are deterministic.
	{Name: "garage-ml1", Explore: 10, Scored: 1, Deterministic: true, Z: Sample, Repeats: 1},
	// The protocols of Meta-World's figures of 2020: the belief is carried over. The older code base (Simon0xzx/garage,
	// branch simon_work_branch: garage/experiment/meta_evaluator.py and the workers of garage/torch/algos) scores mean
	// actions. The newer one (Simon0xzx/tcl, algos/pearl_sac2.py and tcl_pearl.py) overwrites them by sampled ones. Its
	// environments deal ten of the fifty test tasks in turn, and shuffle them once all were dealt
	// (garage/envs/metaworld_set_task_env.py).
	{Name: "garage-2020-old", Explore: 10, Scored: 1, Deterministic: true, Z: Sample, Repeats: 1, CarryBelief: true},
	{Name: "garage-2020-new", Explore: 10, Scored: 1, Z: Sample, Repeats: 1, CarryBelief: true, Tasks: 10},
	// MAML-TRPO and RL²-PPO on ML1: both act by sampling and have no embedding.
	{Name: "garage-ml1-onpolicy", Explore: 10, Scored: 1, Z: Mean, Repeats: 1},
	// MQL adapts to one trajectory.
	{Name: "mql", Explore: 1, Scored: 1, Deterministic: true, Z: Mean, Repeats: 1},
	// Agents that are told the task have nothing to explore.
	{Name: "oracle", Explore: 0, Scored: 1, Deterministic: true, Z: Mean, Repeats: 1},
}

// Presets lists the names that Preset accepts.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// Preset returns a protocol by name. The error of an unknown name gives the nearest one.
func Preset(name string) (Protocol, error) {
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
	}
	return Protocol{}, fmt.Errorf("protocol: unknown protocol %q%s", name, nearest.Hint(name, Presets()))
}

// Turn returns the tasks of evaluation k, counted from 0: all tasks, or the next Tasks of them. After the last task it
// begins again with the first.
func (p Protocol) Turn(tasks []sim.Task, k int) []sim.Task {
	if p.Tasks == 0 || p.Tasks >= len(tasks) {
		return tasks
	}
	out := make([]sim.Task, p.Tasks)
	for i := range out {
		out[i] = tasks[(k*p.Tasks+i)%len(tasks)]
	}
	return out
}

// Trajectories is the number of trajectories of each adaptation.
func (p Protocol) Trajectories() int { return p.Explore + p.Scored }
