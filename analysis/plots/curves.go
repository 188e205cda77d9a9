package plots

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Series is one line of a CurvePanel. A missing value is NaN and breaks the line.
type Series struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
	// Lo and Hi are the ends of the interval around each Y; both nil draws none.
	Lo []float64 `json:"lo,omitempty"`
	Hi []float64 `json:"hi,omitempty"`
	// Seeds is the number of seeds for each point. It is nil if they were not counted.
	Seeds []int `json:"seeds,omitempty"`
	// Breaks lists the indices of points that are not connected with the point before.
	Breaks []int `json:"breaks,omitempty"`
	// Faint draws a thin dashed line. It is for numbers from elsewhere, behind the other lines.
	Faint bool `json:"faint,omitempty"`
	// Like gives the series the colour of the series with this name.
	Like string `json:"like,omitempty"`
}

// key returns the text that gives a series its colour.
func (s Series) key() string {
	if s.Like != "" {
		return s.Like
	}
	return s.Name
}

// Reference is a horizontal line at Y, such as the return of a random policy. In a chart it may be upright, at X.
type Reference struct {
	Name    string  `json:"name"`
	Y       float64 `json:"y"`
	X       float64 `json:"x,omitempty"`
	Upright bool    `json:"upright,omitempty"`
}

// CurvePanel is one set of axes of a Curves figure.
type CurvePanel struct {
	Title      string      `json:"title"`
	XLabel     string      `json:"x_label"`
	YLabel     string      `json:"y_label"`
	Series     []Series    `json:"series"`
	References []Reference `json:"references,omitempty"`
	// ticks on x only at whole numbers, for instance for trajectory indices
	Whole bool `json:"whole,omitempty"`
}

const (
	axesWidth  = 250.0 // on the screen
	axesHeight = 178.0
	axesGap    = 22.0
	labelGap   = 6.0
)

// perRow is how many panels stand side by side before the next row begins.
const perRow = 4

// Curves draws the panels side by side, four in a row, each with its own axes. Lines have their names at their right
// end. Series with the same name have the same colour in all panels. Points are marked if there are at most sixteen.
// Every series needs as many Y as X, increasing X, and Lo ≤ Hi if it has intervals.
func Curves(panels ...CurvePanel) (*Figure, error) {
	if len(panels) == 0 {
		return nil, errors.New("plots: no panels to draw")
	}
	for i, p := range panels {
		for _, s := range p.Series {
			if err := s.check(); err != nil {
				return nil, fmt.Errorf("plots: panel %d: series %q: %w", i, s.Name, err)
			}
		}
	}
	panels = slices.Clone(panels)
	return newFigure(panels[0].Title, func(k *look) (drawing, error) { return layCurves(panels, k) })
}

// layCurves lays panels out in a look.
func layCurves(panels []CurvePanel, k *look) (d drawing, err error) {
	axes := make([]*axis, len(panels))
	title := 0.0
	for i, p := range panels {
		if axes[i], err = newAxis(p, k); err != nil {
			return d, fmt.Errorf("plots: panel %d: %w", i, err)
		}
		if p.Title != "" {
			title = 18
		}
	}
	across, top, colours := min(perRow, len(axes)), k.edge, coloursOf(panels)
	var legend [][]entry
	if k.width > 0 {
		title = min(title, k.panelTitle)
		var names []entry
		if across, names, err = squeezed(axes, k, colours); err != nil {
			return d, err
		}
		legend = wrapped(names, k, 0, k.width-2*k.edge)
		top += k.legendLine * float64(len(legend))
	}
	d.width, d.height = place(axes, across, top, title)
	if k.width > 0 {
		d.width = k.width
	}
	d.draw = func(p *pen) {
		p.rect(p.paper, 0, 0, d.width, d.height)
		p.names(legend, p.edge)
		for _, a := range axes {
			a.draw(p, colours)
		}
	}
	return d, nil
}

// squeezed fits axes into the width of the paper and returns how many stand in a row. Where the names at the ends of
// lines would leave less than half of the width for the axes, or fewer panels in a row, they go into a legend above,
// which it returns too.
func squeezed(axes []*axis, k *look, colours map[string]int) (across int, names []entry, err error) {
	room := func(n int) float64 { // of one axis, if n stand in a row
		w := k.width - 2*k.edge + axesGap
		for c := range n {
			left, right := 0.0, 0.0
			for i := c; i < len(axes); i += n {
				left, right = max(left, axes[i].leftRoom()), max(right, axes[i].rightRoom())
			}
			w -= left + right + axesGap
		}
		return w / float64(n)
	}
	fit := func() float64 {
		for across = min(perRow, len(axes)); across > 1 && room(across) < leastAxes+20; across-- {
		}
		return room(across)
	}
	w, beside := fit(), across
	for _, a := range axes {
		a.legend = true
		for _, s := range a.Series {
			if !slices.ContainsFunc(names, func(e entry) bool { return e.name == s.Name }) {
				names = append(names, entry{name: s.Name, colour: k.colour(colours[s.key()]), dashed: s.Faint})
			}
		}
	}
	if fit(); across == beside && w >= (k.width-2*k.edge)/float64(across)/2 {
		names = nil
		for _, a := range axes {
			a.legend = false
		}
	}
	for range 2 { // the numbers at the axes depend on the space for them, and that on the numbers
		w := room(across)
		if w < leastWidth {
			return 0, nil, tooNarrow(k, float64(across)*(leastWidth-w))
		}
		for _, a := range axes {
			a.w, a.h = w, w*k.aspect
		}
		for _, a := range axes {
			a.mark()
		}
	}
	for _, a := range axes {
		a.w = room(across)
	}
	return across, names, nil
}

