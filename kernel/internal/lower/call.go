package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"nacre/kernel/internal/cells"
)

// called lowers a call that has at most one result, which is used as a value.
func (l *Lowerer) called(c *ast.CallExpr) ast.Expr {
	x := l.asMade(c)
	if ch, ok := x.(*choice); ok {
		return l.value(c, ch)
	}
	return l.sooner(c, x)
}

// asMade lowers a call to a call, or to a choice of two calls.
func (l *Lowerer) asMade(c *ast.CallExpr) ast.Expr {
	if g, ok := cells.Guarded(l.Fset, c); ok {
		return l.guarded(c, g)
	}
	fun := ast.Unparen(c.Fun)
	if tv, ok := l.Info.Types[fun]; ok && tv.IsType() {
		return l.conversion(c)
	}
	if p := l.forwarded(c); p != nil {
		return l.forward(c, p)
	}
	if tv, ok := l.Info.Types[fun]; ok && tv.IsBuiltin() {
		return l.builtin(c, fun)
	}
	sig, ok := l.typeOf(fun).Underlying().(*types.Signature)
	if !ok {
		l.refuse(c, "this call is not supported")
	}
	if s, ok := fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Write" || s.Sel.Name == "WriteString") {
		if name := l.standard(s.X); name != "" {
			return l.rt(s.Sel.Name, strLit(name), l.to(c.Args[0], sig.Params().At(0).Type()))
		}
	}
	f, where := l.callee(fun)
	args := l.arguments(c, sig, where)
	out := &ast.CallExpr{Fun: f.fun, Lparen: c.Lparen, Args: append(f.recv, args.list...)}
	if args.spread {
		out.Ellipsis = c.Rparen
		if out.Ellipsis == token.NoPos {
			out.Ellipsis = 1
		}
	}
	switch {
	case strings.HasSuffix(where, "/template.Template.Funcs") && len(args.list) == 1:
		out.Args[0] = l.rt("TemplateFuncs", out.Args[0])
	case where == "flag.FlagSet.PrintDefaults":
		if s, ok := f.fun.(*ast.SelectorExpr); ok {
			return l.rt("PrintDefaults", s.X)
		}
	case where == "flag.TextVar", where == "flag.FlagSet.TextVar":
		if s, ok := f.fun.(*ast.SelectorExpr); ok && !native(l.typeOf(c.Args[0])) {
			set := s.X
			if where == "flag.TextVar" {
				set = &ast.SelectorExpr{X: set, Sel: ident("CommandLine")}
			}
			return l.rt("TextVar", set, l.to(c.Args[0], anyInterface), args.list[1], l.to(c.Args[2], anyInterface),
				args.list[3])
		}
	case strings.HasPrefix(where, "log.Logger.Fatal"):
		if s, ok := f.fun.(*ast.SelectorExpr); ok {
			out.Fun = l.rt("Fatal").Fun
			out.Args = append([]ast.Expr{s.X, strLit(s.Sel.Name)}, out.Args...)
		}
	case strings.HasPrefix(where, "testing."):
		if s, ok := f.fun.(*ast.SelectorExpr); ok {
			l.testCall(where, s, c, out)
		}
	case where == "encoding/json.Encoder.Encode":
		return l.rt("Encoded", out)
	case where == "encoding/json.Decoder.Decode":
		if s, ok := f.fun.(*ast.SelectorExpr); ok && len(args.list) == 1 {
			x := s.X
			if l.byPointer(c) {
				x = addressOf(x)
			}
			return l.rt("Decode", x, args.list[0])
		}
	case where == "" && l.later != nil && c == l.later.call:
		l.later.made = func(c *ast.CallExpr) ast.Expr { return l.choose(fun, c, f, sig, nil) }
	case where == "":
		return l.choose(c, out, f, sig, c.Args)
	}
	return out
}

