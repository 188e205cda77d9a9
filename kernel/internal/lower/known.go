package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// known is what the statements so far leave no doubt about, where the next one runs. A term is the text of an integer
// expression without its constant summand, with its variables by identity. Sums are taken not to overflow: an index
// that does not fit is out of range in any case, and the interpreter panics.
type known struct {
	above map[string]fact // by term: it is n or more
	below map[string]fact // by operand and term: term + n is less than the operand's length
}

type fact struct {
	n     int64
	vars  []*types.Var
	alone *types.Var // the term, if that is a variable, which is none of the operand's
	open  bool       // whether a call may change it
	deep  bool       // whether an assignment to an element or a field may change it
}

// term is an integer expression, or the operand of an index expression, with a constant summand.
type term struct {
	text string
	n    int64
	fact
}

func (k *known) clone() *known { return &known{maps.Clone(k.above), maps.Clone(k.below)} }

// facts is what is known now.
func (l *Lowerer) facts() *known {
	if l.fn.known == nil {
		l.fn.known = &known{map[string]fact{}, map[string]fact{}}
	}
	return l.fn.known
}

// meanwhile lowers by f what may not run. What is known stays as it is.
func (l *Lowerer) meanwhile(f func()) {
	if !l.looks() {
		f()
		return
	}
	saved := l.facts().clone()
	f()
	l.fn.known = saved
}

// termOf splits e, an int; ok is false if it is another expression than one of variables, constants and lengths.
func (l *Lowerer) termOf(e ast.Expr) (t term, ok bool) {
	if v := l.Info.Types[e].Value; v != nil {
		n, exact := constant.Int64Val(constant.ToInt(v))
		return term{n: n}, exact && n > -few && n < few
	}
	if b, isBasic := l.typeOf(e).Underlying().(*types.Basic); !isBasic || b.Kind() != types.Int {
		return term{}, false
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.termOf(e.X)
	case *ast.Ident:
		v, isVar := l.Info.Uses[e].(*types.Var)
		if !isVar {
			return term{}, false
		}
		return term{text: nameOf(v), fact: fact{vars: []*types.Var{v}, alone: v, open: l.reachable(v)}}, true
	case *ast.CallExpr:
		if id := instantiated(e.Fun); id != nil && id.Name == "len" && l.Info.Types[e.Fun].IsBuiltin() {
			of, ok := l.operandOf(e.Args[0])
			of.text, of.alone = "len "+of.text, nil
			return of, ok
		}
	case *ast.BinaryExpr:
		x, ok := l.termOf(e.X)
		y, also := l.termOf(e.Y)
		if !ok || !also {
			return term{}, false
		}
		switch {
		case e.Op == token.ADD && y.text == "":
			x.n += y.n
			return x, true
		case e.Op == token.SUB && y.text == "":
			x.n -= y.n
			return x, true
		case e.Op == token.ADD && x.text == "":
			y.n += x.n
			return y, true
		case slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM}, e.Op):
			return joined(fmt.Sprintf("(%s%s%s)", x.whole(), e.Op, y.whole()), x.fact, y.fact), true
		}
	}
	return term{}, false
}

// few bounds the constants that are added up.
const few = 1 << 31

func nameOf(v *types.Var) string { return fmt.Sprintf("%p", v) }

func (t term) whole() string { return fmt.Sprintf("%s+%d", t.text, t.n) }

func joined(text string, x, y fact) term {
	return term{text: text, fact: fact{vars: slices.Concat(x.vars, y.vars), open: x.open || y.open,
		deep: x.deep || y.deep}}
}

// operandOf is a variable with a length, or an element or a field with one.
func (l *Lowerer) operandOf(e ast.Expr) (t term, ok bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.operandOf(e.X)
	case *ast.Ident:
		v, isVar := l.Info.Uses[e].(*types.Var)
		if !isVar {
			return term{}, false
		}
		return term{text: nameOf(v), fact: fact{vars: []*types.Var{v}, open: l.reachable(v)}}, true
	case *ast.IndexExpr:
		if _, isMap := l.typeOf(e.X).Underlying().(*types.Map); isMap || l.Info.Types[e.Index].IsType() {
			return term{}, false
		}
		of, ok := l.operandOf(e.X)
		i, also := l.termOf(e.Index)
		t = joined(of.text+"["+i.whole()+"]", of.fact, i.fact)
		t.deep = true
		return t, ok && also
	case *ast.SelectorExpr:
		s, isField := l.Info.Selections[e]
		if !isField || s.Kind() != types.FieldVal || len(s.Index()) > 1 {
			return term{}, false
		}
		t, ok = l.operandOf(e.X)
		t.text, t.deep = t.text+"."+e.Sel.Name, true
		return t, ok
	}
	return term{}, false
}

