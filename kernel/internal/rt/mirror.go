package rt

import (
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// A mirror is a native value into which encoding/json decodes instead of a cell's value. It has the field names and
// tags of the cell's type. If a type decodes itself, its values first stay JSON text in the mirror.
type mirror struct {
	r    *Registry
	open map[*types.TypeName]bool
}

var (
	anyType = reflect.TypeFor[any]()
	rawJSON = reflect.TypeFor[json.RawMessage]()
)

func (r *Registry) decodeMirror() *mirror { return &mirror{r: r, open: map[*types.TypeName]bool{}} }

// bare returns the mirror type of t as if t had no methods.
func (m *mirror) bare(t types.Type) reflect.Type {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		m.open[n.Obj()] = true
		defer delete(m.open, n.Obj())
	}
	return m.typ(t.Underlying())
}

// newest returns the latest declaration of t. Methods may have been added since a value was made.
func (m *mirror) newest(t types.Type) types.Type {
	switch types.Unalias(t).(type) {
	case *types.Named, *types.Pointer:
		return m.r.Resolve(t).Go
	}
	return t
}

// keeps reports whether a value of type t stays JSON text in the mirror.
func (m *mirror) keeps(t types.Type) bool {
	t = m.newest(t)
	named, ok := types.Unalias(t).(*types.Named)
	if p, isPtr := types.Unalias(t).(*types.Pointer); isPtr {
		named, ok = types.Unalias(p.Elem()).(*types.Named)
	}
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "main" || types.IsInterface(named) {
		return false
	}
	set := types.NewMethodSet(types.NewPointer(named))
	return set.Lookup(nil, "UnmarshalJSON") != nil || set.Lookup(nil, "UnmarshalText") != nil
}

// typ returns the mirror type of t.
func (m *mirror) typ(t types.Type) reflect.Type {
	if nt := m.native(t); nt != nil {
		return nt
	}
	if m.keeps(t) {
		return rawJSON
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if m.open[n.Obj()] {
			return rawJSON
		}
		m.open[n.Obj()] = true
		defer delete(m.open, n.Obj())
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return m.r.Resolve(u).Native
	case *types.Pointer:
		return reflect.PointerTo(m.typ(u.Elem()))
	case *types.Slice:
		return reflect.SliceOf(m.typ(u.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), m.typ(u.Elem()))
	case *types.Map:
		if m.textKey(u.Key()) {
			return reflect.MapOf(reflect.TypeFor[string](), m.typ(u.Elem()))
		}
		return reflect.MapOf(m.bare(u.Key()), m.typ(u.Elem())) // encoding/json only asks keys for UnmarshalText
	case *types.Struct:
		return m.structType(u)
	case *types.Interface:
		if u.NumMethods() > 0 {
			return reflect.TypeFor[methods]()
		}
	}
	return anyType
}

// methods stands for an interface with methods. A decoder can decode into it only through a pointer that it holds.
type methods interface{ methods() }

func (*Obj) methods() {}

type heldValue struct{ x any }

func (heldValue) methods() {}

type heldPointer struct{ x any }

func (*heldPointer) methods() {}

// UnmarshalJSON decodes into the target of the pointer.
func (h *heldPointer) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, h.x) }

// held returns x, which is not a pointer to a cell's type, in such an interface.
func held(x any) methods {
	if reflect.ValueOf(x).Kind() == reflect.Pointer {
		return &heldPointer{x}
	}
	return heldValue{x}
}

// native returns the native type of values that are their own mirror, and nil for other types. An interface is no such
// type, because it may hold a cell's value.
func (m *mirror) native(t types.Type) reflect.Type {
	nt := m.r.Resolve(t).Native
	if nt != nil && holdsInterface(t) {
		return nil
	}
	return nt
}

// holdsInterface reports whether a value of type t holds an interface directly. Only interfaces in t may have names.
func holdsInterface(t types.Type) bool {
	if _, named := types.Unalias(t).(*types.Named); named && !types.IsInterface(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if holdsInterface(f.Type()) {
				return true
			}
		}
	case *types.Map:
		return holdsInterface(u.Elem())
	case interface{ Elem() types.Type }:
		return holdsInterface(u.Elem())
	}
	return false
}

// textKey reports whether encoding/json makes map keys of type t from text, by a method of t.
func (m *mirror) textKey(t types.Type) bool {
	return m.keeps(t) && types.NewMethodSet(types.NewPointer(m.newest(t))).Lookup(nil, "UnmarshalText") != nil
}

// object returns v as a cell's value.
func (m *mirror) object(t types.Type, v reflect.Value) Obj { return Obj{m.r.Resolve(t), v.Interface()} }

