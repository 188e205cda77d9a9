package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"nacre/kernel/internal/cells"
)

// Types without a name are taken from places where the program surely has them. Reflection would make other types than
// those of compiled cells.

// unnamed holds such types by their text in reflection.
var unnamed = map[string]reflect.Type{}

func init() {
	note[bool]()
	note[string]()
	note[int]()
	note[int32]()
	note[int64]()
	note[uint8]()
	note[uint64]()
	note[float32]()
	note[float64]()
	note[any]()
	note[error]()
}

func note[T any]() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[T](), reflect.TypeFor[*T](), reflect.TypeFor[[]T](), reflect.TypeFor[[][]T](),
		reflect.TypeFor[map[string]T](), reflect.TypeFor[map[int]T](),
	} {
		unnamed[t.String()] = t
	}
}

// IsType reports whether an entry of live.Cell.Vars describes a type. Compiled cells put these entries there; name is
// the entry's name.
func IsType(name string) bool { return strings.HasPrefix(name, "type ") }

// forms returns statements that tell reflection which types to use for a type of the cells and for types made of it.
func forms(name string) string {
	return "c__.Vars[\"type " + name + "\"] = [3]any{(*" + name + ")(nil), []" + name + "(nil), map[string]" +
		name + "(nil)}\n"
}

// formed reports whether values can have a declared type.
func formed(tn *types.TypeName) bool {
	n, ok := tn.Type().(*types.Named)
	if !ok || tn.IsAlias() || n.TypeParams().Len() > 0 {
		return false
	}
	i, ok := n.Underlying().(*types.Interface)
	return !ok || i.IsMethodSet()
}

// form returns a form of a type of the cells: a pointer to it for k = 0, a slice of it for 1, a map for 2. It returns
// nil if no compiled cell has used the type.
func (w *direct) form(t types.Type, k int) reflect.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || w.types[n.Obj()] == nil {
		return nil
	}
	v, ok := w.env.Value("type " + w.types[n.Obj()].name)
	if !ok {
		return nil
	}
	return reflect.TypeOf(v.([3]any)[k])
}

// madeOf returns a type without a name, or nil if the program is not known to have it.
func (w *direct) madeOf(t types.Type) reflect.Type {
	switch t := t.(type) {
	case *types.Pointer:
		if r := w.form(t.Elem(), 0); r != nil {
			return r
		}
		if n, ok := types.Unalias(t.Elem()).(*types.Named); ok && n.Obj().Pkg() != nil && n.TypeArgs().Len() == 0 {
			if v, ok := w.env.Native[n.Obj().Pkg().Path()][n.Obj().Name()]; ok && v.Kind() == reflect.Pointer &&
				n.Obj().Parent() == n.Obj().Pkg().Scope() {
				return v.Type()
			}
		}
	case *types.Slice:
		if r := w.form(t.Elem(), 1); r != nil {
			return r
		}
	case *types.Map:
		if b, ok := t.Key().(*types.Basic); ok && b.Kind() == types.String {
			if r := w.form(t.Elem(), 2); r != nil {
				return r
			}
		}
	}
	return unnamed[spelled(t)]
}

// spelled returns a type's text in reflection, or "" if the type has a name that is not Go's own.
func spelled(t types.Type) string {
	of := func(before string, t types.Type) string {
		if s := spelled(t); s != "" {
			return before + s
		}
		return ""
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if r := cells.Basic[t.Kind()]; r != nil {
			return r.String()
		}
	case *types.Named:
		if t == types.Universe.Lookup("error").Type() {
			return "error"
		}
	case *types.Interface:
		if t.Empty() {
			return "interface {}"
		}
	case *types.Pointer:
		return of("*", t.Elem())
	case *types.Slice:
		return of("[]", t.Elem())
	case *types.Map:
		if key := spelled(t.Key()); key != "" {
			return of("map["+key+"]", t.Elem())
		}
	}
	return ""
}

// literal returns a composite literal.
func (w *direct) literal(x *ast.CompositeLit) value {
	t := w.typeOf(w.Info.TypeOf(x))
	v := value{t: t}
	var keys, elements []value
	var fields []int
	for k, e := range x.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if keyed {
			e = kv.Value
		}
		var want reflect.Type
		switch t.Kind() {
		case reflect.Map:
			want = t.Elem()
			keys = append(keys, w.expr(kv.Key).as(t.Key()))
		case reflect.Slice, reflect.Array:
			if keyed {
				panic(indirect{})
			}
			want = t.Elem()
		case reflect.Struct:
			if keyed {
				f, ok := t.FieldByName(kv.Key.(*ast.Ident).Name)
				if !ok || len(f.Index) != 1 {
					panic(indirect{})
				}
				k = f.Index[0]
			}
			if want = t.Field(k).Type; !t.Field(k).IsExported() {
				panic(indirect{})
			}
			fields = append(fields, k)
		default:
			panic(indirect{})
		}
		if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil && want.Kind() == reflect.Pointer {
			panic(indirect{})
		}
		elements = append(elements, w.expr(e).as(want))
	}
	v.calls, v.read = ordered(append(keys, elements...)...)
	v.get = func() reflect.Value {
		made := reflect.New(t).Elem()
		switch t.Kind() {
		case reflect.Map:
			made.Set(reflect.MakeMapWithSize(t, len(elements)))
			for k, e := range elements {
				key, element := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				key.Set(keys[k].get())
				element.Set(e.get())
				made.SetMapIndex(key, element)
			}
			return made
		case reflect.Slice:
			made.Set(reflect.MakeSlice(t, len(elements), len(elements)))
		}
		for k, e := range elements {
			if t.Kind() == reflect.Struct {
				made.Field(fields[k]).Set(e.get())
			} else {
				made.Index(k).Set(e.get())
			}
		}
		return made
	}
	return v
}

