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
func restyle(q *plot.Plot, k *look) {
	p := reflect.ValueOf(q).Elem()
	copies := map[any]reflect.Value{} // a plotter that is also in the legend has one copy
	restyleAll(hidden(p, "plotters"), copies, k)
	entries := hidden(reflect.ValueOf(&q.Legend).Elem(), "entries")
	entries.Set(cloned(entries))
	for i := range entries.Len() {
		restyleAll(hidden(entries.Index(i), "thumbs"), copies, k)
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
func restyleAll(list reflect.Value, copies map[any]reflect.Value, k *look) {
	list.Set(cloned(list))
	for i := range list.Len() {
		x := list.Index(i).Elem()
		if x.Kind() != reflect.Pointer || x.IsNil() || x.Type().Elem().PkgPath() != plotterPath {
			continue
		}
		c, ok := copies[x.Interface()]
		if !ok {
			c = reflect.New(x.Type().Elem())
			c.Elem().Set(x.Elem())
			restyleFields(c.Elem(), k)
			copies[x.Interface()] = c
		}
		list.Index(i).Set(c)
	}
}

// What gonum draws with by default, as it was before a cell changed it.
var (
	gonumLine, gonumGlyph = plotter.DefaultLineStyle, plotter.DefaultGlyphStyle
	gonumColors           = slices.Clone(plotutil.SoftColors)
)

var plotterPath = reflect.TypeFor[plotter.Line]().PkgPath()

// restyleFields gives the styles in a struct this package's colours.
func restyleFields(v reflect.Value, k *look) {
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch x := v.Field(i).Addr().Interface().(type) {
		case *draw.LineStyle:
			x.Color = k.restyled(x.Color, sameLine(*x))
		case *[]draw.LineStyle:
			*x = slices.Clone(*x)
			for j := range *x {
				(*x)[j].Color = k.restyled((*x)[j].Color, sameLine((*x)[j]))
			}
		case *draw.GlyphStyle:
			byDefault := *x == gonumGlyph
			x.Color = k.restyled(x.Color, byDefault)
			if byDefault {
				x.Shape = draw.CircleGlyph{}
			}
		case *color.Color:
			*x = k.restyled(*x, false)
		default:
			if f := v.Field(i); f.Kind() == reflect.Struct && v.Type().Field(i).Anonymous {
				restyleFields(f, k)
			}
		}
	}
}

// sameLine reports whether a line has gonum's default style.
func sameLine(s draw.LineStyle) bool {
	return s.Color == gonumLine.Color && s.Width == gonumLine.Width && len(s.Dashes) == 0
}

// restyled is the colour in which c is drawn: that of Palette with the number it has in package plotutil, or the first.
func (t theme) restyled(c color.Color, byDefault bool) color.Color {
	if byDefault {
		return t.colour(0)
	}
	if k := slices.Index(gonumColors, c); k >= 0 {
		return t.colour(k)
	}
	return c
}