// bounds reports whether the index of e is seen to be 0 or more, and to be less than the length.
func (l *Lowerer) bounds(e *ast.IndexExpr, k *known) (least, most bool) {
	b, isBasic := l.typeOf(e.Index).Underlying().(*types.Basic)
	r := l.rangeOf(e.Index)
	n, fixed := l.lengthOf(e.X)
	least, most = r.low >= 0, fixed && r.high < n
	if !isBasic || b.Info()&types.IsUnsigned != 0 {
		return least && (sizes.Sizeof(b) < 8 || r.high < far), most // as an int, a large one is negative
	}
	i, ok := l.termOf(e.Index)
	if !ok {
		return least, most
	}
	if f, ok := k.above[i.text]; ok && f.n+i.n >= 0 {
		least = true
	}
	of, ok := l.operandOf(e.X)
	if !ok {
		return least, most
	}
	if f, ok := k.below[of.text+"@"+i.text]; ok && f.n >= i.n || i.text == "len "+of.text && i.n < 0 {
		most = true
	}
	return least, most
}

// lengthOf is the length of x if it is always the same.
func (l *Lowerer) lengthOf(x ast.Expr) (n int64, fixed bool) {
	if n, isArray := l.arrayLen(x); isArray {
		return int64(n), true
	}
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		n, fixed = l.lengths[l.Info.Uses[id]]
	}
	return n, fixed
}

// indexed notes that the index of e is in range.
func (k *known) indexed(l *Lowerer, e *ast.IndexExpr) {
	i, ok := l.termOf(e.Index)
	of, also := l.operandOf(e.X)
	if ok && also {
		k.least(i, -i.n)
		k.less(i, of, i.n)
	}
}

// least notes that the term is n or more.
func (k *known) least(t term, n int64) {
	if old, ok := k.above[t.text]; t.text != "" && (!ok || old.n < n) {
		t.fact.n = n
		k.above[t.text] = t.fact
	}
}

// less notes that the term and n are less than the length of the operand.
func (k *known) less(t, of term, n int64) {
	text := of.text + "@" + t.text
	if old, ok := k.below[text]; ok && old.n >= n {
		return
	}
	f := joined("", t.fact, of.fact).fact
	if f.n = n; !slices.Contains(of.vars, t.alone) {
		f.alone = t.alone
	}
	k.below[text] = f
}

// learn notes what holds after a statement, or where a condition has been evaluated.
func (l *Lowerer) learn(n ast.Node) {
	if !l.looks() {
		return
	}
	k := l.facts()
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				l.learn(n.X)
				return false
			}
		case *ast.IndexExpr:
			tv := l.Info.Types[n.X]
			if !tv.IsValue() || l.Info.Types[n.Index].IsType() {
				return true
			}
			switch tv.Type.Underlying().(type) {
			case *types.Map, *types.Signature:
			default:
				k.indexed(l, n)
			}
		}
		return true
	})
}

// holds notes what follows if a condition has been found true, or false.
func (l *Lowerer) holds(cond ast.Expr, truth bool) {
	l.learn(cond)
	switch e := cond.(type) {
	case *ast.ParenExpr:
		l.holds(e.X, truth)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			l.holds(e.X, !truth)
		}
	case *ast.BinaryExpr:
		op := e.Op
		if op == token.LAND && truth || op == token.LOR && !truth {
			l.holds(e.X, truth)
			l.holds(e.Y, truth)
			return
		}
		if !truth {
			op = map[token.Token]token.Token{token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ,
				token.GEQ: token.LSS, token.EQL: token.NEQ, token.NEQ: token.EQL}[op]
		}
		x, ok := l.termOf(e.X)
		y, also := l.termOf(e.Y)
		if ok && also {
			l.compared(x, y, op)
		}
	}
}

