package lower

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"nacre/kernel/internal/rt"
)

// recovers reports whether the unit calls recover.
func (l *Lowerer) recovers(u *Unit) bool {
	found := false
	look := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && l.isRecover(id)
		return !found
	}
	for _, s := range u.Body {
		ast.Inspect(s, look)
	}
	for _, f := range u.Funcs {
		ast.Inspect(f.Decl, look)
	}
	return found
}

// refuseFiles refuses what would name the interpreter's own files and lines.
func (l *Lowerer) refuseFiles(u *Unit) {
	refuse := func(n ast.Node, name string) {
		l.refuse(n, "%s is not supported by this engine: it would name the interpreter's own files", name)
	}
	isFalse := func(e ast.Expr) bool {
		v := l.Info.Types[e].Value
		return v != nil && !constant.BoolVal(v)
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			id, ok := n.Key.(*ast.Ident)
			return !ok || !isAddSource(l.Info.Uses[id]) || !isFalse(n.Value)
		case *ast.CompositeLit:
			if t := l.Info.TypeOf(n); t.String() == "log/slog.HandlerOptions" && len(n.Elts) > 0 {
				if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed && !isFalse(n.Elts[0]) {
					refuse(n, "slog.AddSource")
				}
			}
		case *ast.Ident:
			o := l.Info.Uses[n]
			if o == nil || o.Pkg() == nil {
				return true
			}
			switch name := o.Pkg().Path() + "." + o.Name(); name {
			case "runtime.Caller", "runtime.Callers", "log.Lshortfile", "log.Llongfile":
				refuse(n, name)
			}
			if isAddSource(o) {
				refuse(n, "slog.AddSource")
			}
		}
		return true
	}
	for _, s := range u.Body {
		ast.Inspect(s, look)
	}
	for _, f := range u.Funcs {
		ast.Inspect(f.Decl, look)
	}
}

// isAddSource reports whether o is the field by which package log/slog names files.
func isAddSource(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.IsField() && v.Name() == "AddSource" && v.Pkg() != nil && v.Pkg().Path() == "log/slog"
}

func (l *Lowerer) isRecover(id *ast.Ident) bool {
	_, builtin := l.Info.Uses[id].(*types.Builtin)
	return builtin && id.Name == "recover"
}

// older returns the functions of cells before the unit that must be lowered again, because their panics may be
// recovered from now on.
func (l *Lowerer) older(u *Unit) []*Func {
	seen := map[*Func]bool{}
	for _, f := range u.Funcs {
		seen[l.funcs[f.Obj]] = true
	}
	var list []*Func
	for obj, f := range l.funcs {
		if !fromCell2(obj) || seen[f] || f.low == "" || f.Decl == nil {
			continue
		}
		seen[f] = true
		again := *f
		list = append(list, &again)
	}
	slices.SortFunc(list, func(f, g *Func) int { return cmp.Compare(f.Decl.Pos(), g.Decl.Pos()) })
	return list
}

