package display

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
)

// CurvesMIME is the type of curves that the front end draws and redraws itself.
const CurvesMIME = "application/vnd.nacre.curves+json"

var curvesType = Type{"curves", CurvesMIME, "image/png", func() Renderer {
	c := NewCurves("return", "steps", "return")
	for x := range 8 {
		y := float64(x * x)
		c.AddBand("PEARL", float64(x), y, y-1, y+1)
		c.Add("TCL-PEARL", float64(x), 2*y)
	}
	return c
}}

// Curves are lines that may grow while they are shown. All methods may be called from several goroutines.
type Curves struct {
	mu     sync.Mutex
	title  string
	xLabel string
	yLabel string
	logY   bool
	link   string
	series []*series
	panels []*Curves
	whole  *Curves // of which these are a panel; nil if they are none
	handle *Handle
	sent   time.Time
	took   time.Duration // the time that sending them took last
	later  *time.Timer
	order  sync.Mutex // held while they are sent

	picture []byte // as it was drawn last
	drawn   time.Time
	drawing time.Duration // the time that it took
}

type series struct {
	name, group     string
	mean            bool // the mean over the lines of its group
	x, y, low, high []float64
}

// colour is what lines of one colour have in common.
func (s *series) colour() string { return cmp.Or(s.group, s.name) }

// NewCurves returns curves without lines yet.
func NewCurves(title, xLabel, yLabel string) *Curves {
	return &Curves{title: title, xLabel: xLabel, yLabel: yLabel}
}

// Live shows the curves now, and shows them again whenever points are added, at most ten times a second. If sending
// them takes long, they are sent less often, so that sending takes at most a fiftieth of the time. The picture for
// other programs is drawn again so rarely that drawing takes at most a hundredth of the time, and once at the end.
func (c *Curves) Live() *Curves {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == nil {
		c.handle = Updating(bundleOf{c})
		c.sent = time.Now()
	}
	return c
}

// Panel returns curves that are shown small below these, over the same x axis, such as losses below a return. A line
// has the colour and the group of the line with the same name in c. Panels without a value are not shown. Values of
// long lines are left out, but the lowest and highest of each part stay. The picture for other programs and the text
// have no panels.
func (c *Curves) Panel(title string) *Curves {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &Curves{title: title, whole: c}
	c.panels = append(c.panels, p)
	return p
}

// LogY makes the y axis logarithmic.
func (c *Curves) LogY() *Curves {
	c.mu.Lock()
	c.logY = true
	c.mu.Unlock()
	c.changed()
	return c
}

// Link connects the lines with outputs of the same link: lines and labels of the same name are selected together.
func (c *Curves) Link(link string) *Curves {
	c.mu.Lock()
	c.link = link
	c.mu.Unlock()
	c.changed()
	return c
}

// Group makes a line one of a group, such as the seeds of an algorithm. Lines of a group have one colour. If it has
// several, they are thin, and their mean, by the rule of stats.OverSeeds, is drawn over them.
func (c *Curves) Group(name, group string) *Curves {
	c.mu.Lock()
	c.line(name).group = group
	c.mu.Unlock()
	c.changed()
	return c
}

// Add adds the point (x, y) to the line of that name. It starts the line if there is none.
func (c *Curves) Add(name string, x, y float64) {
	c.mu.Lock()
	s := c.line(name)
	s.x, s.y = append(s.x, x), append(s.y, y)
	if s.low != nil {
		s.low, s.high = append(s.low, y), append(s.high, y)
	}
	c.mu.Unlock()
	c.changed()
}

// AddBand adds a point with an interval around it, low ≤ y ≤ high, e.g. of several seeds.
func (c *Curves) AddBand(name string, x, y, low, high float64) {
	c.mu.Lock()
	s := c.line(name)
	if s.low == nil {
		s.low, s.high = append([]float64{}, s.y...), append([]float64{}, s.y...)
	}
	s.x, s.y, s.low, s.high = append(s.x, x), append(s.y, y), append(s.low, low), append(s.high, high)
	c.mu.Unlock()
	c.changed()
}

// Set replaces the whole line of that name. It returns an error if x and y differ in length.
func (c *Curves) Set(name string, x, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("display: the line %q has %d values of x and %d of y", name, len(x), len(y))
	}
	c.mu.Lock()
	s := c.line(name)
	*s = series{name: name, group: s.group, x: append([]float64{}, x...), y: append([]float64{}, y...)}
	c.mu.Unlock()
	c.changed()
	return nil
}

