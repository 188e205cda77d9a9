package ixgo

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"

	"nacre/kernel/internal/engine"
)

// rewriter copies the checked syntax of a cell, renames the session's variables in the copy, and adds what a notebook
// needs and the interpreter has not: checks for interrupts in loops and functions, goroutines whose panics are the
// cell's, printing that goes to the cell, and type assertions as strict as Go's.
type rewriter struct {
	info    *types.Info
	fset    *token.FileSet
	low     func(types.Object) string    // the name of a session variable, "" for other objects
	generic func(path, name string) bool // whether there is a source for a native generic declaration
	used    map[string]bool              // packages of which sources are used
	serial  int
}

func (r *rewriter) refuse(n ast.Node, text string) {
	p := r.fset.Position(n.Pos())
	panic(&engine.Refused{Line: p.Line, Column: p.Column, Text: text})
}

func copyOf[T ast.Node](r *rewriter, n T) T {
	return r.value(reflect.ValueOf(&n).Elem()).Interface().(T)
}

func (r *rewriter) expr(x ast.Expr) ast.Expr { return copyOf(r, x) }

var (
	stmtsType   = reflect.TypeFor[[]ast.Stmt]()
	objectType  = reflect.TypeFor[*ast.Object]()
	scopeType   = reflect.TypeFor[*ast.Scope]()
	commentType = reflect.TypeFor[*ast.CommentGroup]()
)

func (r *rewriter) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(r.value(v.Elem()))
		return out
	case reflect.Pointer:
		switch v.Type() {
		case objectType, scopeType, commentType:
			return reflect.Zero(v.Type())
		}
		if v.IsNil() {
			return v
		}
		if n, ok := v.Interface().(ast.Node); ok {
			if m := r.node(n); m != nil {
				return reflect.ValueOf(m)
			}
		}
		return r.plain(v)
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		if v.Type() == stmtsType {
			return reflect.ValueOf(r.stmts(v.Interface().([]ast.Stmt)))
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for k := range v.Len() {
			out.Index(k).Set(r.value(v.Index(k)))
		}
		return out
	}
	return v
}

// plain copies a node and what is below it.
func (r *rewriter) plain(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type().Elem())
	for k := range v.Elem().NumField() {
		out.Elem().Field(k).Set(r.value(v.Elem().Field(k)))
	}
	return out
}

func same[T ast.Node](r *rewriter, n T) T { return r.plain(reflect.ValueOf(n)).Interface().(T) }

// stmts copies a list. A label that goto can name gets a check of its own, so that such loops can be ended.
func (r *rewriter) stmts(list []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(list))
	for _, s := range list {
		if l, ok := s.(*ast.LabeledStmt); ok {
			switch l.Stmt.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			default:
				out = append(out, &ast.LabeledStmt{Label: copyOf(r, l.Label), Colon: l.Colon, Stmt: r.check(l.Pos())})
				s = l.Stmt
			}
		}
		out = append(out, copyOf(r, s))
	}
	return out
}

// node returns what replaces n, nil for a plain copy.
func (r *rewriter) node(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Ident:
		o := r.info.Uses[n]
		if o == nil {
			o = r.info.Defs[n]
		}
		name := n.Name
		if o != nil {
			if low := r.low(o); low != "" {
				name = low
			}
		}
		return &ast.Ident{NamePos: n.NamePos, Name: name}
	case *ast.FuncLit:
		out := same(r, n)
		r.guard(out.Body)
		return out
	case *ast.FuncDecl:
		out := same(r, n)
		r.guard(out.Body)
		return out
	case *ast.ForStmt:
		out := same(r, n)
		r.guard(out.Body)
		return out
	case *ast.RangeStmt:
		out := same(r, n)
		r.guard(out.Body)
		return out
	case *ast.SelectorExpr:
		return r.selector(n)
	case *ast.CallExpr:
		return r.call(n)
	case *ast.DeferStmt:
		if r.builtin(n.Call) == "recover" { // recovers nothing, as in Go
			return &ast.DeferStmt{Defer: n.Defer, Call: same(r, n.Call)}
		}
	case *ast.GoStmt:
		return r.goStmt(n)
	case *ast.TypeAssertExpr:
		return r.assertion(n)
	case *ast.TypeSwitchStmt:
		return r.typeSwitch(n)
	case *ast.TypeSpec:
		r.typeSpec(n)
	}
	return nil
}

func (r *rewriter) guard(b *ast.BlockStmt) {
	b.List = append([]ast.Stmt{r.check(b.Lbrace)}, b.List...)
}

