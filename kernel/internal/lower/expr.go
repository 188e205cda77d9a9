package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// expr lowers an expression of one value to one of the lowered type of typeOf(e).
func (l *Lowerer) expr(e ast.Expr) ast.Expr {
	if tv, ok := l.Info.Types[e]; ok && tv.Value != nil {
		t := l.typeOf(e)
		if _, isBasic := t.Underlying().(*types.Basic); isBasic {
			return l.literal(e, tv.Value, t)
		}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{X: l.expr(e.X)}
	case *ast.Ident:
		return l.identifier(e)
	case *ast.FuncLit:
		return l.funcLit(e)
	case *ast.CompositeLit:
		return l.composite(e, l.typeOf(e))
	case *ast.SelectorExpr:
		return l.selector(e)
	case *ast.IndexExpr:
		return l.index(e)
	case *ast.IndexListExpr:
		if id := instantiated(e.X); id != nil {
			return l.funcValue(e, id)
		}
	case *ast.SliceExpr:
		return l.soon(e, l.slice(e), l.typeOf(e))
	case *ast.StarExpr:
		return star(l.whole(e.X))
	case *ast.UnaryExpr:
		return l.unary(e)
	case *ast.BinaryExpr:
		return l.binary(e)
	case *ast.CallExpr:
		return l.called(e)
	case *ast.TypeAssertExpr:
		return l.soon(e, l.assertion(e), l.typeOf(e))
	}
	l.refuse(e, "this expression is not supported (%T)", e)
	return nil
}

