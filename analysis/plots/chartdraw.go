package plots

import (
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
	l := newLayout(c)
	return &Figure{width: l.width, height: l.height, draw: l.draw}, nil
}

// layout holds the places of a chart's parts.
type layout struct {
	*Chart
	x, y          ruler
	width, height float64
	top           float64 // top of the first row of panels
	w, h          float64 // size of a panel's axes
	left, right   float64 // room beside them
	legend        [][]entry
	notes         []string // broken into lines
}

// entry is a name of the legend.
type entry struct {
	name   string
	colour color.NRGBA
	x      float64
}

const (
	chartsPerRow = 3
	panelTitle   = 18.0
	belowAxes    = 38.0
	legendLine   = 15.0
	noteLine     = 12.0
	categoryLine = 12.0
)

func newLayout(c *Chart) *layout {
	l := &layout{Chart: c, w: 430, h: 250, top: figureEdge}
	if len(c.Panels) > 1 {
		l.w, l.h = 230, 165
	}
	l.h = max(l.h, categoryLine*float64(len(c.Y.Categories))) // so that a long list of names can be read
	across := min(len(c.Panels), chartsPerRow)
	xlo, xhi, ylo, yhi := c.extents()
	l.x, l.y = newRuler(c.X, xlo, xhi, 7, c.dotted()), newRuler(c.Y, ylo, yhi, 6, c.dotted())
	for _, t := range l.y.ticks {
		l.left = max(l.left, tickStyle.width(t.text))
	}
	l.left += labelGap
	if c.Y.Label != "" {
		l.left += 20
	}
	if c.Colour != nil {
		l.right = 58
	}
	l.width = 2*figureEdge + float64(across)*(l.left+l.w) + float64(across-1)*axesGap + l.right
	if c.Title != "" {
		l.top += 16
	}
	l.placeLegend()
	rows := (len(c.Panels) + chartsPerRow - 1) / chartsPerRow
	for _, n := range c.Notes {
		l.notes = append(l.notes, tickStyle.broken(n, l.width-2*figureEdge)...)
	}
	l.height = l.top + float64(rows)*(l.titleRoom()+l.h+belowAxes) + noteLine*float64(len(l.notes)) + figureEdge - 8
	return l
}

func (l *layout) titleRoom() float64 {
	if len(l.Panels) > 1 {
		return panelTitle
	}
	return 6
}

func (l *layout) placeLegend() {
	if len(l.Names) == 0 || len(l.Names) == 1 && l.Names[0] == "" {
		return
	}
	x := 0.0
	if l.By != "" {
		x = legendStyle.width(l.By) + 8
	}
	var row []entry
	for k, name := range l.Names {
		w := 12 + legendStyle.width(name) + 14
		if x+w > l.width-2*figureEdge && len(row) > 0 {
			l.legend, row, x = append(l.legend, row), nil, 0
		}
		row = append(row, entry{name, colour(k), x})
		x += w
	}
	l.legend = append(l.legend, row)
	l.top += legendLine * float64(len(l.legend))
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
			y(m.Lo...)
			y(m.Hi...)
			for _, v := range m.Y {
				if m.Kind == BarMark && c.Y.Log {
					y(v / 2) // so that the lowest bar can be seen
				} else if m.Kind == BarMark {
					y(0)
				}
			}
		}
		for _, r := range p.References {
			y(r.Y)
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
		r.lo, r.hi = -0.5, float64(n)-0.5
		for k, name := range s.Categories {
			r.ticks = append(r.ticks, tick{float64(k), shorten(name, 24)})
		}
		return r
	}
	if s.Log {
		if r.lo, r.hi = math.Log10(lo), math.Log10(hi); single(lo, hi) {
			r.lo, r.hi = r.lo-0.5, r.hi+0.5
		} else {
			r.lo, r.hi = widen(r.lo, r.hi, 0.04)
		}
		r.logTicks()
		return r
	}
	r.lo, r.hi = widen(lo, hi, 0.04)
	if lo == 0 && hi > 0 && !dots {
		r.lo = 0
	}
	at, decimals := ticks(r.lo, r.hi, n, false)
	for _, v := range at {
		r.ticks = append(r.ticks, tick{v, number(v, decimals)})
	}
	return r
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
	p.rect(paper, 0, 0, l.width, l.height)
	y := figureEdge
	if l.Title != "" {
		p.text(titleStyle, ink, figureEdge, y+9, 0, l.Title)
		y += 16
	}
	if len(l.legend) > 0 {
		p.text(legendStyle, soft, figureEdge, y+6+legendStyle.capHeight()/2, 0, l.By)
	}
	for _, row := range l.legend {
		for _, e := range row {
			p.dot(e.colour, figureEdge+e.x+4, y+6, 3.6)
			p.text(legendStyle, ink, figureEdge+e.x+12, y+6+legendStyle.capHeight()/2, 0, e.name)
		}
		y += legendLine
	}
	for k, panel := range l.Panels {
		a := axes{l, p, figureEdge + l.left + float64(k%chartsPerRow)*(l.left+l.w+axesGap),
			l.top + float64(k/chartsPerRow)*(l.titleRoom()+l.h+belowAxes) + l.titleRoom()}
		a.frame()
		p.text(nameStyle, ink, a.left, a.top-6, 0, nameStyle.fit(panel.Title, l.w))
		for _, m := range panel.Marks {
			a.mark(m)
		}
		for _, r := range panel.References {
			p.dashed(soft, 0.9, point{a.left, a.py(r.Y)}, point{a.left + a.w, a.py(r.Y)})
			p.text(refStyle, soft, a.left+a.w-3, a.py(r.Y)-3, 1, r.Name)
		}
	}
	l.drawColours(p)
	for k, n := range l.notes {
		p.text(tickStyle, soft, figureEdge, l.height-figureEdge-noteLine*float64(len(l.notes)-1-k), 0, n)
	}
}

