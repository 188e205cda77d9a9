// Package experiment runs experiments: what to train is data (Config, presets), a run lives in a folder from which
// it can be repeated or resumed bit for bit, and agents are scored under one evaluation protocol.
//
//	cfg, err := experiment.Preset("quick/point-goal")
//	cfg.Seed = 1
//	run, err := experiment.Start("runs/first", cfg, experiment.Host{Workers: 2})
//	err = run.Train(ctx, progress.Silent)   // again after an interruption: experiment.Resume("runs/first", host)
//	result, err := run.Evaluate(ctx, cfg.Evaluation.Protocol)
package experiment

import (
	"fmt"

	"nacre/config"
	"nacre/pearl"
	"nacre/protocol"
	"nacre/tcl"
)

// Algorithms lists what can be trained.
var Algorithms = []string{"pearl", "tcl-pearl"}

// Config says everything about a run that changes its result.
type Config struct {
	Algorithm       string       `toml:"algorithm" oneof:"pearl tcl-pearl"`
	Family          string       `toml:"family" comment:"task family; nacre envs lists them"`
	Preset          string       `toml:"preset" comment:"where the values below started from"`
	Seed            uint64       `toml:"seed"`
	TrainTasks      int          `toml:"train_tasks" range:"[0,1e6]" comment:"0: the family's own number"`
	TestTasks       int          `toml:"test_tasks" range:"[0,1e6]"`
	Device          string       `toml:"device" oneof:"cpu ref" comment:"ref is the slow float64 reference"`
	CheckpointEvery int          `toml:"checkpoint_every" range:"[1,1e6]" comment:"iterations"`
	Evaluation      Evaluation   `toml:"evaluation"`
	Pearl           pearl.Config `toml:"pearl"`
	TCL             tcl.Config   `toml:"tcl" comment:"used by tcl-pearl"`
}

// Evaluation says when and how the test tasks are evaluated during training.
type Evaluation struct {
	Every    int               `toml:"every" range:"[1,1e6]" comment:"iterations; the last iteration is always evaluated"`
	Protocol protocol.Protocol `toml:"protocol"`
}

// Host is what a run needs from the machine; it changes speed, never results.
type Host struct {
	Workers int    // simulation and training workers; 0: one per core
	Envs    int    // environments per simulation worker; 0: 16
	Kernel  string // CPU kernel, "" chooses the best; another kernel rounds differently
}

// Validate checks what the tags cannot.
func (c Config) Validate() error {
	if c.Algorithm == "tcl-pearl" && c.Pearl.MetaBatch < 2 {
		return fmt.Errorf("pearl.meta_batch = %d with tcl-pearl, want at least 2: there must be another task to contrast", c.Pearl.MetaBatch)
	}
	return nil
}

var _ = config.Check
