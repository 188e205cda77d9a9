package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

func (l *Lowerer) switchStmt(s *ast.SwitchStmt, label *ast.Ident) []ast.Stmt {
	var pre []ast.Stmt
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	l.forget(node(s.Tag), s.Body)
	out := &ast.SwitchStmt{Switch: s.Switch, Body: &ast.BlockStmt{}}
	var cond func(ast.Expr) ast.Expr
	if s.Tag == nil {
		cond = func(e ast.Expr) ast.Expr {
			if types.IsInterface(l.typeOf(e)) {
				return l.rt("Equal", l.to(e, anyInterface), ident("true"))
			}
			return l.expr(e)
		}
	} else {
		pre = append(pre, l.at(s.Tag)...)
		tag := l.fresh("tag")
		t := l.typeOf(s.Tag)
		pre = append(pre, l.inOrder([]ast.Expr{s.Tag}, func() []ast.Stmt {
			return []ast.Stmt{varDecl(tag, l.low(s, t), l.to(s.Tag, t))}
		})...)
		cond = func(e ast.Expr) ast.Expr { return l.matches(e, tag, t) }
	}
	defer l.push(scope{label: labelName(label)})()
	before := map[ast.Expr][]ast.Stmt{} // statements that evaluate parts of a condition
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		lc := &ast.CaseClause{Case: cc.Case, Body: l.clause(cc.Body)}
		for _, e := range cc.List {
			var x ast.Expr
			lower := func() []ast.Stmt { x = cond(e); return nil }
			if l.signed([]ast.Expr{e}) {
				list := l.inOrder([]ast.Expr{e}, lower)
				before[x] = list
			} else {
				lower()
			}
			lc.List = append(lc.List, x)
		}
		if len(lc.List) > 1 && !calls(s) { // each clause gets one condition
			x := lc.List[0]
			for _, e := range lc.List[1:] {
				x = &ast.BinaryExpr{X: x, Op: token.LOR, Y: e}
			}
			lc.List = []ast.Expr{x}
		}
		out.Body.List = append(out.Body.List, lc)
	}
	if fallsThrough(s) || calls(s) {
		var choose []ast.Stmt
		out, choose = l.chosen(out, before)
		pre = append(pre, choose...)
	}
	return []ast.Stmt{block(append(pre, withLabel(label, defaultLast(out)))...)}
}

// clause lowers the body of a case.
func (l *Lowerer) clause(body []ast.Stmt) (out []ast.Stmt) {
	l.meanwhile(func() { out = l.caseBody(body) })
	return out
}

// caseBody lowers the body of a case. The interpreter finds labels in it only inside a block.
func (l *Lowerer) caseBody(body []ast.Stmt) []ast.Stmt {
	labelled := slices.ContainsFunc(body, func(s ast.Stmt) bool { _, ok := s.(*ast.LabeledStmt); return ok })
	if !labelled {
		return l.stmts(body)
	}
	var falls []ast.Stmt
	if b, ok := body[len(body)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
		body, falls = body[:len(body)-1], l.stmt(b)
	}
	return append([]ast.Stmt{block(l.stmts(body)...)}, falls...)
}

func fallsThrough(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		body := c.(*ast.CaseClause).Body
		if n := len(body); n > 0 {
			if b, ok := body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				return true
			}
		}
	}
	return false
}

// calls reports whether the cases contain calls.
func calls(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if !simple(e) {
				return true
			}
		}
	}
	return false
}

