package cpu

import (
	"cmp"
	"slices"

	"nacre/core"
)

// depthFirst orders the instructions of a tiled segment so that few values are alive at a time and values are used soon
// after they were computed. The values of one tile then stay in the second-level cache. It computes the results of the
// segment one after another, each with all that it needs. The next result is the one that adds least to the values
// alive.
func depthFirst(p *core.Program, seg []instr, crossing []bool) []instr {
	o := newOrdering(p, seg, crossing)
	var goals []int
	for i := range seg {
		if o.readers[seg[i].out] == 0 || crossing[seg[i].out] {
			goals = append(goals, i)
		}
	}
	for len(goals) > 0 {
		best, peak, left := 0, 0, 0
		for n, g := range goals {
			try := o.clone()
			try.visit(g)
			if n == 0 || try.peak < peak || try.peak == peak && try.alive < left {
				best, peak, left = n, try.peak, try.alive
			}
		}
		o.visit(goals[best])
		goals = slices.DeleteFunc(goals, func(g int) bool { return o.done[g] })
		o.peak = o.alive
	}
	out := make([]instr, len(seg))
	for n, i := range o.order {
		out[n] = seg[i]
	}
	return out
}

// ordering is an order under construction.
type ordering struct {
	seg      []instr
	operands [][]int // by instruction: the instructions that compute its operands; the one with the most work first
	size     []int   // by value: floats of a tile; 0 if the value does not live in the arena

	done        []bool
	readers     []int // by value: readers that are still to come
	order       []int
	alive, peak int
}

func newOrdering(p *core.Program, seg []instr, crossing []bool) *ordering {
	o := &ordering{seg: seg, operands: make([][]int, len(seg)), size: make([]int, len(p.Values)),
		done: make([]bool, len(seg)), readers: make([]int, len(p.Values))}
	maker := map[int]int{}
	for i := range seg {
		maker[seg[i].out] = i
	}
	for i := range seg {
		if v := p.Values[seg[i].out]; !seg[i].reduces() && !crossing[seg[i].out] {
			o.size[seg[i].out] = v.Rows / p.Groups * p.TileGroups * pad16(v.Cols)
		}
		seg[i].reads(func(v int) {
			o.readers[v]++
			if m, ok := maker[v]; ok && !slices.Contains(o.operands[i], m) {
				o.operands[i] = append(o.operands[i], m)
			}
		})
	}
	work := make([]int, len(seg))
	for i := range seg {
		work[i] = o.work(i, make([]bool, len(seg)))
	}
	for _, ops := range o.operands {
		slices.SortStableFunc(ops, func(a, b int) int { return cmp.Compare(work[b], work[a]) })
	}
	return o
}

// work returns the size of everything that instruction i needs and that seen does not have.
func (o *ordering) work(i int, seen []bool) int {
	if seen[i] {
		return 0
	}
	seen[i] = true
	n := o.size[o.seg[i].out]
	for _, x := range o.operands[i] {
		n += o.work(x, seen)
	}
	return n
}

// visit appends instruction i after everything that it needs.
func (o *ordering) visit(i int) {
	if o.done[i] {
		return
	}
	o.done[i] = true
	for _, x := range o.operands[i] {
		o.visit(x)
	}
	in := &o.seg[i]
	o.order = append(o.order, i)
	o.alive += o.size[in.out]
	o.peak = max(o.peak, o.alive)
	in.reads(func(v int) {
		if o.readers[v]--; o.readers[v] == 0 {
			o.alive -= o.size[v]
		}
	})
	if o.readers[in.out] == 0 {
		o.alive -= o.size[in.out]
	}
}

func (o *ordering) clone() *ordering {
	c := *o
	c.done, c.readers, c.order = slices.Clone(o.done), slices.Clone(o.readers), slices.Clone(o.order)
	return &c
}
