package plots

import (
	"image/color"
	"reflect"
	"slices"
	"unsafe"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg/draw"
)

// restyle gives the plotters and the legend of a plot that is drawn copies with this package's colours, where they have
// gonum's default lines and glyphs or the colours of package plotutil. What package plot keeps of them is not exported.
func restyle(q *plot.Plot) {
	p := reflect.ValueOf(q).Elem()
	copies := map[any]reflect.Value{} // a plotter that is also in the legend has one copy
	restyleAll(hidden(p, "plotters"), copies)
	entries := hidden(reflect.ValueOf(&q.Legend).Elem(), "entries")
	entries.Set(cloned(entries))
	for k := range entries.Len() {
		restyleAll(hidden(entries.Index(k), "thumbs"), copies)
	}
}

// hidden is a field of an addressable struct that its package does not export, as one that can be set.
func hidden(v reflect.Value, name string) reflect.Value {
	f := v.FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

func cloned(slice reflect.Value) reflect.Value {
	return reflect.AppendSlice(reflect.MakeSlice(slice.Type(), 0, slice.Len()), slice)
}

// restyleAll replaces a slice of interfaces by one of copies.
func restyleAll(list reflect.Value, copies map[any]reflect.Value) {
	list.Set(cloned(list))
	for k := range list.Len() {
		x := list.Index(k).Elem()
		if x.Kind() != reflect.Pointer || x.IsNil() || x.Type().Elem().PkgPath() != plotterPath {
			continue
		}
		c, ok := copies[x.Interface()]
		if !ok {
			c = reflect.New(x.Type().Elem())
			c.Elem().Set(x.Elem())
			restyleFields(c.Elem())
			copies[x.Interface()] = c
		}
		list.Index(k).Set(c)
	}
}

// What gonum draws with by default, as it was before a cell changed it.
var (
	gonumLine, gonumGlyph = plotter.DefaultLineStyle, plotter.DefaultGlyphStyle
	gonumColors           = slices.Clone(plotutil.SoftColors)
)

var plotterPath = reflect.TypeFor[plotter.Line]().PkgPath()

// restyleFields gives the styles in a struct this package's colours.
func restyleFields(v reflect.Value) {
	for k := range v.NumField() {
		if !v.Type().Field(k).IsExported() {
			continue
		}
		switch x := v.Field(k).Addr().Interface().(type) {
		case *draw.LineStyle:
			x.Color = restyled(x.Color, sameLine(*x))
		case *[]draw.LineStyle:
			*x = slices.Clone(*x)
			for k := range *x {
				(*x)[k].Color = restyled((*x)[k].Color, sameLine((*x)[k]))
			}
		case *draw.GlyphStyle:
			byDefault := *x == gonumGlyph
			x.Color = restyled(x.Color, byDefault)
			if byDefault {
				x.Shape = draw.CircleGlyph{}
			}
		case *color.Color:
			*x = restyled(*x, false)
		default:
			if f := v.Field(k); f.Kind() == reflect.Struct && v.Type().Field(k).Anonymous {
				restyleFields(f)
			}
		}
	}
}

// sameLine reports whether a line has gonum's default style.
func sameLine(s draw.LineStyle) bool {
	return s.Color == gonumLine.Color && s.Width == gonumLine.Width && len(s.Dashes) == 0
}

// restyled is the colour in which c is drawn: that of Palette with the number it has in package plotutil, or the first.
func restyled(c color.Color, byDefault bool) color.Color {
	if byDefault {
		return colour(0)
	}
	if k := slices.Index(gonumColors, c); k >= 0 {
		return colour(k)
	}
	return c
}
