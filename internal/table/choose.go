package table

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"nacre/internal/nearest"
)

// Choice says which columns of a table are points' coordinates and which are their labels.
type Choice struct {
	Label   string   // name of the column of labels; if empty, it is looked for
	NoLabel bool     // there are no labels
	Columns []string // names of the columns of coordinates, or patterns such as "latent*"; nil: they are chosen
}

// Chosen holds what Choose found.
type Chosen struct {
	Points []Column // columns of coordinates
	Std    []Column // std0, std1, … beside mean0, mean1, …; else nil
	Label  *Column  // nil if there is none
	Own    bool     // the points are mean0, mean1, … or z0, z1, …
	Notes  []string // which columns are which, and what is left out and why
}

// Choose finds coordinates and labels among columns. Coordinates are the named columns; else mean0, mean1, … or z0, z1,
// …; else every column of numbers, except the label and counters of rows, time or seeds (Counts). A label is the named
// column; else "label", a column with another usual name, or the only column of text. The function row describes the
// place of row i for messages.
func Choose(columns []Column, c Choice, row func(i int) string) (Chosen, error) {
	var out Chosen
	names := namesOfColumns(columns)
	label := -1
	if c.Label != "" {
		if label = slices.Index(names, c.Label); label < 0 {
			return out, fmt.Errorf("no column %q%s", c.Label, nearest.Hint(c.Label, names))
		}
	} else if !c.NoLabel {
		label = labelColumn(columns, names)
	}
	var at []int
	var err error
	if c.Columns != nil {
		if at, err = matching(columns, names, c.Columns); err != nil {
			return out, err
		}
		label = unless(label, at, c.Label)
	} else if at = sequence(names, "mean"); at != nil {
		out.Own, out.Std = true, pickColumns(columns, sequence(names, "std"))
	} else if at = sequence(names, "z"); at != nil {
		out.Own, out.Std = true, pickColumns(columns, sequence(names, "std"))
	}
	var left leaves
	if at == nil {
		for k, col := range columns {
			switch {
			case k == label || !col.IsNumber() && !mostly(col):
			case Counts(col) && len(columns) > 1:
				left.counting = append(left.counting, col.Name)
			case isLabelName(col.Name) && len(columns) > 1:
				left.labels = append(left.labels, col.Name)
			default:
				at = append(at, k)
			}
		}
	}
	if len(at) == 0 {
		return out, noCoordinates(names, slices.Concat(left.counting, left.labels))
	}
	out.Points = pickColumns(columns, at)
	for _, p := range append(slices.Clone(out.Points), out.Std...) {
		if err := allNumbered(p, row); err != nil {
			return out, err
		}
	}
	if label >= 0 {
		out.Label = &columns[label]
	}
	out.say(columns, at, label, left)
	var rounded []string
	for _, p := range append(slices.Clone(out.Points), out.Std...) {
		rounded = append(rounded, Rounded(p.Name, p.Values, row)...)
	}
	if rounded != nil {
		out.Notes = append(out.Notes, RoundedNote+few(rounded))
	}
	return out, nil
}

// RoundedNote begins a sentence that names columns by Rounded.
const RoundedNote = "whole numbers beyond 2^53 are computed with as the nearest float64: "

// Rounded counts the whole numbers of a column that no float64 is, and gives the first with its place; it is empty if
// there are none.
func Rounded(name string, v Values, place func(i int) string) []string {
	var odd seen
	for i, r := range v.Rest {
		if r != 0 {
			odd.see(v.Word(i), i)
		}
	}
	if odd.n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%q (%s, first %s at %s)", name, count(odd.n, "value"), odd.cell, place(odd.at))}
}

func namesOfColumns(columns []Column) []string {
	names := make([]string, len(columns))
	for k, c := range columns {
		names[k] = c.Name
	}
	return names
}

// unless returns the number of the label. It returns none if the label was found, not named, and is one of the
// coordinates.
func unless(label int, at []int, named string) int {
	if named == "" && slices.Contains(at, label) {
		return -1
	}
	return label
}

func pickColumns(columns []Column, at []int) (out []Column) {
	for _, k := range at {
		out = append(out, columns[k])
	}
	return out
}

func noCoordinates(names, left []string) error {
	if left != nil {
		return fmt.Errorf("the only columns of numbers number rows, time or seeds, or are labels by their names: %s; "+
			"name those to lay out", few(left))
	}
	return fmt.Errorf("no column of numbers among %s", few(names))
}

