package gpu

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// Schedule is a program as launches on a GPU. It says which values lie in memory and where, what each launch reads and
// writes, and in which order and on which branch it runs. Everybody may read it; nobody may change it.
//
// There are only three kinds of launches: matrix products with an epilogue, generated kernels (a region of elementwise
// operations with at most one kind of sum), and the optimiser's merged steps.
type Schedule struct {
	Program *core.Program
	Instrs  []core.Instr // instructions of all levels, in order
	Def     map[int]int  // value → the instruction that makes it
	Stored  []bool       // for each value, whether it lies in memory; other values are computed where they are read
	Units   []*Launch    // launches; those that make an operand come first
	Place   *Placement

	options Options
	ended   map[int]bool // values whose rows must end in zeros
	next    map[int]int  // version of a parameter → the version that overwrites it
	writer  []*Launch    // by value
	readers [][]*Launch  // by value
	depth   map[*Launch]int
}

// Options say what the device that runs a schedule can do.
type Options struct {
	// MaskedProducts says that products may have an activation's gradient as their epilogue: (A·B)·act'(mask).
	// cuBLASLt's epilogues include the gradient of a ReLU, from a mask of bits, and sums of columns. On an H100
	// products with these epilogues took so much longer that core/cuda sets MaskedProducts only if it uses products of
	// its own.
	MaskedProducts bool
	// Transposes says that every matrix of parameters has a transposed copy, which the optimiser's steps also update. A
	// product reads the copy if the terms of a sum are not neighbours in the matrix itself.
	Transposes bool
	// Fours says that products round their rows, columns and terms up to multiples of four, wherever this adds only
	// zeros. An operand in which the terms of a sum are neighbours is then read 16 bytes at a time. See Product.WholeM.
	Fours bool
	// Vectors says that the device's kernels take four neighbouring numbers at a time; see Spread.Vector.
	Vectors bool
	// InOrder says that the device runs the launches one after the other. Then a value's memory can be used again as
	// soon as its last reader has run.
	InOrder bool
}

// Launch describes one launch on the GPU. Exactly one of Region, Product, Steps and Ticks is set.
type Launch struct {
	Reads, Writes []int // values in memory
	Region        *Region
	Kernel        *Kernel // the region's kernel
	Product       *Product
	Steps         []core.Instr // the optimiser's steps: Adam and EMA
	Ticks         []core.Instr // Adam's steps, which are counted up

	// Deps are the indices in Units of the launches that must be done before this one. Launches of one Branch always
	// run one after the other.
	Deps   []int
	Branch int // the branch's number, below MaxBranches

	at    int     // index of the program's first instruction in it
	after *Launch // for ticks: the next round of ticks
}

// Product is a matrix product with an epilogue: act(A·B + Bias), or (A·B)·act'(Mask). The result is M×N; each element
// is a sum of K terms.
type Product struct {
	A, B, Bias, Mask, Out int // values; Bias and Mask may be -1
	TA, TB                bool
	Act                   op.Act
	M, N, K               int

	// M, N and K, rounded up to multiples of four if Options.Fours is set and the operands have zeros there in memory.
	WholeM, WholeN, WholeK int

	// operand B is read from the transposed copy of its parameter; TB is set, so the product is the same
	Turned bool
}

// New makes the schedule of a program. If Validate accepts the program, New fails only if an operation has no kernel.
func New(p *core.Program, o Options) (*Schedule, error) {
	pl := &Schedule{Program: p, Def: map[int]int{}, next: map[int]int{}, options: o}
	for _, l := range p.Levels {
		pl.Instrs = append(append(pl.Instrs, l.Whole...), l.Tiled...)
	}
	for i, in := range pl.Instrs {
		pl.Def[in.Out] = i
		if p.Values[in.Out].Kind == core.Param {
			pl.next[in.In[0]] = in.Out
		}
	}
	masked := pl.fuseMasks()
	pl.chooseStored(masked)
	for i, in := range pl.Instrs {
		if _, gone := masked[in.Out]; gone || !pl.Stored[in.Out] {
			continue
		}
		u, err := pl.newUnit(i, in, masked)
		if err != nil {
			return nil, fmt.Errorf("gpu: program %q: %v of %q: %w", p.Name, in.Op, p.Values[in.Out].Name, err)
		}
		pl.Units = append(pl.Units, u)
	}
	pl.merge()
	pl.addTicks()
	if err := pl.order(); err != nil {
		return nil, err
	}
	pl.assignBranches()
	pl.wholeFours()
	pl.Place = pl.placeValues()
	return pl, nil
}

