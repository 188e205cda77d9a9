package plots

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"nacre/analysis/frame"
)

// ChartMIME is the type of a chart as data that a front end draws itself.
const ChartMIME = "application/vnd.nacre.chart+json"

// Chart is a figure of a frame's columns, made by Line, Scatter, Bar, Histogram, Box, Strip or Heat. If it cannot be
// drawn, for instance because a column is missing, it keeps the error (Err); then showing or saving it fails with this
// error. A front end draws its exported fields.
type Chart struct {
	Version int    `json:"version"` // 1 at present
	Title   string `json:"title"`
	X       Scale  `json:"x"`
	Y       Scale  `json:"y"`
	// names of the series, in the order of their colours; a single series may have the name ""
	Names []string `json:"names"`
	// the column from which the series have their names, if the names are numbers: a number alone does not explain a
	// series
	By     string       `json:"by,omitempty"`
	Colour *ColourScale `json:"colour,omitempty"`
	// Aspect is the height of the axes as a share of their width, 0 for the usual one. If Equal is true, a unit is as
	// long on both axes.
	Aspect float64      `json:"aspect,omitempty"`
	Equal  bool         `json:"equal,omitempty"`
	Panels []ChartPanel `json:"panels"`
	// sentences below the chart: what it leaves out and what it assumes
	Notes []string `json:"notes,omitempty"`
	// names of the runs that it shows, which its files name
	Runs []string `json:"runs,omitempty"`
	err  error
}

