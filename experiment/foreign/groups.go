package foreign

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/frame"
)

// Names of columns that tell the runs of one table apart, in small letters.
var (
	familyColumns = slices.Concat(familyKeys, []string{"task", "family"})
	systemColumns = slices.Concat(systemKeys, []string{"method", "model", "system", "arm", "variant", "experiment"})
	runColumns    = []string{"run", "run_id", "run_name", "trial", "trial_id"}
)

// groups are the runs of a table that holds several, one below another or mixed.
type groups struct {
	columns []string   // columns that tell the runs apart
	values  [][]string // of each run, one for each column
	names   []string   // of the runs
	of      []int      // number of the run of each row, −1 for a row of none
	note    string     // says which rows are of none
}

// groupsOf finds the runs of a table. A column of numbers that are not whole tells no runs apart; for seeds it is an
// error.
func groupsOf(f *frame.Frame) (g groups, err error) {
	var words [][]string
	for _, known := range [][]string{familyColumns, systemColumns, runColumns, seedKeys} {
		for _, name := range f.Names() {
			if !slices.Contains(known, strings.ToLower(name)) {
				continue
			}
			w, err := wordsOf(f, name)
			if err != nil && kindIs(name, seedKeys) {
				return g, err
			}
			if err == nil {
				g.columns, words = append(g.columns, name), append(words, w)
			}
		}
	}
	if len(g.columns) == 0 {
		return g, nil
	}
	g.of = make([]int, f.Len())
	known, without, first := map[string]int{}, 0, ""
	for i := range g.of {
		row := make([]string, len(words))
		for k, w := range words {
			row[k] = w[i]
		}
		if k := slices.Index(row, ""); k >= 0 {
			g.of[i] = -1
			if without++; without == 1 {
				first = fmt.Sprintf("column %q (first %s)", g.columns[k], place(f, i))
			}
			continue
		}
		key := fmt.Sprintf("%q", row)
		n, ok := known[key]
		if !ok {
			n, known[key] = len(g.values), len(g.values)
			g.values = append(g.values, row)
		}
		g.of[i] = n
	}
	if without > 0 {
		g.note = fmt.Sprintf("%s without a value in %s: left out", ofRows(without, f.Len()), first)
	}
	for _, v := range g.values {
		g.names = append(g.names, g.name(v))
	}
	return g, nil
}

// wordsOf are the values of a column as words, "" for none.
func wordsOf(f *frame.Frame, column string) ([]string, error) {
	words, err := f.Texts(column)
	if err != nil {
		return nil, err
	}
	words = slices.Clone(words)
	numbers, _ := f.Numbers(column) // nil of texts
	for i, x := range numbers {
		switch {
		case math.IsNaN(x):
			words[i] = ""
		case x != math.Trunc(x):
			return nil, fmt.Errorf("column %q has %s on %s; expected whole numbers from 0 to %d: rename the "+
				"column if it is not of seeds", column, words[i], place(f, i), uint64(math.MaxUint64))
		}
	}
	return words, nil
}

func kindIs(column string, known []string) bool {
	return slices.Contains(known, strings.ToLower(column))
}

// name joins the values of a run; no two runs have one name.
func (g groups) name(values []string) string {
	var parts []string
	for k, v := range values {
		if kindIs(g.columns[k], seedKeys) {
			v = "seed" + v
		}
		parts = append(parts, v)
	}
	name := strings.Join(parts, "-")
	for n := 2; slices.Contains(g.names, name); n++ {
		name = fmt.Sprintf("%s-%d", strings.Join(parts, "-"), n)
	}
	return name
}

