package oracle

import (
	"nacre/core"
	"nacre/rl"
	"nacre/rl/benchmark"
)

// name of the algorithm and of its table, and the protocol it is scored under.
const (
	name   = "oracle"
	scored = "oracle"
)

var table = rl.Table{Name: name, Default: Default()}

// Of returns the algorithm's settings of a run.
func Of(c rl.Config) Config { return c.Get(table).(Config) }

// Put writes the algorithm's settings into a run's configuration.
func Put(c *rl.Config, own Config) { c.Put(table, own) }

func init() {
	rl.Builtin(rl.Algorithm{
		Name: name, Title: "Oracle",
		About:     "told the task: multi-task soft actor-critic, what the others could reach at best",
		Tables:    []rl.Table{table},
		Schedule:  func(c rl.Config) (iterations, updates int) { return Of(c).Iterations, Of(c).UpdatesPerIteration },
		Length:    "oracle.iterations",
		Protocol:  scored,
		Small:     []string{"oracle.hidden=27", "oracle.meta_batch=3", "oracle.batch=70"},
		Presets:   presets(),
		New:       func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(Of(c), s) },
		Benchmark: func(s benchmark.Size, d core.Device) (benchmark.Update, error) { return NewBenchmark(s, d) },
	})
}