func instantiated(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

func (l *Lowerer) identifier(e *ast.Ident) ast.Expr {
	obj := l.Info.ObjectOf(e)
	switch obj := obj.(type) {
	case *types.Var:
		return l.variable(e, obj)
	case *types.Func:
		return l.funcValue(e, e)
	case *types.Nil:
		return ident("nil")
	}
	l.refuse(e, "%s is not supported here", e.Name)
	return nil
}

// variable refers to a variable of a cell.
func (l *Lowerer) variable(n *ast.Ident, v *types.Var) ast.Expr {
	if loc, ok := l.fn.names[v]; ok {
		if loc.boxed {
			return star(&ast.Ident{Name: loc.name, NamePos: n.NamePos})
		}
		return &ast.Ident{Name: loc.name, NamePos: n.NamePos}
	}
	if g, ok := l.globals[v]; ok {
		if g.boxed {
			return star(&ast.Ident{Name: g.low, NamePos: n.NamePos})
		}
		return &ast.Ident{Name: g.low, NamePos: n.NamePos}
	}
	if v.Pkg() != nil && !fromCell2(v) {
		return l.packageVar(n, v)
	}
	l.refuse(n, "%s has no value: the cell that defines it did not reach it", n.Name)
	return nil
}

func fromCell2(o types.Object) bool { return o.Pkg() == nil || o.Pkg().Path() == "main" }

// packageVar refers to a native package's variable through the host, as the interpreter would take its present value
// for a constant: by value where it is read, by pointer where it is assigned to.
func (l *Lowerer) packageVar(n ast.Node, v *types.Var) ast.Expr {
	path := v.Pkg().Path()
	if path == "os" && (v.Name() == "Stdout" || v.Name() == "Stderr") && l.Files != nil {
		l.Files()
	}
	key := path + "." + v.Name()
	name, ok := l.vars[key]
	if !ok {
		sym, found := l.Reg.Symbol(path, v.Name())
		if !found || !sym.CanAddr() {
			l.refuse(n, "the variable %s.%s has no symbol in this kernel", path, v.Name())
		}
		name = l.fresh("V")
		l.vars[key] = name
		accessor := func(v reflect.Value) reflect.Value {
			ft := reflect.FuncOf(nil, []reflect.Type{v.Type()}, false)
			return reflect.MakeFunc(ft, func([]reflect.Value) []reflect.Value { return []reflect.Value{v} })
		}
		l.host[name] = accessor(sym)
		l.host[name+"_ptr"] = accessor(sym.Addr())
	}
	l.imports["rt"] = "rt__"
	if l.placing {
		return star(call(sel(ident("rt__"), name+"_ptr")))
	}
	return call(sel(ident("rt__"), name))
}

// standard names the host function for os.Stdout or os.Stderr as a writer, "" for any other expression. Written to
// through it, text keeps its order with what fmt prints.
func (l *Lowerer) standard(e ast.Expr) string {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	v, ok := l.Info.Uses[s.Sel].(*types.Var)
	if !ok || v.Pkg() == nil || v.Pkg().Path() != "os" || v.Name() != "Stdout" && v.Name() != "Stderr" {
		return ""
	}
	return v.Name()
}

// place lowers x where it is assigned to or its address is taken.
func (l *Lowerer) place(x ast.Expr) ast.Expr {
	saved := l.placing
	l.placing = true
	defer func() { l.placing = saved }()
	return unrestored(l.expr(x))
}

// unrestored is an erased field itself where x reads it.
func unrestored(x ast.Expr) ast.Expr {
	if c, ok := x.(*ast.CallExpr); ok {
		if id, ok := c.Fun.(*ast.Ident); ok && strings.HasPrefix(id.Name, "restore_") {
			return c.Args[0]
		}
	}
	return x
}

// selector lowers x.f where it is not called.
func (l *Lowerer) selector(e *ast.SelectorExpr) ast.Expr {
	s, ok := l.Info.Selections[e]
	if !ok { // a package's name
		switch obj := l.Info.Uses[e.Sel].(type) {
		case *types.Var:
			return l.packageVar(e, obj)
		case *types.Func:
			return l.funcValue(e, e.Sel)
		}
		l.refuse(e, "%s is not supported here", e.Sel.Name)
	}
	switch s.Kind() {
	case types.FieldVal:
		if l.placing && l.erasedPart(e) != nil {
			l.refuse(e, wholePart)
		}
		x, _ := l.path(e, l.expr(e.X), l.typeOf(e.X), s.Index())
		return x
	case types.MethodVal:
		return l.methodValue(e, s)
	}
	return l.methodExpr(e, s)
}

// path follows the fields of a selection from x of type t.
func (l *Lowerer) path(n ast.Node, x ast.Expr, t types.Type, index []int) (ast.Expr, types.Type) {
	for _, k := range index {
		u := t.Underlying()
		if p, ok := u.(*types.Pointer); ok {
			u = p.Elem().Underlying()
			t = p.Elem()
		} else {
			x = unstar(x)
		}
		s, ok := u.(*types.Struct)
		if !ok {
			l.refuse(n, "a field of %s is not supported", t)
		}
		f := s.Field(k)
		name := fieldName(f, k)
		if native(t) {
			if name = f.Name(); !f.Exported() { // values that are reached through it are reached from outside
				t = l.subst(f.Type())
				continue
			}
		}
		y := sel(x, name)
		y.Sel.NamePos = l.pos(n)
		x = y
		if l.erased(t, k) {
			x = l.restored(n, x, f.Type())
		}
		t = l.subst(f.Type())
	}
	return x, t
}

// unstar drops the dereference of a pointer to a struct, which selecting a field or method implies.
func unstar(x ast.Expr) ast.Expr {
	if p, ok := x.(*ast.ParenExpr); ok {
		if s, ok := p.X.(*ast.StarExpr); ok {
			return s.X
		}
	}
	return x
}

func (l *Lowerer) index(e *ast.IndexExpr) ast.Expr {
	if tv, ok := l.Info.Types[e.Index]; ok && tv.IsType() {
		if id := instantiated(e.X); id != nil {
			return l.funcValue(e, id)
		}
	}
	t := l.typeOf(e.X)
	if m, ok := t.Underlying().(*types.Map); ok {
		at := l.mapIndex(e, m)
		if !l.placing && l.ofBytes(e.Index) {
			return l.soon(e, at, m.Elem())
		}
		return at
	}
	if l.placing && l.erasedPart(e) != nil {
		l.refuse(e, wholePart)
	}
	x := l.whole(e.X)
	saved := l.placing
	l.placing = false
	defer func() { l.placing = saved }()
	if _, ok := t.Underlying().(*types.Pointer); ok {
		x = star(x)
	}
	l.placing = saved
	checked := l.checkedIndex(e, x)
	at := ast.Expr(checked)
	if checked.Index == nil {
		at = checked.X
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return call(ident("uint8"), at) // the interpreter fails on some comparisons of a string's element as it is
	}
	return at
}

// mapIndex lowers an element of a map.
func (l *Lowerer) mapIndex(e *ast.IndexExpr, m *types.Map) ast.Expr {
	x := l.whole(e.X)
	defer func(saved bool) { l.placing = saved }(l.placing)
	var in ast.Expr
	if !l.placing && simple(e.X) {
		in = x
	}
	l.placing = false
	key := l.mapKey(e.Index, m.Key(), in)
	if l.keptKey(e.Index, m) {
		key = l.soon(e.Index, key, m.Key())
	}
	return &ast.IndexExpr{X: x, Index: key}
}

func (l *Lowerer) slice(e *ast.SliceExpr) ast.Expr {
	if _, isArray := l.typeOf(e.X).Underlying().(*types.Array); isArray && l.isErased(e.X) {
		l.refuse(e, wholePart)
	}
	x := l.whole(e.X)
	if _, ok := l.typeOf(e.X).Underlying().(*types.Pointer); ok {
		x = star(x)
	}
	s := &ast.SliceExpr{X: x, Slice3: e.Slice3}
	if e.Low != nil {
		s.Low = l.expr(e.Low)
	}
	if e.High != nil {
		s.High = l.expr(e.High)
	}
	if e.Max != nil {
		s.Max = l.expr(e.Max)
	}
	return l.checkedSlice(e, s)
}

func (l *Lowerer) unary(e *ast.UnaryExpr) ast.Expr {
	switch e.Op {
	case token.AND:
		return l.address(e.X)
	case token.ARROW:
		return l.soon(e, &ast.UnaryExpr{Op: e.Op, X: l.whole(e.X)}, l.typeOf(e))
	}
	return &ast.ParenExpr{X: &ast.UnaryExpr{Op: e.Op, X: l.expr(e.X)}}
}

// address lowers &x.
func (l *Lowerer) address(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	if c, ok := x.(*ast.CompositeLit); ok {
		t := l.typeOf(c)
		if _, ok := t.Underlying().(*types.Struct); ok {
			return addr(l.composite(c, t))
		}
		return l.newOf(c, t, l.composite(c, t))
	}
	if l.isErased(x) {
		l.refuse(x, "the address of a field whose type leads back to its struct is not supported by this engine; "+
			"give that type a name")
	}
	if s, ok := x.(*ast.StarExpr); ok { // nil panics
		return l.notNil(s, l.whole(s.X), l.typeOf(s.X))
	}
	return addressOf(l.place(x))
}

// notNil is the lowered pointer x of type t. It panics if x is nil.
func (l *Lowerer) notNil(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	name, typ := l.fresh("p"), l.low(n, t)
	follow := varDecl(l.fresh("t"), l.low(n, t.Underlying().(*types.Pointer).Elem()), &ast.StarExpr{X: ident(name)})
	isNil := &ast.BinaryExpr{X: ident(name), Op: token.EQL, Y: ident("nil")}
	return call(&ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{List: []*ast.Field{field(name, typ)}},
			Results: &ast.FieldList{List: []*ast.Field{field("", typ)}}},
		Body: block(&ast.IfStmt{Cond: isNil, Body: block(follow)}, &ast.ReturnStmt{Results: []ast.Expr{ident(name)}}),
	}, x)
}