// testCall lets a method of a test know its place in the cell, or guards the function that it calls.
func (l *Lowerer) testCall(where string, s *ast.SelectorExpr, c, out *ast.CallExpr) {
	switch s.Sel.Name {
	case "Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf", "Skip", "Skipf":
		at := l.Fset.Position(c.Pos())
		log := "TestLog"
		if strings.HasSuffix(s.Sel.Name, "f") {
			log = "TestLogf"
		}
		out.Fun = l.rt(log).Fun
		out.Args = append([]ast.Expr{s.X, strLit(s.Sel.Name), strLit(at.Filename + ":" + strconv.Itoa(at.Line))},
			out.Args...)
	case "Cleanup", "Fuzz", "RunParallel":
		out.Fun = l.rt(s.Sel.Name).Fun
		out.Args = append([]ast.Expr{s.X}, out.Args...)
	case "Run":
		by := map[string]string{"testing.T.Run": "TestRun", "testing.B.Run": "BenchmarkRun"}[where]
		if by != "" {
			out.Fun = l.rt(by).Fun
			out.Args = append([]ast.Expr{s.X}, out.Args...)
		}
	}
}

// guarded lowers a call whose error is checked. It becomes a call of a literal that returns the other results.
func (l *Lowerer) guarded(c *ast.CallExpr, g cells.Guard) ast.Expr {
	fail := func(err ast.Expr) ast.Stmt {
		return &ast.ExprStmt{X: l.rt("Fail", err, strLit(g.Name), intLit(g.Position.Line), intLit(g.Position.Column))}
	}
	t, ok := l.typeOf(g.X).(*types.Tuple)
	if !ok {
		return fail(l.expr(g.X)).(*ast.ExprStmt).X
	}
	names, list := l.temps(t, g.X)
	n := t.Len() - 1
	ft := &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{}}
	ret := &ast.ReturnStmt{}
	for k := range n {
		ft.Results.List = append(ft.Results.List, field("", l.low(c, t.At(k).Type())))
		ret.Results = append(ret.Results, ident(names[k]))
	}
	return call(&ast.FuncLit{Type: ft, Body: block(append(list, fail(ident(names[n])), ret)...)})
}

// target holds a called function, and the receiver that became its first argument.
type target struct {
	fun   ast.Expr
	recv  []ast.Expr
	types []types.Type // types of the receiver
	named bool         // whether it is a function or method of a cell, not the value of a variable
}

// callee lowers the called expression. If it is a native function, where names it ("fmt.Println",
// "json.Decoder.Decode"); otherwise where is "".
func (l *Lowerer) callee(fun ast.Expr) (target, string) {
	id := fun
	switch x := fun.(type) {
	case *ast.IndexExpr:
		id = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		id = ast.Unparen(x.X)
	}
	if s, ok := id.(*ast.SelectorExpr); ok {
		if selection, ok := l.Info.Selections[s]; ok {
			if selection.Kind() == types.MethodVal {
				return l.method(s, selection)
			}
			return target{fun: l.whole(fun)}, ""
		}
		if f, ok := l.Info.Uses[s.Sel].(*types.Func); ok {
			return target{fun: l.funcRef(fun, s.Sel)}, f.Pkg().Path() + "." + f.Name()
		}
	}
	if id, ok := id.(*ast.Ident); ok {
		if _, ok := l.Info.Uses[id].(*types.Func); ok {
			return target{fun: l.funcRef(fun, id), named: true}, ""
		}
	}
	return target{fun: l.whole(fun)}, ""
}

// funcValue returns a function that is not called, as a variable that the cell sets first of all. Otherwise the
// interpreter might read the function's user before the function, and the value would be no function.
func (l *Lowerer) funcValue(n ast.Expr, id *ast.Ident) ast.Expr {
	f, ok := l.funcRef(n, id).(*ast.Ident)
	if !ok { // a native function
		return l.funcRef(n, id)
	}
	key := "value of " + f.Name
	name, ok := l.insts[key]
	if !ok {
		name = l.fresh("func")
		l.insts[key] = name
		spec := &ast.ValueSpec{Names: []*ast.Ident{ident(name)}, Type: l.low(n, l.typeOf(n))}
		l.out = append(l.out, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}})
		l.regs = append(l.regs, assign(ident(name), ident(f.Name)))
	}
	return &ast.Ident{Name: name, NamePos: id.NamePos}
}

