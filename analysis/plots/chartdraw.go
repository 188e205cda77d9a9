package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Figure draws the chart for print. Its panels stand three in a row, with the same axes; names of series are above.
func (c *Chart) Figure() (*Figure, error) {
	if c == nil {
		return nil, errNoChart
	}
	if c.err != nil {
		return nil, c.err
	}
	f, err := newFigure(c.Title, func(k *look) (drawing, error) {
		l, err := newLayout(c, k)
		if err != nil {
			return drawing{}, err
		}
		return drawing{l.width, l.height, l.draw}, nil
	})
	if err != nil {
		return nil, err
	}
	return f.Describe(c.Title, c.Runs...), nil
}

// layout holds the places of a chart's parts.
type layout struct {
	*Chart
	look          *look
	x, y          ruler
	width, height float64
	top           float64 // top of the first row of panels
	across        int     // panels in a row
	w, h          float64 // size of a panel's axes
	left, right   float64 // room beside them
	title         []string
	legend        [][]entry
	notes         []string // broken into lines
}

// entry is a name of the legend.
type entry struct {
	name   string
	colour color.NRGBA
	dashed bool
	x      float64
}

const (
	chartsPerRow = 3
	categoryLine = 12.0
	leastAxes    = 84.0 // the least width of the axes of one of several panels in a row on paper
	leastWidth   = 36.0 // the least width of axes at all
)

func newLayout(c *Chart, k *look) (*layout, error) {
	l := &layout{Chart: c, look: k, w: 430, h: 250, top: k.edge, across: min(len(c.Panels), chartsPerRow)}
	if len(c.Panels) > 1 {
		l.w, l.h = 230, 165
	}
	xlo, xhi, ylo, yhi := c.extents()
	rule := func(nx, ny int) {
		l.x, l.y = newRuler(c.X, xlo, xhi, nx, c.dotted()), newRuler(c.Y, ylo, yhi, ny, c.dotted())
	}
	rule(7, 6)
	aspect := l.shape()
	if c.Equal {
		xlo, xhi, ylo, yhi = l.evened(aspect)
		x, y := c.X, c.Y
		x.Limits, y.Limits = []float64{xlo, xhi}, []float64{ylo, yhi}
		rule = func(nx, ny int) {
			l.x, l.y = newRuler(x, xlo, xhi, nx, false), newRuler(y, ylo, yhi, ny, false)
		}
		rule(7, 6)
	}
	l.measure()
	if k.width > 0 {
		if err := l.squeeze(); err != nil {
			return nil, err
		}
		l.h = l.w * aspect
		rule(min(7, max(2, int(l.w/40))), min(6, max(2, int(l.h/22))))
	} else if c.Aspect > 0 || c.Equal {
		l.h = l.w * aspect
	}
	l.h = max(l.h, categoryLine*float64(len(c.Y.Categories))) // so that a long list of names can be read
	l.width = 2*k.edge + float64(l.across)*(l.left+l.w) + float64(l.across-1)*axesGap + l.right
	if c.Title != "" {
		l.title = k.title.broken(c.Title, l.width-2*k.edge)
		l.top += k.titleLine * float64(len(l.title))
	}
	l.placeLegend()
	rows := (len(c.Panels) + l.across - 1) / l.across
	for _, n := range append(slices.Clone(c.Notes), c.unwritten()...) {
		l.notes = append(l.notes, k.tick.broken(n, l.width-2*k.edge)...)
	}
	l.height = l.top + float64(rows)*(l.titleRoom()+l.h+k.below) + k.noteLine*float64(len(l.notes)) +
		max(k.edge-8, 2)
	return l, nil
}

// measure sets the room for the numbers and the name at the left of the axes, and for the scale of colours.
func (l *layout) measure() {
	for _, t := range l.y.ticks {
		l.left = max(l.left, l.look.tick.width(t.text))
	}
	l.left += labelGap
	if l.Y.Label != "" {
		l.left += l.look.axis.size + 11.4
	}
	if l.Colour == nil {
		return
	}
	at, decimals := ticks(l.Colour.Lo, l.Colour.Hi, 4, false)
	for _, v := range at {
		l.right = max(l.right, l.look.tick.width(number(v, decimals)))
	}
	l.right = max(58, l.right+14+barWide+6)
}