// Scale is an axis. If it has categories, position k is the k-th category.
type Scale struct {
	Label      string   `json:"label"`
	Log        bool     `json:"log,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// Limits are the two ends of the axis, the left or lower one first; without them the axis spans all marks.
	Limits []float64 `json:"limits,omitempty"`
	// Ticks are the places of numbers on the axis; without them they are chosen.
	Ticks []float64 `json:"ticks,omitempty"`
}

// ColourScale says which values the colours stand for, from dark to light.
type ColourScale struct {
	Label string  `json:"label"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// ChartPanel is one panel of a chart. All panels have the same axes.
type ChartPanel struct {
	Title      string      `json:"title"`
	Marks      []Mark      `json:"marks"`
	References []Reference `json:"references,omitempty"`
	Shapes     []Shape     `json:"shapes,omitempty"`
}

// Kinds of marks.
const (
	LineMark = "line"  // through (X, Y), with the band between Lo and Hi
	DotMark  = "dots"  // at (X, Y), coloured by Value where there are values
	BarMark  = "bars"  // from X to X1 and 0 to Y, with a whisker from Lo to Hi
	BoxMark  = "boxes" // from X to X1 and Q1 to Q3, with a line at the median Y and whiskers to Lo and Hi
	CellMark = "cells" // from X to X1 and Y to Y1, coloured by Value

	ArrowMark = "arrows" // from (X, Y) to (X1, Y1)
)

// Mark is a set of equal shapes of one series. Its slices have one length, or are nil if the kind does not use them. A
// missing Lo or Hi is NaN, and null in JSON.
type Mark struct {
	Kind   string `json:"kind"`
	Series int    `json:"series"` // index in Names
	// a thin line lies behind the main line of its series
	Thin   bool      `json:"thin,omitempty"`
	X      []float64 `json:"x"`
	X1     []float64 `json:"x1,omitempty"`
	Y      []float64 `json:"y"`
	Y1     []float64 `json:"y1,omitempty"`
	Q1     []float64 `json:"q1,omitempty"`
	Q3     []float64 `json:"q3,omitempty"`
	Lo     maybe     `json:"lo,omitempty"`
	Hi     maybe     `json:"hi,omitempty"`
	Value  []float64 `json:"value,omitempty"`
	Detail []string  `json:"detail,omitempty"` // text for the shape under the pointer
}

// maybe holds numbers. Missing ones are NaN, and null in JSON.
type maybe []float64

func (m maybe) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b.WriteString("null")
		} else {
			fmt.Fprintf(&b, "%v", v)
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// Option changes how a chart is made.
type Option func(*options)

type options struct {
	by, panels, seeds  string
	title, x, y        string
	logX, logY, dotted bool
	bins               int
	references         []Reference
	notes, runs        []string
	limits, ticks      [2][]float64 // of x and y
	aspect             *float64
	equal, counted     bool
	shapes             []Shape
}

// By gives rows different colours by a column. Every text is a series; so is every number if there are at most ten.
// With more numbers Scatter uses a scale of colours.
func By(column string) Option { return func(o *options) { o.by = column } }

// Panels draws a panel for every value of a column, side by side in one scale.
func Panels(column string) Option { return func(o *options) { o.panels = column } }

// Seeds makes Line draw means. The rows of each value of the column are the line of one seed, and Line draws the mean
// of the lines of each series.
func Seeds(column string) Option { return func(o *options) { o.seeds = column } }

// Note adds a sentence below a chart.
func Note(text string) Option { return func(o *options) { o.notes = append(o.notes, text) } }

// Runs says which runs a chart shows. Its files name them.
func Runs(names ...string) Option { return func(o *options) { o.runs = append(o.runs, names...) } }

// Title is the line above a chart.
func Title(text string) Option { return func(o *options) { o.title = text } }

// Labels names the axes. Without it they have the names of their columns.
func Labels(x, y string) Option { return func(o *options) { o.x, o.y = x, y } }

// LogX makes the x axis logarithmic. Its values must be positive.
func LogX() Option { return func(o *options) { o.logX = true } }

// LogY makes the y axis logarithmic. Its values must be positive.
func LogY() Option { return func(o *options) { o.logY = true } }

// Dots marks the points of lines.
func Dots() Option { return func(o *options) { o.dotted = true } }

// Bins is the number of bars of a Histogram, at most 1000.
func Bins(n int) Option { return func(o *options) { o.bins = n } }

// At draws a dashed line with a name at a height.
func At(name string, y float64) Option {
	return func(o *options) { o.references = append(o.references, Reference{Name: name, Y: y}) }
}

// Err is the reason why a chart cannot be drawn, nil if it can.
func (c *Chart) Err() error { return c.err }

// maxSeries is the largest number of series with different colours.
var maxSeries = len(Palette)

// build is a chart in the making.
type build struct {
	*Chart
	f *frame.Frame
	o options
	// the series and the panel of every row that is drawn
	series, panel []int
	value         []float64 // values for the scale of colours; nil if colours stand for series
	// what stands behind each series, for the option Count, and what it is; nil if nothing is counted
	counts []int
	unit   string
}

// begin groups the rows of a frame by panel and series. It leaves out rows with a missing value of the columns needed.
func begin(f *frame.Frame, x, y string, need []string, opts []Option, scaleOfColours bool) (b *build) {
	b = &build{Chart: &Chart{Version: 1, Panels: []ChartPanel{}}}
	for _, option := range opts {
		option(&b.o)
	}
	b.Title, b.Notes, b.Runs = b.o.title, b.o.notes, b.o.runs
	b.X = Scale{Label: cmp.Or(b.o.x, x), Log: b.o.logX}
	b.Y = Scale{Label: cmp.Or(b.o.y, y), Log: b.o.logY}
	slices.Sort(need)
	known := f.Known(slices.Compact(need)...)
	if b.err = known.Err(); b.err != nil {
		return b
	}
	if known.Len() == 0 {
		b.err = fmt.Errorf("plots: no row of %d has values of %q", f.Len(), need)
		return b
	}
	b.f = known
	b.series, b.panel = make([]int, known.Len()), make([]int, known.Len())
	b.Names = []string{""}
	titles := []string{""}
	if b.o.panels != "" {
		if titles, b.panel, b.err = classes(known, b.o.panels, 64); b.err != nil {
			return b
		}
	}
	if _, err := known.Numbers(b.o.panels); err == nil && b.o.panels != "" {
		for k := range titles {
			titles[k] = b.o.panels + " " + titles[k]
		}
	}
	for _, r := range b.o.references {
		log, v := b.o.logY, r.Y
		if r.Upright {
			log, v = b.o.logX, r.X
		}
		if b.err == nil && (math.IsNaN(v) || math.IsInf(v, 0) || log && v <= 0) {
			b.err = fmt.Errorf("plots: the line %q is at %v; expected a place that the axis has", r.Name, v)
		}
	}
	b.annotate()
	for _, t := range titles {
		b.Panels = append(b.Panels, ChartPanel{Title: t, Marks: []Mark{}, References: b.o.references,
			Shapes: b.o.shapes})
	}
	if b.o.by == "" {
		return b
	}
	if v, err := known.Numbers(b.o.by); err == nil && scaleOfColours {
		if different, _ := known.Unique(b.o.by); len(different) > maxSeries {
			b.value = v
			lo, hi := extent(v)
			b.Colour = &ColourScale{b.o.by, lo, hi}
			return b
		}
	}
	if _, err := known.Numbers(b.o.by); err == nil {
		b.By = b.o.by
	}
	names, series, err := classes(known, b.o.by, maxSeries)
	b.Names, b.series, b.err = names, series, cmp.Or(b.err, err)
	return b
}

// classes returns the different values of a column, and for every row the index of its value. Numbers are sorted; texts
// are in the order of the rows.
func classes(f *frame.Frame, column string, most int) (names []string, of []int, err error) {
	names, err = f.Unique(column)
	if err != nil {
		return nil, nil, err
	}
	if _, e := f.Numbers(column); e == nil {
		names, _ = f.Sort(column).Unique(column)
	}
	if len(names) > most {
		return nil, nil, fmt.Errorf("plots: column %q has %d different values; at most %d can be told apart here",
			column, len(names), most)
	}
	texts, err := f.Texts(column)
	of = make([]int, len(texts))
	for i, t := range texts {
		of[i] = slices.Index(names, t)
	}
	return names, of, err
}

func extent(x []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// finite checks that a logarithmic axis gets positive and any axis finite values.
func (b *build) finite(column string, x []float64, log bool) {
	for _, v := range x {
		if math.IsInf(v, 0) || log && v <= 0 {
			want := "a finite number"
			if log {
				want = "a positive one, for a logarithmic axis"
			}
			b.err = cmp.Or(b.err, fmt.Errorf("plots: column %q has the value %v; expected %s", column, v, want))
			return
		}
	}
}

// groups calls do for every panel and series that has rows.
func (b *build) groups(do func(panel, series int, rows []int)) {
	if b.counts == nil {
		b.counts, b.unit = make([]int, len(b.Names)), "row"
	}
	rows := map[[2]int][]int{}
	for i := range b.series {
		key := [2]int{b.panel[i], b.series[i]}
		rows[key] = append(rows[key], i)
	}
	for p := range b.Panels {
		for s := range b.Names {
			if r := rows[[2]int{p, s}]; len(r) > 0 {
				if b.unit == "row" {
					b.counts[s] += len(r)
				}
				do(p, s, r)
			}
		}
	}
}

func (b *build) add(panel int, m Mark) {
	b.Panels[panel].Marks = append(b.Panels[panel].Marks, m)
}

// MIMEBundle returns the chart as data for the notebook's front end, as a picture and as text.
func (c *Chart) MIMEBundle() (map[string]any, error) {
	f, err := c.Figure()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := f.WritePNG(&b); err != nil {
		return nil, err
	}
	return map[string]any{ChartMIME: c, "image/png": b.Bytes(), "text/plain": c.String()}, nil
}

// String describes the chart in a line.
func (c *Chart) String() string {
	if c.err != nil {
		return c.err.Error()
	}
	n := 0
	for _, p := range c.Panels {
		for _, m := range p.Marks {
			n += len(m.X)
		}
	}
	text := fmt.Sprintf("chart of %s over %s: %d values", cmp.Or(c.Y.Label, "y"), cmp.Or(c.X.Label, "x"), n)
	if len(c.Names) > 1 {
		text += fmt.Sprintf(" in %d series", len(c.Names))
	}
	if len(c.Panels) > 1 {
		text += fmt.Sprintf(" in %d panels", len(c.Panels))
	}
	for _, n := range c.Notes {
		text += "\n" + n
	}
	return text
}

// Save writes the chart to path, as its name says: .pdf, .svg or .png.
//
//	chart.Save("return.pdf", plots.Width("icml-column"))
func (c *Chart) Save(path string, options ...FileOption) error {
	f, err := c.Figure()
	if err != nil {
		return err
	}
	return f.Save(path, options...)
}

var errNoChart = errors.New("plots: there is no chart")
