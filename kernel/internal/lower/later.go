package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file lowers calls that are made later, in go and defer statements, and what recover finds in them.

// goStmt starts a goroutine. The host reports its panic and survives.
func (l *Lowerer) goStmt(s *ast.GoStmt) []ast.Stmt {
	pre, c := l.frozen(s.Call)
	body := &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(discarded(c)...)}
	return []ast.Stmt{block(append(pre, &ast.ExprStmt{X: l.rt("Go", body)})...)}
}

// pending is a call of a go or defer statement.
type pending struct {
	call *ast.CallExpr
	made func(c *ast.CallExpr) ast.Expr // what replaces the lowered call when it is made; nil if nothing does
}

// discarded evaluates a lowered call for its effects.
func discarded(c ast.Expr) []ast.Stmt {
	switch c.(type) {
	case *choice, *ast.CallExpr:
		return passedBack(c, 0)
	}
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{c}}}
}

// frozen evaluates the function and the arguments of a call now. It returns statements that do so and the call to be
// made later.
func (l *Lowerer) frozen(c *ast.CallExpr) ([]ast.Stmt, ast.Expr) {
	var pre []ast.Stmt
	if p := l.forwarded(c); p != nil {
		c, pre = l.spread(c, p)
	}
	saved, later := l.later, &pending{call: c}
	l.later = later
	x := l.asMade(c)
	l.later = saved
	lc, ok := x.(*ast.CallExpr)
	if !ok {
		return pre, x
	}
	freeze := func(e, typ ast.Expr) ast.Expr {
		switch e := e.(type) {
		case *ast.BasicLit, *ast.FuncLit:
			return e
		case *ast.Ident:
			if e.Name == "nil" || e.Name == "true" || e.Name == "false" {
				return e
			}
		}
		name := l.fresh("g")
		if typ == nil {
			t := l.fresh("t")
			pre = append(pre, define(t, e), define(name, ident(t)))
		} else {
			pre = append(pre, l.fresher(name, typ, e)...)
		}
		return ident(name)
	}
	var funType ast.Expr
	if tv := l.Info.Types[ast.Unparen(c.Fun)]; !tv.IsBuiltin() && !tv.IsType() {
		funType = l.opening(c, l.typeOf(c.Fun))
	}
	_, variable := l.Info.Uses[instantiated(c.Fun)].(*types.Var) // or a field
	switch f := lc.Fun.(type) {
	case *ast.Ident:
		if obj, ok := l.fn.namesLow(f.Name); ok && obj || variable {
			lc.Fun = freeze(f, funType)
		}
	case *ast.FuncLit, *ast.SelectorExpr:
		if s, ok := f.(*ast.SelectorExpr); ok && variable {
			lc.Fun = freeze(f, funType)
		} else if ok {
			// the place of a variable stays
			if _, isIdent := s.X.(*ast.Ident); !isIdent || l.ofVariable(c) && !l.byPointer(c) {
				if l.byPointer(c) {
					s.X = addressOf(s.X)
				}
				s.X = freeze(s.X, nil)
			}
		}
	default:
		lc.Fun = freeze(f, funType)
	}
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
		if _, builtin := l.Info.Uses[id].(*types.Builtin); builtin && (id.Name == "make" || id.Name == "new") {
			return pre, x
		}
	}
	ts := l.argumentTypes(c, len(lc.Args))
	for k := range lc.Args {
		lc.Args[k] = freeze(lc.Args[k], ts[k])
	}
	if later.made != nil {
		return pre, later.made(lc)
	}
	return pre, lc
}

// ofVariable reports whether a call calls a method of a variable.
func (l *Lowerer) ofVariable(c *ast.CallExpr) bool {
	e, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || l.Info.Selections[e] == nil {
		return false
	}
	id, ok := ast.Unparen(e.X).(*ast.Ident)
	return ok && l.Info.Uses[id] != nil
}

// argumentTypes returns the lowered types of the n arguments of a lowered call, nil if they are not known.
func (l *Lowerer) argumentTypes(c *ast.CallExpr, n int) []ast.Expr {
	ts := make([]ast.Expr, n)
	if tv := l.Info.Types[ast.Unparen(c.Fun)]; tv.IsBuiltin() {
		switch instantiated(c.Fun).Name {
		case "panic", "print", "println": // their arguments are replaced by others
			return ts
		}
		for k := range ts {
			if k < len(c.Args) {
				ts[k] = l.low(c, l.typeOf(c.Args[k]))
			}
		}
		return ts
	}
	sig, ok := l.typeOf(c.Fun).Underlying().(*types.Signature)
	if !ok {
		return ts
	}
	for k := range n {
		if p := sig.Params().Len() - n + k; p >= 0 { // a receiver comes before the parameters
			ts[k] = l.low(c, sig.Params().At(p).Type())
		}
	}
	return ts
}

