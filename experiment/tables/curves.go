package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
)

// CurveOptions of Curves.
type CurveOptions struct {
	Success  bool  // success rates instead of returns
	Backdrop bool  // the authors' public curves, where the runs' family has them
	Steps    int64 // the axis ends here; 0 is the end of the longest run
}

// Curves are the learning curves of runs: one panel for each family, one line for each system: its mean over the seeds
// that have come so far, and around it Student's 95 % interval for three seeds and more, the range of two. Notes say
// where seeds end early, so that a line goes on with less of them.
func Curves(runs []Run, o CurveOptions) (panels []plots.CurvePanel, notes []string, err error) {
	byFamily := map[string][]Run{}
	for _, r := range runs {
		if len(r.Curve) > 0 {
			byFamily[r.Config.Family] = append(byFamily[r.Config.Family], r)
		}
	}
	if len(byFamily) == 0 {
		return nil, nil, fmt.Errorf("none of the %d runs has an evaluation yet", len(runs))
	}
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		p, n := o.panel(family, byFamily[family])
		panels, notes = append(panels, p), append(notes, n...)
	}
	return panels, notes, nil
}

func (o CurveOptions) panel(family string, runs []Run) (p plots.CurvePanel, notes []string) {
	p = plots.CurvePanel{Title: family, XLabel: "environment steps", YLabel: "return on test tasks"}
	if o.Success {
		p.YLabel = "success on test tasks"
	}
	end := float64(o.Steps)
	if o.Steps == 0 {
		for _, r := range runs {
			end = max(end, r.Curve[len(r.Curve)-1].EnvSteps)
		}
	}
	if o.Backdrop && !o.Success && isML1(family) {
		p.Series = append(p.Series, backdrop(strings.TrimPrefix(family, ml1Prefix), end)...)
	}
	for _, system := range systems(runs, order()) {
		s, short, ok := mean(runs, system, o.Success, end)
		if !ok {
			continue
		}
		p.Series = append(p.Series, s)
		if short > 0 {
			notes = append(notes, fmt.Sprintf("%s, %s: %d of the runs end before %.0f environment steps, and the line goes on without them", family, s.Name, short, s.X[len(s.X)-1]))
		}
	}
	return p, notes
}

// line is a curve of one run.
type line struct{ x, y []float64 }

// mean is a system's line with its interval, and how many of its runs end before it does; false without evaluations.
func mean(runs []Run, system string, success bool, end float64) (s plots.Series, short int, ok bool) {
	var lines []line
	for _, r := range runs {
		if l := lineOf(r, success); r.System == system && len(l.x) > 0 {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return s, 0, false
	}
	s, short = average(lines, end)
	s.Name = experiment.Title(system)
	return s, short, len(s.X) > 0
}

// average is the mean of lines at the points up to end of the one that goes furthest, over those that span a point, and
// how many do not span the last.
func average(lines []line, end float64) (s plots.Series, short int) {
	longest := slices.MaxFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.last(), b.last()), cmp.Compare(len(a.x), len(b.x)))
	})
	for _, x := range longest.x {
		if x > end {
			break
		}
		var values []float64
		for _, l := range lines {
			if l.spans(x) {
				values = append(values, l.at(x))
			}
		}
		short = len(lines) - len(values)
		s.X, s.Y = append(s.X, x), append(s.Y, stats.Mean(values))
		lo, hi := ends(values)
		if len(values) > 2 {
			i := stats.MeanInterval(values)
			lo, hi = i.Lo, i.Hi
		}
		s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
	}
	if len(lines) == 1 {
		s.Lo, s.Hi = nil, nil
	}
	return s, short
}

// lineOf is a run's curve.
func lineOf(r Run, success bool) (l line) {
	for _, p := range r.Curve {
		v := p.Return
		if success {
			v = p.Success
		}
		l.x, l.y = append(l.x, p.EnvSteps), append(l.y, v)
	}
	return l
}

func (l line) last() float64 { return l.x[len(l.x)-1] }

// spans reports whether x lies on the line, give or take the few steps by which iterations of one schedule differ.
func (l line) spans(x float64) bool { return l.x[0] <= 1.05*x && l.last() >= 0.95*x }

// at interpolates linearly; before its first point and behind its last a line is level.
func (l line) at(x float64) float64 {
	i, found := slices.BinarySearch(l.x, x)
	switch {
	case found || i == 0:
		return l.y[i]
	case i == len(l.x):
		return l.y[i-1]
	}
	share := (x - l.x[i-1]) / (l.x[i] - l.x[i-1])
	return l.y[i-1] + share*(l.y[i]-l.y[i-1])
}

// backdrop are the authors' curves of an environment, the mean of each method's runs.
func backdrop(environment string, end float64) []plots.Series {
	var methods []string
	lines := map[string][]line{}
	for _, c := range paper.Curves(environment) {
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
		lines[c.Method] = append(lines[c.Method], line{c.EnvSteps, c.Return})
	}
	var out []plots.Series
	for _, m := range methods {
		s, _ := average(lines[m], end)
		s.Name, s.Like, s.Faint, s.Lo, s.Hi = m+", authors", m, true, nil, nil
		if len(s.X) > 0 {
			out = append(out, s)
		}
	}
	return out
}
