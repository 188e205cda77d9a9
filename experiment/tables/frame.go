package tables

import (
	"fmt"
	"math"
	"slices"

	"nacre/analysis/frame"
	"nacre/analysis/stats"
	"nacre/experiment"
)

// Frame is the table as columns: environment, for each system its mean with the ends of the interval (name_lo and
// name_hi) and the paper's figure if there is one. Notes give the number of seeds. If this number is not the same
// everywhere, it stands in columns.
func (t *Table) Frame() *frame.Frame {
	f := frame.New(frame.Texts("environment", t.Families))
	seeds := map[int]bool{}
	for _, row := range t.Cells {
		for _, c := range row {
			if c.counted() > 0 {
				seeds[c.counted()] = true
			}
		}
	}
	for j, s := range t.Systems {
		name := experiment.Title(s)
		columns := map[string][]float64{}
		add := func(column string, v float64) { columns[column] = append(columns[column], v) }
		for _, row := range t.Cells {
			c := row[j]
			mean, lo, hi, published := math.NaN(), math.NaN(), math.NaN(), math.NaN()
			if c.counted() > 0 {
				mean = c.Return.Mean
			}
			if c.counted() > 0 && c.Return.Known() {
				lo, hi = c.Return.Lo, c.Return.Hi
			}
			if c.Paper != nil {
				published = *c.Paper
			}
			add(name, mean)
			add(name+"_lo", lo)
			add(name+"_hi", hi)
			add(name+", n", float64(c.counted()))
			add(name+", paper", published)
		}
		f = f.With(frame.Numbers(name, columns[name]))
		if slices.ContainsFunc(columns[name+"_lo"], func(v float64) bool { return !math.IsNaN(v) }) {
			f = f.With(frame.Numbers(name+"_lo", columns[name+"_lo"])).
				With(frame.Numbers(name+"_hi", columns[name+"_hi"]))
		}
		if len(seeds) > 1 {
			f = f.With(frame.Numbers(name+", n", columns[name+", n"]))
		}
		if t.publishedIn(j) {
			f = f.With(frame.Numbers(name+", paper", columns[name+", paper"]))
		}
	}
	f = f.Note(t.Title + "; [95 % interval over seeds]")
	for n := range seeds {
		if len(seeds) == 1 {
			f = f.Note(fmt.Sprintf("n = %d seeds in each cell", n))
		}
	}
	for _, n := range t.Notes {
		f = f.Note(n)
	}
	return f
}

// Frame is the table as columns, with the ends of intervals as name_lo and name_hi. The paper's rows have none.
func (t *EmbeddingTable) Frame() *frame.Frame {
	var texts [2][]string
	names := []string{"n", "points", "to centroid", "between centroids", "ratio", "ratio in latent space"}
	var mean, lo, hi [6][]float64
	add := func(family, system string, values ...stats.Interval) {
		texts[0], texts[1] = append(texts[0], family), append(texts[1], system)
		for k, v := range values {
			if mean[k] = append(mean[k], v.Mean); !v.Known() {
				v.Lo, v.Hi = math.NaN(), math.NaN()
			}
			lo[k], hi[k] = append(lo[k], v.Lo), append(hi[k], v.Hi)
		}
	}
	one := func(v float64) stats.Interval { return stats.Interval{Mean: v, Lo: math.Inf(-1), Hi: math.Inf(1)} }
	for _, r := range t.Rows {
		add(r.Family, experiment.Title(r.System), one(float64(r.Ratio.N)), one(float64(r.Points)), r.ToCentroid,
			r.Between, r.Ratio, r.Latent)
	}
	for _, p := range t.Paper {
		add("the paper", p.Method, one(1), one(1600), one(p.ToCentroid), one(p.Between), one(p.Ratio()),
			one(math.NaN()))
	}
	f := frame.New(frame.Texts("environment", texts[0]), frame.Texts("system", texts[1]))
	for k, name := range names {
		f = f.With(frame.Numbers(name, mean[k]))
		if slices.ContainsFunc(lo[k], func(v float64) bool { return !math.IsNaN(v) }) {
			f = f.With(frame.Numbers(name+"_lo", lo[k])).With(frame.Numbers(name+"_hi", hi[k]))
		}
	}
	for _, n := range t.Notes {
		f = f.Note(n)
	}
	return f
}
