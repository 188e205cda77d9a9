package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/stats"
)

// Line draws a line through the values of column y over those of x. If a series has the lines of several seeds, Line
// draws their mean by the rule of stats.OverSeeds, with its band; Notes say what is left out.
//
// Seeds are told apart by the column of the option Seeds. Without this option, a column called run or seed is used. If
// there is none, a new seed begins where x goes back. If x goes back so often that it has no order, there are no seeds:
// rows with the same x are values at this x, and their mean is drawn with Student's t interval at 95 %. Columns called
// y_lo and y_hi, which frame's Mean makes, are also drawn as a band.
//
//	plots.Line(f, "env_steps", "return", plots.By("arm"))
func Line(f *frame.Frame, x, y string, opts ...Option) *Chart {
	b := begin(f, x, y, []string{x, y}, opts, false)
	xs, ys := b.column(x), b.column(y)
	b.finite(x, xs, b.o.logX)
	b.finite(y, ys, b.o.logY)
	seeds := b.seedsOf(x, y)
	if b.err != nil {
		return b.Chart
	}
	lo, hi := b.band(y)
	if seeds != nil {
		b.counts, b.unit = make([]int, len(b.Names)), "seed"
	}
	b.groups(func(panel, series int, rows []int) {
		lines, values := linesOf(rows, xs, ys, seeds)
		if seeds != nil {
			b.counts[series] = max(b.counts[series], len(lines))
		}
		if len(lines) > 1 {
			b.mean(panel, series, lines)
			return
		}
		slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
		m := Mark{Kind: LineMark, Series: series}
		banded := false
		for k, x := range lines[0].X {
			mean, l, h := middle(values[k])
			if seeds != nil {
				l, h = math.NaN(), math.NaN() // one seed gives no interval
			}
			first, _ := slices.BinarySearchFunc(rows, x, func(i int, x float64) int { return cmp.Compare(xs[i], x) })
			if len(values[k]) == 1 && lo != nil {
				l, h = lo[rows[first]], hi[rows[first]]
			}
			banded = banded || !math.IsNaN(l)
			m.X, m.Y, m.Lo, m.Hi = append(m.X, x), append(m.Y, mean), append(m.Lo, l), append(m.Hi, h)
		}
		if !banded {
			m.Lo, m.Hi = nil, nil
		}
		b.line(panel, m)
	})
	return b.finished()
}

// line adds a line. It adds the points if the option Dots is set or if there is only one point.
func (b *build) line(panel int, m Mark) {
	b.add(panel, m)
	if b.o.dotted || len(m.X) == 1 {
		b.add(panel, Mark{Kind: DotMark, Series: m.Series, X: m.X, Y: m.Y})
	}
}

// mean adds the mean of several seeds' lines, which may consist of several pieces.
func (b *build) mean(panel, series int, lines []stats.Line) {
	m := stats.OverSeeds(lines)
	if note := m.Note(b.X.Label); note != "" {
		name := strings.TrimPrefix(b.Panels[panel].Title+", "+b.Names[series], ", ")
		b.Notes = append(b.Notes, strings.TrimPrefix(strings.TrimSuffix(name, ", ")+": "+note, ": "))
	}
	from := 0
	for _, to := range append(slices.Clone(m.Breaks), len(m.X)) {
		if to > from {
			b.line(panel, Mark{Kind: LineMark, Series: series, X: m.X[from:to], Y: m.Mean[from:to], Lo: m.Lo[from:to],
				Hi: m.Hi[from:to]})
		}
		from = to
	}
}

// seedsOf returns the name of each row's seed, nil if no column has it.
func (b *build) seedsOf(x, y string) (texts []string) {
	if b.err != nil {
		return nil
	}
	if b.o.seeds != "" {
		texts, b.err = b.f.Texts(b.o.seeds)
		return texts
	}
	for _, name := range []string{"run", "seed"} {
		if b.f.Has(name) && name != x && name != y && name != b.o.by && name != b.o.panels {
			texts, b.err = b.f.Texts(name)
			return texts
		}
	}
	return nil
}

