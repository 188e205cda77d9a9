package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

func (l *Lowerer) stmts(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		out = append(out, l.stmt(s)...)
	}
	return out
}

func (l *Lowerer) block(b *ast.BlockStmt, first ...ast.Stmt) *ast.BlockStmt {
	return &ast.BlockStmt{Lbrace: b.Lbrace, List: append(first, l.stmts(b.List)...), Rbrace: b.Rbrace}
}

// one turns lowered statements into a single one.
func one(list []ast.Stmt) ast.Stmt {
	if len(list) == 1 {
		return list[0]
	}
	return block(list...)
}

// at returns statements that note the line about to run, for the report of a panic. It returns none if the statement
// cannot panic.
func (l *Lowerer) at(s ast.Node) []ast.Stmt {
	if !risky(s) {
		return nil
	}
	return []ast.Stmt{assign(ident("at__"), intLit(int(s.Pos())))}
}

func risky(s ast.Node) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SelectorExpr:
			found = true
		case *ast.BinaryExpr:
			found = found || n.Op == token.QUO || n.Op == token.REM
		}
		return !found
	})
	return found
}

// entry returns the stop check at the beginning of a function or loop body.
func (l *Lowerer) entry() []ast.Stmt {
	l.imports["rt"] = "rt__"
	check := &ast.ExprStmt{X: l.rt("Check")}
	if l.Cooperative {
		return []ast.Stmt{
			assign(ident("tick__"), &ast.BinaryExpr{X: ident("tick__"), Op: token.ADD, Y: intLit(1)}),
			&ast.IfStmt{Cond: &ast.BinaryExpr{X: ident("tick__"), Op: token.GTR, Y: intLit(1000)},
				Body: block(assign(ident("tick__"), intLit(0)), check)},
		}
	}
	return []ast.Stmt{&ast.IfStmt{Cond: ident("stop__"), Body: block(check)}}
}

// stmt lowers a statement to one or more statements.
func (l *Lowerer) stmt(s ast.Stmt) []ast.Stmt {
	l.fn.temp = 0
	switch s.(type) {
	case nil, *ast.EmptyStmt, *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt,
		*ast.TypeSwitchStmt, *ast.SelectStmt, *ast.LabeledStmt, *ast.BranchStmt:
		return l.statement(s)
	}
	l.quiet(s)
	out := l.statement(s)
	l.after(s)
	return out
}

func (l *Lowerer) statement(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return nil
	case *ast.ExprStmt:
		return append(l.at(s), l.inOrder([]ast.Expr{s.X}, func() []ast.Stmt { return l.exprStmt(s) })...)
	case *ast.AssignStmt:
		return append(l.at(s), l.lookingIn(l.assignmentOrder(s), slices.Concat(s.Lhs, s.Rhs),
			func() []ast.Stmt { return l.assign(s) })...)
	case *ast.IncDecStmt:
		return slices.Concat(l.at(s), l.look(s.X), l.incDec(s))
	case *ast.DeclStmt:
		return l.declStmt(s)
	case *ast.BlockStmt:
		return []ast.Stmt{l.block(s)}
	case *ast.IfStmt:
		return l.ifStmt(s)
	case *ast.ForStmt:
		return l.forStmt(s, nil)
	case *ast.RangeStmt:
		return l.rangeStmt(s, nil)
	case *ast.SwitchStmt:
		return l.switchStmt(s, nil)
	case *ast.TypeSwitchStmt:
		return l.typeSwitch(s, nil)
	case *ast.SelectStmt:
		return l.selectStmt(s, nil)
	case *ast.LabeledStmt:
		return l.labeled(s)
	case *ast.BranchStmt:
		return l.branch(s)
	case *ast.ReturnStmt:
		return append(l.at(s), l.inOrder(s.Results, func() []ast.Stmt { return l.returnStmt(s) })...)
	case *ast.GoStmt:
		return append(l.at(s), l.goStmt(s)...)
	case *ast.DeferStmt:
		return append(l.at(s), l.deferStmt(s)...)
	case *ast.SendStmt:
		elem := l.typeOf(s.Chan).Underlying().(*types.Chan).Elem()
		return append(l.at(s), l.inOrder([]ast.Expr{s.Chan, s.Value}, func() []ast.Stmt {
			return []ast.Stmt{&ast.SendStmt{Chan: l.whole(s.Chan), Value: l.to(s.Value, elem)}}
		})...)
	}
	l.refuse(s, "this statement is not supported (%T)", s)
	return nil
}