// squeeze fits the panels into the width of the paper, in as many columns as leave them wide enough.
func (l *layout) squeeze() error {
	for ; ; l.across-- {
		n := float64(l.across)
		l.w = (l.look.width - 2*l.look.edge - l.right - n*l.left - (n-1)*axesGap) / n
		if l.w >= leastAxes || l.across == 1 {
			break
		}
	}
	if l.w < leastWidth {
		return tooNarrow(l.look, leastWidth-l.w)
	}
	return nil
}

// Bounds of the shape of axes whose units are equal.
const flattest, tallest = 0.4, 1.0

// shape is the height of the axes as a share of their width.
func (l *layout) shape() float64 {
	if l.Aspect > 0 {
		return l.Aspect
	}
	if l.Equal && len(l.X.Categories)+len(l.Y.Categories) == 0 {
		return min(tallest, max(flattest, (l.y.hi-l.y.lo)/(l.x.hi-l.x.lo)))
	}
	return l.look.aspect
}

// evened are the ends of axes of this shape whose units are equal: one of the axes shows more.
func (l *layout) evened(aspect float64) (xlo, xhi, ylo, yhi float64) {
	unit := max(l.x.hi-l.x.lo, (l.y.hi-l.y.lo)/aspect) // the width of the axes
	around := func(r ruler, span float64) (lo, hi float64) {
		middle := (r.lo + r.hi) / 2
		return middle - span/2, middle + span/2
	}
	xlo, xhi = around(l.x, unit)
	ylo, yhi = around(l.y, unit*aspect)
	return xlo, xhi, ylo, yhi
}

// tooNarrow is the error for a paper that lacks some points of width.
func tooNarrow(k *look, lacks float64) error {
	return fmt.Errorf("plots: a width of %.4gin leaves no room for the axes; expected at least %.2fin", k.width/72,
		(k.width+lacks)/72+0.005)
}

// titleRoom is the room above the axes of a panel, in which its title stands, and the name of the scale of colours.
func (l *layout) titleRoom() float64 {
	switch {
	case len(l.Panels) > 1:
		return l.look.panelTitle
	case l.Colour != nil && l.Colour.Label != "" && len(l.legend)+len(l.title) == 0:
		return max(6, 5+l.look.tick.size-l.look.edge+2)
	}
	return 6
}

func (l *layout) placeLegend() {
	if len(l.Names) == 0 || len(l.Names) == 1 && l.Names[0] == "" {
		return
	}
	x := 0.0
	if l.By != "" {
		x = l.look.legend.width(l.By) + 8
	}
	var names []entry
	for k, name := range l.Names {
		names = append(names, entry{name: name, colour: l.look.colour(k)})
	}
	l.legend = wrapped(names, l.look, x, l.width-2*l.look.edge)
	l.top += l.look.legendLine * float64(len(l.legend))
}

// wrapped puts names into lines of a legend, the first of which begins at x.
func wrapped(names []entry, k *look, x, room float64) (rows [][]entry) {
	const mark, gap = 12, 14
	var row []entry
	for _, e := range names {
		e.name = k.legend.fit(e.name, room-mark)
		w := mark + k.legend.width(e.name)
		if x+w > room && len(row) > 0 {
			rows, row, x = append(rows, row), nil, 0
		}
		e.x = x
		row = append(row, e)
		x += w + gap
	}
	if row != nil {
		rows = append(rows, row)
	}
	return rows
}

// names draws a legend whose top is at y.
func (p *pen) names(rows [][]entry, y float64) {
	for _, row := range rows {
		for _, e := range row {
			if e.dashed {
				p.dashed(fade(e.colour, 0.6), 1, point{p.edge + e.x, y + 6}, point{p.edge + e.x + 9, y + 6})
			} else {
				p.dot(e.colour, p.edge+e.x+4, y+6, 3.6)
			}
			p.text(p.legend, p.ink, p.edge+e.x+12, y+6+p.legend.capHeight()/2, 0, e.name)
		}
		y += p.legendLine
	}
}

