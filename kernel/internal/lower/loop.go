package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"nacre/kernel/internal/rt"
)

func (l *Lowerer) forStmt(s *ast.ForStmt, label *ast.Ident) []ast.Stmt {
	if vars := l.sharedLoopVars(s); vars != nil {
		return l.forShared(s, vars, label)
	}
	var pre []ast.Stmt
	out := &ast.ForStmt{For: s.For}
	// inside the loop the interpreter would lose the values that the body assigns to the variables
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	defer l.push(scope{label: labelName(label), loop: true})()
	l.forget(node(s.Cond), node(s.Post), s.Body)
	ends := l.ends(out, s.Cond)
	l.countsUp(s)
	if s.Post != nil {
		var list []ast.Stmt
		l.meanwhile(func() {
			l.fn.known = nil
			list = l.stmt(s.Post)
		})
		if len(list) > 0 && len(l.at(s.Post)) > 0 {
			list = list[1:]
		}
		if len(list) == 1 {
			if _, isBlock := list[0].(*ast.BlockStmt); !isBlock {
				out.Post = list[0]
				list = nil
			}
		}
		if list != nil {
			out.Post = &ast.ExprStmt{X: call(&ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}},
				Body: block(list...)})}
		}
	}
	l.meanwhile(func() {
		l.begins(s)
		out.Body = l.block(s.Body, append(ends, l.entry()...)...)
	})
	if len(pre) == 0 {
		return []ast.Stmt{withLabel(label, out)}
	}
	return []ast.Stmt{block(append(pre, withLabel(label, out))...)}
}

// sharedLoopVars returns the variables of a loop that closures or pointers keep. Each iteration must have its own.
func (l *Lowerer) sharedLoopVars(s *ast.ForStmt) []*types.Var {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		return nil
	}
	var vars []*types.Var
	shared := false
	for _, x := range a.Lhs {
		if v := l.newVar(x); v != nil {
			vars = append(vars, v)
			shared = shared || l.fn.taken[v]
		}
	}
	if !shared {
		return nil
	}
	return vars
}

// forShared lowers a loop whose variables are behind pointers. Each iteration has its own variables, which begin with
// the values at the end of the iteration before.
func (l *Lowerer) forShared(s *ast.ForStmt, vars []*types.Var, label *ast.Ident) []ast.Stmt {
	pre := l.stmt(s.Init)
	defer l.push(scope{label: labelName(label), loop: true})()
	out := &ast.ForStmt{For: s.For}
	var next, head []ast.Stmt
	boxes := make([]string, len(vars))
	for k, v := range vars {
		typ := l.low(s, v.Type())
		first := l.variable(ident(v.Name()), v)
		boxes[k] = l.fresh("box")
		n := l.fresh("n")
		pre = append(pre, define(boxes[k], call(ident("new"), typ)), assign(&ast.StarExpr{X: ident(boxes[k])}, first))
		next = append(next, define(n, call(ident("new"), typ)),
			assign(&ast.StarExpr{X: ident(n)}, star(ident(boxes[k]))), assign(ident(boxes[k]), ident(n)))
		l.fn.names[v] = local{boxes[k], true}
	}
	l.forget(node(s.Cond), node(s.Post), s.Body)
	ends := l.ends(out, s.Cond)
	if s.Post != nil {
		l.meanwhile(func() {
			l.fn.known = nil
			next = append(next, l.stmt(s.Post)...)
		})
	}
	out.Post = &ast.ExprStmt{X: call(&ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(next...)})}
	for k, v := range vars {
		own := l.fresh(v.Name())
		head = append(head, l.fresher(own, &ast.StarExpr{X: l.low(s, v.Type())}, ident(boxes[k]))...)
		l.fn.names[v] = local{own, true}
	}
	l.meanwhile(func() {
		l.begins(s)
		out.Body = l.block(s.Body, slices.Concat(ends, l.entry(), head)...)
	})
	return []ast.Stmt{block(append(pre, withLabel(label, out))...)}
}

// ends sets the condition of a loop. If the condition needs statements, it returns them as the beginning of the body.
func (l *Lowerer) ends(loop *ast.ForStmt, cond ast.Expr) []ast.Stmt {
	switch {
	case cond == nil:
		return nil
	case !l.signed([]ast.Expr{cond}):
		loop.Cond = l.looked(cond)
		return nil
	}
	return l.inOrder([]ast.Expr{cond}, func() []ast.Stmt {
		over := &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: l.expr(cond)}}
		return []ast.Stmt{&ast.IfStmt{Cond: over, Body: block(&ast.BranchStmt{Tok: token.BREAK})}}
	})
}

func (l *Lowerer) rangeStmt(s *ast.RangeStmt, label *ast.Ident) []ast.Stmt {
	var out []ast.Stmt
	l.forget(s)
	l.meanwhile(func() { out = l.ranging(s, label) })
	return out
}

