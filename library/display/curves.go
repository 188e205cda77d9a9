package display

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
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
	handle *Handle
	sent   time.Time
	later  *time.Timer
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

// Live shows the curves now and again whenever points are added, at most ten times a second.
func (c *Curves) Live() *Curves {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == nil {
		c.handle = Updating(bundleOf{c})
		c.sent = time.Now()
	}
	return c
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == nil || c.later != nil {
		return
	}
	if wait := interval - time.Since(c.sent); wait > 0 {
		h := c.handle
		c.later = time.AfterFunc(wait, func() {
			c.mu.Lock()
			c.later = nil
			c.sent = time.Now()
			c.mu.Unlock()
			h.Update(c)
		})
		return
	}
	c.sent = time.Now()
	c.handle.Update(bundleOf{c})
}

// Flush sends the points that were added last. Call it at the end of a run.
func (c *Curves) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.later != nil {
		c.later.Stop()
		c.later = nil
	}
	if c.handle != nil {
		c.sent = time.Now()
		c.handle.Update(bundleOf{c})
	}
}

// bundleOf renders curves whose lock is held.
type bundleOf struct{ c *Curves }

func (b bundleOf) MIMEBundle() (map[string]any, error) { return b.c.bundle() }

// MIMEBundle returns the curves as data for this notebook's front end, as a picture and as text.
func (c *Curves) MIMEBundle() (map[string]any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bundle()
}

func (c *Curves) bundle() (map[string]any, error) {
	data, text := c.data()
	b := Bundle{CurvesMIME: data, "text/plain": text}
	png, err := c.png()
	if err != nil {
		return nil, err
	}
	b["image/png"] = png
	return b, nil
}

// data are the curves, whose lock is held, for this notebook's front end and as text.
func (c *Curves) data() (map[string]any, string) {
	list := []map[string]any{}
	var text strings.Builder
	if c.title != "" {
		text.WriteString(c.title + "\n")
	}
	for _, s := range c.withMeans() {
		m := map[string]any{"name": s.name, "x": gaps(s.x), "y": gaps(s.y)}
		if s.group != "" {
			m["group"], m["mean"] = s.group, s.mean
		}
		if s.low != nil {
			m["low"], m["high"] = gaps(s.low), gaps(s.high)
		}
		list = append(list, m)
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
	return data, strings.TrimRight(text.String(), "\n")
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

// png draws the curves as a chart. Like the page, it continues after a missing value.
func (c *Curves) png() ([]byte, error) {
	chart := plots.Chart{Title: c.title, X: plots.Scale{Label: c.xLabel}, Y: plots.Scale{Label: c.yLabel, Log: c.logY},
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
	f, err := chart.Figure()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = f.WritePNG(&b)
	return b.Bytes(), err
}
