package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"nacre/analysis/stats"
	"nacre/experiment/paper"
	"nacre/internal/measurement"
)

func number(v float64) measurement.Cell { return measurement.Cell{Value: rounded(v)} }

// rounded keeps four digits after the point, a tenth of a return of one.
func rounded(v float64) float64 { return math.Round(1e4*v) / 1e4 }

func numbers(list []float64) measurement.Cell {
	c := measurement.Cell{Seeds: make([]float64, len(list))}
	for k, v := range list {
		c.Seeds[k] = rounded(v)
	}
	return c
}

// limits are the columns of what can be reached in a family, and what the paper has.
var limits = []measurement.Column{
	{Name: "goal", Head: "the goal is"},
	{Name: "random", Head: "random", Digits: 2}, {Name: "random_success", Head: "successes"},
	{Name: "blind", Head: "goal-blind controller", Digits: 1}, {Name: "blind_success", Head: "successes"},
	{Name: "bound", Head: "goal-blind bound", Digits: 1}, {Name: "ceiling", Head: "bound, goal known", Digits: 1},
	{Name: "told", Head: "controller", Digits: 1}, {Name: "told_success", Head: "successes"},
	{Name: "policy", Head: "repository’s policy", Digits: 1}, {Name: "policy_success", Head: "successes"},
	{Name: "pearl", Head: "PEARL, paper", Digits: 2}, {Name: "tcl", Head: "TCL-PEARL, paper", Digits: 2},
}

// limitsOf are the cells of those columns; a family that is not in yet has the paper's only.
func (s *survey) limitsOf(name string) map[string]measurement.Cell {
	published := paper.Table1().Row(name)
	cells := map[string]measurement.Cell{"pearl": number(published[0]), "tcl": number(published[1])}
	put := func(column string, v scripted) {
		cells[column], cells[column+"_success"] = number(v.mean), number(float64(v.successes))
	}
	if p, ok := s.policies[name]; ok {
		put("policy", scripted{rate * p.Return, p.Successes})
	} else {
		cells["policy"] = measurement.Cell{Words: "none"}
	}
	f, ok := s.families[name]
	if !ok {
		for _, column := range []string{"random", "blind", "told"} {
			cells[column] = measurement.Cell{Words: "open"}
		}
		return cells
	}
	put("random", f.random)
	put("blind", f.blind)
	put("told", f.told)
	cells["goal"] = measurement.Cell{Words: "seen"}
	if f.hidden {
		cells["goal"] = measurement.Cell{Words: "hidden"}
		cells["bound"], cells["ceiling"] = number(f.blindBound), number(f.toldCeiling)
	}
	return cells
}