// allNumbered returns an error that names the first value of a column that is not a finite number.
func allNumbered(c Column, row func(i int) string) error {
	if !c.IsNumber() {
		i := max(0, c.Odd-1)
		if len(c.Text) == 0 {
			return fmt.Errorf("column %q has no values", c.Name)
		}
		return fmt.Errorf("%s, column %q: %q is not a number", row(i), c.Name, cut(c.Text[i]))
	}
	given := seen{}
	for i, v := range c.Num {
		if !math.IsNaN(v) {
			given.see("", i)
		}
	}
	if 0 < given.n && 2*given.n < len(c.Num) {
		return fmt.Errorf("column %q has %s in %d rows, first on %s; every row must have one: leave out what is "+
			"there, or choose other columns", c.Name, count(given.n, "value"), len(c.Num), row(given.at))
	}
	for i, v := range c.Num {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			what := map[bool]string{true: "is missing (NaN)", false: fmt.Sprintf("is %v", v)}[math.IsNaN(v)]
			return fmt.Errorf("%s, column %q %s; every value must be finite: leave out the row, or choose other "+
				"columns", row(i), c.Name, what)
		}
	}
	return nil
}

// mostly reports whether a column of text holds mostly numbers.
func mostly(c Column) bool {
	if c.IsNumber() || c.Odd == 0 {
		return false
	}
	n := 0
	for _, s := range c.Text {
		if _, ok := plain(s); ok {
			n++
		}
	}
	return 2*n >= len(c.Text)
}

// leaves holds columns of numbers that are not coordinates.
type leaves struct {
	counting []string // see Counts
	labels   []string // labels by their names, besides the label
}

// say adds notes that say which columns are which.
func (out *Chosen) say(columns []Column, at []int, label int, left leaves) {
	names := namesOfColumns(out.Points)
	text := fmt.Sprintf("laid out: %s (%s)", few(names), count(len(names), "column"))
	if out.Std != nil {
		text += "; standard deviations: " + few(namesOfColumns(out.Std))
	}
	if out.Label != nil {
		text += "; labels: " + out.Label.Name
	}
	var texts, others []string
	for k, c := range columns {
		switch {
		case k == label || slices.Contains(at, k) || slices.Contains(left.counting, c.Name) ||
			slices.Contains(left.labels, c.Name) || slices.Contains(namesOfColumns(out.Std), c.Name):
		case !c.IsNumber():
			texts = append(texts, c.Name)
		default:
			others = append(others, c.Name)
		}
	}
	for _, l := range []struct {
		names []string
		why   string
	}{{left.counting, "number rows, time or seeds"}, {left.labels, "labels by their names"}, {texts, "text"},
		{others, "not chosen"}} {
		if l.names != nil {
			text += fmt.Sprintf("; left out (%s): %s", l.why, few(l.names))
		}
	}
	out.Notes = append(out.Notes, text)
	if out.Own && len(others) > 0 {
		out.gap(others)
	}
}

// gap warns of columns such as mean3, which are left out because there is no mean2.
func (out *Chosen) gap(others []string) {
	for _, run := range [][]Column{out.Points, out.Std} {
		if run == nil {
			continue
		}
		prefix := strings.TrimSuffix(run[0].Name, "0")
		beyond := slices.DeleteFunc(slices.Clone(others), func(name string) bool {
			number, is := strings.CutPrefix(name, prefix)
			return !is || number == "" || strings.Trim(number, "0123456789") != ""
		})
		if len(beyond) > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("there is no %s%d: %s left out; to lay out all, name the "+
				"columns, such as "+
				"%q", prefix, len(run), areOut(beyond), prefix+"*"))
		}
	}
}

// areOut is the subject of a sentence about columns that are left out.
func areOut(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return few(names) + " are"
}

// matching returns the columns that names or patterns select, each in the table's order. The name of an array selects
// all its columns.
func matching(columns []Column, names, patterns []string) (at []int, err error) {
	for _, p := range patterns {
		n := len(at)
		exact := slices.Index(names, p)
		for k, c := range columns {
			matched, err := path.Match(p, strings.ReplaceAll(c.Name, "/", "\x00"))
			if strings.Contains(p, "/") {
				matched, err = path.Match(strings.ReplaceAll(p, "/", "\x00"), strings.ReplaceAll(c.Name, "/", "\x00"))
			}
			if err != nil && exact < 0 {
				return nil, fmt.Errorf("column pattern %q: %w", p, err)
			}
			if k == exact || exact < 0 && (matched || c.Of == p) {
				if !slices.Contains(at, k) {
					at = append(at, k)
				}
			}
		}
		if len(at) == n && exact < 0 {
			return nil, fmt.Errorf("no column %q%s", p, nearest.Hint(p, names))
		}
	}
	return at, nil
}

// sequence returns the columns prefix0, prefix1, … in that order, or nil if there is no prefix0.
func sequence(names []string, prefix string) (at []int) {
	place := make(map[string]int, len(names))
	for k := len(names) - 1; k >= 0; k-- {
		place[names[k]] = k
	}
	for {
		k, ok := place[prefix+strconv.Itoa(len(at))]
		if !ok {
			return at
		}
		at = append(at, k)
	}
}

// LabelNames are the names of labels other than "label".
var LabelNames = []string{
	"class", "target", "task", "species", "digit", "category", "labels", "classes", "targets", "tasks", "task_id",
	"task_name",
	"goal", "goals", "goal_id", "env_name", "environment", "family",
}

