package core

import (
	"math"

	"nacre/core/graph"
	"nacre/core/op"
)

// simplify returns the value of o applied to in, after rewriting it where that saves real work: constants are folded,
// chains of affine maps joined, and broadcasts (which differentiation spells out as Like) left to the elementwise
// operation that reads them.
func (l *lowering) simplify(o op.Op, in []int) int {
	shapes := make([]op.Shape, len(in))
	for i, v := range in {
		shapes[i] = l.p.Values[v].shape()
	}
	shape, err := graph.ShapeOf(o, shapes...)
	if err != nil {
		panic(err) // every node passed the same rule when it was built
	}
	if v, ok := l.rewrite(o, in, shape); ok {
		return v
	}
	return l.expr(o, in, shape)
}

// source returns the operation and operands of a computed value; op is nil for others.
func (l *lowering) source(v int) (o op.Op, in []int) {
	if i, ok := l.def[v]; ok {
		o, _ = l.instrs[i].Op.(op.Op)
		return o, l.instrs[i].In
	}
	return nil, nil
}

func (l *lowering) fill(v int) (float64, bool) {
	x := l.p.Values[v]
	return x.Fill, x.Kind == Const
}

func (l *lowering) shape(v int) op.Shape { return l.p.Values[v].shape() }

func (l *lowering) rewrite(o op.Op, in []int, shape op.Shape) (int, bool) {
	if v, ok := l.fold(o, in, shape); ok {
		return v, true
	}
	switch o := o.(type) {
	case op.StopGrad:
		return in[0], true
	case op.ActGrad:
		if o.Act == op.Linear {
			return in[1], true
		}
	case op.Unary:
		if o.F == op.Neg {
			return l.simplify(op.Affine{A: -1}, in), true
		}
		return l.throughLike(o, in)
	case op.Clamp:
		return l.throughLike(o, in)
	case op.Affine:
		return l.affine(o, in)
	case op.Binary:
		return l.binary(o, in, shape)
	case op.Like:
		if l.shape(in[1]) == shape {
			return in[1], true
		}
		if inner, of := l.source(in[1]); inner == (op.Op)(op.Like{}) {
			return l.simplify(o, []int{in[0], of[1]}), true
		}
	case op.SumRows:
		if o.Group == 1 || l.shape(in[0]).Rows == 1 {
			return in[0], true
		}
	case op.RepeatRows:
		if o.K == 1 {
			return in[0], true
		}
	case op.SumCols, op.SumAll:
		if l.shape(in[0]) == shape {
			return in[0], true
		}
	case op.ConcatCols:
		if o.N == 1 {
			return in[0], true
		}
	case op.SliceCols:
		return l.slice(o, in[0], shape)
	case op.PadCols:
		if l.shape(in[0]) == shape {
			return in[0], true
		}
	}
	return 0, false
}

// fold computes elementwise operations on constants.
func (l *lowering) fold(o op.Op, in []int, shape op.Shape) (int, bool) {
	switch o.(type) {
	case op.Unary, op.Affine, op.Clamp, op.Binary, op.ClampGrad, op.ActGrad:
	default:
		return 0, false
	}
	if shape != (op.Shape{Rows: 1, Cols: 1}) {
		return 0, false
	}
	args := make([]op.Mat, len(in))
	for i, v := range in {
		x, ok := l.fill(v)
		if !ok {
			return 0, false
		}
		args[i] = op.Mat{Rows: 1, Cols: 1, Data: []float64{x}}
	}
	dst := op.Mat{Rows: 1, Cols: 1, Data: []float64{0}}
	o.Eval(dst, args)
	if dst.Data[0] != dst.Data[0] { // leave NaN to be computed where the host can see it
		return 0, false
	}
	return l.constant(dst.Data[0]), true
}

// throughLike computes a function of a broadcast value before broadcasting it.
func (l *lowering) throughLike(o op.Op, in []int) (int, bool) {
	if inner, of := l.source(in[0]); inner == (op.Op)(op.Like{}) {
		return l.simplify(op.Like{}, []int{of[0], l.simplify(o, of[1:])}), true
	}
	return 0, false
}

func (l *lowering) affine(o op.Affine, in []int) (int, bool) {
	if o == (op.Affine{A: 1}) {
		return in[0], true
	}
	if o.A == 0 {
		return l.simplify(op.Like{}, []int{in[0], l.constant(o.B)}), true
	}
	inner, of := l.source(in[0])
	if i, ok := inner.(op.Affine); ok {
		return l.simplify(op.Affine{A: o.A * i.A, B: o.A*i.B + o.B}, of), true
	}
	return l.throughLike(o, in)
}

