package kernel

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// render shows the values of a cell's last expression: several are joined by commas.
func (s *session) render(values []any) *Data {
	if len(values) == 1 {
		d := s.renderOne(values[0])
		return &d
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, s.text(v))
	}
	return &Data{MIME: map[string]any{"text/plain": strings.Join(texts, ", ")}}
}

// Renderer is a value that says itself how it is shown, by MIME type.
type Renderer interface {
	MIMEBundle() (map[string]any, error)
}

func (s *session) renderOne(v any) Data {
	m := map[string]any{"text/plain": s.text(v)}
	switch v := v.(type) {
	case Renderer:
		b, err := v.MIMEBundle()
		if err != nil {
			m["text/plain"] = err.Error()
			return Data{MIME: m}
		}
		for k, x := range b {
			m[k] = x
		}
	case *plot.Plot:
		if v != nil {
			if b, err := plotPNG(v); err == nil {
				m["image/png"] = b
				m["text/plain"] = "plot " + v.Title.Text
			} else {
				m["text/plain"] = err.Error()
			}
		}
	case image.Image:
		var b bytes.Buffer
		if png.Encode(&b, v) == nil {
			m["image/png"] = b.Bytes()
			m["text/plain"] = fmt.Sprintf("image %v", v.Bounds())
		}
	case mat.Matrix:
		r, c := v.Dims()
		m["text/plain"] = fmt.Sprintf("%d×%d\n%.6g", r, c, mat.Formatted(v, mat.Squeeze(), mat.Excerpt(excerptOf(r, c))))
	}
	return Data{MIME: m}
}

func excerptOf(r, c int) int {
	if r > 20 || c > 20 {
		return 5
	}
	return 0
}

// plotPNG draws at twice the size it is shown at, for sharp screens.
func plotPNG(p *plot.Plot) (b []byte, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("drawing the plot: %v", x)
		}
	}()
	c := vgimg.NewWith(vgimg.UseWH(6*vg.Inch, 4*vg.Inch), vgimg.UseDPI(144))
	p.Draw(draw.New(c))
	var out bytes.Buffer
	_, err = vgimg.PngCanvas{Canvas: c}.WriteTo(&out)
	return out.Bytes(), err
}

const maxText = 100_000

// text is a value as %v prints it, strings quoted, shortened where it is very long.
func (s *session) text(v any) string {
	if v == nil {
		return "nil"
	}
	var t string
	switch x := v.(type) {
	case string:
		t = fmt.Sprintf("%q", x)
	case error:
		t = x.Error()
	default:
		k := reflect.ValueOf(v).Kind()
		switch {
		case k == reflect.Func:
			t = strings.TrimSpace(fmt.Sprintf("%T", v))
		case hasText(v):
			t = fmt.Sprintf("%v", v)
		case k == reflect.Slice || k == reflect.Array || k == reflect.Map:
			t = elements(reflect.ValueOf(v))
		default:
			t = fmt.Sprintf("%+v", v)
		}
	}
	if len(t) > maxText {
		t = t[:maxText] + fmt.Sprintf("… (%d bytes more)", len(t)-maxText)
	}
	return t
}

func hasText(v any) bool {
	switch v.(type) {
	case fmt.Stringer, fmt.Formatter:
		return true
	}
	return false
}

const maxElements = 1000

// elements prints a collection, only the head of a long one.
func elements(v reflect.Value) string {
	if v.Kind() == reflect.Map || v.Len() <= maxElements {
		return fmt.Sprintf("%v", v.Interface())
	}
	if v.Kind() == reflect.Array {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c.Slice(0, v.Len())
	}
	head := fmt.Sprintf("%v", v.Slice(0, maxElements/2).Interface())
	return strings.TrimSuffix(head, "]") + fmt.Sprintf(" … and %d more]", v.Len()-maxElements/2)
}

// expressions evaluates a request's user expressions.
func (s *session) expressions(ctx context.Context, list map[string]string) map[string]ExpressionData {
	if len(list) == 0 {
		return nil
	}
	m := map[string]ExpressionData{}
	for name, code := range list {
		s.number++
		r := &run{session: s, count: s.count, number: s.number, out: silent{}}
		d, fail := s.execute(ctx, r, code)
		m[name] = ExpressionData{d, fail}
	}
	return m
}

// silent is the output of what has none.
type silent struct{}

func (silent) Stream(string, string) {}
func (silent) Display(Data)          {}
func (silent) Update(Data)           {}
func (silent) Clear(bool)            {}
func (silent) Input(string, bool) (string, error) {
	return "", errInputRefused
}
