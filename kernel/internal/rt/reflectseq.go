package rt

import (
	"reflect"
	"slices"
)

// This file has the methods of reflect.Type and reflect.Value that iterate, and the methods that are rarely used.

type seq[T any] = func(yield func(T) bool)
type seq2[K, V any] = func(yield func(K, V) bool)

// upTo iterates over at(0) to at(n-1).
func upTo[T any](n int, at func(int) T) seq[T] {
	return func(yield func(T) bool) {
		for k := range n {
			if !yield(at(k)) {
				return
			}
		}
	}
}

// Fields goes over the fields of a struct type.
func (t rtype) Fields() seq[ReflectField] { return upTo(t.NumField(), t.Field) }

// Methods goes over the methods of a type.
func (t rtype) Methods() seq[ReflectMethod] { return upTo(t.NumMethod(), t.Method) }

// Ins goes over the parameters of a function type.
func (t rtype) Ins() seq[ReflectType] { return upTo(t.NumIn(), t.In) }

// Outs goes over the results of a function type.
func (t rtype) Outs() seq[ReflectType] { return upTo(t.NumOut(), t.Out) }

// FieldByNameFunc returns the field whose name match accepts, among the fields of the least depth. If match accepts
// several of these, there is no result.
func (t rtype) FieldByNameFunc(match func(string) bool) (ReflectField, bool) {
	type level struct {
		t     ReflectType
		index []int
	}
	t.NumField()
	next, seen := []level{{t: t}}, map[ReflectType]bool{}
	for len(next) > 0 {
		now, found := next, [][]int(nil)
		next = nil
		for _, at := range now {
			if seen[at.t] {
				continue
			}
			seen[at.t] = true
			for k := range at.t.NumField() {
				f, index := at.t.Field(k), append(slices.Clone(at.index), k)
				if match(f.Name) {
					found = append(found, index)
					continue
				}
				inner := f.Type
				if f.Anonymous && inner.Kind() == reflect.Pointer {
					inner = inner.Elem()
				}
				if f.Anonymous && inner.Kind() == reflect.Struct {
					next = append(next, level{inner, index})
				}
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				break
			}
			return t.FieldByIndex(found[0]), true
		}
	}
	return ReflectField{}, false
}

// FieldAlign is how a field of the type is aligned, in bytes.
func (t rtype) FieldAlign() int { return t.Align() }

// CanSeq reports whether Seq can iterate over values of the type.
func (t rtype) CanSeq() bool {
	switch k := t.Kind(); k {
	case reflect.Func:
		return yields(t, 1)
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Array
	case reflect.Array, reflect.Slice, reflect.Chan, reflect.String, reflect.Map:
		return true
	default:
		return reflect.Int <= k && k <= reflect.Uintptr
	}
}

// CanSeq2 reports whether Seq2 can iterate over values of the type.
func (t rtype) CanSeq2() bool {
	switch t.Kind() {
	case reflect.Func:
		return yields(t, 2)
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Array
	case reflect.Array, reflect.Slice, reflect.String, reflect.Map:
		return true
	}
	return false
}

// yields reports whether t is a function that can be ranged over with n variables.
func yields(t ReflectType, n int) bool {
	if t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		return false
	}
	y := t.In(0)
	return y.NumIn() == n && y.NumOut() == 1 && y.Out(0).Kind() == reflect.Bool
}

// zero returns a zero value of the type, whose kind must lie between from and to. The panic otherwise names method.
func (t rtype) zero(method, numbers string, from, to reflect.Kind) reflect.Value {
	if k := t.Kind(); k < from || k > to {
		panic("reflect: " + method + " of non-" + numbers + " type " + t.String())
	}
	return reflect.Zero(lowKind(t))
}

// OverflowInt reports whether x does not fit the type.
func (t rtype) OverflowInt(x int64) bool {
	return t.zero("OverflowInt", "int", reflect.Int, reflect.Int64).OverflowInt(x)
}

// OverflowUint reports whether x does not fit the type.
func (t rtype) OverflowUint(x uint64) bool {
	return t.zero("OverflowUint", "uint", reflect.Uint, reflect.Uintptr).OverflowUint(x)
}

// OverflowFloat reports whether x does not fit the type.
func (t rtype) OverflowFloat(x float64) bool {
	return t.zero("OverflowFloat", "float", reflect.Float32, reflect.Float64).OverflowFloat(x)
}

// OverflowComplex reports whether x does not fit the type.
func (t rtype) OverflowComplex(x complex128) bool {
	return t.zero("OverflowComplex", "complex", reflect.Complex64, reflect.Complex128).OverflowComplex(x)
}

// FieldByNameFunc returns the field whose name match accepts, as the method of the type does.
func (v ReflectValue) FieldByNameFunc(match func(string) bool) ReflectValue {
	if f, ok := v.Type().FieldByNameFunc(match); ok {
		return v.FieldByIndex(f.Index)
	}
	return ReflectValue{}
}