func addressOf(x ast.Expr) ast.Expr {
	if p, ok := x.(*ast.ParenExpr); ok {
		if s, ok := p.X.(*ast.StarExpr); ok {
			return s.X
		}
	}
	return addr(x)
}

// newOf is a pointer to a fresh variable holding x.
func (l *Lowerer) newOf(n ast.Node, t types.Type, x ast.Expr) ast.Expr {
	p := l.fresh("p")
	return call(&ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{},
			Results: &ast.FieldList{List: []*ast.Field{field("", &ast.StarExpr{X: l.low(n, t)})}}},
		Body: block(
			define(p, call(ident("new"), l.low(n, t))),
			assign(&ast.StarExpr{X: ident(p)}, x),
			&ast.ReturnStmt{Results: []ast.Expr{ident(p)}},
		),
	})
}

func (l *Lowerer) binary(e *ast.BinaryExpr) ast.Expr {
	switch e.Op {
	case token.EQL, token.NEQ:
		return l.equality(e)
	case token.LAND, token.LOR:
		return l.conditional(e)
	case token.SHL, token.SHR:
		x := l.expr(e.X)
		if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.INT { // the interpreter loses 1<<s == 0 without a type
			x = call(ident("int"), x)
		}
		return &ast.ParenExpr{X: &ast.BinaryExpr{X: x, Op: e.Op, OpPos: e.OpPos, Y: l.count(e.Y)}}
	}
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: l.operand(e.X, e.Y), Op: e.Op, OpPos: e.OpPos, Y: l.operand(e.Y, e.X)}}
}

