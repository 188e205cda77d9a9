package cuda

import (
	"math/bits"

	"nacre/core"
)

// space says which allocation a value lies in.
type space uint8

const (
	nowhere space = iota
	params        // of the memory
	inputs        // written by the host
	outputs       // read by the host
	arena         // everything else; values share room
)

// place is where a value lies: a number of floats from the start of a space.
type place struct {
	space  space
	offset int
}

// placement is the memory plan of a program: fixed before it runs.
type placement struct {
	of      []place // by value
	size    [arena + 1]int
	partial []place // by unit: partial sums
	counter []place // by unit: counters, zero before and after every run
	zeroed  [2]int  // the part of the arena that holds them
	consts  []int   // constants that lie in the arena
}

// align is the granularity of places, in floats: 256 bytes.
const align = 64

func roundUp(n int) int { return (n + align - 1) / align * align }

// sizeOf is the floats a value takes.
func (pl *plan) sizeOf(v int) int {
	x := pl.p.Values[v]
	return roundUp(x.Rows * pitchOf(x.Cols))
}

// slot is room in the arena and the units that have used it so far.
type slot struct {
	offset, size int
	users        ancestry
	free         bool
}

// placeValues gives every stored value its place. Two values share room only where every unit that touches the first is
// an ancestor of the one that writes the second, whatever the branches do.
func (pl *plan) placeValues() *placement {
	m := &placement{of: make([]place, len(pl.p.Values))}
	take := func(s space, n int) place {
		at := place{s, m.size[s]}
		m.size[s] += roundUp(n)
		return at
	}
	for v, x := range pl.p.Values {
		switch {
		case x.Kind == core.Input:
			m.of[v] = take(inputs, pl.sizeOf(v))
		case x.Kind == core.Param:
			m.of[v] = place{space: params}
		}
	}
	for _, v := range pl.p.Outputs {
		if m.of[v].space == nowhere {
			m.of[v] = take(outputs, pl.sizeOf(v))
		}
	}
	for _, u := range pl.units {
		var at place
		if u.kernel != nil && u.kernel.counters > 0 {
			at = take(arena, u.kernel.counters)
		}
		m.counter = append(m.counter, at)
	}
	m.zeroed = [2]int{0, m.size[arena]}
	for _, u := range pl.units {
		var at place
		if u.kernel != nil && u.kernel.partial > 0 {
			at = take(arena, u.kernel.partial)
		}
		m.partial = append(m.partial, at)
		for _, v := range u.reads {
			if pl.p.Values[v].Kind == core.Const && m.of[v].space == nowhere {
				m.of[v] = take(arena, 1)
				m.consts = append(m.consts, v)
			}
		}
	}
	pl.share(m)
	return m
}

// share places the values that come and go.
func (pl *plan) share(m *placement) {
	above := pl.ancestries()
	left := map[int]int{} // readers still to come
	for _, u := range pl.units {
		for _, v := range u.reads {
			left[v]++
		}
	}
	var slots []*slot
	of := map[int]*slot{}
	for i, u := range pl.units {
		for _, v := range u.writes {
			if m.of[v].space != nowhere {
				continue
			}
			n := pl.sizeOf(v)
			var best *slot
			for _, s := range slots {
				if s.free && s.size >= n && s.size <= 2*n && s.users.within(above[i]) && (best == nil || s.size < best.size) {
					best = s
				}
			}
			if best == nil {
				best = &slot{offset: m.size[arena], size: n}
				m.size[arena] += n
				slots = append(slots, best)
			}
			best.free, best.users = left[v] == 0, newAncestry(len(pl.units))
			best.users.add(i)
			of[v], m.of[v] = best, place{arena, best.offset}
		}
		for _, v := range u.reads {
			left[v]--
			if s := of[v]; s != nil {
				s.users.add(i)
				s.free = left[v] == 0
			}
		}
	}
}

// ancestry is a set of units.
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

// ancestries is, by unit, all units that are done before it starts.
func (pl *plan) ancestries() []ancestry {
	above := make([]ancestry, len(pl.units))
	for i, u := range pl.units {
		above[i] = newAncestry(len(pl.units))
		for _, d := range u.deps {
			above[i].add(d)
			above[i].join(above[d])
		}
	}
	return above
}