func (l *Lowerer) exprStmt(s *ast.ExprStmt) []ast.Stmt {
	x := l.several(s.X)
	switch x := x.(type) {
	case *choice:
		return passedBack(x, 0)
	case *ast.CallExpr:
		return []ast.Stmt{&ast.ExprStmt{X: x}}
	}
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return []ast.Stmt{&ast.ExprStmt{X: x}}
	}
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{x}}}
}

// defineVar gives v a new name. It returns the statements that set it to x.
func (l *Lowerer) defineVar(n ast.Node, v *types.Var, x ast.Expr) []ast.Stmt {
	if l.unit != nil {
		if g, ok := l.unit.Locals[v]; ok {
			return []ast.Stmt{assign(globalRef(g), x)}
		}
	}
	name := l.fresh(v.Name())
	if l.fn.taken[v] && needsBox(l.subst(v.Type())) {
		l.fn.names[v] = local{name, true}
		return append(l.fresher(name, &ast.StarExpr{X: l.low(n, v.Type())}, call(ident("new"), l.low(n, v.Type()))),
			assign(&ast.StarExpr{X: ident(name)}, x))
	}
	l.fn.names[v] = local{name, false}
	if l.fn.taken[v] {
		return l.fresher(name, l.low(n, v.Type()), x)
	}
	// `:=` is not used, because the interpreter would infer a wrong type for some calls and literals.
	return []ast.Stmt{varDecl(name, l.low(n, v.Type()), x)}
}

func varDecl(name string, typ, x ast.Expr) ast.Stmt {
	spec := &ast.ValueSpec{Names: []*ast.Ident{ident(name)}, Type: typ, Values: []ast.Expr{x}}
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}}}
}

// fresher declares a variable that pointers or closures keep. Each iteration of a loop must have its own. The
// interpreter makes a new one if it is initialised from another variable, but not from a literal or a call.
func (l *Lowerer) fresher(name string, typ, x ast.Expr) []ast.Stmt {
	if _, ok := x.(*ast.Ident); ok {
		return []ast.Stmt{varDecl(name, typ, x)}
	}
	t := l.fresh("t")
	return []ast.Stmt{varDecl(t, typ, x), varDecl(name, typ, ident(t))}
}

func globalRef(g *Global) ast.Expr {
	if g.boxed {
		return star(ident(g.low))
	}
	return ident(g.low)
}

// zero returns the zero value of t.
func (l *Lowerer) zero(t types.Type) ast.Expr { return star(call(ident("new"), l.low(nil, t))) }

// declareVar gives v a new name and its zero value.
func (l *Lowerer) declareVar(n ast.Node, v *types.Var) []ast.Stmt {
	if l.unit != nil {
		if g, ok := l.unit.Locals[v]; ok {
			z := l.fresh("z")
			return []ast.Stmt{block(declare(z, l.low(n, v.Type())), assign(globalRef(g), ident(z)))}
		}
	}
	name := l.fresh(v.Name())
	if l.fn.taken[v] && needsBox(l.subst(v.Type())) {
		l.fn.names[v] = local{name, true}
		return l.fresher(name, &ast.StarExpr{X: l.low(n, v.Type())}, call(ident("new"), l.low(n, v.Type())))
	}
	l.fn.names[v] = local{name, false}
	return []ast.Stmt{declare(name, l.low(n, v.Type()))}
}

func (l *Lowerer) declStmt(s *ast.DeclStmt) []ast.Stmt {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return nil // constants are folded, types are lowered where they are used
	}
	var out []ast.Stmt
	for _, spec := range d.Specs {
		vs := spec.(*ast.ValueSpec)
		out = append(out, l.at(vs)...)
		lhs := make([]ast.Expr, len(vs.Names))
		for k, id := range vs.Names {
			lhs[k] = id
		}
		switch {
		case len(vs.Values) == 0:
			for _, id := range vs.Names {
				if v, ok := l.Info.Defs[id].(*types.Var); ok && id.Name != "_" {
					out = append(out, l.declareVar(id, v)...)
				}
			}
		default:
			out = append(out, l.inOrder(vs.Values, func() []ast.Stmt { return l.assignAll(s, lhs, vs.Values) })...)
		}
	}
	return out
}

// newVar returns the variable that e defines, or nil if e assigns to an existing variable.
func (l *Lowerer) newVar(e ast.Expr) *types.Var {
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := l.Info.Defs[id].(*types.Var); ok {
			return v
		}
	}
	return nil
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

