package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nacre/experiment/foreign"
	"nacre/rl/config"
)

// Together compares runs that are averaged into one mean. It returns a sentence about the settings, other than the
// seed, in which the runs differ; the sentence is empty if they differ in none. Two copies of one run are an error: the
// same system, family and seed, or the same numbers.
func Together(runs []Run) (said string, err error) {
	known := map[string]string{}
	configurations := map[string]bool{}
	for _, r := range runs {
		id := fmt.Sprintf("%q %q %d", r.System, r.Config.Family, r.Config.Seed)
		what := "are the same system, family and seed"
		if r.Log != nil {
			if id = r.Log.Identity(); !r.Log.Seeded {
				what = "are one log twice, to the last digit"
			}
		}
		if before, ok := known[id]; ok {
			return "", fmt.Errorf("%s and %s %s: give one of them", before, r.Dir, what)
		}
		known[id] = r.Dir
		if r.Log != nil {
			numbers := fmt.Sprintf("%q %q %s", r.System, r.Config.Family, r.Log.Numbers())
			if before, ok := known[numbers]; ok {
				return "", fmt.Errorf("%s and %s are one log twice, to the last digit: give one of them", before, r.Dir)
			}
			known[numbers] = r.Dir
		}
		h, err := r.settings()
		if err != nil {
			return "", err
		}
		configurations[h] = true
	}
	if a, b, found := copied(runs); found {
		return "", fmt.Errorf("%s and %s have the same numbers at every step that both have, so they are one run "+
			"twice: give one of them", a, b)
	}
	var parts []string
	if len(configurations) > 1 {
		parts = append(parts, fmt.Sprintf("the seeds have %d different configurations", len(configurations)))
	}
	for _, c := range []struct {
		what string
		of   func(l *foreign.Log) string
	}{{"steps", func(l *foreign.Log) string { return l.Step }}, {"returns",
		func(l *foreign.Log) string { return l.Return }}} {
		if said := differing(runs, c.of); said != "" {
			parts = append(parts, fmt.Sprintf("the %s of the seeds are from different columns: %s", c.what, said))
		}
	}
	return strings.Join(parts, "; "), nil
}

// differing lists the columns of logs of other programs, and how many logs have each; it is empty if all have the same.
func differing(runs []Run, column func(l *foreign.Log) string) string {
	seeds := map[string]int{}
	for _, r := range runs {
		if r.Log != nil {
			seeds[column(r.Log)]++
		}
	}
	if len(seeds) < 2 {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		parts = append(parts, fmt.Sprintf("%q (%d)", name, seeds[name]))
	}
	return strings.Join(parts, ", ")
}

// settings tells the configurations of runs apart, their seeds aside.
func (r Run) settings() (string, error) {
	if r.Log == nil {
		return config.Hash(r.Config, "seed", "checkpoint_every")
	}
	text := ""
	for _, k := range slices.Sorted(maps.Keys(r.Log.Settings())) {
		text += fmt.Sprintf("%q=%q\n", k, r.Log.Settings()[k])
	}
	return text, nil
}