// isLabelName reports whether a name is a usual name of a label.
func isLabelName(name string) bool {
	name = strings.ToLower(name)
	return name == "label" || slices.Contains(LabelNames, name)
}

// labelColumn returns the column of labels if the user has named none, or -1 if there is none or more than one.
func labelColumn(columns []Column, names []string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if k := slices.IndexFunc(names, func(n string) bool { return same(n, "label") }); k >= 0 {
			return k
		}
	}
	only := func(is func(k int) bool) int {
		found := -1
		for k := range columns {
			switch {
			case !is(k):
			case found >= 0:
				return -1
			default:
				found = k
			}
		}
		return found
	}
	if k := only(func(k int) bool { return slices.Contains(LabelNames, strings.ToLower(names[k])) }); k >= 0 {
		return k
	}
	if k := only(func(k int) bool { return !columns[k].IsNumber() && !mostly(columns[k]) }); k >= 0 {
		return k
	}
	if slices.Contains(names, "x") || len(columns) < 3 {
		return -1
	}
	return only(func(k int) bool { return names[k] == "y" && IsClass(columns[k].Values) })
}

// IsClass reports whether values look like classes: texts or whole numbers, with at most half as many different values
// as points.
func IsClass(v Values) bool {
	seen := map[string]bool{}
	for i := range v.Len() {
		if v.IsNumber() && v.Num[i] != math.Trunc(v.Num[i]) {
			return false
		}
		seen[v.Word(i)] = true
	}
	return 2*len(seen) <= v.Len()
}

// rowCounters and counters list names of columns that number rows, and time or seeds, in small letters without signs in
// between.
var (
	rowCounters = map[string]bool{
		"": true, "index": true, "idx": true, "rowid": true, "row": true, "id": true, "uid": true, "uuid": true,
		"unnamed":  true,
		"rownames": true, "number": true, "no": true, "nr": true, "worker": true, "workerid": true, "envid": true,
		"rank": true, "rollout": true, "rolloutid": true,
		"trajectory": true, "trajectoryid": true, "traj": true, "trajid": true, "frame": true, "frames": true,
		"seed": true, "seeds": true, "randomseed": true, "rngseed": true, "run": true, "runid": true, "trial": true,
	}
	counters = map[string]bool{
		"level0": true, "indexlevel0": true, // pandas' names for an index
		"step": true, "steps": true, "globalstep": true, "envstep": true, "envsteps": true, "totalenvsteps": true,
		"totalsteps": true, "nsteps": true,
		"timestep": true, "timesteps": true, "totaltimesteps": true, "iteration": true, "iterations": true,
		"iter": true, "itr": true, "niter": true,
		"epoch": true, "epochs": true, "episode": true, "episodes": true, "nepisodes": true, "totalepisodes": true,
		"update": true, "updates": true, "nupdates": true,
		"time": true, "timestamp": true, "datetime": true, "date": true, "walltime": true, "runtime": true,
		"relativetime": true, "timeelapsed": true, "totaltime": true, "elapsed": true,
	}
)

// Counts reports whether a column is only a counter: of time by its name, of rows or seeds by its name if its numbers
// are whole, or because it counts the rows from 0 or 1.
func Counts(c Column) bool {
	name := strings.ToLower(c.Name)
	if i := strings.LastIndexAny(name, "/."); i >= 0 && i < len(name)-1 {
		name = name[i+1:]
	}
	bare := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
	unnamed := strings.HasPrefix(bare, "unnamed") && rowCounters[strings.TrimRight(bare, "0123456789")]
	if counters[bare] || (rowCounters[bare] || unnamed) && allWhole(c.Values) {
		return true
	}
	return len(c.Num) >= 5 && (c.Num[0] == 0 || c.Num[0] == 1) && steady(c.Num)
}

// allWhole reports whether no number of a column has a fraction.
func allWhole(v Values) bool {
	return !slices.ContainsFunc(v.Num, func(x float64) bool { return x != math.Trunc(x) && !math.IsNaN(x) })
}

// steady reports whether each number is one more than the one before.
func steady(x []float64) bool {
	for i, v := range x {
		if v != x[0]+float64(i) {
			return false
		}
	}
	return true
}

// indexes reports whether the values of a first column without a name number or name the rows, as pandas writes them:
// whole numbers or texts that differ, or numbers that count up and begin again, in runs of three rows and more.
func indexes(v Values) bool {
	if !allWhole(v) {
		return false
	}
	known, runs, counted := map[string]bool{}, 0, v.IsNumber()
	for i := range v.Len() {
		known[v.Word(i)] = true
		if counted && (i == 0 || v.Num[i] != v.Num[i-1]+1) {
			counted = v.Num[i] == v.Num[0]
			runs++
		}
	}
	return len(known) == v.Len() || counted && 3*runs <= v.Len()
}
