package gpu

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// Schedule is a program as launches on a GPU: which values lie in memory and where, what each launch reads and writes,
// in which order and on which branch it runs. It may be read by anybody and is not to be changed.
//
// Three patterns only: matrix products with an epilogue, generated kernels (a region of elementwise operations with at
// most one kind of sum), and the optimiser's merged steps.
type Schedule struct {
	Program *core.Program
	Instrs  []core.Instr // of all levels, in order
	Def     map[int]int  // value → the instruction that makes it
	Stored  []bool       // by value: it lies in memory; others are computed where they are read
	Units   []*Launch    // in an order in which operands come first
	Place   *Placement

	options Options
	ended   map[int]bool // values whose rows must end in zeros
	next    map[int]int  // version of a parameter → the version that overwrites it
	writer  []*Launch    // by value
	readers [][]*Launch  // by value
	depth   map[*Launch]int
}

// Options say what the device that runs a plan can do.
type Options struct {
	// MaskedProducts says that products may have an activation's gradient as their epilogue: (A·B)·act'(mask). cuBLASLt
	// has a ReLU's by bits, and sums of columns; on an H100 products with them took so much longer that plans do
	// without.
	MaskedProducts bool
	// Transposes says that a transposed copy lies beside every matrix of parameters, which the optimiser's steps keep
	// up with it. Products read it where the matrix itself has the terms of a sum apart.
	Transposes bool
	// Fours says that products are made in whole fours of rows, columns and terms, wherever what is then added is
	// zeros: what has the terms of a sum side by side reads 16 bytes at a time. See Product.WholeM.
	Fours bool
	// Vectors says that the device's kernels take four neighbouring numbers at a time; see Layout.Vector.
	Vectors bool
	// InOrder says that the device runs the units one after the other, so that room can be taken again by whatever
	// comes after its last reader.
	InOrder bool
}

// Launch becomes one launch. Exactly one of Region, Product, Steps and Ticks is set.
type Launch struct {
	Reads, Writes []int // values in memory
	Region        *Region
	Kernel        *Kernel // of the region
	Product       *Product
	Steps         []core.Instr // Adam and EMA
	Ticks         []core.Instr // Adam: counting up the steps

	// Deps are the units, by their place in the plan, that must be done before this one. Units of one Branch run one
	// after the other anyway.
	Deps   []int
	Branch int // below MaxBranches

	at    int     // the program's first instruction in it
	after *Launch // of ticks: the round after this one
}

// Product is a matrix product with an epilogue: act(A·B + Bias), or (A·B)·act'(Mask). The result is M×N, K terms each.
type Product struct {
	A, B, Bias, Mask, Out int // values; Bias and Mask may be -1
	TA, TB                bool
	Act                   op.Act
	M, N, K               int

	// M, N and K in whole fours where Options.Fours asks for it and what is beyond them in the operands is zeros in
	// memory.
	WholeM, WholeN, WholeK int

	Turned bool // B is the transposed copy of parameter B; TB undoes it
}

// New plans a program. Of a program that Validate accepts it fails only where an operation has no kernel.
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

// fuseMasks finds products whose only reader is an activation's gradient, the backward step through a layer: value of
// the product → its instruction, whose launch makes the gradient too.
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

// inTime reports whether value v is there, in the program's order, before any of the operands is overwritten: what
// reads v and them need not wait for who overwrites them.
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
	maxWeight   = 32 // of an expression that several readers compute again
	innerWeight = 3  // of one that is computed again for every term of a product
)

// chooseStored decides what lies in memory: what cannot be computed element by element, what products, optimiser and
// host read, and what would be computed too often or too late: after a parameter it reads is overwritten.
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
	until := make([]int, len(p.Values)) // the instruction that overwrites what the expression reads
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

// newUnit makes the unit that computes one stored value.
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

// wholeFours makes products' sizes whole fours. What is added lies after the ends of rows, which pads them in memory
// anyway, or in rows after the last, for which parameters, their copies and results have room.
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
