package core

import (
	"container/heap"
	"fmt"

	"nacre/core/op"
)

// schedule cuts instructions (in an order in which operands come first) into levels.
//
// What must be so: a value that tiles compute can be read entire, or by a Whole instruction, only at a later level,
// and all readers of a parameter's version must be done before the instruction that makes the next one, which
// overwrites it. Within that the program gets as few levels as possible, every update its earliest level, and
// everything else the latest level its readers allow, so that a forward pass lies in the level of its backward pass and
// its activations can stay in the tile; but what shrinks its operands stays with them, so that the smaller value is
// carried from level to level. Values only the host reads are computed as soon as their operands are.
type schedule struct {
	p      *Program
	instrs []Instr
	tiled  []bool
	succ   [][]edge
	order  []int // topological
	level  []int
}

// edge: to must be at least gap levels after from, and at the same level after it.
type edge struct {
	to, gap int
	hazard  bool // to overwrites what from reads
}

func (p *Program) schedule(instrs []Instr) error {
	s := &schedule{p: p, instrs: instrs, tiled: make([]bool, len(instrs)), succ: make([][]edge, len(instrs)),
		level: make([]int, len(instrs))}
	for i := range instrs {
		s.tiled[i] = s.classify(instrs[i])
	}
	s.connect()
	if err := s.sort(); err != nil {
		return err
	}
	last := s.earliest()
	s.latest(last)
	s.hoist()
	p.Levels = make([]Level, last+1)
	for _, i := range s.order {
		l := &p.Levels[s.level[i]]
		if s.tiled[i] {
			l.Tiled = append(l.Tiled, instrs[i])
		} else {
			l.Whole = append(l.Whole, instrs[i])
		}
	}
	return nil
}

// classify decides whether an instruction runs tile by tile, and marks its result as batched.
func (s *schedule) classify(in Instr) bool {
	o, ok := in.Op.(op.Op)
	if !ok {
		return false
	}
	batched := false
	for i, v := range in.In {
		if o.Operand(i) != op.ByRow {
			continue
		}
		x := s.p.Values[v]
		if x.Rows != 1 && x.Rows%s.p.Groups != 0 {
			return false
		}
		batched = batched || x.Batched
	}
	out := &s.p.Values[in.Out]
	switch {
	case !batched:
		return false
	case o.Result() == op.Whole:
		return true
	}
	out.Batched = out.Rows%s.p.Groups == 0
	return out.Batched
}

func (s *schedule) connect() {
	producer := map[int]int{}
	for i, in := range s.instrs {
		producer[in.Out] = i
	}
	next := map[int]int{} // parameter version → instruction that overwrites it
	for i, in := range s.instrs {
		if s.isUpdate(i) {
			next[in.In[0]] = i
		}
	}
	for i, in := range s.instrs {
		for k, v := range in.In {
			if from, ok := producer[v]; ok {
				gap := 0
				if s.tiled[from] && !(s.tiled[i] && s.p.Values[v].Batched && in.Op.(op.Op).Operand(k) == op.ByRow) {
					gap = 1
				}
				s.succ[from] = append(s.succ[from], edge{to: i, gap: gap})
			}
			if w, ok := next[v]; ok && w != i {
				gap := 0
				if s.tiled[i] {
					gap = 1
				}
				s.succ[i] = append(s.succ[i], edge{to: w, gap: gap, hazard: true})
			}
		}
	}
}

func (s *schedule) isUpdate(i int) bool { return s.p.Values[s.instrs[i].Out].Kind == Param }

// sort finds an order in which every edge points forward, keeping to the given order where it can.
func (s *schedule) sort() error {
	waiting := make([]int, len(s.instrs))
	for _, es := range s.succ {
		for _, e := range es {
			waiting[e.to]++
		}
	}
	var free intHeap
	for i, n := range waiting {
		if n == 0 {
			heap.Push(&free, i)
		}
	}
	for len(free) > 0 {
		i := heap.Pop(&free).(int)
		s.order = append(s.order, i)
		for _, e := range s.succ[i] {
			if waiting[e.to]--; waiting[e.to] == 0 {
				heap.Push(&free, e.to)
			}
		}
	}
	if len(s.order) == len(s.instrs) {
		return nil
	}
	return s.conflict(waiting)
}

