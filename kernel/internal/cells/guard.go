package cells

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// At a cell's top level an error need not be handled: if a call's error is not used and is not nil, the cell ends. Such
// a call is wrapped in a call of a generic function, which takes the results and returns them without the error.
// Engines turn the wrapper into code that ends the cell. In functions of cells Go's own rules hold.

// guard is the name of these functions, which no program can write.
const guard = "guard·"

// Guard is a call whose error the kernel checks. The call stands inside a wrapper, a call of the function guard. X is
// the call itself; Name is its name in messages.
type Guard struct {
	X        ast.Expr
	Name     string // name of the call; "" if X is no call
	Position token.Position
}

// Guarded reports whether c is the wrapper of a call.
func Guarded(fset *token.FileSet, c *ast.CallExpr) (g Guard, ok bool) {
	id, ok := c.Fun.(*ast.Ident)
	if !ok || !strings.HasPrefix(id.Name, guard) {
		return Guard{}, false
	}
	g = Guard{X: c.Args[0], Position: fset.Position(c.Pos())}
	if call, ok := ast.Unparen(g.X).(*ast.CallExpr); ok {
		if g.Name = calleeName(call.Fun); strings.HasPrefix(g.Name, Alias) {
			g.Name = "" // the error of a command names it
		}
	}
	return g, true
}

// calleeName is a function as it is called, without what comes before the method of a long chain.
func calleeName(fun ast.Expr) string {
	switch f := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		if _, simple := f.X.(*ast.Ident); !simple {
			return f.Sel.Name
		}
	case *ast.IndexExpr:
		return calleeName(f.X)
	case *ast.IndexListExpr:
		return calleeName(f.X)
	case *ast.FuncLit:
		return "func"
	}
	return types.ExprString(fun)
}

// guardFunc is the function for n values and an error.
func guardFunc(n int) *types.Func {
	pkg := types.NewPackage("cell", "cell")
	var params []*types.TypeParam
	var in, out []*types.Var
	for k := range n {
		t := types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, fmt.Sprintf("T%d", k), nil),
			types.Universe.Lookup("any").Type())
		params = append(params, t)
		in = append(in, types.NewParam(token.NoPos, pkg, "", t))
		out = append(out, types.NewParam(token.NoPos, pkg, "", t))
	}
	in = append(in, types.NewParam(token.NoPos, pkg, "", errorType))
	return types.NewFunc(token.NoPos, pkg, fmt.Sprint(guard, n),
		types.NewSignatureType(nil, nil, params, types.NewTuple(in...), types.NewTuple(out...), false))
}

var errorType = types.Universe.Lookup("error").Type()

// guards wraps the calls of statements, as far as info knows their types, and says which functions it needs.
type guards struct {
	info  *types.Info
	funcs map[string]types.Object
}

// insert adds the functions to a scope.
func (g *guards) insert(scope *types.Scope) {
	for _, f := range g.funcs {
		scope.Insert(f)
	}
}

// wrap reports whether it wrapped any call. An expression inside a wrapped call may have a type only after a second
// check.
func (g *guards) wrap(body []ast.Stmt) (any bool) {
	for k, s := range body {
		last := k == len(body)-1
		astutil.Apply(s, func(c *astutil.Cursor) bool {
			_, isFunc := c.Node().(*ast.FuncLit)
			return !isFunc
		}, func(c *astutil.Cursor) bool {
			x, ok := c.Node().(ast.Expr)
			if !ok || !g.drops(x, c.Parent(), last && c.Parent() == s) {
				return true
			}
			n := g.results(x) - 1
			name := fmt.Sprint(guard, n)
			if g.funcs[name] == nil {
				g.funcs[name] = guardFunc(n)
			}
			c.Replace(&ast.CallExpr{Fun: &ast.Ident{Name: name, NamePos: x.Pos()}, Lparen: x.Pos(), Args: []ast.Expr{x},
				Rparen: x.End() - 1})
			any = true
			return true
		})
	}
	return any
}

