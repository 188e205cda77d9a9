package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// ReflectValue stands for reflect.Value in cells. It knows the types of cells, their fields' names and their methods,
// where package reflect sees lowered values. It has all methods of reflect.Value. For native values it calls package
// reflect.
type ReflectValue struct {
	r  *Registry
	of item // lowered if it has a cell's type; hidden if it is below unexported fields

	slot reflect.Value // if it is in a field that was lowered to any: this field
	// for the Func of a reflect.Method of a cell's type: the method that it calls on its first argument
	method string
}

// ReflectSymbols are the symbols of package reflect in cells. Symbols of package reflect that mention no values, types
// or methods are kept unchanged.
func (r *Registry) ReflectSymbols(own map[string]reflect.Value) map[string]reflect.Value {
	table := map[string]reflect.Value{}
	for name, v := range own {
		if v.IsValid() && name[0] != '_' && !mentionsReflect(v.Type(), 0) {
			table[name] = v
		}
	}
	for name, f := range map[string]any{
		"Value": (*ReflectValue)(nil), "Type": (*ReflectType)(nil), "StructField": (*ReflectField)(nil),
		"Method": (*ReflectMethod)(nil), "MapIter": (*ReflectMapIter)(nil), "SelectCase": (*ReflectSelectCase)(nil),
		"Select":  choose,
		"ValueOf": r.valueOf, "TypeOf": r.typeOf, "Zero": r.zeroOf, "New": r.newOf, "MakeSlice": r.makeSlice,
		"MakeMap": r.makeMap, "MakeMapWithSize": func(t ReflectType, _ int) ReflectValue { return r.makeMap(t) },
		"PointerTo": pointerTo, "PtrTo": pointerTo, "SliceOf": sliceOf, "ArrayOf": arrayOf, "ChanOf": chanOf,
		"MapOf": r.mapOf, "FuncOf": r.funcOf, "StructOf": r.structOf,
		"Swapper": r.swapper, "MakeFunc": r.makeFunc, "MakeChan": r.makeChan,
		"Indirect": func(v ReflectValue) ReflectValue {
			if v.Kind() != reflect.Pointer {
				return v
			}
			return v.Elem()
		},
		"Append": func(s ReflectValue, xs ...ReflectValue) ReflectValue {
			for _, x := range xs {
				s = s.with(reflect.Append(s.of.v, x.as(s.of.v.Type().Elem())))
			}
			return s
		},
		"AppendSlice": func(s, t ReflectValue) ReflectValue { return s.with(reflect.AppendSlice(s.of.v, t.of.v)) },
		"Copy":        func(dst, src ReflectValue) int { return reflect.Copy(dst.of.v, src.of.v) },
		"VisibleFields": func(t ReflectType) []ReflectField {
			return visible(t.(rtype), nil)
		},
	} {
		table[name] = reflect.ValueOf(f)
	}
	return table
}

// mentionsReflect reports whether a type mentions one of the types that replace package reflect's in cells.
func mentionsReflect(t reflect.Type, depth int) bool {
	switch t {
	case reflect.TypeFor[reflect.Value](), reflect.TypeFor[reflect.Type](), reflect.TypeFor[reflect.StructField](),
		reflect.TypeFor[reflect.Method](), reflect.TypeFor[reflect.MapIter](), reflect.TypeFor[reflect.SelectCase]():
		return true
	}
	if depth > 3 {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return mentionsReflect(t.Elem(), depth+1)
	case reflect.Func:
		for in := range t.Ins() {
			if mentionsReflect(in, depth+1) {
				return true
			}
		}
		for out := range t.Outs() {
			if mentionsReflect(out, depth+1) {
				return true
			}
		}
	}
	return false
}

func (r *Registry) valueOf(x any) ReflectValue {
	i := r.printer().item(x)
	i.know()
	return ReflectValue{r: r, of: i}
}

// know notes how values of a cell's type are lowered.
func (i item) know() {
	if i.t != nil && i.v.IsValid() {
		i.t.r.learn(i.t, i.v.Type())
	}
}

// part returns x, a part of v, as a value of type t.
func (v ReflectValue) part(x reflect.Value, t types.Type, hidden bool) ReflectValue {
	i := v.r.printer().of(x, t, v.of.hidden || hidden)
	i.know()
	if i.t != nil && !i.v.IsValid() { // a field that the interpreter left empty
		if low := lowered(i.t.Go, v.r); low != nil {
			i.v = reflect.Zero(low)
		}
	}
	part := ReflectValue{r: v.r, of: i}
	if x.IsValid() && x.Kind() == reflect.Interface && i.t != nil && !types.IsInterface(i.t.Go) {
		part.slot = x
	}
	return part
}

