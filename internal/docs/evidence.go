package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	toml "github.com/pelletier/go-toml/v2"
)

// evidenceQueue holds what pages say of bench/evidence/queue.toml.
type evidenceQueue struct {
	Items []struct {
		Name, Asks, Outcome, Test, Margin, None, Stop, Waits string
		Hours                                                []float64
		Families                                             []string
		Seeds                                                []uint64
		Systems                                              []struct{ Name, Algorithm, Preset string }
	}
}

// evidenceRun is a line of bench/evidence/results.json.
type evidenceRun struct {
	Item, Run, System, Family string
	Seed                      uint64
	EnvSteps                  int64 `json:"env_steps"`
	Return                    float64
	Kernel                    string `json:"cpu_kernel"`
	Bits, Commit              string
}

// evidence writes the queue of trainings: "rules", by which each item is judged, or "state", what has run and what
// came.
func evidence(root, arguments string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "bench/evidence/queue.toml"))
	if err != nil {
		return "", err
	}
	var q evidenceQueue
	if err := toml.Unmarshal(text, &q); err != nil {
		return "", fmt.Errorf("queue.toml: %w", err)
	}
	switch arguments {
	case "rules":
		return q.rules(), nil
	case "state":
		var results struct{ Runs []evidenceRun }
		text, err := os.ReadFile(filepath.Join(root, "bench/evidence/results.json"))
		if err == nil {
			err = json.Unmarshal(text, &results)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("results.json: %w", err)
		}
		return q.state(results.Runs), nil
	}
	return "", fmt.Errorf("evidence: %q, want rules or state", arguments)
}

func (q evidenceQueue) rules() string {
	var b strings.Builder
	b.WriteString("| | question | primary outcome | test | when we say \"reproduced\" or \"no difference\" | end |\n" +
		"|---|---|---|---|---|---|\n")
	for i, item := range q.Items {
		near := item.None
		if item.Margin != "" {
			near = item.Margin + "; " + item.None
		}
		fmt.Fprintf(&b, "| %d `%s` | %s | %s | %s | %s | %s |\n", i+1, item.Name, item.Asks, item.Outcome, item.Test,
			near, item.Stop)
	}
	return b.String()
}

func (q evidenceQueue) state(runs []evidenceRun) string {
	var b strings.Builder
	b.WriteString("| | estimated core-hours, AVX2 / AVX-512 | runs finished | result: return, mean of a run's last " +
		"five evaluations |\n|---|--:|--:|---|\n")
	for i, item := range q.Items {
		systems := max(1, len(item.Systems))
		mine := slices.DeleteFunc(slices.Clone(runs), func(r evidenceRun) bool { return r.Item != item.Name })
		came := "not begun"
		if item.Waits != "" {
			came = "waits for " + item.Waits
		}
		if len(mine) > 0 {
			came = cameOf(mine)
		}
		fmt.Fprintf(&b, "| %d `%s` | %g / %g | %d of %d | %s |\n", i+1, item.Name, item.Hours[0], item.Hours[1],
			len(mine),
			systems*len(item.Families)*len(item.Seeds), came)
	}
	return b.String()
}

// cameOf lists the returns of runs by system, family and fingerprint: those of different fingerprints are never put
// together.
func cameOf(runs []evidenceRun) string {
	var keys []string
	values := map[string][]string{}
	for _, r := range runs {
		key := fmt.Sprintf("%s on %s (%s, bits %s)", r.System, r.Family, r.Kernel, r.Bits)
		if values[key] == nil {
			keys = append(keys, key)
		}
		values[key] = append(values[key], fmt.Sprintf("seed %d %s", r.Seed, decimal(r.Return, 1)))
	}
	for i, key := range keys {
		keys[i] = key + ": " + strings.Join(values[key], "; ")
	}
	return strings.Join(keys, ". ")
}
