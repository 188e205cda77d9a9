package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
)

// to lowers e as a value of type target. e is assignable to target.
func (l *Lowerer) to(e ast.Expr, target types.Type) ast.Expr {
	target = l.subst(target)
	if tv, ok := l.Info.Types[e]; ok && tv.IsNil() {
		return l.null(e, target)
	}
	if tv, ok := l.Info.Types[e]; ok && tv.Value != nil {
		if b, ok := target.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped == 0 {
			return l.literal(e, tv.Value, target)
		}
	}
	if f, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		if types.IsInterface(target) {
			return l.convert(e, l.funcLit(f), l.typeOf(e), target)
		}
		return l.closed(l.funcLit(f), l.typeOf(e), target)
	}
	if name := l.standard(e); name != "" && l.key(target) == "io.Writer" {
		return l.rt(name)
	}
	x := l.expr(e)
	if l.early != nil && types.IsInterface(target) && l.inTime(e) {
		x = l.soon(e, x, types.Default(l.typeOf(e)))
	}
	if _, isFunc := target.Underlying().(*types.Signature); isFunc && l.foreign(e) {
		// otherwise the place of a pointer or slice would stay nil
		x = call(&ast.ParenExpr{X: l.low(e, l.typeOf(e))}, x)
	}
	return l.convert(e, x, l.typeOf(e), target)
}

// foreign reports whether e calls a function or method that does not belong to the cells.
func (l *Lowerer) foreign(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := l.named(c)
	return f != nil && !fromCell2(f)
}

// mapKey lowers a map's key of type t. If m is not nil, the key is looked up in m. The interpreter needs a type for
// nil.
func (l *Lowerer) mapKey(e ast.Expr, t types.Type, m ast.Expr) ast.Expr {
	if tv := l.Info.Types[e]; tv.IsNil() && (!types.IsInterface(l.subst(t)) || nativeInterface(l.subst(t))) {
		return call(&ast.ParenExpr{X: l.low(e, t)}, ident("nil"))
	}
	return l.hashed(e, l.to(e, t), t, m)
}

// hashed returns the lowered key x of a map. It checks a key that may not be hashable, because the run time would name
// the lowered type in its error. If the key is looked up in m, the error depends on whether m is empty.
func (l *Lowerer) hashed(e ast.Expr, x ast.Expr, t types.Type, m ast.Expr) ast.Expr {
	from, t := l.typeOf(e), l.subst(t)
	inside := !types.IsInterface(t) && holds(t, types.IsInterface)
	if !inside && (!types.IsInterface(t) || nativeInterface(t) || l.Info.Types[e].IsNil() ||
		!holds(from, types.IsInterface) && types.Comparable(from)) {
		return x
	}
	n := ast.Expr(intLit(1))
	if m != nil {
		n = call(ident("len"), m)
	}
	if inside {
		return &ast.TypeAssertExpr{X: l.rt("Hashed", x, n), Type: l.low(e, t)}
	}
	return l.rt("Hashed", x, n)
}

// holds reports whether is(t) is true, or is(part) for a part of a struct or array.
func holds(t types.Type, is func(types.Type) bool) bool {
	if is(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holds(u.Elem(), is)
	case *types.Struct:
		for f := range u.Fields() {
			if holds(f.Type(), is) {
				return true
			}
		}
	}
	return false
}

// null returns nil as a value of type t.
func (l *Lowerer) null(n ast.Node, t types.Type) ast.Expr {
	return ident("nil")
}

// convert makes the lowered x of type from assignable to the lowered target.
func (l *Lowerer) convert(n ast.Node, x ast.Expr, from, target types.Type) ast.Expr {
	from, target = types.Unalias(l.subst(from)), types.Unalias(l.subst(target))
	if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return x
	}
	if types.IsInterface(target) {
		return l.toInterface(n, x, from, target)
	}
	if _, ok := target.Underlying().(*types.Struct); ok && l.key(from) != l.key(target) {
		return call(&ast.ParenExpr{X: l.low(n, target)}, x)
	}
	if !l.looped(target) {
		x = l.opened(n, x, from)
		if named, ok := target.(*types.Named); ok && native(named) && l.key(from) != l.key(target) {
			// the interpreter passes its own form of the value
			if _, isFunc := target.Underlying().(*types.Signature); isFunc {
				x = call(&ast.ParenExpr{X: l.low(n, target)}, x)
			}
		}
		return x
	}
	return l.closed(x, from, target)
}