// element returns x as an element of v, whose type has a method Elem.
func (v ReflectValue) element(x reflect.Value) ReflectValue {
	if v.of.t == nil {
		return v.with(x)
	}
	return v.part(x, v.of.t.Go.Underlying().(interface{ Elem() types.Type }).Elem(), false)
}

// with returns x as a value of v's type. If v is native, so is the result.
func (v ReflectValue) with(x reflect.Value) ReflectValue {
	return ReflectValue{r: v.r, of: item{x, v.of.t, v.of.hidden}}
}

// native returns x as a value of a native type.
func (v ReflectValue) native(x reflect.Value) ReflectValue {
	return ReflectValue{r: v.r, of: item{v: x, hidden: v.of.hidden}}
}

// as returns v as a lowered value of type t. In interfaces, cells' values keep their types.
func (v ReflectValue) as(t reflect.Type) reflect.Value {
	if t.Kind() != reflect.Interface {
		return v.of.v
	}
	x := any(nil)
	if !v.none() {
		x = v.Interface()
	}
	if x == nil {
		return reflect.Zero(t)
	}
	return v.r.Wrap(x, t)
}

// none reports whether there is no value.
func (v ReflectValue) none() bool { return !v.of.v.IsValid() && v.of.t == nil }

// valueError is a reflect.ValueError for a wrong use of reflection by a cell.
type valueError string

func (e valueError) Error() string { return string(e) }

// must panics if v may not be used outside its package.
func (v ReflectValue) must(method string) {
	if v.none() {
		panic(valueError("reflect: call of reflect.Value." + method + " on zero Value"))
	}
	if v.of.hidden {
		panic("reflect: reflect.Value." + method + " using value obtained using unexported field")
	}
}

func (v ReflectValue) IsValid() bool { return !v.none() }
func (v ReflectValue) CanInterface() bool {
	return !v.of.hidden && (v.of.t != nil || v.of.v.CanInterface())
}
func (v ReflectValue) CanAddr() bool    { return v.place().CanAddr() }
func (v ReflectValue) CanSet() bool     { return v.place().CanSet() && !v.of.hidden }
func (v ReflectValue) CanInt() bool     { return v.of.v.CanInt() }
func (v ReflectValue) CanUint() bool    { return v.of.v.CanUint() }
func (v ReflectValue) CanFloat() bool   { return v.of.v.CanFloat() }
func (v ReflectValue) CanComplex() bool { return v.of.v.CanComplex() }
func (v ReflectValue) Bool() bool       { return v.of.v.Bool() }
func (v ReflectValue) Int() int64       { return v.of.v.Int() }
func (v ReflectValue) Uint() uint64     { return v.of.v.Uint() }
func (v ReflectValue) Float() float64   { return v.of.v.Float() }
func (v ReflectValue) Complex() complex128 {
	return v.of.v.Complex()
}
func (v ReflectValue) Bytes() []byte { return v.of.v.Bytes() }
func (v ReflectValue) Len() int {
	if v.of.t != nil && v.of.v.IsValid() && v.of.v.Kind() == reflect.Pointer {
		return v.of.v.Elem().Len()
	}
	return v.of.v.Len()
}
func (v ReflectValue) Cap() int                 { return v.of.v.Cap() }
func (v ReflectValue) Pointer() uintptr         { return v.of.v.Pointer() }
func (v ReflectValue) OverflowInt(x int64) bool { return v.of.v.OverflowInt(x) }
func (v ReflectValue) OverflowUint(x uint64) bool {
	return v.of.v.OverflowUint(x)
}
func (v ReflectValue) OverflowFloat(x float64) bool { return v.of.v.OverflowFloat(x) }

// IsZero works like reflect's, also for values of cells' types.
func (v ReflectValue) IsZero() bool { return !v.of.v.IsValid() && v.of.t != nil || v.of.v.IsZero() }

// IsNil works like reflect's. A value of a cell's type that the interpreter left empty is nil.
func (v ReflectValue) IsNil() bool { return !v.of.v.IsValid() && v.of.t != nil || v.of.v.IsNil() }