// checkedIndex returns base[i] with a check. base is the lowered e.X, and not a map.
func (l *Lowerer) checkedIndex(e *ast.IndexExpr, base ast.Expr) *ast.IndexExpr {
	placing := l.placing
	l.placing = false
	i := l.indexValue(e)
	l.placing = placing
	at := &ast.IndexExpr{X: base, Index: i}
	length, isArray := l.arrayLen(e.X)
	if !l.looks() || l.seen[e] || isArray && l.Info.Types[e.Index].Value != nil {
		return at
	}
	if isArray {
		at.Index = l.rangeCheck(e, i, intLit(length))
		return at
	}
	_, held := base.(*ast.Ident) // the result of an earlier call
	if simple(e.X) || held {
		at.Index = l.rangeCheck(e, i, call(ident("len"), base))
		return at
	}
	x, k := l.fresh("x"), l.fresh("k")
	params := &ast.FieldList{List: []*ast.Field{field(x, l.opening(e, l.typeOf(e.X))),
		field(k, l.low(e, l.typeOf(e.Index)))}}
	first := l.rangeCheck(e, ident(k), call(ident("len"), ident(x)))
	// the elements from the index on, of which it is the first
	if _, isSlice := l.typeOf(e.X).Underlying().(*types.Slice); l.placing && isSlice {
		lit := &ast.FuncLit{
			Type: &ast.FuncType{
				Params:  params,
				Results: &ast.FieldList{List: []*ast.Field{field("", l.opening(e, l.typeOf(e.X)))}},
			},
			Body: block(&ast.ReturnStmt{Results: []ast.Expr{&ast.SliceExpr{X: ident(x), Low: first}}}),
		}
		return &ast.IndexExpr{X: call(lit, base, i), Index: intLit(0)}
	}
	if l.placing {
		return at
	}
	return &ast.IndexExpr{X: call(&ast.FuncLit{ // no index is used: the call returns the element
		Type: &ast.FuncType{
			Params:  params,
			Results: &ast.FieldList{List: []*ast.Field{field("", l.low(e, l.typeOf(e)))}},
		},
		Body: block(&ast.ReturnStmt{
			Results: []ast.Expr{&ast.IndexExpr{X: ident(x), Index: first}}}),
	}, base, i)}
}

// checkedSlice adds checks of the bounds to a lowered slice expression.
func (l *Lowerer) checkedSlice(e *ast.SliceExpr, s *ast.SliceExpr) ast.Expr {
	var pre []*ast.Field
	var args []ast.Expr
	hold := func(typ ast.Expr, x *ast.Expr) {
		if *x != nil {
			name := l.fresh("x")
			pre, args, *x = append(pre, field(name, typ)), append(args, *x), ident(name)
		}
	}
	plain := func(x ast.Expr) bool { return x == nil || simple(x) }
	if !plain(e.X) || !plain(e.High) || !plain(e.Max) {
		switch l.typeOf(e.X).Underlying().(type) {
		case *types.Array, *types.Pointer:
			if !plain(e.X) {
				return s
			}
		default:
			hold(l.opening(e, l.typeOf(e.X)), &s.X)
		}
		for k, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				hold(l.low(x, l.typeOf(x)), []*ast.Expr{&s.Low, &s.High, &s.Max}[k])
			}
		}
	}
	t := l.typeOf(e.X).Underlying()
	_, isSlice := t.(*types.Slice)
	limit := call(ident("len"), s.X)
	if isSlice {
		limit = call(ident("cap"), s.X)
	}
	unsigned := 0 // which of the bounds are
	number := func(x, low ast.Expr) ast.Expr {
		if x == nil {
			return intLit(0)
		}
		if b, ok := l.typeOf(x).Underlying().(*types.Basic); !ok || b.Kind() != types.Int {
			if ok && b.Info()&types.IsUnsigned != 0 {
				unsigned |= map[ast.Expr]int{e.Low: rt.UnsignedLow, e.High: rt.UnsignedHigh, e.Max: rt.UnsignedMax}[x]
			}
			return call(ident("int"), low)
		}
		return low
	}
	flag := map[bool]ast.Expr{true: ident("true"), false: ident("false")}
	switch {
	case e.Slice3:
		s.Low = l.rt("Bounds3", number(e.Low, s.Low), number(e.High, s.High), number(e.Max, s.Max), limit,
			flag[isSlice], intLit(unsigned))
	case e.High == nil && e.Low == nil:
	case e.High == nil:
		s.Low = l.rt("Bounds", number(e.Low, s.Low), call(ident("len"), s.X), limit, flag[isSlice], ident("true"),
			intLit(unsigned))
	default:
		s.Low = l.rt("Bounds", number(e.Low, s.Low), number(e.High, s.High), limit, flag[isSlice], ident("false"),
			intLit(unsigned))
	}
	if pre == nil {
		return s
	}
	return call(&ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{List: pre},
			Results: &ast.FieldList{List: []*ast.Field{field("", l.low(e, l.typeOf(e)))}}},
		Body: block(&ast.ReturnStmt{Results: []ast.Expr{s}}),
	}, args...)
}
