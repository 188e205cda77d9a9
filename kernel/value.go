package kernel

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"nacre/kernel/internal/rt"
)

// render shows the values of a cell's last expression: several are joined by commas. A value that cannot be shown is an
// error.
func (s *session) render(values []any) (*Data, error) {
	if len(values) == 1 {
		d, err := s.forms(values[0])
		return &d, err
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, s.text(v))
	}
	return &Data{MIME: map[string]any{"text/plain": strings.Join(texts, ", ")}}, nil
}

// renderer is a value that returns its own forms. Types of cells and of the library share this convention.
type renderer interface {
	MIMEBundle() (map[string]any, error)
}

// rendererOf wraps a value of a cell's type that is one.
type rendererOf struct {
	IValue      any
	WMIMEBundle func() (map[string]any, error)
}

func (w rendererOf) MIMEBundle() (map[string]any, error) { return w.WMIMEBundle() }

// unshown is shown in the place of a value that cannot be.
func unshown(err error) Data { return Data{MIME: map[string]any{"text/plain": err.Error()}} }

// forms returns the forms of a value: the library's forms, with the metadata that a value of it may have, or a text in
// which cells' types have their own form.
func (s *session) forms(v any) (Data, error) {
	if o, ok := v.(rt.Obj); ok {
		if w, ok := s.reg.TryWrap(o, reflect.TypeFor[renderer]()); ok {
			v = shown{w.Interface().(renderer), s.text(o)}
		}
	}
	if v == nil {
		return Data{MIME: map[string]any{"text/plain": "nil"}}, nil
	}
	m, err := s.library.Forms(v)
	if m != nil || err != nil {
		d := Data{MIME: m}
		if w, ok := v.(interface{ Metadata() map[string]any }); ok {
			d.Metadata = w.Metadata()
		}
		return d, err
	}
	text, rest := s.cut(v)
	d := Data{MIME: map[string]any{"text/plain": text}}
	if rest != "" {
		d.Metadata = map[string]any{"text/plain": map[string]any{"rest": rest}}
	}
	return d, nil
}

// shown is a renderer of a cell's type, with the text it has where it gives none.
type shown struct {
	renderer
	text string
}

func (x shown) MIMEBundle() (map[string]any, error) {
	b, err := x.renderer.MIMEBundle()
	if err != nil {
		return nil, err
	}
	m := map[string]any{"text/plain": x.text}
	maps.Copy(m, b)
	return m, nil
}

const (
	maxShown = 1000    // bytes of a value that are shown at once
	maxText  = 100_000 // that a client can have besides
)

// text is a value as %v prints it, strings quoted, shortened where it is long.
func (s *session) text(v any) string {
	t, _ := s.cut(v)
	return t
}

// cut returns the text of a value, shortened if it is long, and the text that follows the part that is shown.
func (s *session) cut(v any) (text, rest string) {
	t := s.whole(v)
	if len(t) <= maxShown {
		return t, ""
	}
	head := strings.ToValidUTF8(t[:maxShown], "")
	rest = t[len(head):]
	text = head + fmt.Sprintf("… (%d bytes more)", len(rest))
	if len(rest) > maxText {
		kept := strings.ToValidUTF8(rest[:maxText], "")
		rest = kept + fmt.Sprintf("… (%d bytes more)", len(rest)-len(kept))
	}
	return text, rest
}

func (s *session) whole(v any) string {
	if v == nil {
		return "nil"
	}
	if s.reg.Cyclic(v) {
		return fmt.Sprintf("%s that contains itself", rt.TypeName(v))
	}
	var t string
	switch x := v.(type) {
	case string:
		t = fmt.Sprintf("%q", x)
	case rt.Obj:
		t = fmt.Sprintf("%+v", x)
		if x.HasText() {
			t = fmt.Sprint(x)
		}
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