// check is `if stop__ { rt__.Check() }`.
func (r *rewriter) check(pos token.Pos) ast.Stmt {
	return &ast.IfStmt{If: pos, Cond: &ast.Ident{NamePos: pos, Name: "stop__"}, Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos, List: []ast.Stmt{
		&ast.ExprStmt{X: r.host(pos, "Check")},
	}}}
}

// host is a call of a function of package rt__.
func (r *rewriter) host(pos token.Pos, name string, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{
		Fun:  &ast.SelectorExpr{X: &ast.Ident{NamePos: pos, Name: "rt__"}, Sel: &ast.Ident{NamePos: pos, Name: name}},
		Args: args, Lparen: pos, Rparen: pos,
	}
}

// selector names the source of native generic functions and types instead of their export data, which has no code.
func (r *rewriter) selector(n *ast.SelectorExpr) ast.Node {
	o := r.info.Uses[n.Sel]
	if o == nil || o.Pkg() == nil || o.Pkg().Path() == "main" {
		return nil
	}
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil || o.Signature().TypeParams().Len() == 0 {
			return nil
		}
	case *types.TypeName:
		if t, ok := o.Type().(*types.Named); !ok || t.TypeParams().Len() == 0 || t.NumMethods() == 0 {
			return nil
		}
	default:
		return nil
	}
	if !r.generic(o.Pkg().Path(), o.Name()) {
		r.refuse(n, o.Pkg().Name()+"."+o.Name()+" is generic, and this engine does not have its source")
	}
	return r.source(n.Pos(), o)
}

// source names a declaration that is given in source.
func (r *rewriter) source(pos token.Pos, o types.Object) ast.Expr {
	r.used[o.Pkg().Path()] = true
	return &ast.SelectorExpr{X: &ast.Ident{NamePos: pos, Name: preludeName(o.Pkg().Path())}, Sel: &ast.Ident{NamePos: pos, Name: o.Name()}}
}

// builtin is the name of the predeclared function that a call calls, "" for another.
func (r *rewriter) builtin(c *ast.CallExpr) string {
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
		if b, ok := r.info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

func (r *rewriter) call(n *ast.CallExpr) ast.Node {
	switch r.builtin(n) {
	case "recover": // not of an interrupt
		return r.host(n.Pos(), "Recovered", same(r, n))
	case "print":
		return r.host(n.Pos(), "Print", same(r, n).Args...)
	case "println":
		return r.host(n.Pos(), "Println", same(r, n).Args...)
	case "panic":
		if t := r.info.TypeOf(n.Args[0]); t == nil || types.IsInterface(t) || t == types.Typ[types.UntypedNil] {
			out := same(r, n)
			out.Args = []ast.Expr{r.host(n.Pos(), "NotNil", out.Args[0])}
			return out
		}
	}
	return r.streams(n)
}

// streams passes os.Stdout and os.Stderr as writers that keep text in order with what fmt prints.
func (r *rewriter) streams(n *ast.CallExpr) ast.Node {
	sig, ok := types.Unalias(r.info.TypeOf(n.Fun)).(*types.Signature)
	if !ok {
		return nil
	}
	var out *ast.CallExpr
	for k, a := range n.Args {
		s, ok := ast.Unparen(a).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		v, ok := r.info.Uses[s.Sel].(*types.Var)
		if !ok || v.Pkg() == nil || v.Pkg().Path() != "os" || v.Name() != "Stdout" && v.Name() != "Stderr" {
			continue
		}
		if k >= sig.Params().Len() || sig.Params().At(k).Type().String() != "io.Writer" {
			continue
		}
		if out == nil {
			out = same(r, n)
		}
		out.Args[k] = r.host(a.Pos(), v.Name())
	}
	if out == nil {
		return nil
	}
	return out
}

// goStmt evaluates the function and its arguments first, as go does, and starts a goroutine that reports its panic to
// the cell.
func (r *rewriter) goStmt(n *ast.GoStmt) ast.Node {
	pos := n.Pos()
	body := &ast.BlockStmt{Lbrace: pos, Rbrace: n.End()}
	hoist := func(xs ...ast.Expr) []ast.Expr {
		assign := &ast.AssignStmt{Tok: token.DEFINE, TokPos: pos}
		var names []ast.Expr
		k := len(xs)
		if len(xs) == 1 {
			if t, ok := r.info.TypeOf(xs[0]).(*types.Tuple); ok {
				k = t.Len()
			}
		}
		for range k {
			r.serial++
			name := "go__" + strconv.Itoa(r.serial)
			assign.Lhs = append(assign.Lhs, &ast.Ident{NamePos: pos, Name: name})
			names = append(names, &ast.Ident{NamePos: pos, Name: name})
		}
		for _, x := range xs {
			assign.Rhs = append(assign.Rhs, r.expr(x))
		}
		body.List = append(body.List, assign)
		return names
	}
	call := &ast.CallExpr{Lparen: n.Call.Lparen, Ellipsis: n.Call.Ellipsis, Rparen: n.Call.Rparen}
	name := r.builtin(n.Call)
	if name != "" {
		call.Fun = &ast.Ident{NamePos: pos, Name: name}
	} else {
		call.Fun = hoist(n.Call.Fun)[0]
	}
	for _, a := range n.Call.Args {
		tv := r.info.Types[a]
		if tv.Value != nil || tv.IsNil() || tv.IsType() || types.Identical(types.Default(tv.Type), types.Typ[types.Bool]) && tv.Type != types.Typ[types.Bool] {
			call.Args = append(call.Args, r.expr(a))
			continue
		}
		call.Args = append(call.Args, hoist(a)...)
	}
	var run ast.Stmt = &ast.ExprStmt{X: call}
	switch name {
	case "print":
		call.Fun = r.host(pos, "Print").Fun
	case "println":
		call.Fun = r.host(pos, "Println").Fun
	case "recover":
		run = &ast.EmptyStmt{Semicolon: pos}
	}
	done := &ast.DeferStmt{Defer: pos, Call: &ast.CallExpr{Lparen: pos, Rparen: pos, Fun: function(pos, &ast.ExprStmt{
		X: r.host(pos, "GoDone", &ast.CallExpr{Fun: &ast.Ident{NamePos: pos, Name: "recover"}, Lparen: pos, Rparen: pos}),
	})}}
	body.List = append(body.List, &ast.ExprStmt{X: r.host(pos, "GoStart")},
		&ast.GoStmt{Go: pos, Call: &ast.CallExpr{Lparen: pos, Rparen: pos, Fun: function(pos, done, run)}})
	return body
}

func function(pos token.Pos, body ...ast.Stmt) *ast.FuncLit {
	return &ast.FuncLit{
		Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{Opening: pos, Closing: pos}},
		Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos, List: body},
	}
}

