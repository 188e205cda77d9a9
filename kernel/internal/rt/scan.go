package rt

import (
	"fmt"
	"reflect"
)

// scanner is a cell's value that scans itself.
type scanner struct{ Obj }

func (s scanner) home() Obj { return s.Obj }

// Scan calls the method of the cell's type.
func (s scanner) Scan(state fmt.ScanState, verb rune) error {
	m, _ := s.T.bind("Scan", s.V)
	err, _ := m.Call([]reflect.Value{reflect.ValueOf(&state).Elem(), reflect.ValueOf(verb)})[0].Interface().(error)
	return err
}

// Scanned is x as fmt's functions that scan take it: what a pointer points to, unless its type has a method Scan.
func (r *Registry) Scanned(x any) any {
	o, ok := object(r.Norm(x))
	if !ok {
		return x
	}
	if m, ok := o.T.bind("Scan", o.V); ok && m.Type() == reflect.TypeFor[func(fmt.ScanState, rune) error]() {
		return scanner{o}
	}
	return o.V
}
