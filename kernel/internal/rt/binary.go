package rt

import (
	"errors"
	"go/types"
	"reflect"
	"strings"
)

// Fixed is x as package encoding/binary writes it, or reads into it, and what names the cell's type in its errors.
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
		if err == nil {
			return nil
		}
		if text, ok := strings.CutSuffix(err.Error(), reflect.TypeOf(o.V).String()); ok {
			return errors.New(text + o.T.Name)
		}
		return err
	}
}

// readable refuses a type with fields that package encoding/binary passes by, or panics at, as the lowered type has none.
func readable(t types.Type, name string) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() {
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