// extents returns the ranges of all marks and references. Bars stand on 0. A logarithmic axis shows positive values
// only; empty bins and the lower ends of intervals may have others.
func (c *Chart) extents() (xlo, xhi, ylo, yhi float64) {
	xlo, xhi, ylo, yhi = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	take := func(s Scale, lo, hi *float64, v []float64) {
		for _, v := range v {
			if !math.IsNaN(v) && !math.IsInf(v, 0) && (!s.Log || v > 0) {
				*lo, *hi = min(*lo, v), max(*hi, v)
			}
		}
	}
	x := func(v ...float64) { take(c.X, &xlo, &xhi, v) }
	y := func(v ...float64) { take(c.Y, &ylo, &yhi, v) }
	for _, p := range c.Panels {
		for _, m := range p.Marks {
			x(m.X...)
			x(m.X1...)
			y(m.Y...)
			y(m.Y1...)
			if m.Kind != LineMark {
				y(m.Lo...)
				y(m.Hi...)
			}
			for _, v := range m.Y {
				if m.Kind == BarMark && c.Y.Log {
					y(v / 2) // so that the lowest bar can be seen
				} else if m.Kind == BarMark {
					y(0)
				}
			}
		}
		y(bands(p.Marks)...)
		for _, r := range p.References {
			if r.Upright {
				x(r.X)
			} else {
				y(r.Y)
			}
		}
		for _, s := range p.Shapes {
			s.within(x, y)
		}
	}
	if xlo > xhi { // there is nothing to show yet
		xlo, xhi = 1, 2
	}
	if ylo > yhi {
		ylo, yhi = 1, 2
	}
	return xlo, xhi, ylo, yhi
}

// bandRoom is the room that bands take beyond their lines, at most, as a share of the lines' range: a band of two seeds
// does not set the axis.
const bandRoom = 0.5

// bands are the parts of lines' bands that an axis has room for.
func bands(marks []Mark) (edges []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range marks {
		if m.Kind == LineMark && m.Lo != nil {
			l, h := extent(m.Y)
			lo, hi = min(lo, l), max(hi, h)
			edges = append(append(edges, m.Lo...), m.Hi...)
		}
	}
	room := bandRoom * (hi - lo)
	if !(room > 0) {
		room = math.Inf(1)
	}
	for k, v := range edges {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			edges[k] = min(hi+room, max(lo-room, v))
		}
	}
	return edges
}

// dotted reports whether there are dots.
func (c *Chart) dotted() bool {
	return slices.ContainsFunc(c.Panels, func(p ChartPanel) bool {
		return slices.ContainsFunc(p.Marks, func(m Mark) bool { return m.Kind == DotMark })
	})
}

// ruler maps values to the length of an axis.
type ruler struct {
	lo, hi float64 // log10 on a logarithmic axis
	log    bool
	ticks  []tick
}

type tick struct {
	at   float64
	text string
}

// newRuler makes an axis with about n ticks. An axis that begins at 0 has no space below 0, so that bars stand on it.
// For dots it has space, because they would be cut.
func newRuler(s Scale, lo, hi float64, n int, dots bool) ruler {
	r := ruler{log: s.Log}
	if n := len(s.Categories); n > 0 {
		if r.lo, r.hi = -0.5, float64(n)-0.5; s.Limits != nil {
			r.lo, r.hi = s.Limits[0], s.Limits[1]
		}
		for k, name := range s.Categories {
			r.ticks = append(r.ticks, tick{float64(k), shorten(name, 24)})
		}
		return r
	}
	if s.Log {
		switch r.lo, r.hi = math.Log10(lo), math.Log10(hi); {
		case s.Limits != nil:
			r.lo, r.hi = math.Log10(s.Limits[0]), math.Log10(s.Limits[1])
		case single(lo, hi):
			r.lo, r.hi = r.lo-0.5, r.hi+0.5
		default:
			r.lo, r.hi = widen(r.lo, r.hi, 0.04)
		}
		if r.logTicks(); s.Ticks != nil {
			r.given(s.Ticks)
		}
		return r
	}
	if s.Limits != nil {
		r.lo, r.hi = s.Limits[0], s.Limits[1]
	} else if r.lo, r.hi = widen(lo, hi, 0.04); lo == 0 && hi > 0 && !dots {
		r.lo = 0
	}
	if s.Ticks != nil {
		r.given(s.Ticks)
		return r
	}
	at, decimals := ticks(r.lo, r.hi, n, false)
	for _, v := range at {
		r.ticks = append(r.ticks, tick{v, number(v, decimals)})
	}
	return r
}