// frame draws the ticks and names of the axes.
func (a axes) frame() {
	bottom := a.top + a.h
	for _, t := range a.y.ticks {
		if a.Y.Categories == nil {
			a.line(grid, 0.7, point{a.left, a.py(t.at)}, point{a.left + a.w, a.py(t.at)})
		}
		a.text(tickStyle, soft, a.left-labelGap, a.py(t.at)+tickStyle.capHeight()/2, 1, t.text)
	}
	a.line(rule, 0.8, point{a.left, bottom}, point{a.left + a.w, bottom})
	last := math.Inf(-1)
	for _, t := range a.x.ticks {
		text := t.text
		// if there are more, only those with enough space are written
		if n := len(a.X.Categories); n > 0 && n <= 10 {
			text = tickStyle.fit(text, a.w/float64(n)-4)
		}
		if half := tickStyle.width(text) / 2; a.px(t.at)-half > last {
			a.text(tickStyle, soft, a.px(t.at), bottom+12.5, 0.5, text)
			last = a.px(t.at) + half + 3
		}
		if a.X.Categories == nil {
			a.line(rule, 0.8, point{a.px(t.at), bottom}, point{a.px(t.at), bottom + 3})
		}
	}
	a.text(axisStyle, ink, a.left+a.w/2, bottom+27, 0.5, axisStyle.fit(a.X.Label, a.w))
	a.upright(axisStyle, ink, a.left-a.layout.left+8, a.top+a.h/2, a.Y.Label)
}

// mark draws the shapes of a mark.
func (a axes) mark(m Mark) {
	c := colour(m.Series)
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
			a.dot(fade(own, 0.72), a.px(m.X[i]), a.py(m.Y[i]), 2.2)
		case CellMark:
			a.rect(own, a.px(m.X[i]), a.py(m.Y1[i]), a.px(m.X1[i])-a.px(m.X[i])-0.6, a.py(m.Y[i])-a.py(m.Y1[i])-0.6)
		case BarMark:
			a.bar(m, i, own)
		case BoxMark:
			left, right, middle := a.px(m.X[i]), a.px(m.X1[i]), (a.px(m.X[i])+a.px(m.X1[i]))/2
			a.line(own, 1, point{middle, a.py(m.Lo[i])}, point{middle, a.py(m.Q1[i])})
			a.line(own, 1, point{middle, a.py(m.Q3[i])}, point{middle, a.py(m.Hi[i])})
			a.rect(fade(own, 0.25), left, a.py(m.Q3[i]), right-left, a.py(m.Q1[i])-a.py(m.Q3[i]))
			a.pen.frame(own, 1, left, a.py(m.Q3[i]), right-left, a.py(m.Q1[i])-a.py(m.Q3[i]))
			a.line(own, 2, point{left, a.py(m.Y[i])}, point{right, a.py(m.Y[i])})
		}
	}
}

func (a axes) bar(m Mark, i int, c color.NRGBA) {
	base := a.top + a.h
	if !a.Y.Log {
		base = a.py(0)
	}
	left, right, y := a.px(m.X[i]), a.px(m.X1[i]), a.py(m.Y[i])
	alpha := 0.8
	if a.X.Categories == nil && len(a.Names) > 1 { // histograms stand behind one another
		alpha = 0.35
		a.line(c, 1.2, point{left, base}, point{left, y}, point{right, y}, point{right, base})
	}
	a.rect(fade(c, alpha), left, min(y, base), right-left, math.Abs(base-y))
	if m.Lo != nil && !math.IsNaN(m.Lo[i]) {
		middle := (left + right) / 2
		a.line(ink, 1, point{middle, a.py(m.Lo[i])}, point{middle, a.py(m.Hi[i])})
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
		a.fill(fade(c, 0.16), append(up, down...)...)
	case len(up) == 1: // a band of no width
		a.line(fade(c, 0.5), 1.6, up[0], down[0])
	}
	switch {
	case len(pts) > 1 && m.Thin:
		a.line(fade(c, 0.5), 0.8, pts...)
	case len(pts) > 1:
		a.line(c, 1.6, pts...)
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

// drawColours draws the scale of colours at the right.
func (l *layout) drawColours(p *pen) {
	if l.Colour == nil {
		return
	}
	const steps, wide = 64, 9.0
	x, top, h := l.width-figureEdge-l.right+14, l.top+l.titleRoom(), l.h
	for k := range steps {
		v := l.Colour.Lo + (l.Colour.Hi-l.Colour.Lo)*(float64(k)+0.5)/steps
		p.rect(l.Colour.of(v), x, top+h-float64(k+1)*h/steps, wide, h/steps+0.4)
	}
	if single(l.Colour.Lo, l.Colour.Hi) { // all have one colour: that of the scale's middle
		p.text(tickStyle, soft, x+wide+4, top+h/2+tickStyle.capHeight()/2, 0,
			minus(strconv.FormatFloat(l.Colour.Lo, 'g', 4, 64)))
	}
	at, decimals := ticks(l.Colour.Lo, l.Colour.Hi, 4, false)
	for _, v := range at {
		y := top + h - (v-l.Colour.Lo)/(l.Colour.Hi-l.Colour.Lo)*h
		p.text(tickStyle, soft, x+wide+4, y+tickStyle.capHeight()/2, 0, number(v, decimals))
	}
	p.text(tickStyle, ink, x+wide, top-5, 1, shorten(l.Colour.Label, 20))
}
