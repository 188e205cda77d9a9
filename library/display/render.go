package display

import (
	"bytes"
	"fmt"
	"image"
	"maps"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"nacre/analysis/plots"
)

// Render returns the forms in which a value is shown: its own where it is a Renderer, a picture of a plot, figure or
// image, rows and columns of a matrix, a table of metrics, results, tasks and of any slice of structs. Of anything else it is what %v prints, and own is false.
func Render(v any) (forms map[string]any, own bool, err error) {
	switch v := v.(type) {
	case Renderer:
		b, err := v.MIMEBundle()
		if err != nil {
			return nil, true, err
		}
		if _, ok := b["text/plain"]; !ok {
			b = maps.Clone(b)
			b["text/plain"] = fmt.Sprintf("%T", v)
		}
		return b, true, nil
	case *plot.Plot:
		if v != nil {
			b, err := plotBundle(v)
			return b, true, err
		}
	case *plots.Figure:
		if v != nil {
			b, err := figureBundle(v)
			return b, true, err
		}
	case image.Image:
		b, err := picture{v}.MIMEBundle()
		return b, true, err
	case mat.Matrix:
		return matrixBundle(v), true, nil
	}
	if b, err := known(v); b != nil || err != nil {
		return b, true, err
	}
	return Text(fmt.Sprint(v)), false, nil
}

func figureBundle(f *plots.Figure) (Bundle, error) {
	var b bytes.Buffer
	if err := f.WritePNG(&b); err != nil {
		return nil, err
	}
	w, h := f.Size()
	return Bundle{"image/png": b.Bytes(), "text/plain": fmt.Sprintf("figure of %.0f×%.0f points", w, h)}, nil
}

func matrixBundle(m mat.Matrix) Bundle {
	r, c := m.Dims()
	excerpt := 0
	if r > 20 || c > 20 {
		excerpt = 5
	}
	return Text(fmt.Sprintf("%d×%d\n%.6g", r, c, mat.Formatted(m, mat.Squeeze(), mat.Excerpt(excerpt))))
}

// plotBundle draws at twice the size the plot is shown at, for sharp screens.
func plotBundle(p *plot.Plot) (b Bundle, err error) {
	defer func() { // a plot panics on data it cannot draw
		if x := recover(); x != nil {
			err = fmt.Errorf("display: drawing the plot: %v", x)
		}
	}()
	c := vgimg.NewWith(vgimg.UseWH(6*vg.Inch, 4*vg.Inch), vgimg.UseDPI(192))
	p.Draw(draw.New(c))
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&out); err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	text := "plot"
	if p.Title.Text != "" {
		text += " “" + p.Title.Text + "”"
	}
	return Bundle{"image/png": out.Bytes(), "text/plain": text}, nil
}
