package display

import (
	"bytes"
	"fmt"
	"image"
	"maps"

	"gonum.org/v1/plot"

	"nacre/analysis/plots"
)

// Render returns the forms in which a value is shown. A Renderer has its own forms. A plot, figure or image gives a
// picture. A matrix, metrics, results, tasks, programs, a slice of structs, and a struct of this project give a table.
// Any other value gives the text that %v prints, and own is false.
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
			w, h := v.Size()
			b, err := figureBundle(v, fmt.Sprintf("figure of %.0f×%.0f points", w, h))
			return b, true, err
		}
	case image.Image:
		b, err := picture{v}.MIMEBundle()
		return b, true, err
	}
	if b, err := known(v); b != nil || err != nil {
		return b, true, err
	}
	return Text(fmt.Sprint(v)), false, nil
}

func figureBundle(f *plots.Figure, text string) (Bundle, error) {
	var b bytes.Buffer
	if err := f.WritePNG(&b); err != nil {
		return nil, err
	}
	return Bundle{"image/png": b.Bytes(), "text/plain": text}, nil
}

// plotBundle draws a plot of gonum's as package plots does.
func plotBundle(p *plot.Plot) (Bundle, error) {
	f, err := plots.Of(p)
	if err != nil {
		return nil, err
	}
	text := "plot"
	if p.Title.Text != "" {
		text += " “" + p.Title.Text + "”"
	}
	return figureBundle(f, text)
}