func (l *Lowerer) ranging(s *ast.RangeStmt, label *ast.Ident) []ast.Stmt {
	t := l.typeOf(s.X)
	if u, ok := t.Underlying().(*types.Signature); ok {
		return l.rangeFunc(s, u, label)
	}
	var kt, vt types.Type = types.Typ[types.Int], nil
	x := l.whole(s.X)
	var first []ast.Stmt
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			vt = types.Typ[types.Rune]
		} else {
			kt = t
		}
	case *types.Slice:
		vt = u.Elem()
	case *types.Array:
		vt = u.Elem()
		if s.Value == nil || blank(s.Value) { // the loop only counts, even if x is behind a nil pointer
			if !simple(s.X) {
				first = append(first, varDecl(l.fresh("t"), l.low(s, t), x))
			}
			t, x = types.Typ[types.Int], intLit(int(u.Len()))
		}
	case *types.Pointer:
		array := u.Elem().Underlying().(*types.Array)
		vt = array.Elem()
		if s.Value == nil || blank(s.Value) { // the loop only counts, even if the pointer is nil
			if !simple(s.X) {
				first = append(first, varDecl(l.fresh("t"), l.low(s, t), x))
			}
			t, x = types.Typ[types.Int], intLit(int(array.Len()))
		} else {
			x = &ast.SliceExpr{X: star(x)} // the elements as they are when the loop reaches them
		}
	case *types.Map:
		kt, vt = u.Key(), u.Elem()
	case *types.Chan:
		kt = u.Elem()
	}
	pre := append(l.at(s.X), first...)
	defer l.push(scope{label: labelName(label), loop: true})()
	if v := l.newVar(s.Key); v != nil && !assigned(l.Info, s.Body, v) {
		l.indexOf[v] = l.counted(s.X, s.Body)
	}
	if u, ok := t.Underlying().(*types.Basic); ok && u.Info()&types.IsInteger != 0 {
		return append(pre, l.rangeInt(s, t, x, label)...)
	}
	if u, ok := t.Underlying().(*types.Basic); ok && u.Info()&types.IsString != 0 {
		return append(pre, l.rangeString(s, x, label)...)
	}
	elemAt, more := l.ranged(s, t, &x)
	pre = append(pre, more...)
	out := &ast.RangeStmt{For: s.For, X: x, Body: nil}
	s, head := l.targets(s)
	use := func(e ast.Expr, et types.Type) ast.Expr {
		if e == nil || blank(e) {
			return nil
		}
		name := l.fresh("k")
		v := l.newVar(e)
		if v != nil && !l.fn.taken[v] { // otherwise closures and pointers would share the interpreter's own variable
			if _, global := l.unit.Locals[v]; !global {
				name = l.fresh(v.Name())
				l.fn.names[v] = local{name, false}
				return ident(name)
			}
		}
		if v != nil {
			head = append(head, l.defineVar(e, v, ident(name))...)
		} else {
			head = append(head, assign(l.lvalue(e), l.convert(e, ident(name), et, l.targetType(e, et))))
		}
		return ident(name)
	}
	out.Key = use(s.Key, kt)
	if elemAt == nil || s.Value == nil || blank(s.Value) {
		out.Value = use(s.Value, vt)
	} else {
		if out.Key == nil {
			out.Key = ident(l.fresh("k"))
		}
		if v := l.newVar(s.Value); v != nil {
			head = append(head, l.defineVar(s.Value, v, elemAt(out.Key))...)
		} else {
			head = append(head, assign(l.lvalue(s.Value),
				l.convert(s.Value, elemAt(out.Key), vt, l.targetType(s.Value, vt))))
		}
	}
	if out.Key != nil || out.Value != nil {
		out.Tok = token.DEFINE
		if out.Key == nil {
			out.Key = ident("_")
		}
	}
	if v := l.newVar(s.Key); v != nil && l.indexOf[v] != nil {
		l.counting(v, s.X, s.Body)
	}
	out.Body = l.block(s.Body, head...)
	return append(pre, withLabel(label, out))
}

// targets returns the beginning of the body of a range, and the range with its key and value lowered, if one of them is
// a place whose operands the other may change. A range over a function assigns one after the other.
func (l *Lowerer) targets(s *ast.RangeStmt) (*ast.RangeStmt, []ast.Stmt) {
	if s.Tok != token.ASSIGN || s.Value == nil || blank(s.Key) || blank(s.Value) {
		return s, l.entry()
	}
	var held []ast.Stmt
	list := l.fixed([]ast.Expr{s.Key, s.Value}, &held)
	fixed := *s
	fixed.Key, fixed.Value = list[0], list[1]
	return &fixed, append(l.entry(), held...)
}

