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
	for _, c := range l.lookout(list) {
		out = append(out, l.hold(c)...)
		cond, fail := l.outside(*c)
		out = append(out, &ast.IfStmt{Cond: cond, Body: block(&ast.ExprStmt{X: fail})})
	}
	return out
}

// check is an index expression with what is not known of its index.
type check struct {
	*ast.IndexExpr
	least, most bool             // whether it is known to be 0 or more, and to be less than the length
	again       []*ast.IndexExpr // the same expression elsewhere in the statement
}

// looked is a condition after the indices in it have been looked at, where no statement can stand before it.
func (l *Lowerer) looked(cond ast.Expr) ast.Expr {
	list := l.lookout([]ast.Expr{cond})
	x := l.expr(cond)
	for k := len(list) - 1; k >= 0; k-- {
		cond, fail := l.outside(*list[k])
		failed := &ast.BinaryExpr{X: fail, Op: token.GEQ, Y: intLit(0)}
		outside := &ast.ParenExpr{X: &ast.BinaryExpr{X: cond, Op: token.LAND, Y: failed}}
		x = &ast.ParenExpr{X: &ast.BinaryExpr{X: &ast.UnaryExpr{Op: token.NOT, X: outside}, Op: token.LAND, Y: x}}
	}
	return x
}

// outside returns the condition that the index of e is out of range, and the call that then panics.
func (l *Lowerer) outside(c check) (cond, fail ast.Expr) {
	saved := l.placing
	l.placing = false
	defer func() { l.placing = saved }()
	e := c.IndexExpr
	b := l.typeOf(e.Index).Underlying().(*types.Basic)
	i := l.indexValue(e)
	if b.Kind() != types.Int && l.Info.Types[e.Index].Value == nil {
		i = call(ident("int"), i)
	}
	var n ast.Expr
	if length, isArray := l.arrayLen(e.X); isArray {
		n = intLit(length)
	} else {
		n = call(ident("len"), l.whole(e.X))
	}
	fail = l.rangeCheck(e, l.indexValue(e), n)
	below, above := &ast.BinaryExpr{X: i, Op: token.LSS, Y: intLit(0)}, &ast.BinaryExpr{X: i, Op: token.GEQ, Y: n}
	switch {
	case c.least:
		return above, fail
	case c.most:
		return below, fail
	}
	return &ast.BinaryExpr{X: below, Op: token.LOR, Y: above}, fail
}

// hold computes an index once, into a variable of the function, if it is computed often.
func (l *Lowerer) hold(c *check) []ast.Stmt {
	b := l.typeOf(c.Index).Underlying().(*types.Basic)
	_, computed := ast.Unparen(c.Index).(*ast.BinaryExpr)
	loops := slices.ContainsFunc(l.fn.scopes, func(s scope) bool { return s.loop })
	if !computed || !loops || b.Kind() != types.Int || l.fn.yield != nil || l.Info.Types[c.Index].Value != nil {
		return nil
	}
	if l.fn.temp == len(l.fn.temps) {
		l.fn.temps = append(l.fn.temps, l.fresh("i"))
	}
	name := l.fn.temps[l.fn.temp]
	l.fn.temp++
	value := l.indexValue(c.IndexExpr)
	for _, e := range append(c.again, c.IndexExpr) {
		l.held[e] = name
	}
	return []ast.Stmt{assign(ident(name), value)}
}

// withTemps are the statements of a function after the declarations of the variables for its indices.
func (l *Lowerer) withTemps(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, name := range l.fn.temps {
		out = append(out, declare(name, ident("int")))
	}
	return append(out, list...)
}

// indexValue is the lowered index of e, or the variable that has it.
func (l *Lowerer) indexValue(e *ast.IndexExpr) ast.Expr {
	if name := l.held[e]; name != "" {
		return ident(name)
	}
	return l.expr(e.Index)
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
func (l *Lowerer) lookout(list []ast.Expr) []*check {
	if !l.looks() || l.early != nil {
		return nil
	}
	w := &watch{l: l, seen: map[string]*check{}, pointers: map[string]bool{}, known: l.facts().clone()}
	for _, e := range list {
		w.visit(e)
	}
	return w.found
}

// watch follows the order in which expressions are evaluated.
type watch struct {
	l        *Lowerer
	found    []*check
	seen     map[string]*check // what was found
	known    *known
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
	delete(l.held, e)
	least, most := l.bounds(e, w.known)
	l.seen[e] = least && most || l.within(e, t)
	text := types.ExprString(e)
	switch {
	case l.seen[e]:
	case w.seen[text] != nil:
		w.seen[text].again = append(w.seen[text].again, e)
		l.seen[e] = true
	case w.over || !l.again(e) || w.followsOthers(e):
		w.over = true
	default:
		c := &check{IndexExpr: e, least: least, most: most}
		w.seen[text] = c
		w.found = append(w.found, c)
		w.known.indexed(l, e)
		l.seen[e] = true
	}
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
	_, isArray := t.(*types.Array)
	if v := l.Info.Types[e.Index].Value; v != nil {
		return isArray || l.Info.Types[e.X].Value != nil
	}
	i, ok := ast.Unparen(e.Index).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := l.Info.Uses[i].(*types.Var)
	x, named := ast.Unparen(e.X).(*ast.Ident)
	return ok && named && l.indexOf[v] != nil && l.indexOf[v] == l.Info.Uses[x]
}
