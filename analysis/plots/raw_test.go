package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg/draw"
)

// A plot of gonum's has this package's fonts and colours where it says nothing of its own, keeps what it does say, and
// is not changed.
func TestOf(t *testing.T) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = "Title of its own", "steps"
	p.Y.Label.TextStyle.Font.Variant, p.Y.Label.Text = "Mono", "return"
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 3}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(line)
	before := *p
	f, err := Of(p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	_, svg, _ := strings.Cut(b.String(), "</style>") // the head has title and fonts
	for text, n := range map[string]int{"Liberation Serif": 0, "Liberation Mono": 1, "Title of its own": 1} {
		if strings.Count(svg, text) != n {
			t.Errorf("%d times %q in %.2000s, expected %d", strings.Count(svg, text), text, svg, n)
		}
	}
	if p.Title.TextStyle != before.Title.TextStyle || p.BackgroundColor != color.White || p.X.Min != before.X.Min {
		t.Error("drawing has changed the plot")
	}
	p.Title.TextStyle.Color, p.BackgroundColor = color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}
	q := themed(p, onScreen)
	if q.Title.TextStyle.Color != p.Title.TextStyle.Color || q.BackgroundColor != p.BackgroundColor {
		t.Error("colours of the plot's own are gone")
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{} // of a range with 0
	if _, err := Of(p); err == nil || !strings.HasPrefix(err.Error(), "plots: drawing the plot: ") {
		t.Errorf("a plot that cannot be drawn: %v", err)
	}
	if _, err := Of(nil); err == nil {
		t.Error("no plot was drawn")
	}
	if math.IsInf(p.Y.Min, 0) {
		t.Error("its range is gone")
	}
}

// Lines and glyphs that are as gonum makes them, and the colours of plotutil, are drawn in this package's; what a plot
// says, the plotters themselves and gonum's defaults stay.
func TestOfRestylesPlotters(t *testing.T) {
	p := plot.New()
	points := plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 3}}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		t.Fatal(err)
	}
	own, _ := plotter.NewLine(points)
	own.Color = color.NRGBA{1, 2, 3, 255}
	third, _ := plotter.NewLine(points)
	third.Color = plotutil.Color(2)
	bars, err := plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{points, make(plotter.YErrors, 2)})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(line, dots, own, third, bars)
	p.Legend.Add("both", line, dots)
	f, err := Of(p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	hex := func(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
	for what, n := range map[string]int{
		"stroke:" + hex(Palette[0]): 8, // the line, in the legend too, and three strokes of each error bar
		"fill:" + hex(Palette[0]):   3, // circles
		"stroke:" + hex(Palette[2]): 1, // plotutil's third colour
		"stroke:#010203":            1, // its own
		"#000000":                   0,
	} {
		if got := strings.Count(b.String(), what); got != n {
			t.Errorf("%d times %s, want %d, in %s", got, what, n, b.String())
		}
	}
	if line.Color != color.Black || dots.Shape != (draw.RingGlyph{}) || plotter.DefaultLineStyle.Color != color.Black {
		t.Error("drawing has changed the plotters")
	}
}
