package mql

import (
	"nacre/core"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/losses"
	"nacre/rl/benchmark"
)

// name of the algorithm and of its table, and the protocol it is scored under.
const (
	name   = "mql"
	scored = "mql"
)

var table = rl.Table{Name: name, Default: Default()}

// Of returns the algorithm's settings of a run.
func Of(c rl.Config) Config { return c.Get(table).(Config) }

// Put writes the algorithm's settings into a run's configuration.
func Put(c *rl.Config, own Config) { c.Put(table, own) }

// algorithm is the registration without an auxiliary loss.
func algorithm() rl.Algorithm {
	return rl.Algorithm{
		Name: name, Title: "MQL",
		About:     "meta-Q-learning: a context from a recurrent unit, and off-policy fine-tuning on the test task",
		Tables:    []rl.Table{table},
		Schedule:  func(c rl.Config) (iterations, updates int) { return Of(c).Iterations, Of(c).UpdatesPerIteration },
		Length:    "mql.iterations",
		Protocol:  scored,
		Small:     []string{"mql.hidden=27", "mql.context=5", "mql.history=4", "mql.batch=70"},
		Presets:   presets(),
		New:       func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(Of(c), s) },
		Remembers: true,
		Benchmark: func(s benchmark.Size, d core.Device) (benchmark.Update, error) { return NewBenchmark(s, d) },
	}
}

// With is MQL with a loss on the encoders of its critics and of its actor.
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
