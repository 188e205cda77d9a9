package cpu

import "nacre/core/op"

// panelRows is the smallest number of rows for which a product by a parameter reads the parameter in panels. With fewer
// rows, keeping the panels up to date costs more than it saves.
const panelRows = 16

// follow tells the last product that the next one begins with the first panel of right, if right lies in panels. It
// returns the place where the product after that will be noted.
func (b *builder) follow(right *mat, byPanel bool) *ahead {
	if byPanel {
		b.after.at, b.after.bytes = &right.d[0], int64(4*right.rows*b.k.panelWidth(right.ld))
	}
	b.after = &ahead{}
	return b.after
}

// helped reports whether a tile's part of a product, with k terms, is worth sharing with workers that have no tile.
func (b *builder) helped(out operand, k int) bool {
	return b.tiled && b.gemmCost(out, k)/float64(b.p.Tiles()) >= b.shareFrom
}

// dense returns the step act(x·w + b). Bias and ReLU are applied before the product leaves the registers.
func (b *builder) dense(in *instr, act op.Act, x, wt, bias, out operand) run {
	mode := gemmBias
	if act == op.ReLU {
		mode = gemmBiasReLU
	}
	if cut := b.rightHalves(in, false, x, out); cut != nil {
		return func(w *worker, s span) {
			a := w.view(&x, s)
			p := product{c: w.view(&out, s), mode: mode, aux: &bias.d[0]}
			p.byHalves(w, &a, cut)
			if act == op.Tanh {
				w.tanh(p.c)
			}
		}
	}
	right, byPanel := wt.mat, false
	if p := b.params[in.in[1]]; p != nil && out.rows >= panelRows {
		right, byPanel = p.needPanels(b.k, false).mat, true
	}
	after, helped := b.follow(&right, byPanel), b.helped(out, x.cols)
	return func(w *worker, s span) {
		p := product{a: w.view(&x, s), b: right, byPanel: byPanel, c: w.view(&out, s), mode: mode, aux: &bias.d[0],
			after: after}
		w.multiply(&p, true, helped)
		if act == op.Tanh {
			w.tanh(p.c)
		}
	}
}

// tanh replaces every element by its hyperbolic tangent.
func (w *worker) tanh(m mat) {
	v := &w.vec
	v.result(m, true)
	v.a, v.lda, v.stepA, v.colA = v.dst, v.ldd, 64, nil
	v.b, v.colB, v.stepB = nil, nil, 0
	w.k.tanh(v)
}

// matMul returns the step a·b or, with tb, a·bᵀ. A parameter is stored with its transpose. Any other operand is
// transposed when it is used.
func (b *builder) matMul(in *instr, tb bool, args []operand, out operand, units int) run {
	x, y := args[0], args[1]
	var mask operand
	mode := gemmStore
	if in.mask >= 0 {
		mask, mode = b.operand(in.mask, op.ByRow, units), gemmMask
	}
	if cut := b.rightHalves(in, tb, x, out); cut != nil {
		return func(w *worker, s span) {
			a := w.view(&x, s)
			p := product{c: w.view(&out, s), mode: mode}
			if mode == gemmMask {
				m := w.view(&mask, s)
				p.aux = &m.d[0]
			}
			p.byHalves(w, &a, cut)
		}
	}
	right, byPanel := y.mat, false
	if p := b.params[in.in[1]]; p != nil && (tb || out.rows >= panelRows) {
		right, byPanel = p.needPanels(b.k, tb).mat, true
	}
	after, helped := b.follow(&right, byPanel), b.helped(out, x.cols)
	return func(w *worker, s span) {
		p := product{a: w.view(&x, s), b: right, byPanel: byPanel, c: w.view(&out, s), mode: mode, after: after}
		if tb && !byPanel {
			p.b = w.transpose(&y.mat)
		}
		if mode == gemmMask {
			m := w.view(&mask, s)
			p.aux = &m.d[0]
		}
		w.multiply(&p, true, helped)
	}
}

// transpose writes the transpose of m into the worker's scratch.
func (w *worker) transpose(m *mat) mat {
	t := mat{nil, m.cols, m.rows, pad16(m.rows)}
	t.d = w.scratch[:t.rows*t.ld]
	for i := range t.rows {
		t.clearPad(i)
	}
	m.transposeInto(&t, 0, m.rows)
	return t
}

// contract returns the step C = aᵀ·b, summed over the rows of both, or aᵀ·bᵀ with tb. In a tiled segment it adds the
// tile's rows to a lane's partial sum. Otherwise its units are the rows of C.
func (b *builder) contract(o op.MatMul, args []operand, out operand) step {
	x, y := args[0], args[1]
	cost := b.gemmCost(out, x.rows)
	if b.tiled {
		rows := x.perUnit * b.p.TileGroups
		if b.k.half != nil && rows >= 32 && out.rows >= halfSize && out.cols >= halfSize {
			b.needHalfScratch(out.rows, out.cols, rows)
			return step{cost: cost, units: b.p.Groups, run: func(w *worker, s span) {
				p := product{c: out.sum(s), mode: gemmAdd}
				if s.first {
					p.mode = gemmStore
				}
				a, g := w.view(&x, s), w.view(&y, s)
				p.contractHalves(w, &a, &g)
			}}
		}
		after, helped := b.follow(nil, false), b.helped(out, x.rows)
		narrow := out.cols < 16 && out.rows > out.cols
		if narrow {
			b.scratch = max(b.scratch, out.cols*pad16(out.rows))
		}
		return step{cost: cost, units: b.p.Groups, run: func(w *worker, s span) {
			p := product{a: w.view(&x, s), b: w.view(&y, s), c: out.sum(s), ta: true, after: after}
			if narrow {
				p.contractNarrow(w, s.first)
				return
			}
			w.multiply(&p, s.first, helped)
		}}
	}
	return step{cost: cost, units: out.rows, run: func(w *worker, s span) {
		p := product{a: x.mat, b: y.mat, c: out.mat, ta: true}
		if o.TB {
			p.b = w.transpose(&y.mat)
		}
		p.rows(w.k, &w.gemm, s.lo, s.hi)
	}}
}

// contractNarrow computes a product over rows for a C of few columns. These would leave most of a register empty, so it
// computes bᵀ·a in the worker's scratch and adds the transpose.
func (p *product) contractNarrow(w *worker, fresh bool) {
	c := p.c
	t := mat{nil, c.cols, c.rows, pad16(c.rows)}
	t.d = w.scratch[:t.rows*t.ld]
	q := product{a: p.b, b: p.a, c: t, ta: true}
	q.rows(w.k, &w.gemm, 0, t.rows)
	for i := range c.rows {
		d := c.row(i)
		if fresh {
			clear(c.d[i*c.ld : (i+1)*c.ld])
		}
		for j := range d {
			d[j] += t.d[j*t.ld+i]
		}
	}
}

// sum returns the place for the result of a reduction: the lane's partial sum, or the value itself if there is only one
// lane.
func (o *operand) sum(s span) mat {
	if len(o.lanes) > 0 {
		return o.lanes[s.lane]
	}
	return o.mat
}