// count lowers the count of a shift. The interpreter takes a negative one for a large one.
func (l *Lowerer) count(e ast.Expr) ast.Expr {
	if v := l.Info.Types[e].Value; v != nil { // which may be written as 2.0
		return l.literal(e, constant.ToInt(v), types.Typ[types.Uint])
	}
	x := l.expr(e)
	b, ok := l.typeOf(e).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUnsigned != 0 || l.rangeOf(e).low >= 0 {
		return x
	}
	return l.rt("Count", call(ident("int"), x))
}

// operand lowers x beside other in a binary operation. A constant stays untyped there: other gives it its type.
func (l *Lowerer) operand(x, other ast.Expr) ast.Expr {
	tv, to := l.Info.Types[x], l.Info.Types[other]
	b, ok := l.typeOf(x).Underlying().(*types.Basic)
	if !ok || tv.Value == nil || to.Value != nil || b.Info()&(types.IsInteger|types.IsFloat) == 0 {
		return l.expr(x)
	}
	kind, text := token.INT, constant.ToInt(tv.Value).ExactString()
	if b.Info()&types.IsFloat != 0 {
		kind, text = token.FLOAT, floatText(tv.Value)
	}
	if text[0] == '-' {
		return &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.SUB, X: &ast.BasicLit{Kind: kind, Value: text[1:]}}}
	}
	return &ast.BasicLit{Kind: kind, Value: text}
}

func (l *Lowerer) equality(e *ast.BinaryExpr) ast.Expr {
	x, y := e.X, e.Y
	isNil := func(e ast.Expr) bool { tv := l.Info.Types[e]; return tv.IsNil() }
	if isNil(x) {
		x, y = y, x
	}
	if isNil(y) {
		return &ast.ParenExpr{X: &ast.BinaryExpr{X: l.whole(x), Op: e.Op, OpPos: e.OpPos, Y: ident("nil")}}
	}
	tx, ty := l.typeOf(x), l.typeOf(y)
	if types.IsInterface(tx) || types.IsInterface(ty) {
		eq := l.rt("Equal", l.to(x, anyInterface), l.to(y, anyInterface))
		if e.Op == token.NEQ {
			return &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.NOT, X: eq}}
		}
		return eq
	}
	switch tx.Underlying().(type) {
	case *types.Struct, *types.Array, *types.Chan:
		l.comparable(e, tx)
		eq := l.same(e, l.expr(x), tx, l.expr(y), ty)
		if e.Op == token.NEQ {
			return &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.NOT, X: eq}}
		}
		return eq
	}
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: l.operand(x, y), Op: e.Op, OpPos: e.OpPos, Y: l.operand(y, x)}}
}

