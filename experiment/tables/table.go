// Package tables builds the paper's tables from run folders: families by systems, with intervals over seeds and tasks.
// Beside every cell are its budget and the paper's figure. Statistics compare the columns. Cells without runs stay
// empty and are counted; nothing is estimated for them.
//
//	runs, notes, err := tables.Load("out/ml1")          // run folders, sweeps, or folders of them
//	table, err := tables.Build("ml1", runs, tables.Options{})
//	err = table.WriteText(os.Stdout)
//	for _, pair := range table.Ours.Pairs {
//		fmt.Println(pair.System, pair.Better, pair.Equal, pair.Worse, pair.P)
//	}
package tables

import (
	"fmt"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/internal/nearest"
	"nacre/rl"
)

// Options are the options of Build.
type Options struct {
	At      int64  // environment steps at which runs are compared; 0: their end
	Against string // system with which the others are compared; if empty, the table's own choice
}

// Table is a table of runs.
type Table struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	*Grid
	Expected int         `json:"environments_expected,omitempty"` // number of rows of the paper's table
	Missing  []string    `json:"environments_without_runs,omitempty"`
	Ours     *Statistics `json:"statistics"`
	// statistics of the paper's figures in the same environments
	Paper *Statistics `json:"paper_statistics,omitempty"`
	Notes []string    `json:"notes,omitempty"`
}

// definition is a table that Build can make.
type definition struct {
	name     string
	title    string
	shape    Shape
	against  []string // first of these that has runs
	expected []string // environments, as the runs name them
}

const paperWindow = "mean return on test tasks over the last tenth of a run's environment steps (at most of the " +
	"first 1,000,000), mean over seeds"

const earlier = "the paper's environments are Meta-World's before 2021, with other scenes and rewards: compare which " +
	"method is ahead, not figures"

// controls are the six families of the MuJoCo figures, of which the paper has no table.
var controls = []string{"ant-dir", "ant-goal", "cheetah-dir", "cheetah-vel", "humanoid-dir", "walker-rand-params"}

// method is the name of a system in the paper's tables, which are plain text.
func method(system string) string { return strings.ReplaceAll(experiment.Title(system), "²", "2") }

// order of the systems: those of the paper as its tables have them, then the other algorithms.
func order() []string {
	methods := paper.Table2().Methods
	out := rl.Names()
	place := func(system string) int {
		if i := slices.Index(methods, method(system)); i >= 0 {
			return i
		}
		return len(methods)
	}
	slices.SortStableFunc(out, func(a, b string) int { return place(a) - place(b) })
	return out
}

func definitions() []definition {
	one, two := paper.Table1(), paper.Table2()
	return []definition{
		{name: "ml1", title: "Meta-World ML1, PEARL and TCL-PEARL, thousands: " + paperWindow,
			against: []string{"pearl"}, expected: ml1(one.Environments),
			shape: Shape{Algorithms: []string{"pearl", "pearl-windows", "tcl-pearl"}, Families: isML1, Order: order(),
				Unit: 1000, Cap: 1_000_000, Paper: published(one)}},
		{name: "ml1-all", title: "Meta-World ML1, all methods, thousands: " + paperWindow,
			against: []string{"tcl-pearl", "pearl"}, expected: ml1(two.Environments),
			shape: Shape{Families: isML1, Order: order(), Unit: 1000, Cap: 1_000_000, Paper: published(two)}},
		{name: "controls", title: "The six MuJoCo controls: mean return on test tasks over the last tenth of a run's " +
			"environment steps, mean over seeds",
			against: []string{"tcl-pearl", "pearl"}, expected: controls,
			shape: Shape{Families: func(f string) bool {
				return slices.Contains(controls, f)
			}, Order: order(), Unit: 1}},
		{name: "runs", title: "Mean return on test tasks over the last tenth of a run's environment steps, mean over " +
			"seeds", against: []string{"tcl-pearl", "pearl"},
			shape: Shape{Order: order(), Unit: 1}},
		{name: "runtime", title: "Seconds of wall clock for 1,000,000 environment steps with their updates and " +
			"evaluations, mean over seeds", against: []string{"pearl"},
			shape: Shape{Order: order(), Unit: 1, Value: pace, Paper: published(paper.Runtime())}},
	}
}

