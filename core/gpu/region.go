package gpu

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// Region describes what one generated kernel computes. Its results have the shape rows×cols. They are sums, if the
// region reduces, and values that are computed element by element from these sums and from memory (field after). While
// it sums, it may also store values that have the shape of the terms (field along).
type Region struct {
	rows, cols   int
	reduce       *Reduction // nil if the region has no sums
	sums         []int
	along, after []int
}

// Reduction says what is summed. Every result is a sum; the field terms is its number of terms.
type Reduction struct {
	kind       reductionKind
	terms      int
	rows, cols int // shape of the values whose elements are the terms; 0 if a term depends on several elements
	group      int // for sumRows, the rows per result
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

// newRegion makes the region of a single instruction. The error names an operation that has no kernel.
func (pl *Schedule) newRegion(in core.Instr) (*Region, error) {
	out := pl.Program.Values[in.Out]
	r := &Region{rows: out.Rows, cols: out.Cols}
	if pl.inlinable(in) {
		r.after = []int{in.Out}
		return r, nil
	}
	r.sums = []int{in.Out}
	x := pl.Program.Values[in.In[0]]
	r.reduce = &Reduction{rows: x.Rows, cols: x.Cols}
	switch o := in.Op.(type) {
	case op.SumCols:
		r.reduce.kind, r.reduce.terms = sumCols, x.Cols
	case op.LogSumExp:
		r.reduce.kind, r.reduce.terms = logSumExp, x.Cols
	case op.SumRows:
		r.reduce.kind, r.reduce.group = sumRows, x.Rows/out.Rows
		r.reduce.terms = r.reduce.group
		if out.Rows == 1 && out.Cols == 1 { // it sums a column
			*r.reduce = Reduction{kind: sumAll, terms: x.Rows, rows: x.Rows, cols: 1}
		}
	case op.SumAll:
		r.reduce.kind, r.reduce.terms = sumAll, x.Rows*x.Cols
	case op.SquaredDistances:
		*r.reduce = Reduction{kind: distances, terms: x.Cols}
	case core.Norm:
		*r.reduce = Reduction{kind: norm}
		for _, v := range in.In {
			r.reduce.terms = max(r.reduce.terms, pl.Program.Values[v].Rows*pl.Program.Values[v].Cols)
		}
	case op.Dense:
		*r.reduce = Reduction{kind: dot, terms: x.Cols}
	case op.MatMul:
		*r.reduce = Reduction{kind: dot, ta: o.TA, tb: o.TB}
		_, _, r.reduce.terms, _ = pl.productShape(in)
	default:
		return nil, fmt.Errorf("there is no kernel for %T", in.Op)
	}
	return r, nil
}

// join is the region that computes both. If b reads r, b comes after r. It is nil if one kernel cannot compute both.
func (r *Region) join(b *Region) *Region {
	sameShape := r.rows == b.rows && r.cols == b.cols
	j := &Region{rows: b.rows, cols: b.cols, reduce: b.reduce}
	switch {
	case r.reduce == nil && b.reduce == nil:
		if !sameShape {
			return nil
		}
	case r.reduce == nil:
		j.sums = b.sums
		switch {
		case b.reduce.covers(r):
			j.along, j.after = append(slices.Clone(r.after), b.along...), b.after
		case sameShape:
			j.along, j.after = b.along, append(slices.Clone(r.after), b.after...)
		default:
			return nil
		}
		return j
	case b.reduce == nil:
		j.rows, j.cols, j.reduce, j.sums = r.rows, r.cols, r.reduce, r.sums
		switch {
		case sameShape:
			j.along, j.after = r.along, append(slices.Clone(r.after), b.after...)
		case r.reduce.covers(b):
			j.along, j.after = append(slices.Clone(r.along), b.after...), r.after
		default:
			return nil
		}
		return j
	case !sameShape || *r.reduce != *b.reduce || r.reduce.kind == norm:
		return nil
	}
	j.sums = append(slices.Clone(r.sums), b.sums...)
	j.along = append(slices.Clone(r.along), b.along...)
	j.after = append(slices.Clone(r.after), b.after...)
	return j
}

// covers reports whether the terms are the elements of r's values, each of them once.
func (d *Reduction) covers(r *Region) bool {
	return d.rows == r.rows && d.cols == r.cols
}

// Spread says how a region's work is spread over lanes and blocks of BlockSize lanes. It decides in which order sums
// are added up. It depends on shapes alone, so every device adds in the same order.
type Spread struct {
	PerLane int // results per lane, if nothing is summed
	Lanes   int // lanes per sum; a power of two
	Slices  int // blocks that share a sum
	Across  int // results per block: BlockSize/Lanes
	Blocks  int // blocks of the launch
	// whether neighbouring lanes take neighbouring terms of one sum; otherwise they take neighbouring sums
	InRow  bool
	Vector int // neighbours that a lane takes at a time: 1 or 4; see Kernel
}

const (
	// BlockSize is the number of lanes of a block.
	BlockSize  = 128
	fullBlocks = 264 // two per multiprocessor of the large cards
)

func (r *Region) layout(vectors bool) Spread {
	if vectors {
		return r.vectors()
	}
	n := r.rows * r.cols
	if r.reduce == nil {
		l := Spread{PerLane: 1, Vector: 1}
		if n >= 4*BlockSize*fullBlocks {
			l.PerLane = 4
		}
		l.Blocks = CeilDiv(n, BlockSize*l.PerLane)
		return l
	}
	d := r.reduce
	l := Spread{InRow: d.inRow(), Vector: 1}
	if l.InRow {
		l.Lanes = min(BlockSize, powerOfTwo(max(1, d.terms/4)))
	} else {
		l.Lanes = BlockSize / min(32, powerOfTwo(2*n-1))
	}
	l.Across = BlockSize / l.Lanes
	groups := CeilDiv(n, l.Across)
	l.Slices = 1
	if d.kind != logSumExp {
		l.Slices = max(1, min(d.terms/(l.Lanes*16), fullBlocks/groups))
	}
	l.Blocks = groups * l.Slices
	return l
}

// inRow reports whether neighbouring lanes take neighbouring terms of a sum. They do if these terms lie side by side in
// memory.
func (d *Reduction) inRow() bool { return d.kind != sumRows && !(d.kind == dot && d.ta) }

// vectors is the spread if lanes take four neighbours at a time. There are many blocks, because with fewer the lanes
// wait for memory: a lane has two fours of a sum's terms, or eight rows of the sum, and reads them at once.
func (r *Region) vectors() Spread {
	d := r.reduce
	if d == nil {
		return Spread{PerLane: 1, Vector: 4, Blocks: CeilDiv(Fours(r.rows, r.cols), BlockSize)}
	}
	const blocks = 2 * fullBlocks
	l := Spread{InRow: d.inRow(), Vector: 4, Slices: 1}
	takes, turns, each := r.rows*r.cols, CeilDiv(d.terms, 4), 1
	if l.InRow {
		l.Lanes = min(BlockSize, powerOfTwo(max(1, turns/2)))
	} else {
		takes, turns, each = Fours(r.rows, r.cols), d.terms, 8
		l.Lanes = BlockSize / min(8, powerOfTwo(2*takes-1)) // eight fours fill a line of the cache
	}
	l.Across = BlockSize / l.Lanes
	groups := CeilDiv(takes, l.Across)
	if d.kind != logSumExp {
		l.Slices = max(1, min(turns/(l.Lanes*each), blocks/groups))
	}
	l.Blocks = groups * l.Slices
	return l
}

// CeilDiv is a/b rounded up, for positive numbers.
func CeilDiv(a, b int) int { return (a + b - 1) / b }

// powerOfTwo is the largest power of two not above n ≥ 1.
func powerOfTwo(n int) int {
	p := 1
	for 2*p <= n {
		p *= 2
	}
	return p
}