func (c *Curves) line(name string) *series {
	for _, s := range c.series {
		if s.name == name {
			return s
		}
	}
	s := &series{name: name}
	c.series = append(c.series, s)
	return s
}

// withMeans are the lines, behind them the mean of each group that has several with points. The lock is held.
func (c *Curves) withMeans() []*series {
	groups := map[string][]stats.Line{}
	var names []string
	for _, s := range c.series {
		if s.group == "" || len(s.x) == 0 {
			continue
		}
		if groups[s.group] == nil {
			names = append(names, s.group)
		}
		groups[s.group] = append(groups[s.group], stats.Line{X: s.x, Y: s.y})
	}
	out := slices.Clone(c.series)
	for _, name := range names {
		if lines := groups[name]; len(lines) > 1 {
			m := stats.OverSeeds(lines)
			out = append(out, &series{name: fmt.Sprintf("%s, mean of %d", name, len(lines)), group: name, mean: true,
				x: m.X, y: m.Mean})
		}
	}
	return out
}

const interval = 100 * time.Millisecond

// changed sends the curves, or sees to it that they are sent soon.
func (c *Curves) changed() {
	if c.whole != nil {
		c.whole.changed()
		return
	}
	c.mu.Lock()
	if c.handle == nil || c.later != nil {
		c.mu.Unlock()
		return
	}
	wait := max(interval, 50*c.took) - time.Since(c.sent)
	if wait > 0 {
		c.later = time.AfterFunc(wait, func() {
			c.mu.Lock()
			c.later = nil
			c.mu.Unlock()
			c.send(false)
		})
	}
	c.mu.Unlock()
	if wait <= 0 {
		c.send(false)
	}
}

// send shows the curves as they are. In the last showing the picture is as they are too.
func (c *Curves) send(last bool) {
	c.order.Lock()
	defer c.order.Unlock()
	c.mu.Lock()
	began := time.Now()
	c.sent = began
	h := c.handle
	c.mu.Unlock()
	if last {
		h.Update(c)
	} else {
		h.Update(growing{c})
	}
	c.mu.Lock()
	c.took = time.Since(began)
	c.mu.Unlock()
}

// Flush sends the points that were added last. Call it at the end of a run.
func (c *Curves) Flush() {
	c.mu.Lock()
	if c.later != nil {
		c.later.Stop()
		c.later = nil
	}
	shown := c.handle != nil
	c.mu.Unlock()
	if shown {
		c.send(true)
	}
}

// growing renders curves to which more is added: with the picture that was drawn last unless there is time for another.
type growing struct{ c *Curves }

func (g growing) MIMEBundle() (map[string]any, error) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	return g.c.bundle(time.Since(g.c.drawn) < 100*g.c.drawing)
}

// bundleOf renders curves whose lock is held.
type bundleOf struct{ c *Curves }

func (b bundleOf) MIMEBundle() (map[string]any, error) { return b.c.bundle(false) }

// MIMEBundle returns the curves as data for this notebook's front end, as a picture and as text.
func (c *Curves) MIMEBundle() (map[string]any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bundle(false)
}

// bundle returns the forms of curves whose lock is held, with the picture that was drawn last if old is true.
func (c *Curves) bundle(old bool) (map[string]any, error) {
	data, text := c.data()
	if !old || c.picture == nil {
		began := time.Now()
		png, err := c.png()
		if err != nil {
			return nil, err
		}
		c.picture, c.drawn = png, time.Now()
		c.drawing = c.drawn.Sub(began)
	}
	return Bundle{CurvesMIME: data, "text/plain": text, "image/png": c.picture}, nil
}

// data are the curves, whose lock is held, for this notebook's front end and as text.
func (c *Curves) data() (map[string]any, string) {
	list := []map[string]any{}
	var text strings.Builder
	if c.title != "" {
		text.WriteString(c.title + "\n")
	}
	for _, s := range c.withMeans() {
		list = append(list, s.data())
		if n := len(s.x); n > 0 {
			fmt.Fprintf(&text, "%s: %d points, last (%.6g, %.6g)\n", s.name, n, s.x[n-1], s.y[n-1])
		}
	}
	data := map[string]any{
		"version": 1, "title": c.title, "x_label": c.xLabel, "y_label": c.yLabel, "log_y": c.logY, "series": list,
	}
	if c.link != "" {
		data["link"] = c.link
	}
	groups := map[string]string{}
	for _, s := range c.series {
		groups[s.name] = s.group
	}
	var panels []map[string]any
	for _, p := range c.panels {
		if series := p.small(groups); len(series) > 0 {
			panels = append(panels, map[string]any{"title": p.title, "series": series})
		}
	}
	if panels != nil {
		data["panels"] = panels
	}
	return data, strings.TrimRight(text.String(), "\n")
}

