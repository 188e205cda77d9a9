package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/sim"
)

// CurveOptions are the options of Curves.
type CurveOptions struct {
	Success  bool  // success rates instead of returns
	Backdrop bool  // draw the authors' public curves, if the runs' family has them
	Steps    int64 // end of the axis; 0: the end of the longest run
}

// Curves returns the learning curves of runs: one panel for each family, one line for each system. A line is the mean
// over seeds by the rule of stats.OverSeeds. Notes say where a mean lacks seeds, and where its runs differ in more than
// the seed. Copies of a run are an error, as in a table.
func Curves(runs []Run, o CurveOptions) (panels []plots.CurvePanel, notes []string, err error) {
	notes = Said(runs)
	byFamily := map[string][]Run{}
	for _, r := range runs {
		if len(r.Curve) > 0 {
			byFamily[r.Config.Family] = append(byFamily[r.Config.Family], r)
		}
	}
	if len(byFamily) == 0 {
		said := ""
		if len(notes) > 0 {
			said = ": " + strings.Join(notes, "; ")
		}
		return nil, nil, fmt.Errorf("no evaluation yet in %s%s", runsIn(runs), said)
	}
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		p, n, err := o.panel(family, byFamily[family])
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, n...)
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, nil, fmt.Errorf("there is nothing to draw: %s", strings.Join(notes, "; "))
	}
	return panels, notes, nil
}

// runsIn names one run, or counts several.
func runsIn(runs []Run) string {
	if len(runs) == 1 {
		return runs[0].Dir
	}
	return fmt.Sprintf("any of the %d runs", len(runs))
}

func (o CurveOptions) panel(family string, runs []Run) (p plots.CurvePanel, notes []string, err error) {
	p = plots.CurvePanel{Title: family, XLabel: "environment steps", YLabel: "return after adaptation"}
	switch {
	case o.Success:
		p.YLabel = "success on test tasks"
	case !slices.ContainsFunc(runs, func(r Run) bool { return r.Log == nil }): // other programs need not adapt
		p.YLabel = "return"
	}
	end := float64(o.Steps)
	if o.Steps == 0 {
		for _, r := range runs {
			end = max(end, r.Curve[len(r.Curve)-1].EnvSteps)
		}
	}
	if environment, _ := paper.Environment(family); o.Backdrop && !o.Success {
		p.Series = append(p.Series, backdrop(environment, end)...)
	}
	for _, system := range systems(runs, order()) {
		of := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.System != system })
		name := experiment.Title(system)
		if o.Success && of[0].Log == nil && !sim.Succeeds(family) {
			notes = append(notes, fmt.Sprintf("%s, %s: the family has no notion of success, so there is no rate",
				family, name))
			continue
		}
		said, err := Together(of)
		if err != nil {
			return p, nil, err
		}
		if said != "" {
			notes = append(notes, fmt.Sprintf("%s, %s: %s", family, name, said))
		}
		var lines []stats.Line
		for _, r := range of {
			lines = append(lines, lineOf(r, o.Success))
		}
		m := stats.OverSeeds(lines).UpTo(end)
		if said := m.Note(p.XLabel); said != "" {
			notes = append(notes, fmt.Sprintf("%s, %s: %s", family, name, said))
		}
		if len(m.X) > 0 {
			p.Series = append(p.Series, plots.Series{Name: name, X: m.X, Y: m.Mean, Lo: m.Lo, Hi: m.Hi, Seeds: m.N,
				Breaks: m.Breaks})
		}
	}
	return p, notes, nil
}

// lineOf is a run's curve.
func lineOf(r Run, success bool) (l stats.Line) {
	for _, p := range r.Curve {
		v := p.Return
		if success {
			v = p.Success
		}
		l.X, l.Y = append(l.X, p.EnvSteps), append(l.Y, v)
	}
	return l
}

// backdrop are the authors' curves of an environment, the mean of each method's runs.
func backdrop(environment string, end float64) []plots.Series {
	var methods []string
	lines := map[string][]stats.Line{}
	for _, c := range paper.Curves(environment) {
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
		lines[c.Method] = append(lines[c.Method], stats.Line{X: c.EnvSteps, Y: c.Return})
	}
	var out []plots.Series
	for _, m := range methods {
		if s := stats.OverSeeds(lines[m]).UpTo(end); len(s.X) > 0 {
			out = append(out, plots.Series{Name: m + ", authors", Like: m, Faint: true, X: s.X, Y: s.Mean,
				Breaks: s.Breaks})
		}
	}
	return out
}
