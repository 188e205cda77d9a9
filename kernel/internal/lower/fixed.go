package lower

import (
	"go/ast"
	"go/types"
)

// fixed evaluates the operands of index and pointer expressions on the left of a parallel assignment, before any of
// the assignments change them. The expressions it returns are lowered.
func (l *Lowerer) fixed(lhs []ast.Expr, out *[]ast.Stmt) []ast.Expr {
	f := fixer{l: l, assigned: map[types.Object]bool{}}
	for _, x := range lhs {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok {
			f.assigned[l.Info.Uses[id]] = true
		} else {
			f.places = true
		}
	}
	list := make([]ast.Expr, len(lhs))
	for k, x := range lhs {
		list[k] = x
		switch ast.Unparen(x).(type) {
		case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
			list[k] = &lowered{f.place(ast.Unparen(x)), l.typeOf(x)}
		}
	}
	*out = append(f.before, *out...)
	return list
}

// fixer lowers the places of one parallel assignment.
type fixer struct {
	l        *Lowerer
	assigned map[types.Object]bool // variables among the places
	places   bool                  // whether there are other places
	before   []ast.Stmt
}

// hold evaluates the lowered x now and returns a variable that holds it.
func (f *fixer) hold(n ast.Expr, x ast.Expr, t types.Type) ast.Expr {
	name := f.l.fresh("i")
	f.before = append(f.before, varDecl(name, f.l.low(n, t), x))
	return ident(name)
}

// operand evaluates a pointer, slice, map or index now, unless no assignment can change it.
func (f *fixer) operand(e ast.Expr, t types.Type) ast.Expr {
	x := f.l.to(e, t)
	if tv := f.l.Info.Types[e]; tv.Value != nil {
		return x
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, ok := f.l.Info.Uses[id].(*types.Var); ok && !f.assigned[v] && !(f.places && f.l.reachable(v)) {
			return x
		}
	}
	return f.hold(e, x, t)
}

// reachable reports whether v may be assigned to through a pointer.
func (l *Lowerer) reachable(v *types.Var) bool {
	if loc, ok := l.fn.names[v]; ok {
		return l.fn.taken[v] || loc.boxed
	}
	return true
}

// place lowers a place. Its operands are evaluated now.
func (f *fixer) place(e ast.Expr) ast.Expr {
	l := f.l
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.StarExpr:
		return star(l.opened(x, f.operand(x.X, l.typeOf(x.X)), l.typeOf(x.X)))
	case *ast.IndexExpr:
		t := l.typeOf(x.X)
		switch u := t.Underlying().(type) {
		case *types.Map:
			base := l.opened(x, f.operand(x.X, t), t)
			return &ast.IndexExpr{X: base, Index: f.operand(x.Index, l.subst(u.Key()))}
		case *types.Array:
			return f.index(x, f.place(x.X))
		case *types.Pointer:
			return f.index(x, star(f.operand(x.X, t)))
		}
		return f.index(x, l.opened(x, f.operand(x.X, t), t))
	case *ast.SelectorExpr:
		s, ok := l.Info.Selections[x]
		if !ok { // a variable of a package
			break
		}
		t := l.typeOf(x.X)
		var base ast.Expr
		if _, ok := t.Underlying().(*types.Pointer); ok {
			base = f.operand(x.X, t)
		} else {
			base = f.place(x.X)
		}
		return f.path(x, base, t, s.Index())
	}
	return l.place(e)
}

// index returns an element of base. base can be evaluated twice.
func (f *fixer) index(x *ast.IndexExpr, base ast.Expr) ast.Expr {
	t := f.l.typeOf(x.Index)
	i := ast.Expr(ident(f.l.held[x]))
	if f.l.held[x] == "" {
		i = f.operand(x.Index, t)
	}
	length, isArray := f.l.arrayLen(x.X)
	switch {
	case !f.l.looks(), f.l.seen[x], isArray && f.l.Info.Types[x.Index].Value != nil:
	case isArray:
		i = f.l.rangeCheck(x, i, intLit(length))
	default:
		i = f.l.rangeCheck(x, i, call(ident("len"), base))
	}
	return &ast.IndexExpr{X: base, Index: i}
}

// path follows the fields of a selection and evaluates each embedded pointer on the way.
func (f *fixer) path(n ast.Expr, x ast.Expr, t types.Type, index []int) ast.Expr {
	for k := range index {
		x, t = f.l.path(n, x, t, index[k:k+1])
		if _, ok := t.Underlying().(*types.Pointer); ok && k < len(index)-1 {
			x = f.hold(n, x, t)
		}
	}
	return unrestored(x)
}