// String returns the text of a string. For other values it returns the name of their type.
func (v ReflectValue) String() string {
	switch {
	case v.none():
		return "<invalid Value>"
	case v.Kind() == reflect.String:
		return v.of.v.String()
	}
	return "<" + v.Type().String() + " Value>"
}

// Kind is the kind of the type in the cell.
func (v ReflectValue) Kind() reflect.Kind {
	if v.none() {
		return reflect.Invalid
	}
	return v.Type().Kind()
}

// Type is the type in the cell.
func (v ReflectValue) Type() ReflectType {
	if v.of.t != nil {
		return rtype{t: v.of.t}
	}
	return rtype{n: v.of.v.Type()}
}

// Interface is the value as an interface holds it.
func (v ReflectValue) Interface() any {
	if v.of.hidden {
		panic("reflect.Value.Interface: cannot return value obtained from unexported field or method")
	}
	if v.of.t == nil {
		if v.of.v.Kind() == reflect.Interface && v.of.v.IsNil() {
			return nil
		}
		return v.r.Norm(v.of.v.Interface())
	}
	if types.IsInterface(v.of.t.Go) {
		return v.r.Norm(interfaceOf(v.of.v))
	}
	return boxedItem(v.r, v.of)
}

// Elem returns what a pointer points to or an interface holds.
func (v ReflectValue) Elem() ReflectValue {
	switch v.Kind() {
	case reflect.Interface:
		if v.of.v.IsNil() {
			return ReflectValue{}
		}
		i := v.r.printer().inside(v.of.v.Elem(), v.of.hidden)
		i.know()
		return ReflectValue{r: v.r, of: i}
	case reflect.Pointer:
		if v.IsNil() {
			return ReflectValue{}
		}
		return v.element(v.of.v.Elem())
	}
	return v.native(v.of.v.Elem()) // it panics
}

func (v ReflectValue) structure(method string) *types.Struct {
	s, ok := v.of.t.Go.Underlying().(*types.Struct)
	if !ok {
		panic(&reflect.ValueError{Method: "reflect.Value." + method, Kind: v.Kind()})
	}
	return s
}

func (v ReflectValue) NumField() int {
	if v.of.t == nil {
		return v.of.v.NumField()
	}
	return v.structure("NumField").NumFields()
}

func (v ReflectValue) Field(k int) ReflectValue {
	if v.of.t == nil {
		return v.native(v.of.v.Field(k))
	}
	s := v.structure("Field")
	if k < 0 || k >= s.NumFields() {
		panic("reflect: Field index out of range")
	}
	return v.part(field(v.of.v, k), s.Field(k).Type(), !s.Field(k).Exported())
}

func (v ReflectValue) FieldByIndex(index []int) ReflectValue {
	for n, k := range index {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				panic("reflect: indirection through nil pointer to embedded struct")
			}
			v = v.Elem()
		}
		v = v.Field(k)
	}
	return v
}

func (v ReflectValue) FieldByName(name string) ReflectValue {
	if f, ok := v.Type().FieldByName(name); ok {
		return v.FieldByIndex(f.Index)
	}
	return ReflectValue{}
}

func (v ReflectValue) Index(k int) ReflectValue {
	switch v.Kind() {
	case reflect.Array, reflect.Slice, reflect.String:
		if k < 0 || k >= v.Len() {
			panic(ofReflection("reflect: " + v.Kind().String() + " index out of range"))
		}
	}
	if v.Kind() == reflect.String {
		return v.native(reflect.ValueOf(v.of.v.String()).Index(k))
	}
	return v.element(v.of.v.Index(k))
}

func (v ReflectValue) Slice(i, j int) ReflectValue {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case string:
			panic(ofReflection(x))
		default:
			panic(x)
		}
	}()
	return v.slice(v.of.v.Slice(i, j))
}

func (v ReflectValue) key(k reflect.Value) ReflectValue {
	if v.of.t == nil {
		return v.native(k)
	}
	return v.part(k, v.of.t.Go.Underlying().(*types.Map).Key(), false)
}

func (v ReflectValue) MapKeys() []ReflectValue {
	var keys []ReflectValue
	for _, k := range v.of.v.MapKeys() {
		keys = append(keys, v.key(k))
	}
	return keys
}

func (v ReflectValue) MapIndex(key ReflectValue) ReflectValue {
	x := v.of.v.MapIndex(key.as(v.of.v.Type().Key()))
	if !x.IsValid() {
		return ReflectValue{}
	}
	return v.element(x)
}

