package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

var anyInterface types.Type = types.NewInterfaceType(nil, nil)

func ident(name string) *ast.Ident { return ast.NewIdent(name) }

func call(f ast.Expr, args ...ast.Expr) *ast.CallExpr { return &ast.CallExpr{Fun: f, Args: args} }

func sel(x ast.Expr, name string) *ast.SelectorExpr {
	return &ast.SelectorExpr{X: x, Sel: ident(name)}
}

func star(x ast.Expr) ast.Expr { return &ast.ParenExpr{X: &ast.StarExpr{X: x}} }

func addr(x ast.Expr) ast.Expr { return &ast.UnaryExpr{Op: token.AND, X: x} }

func intLit(n int) ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(n)} }

func strLit(s string) ast.Expr { return &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(s)} }

func anyType() ast.Expr { return &ast.InterfaceType{Methods: &ast.FieldList{}} }

func anySlice() ast.Expr { return &ast.ArrayType{Elt: anyType()} }

func assign(dst, src ast.Expr) ast.Stmt {
	if p, ok := dst.(*ast.ParenExpr); ok {
		dst = p.X
	}
	return &ast.AssignStmt{Lhs: []ast.Expr{dst}, Tok: token.ASSIGN, Rhs: []ast.Expr{src}}
}

func define(name string, src ast.Expr) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{ident(name)}, Tok: token.DEFINE, Rhs: []ast.Expr{src}}
}

func declare(name string, typ ast.Expr) ast.Stmt {
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
		Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(name)}, Type: typ}}}}
}

func block(list ...ast.Stmt) *ast.BlockStmt { return &ast.BlockStmt{List: list} }

func field(name string, typ ast.Expr) *ast.Field {
	f := &ast.Field{Type: typ}
	if name != "" {
		f.Names = []*ast.Ident{ident(name)}
	}
	return f
}

// rt calls a host function.
func (l *Lowerer) rt(name string, args ...ast.Expr) *ast.CallExpr {
	l.imports["rt"] = "rt__"
	return call(sel(ident("rt__"), name), args...)
}

func (l *Lowerer) fresh(base string) string {
	l.serial++
	return base + "_" + strconv.Itoa(l.serial)
}

func (l *Lowerer) pos(n ast.Node) token.Pos {
	if n == nil {
		return token.NoPos
	}
	return n.Pos()
}