func (l *Lowerer) assign(s *ast.AssignStmt) []ast.Stmt {
	if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
		return l.assignAll(s, s.Lhs, s.Rhs)
	}
	t := l.typeOf(s.Lhs[0])
	x := l.place(s.Lhs[0])
	var y ast.Expr
	switch s.Tok {
	case token.SHL_ASSIGN, token.SHR_ASSIGN:
		y = l.count(s.Rhs[0])
	default:
		y = l.to(s.Rhs[0], t)
	}
	if simple(s.Lhs[0]) {
		op := s.Tok - token.ADD_ASSIGN + token.ADD
		return []ast.Stmt{assign(x, &ast.BinaryExpr{X: x, Op: op, Y: y})}
	}
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: s.Tok, TokPos: s.TokPos, Rhs: []ast.Expr{y}}}
}

// simple reports whether e can be evaluated twice without a difference.
func simple(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.CallExpr, *ast.FuncLit, *ast.UnaryExpr:
			ok = false
		}
		return ok
	})
	return ok
}

func (l *Lowerer) incDec(s *ast.IncDecStmt) []ast.Stmt {
	x := l.place(s.X)
	if simple(s.X) {
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		one := ast.Expr(intLit(1))
		if b, ok := l.typeOf(s.X).Underlying().(*types.Basic); ok && b.Kind() != types.Int {
			one = call(ident(b.Name()), intLit(1))
			if b.Info()&types.IsComplex != 0 {
				one = call(ident("complex"), intLit(1), intLit(0))
			}
		}
		return []ast.Stmt{assign(x, &ast.BinaryExpr{X: x, Op: op, Y: one})}
	}
	return []ast.Stmt{&ast.IncDecStmt{X: x, TokPos: s.TokPos, Tok: s.Tok}}
}

// assignAll lowers lhs = rhs, with one or several expressions on each side. Some may be new variables.
func (l *Lowerer) assignAll(n ast.Stmt, lhs, rhs []ast.Expr) []ast.Stmt {
	if len(lhs) == 1 && len(rhs) == 1 {
		return l.assignOne(n, lhs[0], rhs[0])
	}
	var out []ast.Stmt
	var values []ast.Expr
	var from []types.Type
	if len(rhs) == 1 {
		lhs = slices.Clone(lhs)
		for k, x := range lhs {
			if !blank(x) && l.newVar(x) == nil && !simple(x) { // calls on the left side come first
				lhs[k] = &lowered{l.place(x), l.typeOf(x)}
			}
		}
		names, types, s := l.unpack(rhs[0])
		out = append(out, s...)
		var held []ast.Stmt // one place may depend on another
		lhs = l.fixed(lhs, &held)
		out = append(out, held...)
		for _, name := range names {
			values = append(values, ident(name))
		}
		from = types
	} else {
		// First the operands on the left are evaluated, then the right sides. Then the values are assigned.
		lhs = l.fixed(lhs, &out)
		var first, then []ast.Stmt
		for k, e := range rhs {
			t := l.targetType(lhs[k], l.typeOf(e))
			name := l.fresh("t")
			if s := varDecl(name, l.low(e, t), l.to(e, t)); l.overtaken(lhs[:k], rhs, k) {
				first = append(first, s)
			} else {
				then = append(then, s)
			}
			values = append(values, ident(name))
			from = append(from, t)
		}
		out = slices.Concat(out, first, then)
	}
	for k, x := range lhs {
		switch v := l.newVar(x); {
		case blank(x):
			out = append(out, &ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, Tok: token.ASSIGN,
				Rhs: []ast.Expr{values[k]}})
		case v != nil:
			out = append(out, l.defineVar(x, v, l.convert(x, values[k], from[k], v.Type()))...)
			if len(rhs) == len(lhs) {
				l.fixedLength(v, rhs[k])
			}
		default:
			out = append(out, assign(l.lvalue(x), l.convert(x, values[k], from[k], l.targetType(x, from[k]))))
		}
	}
	return out
}

// overtaken reports whether the Go compiler evaluates rhs[k] before the others, because the assignments to the places
// before may change it. The difference shows if two of them panic.
func (l *Lowerer) overtaken(before, rhs []ast.Expr, k int) bool {
	calls := slices.ContainsFunc(rhs, func(e ast.Expr) bool { return !simple(e) })
	if l.early != nil || calls || !risky(rhs[k]) {
		return false
	}
	return slices.ContainsFunc(before, func(x ast.Expr) bool {
		if _, place := x.(*lowered); place {
			return true
		}
		id, ok := ast.Unparen(x).(*ast.Ident)
		v, known := l.Info.Uses[id].(*types.Var)
		return ok && known && (l.reachable(v) || readsVar(l.Info, rhs[k], v))
	})
}