// same compares the lowered a of type ta with b of type tb: structs, arrays, or channels of which one may send or
// receive only.
func (l *Lowerer) same(n ast.Node, a ast.Expr, ta types.Type, b ast.Expr, tb types.Type) ast.Expr {
	if _, isChan := ta.Underlying().(*types.Chan); isChan && l.key(ta) != l.key(tb) {
		if types.AssignableTo(ta, tb) {
			a = call(&ast.ParenExpr{X: l.low(n, tb)}, a)
		} else {
			b = call(&ast.ParenExpr{X: l.low(n, ta)}, b)
		}
	}
	return l.rt("Same", a, b)
}

// assertion lowers x.(T) with one result.
func (l *Lowerer) assertion(e *ast.TypeAssertExpr) ast.Expr {
	t := types.Unalias(l.typeOf(e))
	from := types.Unalias(l.typeOf(e.X))
	x := l.asserted(e, l.to(e.X, anyInterface), from, t)
	// which the interpreter mistakes as a condition
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		return &ast.ParenExpr{X: &ast.BinaryExpr{X: x, Op: token.EQL, Y: ident("true")}}
	}
	return x
}

// asserted is x, of any type, as a t; it panics where x is none.
func (l *Lowerer) asserted(n ast.Node, x ast.Expr, from, t types.Type) ast.Expr {
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return l.rt("NotNil", x)
	}
	v := l.rt("As", x, intLit(l.checkType(n, t)), strLit(l.name(from)))
	switch {
	case nativeInterface(t):
		return call(l.wrapper(n, t), v)
	case types.IsInterface(t), l.looped(t):
		return v
	}
	if s, ok := t.Underlying().(*types.Struct); ok && s.NumFields() == 0 { // whose first field the interpreter asks for
		ft := &ast.FuncType{
			Params:  &ast.FieldList{List: []*ast.Field{field("_", anyType())}},
			Results: &ast.FieldList{List: []*ast.Field{field("", l.low(n, t))}},
		}
		return call(&ast.FuncLit{Type: ft, Body: block(&ast.ReturnStmt{Results: []ast.Expr{l.zero(t)}})}, v)
	}
	return &ast.TypeAssertExpr{X: v, Type: l.low(n, t)}
}

// checkType returns the number of a type that values are compared with.
func (l *Lowerer) checkType(n ast.Node, t types.Type) int {
	if !native(t) && !types.IsInterface(t) {
		return l.boxType(t)
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		l.low(n, p) // which may be refused
	}
	return l.runtimeType(t).ID
}

// composite lowers a literal of type t.
func (l *Lowerer) composite(e *ast.CompositeLit, t types.Type) ast.Expr {
	if p, ok := t.Underlying().(*types.Pointer); ok { // an elided &T in a literal of pointers
		inner := l.composite(e, p.Elem())
		if _, ok := p.Elem().Underlying().(*types.Struct); ok {
			return addr(inner)
		}
		return l.newOf(e, p.Elem(), inner)
	}
	c := &ast.CompositeLit{Type: l.opening(e, t), Lbrace: e.Lbrace}
	element := func(x ast.Expr, t types.Type) ast.Expr {
		if inner, ok := x.(*ast.CompositeLit); ok && inner.Type == nil {
			return l.composite(inner, t)
		}
		return l.to(x, t)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for k, x := range e.Elts {
			f := u.Field(min(k, u.NumFields()-1))
			n := k
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				for n = range u.NumFields() {
					if f = u.Field(n); f.Name() == kv.Key.(*ast.Ident).Name {
						break
					}
				}
				x = kv.Value
			}
			if l.Info.Types[x].IsNil() { // as without it, which spares the interpreter a type it may not have finished
				continue
			}
			name := fieldName(f, n)
			if native(t) {
				name = f.Name()
			}
			value := element(x, f.Type())
			if f.Name() == "_" { // evaluated, but not kept
				value = l.dropped(x, value, f.Type())
			}
			c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: ident(name), Value: value})
		}
	case *types.Map:
		if l.repeats(e) {
			return l.entries(e, t, u, element)
		}
		for _, x := range e.Elts {
			kv := x.(*ast.KeyValueExpr)
			key := l.hashed(kv.Key, element(kv.Key, u.Key()), u.Key(), nil)
			if tv := l.Info.Types[kv.Key]; tv.IsNil() {
				key = l.mapKey(kv.Key, u.Key(), nil)
			}
			value := element(kv.Value, u.Elem())
			if _, star := ast.Unparen(kv.Value).(*ast.StarExpr); star { // of nil, which would make no entry
				value = l.apart(kv, value, u.Elem())
			}
			// entries are made one after the other, as statements would
			if l.Info.Types[kv.Key].Value == nil || l.Info.Types[kv.Value].Value == nil {
				key, value = l.soon(kv.Key, key, u.Key()), l.soon(kv.Value, value, u.Elem())
			}
			c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: key, Value: value})
		}
	case *types.Slice:
		c.Elts = l.elements(e, u.Elem(), element)
	case *types.Array:
		c.Elts = l.elements(e, u.Elem(), element)
	default:
		l.refuse(e, "a literal of type %s is not supported", t)
	}
	return c
}

