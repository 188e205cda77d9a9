package lower

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// leading evaluates the left operand of && or || in a closure if the first step of the operand does nothing. The
// interpreter takes a step that does nothing for the whole operand, and branches on any value that happens to be at its
// place. Such steps are parentheses around a type or a name, and an element of a literal with its key.
func leading(file *ast.File) {
	astutil.Apply(file, nil, func(c *astutil.Cursor) bool {
		if b, ok := c.Node().(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) &&
			!still(ast.Unparen(b.X)) && idle(ast.Unparen(b.X)) {
			b.X = call(&ast.FuncLit{
				Type: &ast.FuncType{Params: &ast.FieldList{},
					Results: &ast.FieldList{List: []*ast.Field{field("", ident("bool"))}}},
				Body: block(&ast.ReturnStmt{Results: []ast.Expr{b.X}}),
			})
		}
		return true
	})
}

// landing puts a step before a return without values at the beginning of a clause or a block. Such a return is no step
// of its own. If several conditions lead to it, the interpreter would take it for a step that follows itself, and never
// end.
func landing(file *ast.File) {
	step := func(body []ast.Stmt) []ast.Stmt {
		if len(body) > 0 {
			if r, ok := body[0].(*ast.ReturnStmt); ok && len(r.Results) == 0 {
				return append([]ast.Stmt{assign(ident("_"), ident("stop__"))}, body...)
			}
		}
		return body
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CaseClause:
			n.Body = step(n.Body)
		case *ast.CommClause:
			n.Body = step(n.Body)
		case *ast.BlockStmt:
			n.List = step(n.List)
		}
		return true
	})
}

// still reports whether x is not a step of its own.
func still(x ast.Expr) bool {
	switch x.(type) {
	case nil, *ast.Ident, *ast.BasicLit, *ast.ArrayType, *ast.MapType, *ast.ChanType:
		return true
	}
	return false
}

// idle reports whether the first step of x does nothing.
func idle(x ast.Expr) bool {
	first := func(parts ...ast.Expr) bool {
		for _, p := range parts {
			if !still(p) {
				return idle(p)
			}
		}
		return false
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return still(x.X) || idle(x.X)
	case *ast.InterfaceType, *ast.StructType, *ast.FuncType:
		return true
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR { // it is looked at itself
			return false
		}
		return first(x.X, x.Y)
	case *ast.UnaryExpr:
		return first(x.X)
	case *ast.StarExpr:
		return first(x.X)
	case *ast.SelectorExpr:
		return first(x.X)
	case *ast.TypeAssertExpr:
		return first(x.X)
	case *ast.IndexExpr:
		return first(x.X, x.Index)
	case *ast.SliceExpr:
		return first(x.X, x.Low, x.High, x.Max)
	case *ast.CallExpr:
		return first(append([]ast.Expr{x.Fun}, x.Args...)...)
	case *ast.KeyValueExpr:
		return still(x.Key) && still(x.Value) || first(x.Key, x.Value)
	case *ast.CompositeLit:
		return first(append([]ast.Expr{x.Type}, x.Elts...)...)
	}
	return false
}
