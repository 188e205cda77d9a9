package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A tight loop has a round of a store or two. Reading the flag in every round would cost more than the round. So it is
// written as four rounds, and only one of them reads the flag.

const (
	rounds    = 4
	tightSize = 40 // largest number of nodes in the body
)

// unrolled writes a tight loop as several rounds.
func (w *writer) unrolled(f *ast.ForStmt) (text string, ok bool) {
	if !w.tight(f) {
		return "", false
	}
	var b strings.Builder
	part := func(s ast.Stmt) string {
		if s == nil {
			return ""
		}
		return w.node(s)
	}
	b.WriteString("for " + part(f.Init) + "; " + w.node(f.Cond) + "; " + part(f.Post) + " {" + w.from(f.Body.Lbrace+1))
	round := "{ " + w.uses(f.Init) + w.span(f.Body, f.Body.Lbrace+1, f.Body.Rbrace) + "}\n"
	next := "if " + part(f.Post) + "; !(" + w.node(f.Cond) + ") { break }\n"
	check := "if h__.Stop(s__) { h__.Check() }\n"
	_, choice := f.Body.List[len(f.Body.List)-1].(*ast.IfStmt) // as in round
	if choice {
		b.WriteString(check)
	}
	for k := range rounds {
		if k > 0 {
			b.WriteString(w.from(f.For) + next + w.from(f.Body.Lbrace+1))
		}
		b.WriteString(round)
	}
	if !choice {
		b.WriteString(check)
	}
	return b.String() + "}" + w.from(f.End()), true
}

// tight reports whether a loop has a small body that can be written several times. The body has no calls, whose cost is
// unknown, no names that must be unique, and nothing that keeps the variable of one round.
func (w *writer) tight(f *ast.ForStmt) bool {
	if f.Cond == nil || len(f.Body.List) == 0 {
		return false
	}
	if a, ok := f.Init.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
		for _, x := range a.Lhs {
			if v, ok := w.Info.Defs[x.(*ast.Ident)].(*types.Var); ok {
				if _, basic := v.Type().Underlying().(*types.Basic); !basic {
					return false
				}
			}
		}
	}
	size, ok := 0, true
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				tv := w.Info.Types[n.Fun]
				ok = ok && (tv.IsType() || tv.IsBuiltin())
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.AND && n.Op != token.ARROW
			case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt, *ast.GoStmt, *ast.DeferStmt,
				*ast.SelectStmt, *ast.SwitchStmt,
				*ast.TypeSwitchStmt, *ast.SendStmt, *ast.DeclStmt, *ast.CompositeLit:
				ok = false
			}
			if n != nil {
				size++
			}
			return ok
		})
	}
	look(f.Cond)
	if f.Post != nil {
		look(f.Post)
	}
	look(f.Body)
	return ok && size <= tightSize
}