// given sets ticks at given places, those that the axis shows.
func (r *ruler) given(at []float64) {
	r.ticks = nil
	for _, v := range at {
		if t := r.share(v); t >= -1e-9 && t <= 1+1e-9 {
			r.ticks = append(r.ticks, tick{v, minus(strconv.FormatFloat(v, 'f', -1, 64))})
		}
	}
}

// logTicks sets ticks at powers of ten. If these are few, it adds 2 and 5 times the powers.
func (r *ruler) logTicks() {
	parts := []float64{1}
	if r.hi-r.lo < 2.5 {
		parts = []float64{1, 2, 5}
	}
	step := max(1, int(math.Ceil((r.hi-r.lo)/8)))
	for e := int(math.Floor(r.lo)); e <= int(math.Ceil(r.hi)); e++ {
		for _, p := range parts {
			v := p * math.Pow(10, float64(e))
			if l := math.Log10(v); l < r.lo-1e-9 || l > r.hi+1e-9 || e%step != 0 {
				continue
			}
			text := strconv.FormatFloat(v, 'g', 3, 64)
			if v >= 1e-3 && v < 1e4 {
				text = strconv.FormatFloat(v, 'f', -1, 64)
			}
			r.ticks = append(r.ticks, tick{v, minus(text)})
		}
	}
}

// share is the place of a value on the axis, 0 to 1. A value that a logarithmic axis cannot show is at its lower end.
func (r ruler) share(v float64) float64 {
	if r.log {
		if v <= 0 {
			return 0
		}
		v = math.Log10(v)
	}
	return (v - r.lo) / (r.hi - r.lo)
}

func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// fit shortens text to a width on paper.
func (s style) fit(text string, width float64) string {
	for n := utf8.RuneCountInString(text); n > 1 && s.width(text) > width; n-- {
		text = shorten(text, n-1)
	}
	return text
}