// place puts the axes into rows and columns, below top and the room for their titles, and returns the size of all.
func place(axes []*axis, across int, top, title float64) (width, height float64) {
	k := axes[0].look
	below, h := k.below-2, axes[0].h
	width = k.edge
	for c := range across {
		left, right := 0.0, 0.0
		for i := c; i < len(axes); i += across {
			left, right = max(left, axes[i].leftRoom()), max(right, axes[i].rightRoom())
		}
		for i := c; i < len(axes); i += across {
			axes[i].x = width + left
			axes[i].y = top + title + float64(i/across)*(title+h+below)
		}
		width += left + axes[0].w + right + axesGap
	}
	rows := float64((len(axes) + across - 1) / across)
	return width + k.edge - axesGap, top + rows*(title+h+below) + max(k.edge-8, 2)
}

// coloursOf gives every name a colour, names of faint series last.
func coloursOf(panels []CurvePanel) map[string]int {
	colours := map[string]int{}
	for _, faint := range []bool{false, true} {
		for _, p := range panels {
			for _, s := range p.Series {
				if _, ok := colours[s.key()]; !ok && s.Faint == faint {
					colours[s.key()] = len(colours)
				}
			}
		}
	}
	return colours
}

func (s Series) check() error {
	if len(s.X) == 0 {
		return errors.New("no points")
	}
	if len(s.Y) != len(s.X) {
		return fmt.Errorf("%d values of y for %d of x", len(s.Y), len(s.X))
	}
	if (s.Lo != nil || s.Hi != nil) && (len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X)) {
		return fmt.Errorf("%d and %d ends of intervals for %d points", len(s.Lo), len(s.Hi), len(s.X))
	}
	for i, x := range s.X {
		if math.IsNaN(x) || math.IsInf(x, 0) || math.IsInf(s.Y[i], 0) || i > 0 && x <= s.X[i-1] {
			return fmt.Errorf("point %d is (%v, %v); x must be finite and increase, y finite or NaN", i, x, s.Y[i])
		}
		if s.Lo != nil && (s.Lo[i] > s.Hi[i] || math.IsInf(s.Lo[i], 0) || math.IsInf(s.Hi[i], 0)) {
			return fmt.Errorf("the interval of point %d is [%v, %v]", i, s.Lo[i], s.Hi[i])
		}
	}
	return nil
}

// axis is a panel with its ranges and ticks.
type axis struct {
	CurvePanel
	look                   *look
	legend                 bool    // the names of lines stand in a legend
	x, y                   float64 // top left corner on paper
	w, h                   float64 // size on paper
	xlo, xhi, ylo, yhi     float64
	xticks, yticks         []float64
	xdecimals, ydecimals   int
	tickWidth, labelsWidth float64
}

func newAxis(p CurvePanel, k *look) (*axis, error) {
	a := &axis{CurvePanel: p, look: k, w: axesWidth, h: axesHeight, xlo: math.Inf(1), xhi: math.Inf(-1),
		ylo: math.Inf(1), yhi: math.Inf(-1)}
	include := func(v float64) {
		if !math.IsNaN(v) {
			a.ylo, a.yhi = min(a.ylo, v), max(a.yhi, v)
		}
	}
	for _, s := range p.Series {
		a.xlo, a.xhi = min(a.xlo, s.X[0]), max(a.xhi, s.X[len(s.X)-1])
		for i, v := range s.Y {
			include(v)
			if s.Lo != nil {
				include(s.Lo[i])
				include(s.Hi[i])
			}
		}
		a.labelsWidth = max(a.labelsWidth, k.name.width(s.Name))
	}
	for _, r := range p.References {
		if math.IsNaN(r.Y) || math.IsInf(r.Y, 0) {
			return nil, fmt.Errorf("the reference line %q is at %v", r.Name, r.Y)
		}
		include(r.Y)
		a.labelsWidth = max(a.labelsWidth, k.ref.width(r.Name))
	}
	if math.IsInf(a.xlo, 0) || math.IsInf(a.ylo, 0) {
		return nil, errors.New("no values to draw")
	}
	a.xlo, a.xhi = widen(a.xlo, a.xhi, 0)
	a.ylo, a.yhi = widen(a.ylo, a.yhi, 0.06)
	a.mark()
	return a, nil
}

