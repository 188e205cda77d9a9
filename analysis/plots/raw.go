package plots

import (
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

// Of is a figure of a plot of gonum's, six inches by four, with what the plot leaves as gonum makes it (fonts, axes,
// background) as in this package's figures, and a grid. The plot itself stays as it is. A plot that cannot be drawn is
// an error.
func Of(p *plot.Plot) (f *Figure, err error) {
	if p == nil {
		return nil, errors.New("plots: there is no plot")
	}
	defer func() { // a plot panics on data it cannot draw
		if x := recover(); x != nil {
			f, err = nil, fmt.Errorf("plots: drawing the plot: %v", x)
		}
	}()
	const width, height = 432, 288
	q := themed(p)
	f = &Figure{width: width, height: height, draw: func(pen *pen) {
		c := draw.Crop(draw.NewCanvas(pen.c, width, height), figureEdge, -figureEdge, figureEdge, -figureEdge)
		if q.BackgroundColor == nil {
			pen.rect(paper, 0, 0, width, height)
			gridOf(&q, q.DataCanvas(c))
		} else {
			pen.rect(q.BackgroundColor, 0, 0, width, height)
		}
		q.Draw(c)
	}}
	f.draw(newPen(new(recorder.Canvas), height)) // to see whether it can be drawn
	return f, nil
}

// themed is a copy of a plot in which what is as gonum makes it is as this package draws. One with the default
// background has none: the figure's takes its place.
func themed(p *plot.Plot) plot.Plot {
	q := *p
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
	retext(&q.Title.TextStyle, 12, titleStyle, ink)
	if q.Title.Padding == 0 {
		q.Title.Padding = 6
	}
	retext(&q.Legend.TextStyle, 12, legendStyle, ink)
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		retext(&a.Label.TextStyle, 12, axisStyle, ink)
		retext(&a.Tick.Label, 10, tickStyle, soft)
		for _, l := range []*draw.LineStyle{&a.LineStyle, &a.Tick.LineStyle} {
			if l.Color == color.Black {
				l.Color = rule
			}
		}
		if a.Tick.Marker == (plot.DefaultTicks{}) {
			a.Tick.Marker = plot.TickerFunc(roundTicks)
		}
		if a.Tick.Length == vg.Points(8) {
			a.Tick.Length = 4
		}
		if a.Label.Padding == 0 {
			a.Label.Padding = 3
		}
	}
	return q
}

// roundTicks are this package's: more of them have labels than of gonum's.
func roundTicks(lo, hi float64) (list []plot.Tick) {
	at, decimals := ticks(lo, hi, 6, false)
	for _, v := range at {
		list = append(list, plot.Tick{Value: v, Label: number(v, decimals)})
	}
	return list
}

// gridOf draws lines at the labelled ticks.
func gridOf(q *plot.Plot, c draw.Canvas) {
	line := draw.LineStyle{Color: grid, Width: 0.7}
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