// ranged puts the operand of a loop into a variable if the interpreter would evaluate it again or misread it. It takes
// a loop over elements that are channels for a loop over a channel, and reads from the keys.
func (l *Lowerer) ranged(s *ast.RangeStmt, t types.Type,
	x *ast.Expr) (elemAt func(key ast.Expr) ast.Expr, pre []ast.Stmt) {
	var elem types.Type
	switch u := t.Underlying().(type) {
	case *types.Chan:
	case *types.Pointer:
		elem = u.Elem().Underlying().(*types.Array).Elem()
		t = types.NewSlice(elem)
	case interface{ Elem() types.Type }:
		elem = u.Elem()
	}
	if elem != nil {
		if _, isChan := l.subst(elem).Underlying().(*types.Chan); !isChan {
			return nil, nil
		}
	}
	name := l.fresh("over")
	pre = []ast.Stmt{varDecl(name, l.opening(s, t), *x)}
	*x = ident(name)
	if elem == nil {
		return nil, pre
	}
	return func(key ast.Expr) ast.Expr { return &ast.IndexExpr{X: ident(name), Index: key} }, pre
}

// rangeString ranges over runes that the host has decoded, because the interpreter counts bytes wrongly that are not
// UTF-8.
func (l *Lowerer) rangeString(s *ast.RangeStmt, x ast.Expr, label *ast.Ident) []ast.Stmt {
	at, runes, k := l.fresh("at"), l.fresh("runes"), l.fresh("k")
	s, head := l.targets(s)
	for j, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || blank(e) {
			continue
		}
		v := &ast.IndexExpr{X: ident([]string{at, runes}[j]), Index: ident(k)}
		if nv := l.newVar(e); nv != nil {
			head = append(head, l.defineVar(e, nv, v)...)
		} else {
			head = append(head, assign(l.lvalue(e), v))
		}
	}
	loop := &ast.ForStmt{
		For:  s.For,
		Cond: &ast.BinaryExpr{X: ident(k), Op: token.LSS, Y: call(ident("len"), ident(at))},
		Post: assign(ident(k), &ast.BinaryExpr{X: ident(k), Op: token.ADD, Y: intLit(1)}),
		Body: l.block(s.Body, head...),
	}
	decode := &ast.AssignStmt{Lhs: []ast.Expr{ident(at), ident(runes)}, Tok: token.DEFINE,
		Rhs: []ast.Expr{l.rt("Runes", call(ident("string"), x))}}
	return []ast.Stmt{decode, varDecl(k, ident("int"), intLit(0)), withLabel(label, loop)}
}

// rangeInt counts with a loop of three clauses.
func (l *Lowerer) rangeInt(s *ast.RangeStmt, t types.Type, x ast.Expr, label *ast.Ident) []ast.Stmt {
	n, k := l.fresh("n"), l.fresh("k")
	typ := l.low(s, t)
	head := l.entry()
	if s.Key != nil && !blank(s.Key) {
		if v := l.newVar(s.Key); v != nil {
			if !assigned(l.Info, s.Body, v) {
				l.ranges[v] = interval{0, plus(l.rangeOf(s.X).high, -1)}
				l.counting(v, s.X, s.Body)
			}
			head = append(head, l.defineVar(s.Key, v, ident(k))...)
		} else {
			head = append(head, assign(l.place(s.Key), ident(k)))
		}
	}
	body := l.block(s.Body, head...)
	zero := ast.Expr(intLit(0))
	step := ast.Expr(intLit(1))
	if b := t.Underlying().(*types.Basic); b.Kind() != types.Int {
		zero, step = call(ident(b.Name()), zero), call(ident(b.Name()), step)
	}
	loop := &ast.ForStmt{
		For:  s.For,
		Cond: &ast.BinaryExpr{X: ident(k), Op: token.LSS, Y: ident(n)},
		Post: assign(ident(k), &ast.BinaryExpr{X: ident(k), Op: token.ADD, Y: step}),
		Body: body,
	}
	return []ast.Stmt{varDecl(n, typ, x), varDecl(k, typ, zero), withLabel(label, loop)}
}

// countsUp notes that the variable of the loop `for i := 0; i < len(x); i++` is an index into x.
func (l *Lowerer) countsUp(s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return
	}
	v := l.newVar(init.Lhs[0])
	cond, less := s.Cond.(*ast.BinaryExpr)
	post, up := s.Post.(*ast.IncDecStmt)
	if v == nil || !less || cond.Op != token.LSS || !up || post.Tok != token.INC || assigned(l.Info, s.Body, v) {
		return
	}
	own := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && l.Info.Uses[id] == v
	}
	if first := l.rangeOf(init.Rhs[0]).low; own(post.X) && own(cond.X) && first >= 0 {
		l.ranges[v] = interval{first, plus(l.rangeOf(cond.Y).high, -1)}
		l.indexOf[v] = l.counted(cond.Y, s.Body)
	}
}

