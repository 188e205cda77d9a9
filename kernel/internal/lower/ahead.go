package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The interpreter's panics for an index out of range name neither the index nor the length. Lowered code therefore
// checks indices itself: in statements before the one that uses the index, if nothing can be seen to happen in between,
// and otherwise by a call of the host in place of the index, which takes several times as long. It does not check the
// index of a loop over the same elements.

// looks reports whether indices are looked at before they are used.
func (l *Lowerer) looks() bool { return !l.fn.library }

// look looks at the indices that are used when the expressions are evaluated in their order.
func (l *Lowerer) look(list ...ast.Expr) []ast.Stmt {
	var out []ast.Stmt
	for _, e := range l.lookout(list) {
		cond, fail := l.outside(e)
		out = append(out, &ast.IfStmt{Cond: cond, Body: block(&ast.ExprStmt{X: fail})})
	}
	return out
}

// looked is a condition after the indices in it have been looked at, where no statement can stand before it.
func (l *Lowerer) looked(cond ast.Expr) ast.Expr {
	list := l.lookout([]ast.Expr{cond})
	x := l.expr(cond)
	for k := len(list) - 1; k >= 0; k-- {
		cond, fail := l.outside(list[k])
		failed := &ast.BinaryExpr{X: fail, Op: token.GEQ, Y: intLit(0)}
		outside := &ast.ParenExpr{X: &ast.BinaryExpr{X: cond, Op: token.LAND, Y: failed}}
		x = &ast.ParenExpr{X: &ast.BinaryExpr{X: &ast.UnaryExpr{Op: token.NOT, X: outside}, Op: token.LAND, Y: x}}
	}
	return x
}

// outside returns the condition that the index of e is out of range, and the call that then panics.
func (l *Lowerer) outside(e *ast.IndexExpr) (cond, fail ast.Expr) {
	saved := l.placing
	l.placing = false
	defer func() { l.placing = saved }()
	b := l.typeOf(e.Index).Underlying().(*types.Basic)
	i := l.expr(e.Index)
	if b.Kind() != types.Int && l.Info.Types[e.Index].Value == nil {
		i = call(ident("int"), i)
	}
	var n ast.Expr
	if length, isArray := l.arrayLen(e.X); isArray {
		n = intLit(length)
	} else {
		n = call(ident("len"), l.whole(e.X))
	}
	cond = &ast.BinaryExpr{X: i, Op: token.GEQ, Y: n}
	fail = l.rangeCheck(e, l.expr(e.Index), n)
	if !l.positive(e.Index) && (b.Info()&types.IsUnsigned == 0 || sizes.Sizeof(b) == 8) {
		cond = &ast.BinaryExpr{X: &ast.BinaryExpr{X: i, Op: token.LSS, Y: intLit(0)}, Op: token.LOR, Y: cond}
	}
	return cond, fail
}

// rangeCheck is the call that returns i, the lowered index of e, as an int, or panics if there are only n elements.
func (l *Lowerer) rangeCheck(e *ast.IndexExpr, i, n ast.Expr) ast.Expr {
	b, ok := l.typeOf(e.Index).Underlying().(*types.Basic)
	switch {
	case ok && b.Kind() == types.Int, l.Info.Types[e.Index].Value != nil:
		return l.rt("Index", i, n)
	case ok && b.Info()&types.IsUnsigned != 0:
		return l.rt("IndexUnsigned", call(ident("uint64"), i), n)
	}
	return l.rt("Index", call(ident("int"), i), n)
}

// arrayLen is the length of x where it is an array or points to one.
func (l *Lowerer) arrayLen(x ast.Expr) (int, bool) {
	t := l.typeOf(x).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	a, ok := t.(*types.Array)
	if !ok {
		return 0, false
	}
	return int(a.Len()), true
}

// assignmentOrder are the expressions of an assignment whose indices may be looked at before it, in their order. Of
// several places that are assigned to, only those are among them that are also read.
func (l *Lowerer) assignmentOrder(s *ast.AssignStmt) []ast.Expr {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		return slices.Concat(s.Lhs, s.Rhs)
	case len(s.Lhs) == 1:
		return slices.Concat(s.Rhs, s.Lhs)
	}
	places := slices.Clone(s.Lhs)
	for k, x := range s.Lhs {
		switch x := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			if risky(x.X) || risky(x.Index) { // evaluated before all others
				return nil
			}
			places[k] = &lowered{}
		case *ast.Ident:
		default:
			return nil
		}
	}
	var first, then []ast.Expr
	read := map[string]bool{}
	for k, e := range s.Rhs {
		read[types.ExprString(e)] = true
		if len(s.Rhs) > 1 && l.overtaken(places[:k], s.Rhs, k) {
			first = append(first, e)
		} else {
			then = append(then, e)
		}
	}
	for _, x := range s.Lhs {
		if _, isIndex := ast.Unparen(x).(*ast.IndexExpr); isIndex && read[types.ExprString(x)] {
			then = append(then, x)
		}
	}
	return append(first, then...)
}

// lookout returns the index expressions among those of the list that can be looked at before it is evaluated. The rest
// are looked at in their place.
func (l *Lowerer) lookout(list []ast.Expr) []*ast.IndexExpr {
	if !l.looks() || l.early != nil {
		return nil
	}
	w := &watch{l: l, seen: map[string]bool{}, pointers: map[string]bool{}}
	for _, e := range list {
		w.visit(e)
	}
	return w.found
}

// watch follows the order in which expressions are evaluated.
type watch struct {
	l        *Lowerer
	found    []*ast.IndexExpr
	seen     map[string]bool // what was found
	pointers map[string]bool // variables that must not be nil, as the expressions so far follow them
	over     bool            // something has come that can be seen or can panic
}

