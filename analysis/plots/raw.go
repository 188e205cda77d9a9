package plots

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Of makes a figure, six inches by four, from a plot of gonum. Whatever still looks as gonum makes it (fonts, axes,
// background, lines, glyphs) gets the style of this package. So do the colours of package plotutil. A grid is added.
// The plot itself is not changed. A plot that cannot be drawn is an error.
func Of(p *plot.Plot) (*Figure, error) {
	if p == nil {
		return nil, errors.New("plots: there is no plot")
	}
	return newFigure(p.Title.Text, func(k *look) (drawing, error) { return layPlot(p, k) })
}

// layPlot lays a plot of gonum's out in a look.
func layPlot(p *plot.Plot, k *look) (d drawing, err error) {
	defer func() { // a plot panics on data it cannot draw
		if x := recover(); x != nil {
			err = fmt.Errorf("plots: drawing the plot: %v", x)
		}
	}()
	d.width, d.height = cmp.Or(k.width, 432), cmp.Or(k.width, 432)*2/3
	q := themed(p, k)
	edge := vg.Length(k.edge)
	d.draw = func(pen *pen) {
		c := draw.NewCanvas(pen.c, vg.Length(d.width), vg.Length(d.height))
		c = draw.Crop(c, edge, -edge, edge, -edge)
		if q.BackgroundColor == nil {
			pen.rect(pen.paper, 0, 0, d.width, d.height)
			gridOf(&q, q.DataCanvas(c), k)
		} else {
			pen.rect(q.BackgroundColor, 0, 0, d.width, d.height)
		}
		q.Draw(c)
	}
	d.draw(newPen(new(recorder.Canvas), d.height, k)) // tests whether it can be drawn
	return d, nil
}

// themed copies a plot and changes gonum's defaults to the style of this package. The default background is left out,
// because the figure has its own.
func themed(p *plot.Plot, k *look) plot.Plot {
	q := *p
	restyle(&q, k)
	if q.BackgroundColor == color.White {
		q.BackgroundColor = nil
	}
	retext := func(t *text.Style, size font.Length, ours style, c color.Color) {
		if t.Font == font.From(plot.DefaultFont, size) {
			t.Font = ours.face().Font
		}
		if t.Color == color.Black || t.Color == nil {
			t.Color = c
		}
	}
	retext(&q.Title.TextStyle, 12, k.title, k.ink)
	q.Title.Padding = cmp.Or(q.Title.Padding, 6)
	retext(&q.Legend.TextStyle, 12, k.legend, k.ink)
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		retext(&a.Label.TextStyle, 12, k.axis, k.ink)
		retext(&a.Tick.Label, 10, k.tick, k.soft)
		for _, l := range []*draw.LineStyle{&a.LineStyle, &a.Tick.LineStyle} {
			if l.Color == color.Black {
				l.Color = k.rule
			}
		}
		if a.Tick.Marker == (plot.DefaultTicks{}) {
			a.Tick.Marker = plot.TickerFunc(roundTicks)
		}
		if a.Tick.Length == vg.Points(8) {
			a.Tick.Length = 4
		}
		a.Label.Padding = cmp.Or(a.Label.Padding, 3)
	}
	return q
}

// roundTicks returns ticks in the style of this package. More of them have labels than with gonum.
func roundTicks(lo, hi float64) (list []plot.Tick) {
	at, decimals := ticks(lo, hi, 6, false)
	for _, v := range at {
		list = append(list, plot.Tick{Value: v, Label: number(v, decimals)})
	}
	return list
}

// gridOf draws lines at the labelled ticks.
func gridOf(q *plot.Plot, c draw.Canvas, k *look) {
	line := draw.LineStyle{Color: k.grid, Width: 0.7}
	for _, t := range q.X.Tick.Marker.Ticks(q.X.Min, q.X.Max) {
		if x := c.X(q.X.Norm(t.Value)); !t.IsMinor() && c.ContainsX(x) {
			c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range q.Y.Tick.Marker.Ticks(q.Y.Min, q.Y.Max) {
		if y := c.Y(q.Y.Norm(t.Value)); !t.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
		}
	}
}
