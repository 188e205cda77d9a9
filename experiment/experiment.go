// Package experiment trains, evaluates and embeds agents in run folders. A configuration is data (Config and its
// presets). A run can be read from its folder, repeated and, after an interruption, resumed bit for bit. Every agent is
// scored under one evaluation protocol.
//
// A run folder holds config.toml (the full configuration and what ran it), tasks.json (the tasks as used), metrics.csv
// (what the run computed; equal seeds give equal bytes), timing.csv (how long it took), TensorBoard event files,
// evaluation.json, weights.safetensors, weights of earlier iterations if asked for (Host.Keep), and checkpoint.bin. One
// process at a time may write it; any process may read it.
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

	toml "github.com/pelletier/go-toml/v2"

	"nacre/core"
	"nacre/rl"
	"nacre/rl/config"
)

// Config holds everything about a run that changes its result. The packages of algorithms read and set their settings,
// e.g. with pearl.Of and pearl.Put.
type Config = rl.Config

// Default returns the configuration that others start from; it has no algorithm and no family.
func Default() Config { return rl.Default() }

// Preset returns a named configuration. The error of an unknown name gives the nearest one.
func Preset(name string) (Config, error) { return rl.Preset(name) }

// Presets lists the names of presets, each with a line about it.
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

// Host holds what a run needs from the machine. It changes speed and at most the rounding of results.
type Host struct {
	Workers int    // simulation and training workers; 0: one per core
	Envs    int    // environments per simulation worker; 0: 16
	Kernel  string // inner loops of the CPU, see core.DeviceOptions; other loops round differently

	// Device is "cpu", "cuda" or "cuda:1" for an NVIDIA GPU, "webgpu" for any GPU, in a browser too, or "auto": a GPU,
	// or the CPU if there is none. If empty it is "cpu" for a new run. A resumed run uses the device it had before.
	// Another device rounds differently.
	Device string

	// Precision is the precision of matrix products, one of the device's core.Backend.Precisions. If empty, a new run
	// uses the first one and a resumed run the one it had.
	Precision string

	// Keep is an interval in iterations. After every Keep iterations the weights are stored (KeptFolder), and also
	// before the first update and after the last. 0 stores none.
	Keep int

	// KeepState is an interval in iterations. After every KeepState iterations the checkpoint is stored (StatesFolder),
	// so that a branch can begin there. 0 stores none. Each checkpoint holds all data collected so far.
	KeepState int

	shared core.Device // device that several agents share; see Together
}

// ConfigFileLayer is the layer of a configuration file. A run's config.toml can be used as it is: its record is left
// out. The algorithm may be chosen later: tables in the file that this algorithm does not read are no error.
func ConfigFileLayer(path string) config.Layer {
	return func(cfg any) error {
		text, algorithm, ofRun, err := readConfig(path)
		if err != nil {
			return err
		}
		c, ok := cfg.(*Config)
		if ok {
			// set first: an error then looks for the nearest name in this algorithm's tables
			c.Algorithm = cmp.Or(algorithm, c.Algorithm)
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

// PresetOf returns the preset that a configuration file names. The file's own values replace those of the preset. The
// name is empty if the file names none, or if it is the config.toml of a run, which has all values itself.
func PresetOf(path string) (string, error) {
	text, _, ofRun, err := readConfig(path)
	if err != nil || ofRun {
		return "", err
	}
	var file struct {
		Preset any `toml:"preset"`
	}
	if toml.Unmarshal(text, &file) != nil { // the reader of the whole file reports what is wrong with it
		return "", nil
	}
	preset, _ := file.Preset.(string)
	return preset, nil
}
