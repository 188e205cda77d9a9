package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"

	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/rl/config"
)

// Item is one question of the queue: what is trained, and the rules by which it is judged.
type Item struct {
	Name     string         `toml:"name"`
	Asks     string         `toml:"asks"`
	Outcome  string         `toml:"outcome"`
	Test     string         `toml:"test"`
	Margin   string         `toml:"margin"`
	None     string         `toml:"none"`
	Stop     string         `toml:"stop"`
	Hours    []float64      `toml:"hours"` // estimated core-hours on AVX2 and on AVX-512
	Waits    string         `toml:"waits"` // for what; empty where it can run
	Families []string       `toml:"families"`
	Preset   string         `toml:"preset"`
	Seeds    []uint64       `toml:"seeds"`
	EnvSteps int64          `toml:"env_steps"`
	Set      []string       `toml:"set"`
	Probe    []string       `toml:"probe"`
	Systems  []sweep.System `toml:"systems"`
}

//go:embed queue.toml
var queueText []byte

// load reads the queue that this program was built with.
func load() ([]Item, error) {
	var q struct {
		Items []Item `toml:"items"`
	}
	if err := config.Resolve(&q, config.Text("queue.toml", queueText)); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, item := range q.Items {
		if err := item.check(); err != nil {
			return nil, err
		}
		if seen[item.Name] {
			return nil, fmt.Errorf("queue.toml: two items are called %s", item.Name)
		}
		seen[item.Name] = true
	}
	return q.Items, nil
}

// check asks for the rules, which must be there before a run is.
func (i Item) check() error {
	for what, text := range map[string]string{"name": i.Name, "asks": i.Asks, "outcome": i.Outcome, "test": i.Test,
		"none": i.None, "stop": i.Stop} {
		if text == "" {
			return fmt.Errorf("queue.toml: item %q has no %s: an item needs its rules before it runs", i.Name, what)
		}
	}
	if len(i.Hours) != 2 {
		return fmt.Errorf("queue.toml: item %s: hours = %v, want two: on AVX2 and on AVX-512", i.Name, i.Hours)
	}
	if i.Waits == "" && len(i.Probe) == 0 {
		return fmt.Errorf("queue.toml: item %s can run and has no probe, want settings that make a run of a minute",
			i.Name)
	}
	return i.plan("").Validate()
}

// plan is the item as a sweep in a folder.
func (i Item) plan(dir string) sweep.Plan {
	return sweep.Plan{Name: i.Name, Out: filepath.Join(dir, i.Name), Families: i.Families, Seeds: i.Seeds,
		Preset:   i.Preset,
		EnvSteps: i.EnvSteps, Set: i.Set, Systems: i.Systems, Local: sweep.Local{Cores: 1}}
}

// probes are the short runs whose bits are the fingerprints of the item's: one of each system on each family, by their
// names.
func (i Item) probes(runs []sweep.Run) (map[string]experiment.Config, error) {
	out := map[string]experiment.Config{}
	for _, r := range runs {
		key := r.System + " " + r.Family
		if _, has := out[key]; has {
			continue
		}
		cfg := r.Config
		cfg.Seed = 1
		pairs := slices.DeleteFunc(slices.Clone(i.Probe), func(pair string) bool { return cfg.Ignores(pair) })
		if err := experiment.Change(&cfg, pairs...); err != nil {
			return nil, fmt.Errorf("queue.toml: item %s: probe: %w", i.Name, err)
		}
		out[key] = cfg
	}
	return out, nil
}