func (v ReflectValue) SetMapIndex(key, elem ReflectValue) {
	x := reflect.Value{}
	if elem.IsValid() {
		x = elem.as(v.of.v.Type().Elem())
	}
	v.of.v.SetMapIndex(key.as(v.of.v.Type().Key()), x)
}

// MapRange returns an iterator over a map.
func (v ReflectValue) MapRange() *ReflectMapIter { return &ReflectMapIter{v.of.v.MapRange(), v} }

// ReflectMapIter stands for reflect.MapIter in cells.
type ReflectMapIter struct {
	it *reflect.MapIter
	of ReflectValue
}

func (m *ReflectMapIter) Next() bool          { return m.it.Next() }
func (m *ReflectMapIter) Key() ReflectValue   { return m.of.key(m.it.Key()) }
func (m *ReflectMapIter) Value() ReflectValue { return m.of.element(m.it.Value()) }

// Addr is a pointer to the value.
func (v ReflectValue) Addr() ReflectValue {
	if v.of.t == nil {
		return v.native(v.of.v.Addr())
	}
	if v.slot.IsValid() {
		refuse("a pointer by reflection to a field of %s is not supported by this engine, as its struct is part of "+
			"that type", v.of.t.Name)
	}
	return v.part(v.of.v.Addr(), types.NewPointer(v.of.t.Go), false)
}

func (v ReflectValue) Set(x ReflectValue) {
	v.must("Set")
	if v.Kind() != reflect.Interface && !x.Type().AssignableTo(v.Type()) {
		panic(fmt.Sprintf("reflect.Set: value of type %s is not assignable to type %s", x.Type(), v.Type()))
	}
	switch {
	case !v.slot.IsValid():
		v.of.v.Set(x.as(v.of.v.Type()))
	case x.IsZero():
		v.slot.SetZero()
	default:
		v.slot.Set(x.of.v)
	}
}

// place returns the value that a Set changes.
func (v ReflectValue) place() reflect.Value {
	if v.slot.IsValid() {
		return v.slot
	}
	return v.of.v
}

func (v ReflectValue) SetBool(x bool)     { v.must("SetBool"); v.of.v.SetBool(x) }
func (v ReflectValue) SetInt(x int64)     { v.must("SetInt"); v.of.v.SetInt(x) }
func (v ReflectValue) SetUint(x uint64)   { v.must("SetUint"); v.of.v.SetUint(x) }
func (v ReflectValue) SetFloat(x float64) { v.must("SetFloat"); v.of.v.SetFloat(x) }
func (v ReflectValue) SetString(x string) { v.must("SetString"); v.of.v.SetString(x) }
func (v ReflectValue) SetBytes(x []byte)  { v.must("SetBytes"); v.of.v.SetBytes(x) }
func (v ReflectValue) SetLen(n int)       { v.must("SetLen"); v.of.v.SetLen(n) }
func (v ReflectValue) SetZero()           { v.must("SetZero"); v.place().SetZero() }

func (v ReflectValue) SetComplex(x complex128) { v.must("SetComplex"); v.of.v.SetComplex(x) }
func (v ReflectValue) Clear()                  { v.must("Clear"); v.of.v.Clear() }
func (v ReflectValue) Close()                  { v.must("Close"); v.of.v.Close() }
func (v ReflectValue) Send(x ReflectValue)     { v.must("Send"); v.of.v.Send(x.as(v.of.v.Type().Elem())) }

// Recv receives from a channel.
func (v ReflectValue) Recv() (ReflectValue, bool) {
	x, ok := v.of.v.Recv()
	return v.element(x), ok
}

// ReflectSelectCase stands for reflect.SelectCase in cells.
type ReflectSelectCase struct {
	Dir        reflect.SelectDir
	Chan, Send ReflectValue
}

// choose is reflect.Select.
func choose(cases []ReflectSelectCase) (int, ReflectValue, bool) {
	list := make([]reflect.SelectCase, len(cases))
	for k, c := range cases {
		list[k] = reflect.SelectCase{Dir: c.Dir, Chan: c.Chan.of.v}
		if c.Dir == reflect.SelectSend && c.Chan.of.v.IsValid() {
			list[k].Send = c.Send.as(c.Chan.of.v.Type().Elem())
		} else {
			list[k].Send = c.Send.of.v
		}
	}
	k, x, ok := reflect.Select(list)
	if cases[k].Dir != reflect.SelectRecv {
		return k, ReflectValue{}, ok
	}
	return k, cases[k].Chan.element(x), ok
}

