package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// apart makes each closure of a loop in a frame of its own. When a closure ends, the interpreter gives the place that held
// it what was there when it was made, in the frame that made it: the closure of the turn before. Where it ends on another
// goroutine while the loop goes on, the loop would use that one instead of its newest.
func apart(file *ast.File) {
	var loops []int // around what is visited, of each function that it is in
	enter := func(body *ast.BlockStmt) {
		n := 0
		if jumps(body) {
			n = 1
		}
		loops = append(loops, n)
	}
	astutil.Apply(file, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncDecl:
			enter(n.Body)
		case *ast.FuncLit:
			enter(n.Body)
		case *ast.ForStmt, *ast.RangeStmt:
			loops[len(loops)-1]++
		}
		return true
	}, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncDecl:
			loops = loops[:len(loops)-1]
		case *ast.FuncLit:
			loops = loops[:len(loops)-1]
			if of, ok := c.Parent().(*ast.CallExpr); ok && of.Fun == n { // it ends before the loop goes on
				break
			}
			if len(loops) > 0 && loops[len(loops)-1] > 0 {
				c.Replace(call(&ast.FuncLit{
					Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: n.Type}}}},
					Body: block(&ast.ReturnStmt{Results: []ast.Expr{n}}),
				}))
			}
		case *ast.ForStmt, *ast.RangeStmt:
			loops[len(loops)-1]--
		}
		return true
	})
}

// passOn makes a literal that calls it of each function of the file that a closure uses as a value. The interpreter makes
// what native code gets of it when it reads the closure, at which time it may not have read the function, so that calling
// it would do nothing.
func passOn(file *ast.File) {
	known := map[string]*ast.FuncType{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			known[f.Name.Name] = f.Type
		}
	}
	var more []ast.Decl
	hosted := map[string]bool{}
	depth := 0
	astutil.Apply(file, func(c *astutil.Cursor) bool {
		if _, ok := c.Node().(*ast.FuncLit); ok {
			depth++
		}
		return true
	}, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			depth--
		case *ast.Ident:
			if t := known[n.Name]; t != nil && depth > 0 && c.Name() != "Fun" && c.Name() != "Sel" && c.Name() != "Key" {
				lit, host := passing(n, t)
				c.Replace(lit)
				if host != nil && !hosted[n.Name] {
					hosted[n.Name] = true
					more = append(more, host)
				}
			}
		}
		return true
	})
	file.Decls = append(file.Decls, more...)
}

// passing is a literal of type t that calls f, and the function that it gets f from where an argument may be -0.
func passing(f *ast.Ident, t *ast.FuncType) (*ast.FuncLit, ast.Decl) {
	lit := &ast.FuncType{Params: &ast.FieldList{}, Results: t.Results}
	inner := call(f)
	var cond ast.Expr
	var args []ast.Expr // of the call through the host
	for k, p := range t.Params.List {
		name := fmt.Sprintf("a__%d", k)
		lit.Params.List = append(lit.Params.List, field(name, p.Type))
		inner.Args = append(inner.Args, ident(name))
		args = append(args, ident(name))
		if _, isFunc := p.Type.(*ast.FuncType); isFunc {
			args[k] = hosted(ident(name), p.Type)
		}
		if _, ok := p.Type.(*ast.Ellipsis); ok {
			inner.Ellipsis = 1
		}
		if !mayHaveSign(p.Type) {
			continue
		}
		signed := ast.Expr(call(sel(ident("rt__"), "MinusZero"), ident(name)))
		if cond != nil {
			signed = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: signed}
		}
		cond = signed
	}
	results := 0
	if t.Results != nil {
		results = len(t.Results.List)
	}
	if cond == nil {
		return &ast.FuncLit{Type: lit, Body: block(passedBack(inner, results)...)}, nil
	}
	host := hostDecl(f.Name+"_host", ident(f.Name), t)
	other := &ast.CallExpr{Fun: call(ident(host.Name.Name)), Args: args, Ellipsis: inner.Ellipsis}
	return &ast.FuncLit{Type: lit, Body: block(passedBack(&choice{Expr: inner, cond: cond, other: other}, results)...)}, host
}

// mayHaveSign says whether a lowered type may hold a number with a sign.
func mayHaveSign(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.Ident:
		b, ok := types.Universe.Lookup(t.Name).(*types.TypeName)
		if !ok {
			return true
		}
		basic, ok := b.Type().(*types.Basic)
		return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
	case *ast.ArrayType:
		return t.Len != nil && mayHaveSign(t.Elt)
	case *ast.SelectorExpr, *ast.StructType:
		return true
	}
	return false
}

// jumps says whether a function's own statements may go back to an earlier one by goto.
func jumps(body *ast.BlockStmt) (found bool) {
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			found = found || n.Tok == token.GOTO
		}
		return !found
	})
	return found
}