// pointer returns the address of a literal.
func (w *direct) pointer(x *ast.UnaryExpr, lit *ast.CompositeLit) value {
	t, v := w.typeOf(w.Info.TypeOf(x)), w.literal(lit)
	if reflect.PointerTo(v.t) != t {
		panic(indirect{})
	}
	of := v.get
	v.t, v.get = t, func() reflect.Value { return of().Addr() }
	return v
}

// convert returns a conversion between numbers, if reflection does it as compiled code does.
func (w *direct) convert(c *ast.CallExpr) value {
	t, x := w.typeOf(w.Info.TypeOf(c)), w.expr(c.Args[0])
	number := func(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }
	whole := func(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }
	if x.t == nil || !number(t.Kind()) || !number(x.t.Kind()) {
		panic(indirect{})
	}
	if whole(t.Kind()) && !whole(x.t.Kind()) && t.Kind() != reflect.Int && t.Kind() != reflect.Int64 {
		panic(indirect{}) // numbers that do not fit are cut off in another way
	}
	if t.Kind() == reflect.Float32 && whole(x.t.Kind()) {
		panic(indirect{}) // reflection rounds twice
	}
	get := x.get
	return value{t: t, calls: x.calls, read: x.read, get: func() reflect.Value { return get().Convert(t) }}
}

// unary returns an operation with one operand.
func (w *direct) unary(x *ast.UnaryExpr) value {
	v := w.expr(x.X)
	if v.t == nil {
		panic(indirect{})
	}
	var f func(a, r reflect.Value)
	switch k := v.t.Kind(); {
	case x.Op == token.NOT && k == reflect.Bool:
		f = func(a, r reflect.Value) { r.SetBool(!a.Bool()) }
	case x.Op == token.SUB && k >= reflect.Int && k <= reflect.Int64:
		f = func(a, r reflect.Value) { r.SetInt(-a.Int()) }
	case x.Op == token.SUB && (k == reflect.Float32 || k == reflect.Float64):
		f = func(a, r reflect.Value) { r.SetFloat(-a.Float()) }
	default:
		panic(indirect{})
	}
	get, t := v.get, v.t
	return value{t: t, calls: v.calls, read: v.read, get: func() reflect.Value {
		r := reflect.New(t).Elem()
		f(get(), r)
		return r
	}}
}

// both returns a logical operation. It evaluates the second operand only if the result depends on it.
func (w *direct) both(x *ast.BinaryExpr) value {
	a, b := w.expr(x.X), w.expr(x.Y)
	if a.t == nil || a.t != b.t {
		panic(indirect{})
	}
	return value{t: a.t, calls: a.calls || b.calls, read: a.read || b.read, get: func() reflect.Value {
		if v := a.get(); v.Bool() == (x.Op == token.LOR) {
			return v
		}
		return b.get()
	}}
}

// appended returns a call of append with elements.
func (w *direct) appended(c *ast.CallExpr) value {
	s := w.expr(c.Args[0])
	if s.t == nil || s.t.Kind() != reflect.Slice || c.Ellipsis.IsValid() {
		panic(indirect{})
	}
	all := []value{s}
	for _, a := range c.Args[1:] {
		all = append(all, w.expr(a).as(s.t.Elem()))
	}
	calls, read := ordered(all...)
	return value{t: s.t, calls: calls, read: read, get: func() reflect.Value {
		list := s.get()
		var more []reflect.Value
		for _, a := range all[1:] {
			v := reflect.New(s.t.Elem()).Elem() // a copy of the variable, because appending may change the variable
			v.Set(a.get())
			more = append(more, v)
		}
		return reflect.Append(list, more...)
	}}
}

// put returns an assignment to an element or a field.
func (w *direct) put(x ast.Expr, rhs ast.Expr) func() {
	v := w.expr(rhs)
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if sel := w.Info.Selections[x]; sel == nil || sel.Kind() != types.FieldVal {
			break
		}
		f := w.selector(x)
		v = v.as(f.t)
		ordered(f, v)
		if f.calls {
			break
		}
		return func() {
			from := v.get()
			f.get().Set(from)
		}
	case *ast.IndexExpr:
		s, k := w.expr(x.X), w.expr(x.Index)
		if s.t == nil {
			break
		}
		switch s.t.Kind() {
		case reflect.Map:
			k, v = k.as(s.t.Key()), v.as(s.t.Elem())
			ordered(s, k, v)
			t := s.t
			return func() {
				m := s.get()
				key, element := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				key.Set(k.get())
				element.Set(v.get())
				m.SetMapIndex(key, element)
			}
		case reflect.Slice:
			e := w.index(x)
			v = v.as(e.t)
			ordered(e, v)
			if e.calls || v.calls {
				break
			}
			return func() {
				from := reflect.New(e.t).Elem()
				from.Set(v.get())
				e.get().Set(from)
			}
		}
	}
	panic(indirect{})
}
