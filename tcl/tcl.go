// Package tcl is self-supervised trajectory contrastive learning for context encoders. The encoder must infer the same
// task from two windows of one exploration trajectory, and different tasks from windows of different tasks.
//
// The query window is the context of the algorithm to which TCL is attached. The key window goes through a momentum
// copy of the encoder. Both become posteriors. The loss is InfoNCE over the tasks of the meta-batch, with the negative
// squared 2-Wasserstein distance between diagonal Gaussians as similarity.
//
//	aux, err := tcl.New(tcl.Default(), networks.Encoder, metaBatch)
//	program, err := pearl.UpdateProgram(config, networks, aux) // TCL-PEARL's update
package tcl

import (
	"errors"
	"fmt"

	"nacre/core/feed"
	"nacre/rl"
)

// Config holds every choice of TCL that changes a result.
type Config struct {
	Window          int       `toml:"window" range:"[1,65536]" comment:"W, consecutive transitions per window"`
	Scale           float64   `toml:"scale" range:"[0,1e6]" comment:"c, weight of the contrastive loss"`
	Temperature     float64   `toml:"temperature" range:"(0,1e9]" comment:"logits are similarities divided by it"`
	Tau             float64   `toml:"tau" range:"[0,1]" comment:"key ← (1-τ)·key + τ·query"`
	LiteralMomentum bool      `toml:"literal_momentum" comment:"read the printed update literally: key ← τ·key + (1-τ)·query"`
	Sampling        string    `toml:"sampling" oneof:"windows rows" comment:"what the two sides of a pair are: windows, or sets of W rows that are not consecutive"`
	Pair            feed.Pair `toml:"pair" comment:"same-trajectory or same-task: where the two sides of a pair come from"`
	Crop            string    `toml:"crop" oneof:"inclusive exclusive" comment:"window starts {0..len-W}, or the printed code's, which never draws the last"`
	Sigma           string    `toml:"sigma" oneof:"std var raw" comment:"which spread enters the distance: std makes it the 2-Wasserstein distance; raw is the encoder's output before softplus, for single transitions only"`
	Negatives       string    `toml:"negatives" oneof:"literal mask-same-task" comment:"whether other windows of the same task in the meta-batch count as negatives"`
	Contrast        string    `toml:"contrast" oneof:"posteriors transitions" comment:"what is contrasted: the posteriors of two windows, or their transitions, number i of one window with number i of the other"`
	Query           string    `toml:"query" oneof:"context own" comment:"the query window is the context, or a window of its own"`
	SharedLayers    int       `toml:"shared_layers" range:"[0,16]" comment:"first hidden layers of the encoder that the key has in common with the query; 0: an encoder of its own"`
	KeyGradient     bool      `toml:"key_gradient" comment:"shared layers learn through the key too"`
	ColumnMaximum   bool      `toml:"defect_column_maximum" comment:"defect of the authors' code: the maximum of row i is subtracted from column i, not from row i"`
}

// Validate checks settings that must fit one another.
func (c Config) Validate() error {
	switch {
	case c.Sigma == "raw" && c.Contrast != "transitions":
		return fmt.Errorf(
			`sigma = "raw" with contrast = %q, want "transitions": a posterior has no number before softplus`,
			c.Contrast)
	case c.Contrast == "transitions" && c.Negatives != "literal":
		return fmt.Errorf(`negatives = %q with contrast = "transitions", want "literal": all other transitions are negatives, of the same window too`, c.Negatives)
	case c.KeyGradient && c.SharedLayers == 0:
		return errors.New("key_gradient = true with shared_layers = 0, want at least 1: the key shares nothing that " +
			"could learn")
	}
	return nil
}

// Default is the paper's method as described. Where the paper is ambiguous, it takes the readings that README.md
// recommends.
func Default() Config {
	return Config{Window: 64, Scale: 1, Temperature: 1, Tau: 0.005,
		Sampling: "windows", Pair: feed.SameTrajectory, Crop: "inclusive", Sigma: "std", Negatives: "literal",
		Contrast: "posteriors", Query: "context"}
}

// Table is the table of a run's configuration that algorithms with TCL read.
var Table = rl.Table{Name: "tcl", Default: Default()}

// Of returns TCL's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Put sets TCL's settings of a run.
func Put(c *rl.Config, own Config) { c.Put(Table, own) }