// compared notes x op y.
func (l *Lowerer) compared(x, y term, op token.Token) {
	k := l.facts()
	// less notes x + n < y.
	less := func(x, y term, n int64) {
		if x.text == "" {
			k.least(y, x.n+n+1-y.n)
		}
		k.transfer(y, x, x.n+n+1-y.n)
		if of, ok := y.operand(); ok {
			k.less(x, of, x.n+n-y.n)
		}
	}
	switch op {
	case token.LSS:
		less(x, y, 0)
	case token.LEQ:
		less(x, y, -1)
	case token.GTR:
		less(y, x, 0)
	case token.GEQ:
		less(y, x, -1)
	case token.EQL:
		less(x, y, -1)
		less(y, x, -1)
	case token.NEQ:
		if _, isLen := x.operand(); isLen && y.text == "" && x.n == y.n {
			k.least(x, 1)
		}
	}
}

// operand is x, if the term is len(x).
func (t term) operand() (term, bool) {
	if len(t.text) < 4 || t.text[:4] != "len " {
		return term{}, false
	}
	t.text = t.text[4:]
	return t, true
}

// copied notes of v what is known of e, its new value.
func (l *Lowerer) copied(v *types.Var, e ast.Expr) {
	from, ok := l.termOf(e)
	if b, isBasic := v.Type().Underlying().(*types.Basic); !ok || !isBasic || b.Kind() != types.Int ||
		slices.Contains(from.vars, v) {
		return
	}
	k := l.facts()
	to := term{text: nameOf(v), fact: fact{vars: []*types.Var{v}, alone: v, open: l.reachable(v)}}
	if low := l.rangeOf(e).low; low > -few {
		k.least(to, low)
	}
	if f, ok := k.above[from.text]; ok {
		k.least(to, f.n+from.n)
	}
	if of, ok := from.operand(); ok {
		k.less(to, of, -from.n-1)
	}
	k.transfer(from, to, -from.n)
}

// transfer notes of the term to, which and n more is at most the term from, that it is less than the lengths that from
// is less than.
func (k *known) transfer(from, to term, n int64) {
	for text, f := range maps.Clone(k.below) {
		if of, ok := strings.CutSuffix(text, "@"+from.text); ok && !slices.Contains(f.vars, to.alone) {
			k.less(to, term{text: of, fact: f}, f.n+n)
		}
	}
}

// begins notes what holds where the body of a loop begins.
func (l *Lowerer) begins(s *ast.ForStmt) {
	if s.Cond == nil || !l.looks() {
		return
	}
	l.holds(s.Cond, true)
	l.quiet(s.Cond)
}

// counting notes that the variable of a loop is less than x, a number or something with a length.
func (l *Lowerer) counting(v *types.Var, x ast.Expr, body *ast.BlockStmt) {
	if !l.looks() {
		return
	}
	k := l.facts()
	i := term{text: nameOf(v), fact: fact{vars: []*types.Var{v}, alone: v, open: l.reachable(v)}}
	k.least(i, 0)
	if n, ok := l.termOf(x); ok {
		steady := !n.deep && !(n.open && calling(l.Info, body)) &&
			!slices.ContainsFunc(n.vars, func(v *types.Var) bool { return assigned(l.Info, body, v) })
		if steady {
			l.compared(i, n, token.LSS)
		}
	} else if of, ok := l.operandOf(x); ok && l.counted(x, body) != nil {
		k.less(i, of, 0)
	}
}

// node is n, nil if it holds nothing.
func node[T ast.Node](n T) ast.Node {
	if any(n) == nil {
		return nil
	}
	return n
}

// after notes what holds after a simple statement.
func (l *Lowerer) after(s ast.Stmt) {
	if !l.looks() {
		return
	}
	l.learn(s)
	l.forget(s)
	if a, ok := s.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
		if id, ok := a.Lhs[0].(*ast.Ident); ok {
			if v, ok := l.Info.ObjectOf(id).(*types.Var); ok {
				l.copied(v, a.Rhs[0])
			}
		}
	}
}

// forget drops what nodes may change.
func (l *Lowerer) forget(nodes ...ast.Node) {
	if !l.looks() {
		return
	}
	c := changes{info: l.Info, ups: map[*types.Var]bool{}, downs: map[*types.Var]bool{}}
	for _, n := range nodes {
		if n != nil {
			ast.Inspect(n, c.note)
		}
	}
	k := l.facts()
	maps.DeleteFunc(k.above, func(_ string, f fact) bool { return c.change(f, c.ups, c.downs) })
	maps.DeleteFunc(k.below, func(_ string, f fact) bool { return c.change(f, c.downs, c.ups) })
}

