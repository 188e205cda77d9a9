package rt

import (
	"reflect"
	"unsafe"
)

// Cyclic says whether printing x would never end: whether a map, slice or pointer in an interface leads back to itself.
func (r *Registry) Cyclic(x any) bool { return r.cyclic(x, false) }

// cyclic looks for a way from x back to itself, through all pointers or only through those that printing follows.
func (r *Registry) cyclic(x any, pointers bool) bool {
	w := cycles{pointers: pointers, open: map[visit]bool{}, done: map[visit]bool{}}
	return w.walk(reflect.ValueOf(x), true)
}

type visit struct {
	at  unsafe.Pointer
	typ reflect.Type
	len int
}

type cycles struct {
	pointers   bool
	open, done map[visit]bool
}

// walk says whether v leads back to something it is part of. outer says that v stands in an interface.
func (w *cycles) walk(v reflect.Value, outer bool) bool {
	if !v.IsValid() || !w.mayLoop(v.Type(), map[reflect.Type]bool{}) {
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

// mayLoop says whether a value of type t can be part of a cycle: it holds an interface, or its own type.
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