// readsVar reports whether e reads v.
func readsVar(info *types.Info, e ast.Expr, v *types.Var) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && info.Uses[id] == v
		return !found
	})
	return found
}

// lowered is an expression that was lowered before.
type lowered struct {
	ast.Expr
	typ types.Type
}

func (l *Lowerer) lvalue(x ast.Expr) ast.Expr {
	if f, ok := x.(*lowered); ok {
		return f.Expr
	}
	return l.place(x)
}

// targetType returns the type of x, a place that is assigned to, or t if x is blank.
func (l *Lowerer) targetType(x ast.Expr, t types.Type) types.Type {
	if f, ok := x.(*lowered); ok {
		return f.typ
	}
	if v := l.newVar(x); v != nil {
		return l.subst(v.Type())
	}
	if blank(x) {
		return t
	}
	return l.typeOf(x)
}

func (l *Lowerer) assignOne(n ast.Stmt, x, y ast.Expr) []ast.Stmt {
	if v := l.newVar(x); v != nil && v.Name() != "_" {
		val := l.to(y, v.Type())
		defer l.fixedLength(v, y)
		if u, ok := val.(*ast.UnaryExpr); ok && u.Op == token.ARROW { // see below
			name := l.fresh("t")
			return append([]ast.Stmt{define(name, val)}, l.defineVar(x, v, ident(name))...)
		}
		return l.defineVar(x, v, val)
	}
	if blank(x) {
		t := l.typeOf(y)
		if tv := l.Info.Types[y]; tv.IsNil() {
			return nil
		}
		// The interpreter has one place for all values assigned to blanks, and makes literals in it, whatever their
		// types.
		return []ast.Stmt{varDecl(l.fresh("t"), l.low(y, t), l.to(y, t))}
	}
	// otherwise a receive would not reach a shared variable
	if u, ok := ast.Unparen(y).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		name := l.fresh("t")
		return []ast.Stmt{define(name, l.expr(u)),
			assign(l.place(x), l.convert(y, ident(name), l.typeOf(y), l.typeOf(x)))}
	}
	if base := l.erasedPart(x); base != nil {
		return l.assignPart(x, base, l.to(y, l.typeOf(x)))
	}
	// the calls in y come first
	if _, isIndex := ast.Unparen(x).(*ast.IndexExpr); isIndex && !simple(y) && l.looks() && l.early == nil {
		name := l.fresh("t")
		out := []ast.Stmt{varDecl(name, l.low(y, l.typeOf(x)), l.to(y, l.typeOf(x)))}
		return append(append(out, l.look(x)...), assign(l.place(x), ident(name)))
	}
	if _, star := ast.Unparen(y).(*ast.StarExpr); star { // the value may be nil, which would delete a map's entry
		name := l.fresh("t")
		return []ast.Stmt{varDecl(name, l.low(y, l.typeOf(x)), l.to(y, l.typeOf(x))), assign(l.place(x), ident(name))}
	}
	return []ast.Stmt{assign(l.place(x), l.to(y, l.typeOf(x)))}
}

// unpack evaluates an expression with several values into new variables.
func (l *Lowerer) unpack(e ast.Expr) ([]string, []types.Type, []ast.Stmt) {
	e = ast.Unparen(e)
	boolean := types.Typ[types.Bool]
	pair := func(t types.Type, x ast.Expr) ([]string, []types.Type, []ast.Stmt) {
		a, ok, zero := l.fresh("t"), l.fresh("t"), l.fresh("z")
		return []string{a, ok}, []types.Type{t, boolean}, []ast.Stmt{
			&ast.AssignStmt{Lhs: []ast.Expr{ident(a), ident(ok)}, Tok: token.DEFINE, Rhs: []ast.Expr{x}},
			// If there is no value, the interpreter leaves that of the iteration before.
			&ast.IfStmt{Cond: &ast.UnaryExpr{Op: token.NOT, X: ident(ok)},
				Body: block(declare(zero, l.low(e, t)), assign(ident(a), ident(zero)))},
		}
	}
	switch e := e.(type) {
	case *ast.IndexExpr:
		m := l.typeOf(e.X).Underlying().(*types.Map)
		return pair(l.subst(m.Elem()), l.mapIndex(e, m))
	case *ast.UnaryExpr:
		return pair(l.subst(l.typeOf(e.X).Underlying().(*types.Chan).Elem()), l.expr(e))
	case *ast.TypeAssertExpr:
		return l.unpackAssertion(e)
	case *ast.CallExpr:
		t := l.subst(l.Info.TypeOf(e)).(*types.Tuple)
		names, list := l.temps(t, e)
		ts := make([]types.Type, t.Len())
		for k := range ts {
			ts[k] = t.At(k).Type()
		}
		return names, ts, list
	}
	l.refuse(e, "this assignment is not supported")
	return nil, nil, nil
}

