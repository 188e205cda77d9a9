package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// scope is a statement that break or continue can end.
type scope struct {
	label string
	loop  bool
	yield *yield    // set where it is a range over a function, whose body is a closure
	in    *yield    // the closure the statement itself is in
	sel   token.Pos // of a select statement
}

// yield is the closure that the body of a range over a function becomes. It leaves by returning false with a code that
// says what the surrounding function does next.
type yield struct {
	outer   *yield
	code    string
	exits   []ast.Stmt
	returns bool
	results []string
}

func (l *Lowerer) push(s scope) func() {
	s.in = l.fn.yield
	l.fn.scopes = append(l.fn.scopes, s)
	n := len(l.fn.scopes)
	return func() { l.fn.scopes = l.fn.scopes[:n-1] }
}

func labelName(label *ast.Ident) string {
	if label == nil {
		return ""
	}
	return label.Name
}

func withLabel(label *ast.Ident, s ast.Stmt) ast.Stmt {
	if label == nil {
		return s
	}
	return &ast.LabeledStmt{Label: ident(label.Name), Stmt: s}
}

func (l *Lowerer) labeled(s *ast.LabeledStmt) []ast.Stmt {
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		return l.forStmt(inner, s.Label)
	case *ast.RangeStmt:
		return l.rangeStmt(inner, s.Label)
	case *ast.SwitchStmt:
		return l.switchStmt(inner, s.Label)
	case *ast.TypeSwitchStmt:
		return l.typeSwitch(inner, s.Label)
	case *ast.SelectStmt:
		return l.selectStmt(inner, s.Label)
	}
	list := l.stmt(s.Stmt)
	if len(list) == 0 {
		return []ast.Stmt{&ast.LabeledStmt{Label: ident(s.Label.Name), Stmt: &ast.EmptyStmt{}}}
	}
	return append([]ast.Stmt{&ast.LabeledStmt{Label: ident(s.Label.Name), Stmt: list[0]}}, list[1:]...)
}

func (l *Lowerer) branch(s *ast.BranchStmt) []ast.Stmt {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		if l.fn.yield != nil && s.Tok == token.GOTO {
			l.refuse(s, "goto inside a range over a function is not supported")
		}
		l.checkGoto(s)
		out := &ast.BranchStmt{TokPos: s.TokPos, Tok: s.Tok}
		if s.Label != nil {
			out.Label = ident(s.Label.Name)
		}
		return []ast.Stmt{out}
	}
	for k := len(l.fn.scopes) - 1; k >= 0; k-- {
		sc := l.fn.scopes[k]
		if s.Label != nil && sc.label != s.Label.Name || s.Label == nil && s.Tok == token.CONTINUE && !sc.loop {
			continue
		}
		y := l.fn.yield
		switch {
		case sc.yield == nil && sc.in == y: // the engine's own branch
			out := &ast.BranchStmt{TokPos: s.TokPos, Tok: s.Tok}
			if s.Label != nil {
				out.Label = ident(s.Label.Name)
			}
			return []ast.Stmt{out}
		case sc.yield == y && s.Tok == token.CONTINUE:
			return []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{ident("true")}}}
		case sc.yield == y:
			return l.leave(y, 1)
		}
		y.exits = append(y.exits, s)
		return l.leave(y, len(y.exits)+1)
	}
	l.refuse(s, "%s is not supported here", s.Tok)
	return nil
}

// checkGoto refuses a goto back out of a select statement, which the interpreter follows without end.
func (l *Lowerer) checkGoto(s *ast.BranchStmt) {
	for _, sc := range l.fn.scopes {
		if s.Tok == token.GOTO && sc.sel.IsValid() && l.Info.Uses[s.Label].Pos() < sc.sel {
			l.refuse(s, "goto back out of a select is not supported: use continue with a labelled loop")
		}
	}
}

func (l *Lowerer) leave(y *yield, code int) []ast.Stmt {
	return []ast.Stmt{assign(ident(y.code), intLit(code)), &ast.ReturnStmt{Results: []ast.Expr{ident("false")}}}
}

