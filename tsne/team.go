package tsne

import "unsafe"

// Team is several programs that compute the same layout of the same data together. Each program does a part of the
// work. A team replaces goroutines if a program has only one thread, as in a browser. Each program starts an
// Optimization of its own WithTeam and makes the same calls of Start, Step, SetPlan and SetPerplexity. The layout is
// the same as with one program. The programs share the search for neighbours, the perplexities and the attraction. With
// a field on a grid they also share the work of spreading points to the grid and reading from it. Each program does the
// rest by itself.
type Team interface {
	// Place returns the number of this program, counted from 0, and the number of programs.
	Place() (rank, of int)
	// Share completes b in all programs. All programs call it with the same number of bytes and the same cuts; program
	// r has computed b[cuts[r]:cuts[r+1]]. It returns once b is complete here, or an error if a program is gone.
	Share(b []byte, cuts []int) error
}

// WithTeam shares the work with other programs.
func WithTeam(team Team) Option {
	return func(t *TSNE) {
		t.team = &member{team: team}
		t.team.rank, t.team.of = team.Place()
	}
}

// member is a program's part in a team.
type member struct {
	team     Team
	rank, of int
	cuts     []int
	err      error // first error; values computed after it are worthless
}

// alone is the one program that computes a layout.
func alone() *member { return &member{of: 1} }

// even returns where every program's part of n values begins, and where the last part ends. The cuts are multiples of
// unit.
func (m *member) even(n, unit int) []int {
	units, first := (n+unit-1)/unit, make([]int, m.of+1)
	for r := range first {
		first[r] = min(units*r/m.of*unit, n)
	}
	return first
}

// byWork returns where every program's part of some units begins. The work of unit i is ends[i+1] − ends[i].
func (m *member) byWork(ends []int32) []int {
	units, first := len(ends)-1, make([]int, m.of+1)
	for r := 1; r <= m.of; r++ {
		first[r] = first[r-1]
		for first[r] < units && (r == m.of || int(ends[first[r]]) < int(ends[units])*r/m.of) {
			first[r]++
		}
	}
	return first
}

// share completes v. Program r has computed its elements each·first[r] to each·first[r+1].
func share[T float32 | float64 | int32](m *member, v []T, first []int, each int) {
	if m.of == 1 || m.err != nil {
		return
	}
	size := int(unsafe.Sizeof(v[0]))
	m.cuts = m.cuts[:0]
	for _, at := range first {
		m.cuts = append(m.cuts, at*each*size)
	}
	m.err = m.team.Share(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*size), m.cuts)
}
