// Package experiment runs experiments. What to train is data (Config and its presets); a run lives in a folder from
// which it can be read, repeated and, after an interruption, resumed bit for bit; every agent is scored under one
// evaluation protocol.
//
// A run folder holds config.toml (the full configuration and what ran it), tasks.json (the tasks as used),
// metrics.csv (what the run computed; equal seeds give equal bytes), timing.csv (how long it took), TensorBoard event
// files, evaluation.json, weights.safetensors and checkpoint.bin. One process at a time may write it; anybody may
// read it.
//
//	cfg, err := experiment.Preset("quick/point-goal")
//	cfg.Seed = 1
//	t, err := experiment.Start("runs/first", cfg, experiment.Host{})
//	defer t.Close()
//	err = t.Train(ctx, progress.Silent()) // after an interruption: experiment.Resume("runs/first", host)
//	result, err := t.Result()
//	fmt.Println(result.Summary.Adapted)
package experiment

import (
	"fmt"
	"slices"
	"strings"

	"nacre/pearl"
	"nacre/rl/config"
	"nacre/rl/maml"
	"nacre/rl/mql"
	"nacre/rl/oracle"
	"nacre/rl/protocol"
	"nacre/rl/rl2"
	"nacre/tcl"
)

// Algorithms lists what can be trained.
var Algorithms = []string{"pearl", "tcl-pearl", "oracle", "maml", "rl2", "mql"}

// Title is an algorithm's name as papers write it.
func Title(algorithm string) string { return strings.ToUpper(algorithm) }

// Config says everything about a run that changes its result.
type Config struct {
	Algorithm       string        `toml:"algorithm" oneof:"pearl tcl-pearl oracle maml rl2 mql"`
	Family          string        `toml:"family" comment:"task family; nacre envs lists them"`
	Preset          string        `toml:"preset" comment:"where the values below started from"`
	Seed            uint64        `toml:"seed"`
	TrainTasks      int           `toml:"train_tasks" range:"[0,1e6]" comment:"0: the family's own number"`
	TestTasks       int           `toml:"test_tasks" range:"[0,1e6]"`
	Device          string        `toml:"device" oneof:"cpu ref" comment:"ref is the slow float64 reference"`
	CheckpointEvery int           `toml:"checkpoint_every" range:"[1,1e6]" comment:"iterations"`
	EnvSteps        int64         `toml:"env_steps" range:"[0,1e12]" comment:"training ends with the iteration that reaches them; 0: after the algorithm's iterations"`
	Evaluation      Evaluation    `toml:"evaluation"`
	Pearl           pearl.Config  `toml:"pearl" comment:"used by pearl and tcl-pearl"`
	TCL             tcl.Config    `toml:"tcl" comment:"used by tcl-pearl"`
	Oracle          oracle.Config `toml:"oracle" comment:"used by oracle"`
	MAML            maml.Config   `toml:"maml" comment:"used by maml"`
	RL2             rl2.Config    `toml:"rl2" comment:"used by rl2"`
	MQL             mql.Config    `toml:"mql" comment:"used by mql"`
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

	// Device is "cpu", "cuda" or "cuda:1" for a GPU, or "auto": a GPU, or the CPU where there is none. Empty is "cpu", or
	// for a run that continues what it ran on. Another device rounds differently.
	Device string
	TF32   bool // on a GPU: products of operands rounded to 10 bits
}

// Default is what all presets start from: PEARL's own half-cheetah velocity values, TCL-PEARL, no family.
func Default() Config { return base() }

// ConfigFileLayer is the layer of a configuration file; that of a run folder serves as it is, its record is left out.
func ConfigFileLayer(path string) config.Layer { return config.File(path, recordTable) }

// schedule is how long a run is.
func (c Config) schedule() (iterations, updatesPerIteration int) {
	switch c.Algorithm {
	case "oracle":
		return c.Oracle.Iterations, c.Oracle.UpdatesPerIteration
	case "maml":
		return c.MAML.Iterations, 1
	case "rl2":
		return c.RL2.Iterations, c.RL2.Epochs
	case "mql":
		return c.MQL.Iterations, c.MQL.UpdatesPerIteration
	}
	return c.Pearl.Iterations, c.Pearl.UpdatesPerIteration
}

// Validate checks what the tags cannot.
func (c Config) Validate() error {
	if c.Algorithm == "tcl-pearl" && c.Pearl.MetaBatch < 2 {
		return fmt.Errorf("pearl.meta_batch = %d with tcl-pearl, want at least 2: there must be another task to contrast", c.Pearl.MetaBatch)
	}
	return nil
}

// Change applies key=value pairs such as "pearl.latent=7" and checks the result.
func Change(c *Config, pairs ...string) error { return config.Resolve(c, config.Set(pairs...)) }

// later lists the tables that runs of older programs do not have.
var later = []string{"maml", "rl2", "mql"}

// fingerprint tells configurations of different runs apart. What older programs did not have counts only where a run uses
// it, so that their runs keep their fingerprints.
func (c Config) fingerprint() (string, error) {
	unused := slices.DeleteFunc(slices.Clone(later), func(table string) bool { return table == c.Algorithm })
	if c.EnvSteps == 0 {
		unused = append(unused, "env_steps")
	}
	return config.Hash(c, unused...)
}

// Equal reports whether two configurations train the same run.
func (c Config) Equal(d Config) (bool, error) {
	a, err := c.fingerprint()
	if err != nil {
		return false, err
	}
	b, err := d.fingerprint()
	return a == b, err
}