// mark sets the ticks, as many as there is space for.
func (a *axis) mark() {
	a.yticks, a.ydecimals = ticks(a.ylo, a.yhi, min(5, max(2, int(a.h/22))), false)
	a.xticks, a.xdecimals = ticks(a.xlo, a.xhi, min(6, max(2, int(a.w/36))), a.Whole)
	a.tickWidth = 0
	for _, t := range a.yticks {
		a.tickWidth = max(a.tickWidth, a.look.tick.width(number(t, a.ydecimals)))
	}
}

// widen extends a range on both sides. A single value needs so much space that there are ticks beside it: a half, for a
// small value the value itself, for a large value a tenth of it.
func widen(lo, hi, share float64) (float64, float64) {
	if single(lo, hi) {
		d := 0.5
		if v := math.Abs(lo); v > 0 {
			d = max(v*0.1, min(v, 0.5))
		}
		return lo - d, hi + d
	}
	return lo - share*(hi-lo), hi + share*(hi-lo)
}

// single reports whether a range is one value, apart from rounding. Then all ticks within it would be one number.
func single(lo, hi float64) bool { return hi-lo <= 1e-12*max(math.Abs(lo), math.Abs(hi)) }

// ticks returns about n round values in [lo, hi] and the decimals that tell them apart.
func ticks(lo, hi float64, n int, whole bool) (at []float64, decimals int) {
	raw := (hi - lo) / float64(n)
	step := niceBelow(raw)
	if step*float64(n) < (hi-lo)*0.7 {
		step = niceBelow(raw * 2)
	}
	if whole {
		step = max(1, math.Round(step))
	}
	// there are no numbers between lo and hi for ticks
	if !(hi > lo) || math.IsInf(hi-lo, 0) || single(lo, hi) || step == 0 {
		return nil, 0
	}
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		at = append(at, k*step+0) // +0 turns −0 into 0
	}
	return at, max(0, -int(math.Floor(math.Log10(step)+1e-9)))
}

// minus writes a number's text with true minus signs, as all numbers of a figure have.
func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// number writes a tick with a true minus sign, and large round values in thousands or millions.
func number(v float64, decimals int) string {
	sign := ""
	if v < 0 {
		sign, v = "−", -v
	}
	switch {
	case v >= 1e6 && decimals == 0:
		return sign + strconv.FormatFloat(v/1e6, 'f', -1, 64) + "M"
	case v >= 1e4 && decimals == 0 && math.Mod(v, 100) == 0:
		return sign + strconv.FormatFloat(v/1e3, 'f', -1, 64) + "k"
	}
	if v == 0 {
		sign = ""
	}
	return sign + strconv.FormatFloat(v, 'f', decimals, 64)
}

func (a *axis) leftRoom() float64 {
	room := a.tickWidth + labelGap
	if a.YLabel != "" {
		room += a.look.axis.size + 7.4
	}
	return room
}

func (a *axis) rightRoom() float64 {
	if a.legend {
		return labelGap
	}
	return labelGap + 4 + a.labelsWidth
}

// inset is the distance of the first and last points from the ends of the axis.
const inset = 10.0

func (a *axis) px(v float64) float64 {
	return a.x + inset + (v-a.xlo)/(a.xhi-a.xlo)*(a.w-2*inset)
}

func (a *axis) py(v float64) float64 {
	return a.y + a.h - (v-a.ylo)/(a.yhi-a.ylo)*a.h
}

