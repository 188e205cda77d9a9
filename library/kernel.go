package library

import (
	"fmt"
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gorgonia.org/tensor"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/kernel"
	"nacre/library/cell"
	"nacre/library/display"
	"nacre/rl"
	"nacre/rl/config"
	"nacre/sim"
)

// New returns a kernel.Library of the packages that cells may import. It makes packages cell and display work in the
// kernel's cells.
func New() kernel.Library {
	cell.SetCurrent(func() cell.Cell {
		if c := kernel.Current(); c != nil {
			return c
		}
		return nil
	})
	return kernel.Library{
		Types: Types, Load: Load, Symbols: Symbols, Importable: Importable, Absent: Absent, Doc: Doc,
		Deprecated: Deprecated, Uses: Uses,
		Wrappers: []reflect.Type{reflect.TypeFor[plotterRangerBoxer](), reflect.TypeFor[plotterRanger](),
			reflect.TypeFor[plotterBoxer]()},
		Keeps: []string{"nacre/library/display"}, Cell: "nacre/library/cell",
		Forms: forms, Brief: brief, Texts: texts,
	}
}

// forms returns the forms in which package display shows a value; nil if it has only text.
func forms(v any) (map[string]any, error) {
	m, own, err := display.Render(v)
	if err != nil || !own {
		return nil, err
	}
	return m, nil
}

// texts are the names of presets, algorithms, families and settings, and the tables in the notebook's folder, where
// they are arguments.
func texts(path, name string, argument int) (list []string) {
	if path == "nacre/library/lab" && name == "Set" {
		for _, key := range config.Keys(experiment.Config{}) {
			list = append(list, key+"=")
		}
		return list
	}
	switch fmt.Sprintf("%s.%s %d", path, name, argument) {
	case "nacre/library/lab.Train 0", "nacre/library/lab.Compare 0", "nacre/experiment.Preset 0":
		for _, p := range rl.Presets() {
			list = append(list, p.Name)
		}
	case "nacre/library/lab.Algorithm 0", "nacre/library/lab.Compare 1", "nacre/rl.Lookup 0":
		list = rl.Names()
	case "nacre/sim.Lookup 0", "nacre/library/lab.Reward 0":
		for _, f := range sim.Families() {
			list = append(list, f.Name)
		}
	case "nacre/library/lab.Over 0":
		list = config.Keys(experiment.Config{})
	case "nacre/analysis/frame.Read 0":
		list, _ = frame.Files(".")
	}
	return list
}

// brief describes a tensor.
func brief(v any) (line string, elements int, ok bool) {
	t, ok := v.(tensor.Tensor)
	if !ok || reflect.ValueOf(t).IsNil() {
		return "", 0, false
	}
	return fmt.Sprintf("tensor %v of %v", t.Shape(), t.Dtype()), t.Size(), true
}

// A plot asks a plotter for methods that the interface plot.Plotter lacks. These are wrappers that have them.

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