func (l *Lowerer) yieldReturn(s *ast.ReturnStmt) []ast.Stmt {
	y := l.fn.yield
	for o := y; o != nil; o = o.outer {
		o.returns = true
	}
	var out []ast.Stmt
	switch {
	case len(s.Results) == 0:
		if len(l.fn.results) > 0 {
			for k, v := range l.fn.results {
				loc, ok := l.fn.names[v]
				if !ok {
					continue
				}
				x := ast.Expr(ident(loc.name))
				if loc.boxed {
					x = star(x)
				}
				out = append(out, assign(yieldSlot(y, k), x))
			}
		}
	case len(s.Results) == 1 && len(l.fn.results) > 1:
		names, ts, pre := l.unpack(s.Results[0])
		out = pre
		for k, name := range names {
			out = append(out, assign(yieldSlot(y, k), l.convert(s, ident(name), ts[k], l.fn.results[k].Type())))
		}
	default:
		for k, e := range s.Results {
			out = append(out, assign(yieldSlot(y, k), l.to(e, l.fn.results[k].Type())))
		}
	}
	return append(out, l.leave(y, -1)...)
}

// yieldSlot is where a return inside the body of a range over a function puts its k-th result.
func yieldSlot(y *yield, k int) ast.Expr { return &ast.StarExpr{X: ident(y.results[k])} }

func (l *Lowerer) ifStmt(s *ast.IfStmt) []ast.Stmt {
	var pre []ast.Stmt
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	pre = append(pre, l.at(s.Cond)...)
	out := &ast.IfStmt{If: s.If, Cond: l.expr(s.Cond), Body: l.block(s.Body)}
	switch e := s.Else.(type) {
	case nil:
	case *ast.BlockStmt:
		out.Else = l.block(e)
	default:
		list := l.stmt(e)
		if inner, ok := list[0].(*ast.IfStmt); ok && len(list) == 1 {
			out.Else = inner
		} else {
			out.Else = block(list...)
		}
	}
	if len(pre) == 0 {
		return []ast.Stmt{out}
	}
	return []ast.Stmt{block(append(pre, out)...)}
}

func (l *Lowerer) forStmt(s *ast.ForStmt, label *ast.Ident) []ast.Stmt {
	if vars := l.sharedLoopVars(s); vars != nil {
		return l.forShared(s, vars, label)
	}
	var pre []ast.Stmt
	out := &ast.ForStmt{For: s.For}
	if s.Init != nil {
		out.Init, pre = l.forInit(s.Init)
	}
	defer l.push(scope{label: labelName(label), loop: true})()
	if s.Cond != nil {
		out.Cond = l.expr(s.Cond)
	}
	if s.Post != nil {
		list := l.stmt(s.Post)
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
			out.Post = &ast.ExprStmt{X: call(&ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(list...)})}
		}
	}
	out.Body = l.block(s.Body, l.entry()...)
	if len(pre) == 0 {
		return []ast.Stmt{withLabel(label, out)}
	}
	return []ast.Stmt{block(append(pre, withLabel(label, out))...)}
}

// sharedLoopVars are the variables a loop defines where closures or pointers keep them and the interpreter would not make
// them anew for each iteration: it does so for one variable of a simple type.
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
			shared = shared || l.fn.taken[v] && (len(a.Lhs) > 1 || needsBox(l.subst(v.Type())))
		}
	}
	if !shared {
		return nil
	}
	return vars
}

// forShared is a loop whose variables live in boxes: each iteration has its own, which begins with what the one before
// ended with.
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
		next = append(next, define(n, call(ident("new"), typ)), assign(&ast.StarExpr{X: ident(n)}, star(ident(boxes[k]))), assign(ident(boxes[k]), ident(n)))
		l.fn.names[v] = local{boxes[k], true}
	}
	if s.Cond != nil {
		out.Cond = l.expr(s.Cond)
	}
	if s.Post != nil {
		next = append(next, l.stmt(s.Post)...)
	}
	out.Post = &ast.ExprStmt{X: call(&ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(next...)})}
	for k, v := range vars {
		own := l.fresh(v.Name())
		head = append(head, l.fresher(own, &ast.StarExpr{X: l.low(s, v.Type())}, ident(boxes[k]))...)
		l.fn.names[v] = local{own, true}
	}
	out.Body = l.block(s.Body, append(l.entry(), head...)...)
	return []ast.Stmt{block(append(pre, withLabel(label, out))...)}
}

