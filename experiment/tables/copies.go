package tables

import (
	"math"
	"slices"

	"nacre/experiment/foreign"
)

// numbers holds the numbers of a run that its seed decides, by column and row.
type numbers struct {
	steps   map[float64]int // row of each step, the last of equal ones
	own     bool            // of a run folder, whose rows have losses
	columns map[string][]float64
}

// numbersOf reads the numbers of a run, without clocks, counters of steps and the seed.
func numbersOf(r Run) numbers {
	n := numbers{steps: map[float64]int{}, own: r.Log == nil, columns: map[string][]float64{}}
	var steps []float64
	add := func(name string, v []float64) {
		if !foreign.Clock(name) && name != "seed" {
			n.columns[name] = v
		}
	}
	if r.Log != nil {
		f := r.Log.Frame()
		steps, _ = f.Numbers("env_steps")
		for _, name := range f.Names() {
			if v, err := f.Numbers(name); err == nil && name != r.Log.Step && name != "env_steps" {
				add(name, v)
			}
		}
	} else {
		steps, _ = r.metrics.Column("env_steps")
		for _, name := range r.metrics.Columns {
			if v, err := r.metrics.Column(name); err == nil && name != "env_steps" {
				add(name, v)
			}
		}
	}
	for i, s := range steps {
		n.steps[s] = i
	}
	return n
}

// same reports whether two runs have equal numbers at every step and in every column that both have, and enough of them
// that they are one run: five different numbers that are not whole or, of logs, which may have little else, two
// different returns.
func (n numbers) same(m numbers) bool {
	returns, broken := map[float64]bool{}, map[float64]bool{}
	for step, i := range n.steps {
		j, ok := m.steps[step]
		if !ok {
			continue
		}
		for name, v := range n.columns {
			w, ok := m.columns[name]
			if !ok || i >= len(v) || j >= len(w) || math.IsNaN(v[i]) || math.IsNaN(w[j]) {
				continue
			}
			if v[i] != w[j] {
				return false
			}
			if name == "adapted_return" {
				returns[v[i]] = true
			}
			if v[i] != math.Trunc(v[i]) {
				broken[v[i]] = true
			}
		}
	}
	return len(broken) >= 5 || !n.own && !m.own && len(returns) >= 2
}

// copied finds two runs that are one.
func copied(runs []Run) (a, b string, found bool) {
	all := make([]numbers, len(runs))
	for i, r := range runs {
		all[i] = numbersOf(r)
		if k := slices.IndexFunc(all[:i], all[i].same); k >= 0 {
			return runs[k].Dir, r.Dir, true
		}
	}
	return "", "", false
}