// quiet drops what calls in a node may change.
func (l *Lowerer) quiet(n ast.Node) {
	if !l.looks() {
		return
	}
	c := changes{info: l.Info, ups: map[*types.Var]bool{}, downs: map[*types.Var]bool{}}
	ast.Inspect(n, c.note)
	if c.calls {
		k := l.facts()
		for _, facts := range []map[string]fact{k.above, k.below} {
			maps.DeleteFunc(facts, func(_ string, f fact) bool { return f.open || f.deep })
		}
	}
}

// changes are what nodes assign to.
type changes struct {
	info       *types.Info
	ups, downs map[*types.Var]bool // variables that may become larger, and smaller or anything
	calls      bool                // functions, which may change all that they reach
	follows    bool                // pointers
	parts      bool                // elements or fields that are no numbers
}

// change reports whether a fact may become wrong. The changes in allowed leave a fact of one variable alone right.
func (c *changes) change(f fact, allowed, not map[*types.Var]bool) bool {
	if f.open && (c.calls || c.follows) || f.deep && (c.calls || c.parts) {
		return true
	}
	return slices.ContainsFunc(f.vars, func(v *types.Var) bool {
		return not[v] || allowed[v] && v != f.alone
	})
}

func (c *changes) note(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			switch {
			case n.Tok == token.ADD_ASSIGN && c.more(n.Rhs[0]):
				c.set(x, true, false)
			case n.Tok == token.SUB_ASSIGN && c.more(n.Rhs[0]):
				c.set(x, false, true)
			default:
				c.set(x, true, true)
			}
		}
	case *ast.IncDecStmt:
		c.set(n.X, n.Tok == token.INC, n.Tok == token.DEC)
	case *ast.ValueSpec:
		for _, x := range n.Names {
			c.set(x, true, true)
		}
	case *ast.RangeStmt:
		c.set(n.Key, true, true)
		c.set(n.Value, true, true)
		switch t := c.info.TypeOf(n.X); t.Underlying().(type) {
		case *types.Chan, *types.Signature, *types.Interface:
			c.calls = true
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.set(n.X, true, true)
		}
		c.calls = c.calls || n.Op == token.ARROW
	case *ast.SendStmt, *ast.SelectStmt:
		c.calls = true
	case *ast.CallExpr:
		tv := c.info.Types[ast.Unparen(n.Fun)]
		id := instantiated(n.Fun)
		switch {
		case tv.IsType():
		case tv.IsBuiltin() && id != nil:
			c.parts = c.parts || !slices.Contains([]string{"len", "cap", "min", "max", "make", "new"}, id.Name)
			c.calls = c.calls || id.Name == "panic"
		default:
			c.calls = true
		}
	}
	return true
}

// more reports whether e is a constant of 0 or more.
func (c *changes) more(e ast.Expr) bool {
	v := c.info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Sign(v) >= 0
}

// set notes an assignment to x, which may become larger or smaller.
func (c *changes) set(x ast.Expr, larger, smaller bool) {
	switch x := x.(type) {
	case nil:
	case *ast.ParenExpr:
		c.set(x.X, larger, smaller)
	case *ast.Ident:
		if v, ok := c.info.ObjectOf(x).(*types.Var); ok {
			c.ups[v] = c.ups[v] || larger
			c.downs[v] = c.downs[v] || smaller
		}
	default:
		c.follows = c.follows || followed(c.info, x)
		t := c.info.TypeOf(x)
		b, isBasic := t.Underlying().(*types.Basic)
		c.parts = c.parts || !isBasic || b.Info()&types.IsNumeric == 0
	}
}

// followed reports whether a pointer leads to the place x.
func followed(info *types.Info, x ast.Expr) bool {
	switch e := x.(type) {
	case *ast.ParenExpr:
		return followed(info, e.X)
	case *ast.SelectorExpr:
		if _, pointer := info.TypeOf(e.X).Underlying().(*types.Pointer); pointer {
			return true
		}
		return followed(info, e.X)
	case *ast.IndexExpr:
		switch info.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Map:
			return false
		case *types.Array:
			return followed(info, e.X)
		}
		return true
	case *ast.Ident:
		return false
	}
	return true
}