func (l *Lowerer) toInterface(n ast.Node, x ast.Expr, from, target types.Type) ast.Expr {
	if types.IsInterface(from) {
		switch {
		case nativeInterface(target) && nativeInterface(from):
			return x
		case nativeInterface(target):
			return call(l.wrapper(n, target), x)
		case nativeInterface(from):
			return l.rt("Norm", x)
		}
		return x
	}
	if native(from) {
		if !nativeInterface(target) {
			return l.computed(n, x, from)
		}
		if _, isFunc := from.Underlying().(*types.Signature); isFunc {
			return call(l.wrapper(n, target), x)
		}
		return x
	}
	boxed := l.rt("Box", intLit(l.boxType(from)), x)
	if nativeInterface(target) {
		return call(l.wrapper(n, target), boxed)
	}
	return boxed
}

// computed converts the result of an operator to its type. If the interpreter knows that the result goes into an
// interface, it computes some results as interfaces and fails.
func (l *Lowerer) computed(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	y := x
	for {
		p, ok := y.(*ast.ParenExpr)
		if !ok {
			break
		}
		y = p.X
	}
	switch y := y.(type) {
	case *ast.BinaryExpr:
		return call(&ast.ParenExpr{X: l.low(n, t)}, x)
	case *ast.UnaryExpr:
		if y.Op != token.AND && y.Op != token.ARROW {
			return call(&ast.ParenExpr{X: l.low(n, t)}, x)
		}
	}
	return x
}

// wrapper returns the name of the host function that returns its argument as the native interface t.
func (l *Lowerer) wrapper(n ast.Node, t types.Type) ast.Expr {
	l.imports["rt"] = "rt__"
	key := l.key(t)
	name, ok := l.ifaces[key]
	if !ok {
		rtype := l.reflectType(t)
		if rtype == nil {
			l.refuse(n, "the interface %s has no symbol in this kernel", t)
		}
		name = l.fresh("As")
		l.ifaces[key] = name
		ft := reflect.FuncOf([]reflect.Type{reflect.TypeFor[any]()}, []reflect.Type{rtype}, false)
		l.host[name] = reflect.MakeFunc(ft, func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{l.Reg.Wrap(in[0].Interface(), rtype)}
		})
	}
	return sel(ident("rt__"), name)
}

// boxType returns the number of a type whose values are boxed, and registers its methods.
func (l *Lowerer) boxType(t types.Type) int {
	id := l.runtimeType(t)
	if l.boxed[id] == nil {
		l.boxed[id] = map[string]string{}
		l.bindMethods(t)
		l.boxParts(t)
	}
	return id.ID
}

// boxParts also registers the types inside t, because printing and encoding a value calls methods of its parts.
func (l *Lowerer) boxParts(t types.Type) {
	visit := func(t types.Type) {
		t = types.Unalias(l.subst(t))
		if native(t) || types.IsInterface(t) {
			return
		}
		l.boxType(t)
		if _, named := t.(*types.Named); named && (l.reaches || codesItself(types.NewPointer(t))) {
			l.boxType(types.NewPointer(t))
		}
	}
	if l.reaches {
		l.boxResults(t, visit)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		visit(u.Elem())
	case *types.Slice:
		visit(u.Elem())
	case *types.Array:
		visit(u.Elem())
	case *types.Map:
		visit(u.Key())
		visit(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			visit(f.Type())
		}
	}
}

