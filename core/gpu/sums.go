package gpu

import (
	"nacre/core"
	"nacre/core/op"
)

// terms describes the terms that are added to a result's sums.
func (d *describer) terms() {
	s := d.r.reduce
	at := d.split(Result, d.r.rows, d.r.cols)
	if s.kind == norm {
		for _, v := range d.pl.Instrs[d.pl.Def[d.r.sums[0]]].In {
			x := d.pl.Program.Values[v]
			d.loop(x.Rows, x.Cols, func() {
				t := d.value(v, d.split(Term, x.Rows, x.Cols))
				d.add(Add{X: t, Y: t, Product: true})
			})
		}
		return
	}
	rows, cols := s.terms, 1
	if s.kind == sumAll {
		rows, cols = s.rows, s.cols
	}
	d.loop(rows, cols, func() { d.term(at) })
}

// loop describes a loop over rows×cols terms.
func (d *describer) loop(rows, cols int, f func()) {
	l := Loop{Terms: rows * cols, Rows: rows, Cols: cols}
	d.list(&l.Body, f)
	d.k.Loops = append(d.k.Loops, l)
}

// term describes one term of each sum of the result whose row and column are `at`.
func (d *describer) term(at [2]Operand) {
	s, r := d.r.reduce, named(Term)
	if d.k.Vector > 1 && d.k.InRow {
		r = named(TermRow)
	}
	var of [2]Operand
	switch s.kind {
	case sumCols, logSumExp:
		of = [2]Operand{at[0], r}
	case sumRows:
		of = [2]Operand{d.let(MulAdd, at[0], integer(s.group), r), at[1]}
	case sumAll:
		of = d.split(Term, s.rows, s.cols)
	}
	for _, v := range d.r.along {
		d.store(v, of)
	}
	for q, v := range d.r.sums {
		in := d.pl.Instrs[d.pl.Def[v]].In
		switch s.kind {
		case dot:
			a, b := [2]Operand{at[0], r}, [2]Operand{r, at[1]}
			if s.ta {
				a = [2]Operand{r, at[0]}
			}
			if s.tb {
				b = [2]Operand{at[1], r}
			}
			x, y := d.value(in[0], a), d.value(in[1], b)
			d.add(Add{Sum: q, X: x, Y: y, Product: true})
		case distances:
			x, y := d.value(in[0], [2]Operand{at[0], r}), d.value(in[1], [2]Operand{at[1], r})
			t := d.letOf(BinaryOf, uint8(op.Sub), x, y)
			d.add(Add{Sum: q, X: t, Y: t, Product: true})
		default:
			d.add(Add{Sum: q, X: d.value(in[0], of)})
		}
	}
}

// finish is the value of sum q.
func (d *describer) finish(q, v int) Operand {
	sum := Operand{Kind: SumOf, Int: q}
	in := d.pl.Instrs[d.pl.Def[v]]
	switch o := in.Op.(type) {
	case op.Dense:
		return d.letOf(Activate, uint8(o.Act), sum, d.value(in.In[2], [2]Operand{integer(0), d.at[1]}))
	case op.LogSumExp:
		return d.let(LogSum, sum)
	case core.Norm:
		return d.letOf(UnaryOf, uint8(op.Sqrt), sum)
	}
	return d.let(Copy, sum)
}
