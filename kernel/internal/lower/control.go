package lower

import (
	"go/ast"
	"go/token"
)

// scope is a statement that break or continue can end.
type scope struct {
	label string
	loop  bool
	yield *yield // set if the statement is a range over a function, whose body is a closure
	in    *yield // the closure that contains the statement
}

// yield is the closure that replaces the body of a range over a function. It leaves the loop by returning false, with a
// code that tells the surrounding function how to go on. Between two calls the code is 0; rt.Ranged lists its other
// values.
type yield struct {
	outer   *yield
	body    *ast.BlockStmt
	code    string
	exits   []ast.Stmt
	returns bool
	results []string
}

func (l *Lowerer) push(s scope) func() {
	s.in = l.fn.yield
	l.fn.scopes = append(l.fn.scopes, s)
	n := len(l.fn.scopes)
	return func() { l.fn.scopes = l.fn.scopes[:n-1] }
}

func labelName(label *ast.Ident) string {
	if label == nil {
		return ""
	}
	return label.Name
}

func withLabel(label *ast.Ident, s ast.Stmt) ast.Stmt {
	if label == nil {
		return s
	}
	return &ast.LabeledStmt{Label: ident(label.Name), Stmt: s}
}

// entry returns the label that goto goes to. It stands before all statements that replace s. The label of s itself
// stands only before the statement that break and continue name.
func entry(label *ast.Ident) *ast.Ident { return ident(label.Name + "__entry") }

func (l *Lowerer) labeled(s *ast.LabeledStmt) []ast.Stmt {
	l.fn.known = nil // it may be reached from elsewhere
	return append([]ast.Stmt{&ast.LabeledStmt{Label: entry(s.Label), Stmt: &ast.EmptyStmt{}}}, l.labeledBy(s)...)
}

func (l *Lowerer) labeledBy(s *ast.LabeledStmt) []ast.Stmt {
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		return l.forStmt(inner, s.Label)
	case *ast.RangeStmt:
		return l.rangeStmt(inner, s.Label)
	case *ast.SwitchStmt:
		return l.switchStmt(inner, s.Label)
	case *ast.TypeSwitchStmt:
		return l.typeSwitch(inner, s.Label)
	case *ast.SelectStmt:
		return l.selectStmt(inner, s.Label)
	}
	return l.stmt(s.Stmt)
}

func (l *Lowerer) branch(s *ast.BranchStmt) []ast.Stmt {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		if y := l.fn.yield; y != nil && s.Tok == token.GOTO && !l.labels(y.body, s.Label) {
			return l.exit(y, s)
		}
		out := &ast.BranchStmt{TokPos: s.TokPos, Tok: s.Tok}
		if s.Label != nil {
			out.Label = entry(s.Label)
		}
		return []ast.Stmt{out}
	}
	for k := len(l.fn.scopes) - 1; k >= 0; k-- {
		sc := l.fn.scopes[k]
		if s.Label != nil && sc.label != s.Label.Name || s.Label == nil && s.Tok == token.CONTINUE && !sc.loop {
			continue
		}
		y := l.fn.yield
		switch {
		case sc.yield == nil && sc.in == y: // the interpreter branches by itself
			out := &ast.BranchStmt{TokPos: s.TokPos, Tok: s.Tok}
			if s.Label != nil {
				out.Label = ident(s.Label.Name)
			}
			return []ast.Stmt{out}
		case sc.yield == y && s.Tok == token.CONTINUE:
			return y.next()
		case sc.yield == y:
			return l.leave(y, 1)
		}
		return l.exit(y, s)
	}
	l.refuse(s, "%s is not supported here", s.Tok)
	return nil
}

// labels reports whether the statement with label s is in body.
func (l *Lowerer) labels(body *ast.BlockStmt, s *ast.Ident) bool {
	label := l.Info.Uses[s]
	return label != nil && body.Pos() <= label.Pos() && label.Pos() < body.End()
}

// exit leaves y. The surrounding function then branches as s says.
func (l *Lowerer) exit(y *yield, s *ast.BranchStmt) []ast.Stmt {
	y.exits = append(y.exits, s)
	return l.leave(y, len(y.exits)+1)
}

// next ends an iteration of a range over a function.
func (y *yield) next() []ast.Stmt {
	return []ast.Stmt{assign(ident(y.code), intLit(0)), &ast.ReturnStmt{Results: []ast.Expr{ident("true")}}}
}

func (l *Lowerer) leave(y *yield, code int) []ast.Stmt {
	return []ast.Stmt{assign(ident(y.code), intLit(code)), &ast.ReturnStmt{Results: []ast.Expr{ident("false")}}}
}

func (l *Lowerer) yieldReturn(s *ast.ReturnStmt) []ast.Stmt {
	y := l.fn.yield
	for o := y; o != nil; o = o.outer {
		o.returns = true
	}
	var out []ast.Stmt
	switch {
	case len(s.Results) == 0:
		if len(l.fn.results) > 0 {
			for k, v := range l.fn.results {
				loc, ok := l.fn.names[v]
				if !ok {
					continue
				}
				x := ast.Expr(ident(loc.name))
				if loc.boxed {
					x = star(x)
				}
				out = append(out, assign(yieldSlot(y, k), x))
			}
		}
	case len(s.Results) == 1 && len(l.fn.results) > 1:
		names, ts, pre := l.unpack(s.Results[0])
		out = pre
		for k, name := range names {
			out = append(out, assign(yieldSlot(y, k), l.convert(s, ident(name), ts[k], l.fn.results[k].Type())))
		}
	default:
		for k, e := range s.Results {
			out = append(out, assign(yieldSlot(y, k), l.to(e, l.fn.results[k].Type())))
		}
	}
	return append(out, l.leave(y, -1)...)
}

// yieldSlot returns the place for the k-th result of a return inside the body of a range over a function.
func yieldSlot(y *yield, k int) ast.Expr { return &ast.StarExpr{X: ident(y.results[k])} }

func (l *Lowerer) ifStmt(s *ast.IfStmt) []ast.Stmt {
	var pre []ast.Stmt
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	pre = append(pre, l.at(s.Cond)...)
	l.quiet(s.Cond)
	out := &ast.IfStmt{If: s.If}
	pre = append(pre, l.inOrder([]ast.Expr{s.Cond}, func() []ast.Stmt { out.Cond = l.expr(s.Cond); return nil })...)
	l.meanwhile(func() {
		l.holds(s.Cond, true)
		l.quiet(s.Cond)
		out.Body = l.block(s.Body)
	})
	l.meanwhile(func() {
		l.holds(s.Cond, false)
		l.quiet(s.Cond)
		out.Else = l.elseStmt(s.Else)
	})
	switch {
	case s.Else != nil:
		l.forget(s.Body, s.Else)
	case leaves(s.Body):
		l.holds(s.Cond, false)
		l.quiet(s.Cond)
	default:
		l.learn(s.Cond)
		l.quiet(s.Cond)
		l.forget(s.Body)
	}
	if len(pre) == 0 {
		return []ast.Stmt{out}
	}
	return []ast.Stmt{block(append(pre, out)...)}
}

func (l *Lowerer) elseStmt(s ast.Stmt) ast.Stmt {
	switch e := s.(type) {
	case nil:
		return nil
	case *ast.BlockStmt:
		return l.block(e)
	}
	list := l.stmt(s)
	if inner, ok := list[0].(*ast.IfStmt); ok && len(list) == 1 {
		return inner
	}
	return block(list...)
}

// leaves reports whether what follows a block does not run after it.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	}
	return false
}
