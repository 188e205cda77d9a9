// Package focal is FOCAL on-line: PEARL with a deterministic encoder that learns from FOCAL's distance metric alone.
// The published method learns from frozen data; README.md says what is the same and what is not.
//
//	learner, err := focal.New(config, setup)
package focal

import (
	"nacre/pearl"
	"nacre/rl"
	metric "nacre/rl/auxiliary/focal"
)

// name of the algorithm.
const name = "focal"

// New makes a learner with freshly drawn parameters and empty buffers, by the tables pearl and focal.
func New(c rl.Config, s rl.Setup) (*pearl.Learner, error) {
	own := pearl.Of(c)
	own.Points = true
	return pearl.NewWith(metric.Loss(), own, c, s)
}

func init() {
	loss := metric.Loss()
	rl.Builtin(rl.Algorithm{
		Name: name, Title: "FOCAL",
		About:    "a deterministic encoder that learns from a distance metric alone, and soft actor-critic; on-line",
		Tables:   []rl.Table{pearl.Table, loss.Table},
		Schedule: pearl.Schedule,
		Length:   "pearl.iterations",
		Protocol: "oyster",
		Small:    append(pearl.Small(), loss.Small[1:]...), // without focal.bounded: embeddings are
		New:      func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(c, s) },
		Window:   func(c rl.Config) int { return pearl.Of(c).Context },
		Acts:     pearl.Acts(),
	})
}