// hiddenEmbedded begins the mirror's name of an embedded field whose own name is not exported.
const hiddenEmbedded = "Embedded_"

func (m *mirror) structType(u *types.Struct) reflect.Type {
	var fs []reflect.StructField
	for k := range u.NumFields() {
		f := u.Field(k)
		sf := reflect.StructField{Name: f.Name(), Tag: reflect.StructTag(u.Tag(k))}
		if m.skips(f) {
			continue
		}
		if f.Embedded() {
			name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
			sf.Anonymous = embedsStruct(f) && !m.keeps(f.Type()) && name == ""
			if !f.Exported() {
				sf.Name = hiddenEmbedded + f.Name()
			}
		}
		sf.Type = m.typ(f.Type())
		fs = append(fs, sf)
	}
	return reflect.StructOf(fs)
}

// value converts a lowered value of type t to the mirror type to.
func (m *mirror) value(v reflect.Value, t types.Type, to reflect.Type) reflect.Value {
	if v.IsValid() && v.Kind() == reflect.Interface && !types.IsInterface(t) {
		v = v.Elem()
	}
	if v.IsValid() && v.Type() == to && m.native(t) != nil {
		return v
	}
	out := reflect.New(to).Elem()
	if !v.IsValid() {
		return out
	}
	if to == rawJSON {
		return out
	}
	if to == anyType && !types.IsInterface(t) {
		out.Set(reflect.ValueOf(m.r.Box(m.r.Resolve(t).ID, v.Interface())))
		return out
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		out.Set(v.Convert(to))
	case *types.Pointer:
		if v.IsNil() {
			return out
		}
		p := reflect.New(to.Elem())
		p.Elem().Set(m.value(v.Elem(), u.Elem(), to.Elem()))
		out.Set(p)
	case *types.Slice:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(to, v.Cap(), v.Cap())) // elements beyond the length may be decoded into
		for k := range v.Cap() {
			out.Index(k).Set(m.value(v.Slice(0, v.Cap()).Index(k), u.Elem(), to.Elem()))
		}
		out.SetLen(v.Len())
	case *types.Array:
		for k := range v.Len() {
			out.Index(k).Set(m.value(v.Index(k), u.Elem(), to.Elem()))
		}
	case *types.Map:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeMap(to)) // earlier elements are kept when the map is restored
	case *types.Struct:
		m.structValue(v, u, out)
	case *types.Interface:
		x := m.r.Norm(v.Interface())
		if o, ok := object(x); ok && reflect.ValueOf(o.V).Kind() == reflect.Pointer {
			x = &o // which a decoder fills
		} else if u.NumMethods() > 0 && x != nil {
			x = held(x)
		}
		if x != nil {
			out.Set(reflect.ValueOf(x))
		}
	default:
		if v.CanConvert(to) {
			out.Set(v.Convert(to))
		}
	}
	return out
}

func (m *mirror) structValue(v reflect.Value, u *types.Struct, out reflect.Value) {
	k := 0
	for j := range u.NumFields() {
		f := u.Field(j)
		if m.skips(f) {
			continue
		}
		dst := out.Field(k)
		k++
		dst.Set(m.value(field(v, j), f.Type(), dst.Type()))
	}
}

// skips reports whether encoding/json ignores a field.
func (m *mirror) skips(f *types.Var) bool {
	return !f.Exported() && !(f.Embedded() && embedsStruct(f))
}

// embedsStruct reports whether an embedded field is a struct or a pointer to one.
func embedsStruct(f *types.Var) bool {
	t := f.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, ok := t.(*types.Struct)
	return ok
}

// field returns a field of a lowered struct. The interpreter may hold it in an unexported field.
func field(v reflect.Value, k int) reflect.Value {
	f := v.Field(k)
	if f.CanInterface() {
		return f
	}
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		f = c.Field(k)
	}
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