func (w *watch) visit(e ast.Expr) {
	l := w.l
	switch e := e.(type) {
	case nil, *ast.FuncLit, *ast.Ident, *ast.BasicLit:
	case *ast.ParenExpr:
		w.visit(e.X)
	case *ast.IndexExpr:
		w.index(e)
	case *ast.SelectorExpr:
		if s, ok := l.Info.Selections[e]; ok {
			w.visit(e.X)
			if len(s.Index()) > 1 || s.Kind() != types.FieldVal {
				w.over = true
			} else if _, pointer := l.typeOf(e.X).Underlying().(*types.Pointer); pointer {
				w.follow(e.X)
			}
		}
	case *ast.StarExpr:
		w.visit(e.X)
		w.follow(e.X)
	case *ast.UnaryExpr:
		w.visit(e.X)
		w.over = w.over || e.Op == token.ARROW
	case *ast.BinaryExpr:
		w.binary(e)
	case *ast.CallExpr:
		w.call(e)
	case *ast.KeyValueExpr:
		w.visit(e.Value)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			w.visit(x)
		}
		_, isMap := l.typeOf(e).Underlying().(*types.Map)
		w.over = w.over || isMap
	case *ast.SliceExpr:
		for _, x := range []ast.Expr{e.X, e.Low, e.High, e.Max} {
			w.visit(x)
		}
		w.over = true
	default:
		w.over = true
	}
}

// follow notes that the pointer x is followed, without a look that would follow it too.
func (w *watch) follow(x ast.Expr) {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		w.pointers[id.Name] = true
	} else {
		w.over = true
	}
}

func (w *watch) binary(e *ast.BinaryExpr) {
	w.visit(e.X)
	switch e.Op {
	case token.LAND, token.LOR:
		w.over = w.over || risky(e.Y)
		return
	case token.QUO, token.REM:
		w.visit(e.Y)
		w.over = w.over || w.l.Info.Types[e.Y].Value == nil
		return
	case token.EQL, token.NEQ:
		w.over = w.over || types.IsInterface(w.l.typeOf(e.X))
	case token.SHL, token.SHR:
		w.over = w.over || w.l.Info.Types[e.Y].Value == nil
	}
	w.visit(e.Y)
}

func (w *watch) call(e *ast.CallExpr) {
	if w.l.Info.Types[e].Value != nil {
		return
	}
	fun := ast.Unparen(e.Fun)
	tv := w.l.Info.Types[fun]
	if !tv.IsType() && !tv.IsBuiltin() {
		w.visit(fun)
	}
	for _, a := range e.Args {
		if !w.l.Info.Types[a].IsType() {
			w.visit(a)
		}
	}
	w.over = w.over || !w.l.computes(e)
}

// computes reports whether a call is of a built-in or a conversion that changes nothing and cannot panic.
func (l *Lowerer) computes(e *ast.CallExpr) bool {
	tv := l.Info.Types[ast.Unparen(e.Fun)]
	if tv.IsType() {
		b, ok := tv.Type.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsNumeric != 0
	}
	id := instantiated(e.Fun)
	return tv.IsBuiltin() && id != nil && (id.Name == "len" || id.Name == "cap")
}

func (w *watch) index(e *ast.IndexExpr) {
	l := w.l
	if tv := l.Info.Types[e.Index]; tv.IsType() {
		return
	}
	t := l.typeOf(e.X).Underlying()
	if _, generic := t.(*types.Signature); generic {
		return
	}
	w.visit(e.X)
	w.visit(e.Index)
	if m, ok := t.(*types.Map); ok {
		w.over = w.over || types.IsInterface(m.Key()) || l.placing
		return
	}
	if p, ok := t.(*types.Pointer); ok {
		w.follow(e.X)
		t = p.Elem().Underlying()
	}
	if l.within(e, t) {
		l.seen[e] = true
		return
	}
	text := types.ExprString(e)
	switch {
	case w.seen[text]:
	case w.over || !l.again(e) || w.followsOthers(e):
		w.over = true
		return
	default:
		w.seen[text] = true
		w.found = append(w.found, e)
	}
	l.seen[e] = true
}

// followsOthers reports whether pointers have been followed that a look at e does not follow.
func (w *watch) followsOthers(e *ast.IndexExpr) bool {
	own := map[string]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			own[id.Name] = true
		}
		return true
	})
	for name := range w.pointers {
		if !own[name] {
			return true
		}
	}
	return false
}

// again reports whether the operands of an index expression can be evaluated twice.
func (l *Lowerer) again(e *ast.IndexExpr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.SliceExpr, *ast.TypeAssertExpr:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.CallExpr:
			ok = ok && (l.Info.Types[n].Value != nil || l.computes(n))
		}
		return ok
	})
	return ok
}

// within reports whether the index of e is seen to be one of the elements of e.X, of type t.
func (l *Lowerer) within(e *ast.IndexExpr, t types.Type) bool {
	array, isArray := t.(*types.Array)
	if v := l.Info.Types[e.Index].Value; v != nil {
		return isArray || l.Info.Types[e.X].Value != nil
	}
	if b := l.typeOf(e.Index).Underlying().(*types.Basic); isArray && b.Info()&types.IsUnsigned != 0 {
		if size := sizes.Sizeof(b); size < 4 && array.Len() >= 1<<(8*size) {
			return true
		}
	}
	i, ok := ast.Unparen(e.Index).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := l.Info.Uses[i].(*types.Var)
	x, named := ast.Unparen(e.X).(*ast.Ident)
	return ok && named && l.indexOf[v] != nil && l.indexOf[v] == l.Info.Uses[x]
}