// funcRef refers to a function by name. A generic function is an instance.
func (l *Lowerer) funcRef(n ast.Node, id *ast.Ident) ast.Expr {
	obj, ok := l.Info.Uses[id].(*types.Func)
	if !ok {
		if obj, ok = l.Info.Defs[id].(*types.Func); !ok {
			l.refuse(n, "%s is not supported here", id.Name)
		}
	}
	obj = obj.Origin()
	f := l.funcs[obj]
	if f == nil {
		f = l.sources[obj]
	}
	if f == nil {
		f = l.twin(obj)
	}
	if f != nil {
		if inst, ok := l.Info.Instances[id]; ok {
			return ident(l.instance(n, f, l.typeArgs(inst.TypeArgs)))
		}
		return &ast.Ident{Name: f.low, NamePos: id.NamePos}
	}
	if obj.Pkg() == nil || obj.Pkg().Path() == "main" {
		l.refuse(n, "%s is not there: the cell that defines it failed", obj.Name())
	}
	path := obj.Pkg().Path()
	if obj.Signature().TypeParams().Len() > 0 {
		f := l.genericOf(n, path, obj.Name())
		if f == nil {
			l.refuse(n, "the generic function %s.%s is not supported by this engine", path, obj.Name())
		}
		return ident(l.instance(n, f, l.typeArgs(l.Info.Instances[id].TypeArgs)))
	}
	if _, ok := l.Reg.Symbol(path, obj.Name()); !ok {
		l.refuse(n, "%s.%s is not supported: it has no symbol in this kernel", path, obj.Name())
	}
	s := sel(ident(l.pkg(path)), obj.Name())
	s.Sel.NamePos = id.NamePos
	return s
}

func (l *Lowerer) typeArgs(list *types.TypeList) []types.Type {
	args := make([]types.Type, list.Len())
	for k := range args {
		args[k] = l.subst(list.At(k))
	}
	return args
}

// instance returns the lowered name of a generic function for the type arguments.
func (l *Lowerer) instance(n ast.Node, f *Func, args []types.Type) string {
	key := f.low
	if f.low == "" {
		l.declare(f)
		key = f.low
	}
	for _, a := range args {
		key += "," + l.key(a)
	}
	if name, ok := l.insts[key]; ok {
		return name
	}
	if strings.Count(key, "[") > 60 {
		l.refuse(n, "%s instantiates itself without end", f.Name)
	}
	name := l.fresh(f.low + "_i")
	l.insts[key] = name
	env := map[*types.TypeParam]types.Type{}
	for k, a := range args {
		env[f.Sig.TypeParams().At(k)] = a
	}
	l.queue = append(l.queue, func() { l.lowerFunc(f, name, env) })
	return name
}

// arguments are lowered call arguments. If spread is true, the last one is a slice that is passed as the variadic
// parameter.
type arguments struct {
	list   []ast.Expr
	spread bool
}

