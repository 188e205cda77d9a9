package maml

import (
	"nacre/core"
	"nacre/rl"
	"nacre/rl/benchmark"
)

// Name of the algorithm and of its table, and the protocol under which it is scored.
const (
	name   = "maml"
	scored = "garage-ml1-onpolicy"
)

var table = rl.Table{Name: name, Default: Default()}

// Of returns the algorithm's settings of a run.
func Of(c rl.Config) Config { return c.Get(table).(Config) }

// Put sets the algorithm's settings of a run.
func Put(c *rl.Config, own Config) { c.Put(table, own) }

func init() {
	rl.Builtin(rl.Algorithm{
		Name: name, Title: "MAML",
		About:     "model-agnostic meta-learning with trust regions: a policy that one gradient step adapts",
		Tables:    []rl.Table{table},
		Schedule:  func(c rl.Config) (iterations, updates int) { return Of(c).Iterations, 1 },
		Length:    "maml.iterations",
		Protocol:  scored,
		Discrete:  true,
		Small:     []string{"maml.hidden=100"},
		Presets:   presets(),
		New:       func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(Of(c), s) },
		Benchmark: func(s benchmark.Size, d core.Device) (benchmark.Update, error) { return NewBenchmark(s, d) },
	})
}
