package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// In one statement the Go compiler makes the calls first, in their order. Then it reads variables, fields and elements,
// except where && or || decides whether a call is made. The interpreter goes from left to right. The difference shows
// if a call changes what the statement reads: `return v, json.Unmarshal(data, &v)`.

// inOrder lowers a statement that consists of the expressions. If the difference can show, it puts the calls before the
// statement.
func (l *Lowerer) inOrder(list []ast.Expr, lower func() []ast.Stmt) []ast.Stmt {
	return l.lookingIn(list, list, lower)
}

// lookingIn is inOrder for a statement that uses the indices in the expressions of order.
func (l *Lowerer) lookingIn(order, list []ast.Expr, lower func() []ast.Stmt) []ast.Stmt {
	saved := l.early
	defer func() { l.early = saved }()
	l.early = nil
	if !l.disordered(list) && !l.signed(list) {
		return append(l.look(order...), lower()...)
	}
	l.early = new([]ast.Stmt)
	out := lower()
	return append(*l.early, out...)
}

// unordered lowers by f an expression that is not evaluated together with the statement around it.
func (l *Lowerer) unordered(f func() ast.Expr) ast.Expr {
	saved := l.early
	defer func() { l.early = saved }()
	l.early = nil
	return f()
}

// disordered reports whether the order of the expressions matters. It does if one reads, before a call, what the call
// may change. It also does if one may panic before a slice expression or a type assertion that may panic, because the
// Go compiler evaluates these among the calls.
func (l *Lowerer) disordered(list []ast.Expr) bool {
	read, fails, found := false, false, false
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv, ok := l.Info.Types[ast.Unparen(n.Fun)]; ok && (tv.IsType() || tv.IsBuiltin()) {
				return true
			}
			if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				ast.Inspect(s.X, visit)
			}
			for _, a := range n.Args {
				ast.Inspect(a, visit)
			}
			found = found || read
			read = true // its result is not read again, but calls on both sides of an assignment have an order
			return false
		case *ast.SliceExpr, *ast.TypeAssertExpr:
			found = found || fails
		case *ast.Ident:
			v, ok := l.Info.Uses[n].(*types.Var)
			read = read || ok && !v.IsField() && l.reachable(v)
		case *ast.StarExpr, *ast.IndexExpr:
			read, fails = true, true
		case *ast.SelectorExpr:
			if s, ok := l.Info.Selections[n]; ok && s.Kind() == types.FieldVal {
				if _, pointer := l.typeOf(n.X).Underlying().(*types.Pointer); pointer {
					read, fails = true, true
				}
				return true
			}
		}
		return !found
	}
	for _, x := range list {
		ast.Inspect(x, visit)
	}
	return found
}

// sooner returns the lowered call x. If order matters, the call is made before the statement. Builtins that only
// compute count as calls here, and so do conversions between text and slices, but no other conversions.
func (l *Lowerer) sooner(c *ast.CallExpr, x ast.Expr) ast.Expr {
	if l.early == nil {
		return x
	}
	switch tv := l.Info.Types[ast.Unparen(c.Fun)]; {
	case tv.IsType():
		_, from := l.typeOf(c.Args[0]).Underlying().(*types.Slice)
		if _, to := tv.Type.Underlying().(*types.Slice); !from && !to {
			return x
		}
	case tv.IsBuiltin():
		switch id := instantiated(c.Fun); {
		case id == nil, l.Info.Types[c].Value != nil:
			return x
		case !slices.Contains([]string{"append", "cap", "complex", "copy", "imag", "len", "make", "max", "min", "new",
			"real"}, id.Name):
			return x
		}
	}
	return l.soon(c, x, l.typeOf(c))
}

// soon evaluates x, of type t, before the statement if order matters.
func (l *Lowerer) soon(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	if _, several := t.(*types.Tuple); l.early == nil || several || t == nil {
		return x
	}
	name := l.fresh("c")
	if typ, ok := l.nameable(n, t); ok {
		*l.early = append(*l.early, varDecl(name, typ, x))
	} else {
		*l.early = append(*l.early, define(name, x))
	}
	return ident(name)
}