// fuseMasks finds products whose only reader is an activation's gradient (the backward step through a layer). It maps
// the value of the product to its instruction. The launch of this instruction makes the gradient too.
func (pl *Schedule) fuseMasks() map[int]core.Instr {
	masked := map[int]core.Instr{}
	if !pl.options.MaskedProducts {
		return masked
	}
	uses := map[int]int{}
	for _, in := range pl.Instrs {
		for _, v := range in.In {
			uses[v]++
		}
	}
	for _, v := range pl.Program.Outputs {
		uses[v]++
	}
	for _, in := range pl.Instrs {
		o, ok := in.Op.(op.ActGrad)
		i, made := pl.Def[in.In[min(1, len(in.In)-1)]]
		if !ok || !made || in.In[0] == in.In[1] || uses[in.In[1]] != 1 || o.Act == op.Linear {
			continue
		}
		if from := pl.Instrs[i]; pl.isProduct(from) && pl.inTime(in.In[0], from.In...) {
			if _, ok := from.Op.(op.MatMul); ok {
				masked[in.In[1]] = from
			}
		}
	}
	return masked
}

// inTime reports whether value v exists, in the program's order, before any of the operands is overwritten. A reader of
// v and the operands then need not wait for the launch that overwrites them.
func (pl *Schedule) inTime(v int, operands ...int) bool {
	made, ok := pl.Def[v]
	return !slices.ContainsFunc(operands, func(x int) bool {
		n, overwritten := pl.next[x]
		return overwritten && ok && made > pl.Def[n]
	})
}

// isProduct reports whether an instruction is a matrix product large enough for a kernel of matrix products.
func (pl *Schedule) isProduct(in core.Instr) bool {
	m, n, k, ok := pl.productShape(in)
	return ok && m > 1 && n > 1 && k > 1 && m*n*k >= 50_000
}

func (pl *Schedule) productShape(in core.Instr) (m, n, k int, ok bool) {
	out := pl.Program.Values[in.Out]
	switch o := in.Op.(type) {
	case op.Dense:
		return out.Rows, out.Cols, pl.Program.Values[in.In[0]].Cols, true
	case op.MatMul:
		a := pl.Program.Values[in.In[0]]
		if o.TA {
			return out.Rows, out.Cols, a.Rows, true
		}
		return out.Rows, out.Cols, a.Cols, true
	}
	return 0, 0, 0, false
}

// inlinable reports whether an element of the instruction's result is a function of a few elements of its operands.
func (pl *Schedule) inlinable(in core.Instr) bool {
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
	maxWeight   = 32 // weight of an expression that several readers compute again
	innerWeight = 3  // weight of an expression that is computed again for every term of a product
)

