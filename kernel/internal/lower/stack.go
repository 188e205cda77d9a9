package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Lowered returns the function with that name in lowered code, or nil for other names, such as that of a cell.
func (l *Lowerer) Lowered(name string) *Func { return l.byLow[name] }

// Calls returns the position at which f calls the function callee. It returns NoPos if f does not call it, or calls it
// in several places.
func (f *Func) Calls(info *types.Info, callee *Func) token.Pos {
	found, n := token.NoPos, 0
	if callee == nil {
		return found
	}
	ast.Inspect(f.Decl.Body, func(node ast.Node) bool {
		c, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun := ast.Unparen(c.Fun)
		switch x := fun.(type) {
		case *ast.IndexExpr:
			fun = x.X
		case *ast.IndexListExpr:
			fun = x.X
		}
		id := instantiated(fun)
		if id == nil {
			return true
		}
		if o, ok := info.Uses[id].(*types.Func); ok &&
			(o.Origin() == callee.Obj || callee.Also != nil && o.Origin() == callee.Also) {
			found = c.Pos()
			n++
		}
		return true
	})
	if n != 1 {
		return token.NoPos
	}
	return found
}
