package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// interval holds the numbers that an expression may have. Bounds of far or more mean none.
type interval struct{ low, high int64 }

const far = 1 << 31

func between(low, high int64) interval { return interval{max(low, -far), min(high, far)} }

// rangeOf returns between which numbers an integer is. Those of int are taken not to overflow.
func (l *Lowerer) rangeOf(e ast.Expr) interval {
	if v := l.Info.Types[e].Value; v != nil {
		if n, exact := constant.Int64Val(constant.ToInt(v)); exact {
			return between(min(n, far), max(n, -far))
		}
		return interval{-far, far}
	}
	all := l.rangeOfType(e)
	r := all
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		r = l.rangeOfOperation(e, all)
	case *ast.Ident:
		if v, ok := l.Info.Uses[e].(*types.Var); ok {
			if own, ok := l.ranges[v]; ok {
				r = own
			}
		}
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		if ok && l.Info.Types[e.Fun].IsBuiltin() && (id.Name == "len" || id.Name == "cap") {
			r.low = 0
			if n, fixed := l.lengthOf(e.Args[0]); fixed && id.Name == "len" {
				r = between(n, n)
			}
		}
	}
	if r.low < all.low || r.high > all.high {
		return all
	}
	return r
}

// rangeOfType returns which numbers the type of e has.
func (l *Lowerer) rangeOfType(e ast.Expr) interval {
	b, ok := l.typeOf(e).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return interval{-far, far}
	}
	bits := 8 * sizes.Sizeof(b)
	switch unsigned := b.Info()&types.IsUnsigned != 0; {
	case unsigned && bits > 31:
		return interval{0, far}
	case unsigned:
		return interval{0, 1<<bits - 1}
	case bits > 32:
		return interval{-far, far}
	}
	return interval{-1 << (bits - 1), 1<<(bits-1) - 1}
}

// rangeOfOperation is rangeOf for an operation whose type has the numbers of all.
func (l *Lowerer) rangeOfOperation(e *ast.BinaryExpr, all interval) interval {
	x, y := l.rangeOf(e.X), l.rangeOf(e.Y)
	positive := x.low >= 0 && y.low >= 0
	switch {
	case e.Op == token.ADD:
		return interval{plus(x.low, y.low), plus(x.high, y.high)}
	case e.Op == token.SUB:
		return interval{plus(x.low, -y.high), plus(x.high, -y.low)}
	case e.Op == token.MUL && positive:
		return between(x.low*y.low, x.high*y.high)
	case e.Op == token.AND && (x.low >= 0 || y.low >= 0):
		high := int64(far)
		if x.low >= 0 {
			high = x.high
		}
		if y.low >= 0 {
			high = min(high, y.high)
		}
		return interval{0, high}
	case e.Op == token.REM && x.low >= 0 && y.low > 0 && y.high < far:
		return interval{0, min(x.high, y.high-1)}
	case (e.Op == token.QUO || e.Op == token.SHR || e.Op == token.REM) && positive:
		return interval{0, x.high}
	}
	return all
}

// plus adds two bounds.
func plus(x, y int64) int64 {
	switch {
	case min(x, y) <= -far:
		return -far
	case max(x, y) >= far:
		return far
	}
	return max(-far, min(far, x+y))
}

// fixedLength notes the length of a new variable that nothing else is assigned to.
func (l *Lowerer) fixedLength(v *types.Var, e ast.Expr) {
	if l.fn.whole == nil || l.reachable(v) || assigned(l.Info, l.fn.whole, v) {
		return
	}
	if _, isSlice := l.subst(v.Type()).Underlying().(*types.Slice); !isSlice {
		return
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		id := instantiated(e.Fun)
		if id == nil || id.Name != "make" || !l.Info.Types[e.Fun].IsBuiltin() {
			return
		}
		if r := l.rangeOf(e.Args[1]); r.low == r.high && r.low >= 0 && r.high < far {
			l.lengths[v] = r.low
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if _, keyed := x.(*ast.KeyValueExpr); keyed {
				return
			}
		}
		l.lengths[v] = int64(len(e.Elts))
	}
}
