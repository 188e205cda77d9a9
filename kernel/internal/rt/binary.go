package rt

import (
	"errors"
	"go/types"
	"reflect"
	"strings"
)

// Fixed returns x in the form that package encoding/binary writes or reads into. It also returns a function that puts
// the cell's type name into errors.
func (r *Registry) Fixed(x any, reads bool) (v any, named func(error) error) {
	same := func(err error) error { return err }
	o, ok := object(r.Norm(x))
	if !ok || o.V == nil {
		return r.Value(x), same
	}
	if reads {
		readable(o.T.Go, o.T.Name)
	}
	return o.V, func(err error) error {
		if err == nil && reads {
			clearBlanks(reflect.ValueOf(o.V), o.T.Go)
		}
		if err == nil {
			return nil
		}
		if text, ok := strings.CutSuffix(err.Error(), reflect.TypeOf(o.V).String()); ok {
			return errors.New(text + o.T.Name)
		}
		return err
	}
}

// readable panics if a type has a field that package encoding/binary skips or panics at, because the lowered type has
// no such field.
func readable(t types.Type, name string) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() && f.Name() != "_" {
				refuse("encoding/binary reads into no field without an exported name, such as %s of %s", f.Name(), name)
			}
			readable(f.Type(), name)
		}
	case *types.Pointer:
		readable(u.Elem(), name)
	case *types.Slice:
		readable(u.Elem(), name)
	case *types.Array:
		readable(u.Elem(), name)
	}
}

// clearBlanks sets the blank fields of v, of type t, back to zero, because the package skips them.
func clearBlanks(v reflect.Value, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for k := range u.NumFields() {
			if f := u.Field(k); f.Name() == "_" {
				v.Field(k).SetZero()
			} else {
				clearBlanks(v.Field(k), f.Type())
			}
		}
	case *types.Pointer:
		clearBlanks(v.Elem(), u.Elem())
	case *types.Slice:
		for k := range v.Len() {
			clearBlanks(v.Index(k), u.Elem())
		}
	case *types.Array:
		for k := range v.Len() {
			clearBlanks(v.Index(k), u.Elem())
		}
	}
}
