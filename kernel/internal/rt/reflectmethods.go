package rt

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
)

// This file has the methods of cells' types as reflect.Type shows them, and which types fit others because of their
// methods.

// exported returns the methods of a cell's type that package reflect shows, in order. For an interface these are all
// methods.
func exported(t types.Type) []*types.Func {
	var list []*types.Func
	if i, ok := t.Underlying().(*types.Interface); ok {
		for m := range i.Methods() {
			list = append(list, m)
		}
		return list
	}
	for s := range types.NewMethodSet(t).Methods() {
		if s.Obj().Exported() {
			list = append(list, s.Obj().(*types.Func))
		}
	}
	return list
}

// methodOf returns an exported method of a cell's type, or nil if it has none of that name.
func methodOf(t types.Type, name string) *types.Func {
	for _, f := range exported(t) {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

func (t rtype) NumMethod() int {
	if t.t == nil {
		return t.n.NumMethod()
	}
	return len(exported(t.t.Go))
}

func (t rtype) Method(k int) ReflectMethod {
	if t.t == nil {
		m := t.n.Method(k)
		return ReflectMethod{m.Name, m.PkgPath, rtype{n: m.Type}, ReflectValue{of: item{v: m.Func}}, m.Index}
	}
	list := exported(t.t.Go)
	if k < 0 || k >= len(list) {
		panic("reflect: Method index out of range")
	}
	f := list[k]
	sig := f.Signature()
	m := ReflectMethod{Name: f.Name(), Index: k}
	if types.IsInterface(t.t.Go) {
		m.Type = t.of(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
		return m
	}
	in := []*types.Var{types.NewParam(token.NoPos, nil, "", t.t.Go)}
	for p := range sig.Params().Variables() {
		in = append(in, p)
	}
	whole := types.NewSignatureType(nil, nil, nil, types.NewTuple(in...), sig.Results(), sig.Variadic())
	m.Type = t.of(whole)
	m.Func = ReflectValue{r: t.t.r, method: m.Name, of: item{t: t.t.r.Resolve(whole), v: t.t.unbound(m.Name)}}
	return m
}

// unbound returns a method as a function whose first argument is the receiver.
func (t *Type) unbound(name string) reflect.Value {
	in, low := []reflect.Type{anyType}, t.bound(name)
	if low == nil || low.Kind() != reflect.Func {
		return reflect.MakeFunc(reflect.FuncOf(in, nil, false), func([]reflect.Value) []reflect.Value {
			refuse("the Func of a reflect.Method of %s is not supported as a value of its own: use Call, or the "+
				"Method of a reflect.Value", t.Name)
			return nil
		})
	}
	b, _ := t.binder(name)
	in[0] = b.Type().In(0)
	in = slices.AppendSeq(in, low.Ins())
	whole := reflect.FuncOf(in, slices.Collect(low.Outs()), low.IsVariadic())
	return reflect.MakeFunc(whole, func(args []reflect.Value) []reflect.Value {
		f, _ := t.bind(name, interfaceOf(args[0]))
		if low.IsVariadic() {
			return f.CallSlice(args[1:])
		}
		return f.Call(args[1:])
	})
}

func (t rtype) MethodByName(name string) (ReflectMethod, bool) {
	if t.t == nil {
		m, ok := t.n.MethodByName(name)
		return ReflectMethod{m.Name, m.PkgPath, rtype{n: m.Type}, ReflectValue{of: item{v: m.Func}}, m.Index}, ok
	}
	for k, f := range exported(t.t.Go) {
		if f.Name() == name {
			return t.Method(k), true
		}
	}
	return ReflectMethod{}, false
}

func (t rtype) Implements(of ReflectType) bool {
	u := of.(rtype)
	if u.Kind() != reflect.Interface {
		panic("reflect: non-interface type passed to Type.Implements")
	}
	switch {
	case t.t == nil && u.t == nil:
		return t.n.Implements(u.n)
	case t.t == nil:
		i := u.under().(*types.Interface)
		for m := range i.Methods() {
			f, ok := t.n.MethodByName(m.Name())
			if !ok || !sameSignature(f.Type, m.Signature()) {
				return false
			}
		}
		return true
	case u.t != nil:
		return types.Implements(t.t.Go, u.under().(*types.Interface))
	}
	for k := range u.n.NumMethod() {
		want := u.n.Method(k)
		f := methodOf(t.t.Go, want.Name)
		if f == nil || !sameParameters(want.Type, f.Signature()) {
			return false
		}
	}
	return true
}

func (t rtype) AssignableTo(of ReflectType) bool {
	u := of.(rtype)
	switch {
	case t == u:
		return true
	case u.Kind() == reflect.Interface:
		return t.Implements(u)
	case t.t == nil && u.t == nil:
		return t.n.AssignableTo(u.n)
	case t.t != nil && u.t != nil:
		return types.AssignableTo(t.t.Go, u.t.Go)
	case t.t != nil:
		return t.isOf(u.n)
	}
	return u.isOf(t.n)
}

// isOf reports whether t, a cell's type, has a name and stands for the native type n, which has no name.
func (t rtype) isOf(n reflect.Type) bool {
	if !t.named() || n.Name() != "" || lowered(t.t.Go, t.t.r) != n {
		return false
	}
	if s, ok := t.under().(*types.Signature); ok {
		return sameParameters(n, s)
	}
	return sameKind(n, t.under())
}

func (t rtype) ConvertibleTo(of ReflectType) bool {
	u := of.(rtype)
	switch {
	case t.AssignableTo(u):
		return true
	case t.t != nil && u.t != nil:
		return types.ConvertibleTo(t.t.Go, u.t.Go)
	}
	a, b := lowKind(t), lowKind(u)
	return a != nil && b != nil && a.ConvertibleTo(b)
}