// unpackAssertion lowers v, ok := x.(T).
func (l *Lowerer) unpackAssertion(e *ast.TypeAssertExpr) ([]string, []types.Type, []ast.Stmt) {
	t := l.subst(l.Info.TypeOf(e))
	if tuple, ok := t.(*types.Tuple); ok {
		t = tuple.At(0).Type()
	}
	t = types.Unalias(t)
	from := types.Unalias(l.typeOf(e.X))
	x, v, ok := l.fresh("x"), l.fresh("t"), l.fresh("t")
	return []string{v, ok}, []types.Type{t, types.Typ[types.Bool]}, []ast.Stmt{
		varDecl(x, anyType(), l.to(e.X, anyInterface)),
		declare(v, l.low(e, t)),
		define(ok, l.rt("Is", ident(x), intLit(l.checkType(e, t)))),
		&ast.IfStmt{Cond: ident(ok), Body: block(assign(ident(v), l.asserted(e, ident(x), from, t)))},
	}
}

func (l *Lowerer) returnStmt(s *ast.ReturnStmt) []ast.Stmt {
	if l.fn.yield != nil {
		return l.yieldReturn(s)
	}
	if len(s.Results) == 0 {
		if l.fn.defers != "" { // its results have slots of their own
			return []ast.Stmt{&ast.ReturnStmt{}}
		}
		return []ast.Stmt{&ast.ReturnStmt{Results: l.namedResults()}}
	}
	var pre []ast.Stmt
	var results []ast.Expr
	if len(s.Results) == 1 && len(l.fn.results) > 1 {
		names, ts, before := l.unpack(s.Results[0])
		for k, name := range names {
			results = append(results, l.convert(s, ident(name), ts[k], l.fn.results[k].Type()))
		}
		return append(before, l.giveBack(s, results)...)
	}
	for k, e := range s.Results {
		x := l.to(e, l.fn.results[k].Type())
		if len(s.Results) > 1 { // otherwise the interpreter would store results while it evaluates later ones
			name := l.fresh("t")
			t := l.subst(l.fn.results[k].Type())
			pre = append(pre, varDecl(name, l.low(e, t), x))
			x = ident(name)
		}
		results = append(results, x)
	}
	return append(pre, l.giveBack(s, results)...)
}

// namedResults returns the values of the named results of a function that defers nothing.
func (l *Lowerer) namedResults() []ast.Expr {
	var list []ast.Expr
	for _, v := range l.fn.results {
		if loc, ok := l.fn.names[v]; ok && loc.boxed {
			list = append(list, star(ident(loc.name)))
		} else if ok {
			list = append(list, ident(loc.name))
		} else {
			list = append(list, l.zero(v.Type())) // a result named _
		}
	}
	return list
}

// giveBack returns statements that return values, evaluated and converted.
func (l *Lowerer) giveBack(n ast.Node, results []ast.Expr) []ast.Stmt {
	var out []ast.Stmt
	if l.fn.defers == "" {
		for k, x := range results { // a closure that the caller gets may read a named result
			v := l.fn.results[k]
			loc, ok := l.fn.names[v]
			if !ok || !l.reachable(v) {
				continue
			}
			name, to := l.fresh("t"), ast.Expr(ident(loc.name))
			if loc.boxed {
				to = star(to)
			}
			out = append(out, varDecl(name, l.low(n, v.Type()), x), assign(to, ident(name)))
			results[k] = ident(name)
		}
		return append(out, &ast.ReturnStmt{Results: results})
	}
	for k, x := range results {
		out = append(out, assign(&ast.StarExpr{X: ident(l.fn.slots[k])}, x))
	}
	return append(out, &ast.ReturnStmt{})
}
