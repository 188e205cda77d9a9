package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// method lowers the callee x.M.
func (l *Lowerer) method(e *ast.SelectorExpr, s *types.Selection) (target, string) {
	recv := l.typeOf(e.X)
	obj, index := l.selected(e, recv, s)
	x := l.expr(e.X)
	return l.bound(e, x, recv, obj, index)
}

// selected returns the method that s selects of values of type recv, and the fields that lead to it. If recv replaces a
// type parameter, the method is looked up again.
func (l *Lowerer) selected(n ast.Node, recv types.Type, s *types.Selection) (*types.Func, []int) {
	if l.env == nil {
		return s.Obj().(*types.Func), s.Index()
	}
	o, index, _ := types.LookupFieldOrMethod(recv, true, s.Obj().Pkg(), s.Obj().Name())
	f, ok := o.(*types.Func)
	if !ok {
		l.refuse(n, "%s has no method %s", recv, s.Obj().Name())
	}
	return f, index
}

// bound returns the method obj of x, reached through the fields index.
func (l *Lowerer) bound(n ast.Node, x ast.Expr, recv types.Type, obj *types.Func, index []int) (target, string) {
	if len(index) > 1 {
		x, recv = l.path(n, x, recv, index[:len(index)-1])
	}
	if types.IsInterface(recv) {
		if nativeInterface(recv) {
			return target{fun: sel(x, obj.Name())}, methodName(recv, obj)
		}
		sig := l.subst(obj.Signature()).(*types.Signature)
		return target{fun: &ast.TypeAssertExpr{X: l.rt("Method", x, strLit(obj.Name())),
			Type: l.lowSignature(n, sig, nil)}}, ""
	}
	if executes(obj) {
		l.boxReached()
		if _, isPtr := recv.Underlying().(*types.Pointer); !isPtr {
			x = addressOf(x)
		}
		return target{fun: &ast.TypeAssertExpr{X: l.rt("Method", x, strLit(obj.Name())),
			Type: l.lowSignature(n, obj.Signature(), nil)}}, ""
	}
	f := l.funcs[obj.Origin()]
	if f == nil {
		f = l.twin(obj.Origin())
	}
	if f == nil {
		f = l.sourceMethod(n, recv, obj)
	}
	if f == nil {
		if obj.Pkg() != nil && obj.Pkg().Path() == "main" {
			l.refuse(n, "the method %s is not there: the cell that defines it failed", obj.Name())
		}
		l.checkReceiver(n, recv)
		if _, isStruct := recv.Underlying().(*types.Struct); isStruct {
			x = unstar(x)
		}
		if where := methodName(recv, obj); strings.HasPrefix(where, "reflect.") {
			_, rest, _ := strings.Cut(where, ".")
			name, _, _ := strings.Cut(rest, ".")
			if rest == "Value.Addr" || rest == "New" || rest == "PointerTo" {
				l.boxReached()
			}
			if t := l.Reg.NativeType("reflect", name); t != nil {
				if _, ok := reflect.PointerTo(t).MethodByName(obj.Name()); !ok {
					l.refuse(n, "%s is not supported by this engine", where)
				}
			}
		}
		out := sel(x, obj.Name())
		out.Sel.NamePos = l.pos(n)
		return target{fun: out}, methodName(recv, obj)
	}
	want := obj.Signature().Recv().Type()
	_, wantPtr := types.Unalias(want).(*types.Pointer)
	elem := recv
	p, havePtr := types.Unalias(recv).Underlying().(*types.Pointer)
	if _, named := types.Unalias(recv).(*types.Named); named {
		havePtr = false
	}
	if havePtr {
		elem = p.Elem()
	}
	switch {
	case wantPtr && !havePtr:
		x = addressOf(x)
	case !wantPtr && havePtr:
		x = star(x)
	}
	name := f.low
	if named, ok := types.Unalias(elem).(*types.Named); ok && named.TypeArgs().Len() > 0 {
		name = l.instance(n, f, l.typeArgs(named.TypeArgs()))
	}
	if wantPtr {
		elem = types.NewPointer(elem)
	}
	return target{fun: &ast.Ident{Name: name, NamePos: l.pos(n)}, recv: []ast.Expr{x}, types: []types.Type{elem},
		named: true}, ""
}

// twin returns the function of a cell that was declared at the place of obj. The body of a refused cell may have been
// checked again and then refers to other objects.
func (l *Lowerer) twin(obj *types.Func) *Func {
	if fromCell2(obj) && obj.Pos().IsValid() {
		for o, f := range l.funcs {
			if o.Pos() == obj.Pos() && o.Name() == obj.Name() {
				return f
			}
		}
	}
	return nil
}