// linesOf returns the lines of a series' seeds. Rows of a seed at one place, such as those of its tasks, count as their
// mean. If a seed has several lines over different places, each counts as a seed. If there is only one line, its values
// are also returned, in the order of its places.
func linesOf(rows []int, xs, ys []float64, seeds []string) (lines []stats.Line, values [][]float64) {
	var order []string
	bySeed := map[string][][]int{}
	for k, i := range rows {
		key := ""
		if seeds != nil {
			key = seeds[i]
		}
		pieces := bySeed[key]
		if pieces == nil {
			order = append(order, key)
		}
		if n := len(pieces); n == 0 || xs[i] < xs[pieces[n-1][len(pieces[n-1])-1]] {
			pieces = append(pieces, nil)
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], rows[k])
		bySeed[key] = pieces
	}
	for _, key := range order {
		pieces := bySeed[key]
		if key != "" && alike(pieces, xs) || 2*len(pieces) > len(slices.Concat(pieces...)) { // or x is in no order
			pieces = [][]int{slices.Concat(pieces...)}
		}
		for _, p := range pieces {
			var l stats.Line
			l, values = gathered(p, xs, ys)
			lines = append(lines, l)
		}
	}
	return lines, values
}

// alike reports whether all pieces have the same places.
func alike(pieces [][]int, xs []float64) bool {
	for _, p := range pieces[1:] {
		if !slices.EqualFunc(p, pieces[0], func(i, j int) bool { return xs[i] == xs[j] }) {
			return false
		}
	}
	return true
}

// gathered returns the line through the mean of the values at every place, and these values.
func gathered(rows []int, xs, ys []float64) (l stats.Line, values [][]float64) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	for k, i := range rows {
		if k == 0 || xs[i] != xs[rows[k-1]] {
			l.X, values = append(l.X, xs[i]), append(values, nil)
		}
		n := len(values) - 1
		values[n] = append(values[n], ys[i])
	}
	for _, v := range values {
		l.Y = append(l.Y, stats.Mean(v))
	}
	return l, values
}

// column returns a column of numbers for the rows that are drawn. If the column has texts, this is the chart's error.
func (b *build) column(name string) []float64 {
	if b.err != nil {
		return nil
	}
	x, err := b.f.Numbers(name)
	b.err = err
	return x
}

// band returns the columns name_lo and name_hi, nil if there are none.
func (b *build) band(name string) (lo, hi []float64) {
	lo, err1 := b.f.Numbers(name + "_lo")
	hi, err2 := b.f.Numbers(name + "_hi")
	if err1 != nil || err2 != nil {
		return nil, nil
	}
	return lo, hi
}

// middle returns a mean and its interval, NaN if there is none.
func middle(x []float64) (mean, lo, hi float64) {
	i := stats.MeanInterval(x)
	if !i.Known() {
		return i.Mean, math.NaN(), math.NaN()
	}
	return i.Mean, i.Lo, i.Hi
}

// Scatter draws a dot for every row.
func Scatter(f *frame.Frame, x, y string, opts ...Option) *Chart {
	b := begin(f, x, y, []string{x, y}, opts, true)
	xs, ys := b.column(x), b.column(y)
	b.finite(x, xs, b.o.logX)
	b.finite(y, ys, b.o.logY)
	if b.err != nil {
		return b.Chart
	}
	b.groups(func(panel, series int, rows []int) {
		m := Mark{Kind: DotMark, Series: series, X: at(xs, rows), Y: at(ys, rows)}
		if b.value != nil {
			m.Value = at(b.value, rows)
		}
		b.add(panel, m)
	})
	return b.finished()
}

func at(x []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for k, i := range rows {
		out[k] = x[i]
	}
	return out
}

// slots puts series side by side within a category: the edges of the k-th of n.
func slots(category, k, n int) (from, to float64) {
	const width = 0.76
	from = float64(category) - width/2 + width*float64(k)/float64(n)
	return from, from + width/float64(n)*0.94
}

// categories returns the classes of column x, which become the x axis.
func (b *build) categories(x string) []int {
	if b.err != nil {
		return nil
	}
	names, of, err := classes(b.f, x, 60)
	b.X.Categories, b.err = names, err
	if b.err == nil && b.o.logX {
		b.err = fmt.Errorf("plots: the x axis has categories (%q) and cannot be logarithmic", x)
	}
	return of
}

