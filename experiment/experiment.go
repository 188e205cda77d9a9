// Package experiment trains, evaluates and embeds agents in run folders. What to train is data (Config and its
// presets); a run can be read from its folder, repeated and, after an interruption, resumed bit for bit; every agent is
// scored under one evaluation protocol.
//
// A run folder holds config.toml (the full configuration and what ran it), tasks.json (the tasks as used),
// metrics.csv (what the run computed; equal seeds give equal bytes), timing.csv (how long it took), TensorBoard event
// files, evaluation.json, weights.safetensors, those of earlier iterations where they are kept (Host.Keep), and
// checkpoint.bin. One process at a time may write it; anybody may read it.
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
	"cmp"

	"nacre/core"
	"nacre/rl"
	"nacre/rl/config"
)

// Config says everything about a run that changes its result. Settings of algorithms are read and set by their
// packages, e.g. pearl.Of and pearl.Put.
type Config = rl.Config

// Default returns the configuration that others start from; it has no algorithm and no family.
func Default() Config { return rl.Default() }

// Preset returns a named configuration. The error of an unknown name gives the nearest one.
func Preset(name string) (Config, error) { return rl.Preset(name) }

// Presets lists their names with a line each.
func Presets() (names, about []string) {
	for _, p := range rl.Presets() {
		names, about = append(names, p.Name), append(about, p.About)
	}
	return names, about
}

// Change applies key=value pairs such as "pearl.latent=7" and checks the result.
func Change(c *Config, pairs ...string) error { return rl.Change(c, pairs...) }

// Title is an algorithm's name as papers write it.
func Title(algorithm string) string { return rl.Title(algorithm) }

// Host holds what a run needs from the machine; it changes speed, never results.
type Host struct {
	Workers int    // simulation and training workers; 0: one per core
	Envs    int    // environments per simulation worker; 0: 16
	Kernel  string // inner loops of the CPU, see core.DeviceOptions; others round differently

	// Device is "cpu", "cuda" or "cuda:1" for an NVIDIA GPU, "webgpu" for any, in a browser too, or "auto": a GPU, or
	// the CPU if there is none. Empty is "cpu", or for a run that continues what it ran on. Another device rounds
	// differently.
	Device string

	// Precision is that of matrix products on the device, one of its core.Backend.Precisions; empty is the first, or
	// for a run that continues the one it had.
	Precision string

	// Keep is after how many iterations, again and again, a training keeps the weights as they are (KeptFolder), with
	// those before the first update and the last; 0 keeps none.
	Keep int

	// KeepState is after how many iterations, again and again, a training keeps its checkpoint (StatesFolder), to
	// branch from; 0 keeps none. Each holds all that was collected until then.
	KeepState int

	shared core.Device // of several agents; see Together
}

// ConfigFileLayer is the layer of a configuration file; that of a run folder serves as it is, its record is left out,
// and tables in it that the algorithm chosen later does not read are no error.
func ConfigFileLayer(path string) config.Layer {
	return func(cfg any) error {
		text, algorithm, ofRun, err := readConfig(path)
		if err != nil {
			return err
		}
		c, ok := cfg.(*Config)
		if ok {
			c.Algorithm = cmp.Or(algorithm, c.Algorithm) // that the nearest name to an unknown one is of its tables
		}
		if err := config.DecodeStrict(path, text, cfg, recordTable); err != nil {
			return err
		}
		if ok && ofRun {
			c.Unread()
		}
		return nil
	}
}
