package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// Cyclic reports whether printing x would never end, because a map, slice or pointer in an interface leads back to
// itself.
func (r *Registry) Cyclic(x any) bool { return r.cyclic(x, false) }

// cyclic reports whether a path leads from x back to itself. If pointers is true, it follows all pointers, otherwise
// only those that printing follows.
func (r *Registry) cyclic(x any, pointers bool) bool {
	w := cycles{pointers: pointers, open: map[visit]bool{}, done: map[visit]bool{}}
	return w.walk(reflect.ValueOf(x), true)
}

// Loops reports whether printing x may never end: x contains a pointer cycle (or is too large to check), and some value
// in it has its own print method.
func (r *Registry) Loops(x any) bool {
	w := cycles{pointers: true, open: map[visit]bool{}, done: map[visit]bool{}, most: 10_000}
	v := reflect.ValueOf(x)
	if !w.walk(v, true) {
		return false
	}
	if o, ok := object(x); ok {
		return speaks(o.T.Go, map[types.Type]bool{})
	}
	return speaksNatively(v.Type(), map[reflect.Type]bool{})
}

var textMethods = []string{"String", "Error", "Format", "GoString"}

// speaks reports whether a value of a cell's type t, or a value inside it, may have a method that prints it.
func speaks(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	set := types.NewMethodSet(t)
	for _, name := range textMethods {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if speaks(f.Type(), seen) {
				return true
			}
		}
	case *types.Map:
		return speaks(u.Key(), seen) || speaks(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		return speaks(u.Elem(), seen)
	}
	return false
}

// speaksNatively is speaks for a native type.
func speaksNatively(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for _, name := range textMethods {
		if _, ok := t.MethodByName(name); ok {
			return true
		}
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Struct:
		for f := range t.Fields() {
			if speaksNatively(f.Type, seen) {
				return true
			}
		}
	case reflect.Map:
		return speaksNatively(t.Key(), seen) || speaksNatively(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return speaksNatively(t.Elem(), seen)
	}
	return false
}

type visit struct {
	at  unsafe.Pointer
	typ reflect.Type
	len int
}

type cycles struct {
	pointers   bool
	open, done map[visit]bool
	most       int // number of visits after which a cycle is assumed; 0 for no limit
}

// walk reports whether v leads back to something that contains v. outer is true if v is in an interface.
func (w *cycles) walk(v reflect.Value, outer bool) bool {
	if !v.IsValid() || !w.mayLoop(v.Type(), map[reflect.Type]bool{}) {
		return false
	}
	if !w.pointers && v.Type() != reflect.TypeFor[Obj]() && v.CanInterface() && saysItself(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return w.walk(v.Elem(), true)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Obj]() {
			if !w.pointers && v.CanInterface() && v.Interface().(Obj).HasText() { // it prints itself
				return false
			}
			return w.walk(v.Field(1).Elem(), true)
		}
		for k := range v.NumField() {
			if w.walk(v.Field(k), false) {
				return true
			}
		}
		return false
	case reflect.Array:
		for k := range v.Len() {
			if w.walk(v.Index(k), false) {
				return true
			}
		}
		return false
	case reflect.Pointer:
		if !w.pointers && !outer {
			return false
		}
	case reflect.Map, reflect.Slice:
	default:
		return false
	}
	if v.IsNil() {
		return false
	}
	id := visit{at: v.UnsafePointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		id.len = v.Len()
	}
	if w.open[id] || w.done[id] {
		return w.open[id]
	}
	if w.most > 0 && len(w.open)+len(w.done) >= w.most {
		return true
	}
	w.open[id] = true
	defer func() { delete(w.open, id); w.done[id] = true }()
	switch v.Kind() {
	case reflect.Pointer:
		return w.walk(v.Elem(), false)
	case reflect.Slice:
		for k := range v.Len() {
			if w.walk(v.Index(k), false) {
				return true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if w.walk(it.Key(), false) || w.walk(it.Value(), false) {
				return true
			}
		}
	}
	return false
}

// saysItself reports whether values of a native type print themselves.
func saysItself(t reflect.Type) bool {
	return t.Kind() != reflect.Interface &&
		(t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Implements(reflect.TypeFor[error]()) ||
			t.Implements(reflect.TypeFor[fmt.Formatter]()))
}

// mayLoop reports whether a value of type t can be part of a cycle, because it holds an interface or its own type.
func (w *cycles) mayLoop(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Struct, reflect.Array:
	default:
		return false
	}
	if seen[t] {
		return true
	}
	seen[t] = true
	defer delete(seen, t)
	switch t.Kind() {
	case reflect.Map:
		return w.mayLoop(t.Key(), seen) || w.mayLoop(t.Elem(), seen)
	case reflect.Struct:
		for k := range t.NumField() {
			if w.mayLoop(t.Field(k).Type, seen) {
				return true
			}
		}
		return false
	}
	return w.mayLoop(t.Elem(), seen)
}
