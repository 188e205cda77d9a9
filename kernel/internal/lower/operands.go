package lower

import (
	"go/ast"
	"go/types"
)

// operands are the channels and sent values of a select statement, in order. Other than plain names they are evaluated
// before it: the interpreter does not evaluate all of them itself, and asks for the types of some before they are known.
type operands struct {
	l        *Lowerer
	list     []operand
	computed bool
}

type operand struct {
	at  ast.Node
	x   *ast.Expr // where it stands in the lowered statement
	typ types.Type
}

func (o *operands) add(n ast.Node, x *ast.Expr, t types.Type) {
	switch (*x).(type) {
	case *ast.Ident, *ast.BasicLit:
	default:
		o.computed = true
	}
	o.list = append(o.list, operand{n, x, t})
}

// receive lowers a receive operation.
func (o *operands) receive(e *ast.UnaryExpr) ast.Expr {
	recv := &ast.UnaryExpr{Op: e.Op, X: o.l.expr(e.X)}
	o.add(e, &recv.X, o.l.typeOf(e.X))
	return recv
}

// hoist returns the statements that evaluate the operands into variables, which take their places.
func (o *operands) hoist() []ast.Stmt {
	if !o.computed {
		return nil
	}
	var list []ast.Stmt
	for _, op := range o.list {
		name := o.l.fresh("t")
		list = append(list, declare(name, o.l.low(op.at, op.typ)), assign(ident(name), *op.x))
		*op.x = ident(name)
	}
	return list
}