// inTime reports whether e is computed in its place among the calls when it becomes an interface. The Go compiler
// passes the address of most values to the host and stores values without an address first. Numbers of two, four and
// eight bytes, text and slices it passes directly, after the calls.
func (l *Lowerer) inTime(e ast.Expr) bool {
	tv, t := l.Info.Types[e], l.typeOf(e)
	if tv.Value != nil || tv.Addressable() || types.IsInterface(t) {
		return false
	}
	for {
		switch u := t.Underlying().(type) {
		case *types.Slice:
			return false
		case *types.Basic:
			return u.Info()&types.IsString == 0 && !word(t)
		case *types.Struct:
			if u.NumFields() != 1 {
				return !word(t)
			}
			t = u.Field(0).Type()
		case *types.Array:
			if u.Len() != 1 {
				return !word(t)
			}
			t = u.Elem()
		default:
			return true
		}
	}
}

// keptKey reports whether the key e is computed in its place among the calls. The Go compiler passes the address of a
// key to maps, except for numbers of four and eight bytes, pointers and text.
func (l *Lowerer) keptKey(e ast.Expr, m *types.Map) bool {
	tv, t := l.Info.Types[e], l.subst(m.Key())
	if tv.Value != nil || tv.Addressable() && !types.IsInterface(t) || types.IsInterface(l.typeOf(e)) {
		return false
	}
	const large = 128
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString == 0 && (u.Info()&types.IsInteger == 0 || sizes.Sizeof(u) < 4) {
			return true
		}
	case *types.Struct, *types.Array, *types.Interface:
		return true
	}
	return sizes.Sizeof(l.subst(m.Elem())) > large
}

// ofBytes reports whether a map's key is text made from bytes, or a literal with such text. The Go compiler does not
// copy these bytes and looks into the map at once.
func (l *Lowerer) ofBytes(key ast.Expr) bool {
	switch e := ast.Unparen(key).(type) {
	case *ast.CallExpr:
		if tv := l.Info.Types[ast.Unparen(e.Fun)]; tv.IsType() && tv.Type.Underlying() == types.Typ[types.String] {
			_, of := l.typeOf(e.Args[0]).Underlying().(*types.Slice)
			return of
		}
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, func(x ast.Expr) bool {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			return l.ofBytes(x)
		})
	}
	return false
}

// word reports whether a value of type t is passed as a number of two, four or eight bytes.
func word(t types.Type) bool {
	size, align := sizes.Sizeof(t), sizes.Alignof(t)
	return size == align && size > 1 && size <= 8 && !pointers(t)
}

var sizes = types.SizesFor("gc", "amd64")

// pointers reports whether a value of type t holds pointers.
func pointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return pointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if pointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// nameable returns the lowered type t, and whether it has a name in this kernel.
func (l *Lowerer) nameable(n ast.Node, t types.Type) (typ ast.Expr, ok bool) {
	defer unlessRefused()
	return l.low(n, t), true
}

// unlessRefused is deferred by a function that returns nothing if the code that it calls is refused.
func unlessRefused() {
	if x := recover(); x != nil {
		if _, refused := x.(*Refusal); !refused {
			panic(x)
		}
	}
}

// conditional lowers x && y and x || y. Whether y is evaluated depends on x.
func (l *Lowerer) conditional(e *ast.BinaryExpr) ast.Expr {
	if l.early != nil && l.signed([]ast.Expr{e.Y}) {
		return l.stepwise(e)
	}
	x := l.unordered(func() ast.Expr {
		x := l.expr(e.X)
		var y ast.Expr
		l.meanwhile(func() {
			l.holds(e.X, e.Op == token.LAND)
			l.quiet(e)
			y = l.looked(e.Y)
		})
		return &ast.ParenExpr{X: &ast.BinaryExpr{X: x, Op: e.Op, OpPos: e.OpPos, Y: y}}
	})
	return l.soon(e, x, l.typeOf(e))
}

// stepwise evaluates, before the statement, x of x && y or x || y, and y if x does not decide.
func (l *Lowerer) stepwise(e *ast.BinaryExpr) ast.Expr {
	name := l.fresh("c")
	*l.early = append(*l.early, l.inOrder([]ast.Expr{e.X}, func() []ast.Stmt {
		return []ast.Stmt{varDecl(name, l.low(e, l.typeOf(e)), l.expr(e.X))}
	})...)
	goesOn := ast.Expr(ident(name))
	if e.Op == token.LOR {
		goesOn = &ast.UnaryExpr{Op: token.NOT, X: goesOn}
	}
	var then []ast.Stmt
	l.meanwhile(func() {
		l.holds(e.X, e.Op == token.LAND)
		l.quiet(e)
		then = l.inOrder([]ast.Expr{e.Y}, func() []ast.Stmt { return []ast.Stmt{assign(ident(name), l.expr(e.Y))} })
	})
	*l.early = append(*l.early, &ast.IfStmt{Cond: goesOn, Body: block(then...)})
	return ident(name)
}