// broken cuts text into lines of at most a width on paper. A longer word has a line of its own.
func (s style) broken(text string, width float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && s.width(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// axes holds the axes of one panel on paper.
type axes struct {
	*layout
	*pen
	left, top float64
}

func (a axes) px(v float64) float64 { return a.left + a.x.share(v)*a.w }
func (a axes) py(v float64) float64 { return a.top + a.h - a.y.share(v)*a.h }

func (l *layout) draw(p *pen) {
	p.rect(p.paper, 0, 0, l.width, l.height)
	y := p.edge
	for _, line := range l.title {
		p.text(p.title, p.ink, p.edge, y+p.title.size-2, 0, line)
		y += p.titleLine
	}
	if len(l.legend) > 0 {
		p.text(p.legend, p.soft, p.edge, y+6+p.legend.capHeight()/2, 0, l.By)
	}
	p.names(l.legend, y)
	for k, panel := range l.Panels {
		a := axes{l, p, p.edge + l.left + float64(k%l.across)*(l.left+l.w+axesGap),
			l.top + float64(k/l.across)*(l.titleRoom()+l.h+p.below) + l.titleRoom()}
		a.frame()
		p.text(p.name, p.ink, a.left, a.top-6, 0, p.name.fit(panel.Title, l.w))
		for _, m := range panel.Marks {
			a.mark(m)
		}
		for _, r := range panel.References {
			a.reference(r)
		}
		for _, s := range panel.Shapes {
			a.shapeOver(s)
		}
	}
	l.drawColours(p)
	for k, n := range l.notes {
		p.text(p.tick, p.soft, p.edge, l.height-p.edge-p.noteLine*float64(len(l.notes)-1-k), 0, n)
	}
}

// frame draws the ticks and names of the axes.
func (a axes) frame() {
	bottom, tick := a.top+a.h, a.tick
	for _, t := range a.y.ticks {
		if a.Y.Categories == nil {
			a.line(a.grid, 0.7, point{a.left, a.py(t.at)}, point{a.left + a.w, a.py(t.at)})
		}
		a.text(tick, a.soft, a.left-labelGap, a.py(t.at)+tick.capHeight()/2, 1, t.text)
	}
	a.line(a.rule, 0.8, point{a.left, bottom}, point{a.left + a.w, bottom})
	last := math.Inf(-1)
	for _, t := range a.x.ticks {
		text := t.text
		// if there are more, only those with enough space are written
		if n := len(a.X.Categories); n > 0 && n <= 10 {
			text = tick.fit(text, a.w/float64(n)-4)
		}
		if half := tick.width(text) / 2; a.px(t.at)-half > last {
			a.text(tick, a.soft, a.px(t.at), bottom+a.tickDrop, 0.5, text)
			last = a.px(t.at) + half + 3
		}
		if a.X.Categories == nil {
			a.line(a.rule, 0.8, point{a.px(t.at), bottom}, point{a.px(t.at), bottom + 3})
		}
	}
	a.text(a.axis, a.ink, a.left+a.w/2, bottom+a.labelDrop, 0.5, a.axis.fit(a.X.Label, a.w))
	a.upright(a.axis, a.ink, a.left-a.layout.left+8, a.top+a.h/2, a.axis.fit(a.Y.Label, a.h+40))
}

// mark draws the shapes of a mark.
func (a axes) mark(m Mark) {
	c := a.colour(m.Series)
	if m.Kind == LineMark {
		a.lineMark(m, c)
		return
	}
	for i := range m.X {
		own := c
		if m.Value != nil {
			own = a.Colour.of(m.Value[i])
		}
		switch m.Kind {
		case DotMark:
			if a.shows(m.X[i], m.Y[i]) {
				a.dot(fade(own, 0.72), a.px(m.X[i]), a.py(m.Y[i]), a.radius)
			}
		case ArrowMark:
			if a.shows(m.X[i], m.Y[i]) && a.shows(m.X1[i], m.Y1[i]) {
				a.arrow(own, point{a.px(m.X[i]), a.py(m.Y[i])}, point{a.px(m.X1[i]), a.py(m.Y1[i])})
			}
		case CellMark:
			gap := 0.6
			if a.X.Categories == nil || a.Y.Categories == nil {
				gap = -0.2 // cells of a map lie close together
			}
			left, right := a.inX(a.px(m.X[i])), a.inX(a.px(m.X1[i]))
			top, bottom := a.inY(a.py(m.Y1[i])), a.inY(a.py(m.Y[i]))
			if right > left && bottom > top {
				a.rect(own, left, top, right-left-gap, bottom-top-gap)
			}
		case BarMark:
			a.bar(m, i, own)
		case BoxMark:
			a.box(m, i, own)
		}
	}
}

func (a axes) box(m Mark, i int, c color.NRGBA) {
	left, right, middle := a.px(m.X[i]), a.px(m.X1[i]), (a.px(m.X[i])+a.px(m.X1[i]))/2
	y := func(v float64) float64 { return a.inY(a.py(v)) }
	lo, q1, q3, hi := y(m.Lo[i]), y(m.Q1[i]), y(m.Q3[i]), y(m.Hi[i])
	a.line(c, 1, point{middle, lo}, point{middle, q1})
	a.line(c, 1, point{middle, q3}, point{middle, hi})
	a.rect(fade(c, 0.25), left, q3, right-left, q1-q3)
	a.pen.frame(c, 1, left, q3, right-left, q1-q3)
	if t := a.y.share(m.Y[i]); t >= 0 && t <= 1 {
		a.line(c, 1.25*a.stroke, point{left, a.py(m.Y[i])}, point{right, a.py(m.Y[i])})
	}
}

func (a axes) bar(m Mark, i int, c color.NRGBA) {
	base := a.top + a.h
	if !a.Y.Log {
		base = a.py(0)
	}
	left, right, y := a.inX(a.px(m.X[i])), a.inX(a.px(m.X1[i])), a.inY(a.py(m.Y[i]))
	if base = a.inY(base); left >= right {
		return
	}
	alpha := 0.8
	if a.X.Categories == nil && len(a.Names) > 1 { // histograms stand behind one another
		alpha = 0.35
		a.line(c, 1.2, point{left, base}, point{left, y}, point{right, y}, point{right, base})
	}
	a.rect(fade(c, alpha), left, min(y, base), right-left, math.Abs(base-y))
	if m.Lo != nil && !math.IsNaN(m.Lo[i]) {
		middle := (left + right) / 2
		a.line(a.ink, 1, point{middle, a.inY(a.py(m.Lo[i]))}, point{middle, a.inY(a.py(m.Hi[i]))})
	}
}

func (a axes) lineMark(m Mark, c color.NRGBA) {
	var pts, up, down []point
	for i := range m.X {
		q := point{a.px(m.X[i]), a.py(m.Y[i])}
		pts = append(pts, q)
		if m.Lo == nil {
			continue
		}
		lo, hi := m.Lo[i], m.Hi[i]
		if math.IsNaN(lo) || math.IsNaN(hi) {
			lo, hi = m.Y[i], m.Y[i]
		}
		up = append(up, point{q.x, a.py(hi)})
		down = append([]point{{q.x, a.py(lo)}}, down...)
	}
	switch {
	case len(up) > 1:
		if area := a.inside(append(up, down...)); len(area) > 2 {
			a.fill(fade(c, 0.16), area...)
		}
	case len(up) == 1: // a band of no width
		a.line(fade(c, 0.5), a.stroke, point{up[0].x, a.inY(up[0].y)}, point{down[0].x, a.inY(down[0].y)})
	}
	for _, piece := range a.pieces(pts) {
		switch {
		case len(piece) > 1 && m.Thin:
			a.line(fade(c, 0.5), a.stroke/2, piece...)
		case len(piece) > 1:
			a.line(c, a.stroke, piece...)
		}
	}
}

// Sequential is a scale of colours: points of viridis, whose steps of lightness are even (van der Walt and Smith,
// 2015).
var Sequential = []color.NRGBA{
	{68, 1, 84, 255}, {72, 40, 120, 255}, {62, 74, 137, 255}, {49, 104, 142, 255}, {38, 130, 142, 255},
	{31, 158, 137, 255}, {53, 183, 121, 255}, {110, 206, 88, 255}, {181, 222, 43, 255}, {253, 231, 37, 255},
}

// of is the colour of a value.
func (s *ColourScale) of(v float64) color.NRGBA {
	t := 0.5
	if !single(s.Lo, s.Hi) {
		t = min(1, max(0, (v-s.Lo)/(s.Hi-s.Lo)))
	}
	at := t * float64(len(Sequential)-1)
	k := min(int(at), len(Sequential)-2)
	f := at - float64(k)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-f) + float64(b)*f)) }
	a, b := Sequential[k], Sequential[k+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// barWide is the width of the scale of colours.
const barWide = 9.0

// drawColours draws the scale of colours at the right.
func (l *layout) drawColours(p *pen) {
	if l.Colour == nil {
		return
	}
	const steps = 64
	x, top, h := l.width-p.edge-l.right+14, l.top+l.titleRoom(), l.h
	for k := range steps {
		v := l.Colour.Lo + (l.Colour.Hi-l.Colour.Lo)*(float64(k)+0.5)/steps
		p.rect(l.Colour.of(v), x, top+h-float64(k+1)*h/steps, barWide, h/steps+0.4)
	}
	if single(l.Colour.Lo, l.Colour.Hi) { // all have one colour: that of the scale's middle
		p.text(p.tick, p.soft, x+barWide+4, top+h/2+p.tick.capHeight()/2, 0,
			minus(strconv.FormatFloat(l.Colour.Lo, 'g', 4, 64)))
	}
	at, decimals := ticks(l.Colour.Lo, l.Colour.Hi, 4, false)
	for _, v := range at {
		y := top + h - (v-l.Colour.Lo)/(l.Colour.Hi-l.Colour.Lo)*h
		p.text(p.tick, p.soft, x+barWide+4, y+p.tick.capHeight()/2, 0, number(v, decimals))
	}
	p.text(p.tick, p.ink, l.width-p.edge, top-5, 1, p.tick.fit(l.Colour.Label, l.right+l.w/3))
}
