package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
)

// Part is a field, an element, or the target of a pointer.
type Part struct {
	Name  string // name of a field; "[3]" for an element, "[key]" for a map's; "*" for a pointer's target
	Type  string
	Value any // value as an interface holds it
}

// Parts returns up to n parts of a value, as interfaces hold them, and the number of its parts. They are only one level
// deep, so this ends even for values that contain themselves.
func (r *Registry) Parts(x any, n int) ([]Part, int) {
	p := r.printer()
	i := p.item(x)
	if !i.v.IsValid() {
		return nil, 0
	}
	var list []Part
	add := func(name string, part item) {
		if len(list) >= n {
			return
		}
		v := part.v
		if v.IsValid() && v.Kind() == reflect.Interface {
			if part = p.inside(v.Elem(), false); v.IsNil() {
				part = item{}
			}
		}
		out := Part{Name: name, Type: "nil"}
		switch {
		case part.t != nil:
			out.Type, out.Value = part.t.Name, r.Box(part.t.ID, interfaceOf(part.v))
		case part.v.IsValid() && part.v.CanInterface():
			out.Type, out.Value = part.v.Type().String(), part.v.Interface()
		case part.v.IsValid():
			out.Type, out.Value = part.v.Type().String(), fmt.Sprint(part.v)
		}
		list = append(list, out)
	}
	var elem types.Type
	if i.t != nil {
		if e, ok := i.t.Go.Underlying().(interface{ Elem() types.Type }); ok {
			elem = e.Elem()
		}
	}
	total := 0
	switch v := i.v; v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, 0
		}
		inner := p.part(i, v.Elem(), elem)
		if inner.v.Kind() == reflect.Struct {
			return r.Parts(boxedItem(r, inner), n)
		}
		total = 1
		add("*", inner)
	case reflect.Struct:
		total = v.NumField()
		for k := range min(total, n) {
			if i.t != nil {
				f := i.t.Go.Underlying().(*types.Struct).Field(k)
				add(f.Name(), p.of(field(v, k), f.Type(), false))
				continue
			}
			add(v.Type().Field(k).Name, item{v: field(v, k)})
		}
	case reflect.Slice, reflect.Array:
		total = v.Len()
		for k := range min(total, n) {
			add(fmt.Sprintf("[%d]", k), p.part(i, v.Index(k), elem))
		}
	case reflect.Map:
		total = v.Len()
		var key types.Type
		if i.t != nil {
			key = i.t.Go.Underlying().(*types.Map).Key()
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, compareKeys)
		for _, k := range keys[:min(total, n)] {
			verb := "%.40v"
			if k.Kind() == reflect.String {
				verb = "%.40q"
			}
			add("["+r.Sprintf(verb, []any{boxedItem(r, p.part(i, k, key))})+"]", p.part(i, v.MapIndex(k), elem))
		}
	}
	return list, total
}

// boxedItem returns an item as an interface holds it.
func boxedItem(r *Registry, i item) any {
	switch {
	case i.t != nil:
		return r.Box(i.t.ID, interfaceOf(i.v))
	case i.v.IsValid() && i.v.CanInterface():
		return i.v.Interface()
	}
	return nil
}
