package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// selectStmt lets the host select and then switches over the chosen clause. The host gets pointers to what is sent and
// received. The interpreter's own select shares its state between goroutines and cannot leave some clauses.
func (l *Lowerer) selectStmt(s *ast.SelectStmt, label *ast.Ident) []ast.Stmt {
	defer l.push(scope{label: labelName(label)})()
	l.forget(s)
	chans, sent, received := &ast.CompositeLit{Type: anySlice()}, &ast.CompositeLit{Type: anySlice()},
		&ast.CompositeLit{Type: anySlice()}
	at, ok := l.fresh("at"), l.fresh("ok")
	var pre []ast.Stmt
	hold := func(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
		name := l.fresh("t")
		pre = append(pre, varDecl(name, l.low(n, t), x))
		return ident(name)
	}
	slot := func(n ast.Node, t types.Type) ast.Expr {
		name := l.fresh("p")
		pre = append(pre, define(name, call(ident("new"), l.low(n, t))))
		return ident(name)
	}
	add := func(c, send, receive ast.Expr) {
		for k, x := range []ast.Expr{send, receive} {
			if x == nil {
				x = ident("nil")
			}
			list := []*ast.CompositeLit{sent, received}[k]
			list.Elts = append(list.Elts, x)
		}
		chans.Elts = append(chans.Elts, c)
	}
	slots := map[*ast.CommClause]ast.Expr{}
	hasDefault := ident("false")
	for _, c := range s.Body.List { // all operands are evaluated in order, whichever clause is chosen
		cc := c.(*ast.CommClause)
		var recv *ast.UnaryExpr
		switch comm := cc.Comm.(type) {
		case nil:
			hasDefault = ident("true")
			continue
		case *ast.SendStmt:
			elem := l.typeOf(comm.Chan).Underlying().(*types.Chan).Elem()
			c := hold(comm, l.expr(comm.Chan), l.typeOf(comm.Chan))
			x := l.to(comm.Value, elem)
			p := slot(comm, elem)
			pre = append(pre, assign(&ast.StarExpr{X: p}, x))
			add(c, p, nil)
			continue
		case *ast.ExprStmt:
			recv = ast.Unparen(comm.X).(*ast.UnaryExpr)
		case *ast.AssignStmt:
			recv = ast.Unparen(comm.Rhs[0]).(*ast.UnaryExpr)
		}
		c := hold(recv, l.expr(recv.X), l.typeOf(recv.X))
		slots[cc] = slot(recv, l.typeOf(recv.X).Underlying().(*types.Chan).Elem())
		add(c, nil, slots[cc])
	}
	pre = append(pre, &ast.AssignStmt{
		Lhs: []ast.Expr{ident(at), ident(ok)}, Tok: token.DEFINE,
		Rhs: []ast.Expr{l.rt("Select", hasDefault, chans, sent, received)},
	})
	out := &ast.SwitchStmt{Switch: s.Select, Body: &ast.BlockStmt{}}
	k := 0
	for _, c := range s.Body.List {
		cc := c.(*ast.CommClause)
		clause := &ast.CaseClause{Case: cc.Case}
		if cc.Comm != nil {
			clause.List = []ast.Expr{&ast.BinaryExpr{X: ident(at), Op: token.EQL, Y: intLit(k)}}
			k++
		} else {
			clause.List = []ast.Expr{&ast.BinaryExpr{X: ident(at), Op: token.LSS, Y: intLit(0)}}
		}
		if a, isAssign := cc.Comm.(*ast.AssignStmt); isAssign {
			elem := l.typeOf(ast.Unparen(a.Rhs[0]).(*ast.UnaryExpr).X).Underlying().(*types.Chan).Elem()
			from := []types.Type{elem, types.Typ[types.Bool]}
			for j, x := range []ast.Expr{star(slots[cc]), ident(ok)}[:len(a.Lhs)] {
				switch v := l.newVar(a.Lhs[j]); {
				case blank(a.Lhs[j]):
				case v != nil:
					clause.Body = append(clause.Body, l.defineVar(a.Lhs[j], v, x)...)
				default:
					clause.Body = append(clause.Body,
						assign(l.place(a.Lhs[j]), l.convert(a.Lhs[j], x, from[j], l.typeOf(a.Lhs[j]))))
				}
			}
		}
		clause.Body = append(clause.Body, l.clause(cc.Body)...)
		out.Body.List = append(out.Body.List, clause)
	}
	return []ast.Stmt{block(append(pre, withLabel(label, out))...)}
}