func (l *Lowerer) arguments(c *ast.CallExpr, sig *types.Signature, where string) arguments {
	n := sig.Params().Len()
	if sig.Variadic() {
		n--
	}
	var a arguments
	for k := range n {
		a.list = append(a.list, l.argument(c.Args[k], sig.Params().At(k).Type(), where))
	}
	if !sig.Variadic() {
		return a
	}
	last := l.subst(sig.Params().At(n).Type())
	rest := c.Args[n:]
	a.spread = true
	switch {
	case len(rest) == 0, // the interpreter makes an empty slice of them
		c.Ellipsis.IsValid() && l.Info.Types[rest[0]].IsNil(): // the interpreter asks for the type of nil
		a.list = append(a.list, call(&ast.ParenExpr{X: l.low(c, last)}, ident("nil")))
		return a
	case c.Ellipsis.IsValid():
		x := l.to(rest[0], last)
		if name := map[mode]string{logged: "LoggedAll", scanned: "ScannedAll"}[l.anyMode(where)]; where != "" &&
			name != "" && l.key(last) == "[]interface {}" {
			x = l.rt(name, x)
		}
		a.list = append(a.list, x)
		return a
	}
	slice, ok := types.Unalias(last).(*types.Slice)
	if !ok {
		l.refuse(c, "this variadic call is not supported")
	}
	lit := &ast.CompositeLit{Type: &ast.ArrayType{Elt: l.low(c, slice.Elem())}, Lbrace: c.Lparen}
	for _, x := range rest {
		lit.Elts = append(lit.Elts, l.argument(x, slice.Elem(), where))
	}
	a.list = append(a.list, lit)
	return a
}

// argument lowers one argument. A native function that looks into an `any` by reflection gets a cell's value without
// its type. A function that only keeps or prints it gets the boxed value.
func (l *Lowerer) argument(x ast.Expr, param types.Type, where string) ast.Expr {
	v := l.to(x, param)
	t := l.subst(param)
	if where == "" || !types.IsInterface(t) || nativeInterface(t) {
		return v
	}
	from := l.typeOf(x)
	if native(from) && !types.IsInterface(from) {
		return v
	}
	switch l.anyMode(where) {
	case plain:
		return l.rt("Value", v)
	case logged:
		return l.rt("Logged", v)
	case scanned:
		return l.rt("Scanned", v)
	case refused:
		if !types.IsInterface(from) {
			l.refuse(x, "%s looks into its argument by reflection, which shows no types of cells; convert %s to a "+
				"type without names from cells first", where, l.name(from))
		}
		return l.rt("Plain", v, strLit(where))
	}
	return v
}

// forwarded returns the types of the results that are the arguments of c, if c is f(g()) and g has several results.
func (l *Lowerer) forwarded(c *ast.CallExpr) *types.Tuple {
	if len(c.Args) != 1 {
		return nil
	}
	t, _ := l.Info.TypeOf(c.Args[0]).(*types.Tuple)
	if t == nil {
		return nil
	}
	return l.subst(t).(*types.Tuple)
}

// forward lowers f(g()), where g has several results.
func (l *Lowerer) forward(c *ast.CallExpr, results *types.Tuple) ast.Expr {
	spread, list := l.spread(c, results)
	given, _ := l.typeOf(c).(*types.Tuple)
	if t := l.typeOf(c); given == nil && t != nil && !isVoid(l.Info, c) {
		given = types.NewTuple(types.NewParam(token.NoPos, nil, "", t))
	}
	ft := l.lowSignature(c, types.NewSignatureType(nil, nil, nil, nil, given, false), nil)
	early := l.early
	l.early = nil // the variables are in the literal
	x := l.asMade(spread)
	l.early = early
	return call(&ast.FuncLit{Type: ft, Body: block(append(list, passedBack(x, given.Len())...)...)})
}

// spread evaluates the results that are the arguments of f(g()). It returns the call of f with variables instead of
// them.
func (l *Lowerer) spread(c *ast.CallExpr, results *types.Tuple) (*ast.CallExpr, []ast.Stmt) {
	fun, before := l.heldFunc(c.Fun)
	names, list := l.temps(results, c.Args[0])
	out := &ast.CallExpr{Fun: fun, Lparen: c.Lparen, Rparen: c.Rparen}
	l.Info.Types[out] = l.Info.Types[c]
	for k, name := range names {
		out.Args = append(out.Args, l.variableOf(c.Args[0], name, results.At(k).Type()))
	}
	return out, append(before, list...)
}