// chooseStored decides which values lie in memory: values that cannot be computed element by element, values that
// products, optimiser and host read, and values that would be computed too often or too late. It is too late after a
// parameter that the value depends on is overwritten.
func (pl *Schedule) chooseStored(masked map[int]core.Instr) {
	p := pl.Program
	pl.Stored = make([]bool, len(p.Values))
	readers := make([]int, len(p.Values))
	for v, x := range p.Values {
		pl.Stored[v] = x.Kind == core.Param || x.Kind == core.Input
	}
	for _, v := range p.Outputs {
		pl.Stored[v] = true
	}
	for _, in := range pl.Instrs {
		for _, v := range in.In {
			readers[v]++
		}
		_, mask := masked[in.In[min(1, len(in.In)-1)]]
		step := p.Values[in.Out].Kind == core.Param
		if step || mask || pl.isProduct(in) {
			for _, v := range in.In {
				pl.Stored[v] = true
			}
		}
		pl.Stored[in.Out] = pl.Stored[in.Out] || step || mask || !pl.inlinable(in)
	}
	weight := make([]int, len(p.Values))
	until := make([]int, len(p.Values)) // the instruction that overwrites a value that the expression reads
	for v := range weight {
		weight[v], until[v] = 1, len(pl.Instrs)
		if n, ok := pl.next[v]; ok {
			until[v] = pl.Def[n]
		}
	}
	for i, in := range pl.Instrs {
		w, end := 1, len(pl.Instrs)
		if u, ok := in.Op.(op.Unary); ok && u.F != op.Square && u.F != op.Abs && u.F != op.Sign {
			w = 6
		}
		for _, v := range in.In {
			if !pl.Stored[v] && (until[v] < i || readsOften(in.Op) && weight[v] > innerWeight) {
				pl.Stored[v], weight[v] = true, 1
			}
			w += weight[v]
			if !pl.Stored[v] || p.Values[v].Kind == core.Param {
				end = min(end, until[v])
			}
		}
		if w > maxWeight && readers[in.Out] > 1 || w > 4*maxWeight {
			pl.Stored[in.Out] = true
		}
		if !pl.Stored[in.Out] {
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

// newUnit makes the launch that computes one stored value.
func (pl *Schedule) newUnit(at int, in core.Instr, masked map[int]core.Instr) (*Launch, error) {
	u := &Launch{at: at, Writes: []int{in.Out}}
	switch in.Op.(type) {
	case core.Adam, core.EMA:
		u.Steps, u.Reads = []core.Instr{in}, slices.Clone(in.In)
		return u, nil
	}
	if len(in.In) == 2 {
		if from, ok := masked[in.In[1]]; ok {
			u.Product = pl.newProduct(from)
			u.Product.Act, u.Product.Mask, u.Product.Out = in.Op.(op.ActGrad).Act, in.In[0], in.Out
			u.Reads = append(slices.Clone(from.In), in.In[0])
			return u, nil
		}
	}
	if pl.isProduct(in) {
		u.Product, u.Reads = pl.newProduct(in), slices.Clone(in.In)
		return u, nil
	}
	r, err := pl.newRegion(in)
	if err != nil {
		return nil, err
	}
	return u, pl.setRegion(u, r)
}

func (pl *Schedule) newProduct(in core.Instr) *Product {
	g := &Product{A: in.In[0], B: in.In[1], Bias: -1, Mask: -1, Out: in.Out}
	g.M, g.N, g.K, _ = pl.productShape(in)
	switch o := in.Op.(type) {
	case op.Dense:
		g.Bias, g.Act = in.In[2], o.Act
	case op.MatMul:
		g.TA, g.TB = o.TA, o.TB
	}
	if x := pl.Program.Values[g.B]; pl.options.Transposes && !g.TB && x.Kind == core.Param && Turns(x.Rows, x.Cols) {
		g.TB, g.Turned = true, true
	}
	return g
}

// wholeFours rounds the sizes of products up to multiples of four. The added numbers lie after the ends of rows, which
// are padded in memory anyway, or in rows after the last one. Parameters, their copies and results have space for such
// rows.
func (pl *Schedule) wholeFours() {
	pl.ended = map[int]bool{}
	end := func(v int) {
		if v >= 0 && pl.Program.Values[v].Cols%4 != 0 {
			pl.ended[v] = true
		}
	}
	for _, u := range pl.Units {
		for _, in := range u.Steps { // parameters' rows end in zeros as long as their gradients' do
			if pl.options.Fours {
				end(in.In[1])
			}
		}
		g := u.Product
		if g == nil {
			continue
		}
		g.WholeM, g.WholeN, g.WholeK = g.M, g.N, g.K
		if !pl.options.Fours {
			continue
		}
		if g.TA {
			g.WholeM = Whole(g.M)
		}
		if !g.TB || pl.Program.Values[g.B].Kind == core.Param {
			g.WholeN = Whole(g.N)
		}
		if !g.TA && g.TB {
			g.WholeK = Whole(g.K)
		}
		for _, v := range []int{g.A, g.B, g.Bias} {
			end(v)
		}
	}
}

// setRegion gives u a region and describes its kernel.
func (pl *Schedule) setRegion(u *Launch, r *Region) error {
	k, err := pl.describe(r)
	if err != nil {
		return err
	}
	u.Region, u.Kernel = r, k
	u.Reads, u.Writes = k.Reads, k.Writes
	return nil
}
