package rt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"slices"
)

// encode is json.Marshal of a mirror. It does not decide what is escaped: the encoder that asked for the text looks at
// it again and decides.
func encode(x any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(x)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// MarshalJSON encodes a cell's value as encoding/json would in a compiled program.
func (o Obj) MarshalJSON() ([]byte, error) {
	if v := reflect.ValueOf(o.V); v.Kind() == reflect.Pointer && v.IsNil() {
		return []byte("null"), nil
	}
	e := encoder{r: o.T.reg(), fields: map[*Type][]jsonField{}, top: o.T, open: map[visit]bool{}}
	if err := e.value(item{v: reflect.ValueOf(o.V), t: o.T}, false, false); err != nil {
		if !errors.As(err, new(*encodeError)) {
			err = &encodeError{err: err}
		}
		return nil, err
	}
	return e.buf, nil
}

// text keeps the argument of UnmarshalText.
type text []byte

func (t *text) UnmarshalText(b []byte) error {
	*t = slices.Clone(b)
	return nil
}

// encodeError is an error of encoding a cell's value. It lies inside the error that encoding/json makes of it for the
// box.
type encodeError struct {
	typ, method string // those of the cell; "" if no method failed
	err         error
}

func (e *encodeError) Error() string {
	if e.typ == "" {
		return e.err.Error()
	}
	return "json: error calling " + e.method + " for type " + e.typ + ": " + e.err.Error()
}

func (e *encodeError) Unwrap() error { return e.err }

// EncodeError returns an error of package encoding/json in the form that it would have without boxes.
func EncodeError(err error) error {
	var e *encodeError
	switch {
	case !errors.As(err, &e):
		return err
	case e.typ == "":
		return e.err
	}
	failed := &json.MarshalerError{Type: typeNamed{reflect.TypeFor[Obj](), e.typ}, Err: e.err}
	if f := reflect.ValueOf(failed).Elem().FieldByName("sourceFunc"); f.IsValid() {
		reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetString(e.method)
	}
	return failed
}

// typeNamed is a type in an error of encoding/json that has the name of a cell's type.
type typeNamed struct {
	reflect.Type
	name string
}

func (t typeNamed) String() string { return t.name }

// Marshaled takes the results of a function of encoding/json and returns them, with the error as EncodeError returns
// it.
func Marshaled(data []byte, err error) ([]byte, error) { return data, EncodeError(err) }

// unmarshalText calls an UnmarshalText method of the cell's type.
func (o Obj) unmarshalText(text []byte) error {
	m, _ := o.T.bind("UnmarshalText", o.V)
	err, _ := m.Call([]reflect.Value{reflect.ValueOf(text)})[0].Interface().(error)
	return err
}

// UnmarshalJSON decodes into a pointer to a cell's type.
func (o Obj) UnmarshalJSON(data []byte) error {
	return o.decoded(func(x any) error { return json.Unmarshal(data, x) })
}

// decoded fills the target of o by decode, which gets a pointer to a native value to decode into.
func (o Obj) decoded(decode func(any) error) error {
	if m, ok := o.T.bind("UnmarshalJSON", o.V); ok {
		var data json.RawMessage
		if err := decode(&data); err != nil {
			return err
		}
		err, _ := m.Call([]reflect.Value{reflect.ValueOf([]byte(data))})[0].Interface().(error)
		return err
	}
	if o.T.has("UnmarshalText") {
		var s text
		if err := decode(&s); err != nil {
			var e *json.UnmarshalTypeError
			if p, ok := o.T.Go.Underlying().(*types.Pointer); ok && errors.As(err, &e) {
				e.Type = typeNamed{e.Type, o.T.reg().Resolve(p.Elem()).Name}
				return e
			}
			return err
		}
		return o.unmarshalText(s)
	}
	p, ok := o.T.Go.Underlying().(*types.Pointer)
	v := reflect.ValueOf(o.V)
	if !ok || v.IsNil() {
		if v.Kind() == reflect.Pointer {
			return fmt.Errorf("json: Unmarshal(nil %s)", o.T.Name)
		}
		return fmt.Errorf("json: Unmarshal(non-pointer %s)", o.T.Name)
	}
	m := o.T.reg().decodeMirror()
	to := m.bare(p.Elem())
	x := reflect.New(to)
	x.Elem().Set(m.value(v.Elem(), p.Elem(), to))
	failed := decode(x.Interface())
	// includes what was decoded before the failure
	if err := m.restore(v.Elem(), x.Elem(), p.Elem().Underlying()); err != nil && failed == nil {
		var e *json.UnmarshalTypeError
		switch {
		case !errors.As(err, &e):
		case pointed() && e.Field != "":
			if _, own := e.Type.(typeNamed); own {
				e.Struct = nameOf(p.Elem())
			}
		case e.Struct == unnamed:
			_, e.Struct = structOf(p.Elem())
		}
		return err
	}
	if partial, ok := failed.(*json.UnmarshalTypeError); ok {
		return m.typeError(partial, p.Elem())
	}
	return failed
}

// Decode works like d.Decode(x). x may be a pointer to a cell's type.
func (r *Registry) Decode(d *json.Decoder, x any) error {
	if o, ok := object(r.Norm(x)); ok {
		return o.decoded(d.Decode)
	}
	defer r.exposed(reflect.ValueOf(x), 0)()
	return d.Decode(x)
}

// Unmarshal works like json.Unmarshal into a native value.
func (r *Registry) Unmarshal(data []byte, x any) error {
	defer r.exposed(reflect.ValueOf(x), 0)()
	return json.Unmarshal(data, x)
}

// exposed looks for interfaces in v that hold pointers of cells' types, and puts the pointers where a decoder finds and
// fills them. undo takes them back.
func (r *Registry) exposed(v reflect.Value, depth int) (undo func()) {
	undo = func() {}
	also := func(part reflect.Value) {
		before, next := undo, r.exposed(part, depth+1)
		undo = func() { next(); before() }
	}
	if depth > 8 {
		return undo
	}
	switch v.Kind() {
	case reflect.Pointer:
		also(v.Elem())
	case reflect.Struct:
		for k := range v.NumField() {
			also(v.Field(k))
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Interface, reflect.Struct, reflect.Pointer:
			for k := range v.Len() {
				also(v.Index(k))
			}
		}
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() || v.Type() != anyType {
			return undo
		}
		o, ok := object(r.Norm(v.Interface()))
		if p := reflect.ValueOf(o.V); !ok || p.Kind() != reflect.Pointer || p.IsNil() {
			if !ok {
				also(v.Elem())
			}
			return undo
		}
		v.Set(reflect.ValueOf(&o))
		return func() {
			if v.Interface() == any(&o) {
				v.Set(reflect.ValueOf(o))
			}
		}
	}
	return undo
}

// marshalText calls a MarshalText method of the cell's type.
func (o Obj) marshalText() ([]byte, error) {
	m, _ := o.T.bind("MarshalText", o.V)
	out := m.Call(nil)
	err, _ := out[1].Interface().(error)
	return out[0].Bytes(), err
}