// boxReached registers, for all boxed types from now on, the types that templates and reflection reach from their
// values: pointers to their parts, and results of their methods.
func (l *Lowerer) boxReached() {
	if l.reaches {
		return
	}
	l.reaches = true
	for id := range clone(l.boxed) {
		l.boxParts(id.Go)
	}
}

// boxResults visits the types of values that one gets by calling a value of type t, ranging over it, or calling its
// methods.
func (l *Lowerer) boxResults(t types.Type, visit func(types.Type)) {
	results := func(s *types.Signature) {
		for v := range s.Results().Variables() {
			visit(v.Type())
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		visit(u.Elem())
	case *types.Signature:
		results(u)
		for v := range u.Params().Variables() {
			if yield, ok := v.Type().Underlying().(*types.Signature); ok {
				for x := range yield.Params().Variables() {
					visit(x.Type())
				}
			}
		}
	}
	for m := range types.NewMethodSet(t).Methods() {
		if m.Obj().Exported() {
			results(m.Type().(*types.Signature))
		}
	}
}

func codesItself(t types.Type) bool {
	set := types.NewMethodSet(t)
	return slices.ContainsFunc([]string{"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText"},
		func(name string) bool {
			return set.Lookup(nil, name) != nil
		})
}

// literal returns a constant as a value of type t.
func (l *Lowerer) literal(n ast.Node, v constant.Value, t types.Type) ast.Expr {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		l.refuse(n, "a constant of type %s is not supported", t)
	}
	nt, isNamed := types.Unalias(t).(*types.Named)
	isNamed = isNamed && native(nt)
	typ := func() ast.Expr {
		if isNamed {
			return l.low(n, t)
		}
		return ident(b.Name())
	}
	named := func(x ast.Expr) ast.Expr {
		if isNamed {
			return call(l.low(n, t), x)
		}
		return x
	}
	wrap := func(kind token.Token, text string, plain bool) ast.Expr {
		lit := ast.Expr(&ast.BasicLit{Kind: kind, Value: text})
		if text[0] == '-' {
			lit = &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.SUB, X: &ast.BasicLit{Kind: kind, Value: text[1:]}}}
		}
		if plain {
			return lit
		}
		return call(typ(), lit)
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return named(ident(strconv.FormatBool(constant.BoolVal(v))))
	case b.Info()&types.IsString != 0:
		return named(strLit(constant.StringVal(v)))
	case b.Info()&types.IsInteger != 0:
		v = constant.ToInt(v)
		if s := v.ExactString(); s == "-9223372036854775808" {
			return &ast.ParenExpr{X: &ast.BinaryExpr{X: wrap(token.INT, "-9223372036854775807", b.Kind() == types.Int &&
				!isNamed), Op: token.SUB, Y: wrap(token.INT, "1", b.Kind() == types.Int && !isNamed)}}
		}
		return wrap(token.INT, v.ExactString(), b.Kind() == types.Int && !isNamed)
	case b.Info()&types.IsFloat != 0:
		return wrap(token.FLOAT, floatText(v), false)
	case b.Info()&types.IsComplex != 0:
		x := call(ident("complex"), wrapFloat(constant.Real(v), b), wrapFloat(constant.Imag(v), b))
		if b.Kind() == types.Complex64 { // the interpreter makes a complex128 for it
			x = call(ident("complex64"), x)
		}
		return named(x)
	}
	l.refuse(n, "a constant of type %s is not supported", t)
	return nil
}

func wrapFloat(v constant.Value, b *types.Basic) ast.Expr {
	name := "float64"
	if b.Kind() == types.Complex64 {
		name = "float32"
	}
	text := floatText(v)
	lit := ast.Expr(&ast.BasicLit{Kind: token.FLOAT, Value: text})
	if text[0] == '-' {
		lit = &ast.UnaryExpr{Op: token.SUB, X: &ast.BasicLit{Kind: token.FLOAT, Value: text[1:]}}
	}
	return call(ident(name), lit)
}