// Names lists the tables that Build can make.
func Names() []string {
	var out []string
	for _, d := range definitions() {
		out = append(out, d.name)
	}
	return out
}

// pace is a run's seconds for 1,000,000 environment steps.
func pace(r Run) (float64, bool) {
	return r.Seconds / float64(r.EnvSteps) * 1e6, r.EnvSteps > 0 && r.Seconds > 0
}

const ml1Prefix = "ml1/"

func isML1(family string) bool { return strings.HasPrefix(family, ml1Prefix) }

func ml1(environments []string) []string {
	out := make([]string, len(environments))
	for i, e := range environments {
		out[i] = ml1Prefix + e
	}
	return out
}

// published looks figures up in a table of the paper.
func published(t paper.Table) func(family, system string) (float64, bool) {
	return func(family, system string) (float64, bool) {
		row, j := t.Row(strings.TrimPrefix(family, ml1Prefix)), slices.Index(t.Methods, method(system))
		if row == nil || j < 0 || !isML1(family) {
			return 0, false
		}
		return row[j], true
	}
}

// Build makes a table of the runs that belong to it.
func Build(name string, runs []Run, o Options) (*Table, error) {
	all := definitions()
	k := slices.IndexFunc(all, func(d definition) bool { return d.name == name })
	if k < 0 {
		return nil, fmt.Errorf("table %q does not exist%s", name, nearest.Hint(name, Names()))
	}
	d := all[k]
	if d.shape.At = o.At; o.At > 0 {
		d.title += fmt.Sprintf("; all at %d environment steps", o.At)
	}
	g, err := gridOf(runs, d.shape)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	t := &Table{Name: name, Title: d.title, Grid: g, Expected: len(d.expected)}
	for _, e := range d.expected {
		if !slices.Contains(g.Families, e) {
			t.Missing = append(t.Missing, e)
		}
	}
	against, err := g.reference(o.Against, d.against)
	if err != nil {
		return nil, err
	}
	if t.Ours, err = g.statistics(against); err != nil {
		return nil, err
	}
	if t.Paper, err = g.paperStatistics(against); err != nil {
		return nil, err
	}
	t.Notes = slices.Concat(Said(runs), g.unequal(), g.incomplete())
	if t.published() && name != "runtime" {
		t.Notes = append(t.Notes, earlier)
	}
	return t, nil
}

// reference is the column that the others are set beside.
func (g *Grid) reference(wanted string, choices []string) (int, error) {
	if wanted != "" {
		if j := slices.Index(g.Systems, wanted); j >= 0 {
			return j, nil
		}
		return 0, fmt.Errorf("no runs of system %q%s", wanted, nearest.Hint(wanted, g.Systems))
	}
	for _, c := range choices {
		if j := slices.Index(g.Systems, c); j >= 0 {
			return j, nil
		}
	}
	return len(g.Systems) - 1, nil
}

// unequal notes rows whose cells had budgets that differ by more than a tenth.
func (g *Grid) unequal() []string {
	var out []string
	for i, row := range g.Cells {
		var lo, hi float64
		for _, c := range row {
			if c.counted() == 0 {
				continue
			}
			if lo == 0 || c.Budget.EnvStepsLo < lo {
				lo = c.Budget.EnvStepsLo
			}
			hi = max(hi, c.Budget.EnvStepsHi)
		}
		if hi > 1.1*lo {
			out = append(out, fmt.Sprintf("%s: budgets differ, from %s to %s environment steps", g.Families[i],
				plain(lo), plain(hi)))
		}
	}
	return out
}

// incomplete says how much of the grid there is.
func (g *Grid) incomplete() []string {
	var out []string
	cells, empty, seeds, most := 0, 0, 0, 0
	for _, row := range g.Cells {
		for _, c := range row {
			most = max(most, c.Begun)
		}
	}
	for i, row := range g.Cells {
		for j, c := range row {
			cells++
			seeds += c.counted()
			if c.counted() == 0 {
				empty++
			}
			for _, n := range c.Notes {
				out = append(out, fmt.Sprintf("%s, %s: %s", g.Families[i], experiment.Title(g.Systems[j]), n))
			}
		}
	}
	if seeds < cells*most {
		out = append([]string{fmt.Sprintf("incomplete grid: %d of %d cells are empty, %d of %d runs counted", empty,
			cells, seeds, cells*most)}, out...)
	}
	return out
}