// lax says whether the interpreter takes values of other types for t in a type assertion: it asks whether they are
// assignable to t, which []int is to a type declared as []int, and the other way round. Declared pointer types, the
// only other case, are refused.
func lax(t types.Type) bool {
	if t == nil || types.IsInterface(t) {
		_, param := types.Unalias(t).(*types.TypeParam)
		return param
	}
	switch types.Unalias(t).Underlying().(type) {
	case *types.Basic, *types.Pointer:
		return false
	}
	return true
}

func (r *rewriter) typeSpec(n *ast.TypeSpec) {
	o := r.info.Defs[n.Name]
	if o == nil || n.Assign.IsValid() {
		return
	}
	if _, ok := o.Type().Underlying().(*types.Pointer); ok {
		r.refuse(n, "a declared pointer type is not supported by this engine: its type assertions would mix it up with the pointer")
	}
}

func nilPointerTo(t ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: &ast.ParenExpr{X: &ast.StarExpr{X: t}}, Args: []ast.Expr{&ast.Ident{Name: "nil", NamePos: t.Pos()}}}
}

func (r *rewriter) assertion(n *ast.TypeAssertExpr) ast.Node {
	if n.Type == nil || !lax(r.info.TypeOf(n.Type)) {
		return nil
	}
	out := same(r, n)
	name := "Exactly"
	if _, ok := r.info.TypeOf(n).(*types.Tuple); ok {
		name = "ExactlyOK"
	}
	out.X = r.host(n.Pos(), name, out.X, nilPointerTo(r.expr(n.Type)))
	return out
}

// typeSwitch has the switched value looked at where a case could take it for another type.
func (r *rewriter) typeSwitch(n *ast.TypeSwitchStmt) ast.Node {
	var args []ast.Expr
	for _, c := range n.Body.List {
		for _, t := range c.(*ast.CaseClause).List {
			if tv := r.info.Types[t]; tv.IsType() && lax(tv.Type) {
				args = append(args, nilPointerTo(r.expr(t)))
			}
		}
	}
	if args == nil {
		return nil
	}
	out := same(r, n)
	x := func(e ast.Expr) {
		a := e.(*ast.TypeAssertExpr)
		a.X = r.host(a.Pos(), "Clear", append([]ast.Expr{a.X}, args...)...)
	}
	switch s := out.Assign.(type) {
	case *ast.ExprStmt:
		x(s.X)
	case *ast.AssignStmt:
		x(s.Rhs[0])
	}
	return out
}