// variableOf is an identifier that means the lowered variable name of type t.
func (l *Lowerer) variableOf(n ast.Node, name string, t types.Type) *ast.Ident {
	id := &ast.Ident{Name: name, NamePos: n.Pos()}
	v := types.NewVar(id.NamePos, nil, name, t)
	l.Info.Uses[id], l.Info.Types[id] = v, types.TypeAndValue{Type: t}
	l.fn.names[v] = local{name, false}
	return id
}

// heldFunc evaluates the function or the receiver of a call into a variable where calls lead to it: they come before
// those of the arguments. It returns the function in terms of the variable.
func (l *Lowerer) heldFunc(fun ast.Expr) (ast.Expr, []ast.Stmt) {
	fun = ast.Unparen(fun)
	if tv := l.Info.Types[fun]; simple(fun) || tv.IsBuiltin() || tv.IsType() {
		return fun, nil
	}
	hold := func(x ast.Expr) (*ast.Ident, []ast.Stmt) {
		name, t := l.fresh("f"), l.typeOf(x)
		return l.variableOf(x, name, t), []ast.Stmt{varDecl(name, l.low(x, t), l.to(x, t))}
	}
	s, ok := fun.(*ast.SelectorExpr)
	selection, method := l.Info.Selections[s]
	if !ok || !method || selection.Kind() != types.MethodVal {
		return hold(fun)
	}
	id, list := hold(s.X)
	out := &ast.SelectorExpr{X: id, Sel: s.Sel}
	l.Info.Selections[out], l.Info.Types[out] = selection, l.Info.Types[s]
	return out, list
}

// passedBack returns statements that end a function with the results of a lowered call.
func passedBack(x ast.Expr, results int) []ast.Stmt {
	if c, ok := x.(*choice); ok {
		return c.either(func(x ast.Expr) []ast.Stmt { return passedBack(x, results) })
	}
	if results == 0 {
		return []ast.Stmt{&ast.ExprStmt{X: x}}
	}
	return []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{x}}}
}

// temps defines a variable for each result of the call e.
func (l *Lowerer) temps(t *types.Tuple, e ast.Expr) ([]string, []ast.Stmt) {
	names := make([]string, t.Len())
	for k := range names {
		names[k] = l.fresh("t")
	}
	into := func(names []string, x ast.Expr) *ast.AssignStmt {
		s := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{x}}
		for _, name := range names {
			s.Lhs = append(s.Lhs, ident(name))
		}
		return s
	}
	x := l.several(e)
	c, ok := x.(*choice)
	if !ok {
		return names, []ast.Stmt{into(names, x)}
	}
	var out []ast.Stmt
	for k, name := range names {
		out = append(out, declare(name, l.low(e, t.At(k).Type())))
	}
	return names, append(out, c.either(func(x ast.Expr) []ast.Stmt {
		own := make([]string, len(names))
		for k := range own {
			own[k] = l.fresh("t")
		}
		list := []ast.Stmt{into(own, x)}
		for k := range own {
			list = append(list, assign(ident(names[k]), ident(own[k])))
		}
		return list
	})...)
}

// several lowers a call with any number of results. It may become a choice of two calls.
func (l *Lowerer) several(e ast.Expr) ast.Expr {
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return l.asMade(c)
	}
	return l.expr(e)
}

// layout is what a function of package unsafe tells of x.
func (l *Lowerer) layout(function string, x ast.Expr) int {
	switch function {
	case "unsafe.Sizeof":
		return int(sizes.Sizeof(l.typeOf(x)))
	case "unsafe.Alignof":
		return int(sizes.Alignof(l.typeOf(x)))
	}
	e := ast.Unparen(x).(*ast.SelectorExpr)
	t := l.typeOf(e.X).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	var at int64
	for _, k := range l.Info.Selections[e].Index() {
		s := t.Underlying().(*types.Struct)
		at += sizes.Offsetsof(slices.Collect(s.Fields()))[k]
		t = l.subst(s.Field(k).Type())
	}
	return int(at)
}

