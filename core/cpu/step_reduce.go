package cpu

import (
	"math"

	"nacre/core/op"
)

// reduction makes the step of an operation that sums over all rows. In a tiled segment it adds a tile's rows to a
// partial sum. Otherwise it works on entire matrices, and only a product can be cut, by the rows of its result.
func (b *builder) reduction(in *instr, o op.Op) step {
	units := 1
	if b.tiled {
		units = b.p.Groups
	}
	args := make([]operand, len(in.in))
	for i, v := range in.in {
		args[i] = b.operand(v, o.Operand(i), units)
	}
	out := operand{mat: b.mats[in.out]}
	if b.place[in.out] == laneSummed {
		for _, lane := range b.lane {
			n := out.rows * out.ld
			at := b.offset[in.out]
			out.lanes = append(out.lanes, mat{lane[at : at+n], out.rows, out.cols, out.ld})
		}
	}
	x := args[0]
	switch o := o.(type) {
	case op.MatMul:
		return b.contract(o, args, out)
	case op.SumRows:
		return step{units: 1, cost: float64(x.rows*x.ld) / b.k.elemsPerNano, run: func(w *worker, s span) {
			src, dst := w.view(&x, s), out.sum(s)
			w.sumRows(src.d, src.rows, src.ld, dst.d, !s.first)
		}}
	case op.SumAll:
		return step{units: 1, cost: float64(x.rows * x.cols), run: func(w *worker, s span) {
			src, dst := w.view(&x, s), out.sum(s)
			total := 0.0
			for i := range src.rows {
				total += sum(src.row(i))
			}
			if !s.first {
				total += float64(dst.d[0])
			}
			dst.d[0] = float32(total)
			dst.clearPad(0)
		}}
	}
	return step{units: 1, run: b.unknown(o)}
}

// norm makes the step of core.Norm. It sums squares in float64.
func (b *builder) norm(in *instr) step {
	var args []mat
	cost := 0.0
	for _, v := range in.in {
		args = append(args, b.mats[v])
		cost += float64(b.mats[v].rows*b.mats[v].ld) / b.k.elemsPerNano
	}
	out := b.mats[in.out]
	return step{units: 1, cost: cost, run: func(w *worker, _ span) {
		total := 0.0
		for i := range args {
			total += w.squares(&args[i])
		}
		out.d[0] = float32(math.Sqrt(total))
		out.clearPad(0)
	}}
}

// squares returns the sum of the squared elements.
func (w *worker) squares(m *mat) float64 {
	a := &w.square
	*a = squareArgs{n: int64(len(m.d)), src: &m.d[0]}
	w.k.squares(a)
	total := 0.0
	for _, x := range a.sum {
		total += x
	}
	return total
}