// data is a line for this notebook's front end.
func (s *series) data() map[string]any {
	m := map[string]any{"name": s.name, "x": gaps(s.x), "y": gaps(s.y)}
	if s.group != "" {
		m["group"], m["mean"] = s.group, s.mean
	}
	if s.low != nil {
		m["low"], m["high"] = gaps(s.low), gaps(s.high)
	}
	return m
}

// small returns the lines of a panel that have values, with the groups of the curves around it, by names.
func (c *Curves) small(groups map[string]string) (lines []map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.series {
		s.group = groups[s.name]
	}
	for _, s := range c.withMeans() {
		if few := s.thinned(); len(few.x) > 0 {
			lines = append(lines, few.data())
		}
	}
	return lines
}

// parts is the number of parts of a line of which a panel shows two values each.
const parts = 64

// thinned is the line without missing values: all of a short one, of a long one the lowest and the highest of each
// part. Numbers are rounded to what a small panel can show.
func (s *series) thinned() *series {
	out := &series{name: s.name, group: s.group, mean: s.mean}
	var x, y []float64
	for i, v := range s.y {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			x, y = append(x, s.x[i]), append(y, v)
		}
	}
	add := func(i int) {
		v, err := strconv.ParseFloat(strconv.FormatFloat(y[i], 'g', 6, 64), 64)
		if err == nil {
			out.x, out.y = append(out.x, x[i]), append(out.y, v)
		}
	}
	if len(x) <= 2*parts {
		for i := range x {
			add(i)
		}
		return out
	}
	for k := range parts {
		from, to := k*len(x)/parts, (k+1)*len(x)/parts
		low, high := from, from
		for i := from; i < to; i++ {
			if y[i] < y[low] {
				low = i
			}
			if y[i] >= y[high] {
				high = i
			}
		}
		add(min(low, high))
		add(max(low, high))
	}
	return out
}

// gaps turns what JSON has no number for into null.
func gaps(x []float64) []any {
	out := make([]any, len(x))
	for k, v := range x {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[k] = v
		}
	}
	return out
}

// Save writes the curves as they are now to path, as its name says: .pdf, .svg or .png.
//
//	curves.Save("return.pdf", plots.Width("icml-column"))
func (c *Curves) Save(path string, options ...plots.FileOption) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chart().Save(path, options...)
}

// png draws the curves, whose lock is held.
func (c *Curves) png() ([]byte, error) {
	f, err := c.chart().Figure()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = f.WritePNG(&b)
	return b.Bytes(), err
}

// chart is a chart of the curves, whose lock is held. Like the page, it continues after a missing value.
func (c *Curves) chart() *plots.Chart {
	chart := &plots.Chart{Title: c.title, X: plots.Scale{Label: c.xLabel}, Y: plots.Scale{Label: c.yLabel, Log: c.logY},
		Panels: make([]plots.ChartPanel, 1)}
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	all := c.withMeans()
	for _, s := range all {
		k := slices.Index(chart.Names, s.colour())
		if k < 0 {
			k, chart.Names = len(chart.Names), append(chart.Names, s.colour())
		}
		behind := !s.mean && slices.ContainsFunc(all, func(o *series) bool { return o.mean && o.group == s.group })
		m := plots.Mark{Kind: plots.LineMark, Series: k, Thin: behind}
		for i, x := range s.x {
			if y := s.y[i]; finite(x) && finite(y) && (!c.logY || y > 0) {
				m.X, m.Y = append(m.X, x), append(m.Y, y)
				if s.low != nil {
					m.Lo, m.Hi = append(m.Lo, s.low[i]), append(m.Hi, s.high[i])
				}
			}
		}
		if len(m.X) == 1 {
			m.Kind = plots.DotMark
		}
		if len(m.X) > 0 {
			chart.Panels[0].Marks = append(chart.Panels[0].Marks, m)
		}
	}
	return chart
}