// rowsOf are the families whose cells are of the interface that draws anew, or of the other, in the order of the
// alphabet.
func rowsOf(redrawn bool) (names []string) {
	for _, name := range paper.Table1().Environments {
		if paper.Redrawn(name) == redrawn {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// older is the table of the rows of the older interface, with the authors' logs.
func (s *survey) older(m *measurement.Measurement) error {
	m.What = "Table 1, the 25 rows of the older interface: what can be reached, and the authors' public logs"
	m.Conditions, m.Labels, m.Spread = s.conditions(), []string{"family"}, "Difference: 95 % interval over runs (Welch)"
	m.Columns = append(slices.Clone(limits),
		measurement.Column{Name: "pearl_runs", Head: "PEARL’s runs", Digits: 2, Show: "each"},
		measurement.Column{Name: "tcl_runs", Head: "TCL-PEARL’s runs", Digits: 2, Show: "each"},
		measurement.Column{Name: "difference", Head: "difference", Digits: 1},
		measurement.Column{Name: "pearl_highest", Head: "PEARL’s highest", Digits: 1},
		measurement.Column{Name: "pearl_success", Head: "success there", Digits: 2},
		measurement.Column{Name: "tcl_highest", Head: "TCL-PEARL’s highest", Digits: 1},
		measurement.Column{Name: "tcl_success", Head: "success there", Digits: 2})
	for _, name := range rowsOf(true) {
		pearl, tcl, err := s.logs.old(name, paper.Table1().Row(name))
		if err != nil {
			return err
		}
		cells := s.limitsOf(name)
		cells["pearl_runs"], cells["tcl_runs"] = numbers(pearl.lasts()), numbers(tcl.lasts())
		d := welch(pearl.lasts(), tcl.lasts())
		cells["difference"] = measurement.Cell{Value: rounded(d.Mean), Low: rounded(d.Lo), High: rounded(d.Hi),
			Ranged: true}
		for method, a := range map[string]arm{"pearl": pearl, "tcl": tcl} {
			highest, success := a.highest()
			cells[method+"_highest"], cells[method+"_success"] = number(highest), number(success)
		}
		m.Rows = append(m.Rows, measurement.Row{Of: []string{name}, Cells: cells})
	}
	return nil
}

// newer is the table of the other rows, with the single runs that the logs have.
func (s *survey) newer(m *measurement.Measurement) error {
	m.What = "Table 1, the 25 rows of the newer interface: what can be reached, and the authors' public logs"
	m.Conditions, m.Labels = s.conditions(), []string{"family"}
	m.Columns = slices.Clone(limits)
	for _, f := range later {
		m.Columns = append(m.Columns, measurement.Column{Name: "run_" + f.name, Head: "a single run, " + f.name,
			Digits: 2})
	}
	for _, name := range rowsOf(false) {
		logs, err := s.logs.new(name)
		if err != nil {
			return err
		}
		cells := s.limitsOf(name)
		for k, l := range logs {
			if v := l.last(); !math.IsNaN(v) {
				cells["run_"+later[k].name] = number(v)
			} else {
				cells["run_"+later[k].name] = measurement.Cell{Words: "–"}
			}
		}
		m.Rows = append(m.Rows, measurement.Row{Of: []string{name}, Cells: cells})
	}
	return nil
}

// A part of table 1 is some of its rows.
type part struct {
	name     string
	has      func(family string) bool
	unlogged bool // the logs do not have runs of both methods
}

func hides(name string) bool { _, ok := hiddenGoals[name]; return ok }

var table1Parts = []part{
	{"older interface: no tasks", paper.Redrawn, false},
	{"newer interface: fixed tasks", func(n string) bool { return !paper.Redrawn(n) }, true},
	{"– of them, the goal is seen", func(n string) bool { return !paper.Redrawn(n) && !hides(n) }, true},
	{"– of them, the goal is hidden", func(n string) bool { return !paper.Redrawn(n) && hides(n) }, true},
	{"all", func(string) bool { return true }, true},
}

// fromLogs are the columns of parts that need runs of both methods.
var fromLogs = []string{"clear_better", "clear_worse", "run_beyond"}

// parts counts what the paper says of its 50 rows in parts of them.
func (s *survey) parts(m *measurement.Measurement) error {
	m.What = "Table 1 by parts: what the paper counts, and what remains of it"
	m.Conditions = "“Better”, “comparable” and “worse” sort TCL-PEARL against PEARL as the paper does. " +
		"“Neither learns” means that both cells are at most 0.15. Intervals: 95 %, over runs"
	m.Labels = []string{"rows of table 1"}
	m.Columns = []measurement.Column{
		{Name: "rows", Head: "rows"},
		{Name: "better", Head: "better"}, {Name: "comparable", Head: "“comparable”"}, {Name: "worse", Head: "worse"},
		{Name: "p", Head: "sign test, p", Digits: 3},
		{Name: "idle", Head: "neither learns"},
		{Name: "clear_better", Head: "interval above 0"}, {Name: "clear_worse", Head: "interval below 0"},
		{Name: "hidden", Head: "goal hidden"}, {Name: "beyond", Head: "a cell above the bound"},
		{Name: "run_beyond", Head: "a run above it"},
	}
	for _, part := range table1Parts {
		count := map[string]float64{}
		for k, name := range paper.Table1().Environments {
			if !part.has(name) {
				continue
			}
			if err := s.count(count, k, name); err != nil {
				return err
			}
		}
		cells := map[string]measurement.Cell{}
		for _, c := range m.Columns {
			cells[c.Name] = number(count[c.Name])
			if part.unlogged && slices.Contains(fromLogs, c.Name) {
				cells[c.Name] = measurement.Cell{Words: "no logs"}
			}
		}
		cells["p"] = number(stats.SignTest(int(count["greater"]), int(count["less"])))
		m.Rows = append(m.Rows, measurement.Row{Of: []string{part.name}, Cells: cells})
	}
	return nil
}

// count adds the k-th row of table 1, a family, to the counts of a part.
func (s *survey) count(count map[string]float64, k int, family string) error {
	add := func(column string, holds bool) {
		if holds {
			count[column]++
		}
	}
	row, f := paper.Table1().Rows[k], s.families[family]
	count["rows"]++
	count[verdict(k)]++
	add("greater", row[1] > row[0])
	add("less", row[1] < row[0])
	add("idle", max(row[0], row[1]) <= 0.15)
	add("hidden", hides(family))
	add("beyond", f.hidden && max(row[0], row[1]) > f.blindBound)
	if !paper.Redrawn(family) {
		return nil
	}
	pearl, tcl, err := s.logs.old(family, row)
	if err != nil {
		return err
	}
	d := welch(pearl.lasts(), tcl.lasts())
	add("clear_better", d.Lo > 0)
	add("clear_worse", d.Hi < 0)
	p, _ := pearl.highest()
	q, _ := tcl.highest()
	add("run_beyond", f.hidden && max(p, q) > f.blindBound)
	return nil
}

// verdict is what the paper counts its k-th row as: it lists the better ones first, then the comparable ones, then the
// others.
func verdict(k int) string {
	switch {
	case k < 35:
		return "better"
	case k < 44:
		return "comparable"
	}
	return "worse"
}

// welch is the mean of b less that of a with its 95 % interval, the two having unequal variances.
func welch(a, b []float64) stats.Interval {
	part := func(x []float64) float64 { s := stats.StdDev(x); return s * s / float64(len(x)) }
	va, vb := part(a), part(b)
	n := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	half := distuv.StudentsT{Sigma: 1, Nu: n}.Quantile(0.975) * math.Sqrt(va+vb)
	mean := stats.Mean(b) - stats.Mean(a)
	return stats.Interval{Mean: mean, Lo: mean - half, Hi: mean + half, Level: 0.95, N: len(a) + len(b)}
}