// byCategory makes a chart of the values of y by the categories of x. It calls do for every panel, series and category
// that has values. do gets these values, their rows, and the edges of the series' place within the category.
func byCategory(f *frame.Frame, x, y string, opts []Option, do func(b *build, panel, series int, from, to float64,
	values []float64, rows []int)) *Chart {
	b := begin(f, x, y, []string{x, y}, opts, false)
	ys := b.column(y)
	category := b.categories(x)
	b.finite(y, ys, b.o.logY)
	if b.err != nil {
		return b.Chart
	}
	b.groups(func(panel, series int, rows []int) {
		for c := range b.X.Categories {
			own := slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return category[i] != c })
			if len(own) > 0 {
				from, to := slots(c, series, len(b.Names))
				do(b, panel, series, from, to, at(ys, own), own)
			}
		}
	})
	return b.finished()
}

// Bar draws a bar for every value of column x, as high as column y. For several rows it draws their mean, with
// Student's t interval at 95 % as a whisker. Columns called y_lo and y_hi are also drawn as a whisker.
func Bar(f *frame.Frame, x, y string, opts ...Option) *Chart {
	return byCategory(f, x, y, opts, func(b *build, panel, series int, from, to float64, values []float64, rows []int) {
		mean, l, h := middle(values)
		if lo, hi := b.band(y); len(values) == 1 && lo != nil {
			l, h = lo[rows[0]], hi[rows[0]]
		}
		b.join(panel, Mark{Kind: BarMark, Series: series, X: []float64{from}, X1: []float64{to}, Y: []float64{mean},
			Lo: maybe{l}, Hi: maybe{h}})
	})
}

// join adds a mark's shapes to the panel's mark of the same kind and series.
func (b *build) join(panel int, m Mark) {
	for k := range b.Panels[panel].Marks {
		old := &b.Panels[panel].Marks[k]
		if old.Kind == m.Kind && old.Series == m.Series {
			old.X, old.X1, old.Y, old.Y1 = append(old.X, m.X...), append(old.X1, m.X1...), append(old.Y, m.Y...),
				append(old.Y1, m.Y1...)
			old.Q1, old.Q3, old.Lo, old.Hi = append(old.Q1, m.Q1...), append(old.Q3, m.Q3...), append(old.Lo, m.Lo...),
				append(old.Hi, m.Hi...)
			old.Value = append(old.Value, m.Value...)
			return
		}
	}
	b.add(panel, m)
}

// Histogram counts the values of a column in bins of equal width, the same for all series. The option Bins sets their
// number. Without it, two rules give a number each, Freedman and Diaconis' and Sturges', and the larger one is taken.
// Unless the axis is logarithmic, it is then changed a little, so that edges are round values.
func Histogram(f *frame.Frame, x string, opts ...Option) *Chart {
	b := begin(f, x, "count", []string{x}, opts, false)
	xs := b.column(x)
	b.finite(x, xs, b.o.logX)
	if b.err != nil {
		return b.Chart
	}
	if b.o.bins < 0 || b.o.bins > 1000 {
		b.err = fmt.Errorf("plots: %d bins; expected 1 to 1000", b.o.bins)
		return b.Chart
	}
	edges := binEdges(xs, b.o.bins, b.o.logX)
	b.groups(func(panel, series int, rows []int) {
		m := Mark{Kind: BarMark, Series: series, X: edges[:len(edges)-1], X1: edges[1:],
			Y: make([]float64, len(edges)-1)}
		for _, i := range rows {
			k, _ := slices.BinarySearch(edges, xs[i])
			if k == len(edges) || edges[k] != xs[i] {
				k--
			}
			m.Y[min(max(k, 0), len(m.Y)-1)]++
		}
		b.add(panel, m)
	})
	return b.finished()
}

func binEdges(x []float64, bins int, log bool) []float64 {
	x = slices.Clone(x)
	if log {
		for i := range x {
			x[i] = math.Log(x[i])
		}
	}
	slices.Sort(x)
	lo, hi := x[0], x[len(x)-1]
	if lo == hi {
		lo, hi = widen(lo, hi, 0)
	}
	if bins == 0 {
		n := float64(len(x))
		width := 2 * (stats.Quantile(x, 0.75) - stats.Quantile(x, 0.25)) / math.Cbrt(n)
		bins = int(math.Ceil(math.Log2(n))) + 1
		if width > 0 {
			bins = max(bins, int(math.Ceil(min(100, (hi-lo)/width))))
		}
		if !log {
			return roundEdges(lo, hi, bins)
		}
	}
	edges := make([]float64, bins+1)
	for k := range edges {
		t := float64(k) / float64(bins)
		if edges[k] = lo*(1-t) + hi*t; log {
			edges[k] = math.Exp(edges[k])
		}
	}
	return edges
}

