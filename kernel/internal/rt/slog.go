package rt

import (
	"log/slog"
	"reflect"
)

// logValuer is a cell's value that says itself as what it is logged.
type logValuer struct{ Obj }

func (v logValuer) home() Obj { return v.Obj }

// LogValue calls the method of the cell's type.
func (v logValuer) LogValue() slog.Value {
	m, _ := v.T.bind("LogValue", v.V)
	return m.Call(nil)[0].Interface().(slog.Value)
}

// logText is a cell's value that is logged as the text it encodes to.
type logText struct{ Obj }

func (v logText) home() Obj { return v.Obj }

// MarshalText calls the method of the cell's type.
func (v logText) MarshalText() ([]byte, error) { return v.Obj.marshalText() }

// Logged is x as package log/slog takes it.
func (r *Registry) Logged(x any) any {
	o, ok := object(x)
	if !ok {
		return x
	}
	if m, ok := o.T.bind("LogValue", o.V); ok && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 && m.Type().Out(0) == reflect.TypeFor[slog.Value]() {
		return logValuer{o}
	}
	if o.T.has("MarshalText") && !o.T.has("MarshalJSON") {
		return logText{o}
	}
	return x
}
