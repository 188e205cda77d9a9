package cpu

import (
	"time"

	"nacre/core"
	"nacre/core/op"
)

// worker holds what one goroutine needs to run steps: arguments of kernels, which are here so that passing them
// allocates nothing, and room for intermediate values.
type worker struct {
	k       *kernels
	gemm    gemmArgs
	vec     vecArgs
	sum     sumArgs
	adam    adamArgs
	ema     emaArgs
	square  squareArgs
	lanes   laneArgs
	copies  copyArgs
	half    *halfScratch // nil if no product is in bfloat16
	arena   []float32    // local values of the current tile
	scratch []float32

	job   *job   // the job of its phase; nil if the phase is not shared
	offer *offer // where others can help it

	spent []time.Duration // times by region, while a program is explained
}

// span is the part of a step's work to do: units lo..hi-1. Operands have a fixed number of rows for each unit. In tiles
// a unit is a group, and sums go to the partial sum of lane. If first is set, they overwrite it.
type span struct {
	lo, hi int
	lane   int
	first  bool
}

// run computes part of an instruction.
type run = func(w *worker, s span)

// step is an executable instruction.
type step struct {
	run   run
	units int     // number of parts into which the work can be cut; 1 if it cannot be cut
	cost  float64 // estimated time of the whole step, ns

	region int // number of its region in the plan
}

// operand is a value as a step sees it.
type operand struct {
	mat            // all of the value; d is nil for local values
	perUnit   int  // rows of each unit; 0 if the step always sees the entire matrix
	isLocal   bool // whether one tile of it is at offset in the worker's arena
	offset    int
	lanes     []mat // for the result of a reduction: the partial sums
	broadcast broadcast
}

// broadcast says in which direction an operand of an elementwise step is repeated.
type broadcast uint8

const (
	alongRows broadcast = 1 << iota // it has one row, the result has more
	alongCols                       // it has one column, the result has more
)

// view returns the rows of an operand that belong to s.
func (w *worker) view(o *operand, s span) mat {
	if o.perUnit == 0 {
		return o.mat
	}
	rows := (s.hi - s.lo) * o.perUnit
	if o.isLocal {
		return mat{w.arena[o.offset : o.offset+rows*o.ld], rows, o.cols, o.ld}
	}
	at := s.lo * o.perUnit * o.ld
	return mat{o.d[at : at+rows*o.ld], rows, o.cols, o.ld}
}

// builder makes steps from instructions.
type builder struct {
	*storage
	k *kernels

	// shareFrom is the estimated time in ns from which a phase is shared among the workers.
	shareFrom float64

	mats   []mat    // by value; d is nil for local values
	params []*param // by value; nil for other kinds
	lane   [][]float32
	tiled  bool   // whether the current segment is tiled
	phase  int    // number of the current segment
	after  *ahead // of the last product; the next product fills it

	regions []Region
	err     error // the first operation without a kernel

	halfA, halfB int // words of a worker's scratch for products in bfloat16
}

// operand describes value v as an instruction over the given number of units sees it.
func (b *builder) operand(v int, rows op.Rows, units int) operand {
	o := operand{mat: b.mats[v]}
	if rows == op.ByRow && o.rows > 1 {
		o.perUnit = o.rows / units
	}
	if b.place[v] == local {
		o.isLocal, o.offset = true, b.offset[v]
		o.perUnit = o.rows / units
	}
	return o
}

// units returns the number of parts into which an instruction with a ByRow result can be cut.
func (b *builder) units(in *instr, o op.Op) int {
	if b.tiled {
		return b.p.Groups
	}
	n := b.mats[in.out].rows
	for i, v := range in.in {
		if r := b.mats[v].rows; o.Operand(i) == op.ByRow && r > 1 {
			n = min(n, r)
		}
	}
	return n
}

// build makes the step of one instruction and adds its region to the plan.
func (b *builder) build(in *instr) step {
	st := b.makeStep(in)
	st.region = b.region(b.describe(in, st))
	return st
}

func (b *builder) makeStep(in *instr) step {
	if _, ok := in.op.(core.Norm); ok {
		return b.norm(in)
	}
	o := in.op.(op.Op)
	if o.Result() == op.Whole {
		return b.reduction(in, o)
	}
	units := b.units(in, o)
	args := make([]operand, len(in.in))
	out := b.operand(in.out, op.ByRow, units)
	for i, v := range in.in {
		args[i] = b.operand(v, o.Operand(i), units)
		if args[i].rows == 1 && out.rows > 1 {
			args[i].broadcast |= alongRows
		}
		if args[i].cols == 1 && out.cols > 1 {
			args[i].broadcast |= alongCols
		}
	}
	s := step{units: units}
	elements := float64(out.rows * out.ld)
	switch o := o.(type) {
	case op.Dense:
		s.run = b.dense(in, o.Act, args[0], args[1], args[2], out)
		s.cost = b.gemmCost(out, args[0].cols)
	case op.MatMul:
		s.run = b.matMul(in, o.TB, args, out, units)
		s.cost = b.gemmCost(out, args[0].cols)
	case op.Unary:
		s.run, s.cost = b.unary(o.F, args[0], out)
	case op.ConcatCols, op.SliceCols, op.PadCols, op.RepeatRows, op.SumRows, op.SumCols, op.LogSumExp,
		op.SquaredDistances:
		s.run, s.cost = b.rows(o, args, out)
	default:
		s.run = b.elementwise(o, args, out)
		s.cost = elements / b.k.elemsPerNano
	}
	return s
}

func (b *builder) gemmCost(out operand, k int) float64 {
	return 2 * float64(out.rows) * float64(out.ld) * float64(k) / b.k.flopsPerNano
}