func (l *Lowerer) builtin(c *ast.CallExpr, fun ast.Expr) ast.Expr {
	name := ""
	switch x := fun.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = "unsafe." + x.Sel.Name
	}
	plainCall := func() ast.Expr {
		out := &ast.CallExpr{Fun: ident(name), Lparen: c.Lparen}
		for _, a := range c.Args {
			out.Args = append(out.Args, l.whole(a))
		}
		return out
	}
	switch name {
	case "len", "cap":
		if n, ok := l.arrayLen(c.Args[0]); ok { // of which a nil pointer has some too
			if simple(c.Args[0]) {
				return call(ident("int"), intLit(n))
			}
			x := c.Args[0]
			return l.evaluated(c, l.expr(x), l.typeOf(x), types.Typ[types.Int],
				func(string) ast.Expr { return intLit(n) })
		}
		return plainCall()
	case "real", "imag", "copy", "close":
		return plainCall()
	case "unsafe.Sizeof", "unsafe.Alignof", "unsafe.Offsetof": // of a type parameter; otherwise they are constants
		return call(ident("uintptr"), intLit(l.layout(name, c.Args[0])))
	case "unsafe.Slice":
		out := l.rt("UnsafeSlice", l.whole(c.Args[0]), call(ident("int"), l.expr(c.Args[1])))
		return &ast.TypeAssertExpr{X: out, Type: l.low(c, l.typeOf(c))}
	case "unsafe.SliceData":
		return &ast.TypeAssertExpr{X: l.rt("UnsafeSliceData", l.whole(c.Args[0])), Type: l.low(c, l.typeOf(c))}
	case "unsafe.String":
		first := l.to(c.Args[0], types.NewPointer(types.Typ[types.Byte]))
		return l.rt("UnsafeString", first, call(ident("int"), l.expr(c.Args[1])))
	case "unsafe.StringData":
		return l.rt("UnsafeStringData", call(ident("string"), l.whole(c.Args[0])))
	case "complex", "min", "max":
		t := l.typeOf(c)
		if name == "complex" {
			t = l.typeOf(c.Args[0])
			if l.typeOf(c).Underlying().(*types.Basic).Kind() == types.Complex64 {
				t = types.Typ[types.Float32]
			}
		}
		out := call(ident(name))
		for _, a := range c.Args {
			out.Args = append(out.Args, l.to(a, t))
		}
		if name != "complex" {
			return l.minmax(c, name, t, out.Args)
		}
		return out
	case "new":
		if tv := l.Info.Types[c.Args[0]]; !tv.IsType() { // new(value), since Go 1.26
			t := l.typeOf(c).Underlying().(*types.Pointer).Elem()
			return l.newOf(c, t, l.to(c.Args[0], t))
		}
		return call(ident("new"), l.low(c, l.typeOf(c.Args[0])))
	case "make":
		t := l.typeOf(c)
		ch, isChan := t.Underlying().(*types.Chan)
		if isChan && ch.Dir() != types.SendRecv { // the interpreter only makes channels of both directions
			t = types.NewChan(types.SendRecv, ch.Elem())
		}
		out := call(ident("make"), l.opening(c, t))
		for _, a := range c.Args[1:] {
			out.Args = append(out.Args, l.expr(a))
		}
		fixed := func(k int) bool { return l.Info.Types[c.Args[k]].Value != nil }
		if len(c.Args) == 3 && fixed(1) && !fixed(2) { // the interpreter takes a large capacity for a large length
			size := int(sizes.Sizeof(t.Underlying().(*types.Slice).Elem()))
			out.Args[2] = l.rt("Capacity", call(ident("int"), out.Args[2]), intLit(size))
		}
		if isChan && ch.Dir() != types.SendRecv {
			return call(&ast.ParenExpr{X: l.low(c, l.typeOf(c))}, out)
		}
		return out
	case "delete":
		m := l.typeOf(c.Args[0]).Underlying().(*types.Map)
		from := l.whole(c.Args[0])
		var in ast.Expr
		if simple(c.Args[0]) {
			in = from
		}
		return call(ident("delete"), from, l.mapKey(c.Args[1], m.Key(), in))
	case "clear":
		return l.rt("Clear", l.whole(c.Args[0]))
	case "append":
		return l.append(c)
	case "panic":
		return call(ident("panic"), l.rt("Thrown", l.to(c.Args[0], anyInterface)))
	case "recover":
		return l.rt("RecoverIn", l.wasDeferred())
	case "print", "println":
		lit := &ast.CompositeLit{Type: anySlice()}
		for _, a := range c.Args {
			lit.Elts = append(lit.Elts, l.rt("Value", l.to(a, anyInterface)))
		}
		return l.rt(strings.ToUpper(name[:1])+name[1:], lit)
	}
	l.refuse(c, "%s is not supported here", name)
	return nil
}