func floatText(v constant.Value) string {
	f, _ := constant.Float64Val(v)
	s := strconv.FormatFloat(f, 'g', -1, 64)
	for k := range len(s) {
		if s[k] == '.' || s[k] == 'e' {
			return s
		}
	}
	return s + ".0"
}

// plainBool reports whether values of t are lowered to bool.
func plainBool(t types.Type) bool {
	_, named := types.Unalias(t).(*types.Named)
	return !named || !native(t)
}

// constant is the value of a constant, or of one converted to a type parameter.
func (l *Lowerer) constant(e ast.Expr) (constant.Value, bool) {
	if v := l.Info.Types[e].Value; v != nil {
		return v, true
	}
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !l.Info.Types[ast.Unparen(c.Fun)].IsType() {
		return nil, false
	}
	return l.converted(c.Args[0], l.typeOf(c))
}

// converted is the constant number e as one of the type target, which is a type parameter's.
func (l *Lowerer) converted(e ast.Expr, target types.Type) (constant.Value, bool) {
	v, ok := l.constant(e)
	b, isBasic := target.Underlying().(*types.Basic)
	if !ok || !isBasic || b.Info()&types.IsNumeric == 0 || v.Kind() == constant.String || v.Kind() == constant.Bool {
		return nil, false
	}
	to := constant.ToComplex
	switch {
	case b.Info()&types.IsInteger != 0:
		to = constant.ToInt
	case b.Info()&types.IsFloat != 0:
		to = constant.ToFloat
	}
	v = to(v)
	return v, v.Kind() != constant.Unknown
}

// conversion lowers T(x).
func (l *Lowerer) conversion(c *ast.CallExpr) ast.Expr {
	target := types.Unalias(l.typeOf(c))
	arg := c.Args[0]
	if tv := l.Info.Types[arg]; tv.IsNil() {
		if types.IsInterface(target) || nativeInterface(target) {
			return call(&ast.ParenExpr{X: l.low(c, target)}, ident("nil"))
		}
		return call(&ast.ParenExpr{X: l.low(c, target)}, ident("nil"))
	}
	if v, ok := l.converted(arg, target); ok {
		return l.literal(c, v, target)
	}
	from := types.Unalias(l.typeOf(arg))
	if types.IsInterface(target) {
		x := l.to(arg, target)
		if native(from) && !types.IsInterface(from) {
			return call(&ast.ParenExpr{X: l.low(c, target)}, x)
		}
		return x
	}
	x := l.expr(arg)
	if !l.looped(target) {
		x = l.opened(c, x, from)
	} else if !l.looped(from) {
		return l.closed(x, from, target)
	}
	fu, tu := from.Underlying(), target.Underlying()
	if b, ok := tu.(*types.Basic); ok && b.Kind() == types.Bool && plainBool(from) && plainBool(target) {
		return x // as a condition, the interpreter takes a conversion for true
	}
	if to, ok := tu.(*types.Slice); ok && l.Info.Types[arg].Value != nil &&
		types.Identical(to.Elem(), types.Typ[types.Byte]) {
		// without the extra capacity that other text gets
		return call(&ast.ParenExpr{X: l.low(c, target)}, l.rt("Bytes", x))
	}
	// the interpreter rounds twice
	if b, ok := fu.(*types.Basic); ok && b.Info()&types.IsInteger != 0 && sizes.Sizeof(b) > 4 {
		if f, ok := tu.(*types.Basic); ok && f.Kind() == types.Float32 {
			name, wide := "Float32", "int64"
			if b.Info()&types.IsUnsigned != 0 {
				name, wide = "Float32U", "uint64"
			}
			x = l.rt(name, call(ident(wide), x))
		}
	}
	if types.Identical(fu, tu) {
		if _, isBasic := tu.(*types.Basic); isBasic && !(native(from) && native(target)) {
			if native(target) { // from a cell's type to a native type, e.g. time.Duration
				return call(l.low(c, target), x)
			}
			if native(from) {
				return call(l.low(c, tu), x)
			}
			return x
		}
	}
	return call(&ast.ParenExpr{X: l.low(c, target)}, x)
}