// restore sets the lowered value dst, of type t, from its mirror.
func (m *mirror) restore(dst, from reflect.Value, t types.Type) error {
	if from.Type() == dst.Type() && m.native(t) != nil {
		dst.Set(from)
		return nil
	}
	// erased
	if low := lowered(t, m.r); dst.Kind() == reflect.Interface && low != nil && low.Kind() != reflect.Interface {
		x := reflect.New(low).Elem()
		if !dst.IsNil() {
			x.Set(dst.Elem())
		}
		err := m.restore(x, from, t)
		if dst.SetZero(); !x.IsZero() {
			dst.Set(x)
		}
		return err
	}
	if from.Type() == rawJSON {
		return m.decodeInto(dst, from.Bytes(), t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		dst.Set(from.Convert(dst.Type()))
	case *types.Pointer:
		if from.IsNil() {
			dst.SetZero()
			return nil
		}
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		if err := m.restore(dst.Elem(), from.Elem(), u.Elem()); err != nil {
			return err
		}
	case *types.Slice:
		if from.IsNil() {
			dst.SetZero()
			return nil
		}
		had := reflect.ValueOf(dst.Interface())
		had = had.Slice(0, min(from.Len(), had.Cap())) // the decoder fills its array before it takes a larger one
		element := func(k int) error { return m.restore(dst.Index(k), from.Index(k), u.Elem()) }
		same := !dst.IsNil() && dst.Cap() == from.Cap()
		dst.Set(had)
		for k := range had.Len() {
			if err := element(k); err != nil {
				return err
			}
		}
		if same {
			return nil
		}
		dst.Set(reflect.MakeSlice(dst.Type(), from.Len(), from.Cap()))
		reflect.Copy(dst, had)
		for k := had.Len(); k < from.Len(); k++ {
			if err := element(k); err != nil {
				return err
			}
		}
	case *types.Array:
		for k := range from.Len() {
			if err := m.restore(dst.Index(k), from.Index(k), u.Elem()); err != nil {
				return err
			}
		}
	case *types.Map:
		if from.IsNil() {
			dst.SetZero()
			return nil
		}
		if dst.IsNil() {
			dst.Set(reflect.MakeMap(dst.Type()))
		}
		for it := from.MapRange(); it.Next(); {
			k, e := reflect.New(dst.Type().Key()).Elem(), reflect.New(dst.Type().Elem()).Elem()
			if m.textKey(u.Key()) {
				if err := m.object(types.NewPointer(u.Key()),
					k.Addr()).unmarshalText([]byte(it.Key().String())); err != nil {
					return err
				}
			} else if err := m.restore(k, it.Key(), u.Key()); err != nil {
				return err
			}
			if err := m.restore(e, it.Value(), u.Elem()); err != nil {
				return err
			}
			dst.SetMapIndex(k, e)
		}
	case *types.Struct:
		k := 0
		for j := range u.NumFields() {
			f := u.Field(j)
			if m.skips(f) {
				continue
			}
			if _, isPtr := f.Type().Underlying().(*types.Pointer); isPtr && f.Embedded() && !f.Exported() &&
				field(dst, j).IsNil() && !from.Field(k).IsNil() {
				return fmt.Errorf("json: cannot set embedded pointer to unexported struct: %s",
					m.r.Resolve(f.Type().Underlying().(*types.Pointer).Elem()).Name)
			}
			if err := m.restore(field(dst, j), from.Field(k), f.Type()); err != nil {
				if e, ok := err.(*json.UnmarshalTypeError); ok {
					// of a method that decodes it stays as it is from Go 1.27 on
					if _, own := e.Type.(typeNamed); own || !pointed() {
						switch {
						case e.Field == "" && e.Struct == "", !own && m.decodesItself(f.Type()):
							e.Struct = unnamed
						case e.Struct == unnamed && !f.Embedded():
							_, e.Struct = structOf(f.Type())
						}
						e.Field = strings.TrimSuffix(nameInJSON(u, j)+"."+e.Field, ".")
					}
				}
				return err
			}
			k++
		}
	case *types.Interface:
		if from.IsNil() {
			dst.SetZero()
			return nil
		}
		x := from.Interface()
		if u.NumMethods() > 0 { // the earlier value, which was decoded into if it is a pointer
			return nil
		}
		if o, ok := x.(*Obj); ok {
			x = m.r.Norm(*o)
		}
		dst.Set(reflect.ValueOf(x))
	}
	return nil
}

// decodesItself reports whether values of type t have a method UnmarshalJSON, or the parts of t other than fields of
// structs do.
func (m *mirror) decodesItself(t types.Type) bool {
	for {
		if types.NewMethodSet(types.NewPointer(m.newest(t))).Lookup(nil, "UnmarshalJSON") != nil {
			return true
		}
		e, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return false
		}
		t = e.Elem()
	}
}

// decodeInto decodes JSON text into a value that decodes itself, or whose type has no mirror type.
func (m *mirror) decodeInto(dst reflect.Value, data []byte, t types.Type) error {
	if len(data) == 0 || string(data) == "null" && dst.Kind() != reflect.Struct {
		return nil
	}
	if _, isPtr := t.Underlying().(*types.Pointer); isPtr {
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		return Obj{m.r.Resolve(t), dst.Interface()}.UnmarshalJSON(data)
	}
	return Obj{m.r.Resolve(types.NewPointer(t)), dst.Addr().Interface()}.UnmarshalJSON(data)
}
