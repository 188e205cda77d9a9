package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The interpreter does not pass arguments that are zero, and it takes -0 for zero: the parameter becomes 0. If a number
// may be -0, the call of a cell's function goes through the host, which passes all arguments.

// choice is a call that is made in one of two ways. Its operands can be evaluated twice.
type choice struct {
	ast.Expr            // the call by the interpreter
	before   []ast.Stmt // statements that evaluate its operands
	cond     ast.Expr   // whether one of its arguments is -0
	other    ast.Expr   // the call through the host
	results  *types.Tuple
}

// either returns the choice as statements. use makes statements from each of the two calls.
func (c *choice) either(use func(x ast.Expr) []ast.Stmt) []ast.Stmt {
	return append(c.before, &ast.IfStmt{Cond: c.cond, Body: block(use(c.other)...), Else: block(use(c.Expr)...)})
}

// value returns the choice as an expression. The call is made before the current statement if possible, otherwise in a
// closure.
func (l *Lowerer) value(n ast.Node, c *choice) ast.Expr {
	if l.early != nil && c.results.Len() == 1 {
		name := l.fresh("c")
		*l.early = append(*l.early, declare(name, l.low(n, c.results.At(0).Type())))
		*l.early = append(*l.early, c.either(func(x ast.Expr) []ast.Stmt {
			return []ast.Stmt{assign(ident(name), x)}
		})...)
		return ident(name)
	}
	return call(&ast.FuncLit{Type: l.lowSignature(n, types.NewSignatureType(nil, nil, nil, nil, c.results, false), nil),
		Body: block(passedBack(c, c.results.Len())...)})
}

// choose returns a lowered call of a cell's function. If one of its arguments may be -0, the call is a choice. sources
// are the expressions that its arguments were lowered from, nil if they are not known.
func (l *Lowerer) choose(n ast.Node, c *ast.CallExpr, f target, sig *types.Signature, sources []ast.Expr) ast.Expr {
	ts := slices.Clone(f.types)
	for v := range sig.Params().Variables() {
		ts = append(ts, v.Type())
	}
	var at []int
	for k, t := range ts {
		source := k - len(f.types)
		if l.hasSign(t) && !(source >= 0 && source < len(sources) && l.unsigned(sources[source])) {
			at = append(at, k)
		}
	}
	if len(at) == 0 {
		return c
	}
	typ, ok := l.nameable(n, l.withReceiver(sig, ts))
	if !ok {
		return c
	}
	ft := typ.(*ast.FuncType)
	out := &choice{results: l.subst(sig.Results()).(*types.Tuple)}
	hold := func(x, typ ast.Expr) ast.Expr {
		if _, isIdent := x.(*ast.Ident); isIdent || isLiteral(x) {
			return x
		}
		name := l.fresh("a")
		out.before = append(out.before, varDecl(name, typ, x))
		return ident(name)
	}
	fun := hold(c.Fun, ft)
	args := make([]ast.Expr, len(c.Args))
	for k, x := range c.Args {
		args[k] = hold(x, l.low(n, ts[k]))
	}
	for _, k := range at {
		cond := ast.Expr(l.rt("MinusZero", args[k]))
		if leaf := l.firstNumber(args[k], ts[k]); leaf != nil {
			zero := &ast.BasicLit{Kind: token.FLOAT, Value: "0.0"}
			cond = &ast.BinaryExpr{X: &ast.BinaryExpr{X: leaf, Op: token.EQL, Y: zero}, Op: token.LAND, Y: cond}
		}
		if out.cond != nil {
			cond = &ast.BinaryExpr{X: out.cond, Op: token.LOR, Y: cond}
		}
		out.cond = cond
	}
	out.Expr = &ast.CallExpr{Fun: fun, Lparen: c.Lparen, Args: args, Ellipsis: c.Ellipsis}
	other := slices.Clone(args)
	for k, t := range ts {
		if _, isFunc := l.subst(t).Underlying().(*types.Signature); isFunc && !l.looped(t) {
			other[k] = hosted(args[k], l.low(n, t))
		}
	}
	out.other = &ast.CallExpr{Fun: l.hostFunc(fun, ft, f.named), Lparen: c.Lparen, Args: other, Ellipsis: c.Ellipsis}
	return out
}