// repeats reports whether keys of a map's literal are the same in the instance being lowered.
func (l *Lowerer) repeats(e *ast.CompositeLit) bool {
	seen := map[string]bool{}
	if len(l.env) == 0 {
		return false
	}
	for _, x := range e.Elts {
		key := x.(*ast.KeyValueExpr).Key
		v, ok := l.constant(key)
		if !ok {
			continue
		}
		text := l.key(l.typeOf(key)) + v.ExactString()
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// entries makes a map entry by entry.
func (l *Lowerer) entries(e *ast.CompositeLit, t types.Type, m *types.Map,
	element func(ast.Expr, types.Type) ast.Expr) ast.Expr {
	name := l.fresh("m")
	list := []ast.Stmt{varDecl(name, l.opening(e, t), &ast.CompositeLit{Type: l.opening(e, t)})}
	for _, x := range e.Elts {
		kv := x.(*ast.KeyValueExpr)
		key := l.hashed(kv.Key, element(kv.Key, m.Key()), m.Key(), ident(name))
		list = append(list, assign(&ast.IndexExpr{X: ident(name), Index: key}, element(kv.Value, m.Elem())))
	}
	ft := &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{field("", l.opening(e,
		t))}}}
	return call(&ast.FuncLit{Type: ft, Body: block(append(list, &ast.ReturnStmt{Results: []ast.Expr{ident(name)}})...)})
}

// dropped evaluates the lowered x of type t and is the zero value of t.
func (l *Lowerer) dropped(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	return l.evaluated(n, x, t, t, func(string) ast.Expr { return l.zero(t) })
}

// apart is the lowered x of type t, evaluated into a variable.
func (l *Lowerer) apart(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	return l.evaluated(n, x, t, t, func(name string) ast.Expr { return ident(name) })
}

// evaluated evaluates the lowered x of type t into a variable. It is what result, of type out, makes of the variable.
func (l *Lowerer) evaluated(n ast.Node, x ast.Expr, t, out types.Type, result func(name string) ast.Expr) ast.Expr {
	ft := &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{field("", l.low(n, out))}}}
	name := l.fresh("t")
	return call(&ast.FuncLit{Type: ft, Body: block(varDecl(name, l.low(n, t), x),
		&ast.ReturnStmt{Results: []ast.Expr{result(name)}})})
}

func (l *Lowerer) elements(e *ast.CompositeLit, t types.Type, element func(ast.Expr, types.Type) ast.Expr) []ast.Expr {
	var list []ast.Expr
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			key := l.Info.Types[kv.Key].Value
			list = append(list, &ast.KeyValueExpr{Key: l.literal(kv, key, types.Typ[types.Int]),
				Value: element(kv.Value, t)})
			continue
		}
		list = append(list, element(x, t))
	}
	return list
}

