package lower

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// The interpreter's panics for an index out of range name neither the index nor the length of the slice. Lowered code
// therefore checks indices itself where a cell may recover the panic: in methods whose panics package fmt prints, in
// function literals of a cell's var declarations, and at the top of a cell outside loops. A check costs about as much
// as the access. The bounds of slices are rarer and are always checked.

// recovers reports whether the unit calls recover, or executes a template, which makes errors of panics.
func (l *Lowerer) recovers(u *Unit) bool {
	found := false
	look := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && (l.isRecover(id) || executes(l.Info.Uses[id]))
		return !found
	}
	for _, s := range u.Body {
		ast.Inspect(s, look)
	}
	for _, f := range u.Funcs {
		ast.Inspect(f.Decl, look)
	}
	return found
}

func (l *Lowerer) isRecover(id *ast.Ident) bool {
	_, builtin := l.Info.Uses[id].(*types.Builtin)
	return builtin && id.Name == "recover"
}

// executes reports whether x is a method that executes a template. The host runs such methods.
func executes(x types.Object) bool {
	f, ok := x.(*types.Func)
	return ok && strings.HasPrefix(f.Name(), "Execute") && f.Pkg() != nil &&
		strings.HasSuffix(f.Pkg().Path(), "/template")
}

// older returns the functions of cells before the unit that must be lowered again, because their panics may be
// recovered from now on.
func (l *Lowerer) older(u *Unit) []*Func {
	seen := map[*Func]bool{}
	for _, f := range u.Funcs {
		seen[l.funcs[f.Obj]] = true
	}
	var list []*Func
	for obj, f := range l.funcs {
		if !fromCell2(obj) || seen[f] || f.low == "" || f.Decl == nil {
			continue
		}
		seen[f] = true
		again := *f
		list = append(list, &again)
	}
	slices.SortFunc(list, func(f, g *Func) int { return cmp.Compare(f.Decl.Pos(), g.Decl.Pos()) })
	return list
}

// looks reports whether indices are checked before they are used.
func (l *Lowerer) looks() bool {
	if l.fn.library || l.numbered || l.fn.printed {
		return !l.fn.library
	}
	if !l.fn.top {
		return l.fn.declares
	}
	for _, s := range l.fn.scopes {
		if s.loop {
			return false
		}
	}
	return true
}

// checkedIndex returns base[i] with a check. base is the lowered e.X, and not a map.
func (l *Lowerer) checkedIndex(e *ast.IndexExpr, base ast.Expr) *ast.IndexExpr {
	placing := l.placing
	l.placing = false
	i := l.expr(e.Index)
	l.placing = placing
	at := &ast.IndexExpr{X: base, Index: i}
	t := l.typeOf(e.X).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, isArray := t.(*types.Array)
	if !l.looks() || isArray && l.Info.Types[e.Index].Value != nil {
		return at
	}
	if b, ok := l.typeOf(e.Index).Underlying().(*types.Basic); !ok || b.Kind() != types.Int {
		i = call(ident("int"), i)
	}
	_, held := base.(*ast.Ident) // the result of an earlier call
	if simple(e.X) || held {
		at.Index = l.rt("Index", i, call(ident("len"), base))
		return at
	}
	if isArray {
		return at
	}
	x, k := l.fresh("x"), l.fresh("k")
	// the elements from the index on, of which it is the first
	if _, isSlice := t.(*types.Slice); l.placing && isSlice {
		typ := l.opening(e, l.typeOf(e.X))
		lit := &ast.FuncLit{
			Type: &ast.FuncType{
				Params:  &ast.FieldList{List: []*ast.Field{field(x, typ), field(k, ident("int"))}},
				Results: &ast.FieldList{List: []*ast.Field{field("", typ)}},
			},
			Body: block(&ast.ReturnStmt{
				Results: []ast.Expr{&ast.SliceExpr{X: ident(x),
					Low: l.rt("Index", ident(k), call(ident("len"), ident(x)))}}}),
		}
		return &ast.IndexExpr{X: call(lit, base, i), Index: intLit(0)}
	}
	if l.placing {
		return at
	}
	return &ast.IndexExpr{X: call(&ast.FuncLit{ // no index is used: the call returns the element
		Type: &ast.FuncType{
			Params:  &ast.FieldList{List: []*ast.Field{field(x, l.opening(e, l.typeOf(e.X))), field(k, ident("int"))}},
			Results: &ast.FieldList{List: []*ast.Field{field("", l.low(e, l.typeOf(e)))}},
		},
		Body: block(&ast.ReturnStmt{
			Results: []ast.Expr{&ast.IndexExpr{X: ident(x),
				Index: l.rt("Index", ident(k), call(ident("len"), ident(x)))}}}),
	}, base, i)}
}

// checkedSlice adds checks of the bounds to a lowered slice expression.
func (l *Lowerer) checkedSlice(e *ast.SliceExpr, s *ast.SliceExpr) ast.Expr {
	var pre []*ast.Field
	var args []ast.Expr
	hold := func(typ ast.Expr, x *ast.Expr) {
		if *x != nil {
			name := l.fresh("x")
			pre, args, *x = append(pre, field(name, typ)), append(args, *x), ident(name)
		}
	}
	plain := func(x ast.Expr) bool { return x == nil || simple(x) }
	if !plain(e.X) || !plain(e.High) || !plain(e.Max) {
		switch l.typeOf(e.X).Underlying().(type) {
		case *types.Array, *types.Pointer:
			if !plain(e.X) {
				return s
			}
		default:
			hold(l.opening(e, l.typeOf(e.X)), &s.X)
		}
		for k, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				hold(l.low(x, l.typeOf(x)), []*ast.Expr{&s.Low, &s.High, &s.Max}[k])
			}
		}
	}
	t := l.typeOf(e.X).Underlying()
	_, isSlice := t.(*types.Slice)
	limit := call(ident("len"), s.X)
	if isSlice {
		limit = call(ident("cap"), s.X)
	}
	number := func(x, low ast.Expr) ast.Expr {
		if x == nil {
			return intLit(0)
		}
		if b, ok := l.typeOf(x).Underlying().(*types.Basic); !ok || b.Kind() != types.Int {
			return call(ident("int"), low)
		}
		return low
	}
	flag := map[bool]ast.Expr{true: ident("true"), false: ident("false")}
	switch {
	case e.Slice3:
		s.Low = l.rt("Bounds3", number(e.Low, s.Low), number(e.High, s.High), number(e.Max, s.Max), limit,
			flag[isSlice])
	case e.High == nil && e.Low == nil:
	case e.High == nil:
		s.Low = l.rt("Bounds", number(e.Low, s.Low), call(ident("len"), s.X), limit, flag[isSlice], ident("true"))
	default:
		s.Low = l.rt("Bounds", number(e.Low, s.Low), number(e.High, s.High), limit, flag[isSlice], ident("false"))
	}
	if pre == nil {
		return s
	}
	return call(&ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{List: pre},
			Results: &ast.FieldList{List: []*ast.Field{field("", l.low(e, l.typeOf(e)))}}},
		Body: block(&ast.ReturnStmt{Results: []ast.Expr{s}}),
	}, args...)
}
