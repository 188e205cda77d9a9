package compile

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
)

// stmt returns a statement of a cell that runs without being compiled.
func (w *direct) stmt(s ast.Stmt) func() {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return func() {}
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			call, _ := w.call(c)
			return func() { call() }
		}
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE && s.Tok != token.ASSIGN {
			return w.change(s.Lhs[0], s.Tok+(token.ADD-token.ADD_ASSIGN), w.expr(s.Rhs[0]))
		}
		if len(s.Lhs) == 1 && s.Tok == token.ASSIGN {
			switch x := s.Lhs[0].(type) {
			case *ast.SelectorExpr, *ast.IndexExpr:
				return w.put(x, s.Rhs[0])
			}
		}
		return w.assign(s.Lhs, s.Rhs)
	case *ast.IncDecStmt:
		one := w.constant(types.TypeAndValue{Type: w.Info.TypeOf(s.X), Value: constant.MakeInt64(1)})
		return w.change(s.X, map[token.Token]token.Token{token.INC: token.ADD, token.DEC: token.SUB}[s.Tok], one)
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR && len(g.Specs) == 1 {
			return w.declare(g.Specs[0].(*ast.ValueSpec))
		}
	}
	panic(indirect{})
}

// change returns an assignment with an operation.
func (w *direct) change(x ast.Expr, op token.Token, by value) func() {
	id, ok := x.(*ast.Ident)
	if !ok {
		panic(indirect{})
	}
	v := w.ident(id)
	if !v.CanSet() {
		panic(indirect{})
	}
	sum := combine(op, value{t: v.Type(), get: func() reflect.Value { return v }, read: true}, by)
	return func() { v.Set(sum.get()) }
}

// declare returns a declaration of variables, with or without values.
func (w *direct) declare(s *ast.ValueSpec) func() {
	switch {
	case s.Type == nil:
		var lhs []ast.Expr
		for _, n := range s.Names {
			lhs = append(lhs, n)
		}
		return w.assign(lhs, s.Values)
	case len(s.Names) == 1 && len(s.Values) == 0:
		t := w.typeOf(w.Info.TypeOf(s.Type))
		v := w.lhs(s.Names[0], t)
		return v.SetZero
	case len(s.Names) == 1:
		t := w.typeOf(w.Info.TypeOf(s.Type))
		x := w.expr(s.Values[0]).as(t)
		v := w.lhs(s.Names[0], t)
		return func() { v.Set(x.get()) }
	}
	panic(indirect{})
}

func (w *direct) assign(lhs, rhs []ast.Expr) func() {
	var from []reflect.Type
	var values func() []reflect.Value
	switch c, isCall := ast.Unparen(rhs[0]).(*ast.CallExpr); {
	case len(lhs) > 1 && len(rhs) == 1 && isCall:
		values, from = w.call(c)
	case len(lhs) == 1 && len(rhs) == 1:
		x := w.expr(rhs[0])
		from, values = []reflect.Type{x.t}, func() []reflect.Value { return []reflect.Value{x.get()} }
	}
	if len(from) != len(lhs) {
		panic(indirect{})
	}
	var to []func(reflect.Value)
	for k, x := range lhs {
		id, ok := x.(*ast.Ident)
		if !ok {
			panic(indirect{})
		}
		if id.Name == "_" {
			to = append(to, func(reflect.Value) {})
			continue
		}
		v := w.lhs(id, from[k])
		if from[k] == nil || !from[k].AssignableTo(v.Type()) {
			panic(indirect{})
		}
		to = append(to, v.Set)
	}
	return func() {
		for k, v := range values() {
			to[k](v)
		}
	}
}

// lhs returns the variable that an assignment of a value of type t changes or defines.
func (w *direct) lhs(id *ast.Ident, t reflect.Type) reflect.Value {
	if v, ok := w.Info.Defs[id].(*types.Var); ok {
		if t == nil {
			panic(indirect{})
		}
		return w.define(v, t)
	}
	if v, ok := w.Info.Uses[id].(*types.Var); ok {
		if p, ok := w.made[v]; ok {
			return p
		}
		if e := w.slots[v]; e != nil {
			return w.variable(e)
		}
	}
	panic(indirect{})
}

func (w *direct) show(x ast.Expr) func() {
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && (!w.Info.Types[x].IsValue() || w.isTuple(x)) {
		call, _ := w.call(c)
		return func() {
			var list []any
			for _, v := range call() {
				list = append(list, v.Interface())
			}
			w.env.Show(list)
		}
	}
	v := w.expr(x)
	if v.t == nil {
		panic(indirect{})
	}
	return func() { w.env.Show([]any{v.get().Interface()}) }
}

func (w *direct) isTuple(x ast.Expr) bool {
	_, ok := w.Info.TypeOf(x).(*types.Tuple)
	return ok
}
