package rt

import (
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// richer are wrappers with methods that native code looks for beyond the interface it takes; the richest come first.
var richer = []reflect.Type{
	reflect.TypeFor[plotterRangerBoxer](),
	reflect.TypeFor[plotterRanger](),
	reflect.TypeFor[plotterBoxer](),
}

type plotterRanger struct {
	IValue     any
	WPlot      func(draw.Canvas, *plot.Plot)
	WDataRange func() (float64, float64, float64, float64)
}

func (w plotterRanger) Plot(c draw.Canvas, p *plot.Plot)            { w.WPlot(c, p) }
func (w plotterRanger) DataRange() (xmin, xmax, ymin, ymax float64) { return w.WDataRange() }

type plotterBoxer struct {
	IValue      any
	WPlot       func(draw.Canvas, *plot.Plot)
	WGlyphBoxes func(*plot.Plot) []plot.GlyphBox
}

func (w plotterBoxer) Plot(c draw.Canvas, p *plot.Plot)        { w.WPlot(c, p) }
func (w plotterBoxer) GlyphBoxes(p *plot.Plot) []plot.GlyphBox { return w.WGlyphBoxes(p) }

type plotterRangerBoxer struct {
	IValue      any
	WPlot       func(draw.Canvas, *plot.Plot)
	WDataRange  func() (float64, float64, float64, float64)
	WGlyphBoxes func(*plot.Plot) []plot.GlyphBox
}

func (w plotterRangerBoxer) Plot(c draw.Canvas, p *plot.Plot)            { w.WPlot(c, p) }
func (w plotterRangerBoxer) DataRange() (xmin, xmax, ymin, ymax float64) { return w.WDataRange() }
func (w plotterRangerBoxer) GlyphBoxes(p *plot.Plot) []plot.GlyphBox     { return w.WGlyphBoxes(p) }
