package cpu

import (
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// place says where a value lives.
type place uint8

const (
	unused     place = iota
	stored           // a parameter, in Memory
	full             // in its own buffer: inputs, constants, outputs, and values that several segments need
	passing          // at an offset of the buffer that sequential segments share
	local            // at an offset of every worker's arena, which holds the values of one tile
	laneSummed       // in its own buffer, as the sum of the lanes' partial sums
)

// storage is the memory plan of a program.
type storage struct {
	p       *core.Program
	place   []place
	offset  []int // of passing and local values, and of partial sums in a lane
	lanes   int
	shared  int // floats of the sequential segments' buffer
	arena   int // floats of a worker's arena
	laneLen int // floats of a lane
	scratch int // floats that a worker needs to transpose an operand that is not a parameter
}

// planStorage decides where every value lives. A value that only one segment writes and reads lives at an offset that
// is free again after its last reader. Other values have their own buffers.
func planStorage(p *core.Program, segs []segment) *storage {
	s := &storage{p: p, place: make([]place, len(p.Values)), offset: make([]int, len(p.Values)),
		lanes: min(p.Lanes, p.Tiles())}
	for i, v := range p.Values {
		switch v.Kind {
		case core.Param:
			s.place[i] = stored
		case core.Input, core.Const:
			s.place[i] = full
		}
	}
	crossing := crossings(p, segs)
	for _, seg := range segs {
		lane := 0
		for _, in := range seg.instrs {
			s.needScratch(&in)
			switch {
			case s.place[in.out] == stored:
			case seg.tiled && in.reduces():
				s.place[in.out] = full
				if s.lanes > 1 {
					s.place[in.out], s.offset[in.out] = laneSummed, lane
					lane += s.size(in.out)
				}
			case crossing[in.out]:
				s.place[in.out] = full
			case seg.tiled:
				s.place[in.out] = local
			default:
				s.place[in.out] = passing
			}
		}
		s.laneLen = max(s.laneLen, lane)
		if seg.tiled {
			s.arena = max(s.arena, s.arrange(seg, local))
		} else {
			s.shared = max(s.shared, s.arrange(seg, passing))
		}
	}
	return s
}

// crossings marks the outputs, and the values that are read in another segment than the one that writes them.
func crossings(p *core.Program, segs []segment) []bool {
	home := make([]int, len(p.Values))
	for i := range home {
		home[i] = -1
	}
	crossing := make([]bool, len(p.Values))
	for i, seg := range segs {
		for _, in := range seg.instrs {
			home[in.out] = i
			in.reads(func(v int) { crossing[v] = crossing[v] || home[v] != i })
		}
	}
	for _, v := range p.Outputs {
		crossing[v] = true
	}
	return crossing
}

// size returns the number of floats of a value: those of one tile if it is local, otherwise of all its rows.
func (s *storage) size(v int) int {
	x := s.p.Values[v]
	rows := x.Rows
	if s.place[v] == local {
		rows = x.Rows / s.p.Groups * s.p.TileGroups
	}
	return rows * pad16(x.Cols)
}

func (s *storage) needScratch(in *instr) {
	if o, ok := in.op.(op.MatMul); ok && o.TB {
		b := s.p.Values[in.in[1]]
		if b.Kind != core.Param || o.TA {
			s.scratch = max(s.scratch, b.Cols*pad16(b.Rows))
		}
	}
}

// arrange gives offsets to the values of a segment that live in one kind of place. It returns the floats that they need
// together. It goes through the instructions once and puts each result into the first gap between the values that are
// still needed.
func (s *storage) arrange(seg segment, kind place) int {
	last := map[int]int{}
	for i, in := range seg.instrs {
		last[in.out] = i
		in.reads(func(v int) { last[v] = i })
	}
	total := 0
	var alive []int // values in the order of their offsets
	for i, in := range seg.instrs {
		if s.place[in.out] != kind {
			continue
		}
		alive = slices.DeleteFunc(alive, func(v int) bool { return last[v] < i })
		at, pos := 0, 0
		for pos < len(alive) && s.offset[alive[pos]]-at < s.size(in.out) {
			at = s.offset[alive[pos]] + s.size(alive[pos])
			pos++
		}
		s.offset[in.out] = at
		alive = slices.Insert(alive, pos, in.out)
		total = max(total, at+s.size(in.out))
	}
	return total
}
