package cpu

import (
	"fmt"

	"nacre/core/op"
)

// elementwise makes a step that a vector kernel computes.
func (b *builder) elementwise(o op.Op, args []operand, out operand) run {
	k := b.k
	x := args[0]
	switch o := o.(type) {
	case op.Binary:
		f := map[op.BinaryFunc]func(*vecArgs){op.Add: k.add, op.Sub: k.sub, op.Mul: k.mul, op.Div: k.div, op.Min: k.min,
			op.Max: k.max, op.Less: k.less}[o.F]
		if f == nil {
			return b.unknown(o)
		}
		return pairwise(f, o.F != op.Div && o.F != op.Less, x, args[1], out, 0, 0)
	case op.ActGrad:
		switch o.Act {
		case op.ReLU:
			return pairwise(k.reluGrad, true, x, args[1], out, 0, 0)
		case op.Tanh:
			return pairwise(k.tanhGrad, true, x, args[1], out, 0, 0)
		case op.Linear:
			return single(k.affine, true, args[1], out, 1, 0)
		}
	case op.ClampGrad:
		return pairwise(k.clampGrad, true, x, args[1], out, float32(o.Lo), float32(o.Hi))
	case op.Clamp:
		return single(k.clamp, o.Lo <= 0 && o.Hi >= 0, x, out, float32(o.Lo), float32(o.Hi))
	case op.Affine:
		return single(k.affine, o.B == 0, x, out, float32(o.A), float32(o.B))
	case op.Like:
		return single(k.affine, true, args[1], out, 1, 0)
	case op.StopGrad:
		return single(k.affine, true, x, out, 1, 0)
	}
	return b.unknown(o)
}

// unknown notes that an operation has no kernel. Load then fails.
func (b *builder) unknown(o op.Op) run {
	if b.err == nil {
		b.err = fmt.Errorf("there is no kernel for %v (%T)", o, o)
	}
	return nil
}

// unary makes the step of a function of one variable.
func (b *builder) unary(f op.UnaryFunc, x, out operand) (run, float64) {
	n := float64(out.rows * out.cols)
	vector := float64(out.rows*out.ld) / b.k.elemsPerNano
	switch f {
	case op.Neg:
		return single(b.k.affine, true, x, out, -1, 0), vector
	case op.Square:
		return pairwise(b.k.mul, true, x, x, out, 0, 0), vector
	case op.Recip:
		one := operand{mat: newMat(1, 1), broadcast: alongRows | alongCols}
		one.d[0] = 1
		return pairwise(b.k.div, false, one, x, out, 0, 0), vector
	}
	k := b.k
	if f, ok := map[op.UnaryFunc]func(*vecArgs){op.Exp: k.exp, op.Log: k.log, op.TanhOf: k.tanh, op.Sigmoid: k.sigmoid,
		op.Softplus: k.softplus}[f]; ok {
		return single(f, false, x, out, 0, 0), 8 * vector
	}
	fn := map[op.UnaryFunc]func(float32) float32{op.Log1p: log1p32, op.Sqrt: sqrt32, op.Abs: abs32, op.Sign: sign32}[f]
	if fn == nil {
		return b.unknown(op.Unary{F: f}), 0
	}
	return func(w *worker, s span) { mapRows(w.view(&out, s), w.view(&x, s), fn) }, 15 * n
}

// mapRows applies f to every element and clears the padding.
func mapRows(dst, src mat, f func(float32) float32) {
	for i := range dst.rows {
		d := dst.row(i)
		for j, x := range src.row(i)[:len(d)] {
			d[j] = f(x)
		}
		dst.clearPad(i)
	}
}

// pairwise returns the step out = f(x, y). s0 and s1 are constants of f. keepsZero says that f makes zero from zeros.
func pairwise(f func(*vecArgs), keepsZero bool, x, y, out operand, s0, s1 float32) run {
	joined := keepsZero && x.broadcast|y.broadcast == 0
	return func(w *worker, s span) {
		v := &w.vec
		v.s0, v.s1 = s0, s1
		v.result(w.view(&out, s), joined)
		v.a, v.lda, v.stepA, v.colA, v.ldColA = feed(w.view(&x, s), x.broadcast, &v.bufA[0])
		v.b, v.ldb, v.stepB, v.colB, v.ldColB = feed(w.view(&y, s), y.broadcast, &v.bufB[0])
		f(v)
	}
}

// single returns the step out = f(x). s0 and s1 are constants of f.
func single(f func(*vecArgs), keepsZero bool, x, out operand, s0, s1 float32) run {
	joined := keepsZero && x.broadcast == 0
	return func(w *worker, s span) {
		v := &w.vec
		v.s0, v.s1 = s0, s1
		v.result(w.view(&out, s), joined)
		v.a, v.lda, v.stepA, v.colA, v.ldColA = feed(w.view(&x, s), x.broadcast, &v.bufA[0])
		v.b, v.colB, v.stepB = nil, nil, 0
		f(v)
	}
}

// result sets the place of the result. It is row by row with masked padding, or with all rows joined to one.
func (v *vecArgs) result(m mat, joined bool) {
	v.dst, v.ldd = &m.d[0], int64(4*m.ld)
	if joined {
		v.rows, v.chunks = 1, int64(m.rows*m.ld/16)
		copy(v.mask[:], tailMasks[:16])
		return
	}
	v.rows, v.chunks = int64(m.rows), int64(m.ld/16)
	copy(v.mask[:], tailMasks[m.ld-m.cols:])
}

// tailMasks[p:] is the mask of a row's last chunk, of which p columns are padding.
var tailMasks = func() (m [32]uint32) {
	for i := range 16 {
		m[i] = ^uint32(0)
	}
	return
}()

// feed returns how an operand is read: its start, and the steps from row to row and from chunk to chunk. A column is
// first spread over buf; for it feed also returns the place of its values.
func feed(m mat, b broadcast, buf *float32) (start *float32, ld, step int64, col *float32, ldCol int64) {
	ld = int64(4 * m.ld)
	if b&alongRows != 0 {
		ld = 0
	}
	if b&alongCols != 0 {
		return buf, 0, 0, &m.d[0], ld
	}
	return &m.d[0], ld, 64, nil, 0
}