// funcLit lowers a closure.
func (l *Lowerer) funcLit(e *ast.FuncLit) ast.Expr {
	sig := l.Info.TypeOf(e).(*types.Signature)
	outer := l.fn
	inner := &function{names: map[types.Object]local{}, taken: outer.taken, library: outer.library,
		deferred: e == l.deferred, whole: e.Body}
	for k, v := range outer.names {
		inner.names[k] = v
	}
	inner.deferring = defers(e.Body)
	early := l.early
	l.fn, l.early = inner, nil
	defer func() { l.fn, l.early = outer, early }()
	ft, prologue := l.params(e, sig)
	return &ast.FuncLit{Type: ft, Body: &ast.BlockStmt{List: append(prologue, l.body(e.Body)...)}}
}

// body lowers the statements of a function. One that defers becomes a closure that the host runs, with the results
// as variables around it: the interpreter's own defer deadlocks on closures of its function and confuses those of
// loops.
func (l *Lowerer) body(b *ast.BlockStmt) []ast.Stmt {
	head := l.entry()
	switch {
	case l.fn.deferred || !l.numbered:
	case l.recoversItself(b):
		l.fn.entered = l.fresh("entered")
		head = append(head, define(l.fn.entered, l.rt("Entered")))
	case l.callsRecovering(b): // this is not the deferred call
		head = append(head, &ast.ExprStmt{X: l.rt("Entered")})
	}
	if !defers(b) {
		return append(head, l.withTemps(l.stmts(b.List))...)
	}
	l.fn.defers = l.fresh("defers")
	out := append(head, define(l.fn.defers, l.rt("Defers")))
	ret := &ast.ReturnStmt{}
	for _, v := range l.fn.results {
		name := l.fresh("r")
		out = append(out, define(name, call(ident("new"), l.low(b, v.Type()))))
		l.fn.slots = append(l.fn.slots, name)
		if v.Name() != "" && v.Name() != "_" {
			l.fn.names[v] = local{name, true}
		}
		ret.Results = append(ret.Results, star(ident(name)))
	}
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(l.withTemps(l.stmts(b.List))...)}
	return append(out, &ast.ExprStmt{X: l.rt("Run", ident(l.fn.defers), lit)}, ret)
}

// defers reports whether a function's own statements defer.
func defers(b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// params declares the parameters and named results of a function.
func (l *Lowerer) params(n ast.Node, sig *types.Signature) (*ast.FuncType, []ast.Stmt) {
	names := make([]string, sig.Params().Len())
	var prologue []ast.Stmt
	for k := range names {
		v := sig.Params().At(k)
		names[k] = l.fresh("a")
		if v.Name() == "" || v.Name() == "_" {
			continue
		}
		names[k] = l.fresh(v.Name())
		if l.fn.taken[v] && needsBox(l.subst(v.Type())) {
			p := l.fresh(v.Name())
			prologue = append(prologue, define(p, call(ident("new"), l.low(n, v.Type()))),
				assign(&ast.StarExpr{X: ident(p)}, ident(names[k])))
			l.fn.names[v] = local{p, true}
			continue
		}
		if sig.Variadic() && k == len(names)-1 { // whose type is another to the interpreter than that of a slice
			p := l.fresh(v.Name())
			prologue = append(prologue,
				varDecl(p, l.low(n, v.Type()), call(&ast.ParenExpr{X: l.low(n, v.Type())}, ident(names[k]))))
			l.fn.names[v] = local{p, false}
			continue
		}
		l.fn.names[v] = local{names[k], false}
	}
	ft := l.lowSignature(n, sig, names)
	l.fn.results = nil
	for v := range sig.Results().Variables() {
		l.fn.results = append(l.fn.results, v)
		// the interpreter would start a named result with what the caller assigns it to
		if v.Name() != "" && v.Name() != "_" && !l.fn.deferring {
			prologue = append(prologue, l.declareVar(n, v)...)
		}
	}
	return ft, prologue
}
