package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"nacre/kernel/internal/cells"
)

// Env holds the parts of the session that cells use if they are not compiled.
type Env struct {
	Value func(name string) (any, bool)  // an entry that compiled cells have put into live.Cell.Vars
	Keep  func(name string, pointer any) // makes a variable
	Show  func([]any)                    // shows the values of a last expression
	// replacements for functions and variables that would affect more than the session
	Session func(path, name string) (reflect.Value, bool)
	Native  map[string]map[string]reflect.Value // all other functions and variables, by package and name
}

// Direct is a cell that runs without being compiled.
type Direct struct {
	Statements []func()
	Lines      []int
}

// Direct turns a cell into calls by reflection, so that it runs at once. It can do this for statements that call
// functions and read and assign variables, because reflection gives the same results as compiled code there. ok is
// false for all other statements.
func (s *Session) Direct(u *cells.Unit, env Env) (d *Direct, ok bool) {
	s.noteCallers(u)
	if len(u.Types)+len(u.Funcs)+len(u.Consts)+len(u.Inits)+len(u.Moved()) > 0 || u.Main != nil {
		return nil, false
	}
	w := &direct{Session: s, env: env, unit: u, made: map[*types.Var]reflect.Value{}, shared: map[types.Object]bool{}}
	var slots []func()
	defer func() {
		switch x := recover().(type) {
		case nil:
			for _, f := range slots {
				f()
			}
		case indirect:
			d, ok = nil, false
		default:
			panic(x)
		}
	}()
	d = &Direct{}
	old := map[*types.Var]*cells.CellVar{}
	for _, v := range u.Vars {
		old[v.Def], old[v.Obj] = v, v
		if v.Old == nil {
			continue
		}
		e := s.slots[v.Old.Obj]
		if e == nil || !types.Identical(v.Old.Obj.Type(), v.Obj.Type()) {
			return nil, false
		}
		w.made[v.Def] = w.variable(e)
		slots = append(slots, func() { s.slots[v.Def], s.slots[v.Obj] = e, e })
	}
	w.define = func(v *types.Var, t reflect.Type) reflect.Value {
		if p, ok := w.made[v]; ok {
			return p
		}
		c := old[v]
		if c == nil {
			panic(indirect{})
		}
		p := reflect.New(t)
		w.made[c.Def], w.made[c.Obj] = p.Elem(), p.Elem()
		made := &unit{Session: s, Unit: u}
		slots = append(slots, func() {
			e := made.slot(c.Name, c.Obj.Type())
			seeded(e)
			e.shared = w.shared[c.Def] || w.shared[c.Obj]
			s.slots[c.Def], s.slots[c.Obj] = e, e
			env.Keep(e.name, p.Interface())
		})
		return p.Elem()
	}
	for k, x := range u.Body {
		if e, ok := x.(*ast.ExprStmt); ok && k == len(u.Body)-1 && u.Value != nil {
			d.Statements = append(d.Statements, w.show(e.X))
		} else {
			d.Statements = append(d.Statements, w.stmt(x))
		}
		d.Lines = append(d.Lines, s.Fset.Position(x.Pos()).Line)
	}
	for _, v := range u.Vars { // each variable has an address
		if _, ok := w.made[v.Def]; !ok {
			return nil, false
		}
	}
	return d, true
}

// seeded lets compiled cells find a variable that was made without compiled code.
func seeded(e *entity) { e.bind = "h__.Seed(c__, &" + e.name + ", \"" + e.name + "\")\n" }

// indirect is the panic for code that has to be compiled.
type indirect struct{}

type direct struct {
	*Session
	env    Env
	unit   *cells.Unit
	made   map[*types.Var]reflect.Value // variables that the cell defines
	shared map[types.Object]bool        // variables among them that pointers may reach
	define func(v *types.Var, t reflect.Type) reflect.Value
}

// value is an expression. Programs see the order of only those parts that are calls: compiled code reads variables, and
// what results of calls point to, after all calls.
type value struct {
	t           reflect.Type // nil for the value nil
	get         func() reflect.Value
	calls, read bool
	place       bool // whether get returns the variable itself, not a copy
}