// roundEdges returns the edges of about n bins, at multiples of a round width.
func roundEdges(lo, hi float64, n int) (edges []float64) {
	step := niceBelow((hi - lo) / float64(n))
	if above := niceBelow(step * 2.6); (hi-lo)/float64(n)/step > above/((hi-lo)/float64(n)) {
		step = above // this step is nearer
	}
	first, last := math.Floor(lo/step), math.Ceil(hi/step)
	for k := first; k <= last; k++ {
		edges = append(edges, k*step)
	}
	return edges
}

// Box draws the median and quartiles (stats.Quantile) of column y for every value of x, whiskers to the last value
// within 1.5 times the quartiles' distance (Tukey), and dots beyond.
func Box(f *frame.Frame, x, y string, opts ...Option) *Chart {
	return byCategory(f, x, y, opts, func(b *build, panel, series int, from, to float64, v []float64, _ []int) {
		slices.Sort(v)
		q1, q3 := stats.Quantile(v, 0.25), stats.Quantile(v, 0.75)
		reach := 1.5 * (q3 - q1)
		lo, hi := q1, q3
		beyond := Mark{Kind: DotMark, Series: series}
		for _, y := range v {
			if y < q1-reach || y > q3+reach {
				beyond.X, beyond.Y = append(beyond.X, (from+to)/2), append(beyond.Y, y)
				continue
			}
			lo, hi = min(lo, y), max(hi, y)
		}
		b.join(panel, Mark{Kind: BoxMark, Series: series, X: []float64{from}, X1: []float64{to},
			Y:  []float64{stats.Median(v)},
			Q1: []float64{q1}, Q3: []float64{q3}, Lo: maybe{lo}, Hi: maybe{hi}})
		if len(beyond.X) > 0 {
			b.join(panel, beyond)
		}
	})
}

// Strip draws every value of column y as a dot at its value of x. Dots are spread sideways, so that few hide others.
func Strip(f *frame.Frame, x, y string, opts ...Option) *Chart {
	return byCategory(f, x, y, opts, func(b *build, panel, series int, from, to float64, v []float64, _ []int) {
		m := Mark{Kind: DotMark, Series: series, Y: v}
		for k := range v {
			// The fractions of multiples of the golden ratio are spread evenly, however many there are.
			_, t := math.Modf(float64(k) * math.Phi)
			m.X = append(m.X, from+(to-from)*(0.15+0.7*t))
		}
		b.join(panel, m)
	})
}

