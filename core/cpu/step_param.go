package cpu

import (
	"fmt"
	"math"

	"nacre/core"
)

// updateRows is the number of rows of a parameter that are updated at a time. A tile of halves also has 32 rows. A
// cache line of the transpose holds 16 numbers, so workers never write to the same line.
const updateRows = 32

// update is an Adam or EMA instruction.
type update struct {
	p    *param
	src  mat // gradient, or source of the average
	adam *core.Adam
	ema  *core.EMA
	args adamArgs // coefficients of the present step
}

// begin counts the step and computes its coefficients in float64.
func (u *update) begin() {
	if u.adam == nil {
		return
	}
	o := u.adam
	u.p.t++
	c1, c2 := 1-math.Pow(o.Beta1, u.p.t), 1-math.Pow(o.Beta2, u.p.t)
	u.args.b1, u.args.omb1 = float32(o.Beta1), float32(1-o.Beta1)
	u.args.b2, u.args.omb2 = float32(o.Beta2), float32(1-o.Beta2)
	u.args.step, u.args.eps, u.args.scale = float32(o.LR/c1), float32(o.Eps), float32(1/c2)
}

// rows updates rows lo..hi-1 of the parameter and of its transpose.
func (u *update) rows(w *worker, lo, hi int) {
	m := &u.p.w
	from, n := lo*m.ld, int64((hi-lo)*m.ld)
	if u.ema != nil {
		tau := u.ema.Tau
		w.ema = emaArgs{n: n, dst: &m.d[from], src: &u.src.d[from], keep: float32(1 - tau), take: float32(tau)}
		w.k.ema(&w.ema)
	} else {
		w.adam = u.args
		w.adam.n, w.adam.w, w.adam.g, w.adam.m, w.adam.v = n, &m.d[from], &u.src.d[from], &u.p.m.d[from], &u.p.v.d[from]
		w.k.adam(&w.adam)
		if u.args.eps == 0 { // otherwise a step of zero over zero has made NaN of the padding
			for i := lo; i < hi; i++ {
				m.clearPad(i)
			}
		}
	}
	u.p.refresh(w.k, &w.copies, lo, hi)
}

// cost returns the estimated time of the update in ns.
func (u *update) cost(k *kernels) float64 {
	return 8 * float64(len(u.p.w.d)) / k.elemsPerNano
}

// makeUpdate returns the update of an Adam or EMA instruction, and nil for other instructions.
func (b *builder) makeUpdate(in *instr) *update {
	switch o := in.op.(type) {
	case core.Adam:
		return &update{p: b.params[in.out], src: b.mats[in.in[1]], adam: &o}
	case core.EMA:
		return &update{p: b.params[in.out], src: b.mats[in.in[1]], ema: &o}
	}
	return nil
}

// independent reports whether u can run at the same time as the updates of list. None of them may write what another
// reads or writes.
func (u *update) independent(list []*update) bool {
	for _, v := range list {
		if u.p == v.p || &u.src.d[0] == &v.p.w.d[0] || &v.src.d[0] == &u.p.w.d[0] {
			return false
		}
	}
	return true
}

// describe returns the region of the update. It passes over the weights and, in Adam, over both moments twice, and
// reads the gradient.
func (u *update) describe(k *kernels) Region {
	name, passes := "", 3
	if u.adam != nil {
		name, passes = u.adam.String(), 7
	} else {
		name = u.ema.String()
	}
	return Region{Code: name + " of " + u.p.spec.Name, Result: fmt.Sprintf("%d×%d", u.p.spec.Rows, u.p.spec.Cols),
		Place: "parameter",
		Bytes: int64(4 * passes * len(u.p.w.d)), Predicted: u.cost(k) / 1e6}
}