// about tells of a run what its columns say; the system is otherwise as given.
func (g groups) about(run int, system string) about {
	a := about{}
	seed, where := "", ""
	for k, v := range g.values[run] {
		switch column := g.columns[k]; {
		case kindIs(column, familyColumns):
			a.family = cmp.Or(a.family, v)
		case kindIs(column, systemColumns):
			a.system = cmp.Or(a.system, v)
		case kindIs(column, seedKeys):
			seed, where = v, column
		case seed == "": // runs that are numbered
			if _, err := strconv.ParseUint(v, 10, 64); err == nil {
				seed = v
			}
		}
	}
	a.system = cmp.Or(a.system, system)
	a.named = a.system != ""
	if n, err := strconv.ParseUint(seed, 10, 64); err == nil {
		a.seed = &n
	} else if seed != "" {
		a.notes = append(a.notes, noSeed(seed, "column "+strconv.Quote(where)))
	}
	return a
}

// groupsIn is the source of a file with any table: of its runs if it holds several.
func groupsIn(path string) []source {
	one := tabular(path, "table")
	f, err := frame.Read(path)
	if err != nil {
		return []source{one} // which says so
	}
	g, err := groupsOf(f)
	if err != nil {
		one.runs = func() ([]string, error) { return nil, err }
		return []source{one}
	}
	take := func(run int, system string) (*frame.Frame, about, error) {
		a := g.about(run, system)
		a.tool, a.notes = toolOf(f, "table"), slices.Concat(f.Notes(), a.notes)
		if g.note != "" {
			a.notes = append(a.notes, g.note)
		}
		return f.Where(func(r frame.Row) bool { return g.of[r.Index()] == run }), a, nil
	}
	switch {
	case len(g.values) == 0:
		return []source{one}
	case len(g.values) == 1 && g.note == "":
		one.read = func(string) (*frame.Frame, about, error) { return take(0, "") }
		return []source{one}
	}
	one.runs = func() ([]string, error) { return g.names, nil }
	one.read = func(run string) (*frame.Frame, about, error) {
		k := slices.Index(g.names, run)
		if k < 0 {
			return nil, about{}, fmt.Errorf("there is no run %q in it; expected one of %s", run, few(g.names))
		}
		return take(k, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	}
	return []source{one}
}

// few lists names, and how many more there are.
func few(names []string) string {
	if len(names) > 12 {
		names = append(slices.Clone(names[:12]), fmt.Sprintf("and %d more", len(names)-12))
	}
	return strings.Join(names, ", ")
}

// mixed is an error for a table that holds several runs which none of the known columns tells apart: the steps go back,
// or are equal, and a column of text has another value wherever they do. Steps that go back once, and not to the
// beginning, are those of a resumed run.
func (l *Log) mixed() error {
	steps, err := l.frame.Numbers(l.Step)
	if err != nil {
		return nil
	}
	returns := l.returns()
	var pairs [][2]int
	begin, backs, resumed := math.NaN(), 0, false
	at, last := map[float64]int{}, -1
	for i, s := range steps {
		if math.IsNaN(s) || math.IsNaN(returns[i]) {
			continue
		}
		if last < 0 {
			begin = s
		} else if s < steps[last] {
			backs, resumed = backs+1, s > begin
			pairs = append(pairs, [2]int{last, i})
			clear(at)
		}
		if k, ok := at[s]; ok {
			pairs = append(pairs, [2]int{k, i})
		}
		at[s], last = i, i
	}
	if backs == 1 && resumed {
		return nil
	}
	for _, name := range l.frame.Names() {
		if _, err := l.frame.Numbers(name); err == nil || Clock(name) || len(pairs) == 0 {
			continue
		}
		words, err := l.frame.Texts(name)
		if err != nil {
			continue
		}
		values := slices.Compact(slices.Sorted(slices.Values(words)))
		if len(values) < len(words) && !slices.ContainsFunc(pairs, func(p [2]int) bool {
			return words[p[0]] == words[p[1]]
		}) {
			return fmt.Errorf("column %q has %d values (%s) and another one wherever the steps go back or are equal, "+
				"as in a table of several runs: rename the column to run, algo, env or seed, or leave one run in the "+
				"file", name, len(values), few(values))
		}
	}
	return nil
}