// checkReceiver refuses methods of generic native types, which have no symbols.
func (l *Lowerer) checkReceiver(n ast.Node, recv types.Type) {
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	if named, ok := types.Unalias(recv).(*types.Named); ok && named.TypeArgs().Len() > 0 {
		l.refuse(n, "the generic type %s.%s is not supported", named.Obj().Pkg().Path(), named.Obj().Name())
	}
}

func methodName(recv types.Type, obj *types.Func) string {
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	if named, ok := types.Unalias(recv).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + obj.Name()
	}
	return ""
}

// methodValue lowers x.M as a function value: the receiver is evaluated now.
func (l *Lowerer) methodValue(e *ast.SelectorExpr, s *types.Selection) ast.Expr {
	sig := l.typeOf(e).(*types.Signature)
	obj, _ := l.selected(e, l.typeOf(e.X), s)
	recvType := l.subst(obj.Signature().Recv().Type())
	if !fromCell2(obj) && !executes(obj) && !types.IsInterface(recvType) && !types.IsInterface(l.typeOf(e.X)) {
		return l.nativeMethod(e, s, obj, recvType, sig)
	}
	f, _ := l.method(e, s)
	if f.recv == nil { // method of an interface: it is already bound
		return f.fun
	}
	return l.bindLiteral(e, f, recvType, sig, f.recv[0])
}

// nativeMethod returns x.M of a native type as a function literal, because the interpreter gets the type of its own
// wrong.
func (l *Lowerer) nativeMethod(e *ast.SelectorExpr, s *types.Selection, obj *types.Func, recvType types.Type,
	sig *types.Signature) ast.Expr {
	x, holder := l.expr(e.X), l.typeOf(e.X)
	for _, k := range s.Index()[:len(s.Index())-1] {
		var inner types.Type
		if x, inner = l.path(e, x, holder, []int{k}); hidden(inner) {
			break
		}
		holder = inner
	}
	l.checkReceiver(e, holder)
	_, want := types.Unalias(recvType).(*types.Pointer)
	_, have := holder.Underlying().(*types.Pointer)
	// the method of an embedded field that only its package can name: bound to what holds the field
	if hidden(recvType) {
		if recvType = holder; want && !have {
			recvType = types.NewPointer(holder)
		} else {
			want = have
		}
	}
	switch {
	case want && !have:
		x = addressOf(x)
	case !want && have:
		x = star(x)
	}
	r := l.fresh("r")
	return call(l.binder(e, r, recvType, sig, target{fun: sel(ident(r), obj.Name())}), x)
}

// hidden reports whether t, or its target, is a type of the library that only its own package can name.
func hidden(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && !named.Obj().Exported() && !fromCell(named.Obj())
}

// bindLiteral returns func(r) func(args) results { return func(args) results { return f(r, args) } }(recv).
func (l *Lowerer) bindLiteral(n ast.Node, f target, recvType types.Type, sig *types.Signature, recv ast.Expr) ast.Expr {
	r := l.fresh("r")
	f.recv = []ast.Expr{ident(r)}
	lit := l.binder(n, r, recvType, sig, f)
	return call(lit, recv)
}

// binder returns func(r recvType) func(args) results { return func(args) results { return f(args) } }.
func (l *Lowerer) binder(n ast.Node, r string, recvType types.Type, sig *types.Signature, f target) *ast.FuncLit {
	ft, body := l.passingOn(n, sig, f)
	return &ast.FuncLit{
		Type: &ast.FuncType{
			Params:  &ast.FieldList{List: []*ast.Field{field(r, l.low(n, recvType))}},
			Results: &ast.FieldList{List: []*ast.Field{field("", l.lowSignature(n, sig, nil))}},
		},
		Body: block(&ast.ReturnStmt{Results: []ast.Expr{&ast.FuncLit{Type: ft, Body: body}}}),
	}
}

// passingOn returns the type and the body of func(args) results { return f(args) }.
func (l *Lowerer) passingOn(n ast.Node, sig *types.Signature, f target) (*ast.FuncType, *ast.BlockStmt) {
	names := make([]string, sig.Params().Len())
	inner := &ast.CallExpr{Fun: f.fun, Args: append([]ast.Expr{}, f.recv...)}
	for k := range names {
		names[k] = l.fresh("a")
		inner.Args = append(inner.Args, ident(names[k]))
	}
	if sig.Variadic() {
		inner.Ellipsis = 1
	}
	x := ast.Expr(inner)
	if f.named {
		x = l.choose(n, inner, f, sig, nil)
	}
	return l.lowSignature(n, sig, names), block(passedBack(x, sig.Results().Len())...)
}