// Fields goes over the fields of a struct.
func (v ReflectValue) Fields() seq2[ReflectField, ReflectValue] {
	t := v.Type()
	n := v.NumField()
	return func(yield func(ReflectField, ReflectValue) bool) {
		for k := range n {
			if !yield(t.Field(k), v.Field(k)) {
				return
			}
		}
	}
}

// Methods goes over the methods of a value.
func (v ReflectValue) Methods() seq2[ReflectMethod, ReflectValue] {
	t := v.Type()
	return func(yield func(ReflectMethod, ReflectValue) bool) {
		for k := range t.NumMethod() {
			if !yield(t.Method(k), v.Method(k)) {
				return
			}
		}
	}
}

// Seq iterates over the same values as a range statement with one variable.
func (v ReflectValue) Seq() seq[ReflectValue] {
	t := v.Type().(rtype)
	if !t.CanSeq() {
		panic("reflect: " + t.String() + " cannot produce iter.Seq[Value]")
	}
	index := func(k int) ReflectValue { return v.native(reflect.ValueOf(k)) }
	switch v.Kind() {
	case reflect.Func:
		refuse("the Seq of a reflect.Value of a function is not supported by this engine")
	case reflect.Pointer:
		return upTo(v.Elem().Len(), index)
	case reflect.Array, reflect.Slice:
		return upTo(v.Len(), index)
	case reflect.String:
		return func(yield func(ReflectValue) bool) {
			for k := range v.of.v.String() {
				if !yield(index(k)) {
					return
				}
			}
		}
	case reflect.Map:
		return func(yield func(ReflectValue) bool) {
			for it := v.MapRange(); it.Next(); {
				if !yield(it.Key()) {
					return
				}
			}
		}
	case reflect.Chan:
		return func(yield func(ReflectValue) bool) {
			for x, ok := v.Recv(); ok && yield(x); x, ok = v.Recv() {
			}
		}
	}
	return func(yield func(ReflectValue) bool) {
		for x := range v.of.v.Seq() {
			if !yield(v.with(x.Convert(v.of.v.Type()))) {
				return
			}
		}
	}
}

// Seq2 iterates over the same pairs as a range statement with two variables.
func (v ReflectValue) Seq2() seq2[ReflectValue, ReflectValue] {
	t := v.Type().(rtype)
	if !t.CanSeq2() {
		panic("reflect: " + t.String() + " cannot produce iter.Seq2[Value, Value]")
	}
	switch v.Kind() {
	case reflect.Func:
		refuse("the Seq2 of a reflect.Value of a function is not supported by this engine")
	case reflect.Pointer:
		return v.Elem().Seq2()
	case reflect.Map:
		return func(yield func(k, x ReflectValue) bool) {
			for it := v.MapRange(); it.Next(); {
				if !yield(it.Key(), it.Value()) {
					return
				}
			}
		}
	case reflect.String:
		return func(yield func(k, x ReflectValue) bool) {
			for k, r := range v.of.v.String() {
				if !yield(v.native(reflect.ValueOf(k)), v.native(reflect.ValueOf(r))) {
					return
				}
			}
		}
	}
	return func(yield func(k, x ReflectValue) bool) {
		for k := range v.Len() {
			if !yield(v.native(reflect.ValueOf(k)), v.Index(k)) {
				return
			}
		}
	}
}

// Grow makes room for n more elements of a slice.
func (v ReflectValue) Grow(n int) { v.must("Grow"); v.of.v.Grow(n) }

// SetCap sets the capacity of a slice.
func (v ReflectValue) SetCap(n int) { v.must("SetCap"); v.of.v.SetCap(n) }

// Slice3 is v[i:j:k].
func (v ReflectValue) Slice3(i, j, k int) ReflectValue { return v.slice(v.of.v.Slice3(i, j, k)) }

// OverflowComplex reports whether x does not fit the value's type.
func (v ReflectValue) OverflowComplex(x complex128) bool { return v.of.v.OverflowComplex(x) }

// TryRecv receives from a channel without waiting.
func (v ReflectValue) TryRecv() (ReflectValue, bool) {
	x, ok := v.of.v.TryRecv()
	if !x.IsValid() {
		return ReflectValue{}, false
	}
	return v.element(x), ok
}

// TrySend sends to a channel without waiting.
func (v ReflectValue) TrySend(x ReflectValue) bool {
	v.must("TrySend")
	return v.of.v.TrySend(x.as(v.of.v.Type().Elem()))
}

// SetIterKey sets v to the key of an iterator.
func (v ReflectValue) SetIterKey(m *ReflectMapIter) { v.Set(m.Key()) }

// SetIterValue sets v to the value of an iterator.
func (v ReflectValue) SetIterValue(m *ReflectMapIter) { v.Set(m.Value()) }
