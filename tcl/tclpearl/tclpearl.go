// Package tclpearl is TCL-PEARL: PEARL with TCL's loss on the context encoder. It registers the algorithm. Its parts
// are packages pearl and tcl, which do not import each other.
//
//	cfg, err := rl.Preset("quick/point-goal")
//	learner, err := tclpearl.New(pearl.Of(cfg), tcl.Of(cfg), setup)
package tclpearl

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/benchmark"
	"nacre/tcl"
)

const name = "tcl-pearl"

// New makes a learner with freshly drawn parameters and empty buffers.
func New(p pearl.Config, c tcl.Config, s rl.Setup) (*pearl.Learner, error) {
	return pearl.New(p, s, func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
		return tcl.New(c, enc, metaBatch)
	})
}

// small returns the settings for tests on devices. Windows are as long as PEARL's contexts.
func small() []string { return append(pearl.Small(), "tcl.window=65") }

// variants returns the TCL authors' programs, and parts of them.
func variants() map[string][]string {
	rows := []string{"tcl.window=17", "tcl.contrast=transitions"}
	return map[string][]string{
		"transitions": append(rows, "tcl.sigma=var"),
		"authors": slices.Concat(pearl.Variants()["authors"], rows, []string{
			"pearl.encoder_layers=4", "tcl.sigma=raw", "tcl.query=own", "tcl.shared_layers=2", "tcl.key_gradient=true",
			"tcl.defect_column_maximum=true",
		}),
	}
}

func init() {
	rl.Builtin(rl.Algorithm{
		Name: name, Title: "TCL-PEARL", About: "PEARL with trajectory contrastive learning of its context encoder",
		Tables: []rl.Table{pearl.Table, tcl.Table},
		Validate: func(c rl.Config) error {
			if n := pearl.Of(c).MetaBatch; n < 2 {
				return fmt.Errorf("pearl.meta_batch = %d with %s, want at least 2: there must be another task to "+
					"contrast", n, name)
			}
			return nil
		},
		Schedule:  pearl.Schedule,
		Length:    "pearl.iterations",
		Protocol:  "oyster",
		Small:     small(),
		Variants:  variants(),
		Presets:   presets(),
		New:       func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(pearl.Of(c), tcl.Of(c), s) },
		Window:    func(c rl.Config) int { return tcl.Of(c).Window },
		Acts:      pearl.Acts(),
		Benchmark: func(s benchmark.Size, d core.Device) (benchmark.Update, error) { return NewBenchmark(s, d) },
	})
}