// byPointer reports whether the method of a call needs the address of its operand.
func (l *Lowerer) byPointer(c *ast.CallExpr) bool {
	e, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s, ok := l.Info.Selections[e]
	if !ok || s.Kind() != types.MethodVal {
		return false
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	if recv == nil {
		return false
	}
	_, wants := types.Unalias(recv.Type()).(*types.Pointer)
	t := l.typeOf(e.X)
	for _, k := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(k).Type()
	}
	_, has := t.Underlying().(*types.Pointer)
	return wants && !has
}

func (fn *function) namesLow(name string) (bool, bool) {
	for _, v := range fn.names {
		if v.name == name {
			return true, true
		}
	}
	return false, false
}

// deferStmt passes a closure to the host, which runs it when the function ends.
func (l *Lowerer) deferStmt(s *ast.DeferStmt) []ast.Stmt {
	f, ok := ast.Unparen(s.Call.Fun).(*ast.FuncLit)
	defer func(saved *ast.FuncLit) { l.deferred = saved }(l.deferred)
	l.deferred = f
	if ok && f.Type.Params.NumFields() == 0 {
		return []ast.Stmt{&ast.ExprStmt{X: l.rt("Defer", ident(l.fn.defers), l.thunk(l.funcLit(f).(*ast.FuncLit)))}}
	}
	if id := instantiated(s.Call.Fun); id != nil && l.isRecover(id) {
		lit := &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}},
			Body: block(&ast.ExprStmt{X: l.rt("RecoverOuter", l.wasDeferred())})}
		return []ast.Stmt{&ast.ExprStmt{X: l.rt("Defer", ident(l.fn.defers), lit)}}
	}
	pre, c := l.frozen(s.Call)
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(discarded(c)...)}
	how := "Defer"
	if l.mayRecover(s.Call) {
		how = "DeferCall"
	}
	return []ast.Stmt{block(append(pre, &ast.ExprStmt{X: l.rt(how, ident(l.fn.defers), lit)})...)}
}

// wasDeferred returns an expression that says whether a defer statement called the current function.
func (l *Lowerer) wasDeferred() ast.Expr {
	switch {
	case l.fn.yield != nil: // the body of a range over a function is a function of its own
	case l.fn.deferred:
		return ident("true")
	case l.fn.entered != "":
		return ident(l.fn.entered)
	}
	return ident("false")
}

// mayRecover reports whether a deferred call calls a function that may call recover. Literals do not count, because
// they can do so anyway.
func (l *Lowerer) mayRecover(c *ast.CallExpr) bool {
	fun := ast.Unparen(c.Fun)
	if tv := l.Info.Types[fun]; tv.IsBuiltin() || tv.IsType() {
		return false
	}
	if _, isLit := fun.(*ast.FuncLit); isLit {
		return false
	}
	obj := l.named(c)
	if obj == nil {
		return true
	}
	if f := l.funcs[obj]; f != nil {
		return l.recoversItself(f.Decl.Body)
	}
	recv := obj.Signature().Recv()
	return recv != nil && (types.IsInterface(recv.Type()) || l.env != nil)
}

// named returns the function or method that a call names, or nil if it names none.
func (l *Lowerer) named(c *ast.CallExpr) *types.Func {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	obj, ok := l.Info.Uses[instantiated(fun)].(*types.Func)
	if !ok {
		return nil
	}
	return obj.Origin()
}

// callsRecovering reports whether a function's own statements call a function by name that itself calls recover.
func (l *Lowerer) callsRecovering(b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			f := l.funcs[l.named(n)]
			found = found || f != nil && l.recoversItself(f.Decl.Body)
		}
		return !found
	})
	return found
}

// recoversItself reports whether a function's own statements call recover.
func (l *Lowerer) recoversItself(b *ast.BlockStmt) bool {
	found, known := l.recovering[b]
	if known {
		return found
	}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			found = found || l.isRecover(n)
		}
		return !found
	})
	l.recovering[b] = found
	return found
}

// thunk returns a closure without parameters that drops the results of another.
func (l *Lowerer) thunk(f *ast.FuncLit) ast.Expr {
	if f.Type.Results == nil {
		return f
	}
	return &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(&ast.ExprStmt{X: call(f)})}
}