// results is how many results x has where the last is an error, 0 for others.
func (g *guards) results(x ast.Expr) int {
	switch t := g.info.TypeOf(x).(type) {
	case nil:
	case *types.Tuple:
		if n := t.Len(); n > 0 && types.Identical(t.At(n-1).Type(), errorType) {
			return n
		}
	default:
		if types.Identical(t, errorType) {
			return 1
		}
	}
	return 0
}

// drops reports whether the error of x is left out where x stands. last is the cell's last statement.
func (g *guards) drops(x ast.Expr, parent ast.Node, last bool) bool {
	n := g.results(x)
	if n == 0 {
		return false
	}
	_, call := ast.Unparen(x).(*ast.CallExpr)
	if _, ok := parent.(*ast.ExprStmt); ok {
		return last && !prints(g.callee(x)) || call && !g.neverFails(x)
	}
	if !call || n == 1 {
		return false
	}
	switch p := parent.(type) {
	case *ast.AssignStmt:
		return len(p.Rhs) == 1 && len(p.Lhs) == n-1 || len(p.Rhs) > 1 && n == 2
	case *ast.ValueSpec:
		return len(p.Values) == 1 && len(p.Names) == n-1 || len(p.Values) > 1 && n == 2
	case *ast.CallExpr:
		if p.Fun == x || len(p.Args) > 1 {
			return n == 2
		}
		sig, ok := g.info.TypeOf(p.Fun).(*types.Signature)
		if !ok || g.info.Types[p.Fun].IsType() { // a conversion, or a function of the language
			return n == 2
		}
		return !sig.Variadic() && sig.Params().Len() == n-1
	case *ast.ParenExpr, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt:
		return false
	case ast.Expr, *ast.RangeStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.CaseClause, *ast.SendStmt,
		*ast.IncDecStmt:
		return n == 2
	}
	return false
}

// neverFails reports whether x prints, or calls a method of a buffer in memory, whose errors nobody checks.
func (g *guards) neverFails(x ast.Expr) bool {
	f := g.callee(x)
	if f == nil || f.Signature().Recv() == nil {
		return prints(f)
	}
	n := namedOf(f.Signature().Recv().Type())
	return n != nil && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "strings" || n.Obj().Pkg().Path() == "bytes")
}

// callee is the function or method that the call x selects from a package or value, nil of others.
func (g *guards) callee(x ast.Expr) *types.Func {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return nil
	}
	s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	f, _ := g.info.Uses[s.Sel].(*types.Func)
	return f
}

// prints reports whether f is a printing function, whose results nobody wants to see.
func prints(f *types.Func) bool {
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "fmt" && (strings.HasPrefix(f.Name(), "Print") ||
		strings.HasPrefix(f.Name(), "Fprint"))
}

// Explicit returns the text of the cell with its wrapped calls written out as calls of helper functions. The function
// name returns a helper's name for a number of values.
func (u *Unit) Explicit(name func(values int) string) string {
	type insert struct {
		at, depth int
		text      string
	}
	var list []insert
	for _, s := range u.Body {
		depth := 0
		ast.Inspect(s, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if g, ok := Guarded(u.prog.Fset, c); ok {
				values := 0
				fmt.Sscanf(c.Fun.(*ast.Ident).Name, guard+"%d", &values)
				depth++
				list = append(list, insert{u.Text.offset(g.X.Pos()), depth, name(values) + "("},
					insert{u.Text.offset(g.X.End()), -depth, ")"})
			}
			return true
		})
	}
	// At one place the closing brackets come first, inner before outer. Then come the opening brackets, outer before
	// inner.
	slices.SortStableFunc(list, func(a, b insert) int {
		if a.at != b.at {
			return a.at - b.at
		}
		if (a.depth < 0) != (b.depth < 0) {
			return a.depth
		}
		return a.depth - b.depth
	})
	var b strings.Builder
	at := 0
	for _, e := range list {
		b.WriteString(u.Text.text[at:e.at] + e.text)
		at = e.at
	}
	return b.String() + u.Text.text[at:]
}