// hostFunc returns the function f in the form that the host has.
func (l *Lowerer) hostFunc(f ast.Expr, t *ast.FuncType, named bool) ast.Expr {
	l.imports["rt"] = "rt__"
	if !named {
		return hosted(f, t)
	}
	key := "host " + f.(*ast.Ident).Name // it is not in a closure, which may be read before f
	name, ok := l.insts[key]
	if !ok {
		name = l.fresh("host")
		l.insts[key] = name
		l.out = append(l.out, hostDecl(name, f, t))
	}
	return call(ident(name))
}

// hosted returns the function f, of type t, in the form that the host has.
func hosted(f, t ast.Expr) ast.Expr {
	if id, ok := f.(*ast.Ident); ok && id.Name == "nil" {
		return f
	}
	return &ast.TypeAssertExpr{X: call(sel(ident("rt__"), "Norm"), f), Type: t}
}

// hostDecl declares a function that returns f, of type t, in the form that the host has.
func hostDecl(name string, f ast.Expr, t *ast.FuncType) *ast.FuncDecl {
	return &ast.FuncDecl{
		Name: ident(name),
		Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{field("", t)}}},
		Body: block(&ast.ReturnStmt{Results: []ast.Expr{hosted(f, t)}}),
	}
}

// withReceiver returns the signature of a lowered function whose arguments have the types ts. Types that sig lacks come
// first.
func (l *Lowerer) withReceiver(sig *types.Signature, ts []types.Type) *types.Signature {
	var params []*types.Var
	for _, t := range ts[:len(ts)-sig.Params().Len()] {
		params = append(params, types.NewParam(token.NoPos, nil, "", t))
	}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	plain := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
	return l.subst(plain).(*types.Signature)
}

// hasSign reports whether a value of type t may be zero and hold -0.
func (l *Lowerer) hasSign(t types.Type) bool {
	t = types.Unalias(l.subst(t))
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Array:
		return u.Len() > 0 && l.hasSign(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if l.hasSign(f.Type()) {
				return true
			}
		}
	}
	return false
}

// firstNumber returns a floating-point number inside the lowered x of type t, if one can be reached without a call.
func (l *Lowerer) firstNumber(x ast.Expr, t types.Type) ast.Expr {
	t = types.Unalias(l.subst(t))
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsFloat != 0 {
			return x
		}
	case *types.Array:
		if u.Len() > 0 {
			return l.firstNumber(&ast.IndexExpr{X: x, Index: intLit(0)}, u.Elem())
		}
	case *types.Struct:
		for k := range u.NumFields() {
			f := u.Field(k)
			name := fieldName(f, k)
			if native(t) {
				name = f.Name()
				if !f.Exported() {
					continue
				}
			}
			if l.erased(t, k) {
				continue
			}
			if y := l.firstNumber(sel(x, name), f.Type()); y != nil {
				return y
			}
		}
	}
	return nil
}

// unsigned reports whether e is certainly not -0.
func (l *Lowerer) unsigned(e ast.Expr) bool {
	if l.Info.Types[e].Value != nil {
		return true
	}
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !l.Info.Types[ast.Unparen(c.Fun)].IsType() {
		return false
	}
	b, ok := l.typeOf(c.Args[0]).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// isLiteral reports whether a lowered expression is a constant.
func isLiteral(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return isLiteral(x.X)
	case *ast.UnaryExpr:
		return x.Op == token.SUB && isLiteral(x.X)
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && len(x.Args) == 1 && types.Universe.Lookup(id.Name) != nil && isLiteral(x.Args[0])
	}
	return false
}

// signed reports whether one of the expressions calls a function of the cells with an argument that may be -0.
func (l *Lowerer) signed(list []ast.Expr) bool {
	found := false
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				found = found || l.mayBeSigned(n)
			}
			return !found
		})
	}
	return found
}

func (l *Lowerer) mayBeSigned(c *ast.CallExpr) bool {
	fun := ast.Unparen(c.Fun)
	if tv := l.Info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return false
	}
	if obj := l.named(c); obj != nil && !fromCell2(obj) {
		return false
	}
	sig, ok := l.typeOf(fun).Underlying().(*types.Signature)
	if !ok {
		return false
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if m, ok := l.Info.Selections[s]; ok && m.Kind() == types.MethodVal && l.hasSign(l.typeOf(s.X)) {
			return true
		}
	}
	for k := range sig.Params().Len() {
		if l.hasSign(sig.Params().At(k).Type()) && !(len(c.Args) == sig.Params().Len() && l.unsigned(c.Args[k])) {
			return true
		}
	}
	return false
}
