package gpu

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// describer describes the kernel of one region.
type describer struct {
	pl    *Schedule
	r     *Region
	k     *Kernel
	to    *[]Statement // the list to which statements are added at present
	names int
	known []scope         // one scope for each open list of statements
	roots map[int]bool    // stored by this kernel
	sums  map[int]Operand // finished sums, while results are written
	at    [2]Operand      // row and column of the result being written
	reads map[int]bool
	err   error
}

// scope holds what the statements of a list have computed already.
type scope struct {
	exprs    map[Expr]Operand
	elements map[element]Operand
}

// element is one element of a value.
type element struct {
	value int
	at    [2]Operand
}

// describe makes the kernel of a region; the error says why one kernel cannot compute it.
func (pl *Schedule) describe(r *Region) (*Kernel, error) {
	d := &describer{pl: pl, r: r, roots: map[int]bool{}, reads: map[int]bool{}}
	d.k = &Kernel{Spread: r.layout(pl.options.Vectors), Count: r.rows * r.cols, Rows: r.rows, Cols: r.cols,
		Sums: len(r.sums)}
	for _, v := range slices.Concat(r.sums, r.along, r.after) {
		d.roots[v] = true
	}
	if r.reduce == nil {
		d.list(&d.k.Results, d.results)
	} else {
		d.k.Log = r.reduce.kind == logSumExp
		d.list(&d.k.Head, d.terms)
		d.list(&d.k.Results, d.results)
	}
	if d.err != nil {
		return nil, d.err
	}
	for i, a := range d.k.Args {
		if d.reads[a.Value] {
			d.k.Reads = append(d.k.Reads, a.Value)
		} else {
			d.k.Args[i].Written = true
		}
	}
	if d.k.Slices > 1 {
		d.k.Partial, d.k.Counters = len(r.sums)*d.k.Slices*d.k.Takes(), d.k.Blocks/d.k.Slices
		if !d.k.InRow {
			d.k.Partial *= d.k.Vector
		}
	}
	return d.k, nil
}

// list lets f add statements to a list of their own.
func (d *describer) list(to *[]Statement, f func()) {
	before := d.to
	d.to = to
	d.known = append(d.known, scope{map[Expr]Operand{}, map[element]Operand{}})
	f()
	d.to, d.known = before, d.known[:len(d.known)-1]
}

func (d *describer) add(s Statement) { *d.to = append(*d.to, s) }

func (d *describer) fail(format string, args ...any) Operand {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	return Operand{}
}

// results describes what is computed for one result. If there are sums, they are finished before.
func (d *describer) results() {
	d.at = d.split(Result, d.r.rows, d.r.cols)
	d.sums = map[int]Operand{}
	for q, v := range d.r.sums {
		d.sums[v] = d.finish(q, v)
	}
	for _, v := range slices.Concat(d.r.sums, d.r.after) {
		d.store(v, d.at)
	}
	d.sums = nil
}

// split makes a row and a column from a running number.
func (d *describer) split(e string, rows, cols int) [2]Operand {
	if d.k.Vector > 1 && (e == Result) == (d.r.reduce == nil || !d.k.InRow) {
		at := [2]Operand{named(ResultRow), named(ResultCol)}
		if e == Term {
			at = [2]Operand{named(TermRow), named(TermCol)}
		}
		if cols == 1 {
			at[1] = integer(0)
		} else if rows == 1 {
			at[0] = integer(0)
		}
		return at
	}
	switch {
	case cols == 1:
		return [2]Operand{named(e), integer(0)}
	case rows == 1:
		return [2]Operand{integer(0), named(e)}
	}
	return [2]Operand{d.let(DivInt, named(e), integer(cols)), d.let(ModInt, named(e), integer(cols))}
}

// store computes element `at` of v and writes it to memory.
func (d *describer) store(v int, at [2]Operand) {
	x := d.value(v, at)
	s := Store{Arg: d.arg(v), X: x}
	s.At = d.address(v, at)
	d.add(s)
	d.k.Writes = append(d.k.Writes, v)
}

// arg is the number of the argument for value v.
func (d *describer) arg(v int) int {
	i := slices.IndexFunc(d.k.Args, func(a Arg) bool { return a.Value == v })
	if i < 0 {
		i = len(d.k.Args)
		d.k.Args = append(d.k.Args, Arg{Value: v})
	}
	return i
}

// address is the place of element `at` of v in its argument.
func (d *describer) address(v int, at [2]Operand) Operand {
	pitch := Pitch(d.pl.Program.Values[v].Cols)
	switch {
	case at[0].is(0):
		return at[1]
	case pitch == 1:
		return at[0]
	case at[1].is(0):
		return d.let(MulInt, at[0], integer(pitch))
	}
	return d.let(MulAdd, at[0], integer(pitch), at[1])
}

// maxNames is the number of names from which on a kernel is too long to be worth it.
const maxNames = 500

// let names the value of an expression, once per place from which the name can be seen.
func (d *describer) let(o Op, x ...Operand) Operand { return d.letOf(o, 0, x...) }

func (d *describer) letOf(o Op, f uint8, x ...Operand) Operand {
	e := Expr{Op: o, F: f}
	copy(e.X[:], x)
	for _, s := range d.known {
		if name, ok := s.exprs[e]; ok {
			return name
		}
	}
	letter := "t"
	if e.Integer() {
		letter = "i"
	}
	name := d.name(letter)
	d.add(Let{name.Name, e})
	d.known[len(d.known)-1].exprs[e] = name
	return name
}

