package main

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/study"
	"nacre/experiment/sweep"
	"nacre/internal/atomicfile"
)

// last is over how many evaluations a run's return is averaged: one evaluation's spread is a third larger.
const last = 5

// Packed is a finished run as it is committed.
type Packed struct {
	Item     string  `json:"item"`
	Run      string  `json:"run"` // its folder, below runs/ITEM
	System   string  `json:"system"`
	Family   string  `json:"family"`
	Seed     uint64  `json:"seed"`
	EnvSteps int64   `json:"env_steps"`
	Return   float64 `json:"return"` // after adaptation, mean of the last five evaluations
	Kernel   string  `json:"cpu_kernel"`
	Bits     string  `json:"bits"`
	Commit   string  `json:"commit"`
}

//go:embed results.json
var resultsText []byte

// results is the list of the runs that are committed.
type results struct {
	Runs []Packed `json:"runs"`
}

func (r results) has(item, run string) bool {
	return slices.ContainsFunc(r.Runs, func(p Packed) bool { return p.Item == item && p.Run == run })
}

// leaveOut takes the runs of an item that are committed from its sweep, and returns how many. So another machine goes
// on where they end.
func leaveOut(f *sweep.Folder, item string, committed results) int {
	all := len(f.Runs)
	f.Runs = slices.DeleteFunc(f.Runs, func(r sweep.Run) bool { return committed.has(item, r.Name) })
	return all - len(f.Runs)
}

// pack copies finished runs into the checkout at root, without checkpoints and with the weights that act, and lists
// them.
func (q queue) pack(root string) error {
	base := filepath.Join(root, "bench", "evidence")
	if _, err := os.Stat(filepath.Join(base, "queue.toml")); err != nil {
		return fmt.Errorf("%w: pack runs in a checkout of nacre", err)
	}
	var list results
	file := filepath.Join(base, "results.json")
	if err := readJSON(file, &list); err != nil {
		return err
	}
	for _, item := range q.items {
		f, err := sweep.Open(filepath.Join(q.dir, item.Name))
		if err != nil {
			continue // not begun
		}
		all, err := f.Status()
		if err != nil {
			return err
		}
		for _, r := range all {
			if r.State != sweep.Finished || list.has(item.Name, r.Name) {
				continue
			}
			p, err := packed(f, item, r)
			if err != nil {
				return err
			}
			bytes, err := study.PackRun(r.Dir, filepath.Join(base, "runs", item.Name, r.Name), r.Config.Algorithm)
			if err != nil {
				return err
			}
			fmt.Printf("%s: %.2f MB\n", r.Name, float64(bytes)/1e6)
			list.Runs = append(list.Runs, p)
		}
	}
	slices.SortFunc(list.Runs, func(a, b Packed) int { return strings.Compare(a.Item+"/"+a.Run, b.Item+"/"+b.Run) })
	return atomicfile.WriteJSON(file, list)
}

// packed is a run's line of the list.
func packed(f *sweep.Folder, item Item, r sweep.RunStatus) (Packed, error) {
	var p fingerprint
	if err := readJSON(begun(f, r.Run), &p); err != nil {
		return Packed{}, err
	}
	if p.Bits == "" {
		return Packed{}, fmt.Errorf("%s has no fingerprint: it was not trained by this queue", r.Name)
	}
	value, err := lastReturns(filepath.Join(r.Dir, experiment.MetricsFile))
	if err != nil {
		return Packed{}, err
	}
	return Packed{Item: item.Name, Run: r.Name, System: r.System, Family: r.Family, Seed: r.Seed, EnvSteps: r.EnvSteps,
		Return: value,
		Kernel: p.Kernel, Bits: p.Bits, Commit: p.Commit}, nil
}

// lastReturns is the mean of the last evaluations of a run.
func lastReturns(path string) (float64, error) {
	m, err := experiment.ReadMetrics(path)
	if err != nil {
		return 0, err
	}
	column, err := m.Column("adapted_return")
	if err != nil {
		return 0, err
	}
	column = slices.DeleteFunc(column, func(v float64) bool { return math.IsNaN(v) })
	if len(column) == 0 {
		return 0, errors.New(path + " has no evaluation")
	}
	return stats.Mean(column[max(0, len(column)-last):]), nil
}