// forInit keeps the definition of loop variables in the loop, as each iteration has its own.
func (l *Lowerer) forInit(s ast.Stmt) (init ast.Stmt, pre []ast.Stmt) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		list := l.stmt(s)
		if len(list) == 1 {
			if _, isBlock := list[0].(*ast.BlockStmt); !isBlock {
				return list[0], nil
			}
		}
		return nil, list
	}
	out := &ast.AssignStmt{Tok: token.DEFINE, TokPos: a.TokPos}
	var vars []*types.Var
	for _, x := range a.Lhs {
		v := l.newVar(x)
		if v == nil && !blank(x) {
			return nil, l.stmt(s)
		}
		vars = append(vars, v)
	}
	if len(a.Rhs) != len(a.Lhs) {
		names, ts, before := l.unpack(a.Rhs[0])
		pre = before
		for k, v := range vars {
			if v != nil {
				out.Rhs = append(out.Rhs, l.convert(a, ident(names[k]), ts[k], v.Type()))
			}
		}
	} else {
		for k, y := range a.Rhs {
			if vars[k] != nil {
				out.Rhs = append(out.Rhs, l.typed(y, vars[k].Type()))
			}
		}
	}
	for _, v := range vars {
		if v != nil {
			name := l.fresh(v.Name())
			l.fn.names[v] = local{name, false}
			out.Lhs = append(out.Lhs, ident(name))
		}
	}
	return out, pre
}

// typed lowers e so that := infers the lowered type of t.
func (l *Lowerer) typed(e ast.Expr, t types.Type) ast.Expr {
	x := l.to(e, t)
	if _, isLit := x.(*ast.BasicLit); isLit {
		return x
	}
	if types.IsInterface(t) {
		return call(&ast.ParenExpr{X: l.low(e, t)}, x)
	}
	return x
}

func (l *Lowerer) rangeStmt(s *ast.RangeStmt, label *ast.Ident) []ast.Stmt {
	t := l.typeOf(s.X)
	if u, ok := t.Underlying().(*types.Signature); ok {
		return l.rangeFunc(s, u, label)
	}
	var kt, vt types.Type = types.Typ[types.Int], nil
	x := l.expr(s.X)
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
	case *types.Pointer:
		vt = u.Elem().Underlying().(*types.Array).Elem()
		x = star(x)
	case *types.Map:
		kt, vt = u.Key(), u.Elem()
	case *types.Chan:
		kt = u.Elem()
	}
	pre := l.at(s.X)
	defer l.push(scope{label: labelName(label), loop: true})()
	if u, ok := t.Underlying().(*types.Basic); ok && u.Info()&types.IsInteger != 0 {
		return append(pre, l.rangeInt(s, t, x, label)...)
	}
	if u, ok := t.Underlying().(*types.Basic); ok && u.Info()&types.IsString != 0 {
		return append(pre, l.rangeString(s, x, label)...)
	}
	elemAt, more := l.ranged(s, t, &x)
	pre = append(pre, more...)
	out := &ast.RangeStmt{For: s.For, X: x, Body: nil}
	head := l.entry()
	use := func(e ast.Expr, et types.Type) ast.Expr {
		if e == nil || blank(e) {
			return nil
		}
		name := l.fresh("k")
		v := l.newVar(e)
		if v != nil && !l.fn.taken[v] { // closures and pointers would share the interpreter's own
			if _, global := l.unit.Locals[v]; !global {
				name = l.fresh(v.Name())
				l.fn.names[v] = local{name, false}
				return ident(name)
			}
		}
		if v != nil {
			head = append(head, l.defineVar(e, v, ident(name))...)
		} else {
			head = append(head, assign(l.place(e), l.convert(e, ident(name), et, l.typeOf(e))))
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
			head = append(head, assign(l.place(s.Value), l.convert(s.Value, elemAt(out.Key), vt, l.typeOf(s.Value))))
		}
	}
	if out.Key != nil || out.Value != nil {
		out.Tok = token.DEFINE
		if out.Key == nil {
			out.Key = ident("_")
		}
	}
	out.Body = l.block(s.Body, head...)
	return append(pre, withLabel(label, out))
}

// ranged holds what a loop goes over in a variable where the interpreter would look it up again or mistake it: it takes a
// loop over elements that are channels for one over a channel, so that these are read by the keys.
func (l *Lowerer) ranged(s *ast.RangeStmt, t types.Type, x *ast.Expr) (elemAt func(key ast.Expr) ast.Expr, pre []ast.Stmt) {
	var elem types.Type
	switch u := t.Underlying().(type) {
	case *types.Chan:
	case *types.Pointer:
		elem = u.Elem().Underlying().(*types.Array).Elem()
		t = types.NewSlice(elem)
		if _, isChan := l.subst(elem).Underlying().(*types.Chan); isChan {
			*x = &ast.SliceExpr{X: *x}
		}
	case interface{ Elem() types.Type }:
		elem = u.Elem()
	}
	if elem != nil {
		if _, isChan := l.subst(elem).Underlying().(*types.Chan); !isChan {
			return nil, nil
		}
	}
	name := l.fresh("over")
	pre = []ast.Stmt{varDecl(name, l.low(s, t), *x)}
	*x = ident(name)
	if elem == nil {
		return nil, pre
	}
	return func(key ast.Expr) ast.Expr { return &ast.IndexExpr{X: ident(name), Index: key} }, pre
}

