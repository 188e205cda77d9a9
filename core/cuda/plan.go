package cuda

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// plan is a program as launches on a GPU: which values lie in memory, what each launch reads and writes, in which order
// and on which branch of the graph it runs. Making it needs no GPU.
//
// Three patterns only: matrix products with an epilogue, generated kernels (a region of elementwise operations with at
// most one kind of reduction), and the optimiser's merged steps.
type plan struct {
	p      *core.Program
	instrs []core.Instr
	def    map[int]int // value → instruction
	stored []bool      // by value: it lies in memory; others are computed where they are read
	next   map[int]int // version of a parameter → the version that overwrites it
	units  []*unit     // in an order in which operands come first
	own    bool        // all products by our own kernel, none by cuBLASLt

	writer  []*unit   // by value
	readers [][]*unit // by value
	depth   map[*unit]int
}

// unit becomes one launch. Exactly one of its parts is set.
type unit struct {
	at            int // the program's first instruction in it
	reads, writes []int
	region        *region
	product       *product
	steps         []core.Instr // Adam and EMA
	ticks         []core.Instr // Adam: counting up the steps
	kernel        *kernelText  // of a region

	next   *unit // of ticks: the round after this one
	deps   []int // units before it in the plan that must be done
	branch int
}

// product is a matrix product with an epilogue: act(A·B + bias), or (A·B)·act'(mask).
type product struct {
	a, b, bias, mask, out int // values; bias and mask may be -1
	ta, tb                bool
	act                   op.Act
	m, n, k               int
}

// newPlan lays out p. It relies on what Validate checks.
func newPlan(p *core.Program, own bool) (*plan, error) {
	pl := &plan{p: p, def: map[int]int{}, next: map[int]int{}, own: own}
	for _, l := range p.Levels {
		pl.instrs = append(append(pl.instrs, l.Whole...), l.Tiled...)
	}
	for i, in := range pl.instrs {
		pl.def[in.Out] = i
		if p.Values[in.Out].Kind == core.Param {
			pl.next[in.In[0]] = in.Out
		}
	}
	masked := pl.fuseMasks()
	pl.chooseStored(masked)
	for i, in := range pl.instrs {
		if _, gone := masked[in.Out]; gone || !pl.stored[in.Out] {
			continue
		}
		u, err := pl.newUnit(i, in, masked)
		if err != nil {
			return nil, fmt.Errorf("cuda: program %q: %v of %q: %w", p.Name, in.Op, p.Values[in.Out].Name, err)
		}
		pl.units = append(pl.units, u)
	}
	pl.merge()
	pl.addTicks()
	if err := pl.order(); err != nil {
		return nil, err
	}
	pl.assignBranches()
	return pl, nil
}

// fuseMasks finds products whose only reader is an activation's gradient, the backward step through a layer: value of
// the product → its instruction, whose kernel makes the gradient too. Our own kernel only.
func (pl *plan) fuseMasks() map[int]core.Instr {
	masked := map[int]core.Instr{}
	if !pl.own {
		return masked
	}
	uses := map[int]int{}
	for _, in := range pl.instrs {
		for _, v := range in.In {
			uses[v]++
		}
	}
	for _, v := range pl.p.Outputs {
		uses[v]++
	}
	for _, in := range pl.instrs {
		o, ok := in.Op.(op.ActGrad)
		i, made := pl.def[in.In[min(1, len(in.In)-1)]]
		if !ok || !made || in.In[0] == in.In[1] || uses[in.In[1]] != 1 || o.Act == op.Linear {
			continue
		}
		if from := pl.instrs[i]; pl.isProduct(from) && !pl.mutable(from.In...) {
			if _, ok := from.Op.(op.MatMul); ok {
				masked[in.In[1]] = from
			}
		}
	}
	return masked
}

// mutable reports whether one of the values is a version of a parameter that the program overwrites.
func (pl *plan) mutable(vs ...int) bool {
	return slices.ContainsFunc(vs, func(v int) bool { _, ok := pl.next[v]; return ok })
}

// isProduct reports whether an instruction is a matrix product large enough for a kernel of matrix products.
func (pl *plan) isProduct(in core.Instr) bool {
	m, n, k, ok := pl.productShape(in)
	return ok && m > 1 && n > 1 && k > 1 && m*n*k >= 50_000
}

func (pl *plan) productShape(in core.Instr) (m, n, k int, ok bool) {
	out := pl.p.Values[in.Out]
	switch o := in.Op.(type) {
	case op.Dense:
		return out.Rows, out.Cols, pl.p.Values[in.In[0]].Cols, true
	case op.MatMul:
		a := pl.p.Values[in.In[0]]
		if o.TA {
			return out.Rows, out.Cols, a.Rows, true
		}
		return out.Rows, out.Cols, a.Cols, true
	}
	return 0, 0, 0, false
}

