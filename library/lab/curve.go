package lab

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/experiment/tables"
)

// Curve draws the return on unseen tasks after adaptation over environment steps.
func (r *Run) Curve() *plots.Chart { return Runs{r}.Curve() }

// Curve draws the returns of all runs over environment steps, with one panel per family. It has one line per system
// (its name in a sweep, else the algorithm) and per value of the setting that Over varies. Each line is the mean over
// seeds by the rule of stats.OverSeeds, as in nacre curves. Copies of a run are an error. Notes say if seeds are
// missing, or if runs differ in more than their seed.
func (r Runs) Curve() *plots.Chart {
	f, notes, err := r.evaluations()
	if err != nil {
		f = frame.Failed(err)
	}
	options := []plots.Option{plots.By("line"), plots.Seeds("run"),
		plots.Labels("environment steps", "return after adaptation")}
	// numbers are named once, in the legend
	if varied := r.varied(); len(varied) == 1 && r.systems() == 1 && f.Has(varied[0]) {
		options[0] = plots.By(varied[0])
	}
	if families, err := f.Unique("family"); err == nil && len(families) > 1 {
		options = append(options, plots.Panels("family"))
	}
	for _, n := range notes {
		options = append(options, plots.Note(n))
	}
	for _, run := range r {
		options = append(options, plots.Runs(filepath.ToSlash(run.Dir)))
	}
	return plots.Line(f, "env_steps", "return", options...)
}

// evaluations are a row an evaluation of every run, with columns family, line, run, env_steps, return and what is
// varied.
func (r Runs) evaluations() (f *frame.Frame, notes []string, err error) {
	var texts [3][]string
	var numbers [2][]float64
	varied := r.varied()
	settings := make([][]string, len(varied))
	lines := map[[2]string][]tables.Run{}
	var order [][2]string
	var all []tables.Run
	for _, run := range r {
		t, err := run.table()
		if err != nil {
			return nil, nil, err
		}
		all = append(all, t)
		at := [2]string{t.Config.Family, run.line(varied, r.systems() > 1)}
		if lines[at] == nil {
			order = append(order, at)
		}
		lines[at] = append(lines[at], t)
		for _, p := range t.Curve {
			for k, v := range []string{at[0], at[1], run.Dir} {
				texts[k] = append(texts[k], v)
			}
			numbers[0], numbers[1] = append(numbers[0], p.EnvSteps), append(numbers[1], p.Return)
			for k, name := range varied {
				settings[k] = append(settings[k], run.value(name))
			}
		}
	}
	notes = tables.Said(all)
	for _, at := range order {
		said, err := tables.Together(lines[at])
		if err != nil {
			return nil, nil, fmt.Errorf("lab: %w, or choose runs with Where", err)
		}
		if said != "" {
			notes = append(notes, strings.TrimPrefix(at[1]+": "+said, ": "))
		}
	}
	f = frame.New(frame.Texts("family", texts[0]), frame.Texts("line", texts[1]), frame.Texts("run", texts[2]),
		frame.Numbers("env_steps", numbers[0]), frame.Numbers("return", numbers[1]))
	for k, name := range varied {
		if !f.Has(name) {
			f = f.With(column(name, settings[k]))
		}
	}
	return f, notes, nil
}

// table is the run as tables know it, as it is now.
func (r *Run) table() (tables.Run, error) {
	if r.log == nil {
		return tables.Read(r.Dir, r.name)
	}
	list, _, err := tables.LoadWith(foreign.Columns{Step: r.log.Step, Return: r.log.Return}, r.Dir)
	if err != nil {
		return tables.Run{}, err
	}
	return list[0], nil
}

// varied are the settings of Over that have more than one value among the runs, or one where it is the only one.
func (r Runs) varied() (names []string) {
	if len(r) == 0 {
		return nil
	}
	for _, s := range r[0].at {
		if slices.ContainsFunc(r, func(run *Run) bool { return run.value(s.name) != s.value }) {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 && len(r[0].at) > 0 {
		names = []string{r[0].at[0].name}
	}
	return names
}

// value is a run's value of a setting that Over varies.
func (r *Run) value(name string) string {
	for _, s := range r.at {
		if s.name == name {
			return s.value
		}
	}
	return ""
}

// system returns the name of the run's line.
func (r *Run) system() string {
	if r.name == "" {
		return r.cfg.Algorithm
	}
	return r.name
}

// systems counts the systems of the runs.
func (r Runs) systems() int {
	found := map[string]bool{}
	for _, run := range r {
		found[run.system()] = true
	}
	return len(found)
}

// line tells the run's line from others in a chart.
func (r *Run) line(varied []string, several bool) string {
	var parts []string
	if several || len(varied) == 0 {
		parts = append(parts, experiment.Title(r.system()))
	}
	for _, name := range varied {
		parts = append(parts, name+" "+r.value(name))
	}
	return strings.Join(parts, ", ")
}