// rangeString goes over runes that the host decoded, as the interpreter miscounts bytes that are no UTF-8.
func (l *Lowerer) rangeString(s *ast.RangeStmt, x ast.Expr, label *ast.Ident) []ast.Stmt {
	at, runes, k := l.fresh("at"), l.fresh("runes"), l.fresh("k")
	head := l.entry()
	for j, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || blank(e) {
			continue
		}
		v := &ast.IndexExpr{X: ident([]string{at, runes}[j]), Index: ident(k)}
		if nv := l.newVar(e); nv != nil {
			head = append(head, l.defineVar(e, nv, v)...)
		} else {
			head = append(head, assign(l.place(e), v))
		}
	}
	loop := &ast.ForStmt{
		For:  s.For,
		Init: define(k, intLit(0)),
		Cond: &ast.BinaryExpr{X: ident(k), Op: token.LSS, Y: call(ident("len"), ident(at))},
		Post: assign(ident(k), &ast.BinaryExpr{X: ident(k), Op: token.ADD, Y: intLit(1)}),
		Body: l.block(s.Body, head...),
	}
	decode := &ast.AssignStmt{Lhs: []ast.Expr{ident(at), ident(runes)}, Tok: token.DEFINE, Rhs: []ast.Expr{l.rt("Runes", call(ident("string"), x))}}
	return []ast.Stmt{decode, withLabel(label, loop)}
}

// rangeInt counts with a loop of three clauses.
func (l *Lowerer) rangeInt(s *ast.RangeStmt, t types.Type, x ast.Expr, label *ast.Ident) []ast.Stmt {
	n, k := l.fresh("n"), l.fresh("k")
	typ := l.low(s, t)
	head := l.entry()
	if s.Key != nil && !blank(s.Key) {
		if v := l.newVar(s.Key); v != nil {
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
		Init: define(k, zero),
		Cond: &ast.BinaryExpr{X: ident(k), Op: token.LSS, Y: ident(n)},
		Post: assign(ident(k), &ast.BinaryExpr{X: ident(k), Op: token.ADD, Y: step}),
		Body: body,
	}
	decl := &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(n)}, Type: typ, Values: []ast.Expr{x}}}}}
	return []ast.Stmt{decl, withLabel(label, loop)}
}

// rangeFunc lowers a range over a function: the body becomes the function's argument.
func (l *Lowerer) rangeFunc(s *ast.RangeStmt, sig *types.Signature, label *ast.Ident) []ast.Stmt {
	y := &yield{outer: l.fn.yield, code: l.fresh("code")}
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
	fun := l.expr(s.X)
	params := types.Unalias(sig.Params().At(0).Type()).Underlying().(*types.Signature)
	names := make([]string, params.Params().Len())
	for k := range names {
		names[k] = l.fresh("y")
	}
	pop := l.push(scope{label: labelName(label), loop: true, yield: y})
	l.fn.yield = y
	head := l.entry()
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
	body.List = append(body.List, &ast.ReturnStmt{Results: []ast.Expr{ident("true")}})
	l.fn.yield = y.outer
	pop()
	lit := &ast.FuncLit{Type: l.lowSignature(s, params, names), Body: body}
	out = append(out, &ast.ExprStmt{X: call(fun, lit)})
	when := func(code int, list []ast.Stmt) {
		out = append(out, &ast.IfStmt{Cond: &ast.BinaryExpr{X: ident(y.code), Op: token.EQL, Y: intLit(code)}, Body: block(list...)})
	}
	if y.returns {
		if y.outer != nil {
			when(-1, l.leave(y.outer, -1))
		} else {
			var results []ast.Expr
			for k := range y.results {
				results = append(results, star(ident(y.results[k])))
			}
			when(-1, l.giveBack(results))
		}
	}
	for k, b := range y.exits {
		when(k+2, l.branch(b.(*ast.BranchStmt)))
	}
	return out
}