func (w *direct) variable(e *entity) reflect.Value {
	p, ok := w.env.Value(e.name)
	if !ok {
		panic(indirect{})
	}
	return reflect.ValueOf(p).Elem()
}

// ordered panics if the order of the operands matters.
func ordered(xs ...value) (calls, read bool) {
	for k, x := range xs {
		for _, y := range xs[k+1:] {
			if x.read && y.calls || x.calls && y.read {
				panic(indirect{})
			}
		}
		calls, read = calls || x.calls, read || x.read
	}
	return calls, read
}

// as returns x as a value of type t.
func (x value) as(t reflect.Type) value {
	if x.t == nil {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
			return value{t: t, get: func() reflect.Value { return reflect.Zero(t) }}
		}
		panic(indirect{})
	}
	if !x.t.AssignableTo(t) {
		panic(indirect{})
	}
	return x
}

// typeOf returns the type t of this program. It panics for a type that may be only in plugins, because reflection would
// make another one.
func (w *direct) typeOf(t types.Type) reflect.Type {
	switch t := types.Unalias(types.Default(t)).(type) {
	case *types.Basic:
		if r := cells.Basic[t.Kind()]; r != nil {
			return r
		}
	case *types.Named:
		o := t.Obj()
		if t == types.Universe.Lookup("error").Type() {
			return reflect.TypeFor[error]()
		}
		if r := w.form(t, 0); r != nil {
			return r.Elem()
		}
		if t.TypeArgs().Len() > 0 || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
			break
		}
		if v, ok := w.env.Native[o.Pkg().Path()][o.Name()]; ok && v.Kind() == reflect.Pointer {
			return v.Type().Elem()
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		if r := w.madeOf(t); r != nil {
			return r
		}
	}
	panic(indirect{})
}

func (w *direct) expr(x ast.Expr) value {
	tv := w.Info.Types[x]
	switch {
	case tv.IsNil():
		return value{}
	case tv.Value != nil:
		return w.constant(tv)
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return w.expr(x.X)
	case *ast.Ident:
		v := w.ident(x)
		return value{t: v.Type(), get: func() reflect.Value { return v }, read: v.CanAddr(), place: v.CanAddr()}
	case *ast.SelectorExpr:
		if sel := w.Info.Selections[x]; sel == nil || sel.Kind() == types.FieldVal {
			return w.selector(x)
		}
	case *ast.CallExpr:
		switch f := w.Info.Types[x.Fun]; {
		case f.IsType():
			return w.convert(x)
		case f.IsBuiltin():
			if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok && id.Name == "append" {
				return w.appended(x)
			}
			return w.length(x)
		}
		call, out := w.call(x)
		if len(out) != 1 {
			break
		}
		return value{t: out[0], get: func() reflect.Value { return call()[0] }, calls: true}
	case *ast.IndexExpr:
		return w.index(x)
	case *ast.CompositeLit:
		return w.literal(x)
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return w.both(x)
		}
		return w.binary(x)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
			return w.pointer(x, lit)
		}
		if x.Op != token.AND {
			return w.unary(x)
		}
		if v := w.expr(x.X); x.Op == token.AND && v.place && !v.calls {
			w.share(x.X)
			p := v.get().Addr()
			return value{t: p.Type(), get: func() reflect.Value { return p }}
		}
	}
	panic(indirect{})
}

// share notes that pointers may reach the variable x.
func (w *direct) share(x ast.Expr) {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		if e := w.slotOf(id); e != nil {
			e.shared = true
		}
		w.shared[w.Info.ObjectOf(id)] = true
	}
}

// ident returns a variable or function of the session.
func (w *direct) ident(id *ast.Ident) reflect.Value {
	switch o := w.Info.Uses[id].(type) {
	case *types.Var:
		if v, ok := w.made[o]; ok {
			return v
		}
		if e := w.slots[o]; e != nil {
			return w.variable(e)
		}
	case *types.Func:
		if e := w.funcs[o]; e != nil {
			if f, ok := w.env.Value(e.name); ok {
				return reflect.ValueOf(f)
			}
		}
	}
	panic(indirect{})
}