// counted is the variable whose elements x is or counts, if the body of a loop keeps their number; else nil.
func (l *Lowerer) counted(x ast.Expr, body *ast.BlockStmt) types.Object {
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && len(c.Args) == 1 {
		if id := instantiated(c.Fun); id == nil || id.Name != "len" || !l.Info.Types[c.Fun].IsBuiltin() {
			return nil
		}
		x = c.Args[0]
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	v, named := l.Info.Uses[id].(*types.Var)
	if !ok || !named {
		return nil
	}
	if _, isArray := l.arrayLen(id); isArray {
		return v
	}
	switch u := l.typeOf(id).Underlying().(type) {
	case *types.Slice:
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return nil
		}
	default:
		return nil
	}
	if assigned(l.Info, body, v) || l.reachable(v) && calling(l.Info, body) {
		return nil
	}
	return v
}

// calling reports whether a block calls functions, or receives, so that others may change variables meanwhile.
func calling(info *types.Info, b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			tv := info.Types[ast.Unparen(n.Fun)]
			found = found || !tv.IsType() && !tv.IsBuiltin()
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt, *ast.SendStmt, *ast.SelectStmt:
			found = true
		}
		return !found
	})
	return found
}

// assigned reports whether something in a block changes v or takes its address.
func assigned(info *types.Info, b *ast.BlockStmt, v *types.Var) bool {
	found := false
	is := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && info.Uses[id] == v {
			found = true
		}
	}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				is(x)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		case *ast.RangeStmt:
			is(n.Key)
			is(n.Value)
		}
		return !found
	})
	return found
}

// rangeFunc lowers a range over a function: the body becomes the function's argument.
func (l *Lowerer) rangeFunc(s *ast.RangeStmt, sig *types.Signature, label *ast.Ident) []ast.Stmt {
	y := &yield{outer: l.fn.yield, body: s.Body, code: l.fresh("code")}
	var out []ast.Stmt
	if y.outer != nil {
		y.results = y.outer.results
	} else {
		for _, v := range l.fn.results {
			name := l.fresh("ret")
			y.results = append(y.results, name)
			out = append(out, define(name, call(ident("new"), l.low(s, v.Type()))))
		}
	}
	out = append(out, define(y.code, intLit(0)))
	fun := l.whole(s.X)
	params := types.Unalias(sig.Params().At(0).Type()).Underlying().(*types.Signature)
	names := make([]string, params.Params().Len())
	for k := range names {
		names[k] = l.fresh("y")
	}
	pop := l.push(scope{label: labelName(label), loop: true, yield: y})
	l.fn.yield = y
	again := &ast.IfStmt{
		Cond: &ast.BinaryExpr{X: ident(y.code), Op: token.NEQ, Y: intLit(0)},
		Body: block(&ast.ExprStmt{X: l.rt("Ranged", ident(y.code))}),
	}
	head := append([]ast.Stmt{again, assign(ident(y.code), intLit(rt.RangeInBody))}, l.entry()...)
	for k, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || blank(e) {
			continue
		}
		et := params.Params().At(k).Type()
		if v := l.newVar(e); v != nil {
			head = append(head, l.defineVar(e, v, ident(names[k]))...)
		} else {
			head = append(head, assign(l.place(e), l.convert(e, ident(names[k]), et, l.typeOf(e))))
		}
	}
	body := l.block(s.Body, head...)
	body.List = append(body.List, y.next()...)
	l.fn.yield = y.outer
	pop()
	lit := &ast.FuncLit{Type: l.lowSignature(s, params, names), Body: body}
	left := l.fresh("left")
	out = append(out, &ast.ExprStmt{X: call(fun, lit)}, &ast.IfStmt{
		Cond: &ast.BinaryExpr{X: ident(y.code), Op: token.EQL, Y: intLit(rt.RangeInBody)},
		Body: block(&ast.ExprStmt{X: l.rt("Ranged", intLit(rt.RangeSwallowed))}),
	}, define(left, ident(y.code)), assign(ident(y.code), intLit(rt.RangeOver)))
	when := func(code int, list []ast.Stmt) {
		out = append(out, &ast.IfStmt{Cond: &ast.BinaryExpr{X: ident(left), Op: token.EQL, Y: intLit(code)},
			Body: block(list...)})
	}
	if y.returns {
		if y.outer != nil {
			when(-1, l.leave(y.outer, -1))
		} else {
			var results []ast.Expr
			for k := range y.results {
				results = append(results, star(ident(y.results[k])))
			}
			when(-1, l.giveBack(s, results))
		}
	}
	for k, b := range y.exits {
		when(k+2, l.branch(b.(*ast.BranchStmt)))
	}
	return out
}
