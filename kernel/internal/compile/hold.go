package compile

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A loop at the top level of a cell would read its variables from memory in each round, because they belong to the
// session. If only statements of the top level can reach a variable, the loop holds it in a local variable, and each
// assignment also writes the session's variable. So the session's variable is right however the loop ends, even by a
// panic or an interrupt.

// share notes the variables that functions and pointers in n can reach.
func (u *unit) share(n ast.Node) {
	slot := func(x ast.Expr) *entity {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok {
			return u.slotOf(id)
		}
		return nil
	}
	within := 0 // depth of nested functions
	var open []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		switch m := n.(type) {
		case nil:
			switch open[len(open)-1].(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				within--
			}
			open = open[:len(open)-1]
			return true
		case *ast.FuncDecl, *ast.FuncLit:
			within++
		case *ast.Ident:
			if e := u.slotOf(m); e != nil && within > 0 {
				e.shared = true
			}
		case *ast.UnaryExpr:
			if e := slot(m.X); e != nil && m.Op == token.AND {
				e.shared = true
			}
		case *ast.SelectorExpr: // it may be a method that takes the address
			if e := slot(m.X); e != nil && u.Info.Selections[m] != nil &&
				u.Info.Selections[m].Kind() == types.MethodVal {
				e.shared = true
			}
		}
		open = append(open, n)
		return true
	})
}

func (s *Session) slotOf(id *ast.Ident) *entity {
	v, ok := s.Info.Uses[id].(*types.Var)
	if !ok {
		v, ok = s.Info.Defs[id].(*types.Var)
	}
	if !ok {
		return nil
	}
	return s.slots[v]
}

// hold lets a looping statement of the cell's top level hold variables. It returns the text before and after the
// statement.
func (w *writer) hold(s ast.Stmt) (before, after string) {
	switch s.(type) {
	case *ast.DeclStmt, *ast.AssignStmt, *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return "", ""
	}
	if !loops(&ast.BlockStmt{List: []ast.Stmt{s}}) {
		return "", ""
	}
	listed := map[ast.Stmt]bool{} // statements that another statement may follow
	list := func(l []ast.Stmt) {
		for _, s := range l {
			listed[unlabeled(s)] = true
		}
	}
	uses, writes, never := map[*entity]bool{}, map[*entity]bool{}, map[*entity]bool{}
	assigned := func(at ast.Stmt, lhs []ast.Expr) {
		simple := listed[at] && !slices.ContainsFunc(lhs, func(x ast.Expr) bool {
			_, ok := x.(*ast.Ident)
			return len(lhs) > 1 && !ok
		})
		for _, x := range lhs {
			if id, ok := ast.Unparen(x).(*ast.Ident); ok {
				if e := w.slotOf(id); e != nil {
					writes[e] = true
					never[e] = never[e] || !simple
				}
			}
		}
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		case *ast.AssignStmt:
			assigned(n, n.Lhs)
		case *ast.IncDecStmt:
			assigned(n, []ast.Expr{n.X})
		case *ast.RangeStmt:
			assigned(nil, []ast.Expr{n.Key, n.Value})
		case *ast.Ident:
			if v, ok := w.Info.Uses[n].(*types.Var); ok && w.slots[v] != nil {
				e := w.slots[v]
				uses[e] = true
				never[e] = never[e] || e.shared || !light(v.Type())
			}
		}
		return true
	})
	w.held = map[*entity]bool{}
	var names []string
	for e := range uses {
		if !never[e] {
			w.held[e] = true
			names = append(names, e.name)
			w.refs[e] = true
		}
	}
	if names == nil {
		return "", ""
	}
	slices.Sort(names)
	for e := range uses {
		if w.held[e] && writes[e] {
			before += fmt.Sprintf("p__%s := %s; ", e.name, e.name)
		}
	}
	return fmt.Sprintf("{ l__%s := *%s; %s", strings.Join(names, ", l__"), strings.Join(names, ", *"), before), "}\n"
}

// light reports whether a value of a type fits into registers and is assigned as a whole.
func light(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array, *types.TypeParam:
		return false
	}
	return true
}

// through writes the held variables that s assigns to.
func (w *writer) through(s ast.Stmt) (text string) {
	var lhs []ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		lhs = s.Lhs
	case *ast.IncDecStmt:
		lhs = []ast.Expr{s.X}
	}
	for _, x := range lhs {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok {
			if e := w.slotOf(id); w.held[e] {
				text += fmt.Sprintf("; *p__%s = l__%s", e.name, e.name)
			}
		}
	}
	return text
}

func unlabeled(s ast.Stmt) ast.Stmt {
	for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
		s = l.Stmt
	}
	return s
}

// jumpsOut reports whether s has a goto. Its label may be in another statement.
func jumpsOut(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}