// methodExpr lowers T.M or (*T).M: the function with its receiver as first parameter.
func (l *Lowerer) methodExpr(e *ast.SelectorExpr, s *types.Selection) ast.Expr {
	sig := l.typeOf(e).(*types.Signature)
	recv := sig.Params().At(0).Type()
	names := make([]string, sig.Params().Len())
	for k := range names {
		names[k] = l.fresh("a")
	}
	obj, index := l.selected(e, recv, s)
	var x ast.Expr = ident(names[0])
	f, _ := l.bound(e, x, recv, obj, index)
	inner := &ast.CallExpr{Fun: f.fun, Args: f.recv}
	for _, a := range names[1:] {
		inner.Args = append(inner.Args, ident(a))
	}
	if sig.Variadic() {
		inner.Ellipsis = 1
	}
	made := ast.Expr(inner)
	if f.named {
		rest := types.NewSignatureType(nil, nil, nil, types.NewTuple(slices.Collect(sig.Params().Variables())[1:]...),
			sig.Results(), sig.Variadic())
		made = l.choose(e, inner, f, rest, nil)
	}
	return &ast.FuncLit{Type: l.lowSignature(e, sig, names),
		Body: block(append(l.noReceiver(names[0], recv, obj, index), passedBack(made, sig.Results().Len())...)...)}
}

// noReceiver panics as Go does where a method of values is called by way of a pointer of type t, named r, that is nil.
func (l *Lowerer) noReceiver(r string, t types.Type, obj *types.Func, index []int) []ast.Stmt {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok || len(index) > 1 || obj.Signature().Recv() == nil {
		return nil
	}
	if _, ok := types.Unalias(obj.Signature().Recv().Type()).(*types.Pointer); ok || types.IsInterface(p.Elem()) {
		return nil
	}
	name := strings.TrimPrefix(l.name(p.Elem()), "main.")
	return []ast.Stmt{&ast.IfStmt{Cond: &ast.BinaryExpr{X: ident(r), Op: token.EQL, Y: ident("nil")},
		Body: block(&ast.ExprStmt{X: l.rt("NoReceiver", strLit(name), strLit(obj.Name()))})}}
}

// bindMethods registers the methods of t with the host, so that interfaces find them.
func (l *Lowerer) bindMethods(t types.Type) {
	id := l.runtimeType(t)
	t = id.Go
	set := types.NewMethodSet(t)
	for k := range set.Len() {
		s := set.At(k)
		obj := s.Obj().(*types.Func)
		name := obj.Name()
		if !obj.Exported() && !fromCell2(obj) {
			continue
		}
		sig := s.Type().(*types.Signature)
		sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		r := l.fresh("r")
		saved, env := l.fn, l.env
		l.env = nil
		if !fromCell2(obj) && !l.spelled(sig) {
			l.env = env
			continue
		}
		l.fn = &function{names: map[types.Object]local{}}
		f, _ := l.bound(nil, ident(r), t, obj, s.Index())
		version := ""
		if id, ok := f.fun.(*ast.Ident); ok {
			version = id.Name
		}
		if old, ok := l.boxed[id][name]; !ok || old != version {
			next := clone(l.boxed[id])
			next[name] = version
			l.boxed[id] = next
			bind := l.fresh("bind")
			lit := l.binder(nil, r, t, sig, f)
			inner := lit.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.FuncLit)
			inner.Body.List = append(l.noReceiver(r, t, obj, s.Index()), inner.Body.List...)
			l.out = append(l.out, &ast.FuncDecl{Name: ident(bind), Type: lit.Type, Body: lit.Body})
			l.regs = append(l.regs, &ast.ExprStmt{X: l.rt("Register", intLit(id.ID), strLit(name), ident(bind))})
		}
		l.fn, l.env = saved, env
	}
}

// spelled reports whether all types of a native method have symbols in this kernel.
func (l *Lowerer) spelled(sig *types.Signature) (ok bool) {
	defer unlessRefused()
	l.lowSignature(nil, sig, nil)
	return true
}

// rebind registers methods again that the unit has redefined, if their types were boxed before.
func (l *Lowerer) rebind() {
	if len(l.unit.Funcs) == 0 {
		return
	}
	for id := range clone(l.boxed) {
		if t := l.renewed(id.Go); t != id.Go {
			l.intern(l.key(t), t)
		}
		l.bindMethods(id.Go)
		if l.reaches {
			l.boxParts(id.Go)
		}
	}
}