func (d *describer) name(letter string) Operand {
	name := fmt.Sprintf("%s%d", letter, d.names)
	if d.names++; d.names > maxNames {
		return d.fail("it is too long for one kernel")
	}
	return named(name)
}

// value reads element `at` of v from memory, or computes it from its operands.
func (d *describer) value(v int, at [2]Operand) Operand {
	if d.err != nil {
		return Operand{}
	}
	x := d.pl.Program.Values[v]
	if x.Rows == 1 {
		at[0] = integer(0)
	}
	if x.Cols == 1 {
		at[1] = integer(0)
	}
	if x.Kind == core.Const {
		return float(x.Fill)
	}
	key := element{v, at}
	for _, s := range d.known {
		if name, ok := s.elements[key]; ok {
			return name
		}
	}
	name := d.compute(v, at)
	d.known[len(d.known)-1].elements[key] = name
	return name
}

func (d *describer) compute(v int, at [2]Operand) Operand {
	if slices.Contains(d.r.sums, v) {
		if name, ok := d.sums[v]; ok && d.isHere(v, at) {
			return name
		}
		return d.fail("a sum is read where it is not finished")
	}
	if d.pl.Stored[v] && !d.roots[v] {
		d.reads[v] = true
		arg := integer(d.arg(v))
		return d.let(Load, arg, d.address(v, at))
	}
	in := d.pl.Instrs[d.pl.Def[v]]
	arg := func(i int) Operand { return d.value(in.In[i], at) }
	switch o := in.Op.(type) {
	case op.Unary:
		return d.letOf(UnaryOf, uint8(o.F), arg(0))
	case op.Affine:
		return d.affine(o, arg(0))
	case op.Clamp:
		return d.let(ClampTo, arg(0), float(o.Lo), float(o.Hi))
	case op.ClampGrad:
		a, b := arg(0), arg(1)
		return d.let(PassIn, a, float(o.Lo), float(o.Hi), b)
	case op.ActGrad:
		y, g := arg(0), arg(1)
		return d.letOf(Slope, uint8(o.Act), g, y)
	case op.Binary:
		a, b := arg(0), arg(1)
		return d.letOf(BinaryOf, uint8(o.F), a, b)
	case op.Like:
		return arg(1)
	case op.StopGrad:
		return arg(0)
	case op.RepeatRows:
		return d.value(in.In[0], [2]Operand{d.over(at[0], o.K), at[1]})
	case op.SliceCols:
		return d.value(in.In[0], [2]Operand{at[0], d.plus(at[1], o.Lo)})
	case op.PadCols:
		return d.concat([]int{-1, in.In[0], -1}, []int{o.Lo, o.Lo + d.pl.Program.Values[in.In[0]].Cols, o.Total}, at)
	case op.ConcatCols:
		var ends []int
		end := 0
		for _, x := range in.In {
			end += d.pl.Program.Values[x].Cols
			ends = append(ends, end)
		}
		return d.concat(in.In, ends, at)
	case op.MatMul: // of one term
		a, b := [2]Operand{at[0], integer(0)}, [2]Operand{integer(0), at[1]}
		if o.TA {
			a = [2]Operand{integer(0), at[0]}
		}
		if o.TB {
			b = [2]Operand{at[1], integer(0)}
		}
		x, y := d.value(in.In[0], a), d.value(in.In[1], b)
		return d.letOf(BinaryOf, uint8(op.Mul), x, y)
	}
	return d.fail("%T is not computed element by element", in.Op)
}

// isHere reports whether element `at` of v is the result being written.
func (d *describer) isHere(v int, at [2]Operand) bool {
	x := d.pl.Program.Values[v]
	return (x.Rows == 1 || at[0] == d.at[0]) && (x.Cols == 1 || at[1] == d.at[1])
}

func (d *describer) affine(o op.Affine, x Operand) Operand {
	switch {
	case o.B == 0:
		return d.letOf(BinaryOf, uint8(op.Mul), float(o.A), x)
	case o.A == 1:
		return d.letOf(BinaryOf, uint8(op.Add), x, float(o.B))
	}
	return d.let(FMA, float(o.A), x, float(o.B))
}

func (d *describer) over(i Operand, k int) Operand {
	if i.is(0) {
		return i
	}
	return d.let(DivInt, i, integer(k))
}

func (d *describer) plus(j Operand, n int) Operand {
	switch {
	case n == 0:
		return j
	case j.Kind == IntConst:
		return integer(j.Int + n)
	}
	return d.let(AddInt, j, integer(n))
}

// concat picks the operand of column at[1]: operand i up to column ends[i]. Operand -1 is zero.
func (d *describer) concat(in, ends []int, at [2]Operand) Operand {
	lo := 0
	if at[1].Kind == IntConst {
		for i, end := range ends {
			if at[1].Int < end {
				if in[i] < 0 {
					return float(0)
				}
				return d.value(in[i], [2]Operand{at[0], integer(at[1].Int - lo)})
			}
			lo = end
		}
	}
	name := d.name("t")
	c := Choose{Name: name.Name, Column: at[1]}
	for i, end := range ends {
		if in[i] >= 0 {
			x := Case{Lo: lo, Hi: end}
			d.list(&x.Body, func() { x.X = d.value(in[i], [2]Operand{at[0], d.plus(at[1], -lo)}) })
			c.Cases = append(c.Cases, x)
		}
		lo = end
	}
	d.add(c)
	return name
}
