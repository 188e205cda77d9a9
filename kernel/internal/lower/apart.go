package lower

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// apart makes each closure of a loop in a frame of its own. When a closure ends, the interpreter resets the variable
// that held it, in the frame that made it, to what it was when the closure was made: the closure of the turn before. If
// the closure ends on another goroutine while the loop goes on, the loop would use the older closure instead of the
// newest.
func apart(file *ast.File) {
	var loops []int // loops around the node that is visited, for each function around it
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
					Type: &ast.FuncType{Params: &ast.FieldList{},
						Results: &ast.FieldList{List: []*ast.Field{{Type: n.Type}}}},
					Body: block(&ast.ReturnStmt{Results: []ast.Expr{n}}),
				}))
			}
		case *ast.ForStmt, *ast.RangeStmt:
			loops[len(loops)-1]--
		}
		return true
	})
}

// jumps reports whether a function's own statements may go back to an earlier statement by goto.
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

// arrivals gives every received value that is assigned a variable of its own. Otherwise a receive would not reach
// variables that functions share, or targets of pointers.
func (l *Lowerer) arrivals(file *ast.File) {
	astutil.Apply(file, nil, func(c *astutil.Cursor) bool {
		a, ok := c.Node().(*ast.AssignStmt)
		if !ok || a.Tok == token.DEFINE || c.Index() < 0 {
			return true
		}
		for k, x := range a.Rhs {
			if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW && len(a.Lhs) == len(a.Rhs) {
				name := l.fresh("t")
				c.InsertBefore(define(name, u))
				a.Rhs[k] = ident(name)
			}
		}
		return true
	})
}