// Heat draws a cell for every pair of values of columns x and y, coloured by the mean of column value. A column of
// evenly spaced numbers gets an axis of numbers if it has more than ten different values or if they are not whole. Any
// other column gets a label for each value.
func Heat(f *frame.Frame, x, y, value string, opts ...Option) *Chart {
	b := begin(f, x, y, []string{x, y, value}, opts, false)
	values := b.column(value)
	b.finite(value, values, false)
	if b.err == nil && (b.o.logX || b.o.logY || b.o.by != "") {
		b.err = fmt.Errorf("plots: a heat map has neither a logarithmic axis nor series (By)")
	}
	var column, row cellAxis
	if b.err == nil {
		column, b.err = cellsOf(b.f, x, 60, &b.X)
	}
	if b.err == nil {
		row, b.err = cellsOf(b.f, y, 200, &b.Y)
	}
	if b.err != nil {
		return b.Chart
	}
	cells := map[[3]int][]float64{}
	for i, v := range values {
		key := [3]int{b.panel[i], column.of[i], row.of[i]}
		cells[key] = append(cells[key], v)
	}
	for p := range b.Panels {
		m := Mark{Kind: CellMark}
		for c, at := range column.at {
			for r, up := range row.at {
				if v := cells[[3]int{p, c, r}]; v != nil {
					m.X, m.X1 = append(m.X, at-column.half), append(m.X1, at+column.half)
					m.Y, m.Y1 = append(m.Y, up-row.half), append(m.Y1, up+row.half)
					m.Value = append(m.Value, stats.Mean(v))
				}
			}
		}
		b.add(p, m)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range b.Panels {
		l, h := extent(p.Marks[0].Value)
		lo, hi = min(lo, l), max(hi, h)
	}
	b.Colour = &ColourScale{value, lo, hi}
	return b.finished()
}

// cellAxis holds the places of a heat map's cells along one axis.
type cellAxis struct {
	of   []int     // the place of each row of the frame
	at   []float64 // middles of the cells
	half float64   // half of their width
}

// mostNumbers is the number of cells along an axis of numbers, at most.
const mostNumbers = 500

// cellsOf makes the axis of a column.
func cellsOf(f *frame.Frame, name string, most int, s *Scale) (c cellAxis, err error) {
	if x, err := f.Numbers(name); err == nil {
		if at := slices.Compact(slices.Sorted(slices.Values(x))); evenly(at) && len(at) <= mostNumbers {
			c.at, c.half = at, (at[len(at)-1]-at[0])/float64(len(at)-1)/2
			for _, v := range x {
				k, _ := slices.BinarySearch(at, v)
				c.of = append(c.of, k)
			}
			if s.Limits == nil {
				s.Limits = []float64{at[0] - c.half, at[len(at)-1] + c.half}
			}
			return c, nil
		}
	}
	if s.Categories, c.of, err = classes(f, name, most); err != nil {
		return c, err
	}
	for k := range s.Categories {
		c.at = append(c.at, float64(k))
	}
	c.half = 0.5
	return c, nil
}

// evenly reports whether increasing numbers are evenly spaced, and more than labels can name or not whole.
func evenly(at []float64) bool {
	n := len(at)
	if n < 3 || math.IsInf(at[0], 0) || math.IsInf(at[n-1], 0) {
		return false
	}
	step, whole := (at[n-1]-at[0])/float64(n-1), true
	for k, v := range at {
		whole = whole && v == math.Trunc(v)
		if math.Abs(v-(at[0]+float64(k)*step)) > 1e-6*step {
			return false
		}
	}
	return n > 10 || !whole
}

// Arrows draws an arrow for every row: at columns x and y, along columns dx and dy. They are scaled so that the longest
// one reaches as far as the next arrow; a note gives the length that it stands for. Colours are those of By.
func Arrows(f *frame.Frame, x, y, dx, dy string, opts ...Option) *Chart {
	b := begin(f, x, y, []string{x, y, dx, dy}, opts, true)
	xs, ys, dxs, dys := b.column(x), b.column(y), b.column(dx), b.column(dy)
	for k, v := range [][]float64{xs, ys, dxs, dys} {
		b.finite([]string{x, y, dx, dy}[k], v, false)
	}
	if b.err == nil && (b.o.logX || b.o.logY) {
		b.err = fmt.Errorf("plots: arrows have no logarithmic axes; leave LogX and LogY out")
	}
	if b.err != nil {
		return b.Chart
	}
	longest := 0.0
	for i := range dxs {
		longest = max(longest, math.Hypot(dxs[i], dys[i]))
	}
	scale := 0.0
	if longest > 0 {
		scale = apart(xs, ys) / longest
	}
	b.groups(func(panel, series int, rows []int) {
		m := Mark{Kind: ArrowMark, Series: series, X: at(xs, rows), Y: at(ys, rows)}
		for _, i := range rows {
			m.X1, m.Y1 = append(m.X1, xs[i]+scale*dxs[i]), append(m.Y1, ys[i]+scale*dys[i])
		}
		if b.value != nil {
			m.Value = at(b.value, rows)
		}
		b.add(panel, m)
	})
	b.Notes = append(b.Notes, fmt.Sprintf("The longest arrow is (%s, %s) of length %.3g.", dx, dy, longest))
	return b.finished()
}

// apart is about the distance of neighbours among points that fill their bounding box.
func apart(xs, ys []float64) float64 {
	xlo, xhi := extent(xs)
	ylo, yhi := extent(ys)
	n := math.Sqrt(float64(len(xs)))
	if n <= 1 {
		return max(1, xhi-xlo, yhi-ylo)
	}
	if d := math.Sqrt((xhi-xlo)*(yhi-ylo)) / (n - 1); d > 0 {
		return d
	}
	return max(xhi-xlo, yhi-ylo) / max(1, float64(len(xs)-1))
}
