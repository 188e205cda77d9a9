package cpu

import (
	"math"

	"nacre/core/op"
)

// rows makes a step that moves data or works along rows.
func (b *builder) rows(o op.Op, args []operand, out operand) (run, float64) {
	x := args[0]
	moved := float64(x.rows*x.ld+out.rows*out.ld) / b.k.elemsPerNano
	perRow := 10 * float64(out.rows)
	switch o := o.(type) {
	case op.ConcatCols:
		return concat(args, out), moved + perRow*float64(len(args))
	case op.SliceCols:
		return shift(x, out, o.Lo, 0), moved + perRow
	case op.PadCols:
		return shift(x, out, 0, o.Lo), moved + perRow
	case op.RepeatRows:
		return repeat(x, out, o.K), moved + perRow
	case op.SumRows:
		return sumRuns(x, out, o.Group), moved + perRow
	case op.SumCols:
		return func(w *worker, s span) {
			src, dst := w.view(&x, s), w.view(&out, s)
			for i := range dst.rows {
				dst.row(i)[0] = float32(sum(src.row(i)))
				dst.clearPad(i)
			}
		}, float64(x.rows * x.cols)
	case op.LogSumExp:
		return func(w *worker, s span) {
			src, dst := w.view(&x, s), w.view(&out, s)
			for i := range dst.rows {
				dst.row(i)[0] = logSumExp(src.row(i))
				dst.clearPad(i)
			}
		}, 10 * float64(x.rows*x.cols)
	case op.SquaredDistances:
		return squaredDistances(x, args[1], out), float64(out.rows*out.cols) * float64(2+x.cols)
	}
	return b.unknown(o), 0
}

func concat(args []operand, out operand) run {
	return func(w *worker, s span) {
		dst := w.view(&out, s)
		at := 0
		for n := range args {
			src := w.view(&args[n], s)
			for i := range dst.rows {
				copy(dst.row(i)[at:], src.row(i))
			}
			at += src.cols
		}
		for i := range dst.rows {
			dst.clearPad(i)
		}
	}
}

// shift copies the columns of x that begin at column from to the columns of out that begin at column to. All other
// columns of out become zero.
func shift(x, out operand, from, to int) run {
	return func(w *worker, s span) {
		src, dst := w.view(&x, s), w.view(&out, s)
		for i := range dst.rows {
			d := dst.row(i)
			n := copy(d[to:], src.row(i)[from:])
			clear(d[:to])
			clear(d[to+n:])
			dst.clearPad(i)
		}
	}
}

func repeat(x, out operand, k int) run {
	return func(w *worker, s span) {
		src, dst := w.view(&x, s), w.view(&out, s)
		for i := range dst.rows {
			copy(dst.d[i*dst.ld:(i+1)*dst.ld], src.d[i/k*src.ld:])
		}
	}
}

// sumRuns adds each group of consecutive rows.
func sumRuns(x, out operand, group int) run {
	return func(w *worker, s span) {
		src, dst := w.view(&x, s), w.view(&out, s)
		for i := range dst.rows {
			w.sumRows(src.d[i*group*src.ld:], group, src.ld, dst.d[i*dst.ld:], false)
		}
	}
}

// sumRows writes the sum of n rows of ld values to dst. If add is set, it adds the sum to dst.
func (w *worker) sumRows(src []float32, n, ld int, dst []float32, add bool) {
	a := &w.sum
	a.rows, a.src, a.ld = int64(n), &src[0], int64(4*ld)
	a.dst, a.cols, a.add = &dst[0], int64(ld), 0
	if add {
		a.add = 1
	}
	w.k.colSum(a)
}

// sum adds in float64, so that its error does not grow with the length.
func sum(x []float32) float64 {
	t := 0.0
	for _, v := range x {
		t += float64(v)
	}
	return t
}

func logSumExp(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		top = max(top, v)
	}
	total := 0.0
	for _, v := range x {
		total += float64(exp32(v - top))
	}
	return float32(float64(top) + math.Log(total))
}

func squaredDistances(x, y, out operand) run {
	return func(w *worker, s span) {
		a, dst := w.view(&x, s), w.view(&out, s)
		for i := range dst.rows {
			ai, d := a.row(i), dst.row(i)
			for j := range d {
				var t float32
				for k, v := range y.row(j) {
					e := ai[k] - v
					t += float32(e * e)
				}
				d[j] = t
			}
			dst.clearPad(i)
		}
	}
}
