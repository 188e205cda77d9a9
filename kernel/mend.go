package kernel

import (
	"go/ast"
	"go/token"
)

// mend rewrites in a lowered cell what the interpreter does not run: "return <-c", whose value it cannot set, and
// "return complex(x, y)", which gives 0 for constants.
func mend(f *ast.File) {
	returned := func(list []ast.Stmt) {
		for k, s := range list {
			r, ok := s.(*ast.ReturnStmt)
			if !ok || len(r.Results) != 1 {
				continue
			}
			x := ast.Unparen(r.Results[0])
			switch x := x.(type) {
			case *ast.UnaryExpr:
				ok = x.Op == token.ARROW
			case *ast.CallExpr:
				f, named := x.Fun.(*ast.Ident)
				ok = named && (f.Name == "complex" || f.Name == "complex64" || f.Name == "complex128")
			default:
				ok = false
			}
			if !ok {
				continue
			}
			name := ast.NewIdent("result__")
			list[k] = &ast.BlockStmt{List: []ast.Stmt{
				&ast.AssignStmt{Lhs: []ast.Expr{name}, Tok: token.DEFINE, Rhs: []ast.Expr{x}},
				&ast.ReturnStmt{Results: []ast.Expr{name}},
			}}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			returned(n.List)
		case *ast.CaseClause:
			returned(n.Body)
		case *ast.CommClause:
			returned(n.Body)
		}
		return true
	})
}
