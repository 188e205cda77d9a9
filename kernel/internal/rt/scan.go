package rt

import (
	"errors"
	"fmt"
	"reflect"
)

// scanner is a cell's value that has its own method Scan.
type scanner struct{ Obj }

func (s scanner) home() Obj { return s.Obj }

// Scan calls the method of the cell's type.
func (s scanner) Scan(state fmt.ScanState, verb rune) error {
	m, _ := s.T.bind("Scan", s.V)
	err, _ := m.Call([]reflect.Value{reflect.ValueOf(&state).Elem(), reflect.ValueOf(verb)})[0].Interface().(error)
	return err
}

// Scanned returns x in the form for fmt's functions that scan: the target of a pointer, unless its type has a method
// Scan.
func (r *Registry) Scanned(x any) any {
	o, ok := object(r.Norm(x))
	if !ok {
		return x
	}
	if m, ok := o.T.bind("Scan", o.V); ok && m.Type() == reflect.TypeFor[func(fmt.ScanState, rune) error]() {
		return scanner{o}
	}
	if text := unscanned(reflect.ValueOf(o.V)); text != "" {
		return unscannable{o, text + o.T.Name}
	}
	return o.V
}

// unscanned returns the text of package fmt for a value that it cannot scan into.
func unscanned(v reflect.Value) string {
	if v.Kind() != reflect.Pointer {
		return "type not a pointer: "
	}
	switch t := v.Type().Elem(); t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return ""
		}
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128:
		return ""
	}
	return "can't scan type: "
}

// unscannable is a cell's value that cannot be scanned into. Its text says so.
type unscannable struct {
	Obj
	text string
}

func (u unscannable) home() Obj { return u.Obj }

// Scan returns the text as an error.
func (u unscannable) Scan(fmt.ScanState, rune) error { return errors.New(u.text) }
