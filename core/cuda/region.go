package cuda

import (
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// region is what one generated kernel computes. Its results are rows×cols: sums, if it reduces, and values computed
// element by element from them and from memory (after). Where it reduces, values of the terms' own domain may be stored
// on the way (along).
type region struct {
	rows, cols   int
	reduce       *reduction // nil if it does not
	sums         []int
	along, after []int
}

// reduction says what is summed over: for every result, terms terms.
type reduction struct {
	kind       reductionKind
	terms      int
	rows, cols int // of the values whose elements are the terms; 0 where each term is of several
	group      int // rows per result, of sumRows
	ta, tb     bool
}

type reductionKind uint8

const (
	sumCols reductionKind = iota
	logSumExp
	sumRows
	sumAll
	dot       // of matrix products
	distances // op.SquaredDistances
	norm
)

// newRegion makes the region of a single instruction.
func (pl *plan) newRegion(in core.Instr) *region {
	out := pl.p.Values[in.Out]
	r := &region{rows: out.Rows, cols: out.Cols}
	if pl.inlinable(in) {
		r.after = []int{in.Out}
		return r
	}
	r.sums = []int{in.Out}
	x := pl.p.Values[in.In[0]]
	r.reduce = &reduction{rows: x.Rows, cols: x.Cols}
	switch o := in.Op.(type) {
	case op.SumCols:
		r.reduce.kind, r.reduce.terms = sumCols, x.Cols
	case op.LogSumExp:
		r.reduce.kind, r.reduce.terms = logSumExp, x.Cols
	case op.SumRows:
		r.reduce.kind, r.reduce.group = sumRows, x.Rows/out.Rows
		r.reduce.terms = r.reduce.group
		if out.Rows == 1 && out.Cols == 1 { // of a column
			*r.reduce = reduction{kind: sumAll, terms: x.Rows, rows: x.Rows, cols: 1}
		}
	case op.SumAll:
		r.reduce.kind, r.reduce.terms = sumAll, x.Rows*x.Cols
	case op.SquaredDistances:
		*r.reduce = reduction{kind: distances, terms: x.Cols}
	case core.Norm:
		*r.reduce = reduction{kind: norm}
		for _, v := range in.In {
			r.reduce.terms = max(r.reduce.terms, pl.p.Values[v].Rows*pl.p.Values[v].Cols)
		}
	default:
		*r.reduce = reduction{kind: dot}
		_, _, r.reduce.terms, _ = pl.productShape(in)
		if m, ok := o.(op.MatMul); ok {
			r.reduce.ta, r.reduce.tb = m.TA, m.TB
		}
	}
	return r
}

// join is the region that computes both, b after a where it reads it; nil if one kernel cannot.
func (a *region) join(b *region) *region {
	sameShape := a.rows == b.rows && a.cols == b.cols
	j := &region{rows: b.rows, cols: b.cols, reduce: b.reduce}
	switch {
	case a.reduce == nil && b.reduce == nil:
		if !sameShape {
			return nil
		}
	case a.reduce == nil:
		j.sums = b.sums
		switch {
		case b.reduce.covers(a):
			j.along, j.after = append(slices.Clone(a.after), b.along...), b.after
		case sameShape:
			j.along, j.after = b.along, append(slices.Clone(a.after), b.after...)
		default:
			return nil
		}
		return j
	case b.reduce == nil:
		j.rows, j.cols, j.reduce, j.sums = a.rows, a.cols, a.reduce, a.sums
		switch {
		case sameShape:
			j.along, j.after = a.along, append(slices.Clone(a.after), b.after...)
		case a.reduce.covers(b):
			j.along, j.after = append(slices.Clone(a.along), b.after...), a.after
		default:
			return nil
		}
		return j
	case !sameShape || *a.reduce != *b.reduce || a.reduce.kind == norm:
		return nil
	}
	j.sums = append(slices.Clone(a.sums), b.sums...)
	j.along = append(slices.Clone(a.along), b.along...)
	j.after = append(slices.Clone(a.after), b.after...)
	return j
}

// covers reports whether the terms are the elements of r's values, each of them once.
func (d *reduction) covers(r *region) bool {
	return d.rows == r.rows && d.cols == r.cols
}

// layout is how a region's work is spread over lanes and blocks.
type layout struct {
	perLane int // results per lane, where nothing is summed
	lanes   int // per sum; a power of two
	slices  int // blocks that share a sum
	across  int // results per block: BLOCK/lanes
	blocks  int
	inRow   bool // neighbouring lanes take neighbouring terms of one sum, else neighbouring sums
}

const (
	blockSize  = 128
	fullBlocks = 264 // two per multiprocessor of the large cards
)

func (r *region) layout() layout {
	n := r.rows * r.cols
	if r.reduce == nil {
		l := layout{perLane: 1}
		if n >= 4*blockSize*fullBlocks {
			l.perLane = 4
		}
		l.blocks = ceilDiv(n, blockSize*l.perLane)
		return l
	}
	d := r.reduce
	l := layout{inRow: d.kind != sumRows && !(d.kind == dot && d.ta)}
	if l.inRow {
		l.lanes = min(blockSize, powerOfTwo(max(1, d.terms/4)))
	} else {
		l.lanes = blockSize / min(32, powerOfTwo(2*n-1))
	}
	l.across = blockSize / l.lanes
	groups := ceilDiv(n, l.across)
	l.slices = 1
	if d.kind != logSumExp {
		l.slices = max(1, min(d.terms/(l.lanes*16), fullBlocks/groups))
	}
	l.blocks = groups * l.slices
	return l
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// powerOfTwo is the largest power of two not above n ≥ 1.
func powerOfTwo(n int) int {
	p := 1
	for 2*p <= n {
		p *= 2
	}
	return p
}
