package rl2

import (
	"nacre/core"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/losses"
	"nacre/rl/benchmark"
)

// name of the algorithm and of its table, and the protocol it is scored under.
const (
	name   = "rl2"
	scored = "garage-ml1-onpolicy"
)

var table = rl.Table{Name: name, Default: Default()}

// Of returns the algorithm's settings of a run.
func Of(c rl.Config) Config { return c.Get(table).(Config) }

// Put writes the algorithm's settings into a run's configuration.
func Put(c *rl.Config, own Config) { c.Put(table, own) }

// algorithm is the registration without an auxiliary loss.
func algorithm() rl.Algorithm {
	return rl.Algorithm{
		Name: name, Title: "RL²", About: "a recurrent policy that remembers the episodes of a trial, trained by PPO",
		Tables:    []rl.Table{table},
		Schedule:  func(c rl.Config) (iterations, updates int) { return Of(c).Iterations, Of(c).Epochs },
		Length:    "rl2.iterations",
		Protocol:  scored,
		Discrete:  true,
		Small:     []string{"rl2.hidden=21", "rl2.meta_batch=3", "rl2.episodes=2", "rl2.chunk=4"},
		Presets:   presets(),
		New:       func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(Of(c), s) },
		Benchmark: func(s benchmark.Size, d core.Device) (benchmark.Update, error) { return NewBenchmark(s, d) },
	}
}

// With is RL² with a loss on its policy's recurrent unit.
func With(l auxiliary.Loss) rl.Algorithm {
	return auxiliary.Carry(algorithm(), l, func(c rl.Config, s rl.Setup, a *auxiliary.Attachment) (rl.Learner, error) {
		return newLearner(Of(c), s, a)
	})
}

func init() {
	rl.Builtin(algorithm())
	for _, l := range losses.All() {
		rl.Builtin(With(l))
	}
}
