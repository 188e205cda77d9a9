package gpu

import (
	"maps"
	"math/bits"
	"slices"

	"nacre/core"
)

// Space says which allocation a value lies in.
type Space uint8

const (
	Nowhere Space = iota // nowhere: the value is computed where it is read
	Params               // parameters of the memory
	Inputs               // written by the host
	Outputs              // read by the host
	Arena                // everything else; values may share a place
)

// Place is where a value lies: the space, and the distance from its start in floats.
type Place struct {
	Space  Space
	Offset int
}

// Placement says where the values of a program lie in memory. It is fixed before the program runs.
type Placement struct {
	Of      []Place        // one place for each value; Nowhere if it is computed where it is read
	Size    [Arena + 1]int // size of each space, in floats
	Partial []Place        // for each launch, the place of its partial sums
	Counter []Place        // for each launch, the place of its counters, which are zero before and after every run
	Consts  []int          // constants that lie in the arena
}

// Align is the number of floats, 256 bytes, at whose multiples every value in memory begins.
const Align = 64

// RoundUp is the next multiple of Align.
func RoundUp(n int) int { return (n + Align - 1) / Align * Align }

// SizeOf is the number of floats that value v takes.
func (pl *Schedule) SizeOf(v int) int {
	x := pl.Program.Values[v]
	if pl.options.Fours {
		return RoundUp(Room(x.Rows, x.Cols))
	}
	return RoundUp(x.Rows * Pitch(x.Cols))
}

// Whole is the next multiple of four.
func Whole(n int) int { return CeilDiv(n, 4) * 4 }

// Room is the number of floats that a matrix takes if its rows are rounded up to a multiple of four, because products
// may take four rows at a time. A vector's rows are not rounded up.
func Room(rows, cols int) int {
	if Turns(rows, cols) {
		rows = Whole(rows)
	}
	return rows * Pitch(cols)
}

// Pitch is the distance between the rows of a matrix in memory, in floats. It is 1 for a matrix with one column.
// Otherwise it is a multiple of 16 bytes, so that four numbers can be read at a time.
func Pitch(cols int) int {
	if cols == 1 {
		return 1
	}
	return Whole(cols)
}

// Turns reports whether a matrix of parameters has a transposed copy. The rows of the copy are Pitch(rows) apart.
func Turns(rows, cols int) bool { return rows > 1 && cols > 1 }

// slot is a part of the arena and the launches that have used it so far.
type slot struct {
	offset, size int
	users        ancestry
	free         bool
}

// placeValues gives every stored value its place. Two values share a place only if every launch that touches the first
// is done before the launch that writes the second starts, whatever the branches do.
func (pl *Schedule) placeValues() *Placement {
	m := &Placement{Of: make([]Place, len(pl.Program.Values))}
	take := func(s Space, n int) Place {
		at := Place{s, m.Size[s]}
		m.Size[s] += RoundUp(n)
		return at
	}
	for v, x := range pl.Program.Values {
		switch {
		case x.Kind == core.Input:
			m.Of[v] = take(Inputs, pl.SizeOf(v))
		case x.Kind == core.Param:
			m.Of[v] = Place{Space: Params}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pl.Program.Outputs)) {
		v := pl.Program.Outputs[name]
		if m.Of[v].Space == Nowhere {
			m.Of[v] = take(Outputs, pl.SizeOf(v))
		}
	}
	for _, u := range pl.Units {
		var at Place
		if u.Kernel != nil && u.Kernel.Counters > 0 {
			at = take(Arena, u.Kernel.Counters)
		}
		m.Counter = append(m.Counter, at)
	}
	for _, u := range pl.Units {
		var at Place
		if u.Kernel != nil && u.Kernel.Partial > 0 {
			at = take(Arena, u.Kernel.Partial)
		}
		m.Partial = append(m.Partial, at)
		for _, v := range u.Reads {
			if pl.Program.Values[v].Kind == core.Const && m.Of[v].Space == Nowhere {
				m.Of[v] = take(Arena, 1)
				m.Consts = append(m.Consts, v)
			}
		}
	}
	pl.share(m)
	return m
}

// share places the values that are needed only for a time.
func (pl *Schedule) share(m *Placement) {
	above := pl.ancestries()
	left := map[int]int{} // number of readers still to come
	for _, u := range pl.Units {
		for _, v := range u.Reads {
			left[v]++
		}
	}
	var slots []*slot
	of := map[int]*slot{}
	for i, u := range pl.Units {
		for _, v := range u.Writes {
			if m.Of[v].Space != Nowhere {
				continue
			}
			n := pl.SizeOf(v)
			var best *slot
			for _, s := range slots {
				if !pl.ended[v] && s.free && s.size >= n && s.size <= 2*n && s.users.within(above[i]) &&
					(best == nil || s.size < best.size) {
					best = s
				}
			}
			if best == nil {
				best = &slot{offset: m.Size[Arena], size: n}
				m.Size[Arena] += n
				if !pl.ended[v] { // no other launch writes the numbers after its rows
					slots = append(slots, best)
				}
			}
			best.free, best.users = left[v] == 0, newAncestry(len(pl.Units))
			best.users.add(i)
			of[v], m.Of[v] = best, Place{Arena, best.offset}
		}
		for _, v := range u.Reads {
			left[v]--
			if s := of[v]; s != nil {
				s.users.add(i)
				s.free = left[v] == 0
			}
		}
	}
}

// ancestry is a set of launches.
type ancestry []uint64

func newAncestry(n int) ancestry { return make(ancestry, (n+63)/64) }

func (a ancestry) add(i int) { a[i/64] |= 1 << (i % 64) }

func (a ancestry) join(b ancestry) {
	for i, w := range b {
		a[i] |= w
	}
}

func (a ancestry) within(b ancestry) bool {
	for i, w := range a {
		if bits.OnesCount64(w&^b[i]) > 0 {
			return false
		}
	}
	return true
}

// ancestries returns, for each launch, all launches that are done before it starts.
func (pl *Schedule) ancestries() []ancestry {
	above := make([]ancestry, len(pl.Units))
	for i, u := range pl.Units {
		above[i] = newAncestry(len(pl.Units))
		if pl.options.InOrder && i > 0 {
			above[i].add(i - 1)
			above[i].join(above[i-1])
		}
		for _, d := range u.Deps {
			above[i].add(d)
			above[i].join(above[d])
		}
	}
	return above
}