// selector returns a name of a package, an exported field, or an exported method.
func (w *direct) selector(x *ast.SelectorExpr) value {
	if id, ok := x.X.(*ast.Ident); ok {
		if p, ok := w.Info.Uses[id].(*types.PkgName); ok {
			return w.foreign(p.Imported().Path(), x.Sel)
		}
	}
	sel := w.Info.Selections[x]
	if sel == nil || !x.Sel.IsExported() || len(sel.Index()) != 1 || exits(sel) || tests(sel) != "" ||
		sel.Kind() == types.MethodVal && w.named(sel.Obj()) {
		panic(indirect{})
	}
	v := w.expr(x.X)
	switch sel.Kind() {
	case types.FieldVal:
		if v.t.Kind() == reflect.Pointer && v.t.Elem().Kind() == reflect.Struct {
			f, ok := v.t.Elem().FieldByName(x.Sel.Name)
			if ok && len(f.Index) == 1 {
				return value{t: f.Type, calls: v.calls, read: true, get: func() reflect.Value {
					return present(v.get()).Elem().FieldByIndex(f.Index)
				}}
			}
		}
		if v.t.Kind() == reflect.Struct {
			if f, ok := v.t.FieldByName(x.Sel.Name); ok && len(f.Index) == 1 {
				return value{t: f.Type, calls: v.calls, read: true, get: func() reflect.Value {
					return v.get().FieldByIndex(f.Index)
				}}
			}
		}
	case types.MethodVal:
		if _, ok := v.t.MethodByName(x.Sel.Name); ok {
			if v.t.Kind() == reflect.Pointer {
				// the receiver is the value that the pointer points to
				if _, ok := v.t.Elem().MethodByName(x.Sel.Name); ok {
					return w.method(v, v.t.Elem(), x.Sel.Name, func() reflect.Value { return present(v.get()).Elem() })
				}
			}
			return w.method(v, v.t, x.Sel.Name, func() reflect.Value { return v.get() })
		}
		if p := reflect.PointerTo(v.t); v.place && !v.calls {
			if _, ok := p.MethodByName(x.Sel.Name); ok {
				w.share(x.X)
				return w.method(v, p, x.Sel.Name, func() reflect.Value { return v.get().Addr() })
			}
		}
	}
	panic(indirect{})
}

func (w *direct) method(v value, t reflect.Type, name string, recv func() reflect.Value) value {
	m, _ := t.MethodByName(name)
	of := m.Type
	if t.Kind() != reflect.Interface {
		of = reflect.Zero(t).Method(m.Index).Type()
	}
	return value{t: of, calls: v.calls, read: v.read, get: func() reflect.Value {
		r := recv()
		if r.Kind() == reflect.Interface {
			r = present(r)
		}
		return r.MethodByName(name)
	}}
}

// present returns v, a pointer or an interface. If v is nil, it panics as compiled code does.
func present(v reflect.Value) reflect.Value {
	if v.IsNil() {
		var p *int
		_ = *p
	}
	return v
}

// foreign returns a function or variable of a package.
func (w *direct) foreign(path string, id *ast.Ident) value {
	v, ok := w.env.Native[path][id.Name]
	if redirected(path, id.Name) {
		v, ok = w.env.Session(path, id.Name)
	}
	if !ok {
		panic(indirect{})
	}
	switch o := w.Info.Uses[id].(type) {
	case *types.Func:
		if !w.named(o) && o.Signature().TypeParams().Len() == 0 && v.Kind() == reflect.Func &&
			v.Type().NumIn() == o.Signature().Params().Len() {
			return value{t: v.Type(), get: func() reflect.Value { return v }}
		}
	case *types.Var:
		if v.CanAddr() {
			return value{t: v.Type(), get: func() reflect.Value { return v }, read: true}
		}
	}
	panic(indirect{})
}