func (a *axis) draw(p *pen, colours map[string]int) {
	p.text(p.title, p.ink, a.x, a.y-min(9, p.panelTitle/2), 0, p.title.fit(a.Title, a.w+a.rightRoom()))
	bottom := a.y + a.h
	for _, t := range a.yticks {
		p.line(p.grid, 0.7, point{a.x, a.py(t)}, point{a.x + a.w, a.py(t)})
		p.text(p.tick, p.soft, a.x-labelGap, a.py(t)+p.tick.capHeight()/2, 1, number(t, a.ydecimals))
	}
	p.line(p.rule, 0.8, point{a.x, bottom}, point{a.x + a.w, bottom})
	for _, t := range a.xticks {
		p.line(p.rule, 0.8, point{a.px(t), bottom}, point{a.px(t), bottom + 3})
		p.text(p.tick, p.soft, a.px(t), bottom+p.tickDrop, 0.5, number(t, a.xdecimals))
	}
	p.text(p.axis, p.ink, a.x+a.w/2, bottom+p.labelDrop, 0.5, p.axis.fit(a.XLabel, a.w+30))
	p.upright(p.axis, p.ink, a.x-labelGap-a.tickWidth-8, a.y+a.h/2, p.axis.fit(a.YLabel, a.h+40))

	var ends []endLabel
	for _, r := range a.References {
		y := a.py(r.Y)
		p.dashed(p.soft, 0.9, point{a.x, y}, point{a.x + a.w, y})
		if a.legend {
			p.text(p.ref, p.soft, a.x+a.w-3, y-3, 1, p.ref.fit(r.Name, a.w-6))
		} else {
			ends = append(ends, endLabel{y: y, name: r.Name, style: p.ref, colour: p.soft})
		}
	}
	for _, s := range a.Series {
		a.band(p, s, fade(p.colour(colours[s.key()]), 0.16))
	}
	for _, s := range a.Series {
		c, label := p.colour(colours[s.key()]), p.name
		if s.Faint {
			c, label = fade(c, 0.6), p.ref
		}
		if last := a.curve(p, s, c); !math.IsNaN(last) && !a.legend {
			ends = append(ends, endLabel{y: last, name: s.Name, style: label, colour: c})
		}
	}
	drawEndLabels(p, ends, a.x+a.w+labelGap, a.y, bottom)
}

// runs calls f for every stretch of points without a missing value and a break.
func (s Series) runs(f func(lo, hi int)) {
	for lo := 0; lo < len(s.X); {
		if math.IsNaN(s.Y[lo]) {
			lo++
			continue
		}
		hi := lo + 1
		for hi < len(s.X) && !math.IsNaN(s.Y[hi]) && !slices.Contains(s.Breaks, hi) {
			hi++
		}
		f(lo, hi)
		lo = hi
	}
}

func (a *axis) band(p *pen, s Series, c color.NRGBA) {
	if s.Lo == nil {
		return
	}
	s.runs(func(lo, hi int) {
		var up, down []point
		for i := lo; i < hi; i++ {
			l, h := s.Lo[i], s.Hi[i]
			if math.IsNaN(l) || math.IsNaN(h) {
				l, h = s.Y[i], s.Y[i]
			}
			up = append(up, point{a.px(s.X[i]), a.py(h)})
			down = append(down, point{a.px(s.X[i]), a.py(l)})
		}
		if len(up) == 1 {
			x := up[0].x
			p.rect(c, x-3, up[0].y, 6, down[0].y-up[0].y)
			return
		}
		slices.Reverse(down)
		p.fill(c, append(up, down...)...)
	})
}

// curve draws the line and its points and returns the height of its last point on paper, NaN if it has none.
func (a *axis) curve(p *pen, s Series, c color.NRGBA) float64 {
	last := math.NaN()
	s.runs(func(lo, hi int) {
		pts := make([]point, 0, hi-lo)
		for i := lo; i < hi; i++ {
			pts = append(pts, point{a.px(s.X[i]), a.py(s.Y[i])})
		}
		switch {
		case s.Faint && len(pts) > 1:
			p.dashed(c, 1, pts...)
		case len(pts) > 1:
			p.line(c, p.stroke, pts...)
		}
		if !s.Faint && len(s.X) <= 16 || len(pts) == 1 {
			for _, q := range pts {
				p.dot(p.paper, q.x, q.y, p.radius+1)
				p.dot(c, q.x, q.y, p.radius+0.2)
			}
		}
		last = pts[len(pts)-1].y
	})
	return last
}

// endLabel is the name of a line. It stands at height y if there is space.
type endLabel struct {
	y      float64
	name   string
	style  style
	colour color.NRGBA
}

// drawEndLabels writes the labels in the order of their lines, moved apart where they would overlap.
func drawEndLabels(p *pen, ends []endLabel, x, top, bottom float64) {
	const apart = 11.0
	slices.SortStableFunc(ends, func(a, b endLabel) int {
		switch {
		case a.y < b.y:
			return -1
		case a.y > b.y:
			return 1
		}
		return 0
	})
	y := make([]float64, len(ends))
	for i, e := range ends {
		y[i] = e.y
	}
	for range 100 {
		for i := 1; i < len(y); i++ {
			if gap := apart - (y[i] - y[i-1]); gap > 0 {
				y[i-1] -= gap / 2
				y[i] += gap / 2
			}
		}
		if len(y) > 0 {
			y[0] = max(y[0], top)
			y[len(y)-1] = min(y[len(y)-1], bottom)
		}
	}
	for i, e := range ends {
		if math.Abs(y[i]-e.y) > 4 {
			p.line(fade(e.colour, 0.5), 0.6, point{x - labelGap + 1, e.y}, point{x - 1, y[i]})
		}
		p.text(e.style, e.colour, x+2, y[i]+e.style.capHeight()/2, 0, e.name)
	}
}
