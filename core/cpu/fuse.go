package cpu

import (
	"nacre/core"
	"nacre/core/op"
)

// instr is an instruction of a segment. If mask ≥ 0, it is a matrix product, and its result is kept only where the
// value mask is positive.
type instr struct {
	op   any
	in   []int
	out  int
	mask int
}

// reads calls f for every value the instruction reads. Like takes only the shape of its first operand.
func (in *instr) reads(f func(v int)) {
	for i, v := range in.in {
		if _, like := in.op.(op.Like); !like || i > 0 {
			f(v)
		}
	}
	if in.mask >= 0 {
		f(in.mask)
	}
}

// segment is a run of instructions that are executed either one after the other over entire matrices, or all of them
// for each tile of the batch.
type segment struct {
	instrs []instr
	tiled  bool
}

// reduces reports whether the instruction sums over all rows.
func (in *instr) reduces() bool {
	o, ok := in.op.(op.Op)
	return ok && o.Result() == op.Whole
}

// segments lists what a program executes, in order, with fused instructions. If a program has a single tile, its tiled
// instructions are executed like Whole ones, so that workers can share their rows.
func segments(p *core.Program) []segment {
	var out []segment
	uses := countUses(p)
	for _, l := range p.Levels {
		whole := instrs(l.Whole)
		if p.Tiles() == 1 {
			whole = append(whole, instrs(l.Tiled)...)
		}
		if len(whole) > 0 {
			out = append(out, segment{instrs: fuseMasks(whole, uses)})
		}
		if len(l.Tiled) > 0 && p.Tiles() > 1 {
			out = append(out, segment{instrs: fuseMasks(instrs(l.Tiled), uses), tiled: true})
		}
	}
	crossing := crossings(p, out)
	for i := range out {
		if out[i].tiled {
			out[i].instrs = depthFirst(p, out[i].instrs, crossing)
		}
	}
	return out
}

func instrs(list []core.Instr) []instr {
	out := make([]instr, len(list))
	for i, in := range list {
		out[i] = instr{op: in.Op, in: in.In, out: in.Out, mask: -1}
	}
	return out
}

// countUses returns the number of readers of every value. An output has one more.
func countUses(p *core.Program) []int {
	uses := make([]int, len(p.Values))
	for _, l := range p.Levels {
		for _, list := range [][]instr{instrs(l.Whole), instrs(l.Tiled)} {
			for _, in := range list {
				in.reads(func(v int) { uses[v]++ })
			}
		}
	}
	for _, v := range p.Outputs {
		uses[v]++
	}
	return uses
}

// fuseMasks fuses a product and the ReLU gradient that is its only reader, which together are the backward step through
// a layer. One masked product replaces them at the place of the gradient. The product moves past other instructions, so
// none of these may step a parameter.
func fuseMasks(list []instr, uses []int) []instr {
	product := map[int]int{} // value → index in out of the product that computes it
	var out []instr
	for _, in := range list {
		switch o := in.op.(type) {
		case core.Adam, core.EMA:
			clear(product)
		case op.MatMul:
			if !o.TA && uses[in.out] == 1 {
				product[in.out] = len(out)
			}
		case op.ActGrad:
			if i, ok := product[in.in[1]]; ok && o.Act == op.ReLU && in.in[0] != in.in[1] {
				in = instr{op: out[i].op, in: out[i].in, out: in.out, mask: in.in[0]}
				out[i].op = nil
			}
		}
		out = append(out, in)
	}
	kept := out[:0]
	for _, in := range out {
		if in.op != nil {
			kept = append(kept, in)
		}
	}
	return kept
}
