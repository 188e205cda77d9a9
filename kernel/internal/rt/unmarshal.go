package rt

import (
	"encoding/json"
	"go/types"
	"reflect"
	"strings"
)

// unnamed is the struct name in an error while it is not known. Fields of embedded structs count as fields of the outer
// struct.
const unnamed = "\x00"

// typeError returns err in terms of t, the type that was decoded into.
func (m *mirror) typeError(err *json.UnmarshalTypeError, t types.Type) error {
	parts := strings.Split(err.Field, ".")
	if err.Field == "" {
		parts = nil
	}
	root := nameOf(t)
	// inside is true if the next field belongs to an embedded struct: it counts as a field of the outer one.
	owner, inside := "", false
	open := func() { // a mirror spells out a type only once
		if n, ok := types.Unalias(t).(*types.Named); ok {
			m.open[n.Obj()] = true
		}
	}
	for k, part := range parts {
		open()
		s, name := structOf(t)
		f := fieldNamed(s, part)
		if hidden, ok := strings.CutPrefix(part, hiddenEmbedded); f == nil && ok {
			parts[k], f = hidden, fieldNamed(s, hidden)
		}
		if f == nil {
			e, ok := t.Underlying().(interface{ Elem() types.Type })
			if !ok {
				return err
			}
			t = e.Elem() // since Go 1.27 errors name keys and indices too
			continue
		}
		if !inside {
			owner = name
		}
		tag, _, _ := strings.Cut(jsonTag(s, f), ",")
		inside, t = f.Embedded() && tag == "" && k < len(parts)-1, f.Type()
	}
	err.Field = strings.Join(parts, ".")
	switch {
	case pointed() && err.Field != "":
		err.Struct = root
	case owner != "":
		err.Struct = owner
	}
	for {
		typ := m.r.Resolve(t)
		if mt := m.bare(t); mt == err.Type || mt == reflect.PointerTo(err.Type) {
			if typ.Native != nil {
				if types.IsInterface(t) {
					err.Type = typ.Native
				}
				return err
			}
			err.Type = typeNamed{err.Type, strings.TrimPrefix(typ.Name, "*")}
			return err
		}
		e, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return err
		}
		open()
		t = e.Elem()
	}
}

// nameOf returns the name of t, or "" if it has none.
func nameOf(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// structOf returns a struct type and its name. t is that struct, a pointer to it, or has such elements.
func structOf(t types.Type) (*types.Struct, string) {
	for {
		if s, ok := t.Underlying().(*types.Struct); ok {
			return s, nameOf(t)
		}
		e, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return nil, ""
		}
		t = e.Elem()
	}
}

// jsonTag returns the tag of a field of s.
func jsonTag(s *types.Struct, f *types.Var) string {
	for k := range s.NumFields() {
		if s.Field(k) == f {
			return reflect.StructTag(s.Tag(k)).Get("json")
		}
	}
	return ""
}

// nameInJSON returns the JSON name of the k-th field of s.
func nameInJSON(s *types.Struct, k int) string {
	if tag, _, _ := strings.Cut(reflect.StructTag(s.Tag(k)).Get("json"), ","); tag != "" {
		return tag
	}
	return s.Field(k).Name()
}

// fieldNamed returns the field of s with that JSON name. It may belong to an embedded struct.
func fieldNamed(s *types.Struct, name string) *types.Var {
	if s == nil {
		return nil
	}
	for k := range s.NumFields() {
		tag, _, _ := strings.Cut(reflect.StructTag(s.Tag(k)).Get("json"), ",")
		if tag == name || tag == "" && s.Field(k).Name() == name {
			return s.Field(k)
		}
	}
	for f := range s.Fields() {
		if inner, _ := structOf(f.Type()); f.Embedded() && inner != nil {
			if x := fieldNamed(inner, name); x != nil {
				return x
			}
		}
	}
	return nil
}