// conflict names a reader of an old parameter version that cannot run before the parameter is overwritten.
func (s *schedule) conflict(waiting []int) error {
	for i, es := range s.succ {
		for _, e := range es {
			if e.hazard && waiting[i] > 0 && waiting[e.to] > 0 && s.reaches(e.to, i) {
				name := s.p.Values[s.instrs[e.to].In[0]].Store
				return fmt.Errorf("%v of %q reads parameter %q as it was before its step, together with values "+
					"computed from the stepped one; "+
					"a parameter has one storage, so use Param of the later stage, or keep the old values under "+
					"another parameter name",
					s.instrs[i].Op, s.p.Values[s.instrs[i].Out].Name, name)
			}
		}
	}
	return fmt.Errorf("the instructions depend on one another in a circle")
}

func (s *schedule) reaches(from, to int) bool {
	seen := make([]bool, len(s.instrs))
	var visit func(i int) bool
	visit = func(i int) bool {
		if i == to {
			return true
		}
		if seen[i] {
			return false
		}
		seen[i] = true
		for _, e := range s.succ[i] {
			if visit(e.to) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// earliest gives every instruction its earliest level and returns the last.
func (s *schedule) earliest() int {
	last := 0
	for _, i := range s.order {
		last = max(last, s.level[i])
		for _, e := range s.succ[i] {
			s.level[e.to] = max(s.level[e.to], s.level[i]+e.gap)
		}
	}
	return last
}

// latest moves what updates need to its latest level, and what only the host reads to the earliest after that.
func (s *schedule) latest(last int) {
	limit := make([]int, len(s.instrs))
	core := make([]bool, len(s.instrs)) // an update, or needed by one
	for k := len(s.order) - 1; k >= 0; k-- {
		i := s.order[k]
		limit[i] = last
		if s.isUpdate(i) {
			core[i] = true
			limit[i] = s.level[i]
		}
		for _, e := range s.succ[i] {
			limit[i] = min(limit[i], limit[e.to]-e.gap)
			core[i] = core[i] || core[e.to] && !e.hazard
		}
	}
	clear(s.level)
	for _, i := range s.order {
		if core[i] {
			s.level[i] = limit[i]
		}
		for _, e := range s.succ[i] {
			s.level[e.to] = max(s.level[e.to], s.level[i]+e.gap)
		}
	}
}

// hoist moves tiled instructions back to the level of their operands where that carries less from level to level: the
// operands have no later reader, and the result is not larger than they are.
func (s *schedule) hoist() {
	producer := map[int]int{}
	for i, in := range s.instrs {
		producer[in.Out] = i
	}
	earliest := make([]int, len(s.instrs))
	for _, i := range s.order {
		if s.tiled[i] && earliest[i] < s.level[i] && s.freed(i, earliest[i], producer) >= s.carried(s.instrs[i].Out) {
			s.level[i] = earliest[i]
		}
		for _, e := range s.succ[i] {
			earliest[e.to] = max(earliest[e.to], s.level[i]+e.gap)
		}
	}
}

// freed counts the elements of i's operands that nothing would read after the given level if i moved there.
func (s *schedule) freed(i, level int, producer map[int]int) int {
	n, seen := 0, map[int]bool{}
	for _, v := range s.instrs[i].In {
		from, ok := producer[v]
		if !ok || seen[v] {
			continue
		}
		seen[v] = true
		last := true
		for _, e := range s.succ[from] {
			last = last && (e.hazard || e.to == i || s.level[e.to] <= level)
		}
		if last {
			n += s.carried(v)
		}
	}
	return n
}

func (s *schedule) carried(v int) int { return s.p.Values[v].Rows * s.p.Values[v].Cols }

// intHeap is a min-heap.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
