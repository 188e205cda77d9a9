package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/experiment/checkpoint"
	"nacre/internal/shell"
	"nacre/rl"
	"nacre/rl/config"
	"nacre/sim"
)

// NoConfigError reports a run folder that has a checkpoint and no config.toml.
type NoConfigError struct{ Dir, Checkpoint string }

func (e *NoConfigError) Error() string {
	return fmt.Sprintf("run folder %s has %s and no %s; this makes it again from the checkpoint: %s",
		shell.Line(e.Dir), e.Checkpoint, ConfigFile, shell.Command("nacre", "resume", shell.Path(e.Dir)))
}

// rebuild makes a run's lost configuration again from its checkpoint, and returns a notice that says so. If the
// configuration is there, the notice is empty. The record of what ran the run before is lost.
func rebuild(dir string) (notice string, err error) {
	var lost *NoConfigError
	if err := checkRun(dir); !errors.As(err, &lost) {
		return "", err
	}
	run, err := taken(dir)
	if err != nil {
		return "", err
	}
	defer run.Close()
	var h checkpoint.Header
	if _, err := checkpoint.Restore(run.Path(CheckpointFile), "", func(r *checkpoint.Reader) error {
		h = r.Header()
		return nil
	}); err != nil {
		return "", fmt.Errorf("run folder %s has no %s, and it cannot be made again: %w", shell.Line(dir),
			ConfigFile, err)
	}
	if h.Settings == nil {
		return "", fmt.Errorf("run folder %s has no %s, and its checkpoint, by %s, keeps no settings to make it from",
			shell.Line(dir), ConfigFile, h.Program)
	}
	cfg, err := fromSettings(filepath.Join(dir, CheckpointFile), h.Settings)
	if err != nil {
		return "", err
	}
	if run.config, err = config.Encode(cfg); err != nil {
		return "", err
	}
	return ConfigFile + " is missing: made again from the checkpoint; what ran the run before is not known any more",
		run.writeConfig()
}

// fromSettings returns the configuration that has these settings; messages call it name.
func fromSettings(name string, s rl.Settings) (Config, error) {
	cfg := Default()
	var text bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(s)) {
		path := strings.Split(key, ".")
		for i := range path {
			path[i] = strconv.Quote(path[i])
		}
		fmt.Fprintf(&text, "%s = %s\n", strings.Join(path, "."), s[key]) // TOML reads what JSON writes of a value
	}
	return cfg, config.Resolve(&cfg, config.Text(name, text.Bytes()))
}

// ofNotebook completes the error of a run's agent if this program does not have the run's family.
func ofNotebook(err error, cfg Config, dir string) error {
	if cfg.Family == "" || sim.Opens(cfg.Family) {
		return err
	}
	if _, unknown := sim.Lookup(cfg.Family); unknown == nil {
		return err
	}
	return fmt.Errorf("%s: family %q is none of this program: a notebook defined it; run the cells that do, and go "+
		"on there: lab.Train with lab.Folder(%q)",
		shell.Line(dir), cfg.Family, dir)
}