// Comparable and Equal work like reflect's.
func (v ReflectValue) Comparable() bool { return v.none() || v.Type().Comparable() }

func (v ReflectValue) Equal(u ReflectValue) bool {
	if v.none() || u.none() {
		return v.none() == u.none()
	}
	return v.Type() == u.Type() && v.of.v.Equal(u.of.v)
}

// Convert converts between types of one shape, numbers and texts.
func (v ReflectValue) Convert(to ReflectType) ReflectValue {
	t := to.(rtype)
	low := t.low()
	if low.Kind() == reflect.Interface {
		out := reflect.New(low).Elem()
		out.Set(v.as(low))
		return ReflectValue{r: v.r, of: item{out, t.t, v.of.hidden}}
	}
	return ReflectValue{r: v.r, of: item{v.of.v.Convert(low), t.t, v.of.hidden}}
}

// CanConvert reports whether Convert can.
func (v ReflectValue) CanConvert(to ReflectType) bool { return v.Type().ConvertibleTo(to) }

// NumMethod counts the exported methods.
func (v ReflectValue) NumMethod() int { return v.Type().NumMethod() }

func (v ReflectValue) Method(k int) ReflectValue {
	if v.of.t == nil {
		return v.native(v.of.v.Method(k))
	}
	return v.MethodByName(v.Type().Method(k).Name)
}

// MethodByName is the method bound to v.
func (v ReflectValue) MethodByName(name string) ReflectValue {
	if v.of.t == nil {
		if m := v.of.v.MethodByName(name); m.IsValid() {
			return v.native(m)
		}
		return ReflectValue{}
	}
	f := methodOf(v.of.t.Go, name)
	if f == nil {
		return ReflectValue{}
	}
	if types.IsInterface(v.of.t.Go) {
		if v.IsNil() {
			panic("reflect: Method on nil interface value")
		}
		return v.Elem().MethodByName(name)
	}
	low := v.of.t.bound(name)
	if low == nil {
		refuse("calling the method %s of %s by reflection is not supported here: hand reflect.ValueOf a pointer or a "+
			"value of that type first", name, v.of.t.Name)
	}
	if low.Kind() != reflect.Func { // of a signature that the interpreter cannot spell
		m, _ := v.of.t.bind(name, interfaceOf(v.of.v))
		low = m.Type()
	}
	// the receiver is what it is when it is called
	m := reflect.MakeFunc(low, func(in []reflect.Value) []reflect.Value {
		f, _ := v.of.t.bind(name, interfaceOf(v.of.v))
		if low.IsVariadic() {
			return f.CallSlice(in)
		}
		return f.Call(in)
	})
	sig := types.NewSignatureType(nil, nil, nil, f.Signature().Params(), f.Signature().Results(),
		f.Signature().Variadic())
	v.r.learn(v.r.Resolve(sig), low)
	return v.part(m, sig, false)
}

// Call calls a function.
func (v ReflectValue) Call(args []ReflectValue) []ReflectValue {
	if v.method != "" {
		if len(args) == 0 {
			panic("reflect: Call with too few input arguments")
		}
		return args[0].receiver(v, "Call").Call(args[1:])
	}
	ft := v.of.v.Type()
	if n := ft.NumIn(); len(args) < n && !(ft.IsVariadic() && len(args) == n-1) {
		panic("reflect: Call with too few input arguments")
	} else if len(args) > n && !ft.IsVariadic() {
		panic("reflect: Call with too many input arguments")
	}
	in := make([]reflect.Value, len(args))
	for k, a := range args {
		t := ft.In(min(k, ft.NumIn()-1))
		if ft.IsVariadic() && k >= ft.NumIn()-1 {
			t = t.Elem()
		}
		in[k] = a.as(t)
	}
	return v.results(v.of.v.Call(in))
}

// CallSlice calls a variadic function with its last arguments in a slice.
func (v ReflectValue) CallSlice(args []ReflectValue) []ReflectValue {
	if v.method != "" {
		if len(args) == 0 {
			panic("reflect: CallSlice with too few input arguments")
		}
		return args[0].receiver(v, "CallSlice").CallSlice(args[1:])
	}
	in := make([]reflect.Value, len(args))
	for k, a := range args {
		in[k] = a.as(v.of.v.Type().In(k))
	}
	return v.results(v.of.v.CallSlice(in))
}