func (l *Lowerer) switchStmt(s *ast.SwitchStmt, label *ast.Ident) []ast.Stmt {
	var pre []ast.Stmt
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	out := &ast.SwitchStmt{Switch: s.Switch, Body: &ast.BlockStmt{}}
	var cond func(ast.Expr) ast.Expr
	if s.Tag == nil {
		cond = func(e ast.Expr) ast.Expr { return l.expr(e) }
	} else {
		pre = append(pre, l.at(s.Tag)...)
		tag := l.fresh("tag")
		t := l.typeOf(s.Tag)
		pre = append(pre, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(tag)}, Type: l.low(s, t), Values: []ast.Expr{l.to(s.Tag, t)}}}}})
		cond = func(e ast.Expr) ast.Expr { return l.matches(e, tag, t) }
	}
	defer l.push(scope{label: labelName(label)})()
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		lc := &ast.CaseClause{Case: cc.Case, Body: l.stmts(cc.Body)}
		for _, e := range cc.List {
			lc.List = append(lc.List, cond(e))
		}
		if len(lc.List) > 1 { // one condition a clause
			x := lc.List[0]
			for _, e := range lc.List[1:] {
				x = &ast.BinaryExpr{X: x, Op: token.LOR, Y: e}
			}
			lc.List = []ast.Expr{x}
		}
		out.Body.List = append(out.Body.List, lc)
	}
	if fallsThrough(s) {
		var choose []ast.Stmt
		out, choose = l.chosen(out)
		pre = append(pre, choose...)
	}
	return []ast.Stmt{block(append(pre, withLabel(label, defaultLast(out)))...)}
}

func fallsThrough(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		body := c.(*ast.CaseClause).Body
		if n := len(body); n > 0 {
			if b, ok := body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				return true
			}
		}
	}
	return false
}

// chosen chooses the clause first and then runs clauses from it on, as the interpreter does not always find the clause
// that another falls through to.
func (l *Lowerer) chosen(s *ast.SwitchStmt) (*ast.SwitchStmt, []ast.Stmt) {
	n := l.fresh("case")
	other := -1
	choose := &ast.SwitchStmt{Body: &ast.BlockStmt{}}
	run := &ast.CaseClause{}
	for k, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		if cc.List == nil {
			other = k
		} else {
			choose.Body.List = append(choose.Body.List, &ast.CaseClause{List: cc.List, Body: []ast.Stmt{assign(ident(n), intLit(k))}})
		}
		body := cc.Body
		if last := len(body) - 1; last >= 0 {
			if b, ok := body[last].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				body = append(append([]ast.Stmt{}, body[:last]...), assign(ident(n), intLit(k+1)))
			}
		}
		run.Body = append(run.Body, &ast.IfStmt{Cond: &ast.BinaryExpr{X: ident(n), Op: token.EQL, Y: intLit(k)}, Body: block(body...)})
	}
	return &ast.SwitchStmt{Switch: s.Switch, Body: block(run)}, []ast.Stmt{define(n, &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.SUB, X: intLit(1)}}), assign(ident(n), intLit(other)), choose}
}

// defaultLast moves a default clause to the end.
func defaultLast(s *ast.SwitchStmt) ast.Stmt {
	list := s.Body.List
	for k, c := range list {
		cc := c.(*ast.CaseClause)
		if cc.List == nil && k < len(list)-1 {
			moved := append(append([]ast.Stmt{}, list[:k]...), list[k+1:]...)
			s.Body.List = append(moved, c)
			return defaultLast(s)
		}
	}
	return s
}

// matches compares a case with the tag.
func (l *Lowerer) matches(e ast.Expr, tag string, t types.Type) ast.Expr {
	if tv := l.Info.Types[e]; tv.IsNil() {
		return &ast.BinaryExpr{X: ident(tag), Op: token.EQL, Y: ident("nil")}
	}
	et := l.typeOf(e)
	if types.IsInterface(t) || types.IsInterface(et) {
		return l.rt("Equal", l.convert(e, ident(tag), t, anyInterface), l.to(e, anyInterface))
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return l.rt("Same", ident(tag), l.to(e, t))
	}
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: ident(tag), Op: token.EQL, Y: l.to(e, t)}}
}

