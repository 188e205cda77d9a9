package rt

import (
	"encoding/json"
	"go/types"
	"reflect"
)

// MarshalJSON encodes a cell's value as encoding/json would in a compiled program.
func (o Obj) MarshalJSON() ([]byte, error) {
	if m, ok := o.T.bind("MarshalJSON", o.V); ok {
		out := m.Call(nil)
		err, _ := out[1].Interface().(error)
		return out[0].Bytes(), err
	}
	if m, ok := o.T.bind("MarshalText", o.V); ok {
		out := m.Call(nil)
		if err, _ := out[1].Interface().(error); err != nil {
			return nil, err
		}
		return json.Marshal(string(out[0].Bytes()))
	}
	m := o.T.reg().jsonMirror()
	v := reflect.ValueOf(o.V)
	if p, ok := o.T.Go.Underlying().(*types.Pointer); ok {
		if v.IsNil() {
			return []byte("null"), nil
		}
		if m.keeps(p.Elem()) {
			return json.Marshal(o.T.reg().Box(o.T.reg().Resolve(p.Elem()).ID, v.Elem().Interface()))
		}
		return json.Marshal(m.value(v.Elem(), p.Elem(), m.bare(p.Elem()), true).Interface())
	}
	return json.Marshal(m.value(v, o.T.Go, m.bare(o.T.Go), true).Interface())
}

// UnmarshalJSON decodes into a pointer to a cell's type.
func (o Obj) UnmarshalJSON(data []byte) error {
	if m, ok := o.T.bind("UnmarshalJSON", o.V); ok {
		err, _ := m.Call([]reflect.Value{reflect.ValueOf(data)})[0].Interface().(error)
		return err
	}
	if m, ok := o.T.bind("UnmarshalText", o.V); ok {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		err, _ := m.Call([]reflect.Value{reflect.ValueOf([]byte(s))})[0].Interface().(error)
		return err
	}
	p, ok := o.T.Go.Underlying().(*types.Pointer)
	v := reflect.ValueOf(o.V)
	if !ok || v.IsNil() {
		return &json.InvalidUnmarshalError{Type: reflect.TypeOf(o.V)}
	}
	m := o.T.reg().jsonMirror()
	m.decode = true
	to := m.bare(p.Elem())
	x := reflect.New(to)
	x.Elem().Set(m.value(v.Elem(), p.Elem(), to, true))
	if err := json.Unmarshal(data, x.Interface()); err != nil {
		return err
	}
	return m.restore(v.Elem(), x.Elem(), p.Elem().Underlying())
}