// receiver returns the method that f, the Func of a reflect.Method, calls on v, its first argument.
func (v ReflectValue) receiver(f ReflectValue, by string) ReflectValue {
	want := f.of.t.Go.Underlying().(*types.Signature).Params().At(0).Type()
	if v.of.t == nil || !types.Identical(v.of.t.Go, want) {
		panic("reflect: " + by + " using " + v.Type().String() + " as type " + v.r.Resolve(want).Name)
	}
	return v.MethodByName(f.method)
}

// results wraps the results of the function v.
func (v ReflectValue) results(values []reflect.Value) []ReflectValue {
	var list []ReflectValue
	for k, out := range values {
		if v.of.t == nil {
			list = append(list, v.native(out))
			continue
		}
		list = append(list, v.part(out, v.of.t.Go.Underlying().(*types.Signature).Results().At(k).Type(), false))
	}
	return list
}

func (r *Registry) zeroOf(t ReflectType) ReflectValue {
	return ReflectValue{r: r, of: item{v: reflect.Zero(t.(rtype).low()), t: t.(rtype).t}}
}

func (r *Registry) newOf(t ReflectType) ReflectValue {
	x := reflect.New(t.(rtype).low())
	if t := t.(rtype).t; t != nil {
		return ReflectValue{r: r}.part(x, types.NewPointer(t.Go), false)
	}
	return ReflectValue{r: r, of: item{v: x}}
}

func (r *Registry) makeSlice(t ReflectType, n, most int) ReflectValue {
	return ReflectValue{r: r, of: item{v: reflect.MakeSlice(t.(rtype).low(), n, most), t: t.(rtype).t}}
}

func (r *Registry) makeMap(t ReflectType) ReflectValue {
	return ReflectValue{r: r, of: item{v: reflect.MakeMap(t.(rtype).low()), t: t.(rtype).t}}
}

func (r *Registry) makeChan(t ReflectType, size int) ReflectValue {
	return ReflectValue{r: r, of: item{v: reflect.MakeChan(t.(rtype).low(), size), t: t.(rtype).t}}
}

// makeFunc returns a function of type t that calls f.
func (r *Registry) makeFunc(t ReflectType, f func([]ReflectValue) []ReflectValue) ReflectValue {
	typ := t.(rtype)
	low := typ.low()
	made := ReflectValue{r: r, of: item{t: typ.t}}
	made.of.v = reflect.MakeFunc(low, func(in []reflect.Value) []reflect.Value {
		results := f(made.parameters(in))
		if len(results) != low.NumOut() {
			panic("reflect: wrong return count from function created by MakeFunc")
		}
		out := make([]reflect.Value, len(results))
		for k, x := range results {
			if x.none() {
				panic("reflect: function created by MakeFunc using closure returned zero Value")
			}
			out[k] = x.as(low.Out(k))
		}
		return out
	})
	return made
}

// parameters wraps the arguments that the function v gets.
func (v ReflectValue) parameters(in []reflect.Value) []ReflectValue {
	args := make([]ReflectValue, len(in))
	for k, x := range in {
		if args[k] = v.native(x); v.of.t != nil {
			args[k] = v.part(x, v.Type().(rtype).signature("In").Params().At(k).Type(), false)
		}
	}
	return args
}

func (r *Registry) swapper(slice any) func(i, j int) { return reflect.Swapper(r.Value(slice)) }

// visible returns the fields of a struct and of the structs embedded in it, with their full indices.
func visible(t rtype, index []int) []ReflectField {
	var list []ReflectField
	for k := range t.NumField() {
		f := t.Field(k)
		f.Index = append(slices.Clone(index), k)
		list = append(list, f)
		inner := f.Type
		if f.Anonymous && inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && inner.Kind() == reflect.Struct {
			list = append(list, visible(inner.(rtype), f.Index)...)
		}
	}
	return slices.DeleteFunc(list, func(f ReflectField) bool {
		found, ok := t.FieldByName(f.Name)
		return index == nil && (!ok || !slices.Equal(found.Index, f.Index))
	})
}

// exportedName returns the name of a type without its package.
func exportedName(name string) string { return strings.TrimPrefix(name, "main.") }
