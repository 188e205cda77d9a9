package rt

import (
	"fmt"
	"log/slog"
	"reflect"
)

// logValuer is a cell's value that returns the value to be logged in its place.
type logValuer struct{ Obj }

func (v logValuer) home() Obj { return v.Obj }

// LogValue calls the method of the cell's type.
func (v logValuer) LogValue() slog.Value {
	m, _ := v.T.bind("LogValue", v.V)
	return m.Call(nil)[0].Interface().(slog.Value)
}

// logText is a cell's value that is logged as the text that it encodes to.
type logText struct{ Obj }

func (v logText) home() Obj { return v.Obj }

// MarshalText calls the method of the cell's type.
func (v logText) MarshalText() ([]byte, error) { return v.Obj.marshalText() }

// logError is a cell's error. JSON handlers log its text. logErrorText is an error that also encodes itself as text.
type logError struct{ o Obj }

func (v logError) home() Obj { return v.o }

// Error calls the method of the cell's type. As package log/slog has it, a nil pointer whose method panics is <nil>.
func (v logError) Error() (text string) {
	defer func() {
		if p := reflect.ValueOf(v.o.V); p.Kind() == reflect.Pointer && p.IsNil() && recover() != nil {
			text = "<nil>"
		}
	}()
	m, _ := v.o.T.bind("Error", v.o.V)
	return m.Call(nil)[0].String()
}

// Format prints as the cell's value does.
func (v logError) Format(f fmt.State, verb rune) { v.o.Format(f, verb) }

type logErrorText struct{ logError }

// MarshalText calls the method of the cell's type.
func (v logErrorText) MarshalText() ([]byte, error) { return v.o.marshalText() }

// Logged returns x in the form for package log/slog.
func (r *Registry) Logged(x any) any {
	o, ok := object(x)
	if !ok {
		return x
	}
	if m, ok := o.T.bind("LogValue", o.V); ok && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 &&
		m.Type().Out(0) == reflect.TypeFor[slog.Value]() {
		return logValuer{o}
	}
	text := o.T.has("MarshalText")
	switch {
	case o.T.has("MarshalJSON"):
		return x
	case o.T.err.Load() && text:
		return logErrorText{logError{o}}
	case o.T.err.Load():
		return logError{o}
	case text:
		return logText{o}
	}
	return x
}