// minmax returns a call of a literal, because the interpreter compares constants of different kinds wrongly.
func (l *Lowerer) minmax(c *ast.CallExpr, name string, t types.Type, args []ast.Expr) ast.Expr {
	host := map[string]string{"min": "Min", "max": "Max"}[name]
	lit := &ast.CompositeLit{Type: anySlice(), Elts: args}
	return &ast.TypeAssertExpr{X: l.rt(host, lit), Type: l.low(c, t)}
}

// makesSlice reports whether e is a call of make with a length that is no constant, and without a capacity.
func (l *Lowerer) makesSlice(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(c.Args) != 2 || l.Info.Types[c.Args[1]].Value != nil {
		return false
	}
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	return ok && id.Name == "make" && l.Info.Types[c.Fun].IsBuiltin()
}

func (l *Lowerer) append(c *ast.CallExpr) ast.Expr {
	t := l.typeOf(c)
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		l.refuse(c, "append to %s is not supported", t)
	}
	out := call(ident("append"), l.opened(c, l.to(c.Args[0], t), t))
	if tv := l.Info.Types[c.Args[0]]; tv.IsNil() {
		out.Args[0] = call(&ast.ParenExpr{X: l.opening(c, t)}, ident("nil"))
	}
	out.Lparen = c.Lparen
	if c.Ellipsis.IsValid() {
		x := l.whole(c.Args[1])
		if b, ok := l.typeOf(c.Args[1]).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			x = call(&ast.ArrayType{Elt: ident("byte")}, x)
		}
		if l.Info.Types[c.Args[1]].IsNil() {
			x = call(&ast.ParenExpr{X: l.opening(c, t)}, x)
		}
		if made, ok := ast.Unparen(x).(*ast.CallExpr); ok && l.makesSlice(c.Args[1]) {
			// Go makes no slice to append but grows the first one, and says so if no memory can hold it.
			made.Args[1] = l.rt("Grown", call(ident("int"), made.Args[1]), intLit(int(sizes.Sizeof(s.Elem()))))
		}
		out.Args = append(out.Args, x)
		out.Ellipsis = 1
		return out
	}
	if len(c.Args) == 1 {
		return out.Args[0]
	}
	lit := &ast.CompositeLit{Type: l.low(c, types.NewSlice(s.Elem()))}
	isNil := false // the interpreter may treat it as an empty interface
	for _, a := range c.Args[1:] {
		lit.Elts = append(lit.Elts, l.to(a, s.Elem()))
		isNil = isNil || l.Info.Types[a].IsNil()
	}
	_, isInterface := s.Elem().Underlying().(*types.Interface)
	isInterface = isInterface || l.looped(s.Elem())
	_, isFunc := s.Elem().Underlying().(*types.Signature)
	// otherwise it would store each value before it reads the next one, which may be an element that it has overwritten
	reads := slices.ContainsFunc(c.Args[2:], func(e ast.Expr) bool { return risky(e) })
	if isInterface || isFunc || isNil || reads {
		out.Args = append(out.Args, lit)
		out.Ellipsis = 1
		return out
	}
	out.Args = append(out.Args, lit.Elts...)
	return out
}