// call returns a call of a function or method, and the types of its results.
func (w *direct) call(c *ast.CallExpr) (call func() []reflect.Value, out []reflect.Type) {
	if g, ok := cells.Guarded(w.Fset, c); ok {
		return w.guarded(g)
	}
	if w.Info.Types[c.Fun].IsType() || w.Info.Types[c.Fun].IsBuiltin() {
		panic(indirect{})
	}
	var f value
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		f = w.selector(s)
	} else {
		id, _ := ast.Unparen(c.Fun).(*ast.Ident)
		if _, isVar := w.Info.Uses[id].(*types.Var); isVar && w.callers { // it may hold a logger's function
			panic(indirect{})
		}
		f = w.expr(c.Fun)
	}
	if f.t == nil || f.t.Kind() != reflect.Func {
		panic(indirect{})
	}
	for t := range f.t.Outs() {
		out = append(out, t)
	}
	if len(c.Args) == 1 && w.isTuple(c.Args[0]) {
		panic(indirect{})
	}
	all := []value{f}
	for k, a := range c.Args {
		x := w.expr(a)
		switch last := f.t.NumIn() - 1; {
		case f.t.IsVariadic() && k >= last && !c.Ellipsis.IsValid():
			x = x.as(f.t.In(last).Elem())
		case k <= last:
			x = x.as(f.t.In(k))
		default:
			panic(indirect{})
		}
		all = append(all, x)
	}
	ordered(all...)
	return func() []reflect.Value {
		fn := f.get()
		var args []reflect.Value
		for _, a := range all[1:] {
			args = append(args, a.get())
		}
		if fn.IsNil() {
			var none func()
			none()
		}
		if c.Ellipsis.IsValid() {
			return fn.CallSlice(args)
		}
		return fn.Call(args)
	}, out
}

// length returns a call of len or cap.
func (w *direct) length(c *ast.CallExpr) value {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || id.Name != "len" && id.Name != "cap" {
		panic(indirect{})
	}
	v := w.expr(c.Args[0])
	kinds, of := []reflect.Kind{reflect.Slice, reflect.Array, reflect.Chan}, reflect.Value.Cap
	if id.Name == "len" {
		kinds, of = append(kinds, reflect.Map, reflect.String), reflect.Value.Len
	}
	if v.t == nil || !slices.Contains(kinds, v.t.Kind()) {
		panic(indirect{})
	}
	return value{t: reflect.TypeFor[int](), calls: v.calls, read: true, get: func() reflect.Value {
		return reflect.ValueOf(of(v.get()))
	}}
}

// index returns an element of a slice, an array, a string or a map.
func (w *direct) index(x *ast.IndexExpr) value {
	if w.Info.Types[x.X].IsType() || !w.Info.Types[x.X].IsValue() || w.isTuple(x) {
		panic(indirect{})
	}
	v, k := w.expr(x.X), w.expr(x.Index)
	calls, _ := ordered(v, k)
	switch v.t.Kind() {
	case reflect.Map:
		k = k.as(v.t.Key())
		return value{t: v.t.Elem(), calls: calls, read: true, get: func() reflect.Value {
			m, key := v.get(), k.get()
			if e := m.MapIndex(key); e.IsValid() {
				return e
			}
			return reflect.Zero(v.t.Elem())
		}}
	case reflect.Slice, reflect.Array, reflect.String:
		t := reflect.TypeFor[byte]()
		if v.t.Kind() != reflect.String {
			t = v.t.Elem()
		}
		if k.t == nil || !k.t.ConvertibleTo(reflect.TypeFor[int]()) || !k.t.Comparable() || k.t.Kind() < reflect.Int ||
			k.t.Kind() > reflect.Int64 {
			panic(indirect{})
		}
		return value{t: t, calls: calls, read: true, get: func() reflect.Value {
			s, at := v.get(), int(k.get().Int())
			_ = make([]struct{}, s.Len())[at] // it panics as Go does
			return s.Index(at)
		}}
	}
	panic(indirect{})
}