func (l *lowering) binary(o op.Binary, in []int, shape op.Shape) (int, bool) {
	a, b := in[0], in[1]
	// a Like of the other operand's shape is broadcast by the operation itself
	for i, v := range in {
		inner, of := l.source(v)
		if inner != (op.Op)(op.Like{}) {
			continue
		}
		args := []int{a, b}
		args[i] = of[1]
		other := in[1-i]
		switch {
		case l.shape(other) == shape && !(l.isLike(other) && i == 0):
			return l.simplify(o, args), true
		case l.shape(other) != shape && l.shape(v) == shape:
			return l.simplify(op.Like{}, []int{of[0], l.simplify(o, args)}), true
		}
	}
	if x, ok := l.fill(b); ok && l.shape(a) == shape {
		if f, ok := withRight(o.F, x); ok {
			return l.simplify(f, in[:1]), true
		}
	}
	if x, ok := l.fill(a); ok && l.shape(b) == shape {
		if f, ok := withLeft(o.F, x); ok {
			return l.simplify(f, in[1:]), true
		}
	}
	if o.F == op.Add {
		if v, ok := l.joinPads(a, b); ok {
			return v, true
		}
	}
	switch o.F { // operands of commuting operations in one order, so that a+b and b+a are one value
	case op.Add, op.Mul, op.Min, op.Max:
		if a > b {
			return l.expr(o, []int{b, a}, shape), true
		}
	}
	return 0, false
}

// withRight is F(·, x) as an affine map, where it is one.
func withRight(f op.BinaryFunc, x float64) (op.Affine, bool) {
	switch f {
	case op.Add:
		return op.Affine{A: 1, B: x}, true
	case op.Sub:
		return op.Affine{A: 1, B: -x}, true
	case op.Mul:
		return op.Affine{A: x}, true
	case op.Div:
		return op.Affine{A: 1 / x}, !math.IsInf(1/x, 0)
	}
	return op.Affine{}, false
}

// withLeft is F(x, ·) as an affine map, where it is one.
func withLeft(f op.BinaryFunc, x float64) (op.Affine, bool) {
	if f == op.Sub {
		return op.Affine{A: -1, B: x}, true
	}
	a, ok := withRight(f, x)
	return a, ok && f != op.Div
}

func (l *lowering) isLike(v int) bool {
	o, _ := l.source(v)
	return o == (op.Op)(op.Like{})
}

// joinPads turns the sum of the gradients of two neighbouring slices, each padded to full width, into a concatenation.
func (l *lowering) joinPads(a, b int) (int, bool) {
	oa, ia := l.source(a)
	ob, ib := l.source(b)
	pa, oka := oa.(op.PadCols)
	pb, okb := ob.(op.PadCols)
	if !oka || !okb {
		return 0, false
	}
	if pa.Lo > pb.Lo {
		pa, pb, ia, ib = pb, pa, ib, ia
	}
	wa, wb := l.shape(ia[0]).Cols, l.shape(ib[0]).Cols
	if pa.Lo != 0 || pb.Lo != wa || wa+wb != pa.Total {
		return 0, false
	}
	return l.simplify(op.ConcatCols{N: 2}, []int{ia[0], ib[0]}), true
}

// slice reads columns from where they come, when that is a single operand of a concatenation, slice or padding.
func (l *lowering) slice(o op.SliceCols, x int, shape op.Shape) (int, bool) {
	if l.shape(x) == shape {
		return x, true
	}
	inner, of := l.source(x)
	switch i := inner.(type) {
	case op.ConcatCols:
		lo := 0
		for _, v := range of {
			hi := lo + l.shape(v).Cols
			if o.Lo >= lo && o.Hi <= hi {
				return l.simplify(op.SliceCols{Lo: o.Lo - lo, Hi: o.Hi - lo}, []int{v}), true
			}
			lo = hi
		}
	case op.SliceCols:
		return l.simplify(op.SliceCols{Lo: o.Lo + i.Lo, Hi: o.Hi + i.Lo}, of), true
	case op.PadCols:
		if o.Lo >= i.Lo && o.Hi <= i.Lo+l.shape(of[0]).Cols {
			return l.simplify(op.SliceCols{Lo: o.Lo - i.Lo, Hi: o.Hi - i.Lo}, of), true
		}
	}
	return 0, false
}