// renewed returns t with the newest declarations of the cells' types in it, and so with their present methods.
func (l *Lowerer) renewed(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		n := l.newest[t.Obj().Name()+l.keys[t.Origin().Obj()]]
		if _, known := l.keys[t.Origin().Obj()]; !known || n == nil || n == t.Origin().Obj() {
			return t
		}
		if t.TypeArgs().Len() == 0 {
			return n.Type()
		}
		args := make([]types.Type, t.TypeArgs().Len())
		for k := range args {
			args[k] = l.renewed(t.TypeArgs().At(k))
		}
		if i, err := types.Instantiate(nil, n.Type(), args, false); err == nil {
			return i
		}
	case *types.Pointer:
		if e := l.renewed(t.Elem()); e != t.Elem() {
			return types.NewPointer(e)
		}
	}
	return t
}

// lowerFunc writes a function. If it is generic, it has the type arguments env.
func (l *Lowerer) lowerFunc(f *Func, name string, env map[*types.TypeParam]types.Type) {
	savedFn, savedEnv, early := l.fn, l.env, l.early
	defer func() { l.fn, l.env, l.early = savedFn, savedEnv, early }()
	l.early = nil
	forgotten := func() { clear(l.seen); clear(l.held) } // of other instances
	forgotten()
	defer forgotten()
	if f.Obj == nil || fromCell2(f.Obj) {
		l.byLow[name] = f
	}
	l.env = env
	l.fn = &function{names: map[types.Object]local{}, taken: l.addressed(f.Decl.Body), library: f.Obj != nil &&
		!fromCell2(f.Obj), whole: f.Decl.Body}
	sig := types.NewSignatureType(nil, nil, nil, f.Sig.Params(), f.Sig.Results(), f.Sig.Variadic())
	l.fn.deferring = defers(f.Decl.Body)
	ft, prologue := l.params(f.Decl, sig)
	body := append(prologue, l.body(f.Decl.Body)...)
	l.out = append(l.out, &ast.FuncDecl{
		Name: &ast.Ident{Name: name, NamePos: f.Decl.Name.Pos()}, Type: ft,
		Body: &ast.BlockStmt{Lbrace: f.Decl.Body.Lbrace, List: body, Rbrace: f.Decl.Body.Rbrace},
	})
}

// addressed returns the variables whose address is taken, directly, by a method with a pointer receiver, or by slicing,
// and the variables that closures share with their function.
func (l *Lowerer) addressed(body *ast.BlockStmt) map[types.Object]bool {
	taken := map[types.Object]bool{}
	shared := func(lit ast.Node) {
		ast.Inspect(lit, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := l.Info.Uses[id].(*types.Var); ok && (v.Pos() < lit.Pos() || v.Pos() >= lit.End()) {
					taken[v] = true
				}
			}
			return true
		})
	}
	if defers(body) {
		shared(body)
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			shared(n)
		case *ast.RangeStmt:
			if t := l.Info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Signature); ok {
					shared(n.Body)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				l.root(n.X, taken)
			}
		case *ast.SliceExpr:
			if t := l.Info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Array); ok {
					l.root(n.X, taken)
				}
			}
		case *ast.SelectorExpr:
			if s, ok := l.Info.Selections[n]; ok && s.Kind() == types.MethodVal {
				if sig, ok := s.Obj().Type().(*types.Signature); ok && sig.Recv() != nil {
					_, ptr := types.Unalias(sig.Recv().Type()).(*types.Pointer)
					if _, isParam := types.Unalias(s.Recv()).(*types.TypeParam); ptr || isParam {
						l.root(n.X, taken)
					}
				}
			}
		}
		return true
	})
	return taken
}

// root marks the variable that contains x.
func (l *Lowerer) root(x ast.Expr, taken map[types.Object]bool) {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.SelectorExpr:
			if t := l.Info.TypeOf(e.X); t != nil {
				if _, ptr := t.Underlying().(*types.Pointer); ptr {
					return
				}
			}
			x = e.X
		case *ast.IndexExpr:
			if t := l.Info.TypeOf(e.X); t != nil {
				if _, ok := t.Underlying().(*types.Array); !ok {
					return
				}
			}
			x = e.X
		case *ast.Ident:
			if obj := l.Info.ObjectOf(e); obj != nil {
				taken[obj] = true
			}
			return
		default:
			return
		}
	}
}

// executes reports whether x is a method that executes a template. The host runs such methods.
func executes(x types.Object) bool {
	f, ok := x.(*types.Func)
	return ok && strings.HasPrefix(f.Name(), "Execute") && f.Pkg() != nil &&
		strings.HasSuffix(f.Pkg().Path(), "/template")
}