// inlinable reports whether an element of the instruction's result is a function of a few elements of its operands.
func (pl *plan) inlinable(in core.Instr) bool {
	switch in.Op.(type) {
	case op.Unary, op.Affine, op.Clamp, op.ClampGrad, op.Binary, op.ActGrad, op.Like, op.StopGrad,
		op.RepeatRows, op.ConcatCols, op.SliceCols, op.PadCols:
		return true
	case op.MatMul:
		_, _, k, _ := pl.productShape(in)
		return k == 1
	}
	return false
}

const (
	maxWeight   = 32 // of an expression that several readers compute again
	innerWeight = 3  // of one that is computed again for every term of a product
)

// chooseStored decides what lies in memory: what cannot be computed element by element, what products, optimiser and
// host read, and what would be computed too often or too late: after a parameter it reads is overwritten.
func (pl *plan) chooseStored(masked map[int]core.Instr) {
	p := pl.p
	pl.stored = make([]bool, len(p.Values))
	readers := make([]int, len(p.Values))
	for v, x := range p.Values {
		pl.stored[v] = x.Kind == core.Param || x.Kind == core.Input
	}
	for _, v := range p.Outputs {
		pl.stored[v] = true
	}
	for _, in := range pl.instrs {
		for _, v := range in.In {
			readers[v]++
		}
		_, mask := masked[in.In[min(1, len(in.In)-1)]]
		step := p.Values[in.Out].Kind == core.Param
		if step || mask || pl.isProduct(in) {
			for _, v := range in.In {
				pl.stored[v] = true
			}
		}
		pl.stored[in.Out] = pl.stored[in.Out] || step || mask || !pl.inlinable(in)
	}
	weight := make([]int, len(p.Values))
	until := make([]int, len(p.Values)) // the instruction that overwrites what the expression reads
	for v := range weight {
		weight[v], until[v] = 1, len(pl.instrs)
		if n, ok := pl.next[v]; ok {
			until[v] = pl.def[n]
		}
	}
	for i, in := range pl.instrs {
		w, end := 1, len(pl.instrs)
		if u, ok := in.Op.(op.Unary); ok && u.F != op.Square && u.F != op.Abs && u.F != op.Sign {
			w = 6
		}
		for _, v := range in.In {
			if !pl.stored[v] && (until[v] < i || readsOften(in.Op) && weight[v] > innerWeight) {
				pl.stored[v], weight[v] = true, 1
			}
			w += weight[v]
			if !pl.stored[v] || p.Values[v].Kind == core.Param {
				end = min(end, until[v])
			}
		}
		if w > maxWeight && readers[in.Out] > 1 || w > 4*maxWeight {
			pl.stored[in.Out] = true
		}
		if !pl.stored[in.Out] {
			weight[in.Out], until[in.Out] = w, end
		}
	}
}

// readsOften reports whether an operation reads elements of its operands many times over.
func readsOften(o any) bool {
	switch o.(type) {
	case op.Dense, op.MatMul, op.SquaredDistances:
		return true
	}
	return false
}

// newUnit makes the unit that computes one stored value.
func (pl *plan) newUnit(at int, in core.Instr, masked map[int]core.Instr) (*unit, error) {
	u := &unit{at: at, writes: []int{in.Out}}
	switch in.Op.(type) {
	case core.Adam, core.EMA:
		u.steps, u.reads = []core.Instr{in}, slices.Clone(in.In)
		return u, nil
	}
	if len(in.In) == 2 {
		if from, ok := masked[in.In[1]]; ok {
			u.product = pl.newProduct(from)
			u.product.act, u.product.mask, u.product.out = in.Op.(op.ActGrad).Act, in.In[0], in.Out
			u.reads = append(slices.Clone(from.In), in.In[0])
			return u, nil
		}
	}
	if pl.isProduct(in) {
		u.product, u.reads = pl.newProduct(in), slices.Clone(in.In)
		return u, nil
	}
	return u, pl.setRegion(u, pl.newRegion(in))
}

func (pl *plan) newProduct(in core.Instr) *product {
	g := &product{a: in.In[0], b: in.In[1], bias: -1, mask: -1, out: in.Out}
	g.m, g.n, g.k, _ = pl.productShape(in)
	switch o := in.Op.(type) {
	case op.Dense:
		g.bias, g.act = in.In[2], o.Act
	case op.MatMul:
		g.ta, g.tb = o.TA, o.TB
	}
	return g
}

// setRegion gives u a region and generates its kernel.
func (pl *plan) setRegion(u *unit, r *region) error {
	k, err := pl.generate(r)
	if err != nil {
		return err
	}
	u.region, u.kernel = r, k
	u.reads, u.writes = k.reads, k.writes
	return nil
}