// chosen first chooses the clause and then runs the clauses from it on. The interpreter does not always find the clause
// that another falls through to, and it confuses cases that contain calls.
func (l *Lowerer) chosen(s *ast.SwitchStmt, before map[ast.Expr][]ast.Stmt) (*ast.SwitchStmt, []ast.Stmt) {
	n := l.fresh("case")
	other := len(s.Body.List)
	var choose ast.Stmt
	at := &choose
	run := &ast.CaseClause{}
	for k, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		if cc.List == nil {
			other = k
		}
		for _, cond := range cc.List {
			next := &ast.IfStmt{Cond: cond, Body: block(assign(ident(n), intLit(k)))}
			*at, at = one(append(before[cond], next)), &next.Else
		}
		body := cc.Body
		if last := len(body) - 1; last >= 0 {
			if b, ok := body[last].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				body = append(append([]ast.Stmt{}, body[:last]...), assign(ident(n), intLit(k+1)))
			}
		}
		run.Body = append(run.Body, &ast.IfStmt{Cond: &ast.BinaryExpr{X: ident(n), Op: token.EQL, Y: intLit(k)},
			Body: block(body...)})
	}
	pre := []ast.Stmt{varDecl(n, ident("int"), intLit(other))}
	if choose != nil {
		pre = append(pre, choose)
	}
	return &ast.SwitchStmt{Switch: s.Switch, Body: block(run)}, pre
}

// defaultLast moves a default clause to the end.
func defaultLast(s *ast.SwitchStmt) ast.Stmt {
	list := s.Body.List
	for k, c := range list {
		cc := c.(*ast.CaseClause)
		if cc.List == nil && k < len(list)-1 {
			moved := append(append([]ast.Stmt{}, list[:k]...), list[k+1:]...)
			s.Body.List = append(moved, c)
			return defaultLast(s)
		}
	}
	return s
}

// matches compares a case with the tag.
func (l *Lowerer) matches(e ast.Expr, tag string, t types.Type) ast.Expr {
	if tv := l.Info.Types[e]; tv.IsNil() {
		return &ast.BinaryExpr{X: ident(tag), Op: token.EQL, Y: ident("nil")}
	}
	et := l.typeOf(e)
	if types.IsInterface(t) || types.IsInterface(et) {
		return l.rt("Equal", l.convert(e, ident(tag), t, anyInterface), l.to(e, anyInterface))
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return l.rt("Same", ident(tag), l.to(e, t))
	case *types.Chan:
		return l.same(e, ident(tag), t, l.expr(e), et)
	}
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: ident(tag), Op: token.EQL, Y: l.to(e, t)}}
}

func (l *Lowerer) typeSwitch(s *ast.TypeSwitchStmt, label *ast.Ident) []ast.Stmt {
	var pre []ast.Stmt
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	l.forget(s.Assign, s.Body)
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	}
	from := types.Unalias(l.typeOf(x))
	pre = append(pre, l.at(x)...)
	tag := l.fresh("x")
	pre = append(pre, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
		Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(tag)}, Type: anyType(),
			Values: []ast.Expr{l.to(x, anyInterface)}}}}})
	defer l.push(scope{label: labelName(label)})()
	out := &ast.SwitchStmt{Switch: s.Switch, Body: &ast.BlockStmt{}}
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		lc := &ast.CaseClause{Case: cc.Case}
		var cond ast.Expr
		for _, e := range cc.List {
			var test ast.Expr
			if tv := l.Info.Types[e]; tv.IsNil() {
				test = l.rt("IsNil", ident(tag))
			} else {
				test = l.rt("Is", ident(tag), intLit(l.checkType(e, types.Unalias(l.typeOf(e)))))
			}
			if cond == nil {
				cond = test
			} else {
				cond = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: test}
			}
		}
		if cond != nil {
			lc.List = []ast.Expr{cond}
		}
		if v, ok := l.Info.Implicits[cc].(*types.Var); ok {
			lc.Body = l.caseVar(cc, v, tag, from)
		}
		lc.Body = append(lc.Body, l.clause(cc.Body)...)
		out.Body.List = append(out.Body.List, lc)
	}
	return []ast.Stmt{block(append(pre, withLabel(label, defaultLast(out)))...)}
}

// caseVar defines the variable of a clause of a type switch.
func (l *Lowerer) caseVar(cc *ast.CaseClause, v *types.Var, tag string, from types.Type) []ast.Stmt {
	t := types.Unalias(l.subst(v.Type()))
	if len(cc.List) == 1 {
		if tv := l.Info.Types[cc.List[0]]; !tv.IsNil() {
			return l.defineVar(cc, v, l.asserted(cc, ident(tag), from, t))
		}
	}
	return l.defineVar(cc, v, l.convert(cc, ident(tag), anyInterface, t))
}