func (l *Lowerer) typeSwitch(s *ast.TypeSwitchStmt, label *ast.Ident) []ast.Stmt {
	var pre []ast.Stmt
	if s.Init != nil {
		pre = l.stmt(s.Init)
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	}
	from := types.Unalias(l.typeOf(x))
	pre = append(pre, l.at(x)...)
	tag := l.fresh("x")
	pre = append(pre, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(tag)}, Type: anyType(), Values: []ast.Expr{l.to(x, anyInterface)}}}}})
	defer l.push(scope{label: labelName(label)})()
	out := &ast.SwitchStmt{Switch: s.Switch, Body: &ast.BlockStmt{}}
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		lc := &ast.CaseClause{Case: cc.Case}
		var cond ast.Expr
		for _, e := range cc.List {
			var test ast.Expr
			if tv := l.Info.Types[e]; tv.IsNil() {
				test = l.rt("IsNil", ident(tag))
			} else {
				test = l.rt("Is", ident(tag), intLit(l.checkType(types.Unalias(l.typeOf(e)))))
			}
			if cond == nil {
				cond = test
			} else {
				cond = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: test}
			}
		}
		if cond != nil {
			lc.List = []ast.Expr{cond}
		}
		if v, ok := l.Info.Implicits[cc].(*types.Var); ok {
			lc.Body = l.caseVar(cc, v, tag, from)
		}
		lc.Body = append(lc.Body, l.stmts(cc.Body)...)
		out.Body.List = append(out.Body.List, lc)
	}
	return []ast.Stmt{block(append(pre, withLabel(label, defaultLast(out)))...)}
}

// caseVar defines the variable of a type switch's clause.
func (l *Lowerer) caseVar(cc *ast.CaseClause, v *types.Var, tag string, from types.Type) []ast.Stmt {
	t := types.Unalias(l.subst(v.Type()))
	if len(cc.List) == 1 {
		if tv := l.Info.Types[cc.List[0]]; !tv.IsNil() {
			return l.defineVar(cc, v, l.asserted(cc, ident(tag), from, t))
		}
	}
	return l.defineVar(cc, v, l.convert(cc, ident(tag), anyInterface, t))
}

func (l *Lowerer) selectStmt(s *ast.SelectStmt, label *ast.Ident) []ast.Stmt {
	defer l.push(scope{label: labelName(label), sel: s.Select})()
	out := &ast.SelectStmt{Select: s.Select, Body: &ast.BlockStmt{}}
	ops := &operands{l: l}
	for _, c := range s.Body.List {
		cc := c.(*ast.CommClause)
		lc := &ast.CommClause{Case: cc.Case}
		var head []ast.Stmt
		switch comm := cc.Comm.(type) {
		case nil:
		case *ast.SendStmt:
			elem := l.typeOf(comm.Chan).Underlying().(*types.Chan).Elem()
			send := &ast.SendStmt{Chan: l.expr(comm.Chan), Value: l.to(comm.Value, elem)}
			ops.add(comm, &send.Chan, l.typeOf(comm.Chan))
			ops.add(comm, &send.Value, elem)
			lc.Comm = send
		case *ast.ExprStmt: // with a variable, as the interpreter loses the way out of a loop without
			name := l.fresh("t")
			lc.Comm = define(name, ops.receive(ast.Unparen(comm.X).(*ast.UnaryExpr)))
			head = append(head, &ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{ident(name)}})
		case *ast.AssignStmt:
			recv := ast.Unparen(comm.Rhs[0]).(*ast.UnaryExpr)
			elem := l.typeOf(recv.X).Underlying().(*types.Chan).Elem()
			ts := []types.Type{elem, types.Typ[types.Bool]}
			a := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{ops.receive(recv)}}
			for k, x := range comm.Lhs {
				name := l.fresh("t")
				a.Lhs = append(a.Lhs, ident(name))
				switch v := l.newVar(x); {
				case blank(x):
					head = append(head, &ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{ident(name)}})
				case v != nil:
					head = append(head, l.defineVar(x, v, ident(name))...)
				default:
					head = append(head, assign(l.place(x), l.convert(x, ident(name), ts[k], l.typeOf(x))))
				}
			}
			lc.Comm = a
		}
		lc.Body = append(head, l.stmts(cc.Body)...)
		if n := len(lc.Body); n > 0 {
			if b, ok := lc.Body[n-1].(*ast.BranchStmt); ok { // at the very end the interpreter overlooks it
				lc.Body[n-1] = &ast.IfStmt{Cond: ident("true"), Body: block(b)}
			}
		}
		out.Body.List = append(out.Body.List, lc)
	}
	list := ops.hoist()
	if len(list) == 0 || label == nil {
		return append(list, withLabel(label, out))
	}
	once := &ast.CaseClause{Body: append(list, out)} // a goto to the label evaluates the operands too
	return []ast.Stmt{withLabel(label, &ast.SwitchStmt{Body: block(once)})}
}
