package compile

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// hiding writes the constants of a function in which one hides a constant of the session that its own expression uses,
// while the next repeats the expression: with X = X+X and then Y, the X of Y is the new one. The checker keeps one
// meaning of the expression, and the constant of the session has another name here. So each constant gets its value.
func (w *writer) hiding(g *ast.GenDecl) (text string, ok bool) {
	if g.Tok != token.CONST || !w.hides(g) {
		return "", false
	}
	var list []string
	for _, s := range g.Specs {
		for _, id := range s.(*ast.ValueSpec).Names {
			list = append(list, id.Name+" = "+w.constant(id))
		}
	}
	return "const (" + strings.Join(list, "; ") + ")", true
}

// hides reports whether an expression that the next constants repeat has a name of the session that they hide.
func (w *writer) hides(g *ast.GenDecl) (found bool) {
	for k, s := range g.Specs {
		s := s.(*ast.ValueSpec)
		if k+1 == len(g.Specs) || len(g.Specs[k+1].(*ast.ValueSpec).Values) > 0 {
			continue
		}
		for _, x := range s.Values {
			ast.Inspect(x, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return !found
				}
				if c, ok := w.Info.Uses[id].(*types.Const); ok && c.Pos() >= g.Pos() && c.Pos() < g.End() {
					_, before := c.Parent().LookupParent(id.Name, id.Pos())
					hidden, isConst := before.(*types.Const)
					found = found || isConst && w.consts[hidden] != nil
				}
				return !found
			})
		}
	}
	return found
}

// constant writes the value of a constant.
func (w *writer) constant(id *ast.Ident) string {
	c, ok := w.Info.Defs[id].(*types.Const)
	if !ok || id.Name == "_" {
		return "0"
	}
	b, basic := c.Type().(*types.Basic)
	switch k := c.Val().Kind(); {
	case k == constant.Float || k == constant.Complex || basic && b.Kind() == types.UntypedRune:
		refuse(id.Pos(), "the constant %s stands in a list that repeats an expression whose names it hides: write "+
			"each expression out", id.Name)
	case !basic || b.Info()&types.IsUntyped == 0:
		return w.typ(c.Type()) + "(" + c.Val().ExactString() + ")"
	}
	return c.Val().ExactString()
}
