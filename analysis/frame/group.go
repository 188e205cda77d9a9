package frame

import (
	"math"
	"slices"
	"strings"

	"nacre/analysis/stats"
)

// Groups are the rows of a frame, grouped by equal values of some columns, in the order in which those values first
// appear.
type Groups struct {
	f    *Frame
	keys []string
	rows [][]int // rows of each group
}

// Group groups rows with equal values of the columns. Without columns all rows are one group.
func (f *Frame) Group(names ...string) *Groups {
	keys := f.Select(names...)
	g := &Groups{f: f, keys: names}
	if keys.err != nil {
		g.f = &Frame{err: keys.err}
		return g
	}
	place := map[string]int{}
	for i := range f.rows {
		key := keys.key(i)
		k, known := place[key]
		if !known {
			k = len(g.rows)
			place[key] = k
			g.rows = append(g.rows, nil)
		}
		g.rows[k] = append(g.rows[k], i)
	}
	return g
}

// key returns a key that differs for rows with different values.
func (f *Frame) key(i int) string {
	var b strings.Builder
	for _, c := range f.columns {
		w := c.word(i)
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(w, `\`, `\\`), "|", `\|`))
		b.WriteByte('|')
	}
	return b.String()
}

// summary makes a frame with one row for each group: the group's keys, and the columns that the function called of
// makes from every column. Missing numbers are left out first.
func (g *Groups) summary(names []string, of func(name string, groups [][]float64) []Column) *Frame {
	if g.f.err != nil {
		return g.f
	}
	out := g.firsts()
	if len(names) == 0 {
		for _, c := range g.f.columns {
			if c.IsNumber() && !slices.Contains(g.keys, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	for _, name := range names {
		c, err := g.f.numbers(name)
		if err != nil {
			return &Frame{err: err}
		}
		groups := make([][]float64, len(g.rows))
		for k, rows := range g.rows {
			groups[k] = slices.DeleteFunc(gather(c.num, rows, 0), math.IsNaN)
		}
		for _, made := range of(name, groups) {
			if slices.Contains(g.keys, made.Name) {
				return failed("column %q is grouped by: it has no summary", name)
			}
			out = out.With(made)
		}
	}
	return out
}

// firsts returns the keys of the groups.
func (g *Groups) firsts() *Frame {
	at := make([]int, len(g.rows))
	for k, rows := range g.rows {
		at[k] = rows[0]
	}
	return g.f.Select(g.keys...).pick(at)
}

// Mean is the mean of columns in every group, with a 95 % Student's t interval: columns name, name_lo, name_hi, and
// name_n, the number of values. The interval is for values that are independent, for example one per seed. For a single
// value its ends are missing. Without names all columns of numbers are taken.
func (g *Groups) Mean(names ...string) *Frame {
	return g.summary(names, func(name string, groups [][]float64) []Column {
		var mean, lo, hi, n []float64
		for _, x := range groups {
			i := stats.MeanInterval(x)
			if !i.Known() {
				i.Lo, i.Hi = math.NaN(), math.NaN()
			}
			mean, lo, hi, n = append(mean, i.Mean), append(lo, i.Lo), append(hi, i.Hi), append(n, float64(len(x)))
		}
		return []Column{Numbers(name, mean), Numbers(name+"_lo", lo), Numbers(name+"_hi", hi), Numbers(name+"_n", n)}
	})
}

// Over first averages the columns of numbers for each value of the named columns. After that each value counts once.
// For example, results of several tasks of one seed depend on each other.
// Group("algorithm").Over("seed").Mean("return") averages them, and its intervals are over seeds.
func (g *Groups) Over(names ...string) *Groups {
	if g.f.err != nil {
		return g
	}
	return g.f.Group(append(slices.Clone(g.keys), names...)...).Apply(stats.Mean).Group(g.keys...)
}

// Count is the number of rows of every group, in column n.
func (g *Groups) Count() *Frame {
	if g.f.err != nil {
		return g.f
	}
	n := make([]float64, len(g.rows))
	for k, rows := range g.rows {
		n[k] = float64(len(rows))
	}
	return g.firsts().With(Numbers("n", n))
}

// Apply summarises columns in every group by a function of the group's values. The function is never called without
// values: a group without values gives a missing one. Without names all columns of numbers are taken.
func (g *Groups) Apply(of func(x []float64) float64, names ...string) *Frame {
	return g.summary(names, func(name string, groups [][]float64) []Column {
		out := make([]float64, len(groups))
		for k, x := range groups {
			if out[k] = math.NaN(); len(x) > 0 {
				out[k] = of(x)
			}
		}
		return []Column{Numbers(name, out)}
	})
}

// Median is the median of columns in every group. Min, Max, Sum and Std (divisor n-1) work in the same way.
func (g *Groups) Median(names ...string) *Frame { return g.Apply(stats.Median, names...) }

// Min is the least value of every group.
func (g *Groups) Min(names ...string) *Frame { return g.Apply(slices.Min[[]float64], names...) }

// Max is the greatest value of every group.
func (g *Groups) Max(names ...string) *Frame { return g.Apply(slices.Max[[]float64], names...) }

// Sum is the sum of every group.
func (g *Groups) Sum(names ...string) *Frame {
	return g.Apply(func(x []float64) float64 { return stats.Mean(x) * float64(len(x)) }, names...)
}

// Std is the sample standard deviation of every group.
func (g *Groups) Std(names ...string) *Frame { return g.Apply(stats.StdDev, names...) }

// Best keeps for every group the whole row with the greatest value of a column. Groups without a value are left out.
func (g *Groups) Best(name string) *Frame {
	c, err := g.f.numbers(name)
	if err != nil {
		return &Frame{err: err}
	}
	var at []int
	for _, rows := range g.rows {
		best := -1
		for _, i := range rows {
			if !math.IsNaN(c.num[i]) && (best < 0 || c.num[i] > c.num[best]) {
				best = i
			}
		}
		if best >= 0 {
			at = append(at, best)
		}
	}
	return g.f.pick(at)
}

// Describe gives for every column of numbers the number of values, their mean, standard deviation and quartiles, as
// pandas defines them (stats.Quantile).
func (f *Frame) Describe() *Frame {
	if f.err != nil {
		return f
	}
	var name []string
	rows := make([][]float64, 7)
	for _, c := range f.columns {
		if !c.IsNumber() {
			continue
		}
		x := slices.DeleteFunc(slices.Clone(c.num), math.IsNaN)
		slices.Sort(x)
		name = append(name, c.Name)
		values := []float64{float64(len(x)), stats.Mean(x), stats.StdDev(x), math.NaN(), math.NaN(), math.NaN(),
			math.NaN()}
		if len(x) > 0 {
			values[3], values[6] = x[0], x[len(x)-1]
			values[4], values[5] = stats.Quantile(x, 0.25), stats.Quantile(x, 0.75)
		}
		for k, v := range values {
			rows[k] = append(rows[k], v)
		}
	}
	out := New(Texts("column", name)).noted(f)
	for k, title := range []string{"n", "mean", "std", "min", "25 %", "75 %", "max"} {
		out = out.With(Numbers(title, rows[k]))
	}
	return out
}
