package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shape is something drawn over a chart's marks, in the units of its axes.
type Shape struct {
	Kind string  `json:"kind"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	X1   float64 `json:"x1,omitempty"`
	Y1   float64 `json:"y1,omitempty"`
	Text string  `json:"text,omitempty"`
}

// Kinds of shapes.
const (
	TextShape   = "text"   // at (X, Y)
	ArrowShape  = "arrow"  // from (X, Y) to (X1, Y1), with a text at its beginning
	RectShape   = "rect"   // between the corners (X, Y) and (X1, Y1)
	CircleShape = "circle" // around (X, Y), with radius X1 along x and Y1 along y
)

// AtX draws a dashed upright line with a name at a place of the x axis.
func AtX(name string, x float64) Option {
	return func(o *options) { o.references = append(o.references, Reference{Name: name, X: x, Upright: true}) }
}

// XLim sets the ends of the x axis. What lies outside is not drawn, and a note counts the points.
func XLim(lo, hi float64) Option { return func(o *options) { o.limits[0] = []float64{lo, hi} } }

// YLim sets the ends of the y axis, as XLim does.
func YLim(lo, hi float64) Option { return func(o *options) { o.limits[1] = []float64{lo, hi} } }

// XTicks sets the places of numbers on the x axis.
func XTicks(at ...float64) Option { return func(o *options) { o.ticks[0] = at } }

// YTicks sets the places of numbers on the y axis.
func YTicks(at ...float64) Option { return func(o *options) { o.ticks[1] = at } }

// Aspect sets the height of the axes as a share of their width, 0.1 to 10.
func Aspect(share float64) Option { return func(o *options) { o.aspect = &share } }

// Equal makes a unit as long on the y axis as on the x axis, as for positions in the plane.
func Equal() Option { return func(o *options) { o.equal = true } }

// Count adds a note with the number of seeds or rows behind each series.
func Count() Option { return func(o *options) { o.counted = true } }

// Text writes a text at a place of the axes.
func Text(x, y float64, text string) Option {
	return shaped(Shape{Kind: TextShape, X: x, Y: y, Text: text})
}

// Arrow draws an arrow between two places of the axes, with a text at its beginning.
func Arrow(x, y, toX, toY float64, text string) Option {
	return shaped(Shape{Kind: ArrowShape, X: x, Y: y, X1: toX, Y1: toY, Text: text})
}

// Rect draws a rectangle between two corners, such as an obstacle.
func Rect(x, y, toX, toY float64) Option {
	return shaped(Shape{Kind: RectShape, X: x, Y: y, X1: toX, Y1: toY})
}

// Circle draws a circle, such as a goal. It is round if the chart is Equal.
func Circle(x, y, radius float64) Option {
	return shaped(Shape{Kind: CircleShape, X: x, Y: y, X1: radius, Y1: radius})
}

func shaped(s Shape) Option { return func(o *options) { o.shapes = append(o.shapes, s) } }

// annotate checks the options about axes and shapes and puts them into the chart.
func (b *build) annotate() {
	fail := func(format string, args ...any) { b.err = cmp.Or(b.err, fmt.Errorf("plots: "+format, args...)) }
	finite := func(x ...float64) bool {
		for _, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
		return true
	}
	for k, name := range []string{"X", "Y"} {
		s := []*Scale{&b.X, &b.Y}[k]
		if l := b.o.limits[k]; l != nil {
			switch {
			case !finite(l...) || l[0] >= l[1]:
				fail("%sLim(%v, %v): expected two finite numbers, the smaller first", name, l[0], l[1])
			case s.Log && l[0] <= 0:
				fail("%sLim(%v, %v): the axis is logarithmic; expected positive numbers", name, l[0], l[1])
			}
			s.Limits = l
		}
		for _, v := range b.o.ticks[k] {
			if !finite(v) || s.Log && v <= 0 {
				fail("%sTicks has %v; expected a number that the axis has", name, v)
			}
		}
		s.Ticks = b.o.ticks[k]
	}
	if a := b.o.aspect; a != nil {
		if !(*a >= 0.1 && *a <= 10) {
			fail("Aspect(%v): expected 0.1 to 10", *a)
		} else if b.o.equal {
			fail("Aspect and Equal both set the shape of the axes; expected one of them")
		}
		b.Aspect = *a
	}
	if b.Equal = b.o.equal; b.Equal && (b.o.logX || b.o.logY) {
		fail("Equal: units of a logarithmic axis have no length; leave LogX and LogY out")
	}
	for _, s := range b.o.shapes {
		switch {
		case !finite(s.X, s.Y, s.X1, s.Y1):
			fail("%s at (%v, %v), (%v, %v): expected finite numbers", s.Kind, s.X, s.Y, s.X1, s.Y1)
		case s.Kind == CircleShape && s.X1 <= 0:
			fail("a circle has the radius %v; expected a positive number", s.X1)
		case b.o.logX && s.X <= 0 || b.o.logY && s.Y <= 0:
			fail("%s at (%v, %v): expected positive numbers, for a logarithmic axis", s.Kind, s.X, s.Y)
		}
	}
}

// within gives the place that a shape takes to functions that take values of x and y.
func (s Shape) within(x, y func(...float64)) {
	switch s.Kind {
	case TextShape:
		x(s.X)
		y(s.Y)
	case CircleShape:
		x(s.X-s.X1, s.X+s.X1)
		y(s.Y-s.Y1, s.Y+s.Y1)
	default:
		x(s.X, s.X1)
		y(s.Y, s.Y1)
	}
}

// finished adds notes to a chart that was asked to say how many values it has, or that leaves some out.
func (b *build) finished() *Chart {
	if b.err != nil {
		return b.Chart
	}
	if outside := b.outside(); outside > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d of the values lie outside of the axes' limits.", outside))
	}
	if !b.o.counted || b.counts == nil {
		return b.Chart
	}
	var parts []string
	for k, name := range b.Names {
		if part := fmt.Sprintf("n = %s", counted(b.counts[k], b.unit)); name == "" {
			parts = append(parts, part)
		} else {
			parts = append(parts, name+": "+part)
		}
	}
	same := !slices.ContainsFunc(b.counts, func(n int) bool { return n != b.counts[0] })
	if same && len(parts) > 1 {
		parts = []string{fmt.Sprintf("n = %s each", counted(b.counts[0], b.unit))}
	}
	b.Notes = append(b.Notes, strings.Join(parts, "; ")+".")
	return b.Chart
}

// counted is a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// outside counts the points that limits leave out.
func (b *build) outside() (n int) {
	out := func(s Scale, v float64) bool { return s.Limits != nil && (v < s.Limits[0] || v > s.Limits[1]) }
	for _, p := range b.Panels {
		for _, m := range p.Marks {
			for i := range m.X {
				if out(b.X, m.X[i]) || out(b.Y, m.Y[i]) {
					n++
				}
			}
		}
	}
	return n
}

// shows reports whether a place lies within the axes.
func (a axes) shows(x, y float64) bool {
	const most = 1 + 1e-9
	s, t := a.x.share(x), a.y.share(y)
	return s >= 1-most && s <= most && t >= 1-most && t <= most
}

// inX and inY move a place on paper into the axes.
func (a axes) inX(x float64) float64 { return min(a.left+a.w, max(a.left, x)) }
func (a axes) inY(y float64) float64 { return min(a.top+a.h, max(a.top, y)) }

// canvas is gonum's idea of the axes, which cuts lines and areas at their edges.
func (a axes) canvas() draw.Canvas {
	const line = 0.01 // what lies on the edge stays
	return draw.Canvas{Rectangle: vg.Rectangle{
		Min: vg.Point{X: vg.Length(a.left - line), Y: vg.Length(a.top - line)},
		Max: vg.Point{X: vg.Length(a.left + a.w + line), Y: vg.Length(a.top + a.h + line)}}}
}

// pieces are the parts of a line within the axes.
func (a axes) pieces(pts []point) [][]point {
	if !slices.ContainsFunc(pts, a.beyond) {
		return [][]point{pts}
	}
	var out [][]point
	edges := a.canvas()
	for _, piece := range edges.ClipLinesXY(lengths(pts)) {
		out = append(out, points(piece))
	}
	return out
}

// inside is the part of an area within the axes.
func (a axes) inside(area []point) []point {
	if !slices.ContainsFunc(area, a.beyond) {
		return area
	}
	edges := a.canvas()
	return points(edges.ClipPolygonXY(lengths(area)))
}

// beyond reports whether a place on paper lies outside of the axes.
func (a axes) beyond(q point) bool {
	const line = 0.01
	return q.x < a.left-line || q.x > a.left+a.w+line || q.y < a.top-line || q.y > a.top+a.h+line
}

func lengths(pts []point) []vg.Point {
	out := make([]vg.Point, len(pts))
	for i, q := range pts {
		out[i] = vg.Point{X: vg.Length(q.x), Y: vg.Length(q.y)}
	}
	return out
}

func points(pts []vg.Point) []point {
	out := make([]point, len(pts))
	for i, q := range pts {
		out[i] = point{float64(q.X), float64(q.Y)}
	}
	return out
}

// reference draws a line with its name.
func (a axes) reference(r Reference) {
	if r.Upright {
		if t := a.x.share(r.X); t < 0 || t > 1 {
			return
		}
		x := a.px(r.X)
		a.dashed(a.soft, 0.9, point{x, a.top}, point{x, a.top + a.h})
		name := a.ref.fit(r.Name, a.w-6)
		side, align := 3.0, 0.0
		if x+3+a.ref.width(name) > a.left+a.w {
			side, align = -3, 1
		}
		a.text(a.ref, a.soft, x+side, a.top+a.ref.size, align, name)
		return
	}
	if t := a.y.share(r.Y); t < 0 || t > 1 {
		return
	}
	a.dashed(a.soft, 0.9, point{a.left, a.py(r.Y)}, point{a.left + a.w, a.py(r.Y)})
	a.text(a.ref, a.soft, a.left+a.w-3, a.py(r.Y)-3, 1, a.ref.fit(r.Name, a.layout.w-6))
}

// arrow draws a line with a head, which is at most 3.5 points long.
func (a axes) arrow(c color.Color, from, to point) {
	dx, dy := to.x-from.x, to.y-from.y
	length := math.Hypot(dx, dy)
	if length < 0.3 { // an arrow of no length
		a.dot(c, from.x, from.y, 0.5*a.stroke)
		return
	}
	ux, uy := dx/length, dy/length
	head := min(3.5, 0.6*length)
	neck := point{to.x - ux*head, to.y - uy*head}
	a.line(c, 0.6*a.stroke, from, neck)
	wx, wy := uy*head*0.45, ux*head*0.45
	a.fill(c, to, point{neck.x - wx, neck.y + wy}, point{neck.x + wx, neck.y - wy})
}

// shapeOver draws a shape over the marks.
func (a axes) shapeOver(s Shape) {
	from, to := point{a.px(s.X), a.py(s.Y)}, point{a.px(s.X1), a.py(s.Y1)}
	switch s.Kind {
	case TextShape:
		if a.shows(s.X, s.Y) {
			a.text(a.ref, a.ink, from.x, from.y+a.ref.capHeight()/2, 0.5, s.Text)
		}
	case ArrowShape:
		if a.shows(s.X, s.Y) && a.shows(s.X1, s.Y1) {
			a.arrow(a.ink, from, to)
			a.beginning(from, to, s.Text)
		}
	case RectShape:
		a.area([]point{from, {to.x, from.y}, to, {from.x, to.y}})
	case CircleShape:
		const corners = 72
		rx, ry := a.px(s.X+s.X1)-from.x, a.py(s.Y)-a.py(s.Y+s.Y1)
		var round []point
		for k := range corners {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / corners)
			round = append(round, point{from.x + rx*cos, from.y + ry*sin})
		}
		a.area(round)
	}
}

// beginning writes a text at the beginning of an arrow, on the side away from its end.
func (a axes) beginning(from, to point, text string) {
	align, y := 1.0, from.y+a.ref.capHeight()/2
	switch dx, dy := to.x-from.x, to.y-from.y; {
	case math.Abs(dy) > math.Abs(dx) && dy > 0:
		align, y = 0.5, from.y-3
	case math.Abs(dy) > math.Abs(dx):
		align, y = 0.5, from.y+a.ref.size
	case dx < 0:
		align = 0
	}
	wide, x := a.ref.width(text), from.x+(1-2*align)*3
	x = max(a.left+2+align*wide, min(a.left+a.w-2-(1-align)*wide, x)) // it stays inside, if there is room
	if x != from.x+(1-2*align)*3 && align != 0.5 {
		y -= a.ref.size // so that the arrow does not cross it
	}
	a.text(a.ref, a.ink, x, y, align, text)
}

// area draws a part of the plane, such as an obstacle.
func (a axes) area(pts []point) {
	if pts = a.inside(pts); len(pts) < 3 {
		return
	}
	a.fill(fade(a.soft, 0.25), pts...)
	a.line(a.soft, 0.8, append(pts, pts[0])...)
}
