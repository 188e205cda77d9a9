package feed

import "fmt"

// Draw holds what is drawn of the task of every slot: transitions, a window, a pair of windows, or a pair of sets of
// rows.
//
// Transitions are drawn uniformly, with replacement.
//
// A window is N consecutive transitions: of a trajectory drawn uniformly among those of at least N, from a start drawn
// uniformly on {0, …, length-N}. Where there is no such trajectory the window is the longest one whole (uniformly among
// equally long ones), and the rows it lacks are zero with weight 0. A trajectory that the ring has begun to overwrite
// does not take part in windows, unless it is the only one: then what is left of it counts as a trajectory.
//
// A pair of sets of rows is of one trajectory, drawn in the same way among those of at least two. Every other one of
// its transitions is for the query, the rest for the key; which is drawn too. Each set is N of its transitions, drawn
// uniformly with replacement. Where there is only a trajectory of one transition, both have that.
type Draw struct {
	Kind  Kind
	Store int
	N     int // transitions, or those of each window or set; at least 1
	Pair  Pair
	// ExclusiveEnd never draws a window's last start, length-N, as the TCL paper's printed code does not; a trajectory
	// of N transitions is still taken whole.
	ExclusiveEnd bool
	Skip         int // rows at the beginning of each trajectory that Transitions leaves out
}

// Kind says what of a task is drawn.
type Kind int32

const (
	Transitions Kind = iota // single rows, each drawn by itself
	Window                  // consecutive rows of one trajectory
	WindowPair              // the query, then the key
	RowPair                 // the same, of rows that are not consecutive
)

var kindNames = [...]string{Transitions: "transitions", Window: "window", WindowPair: "window pair",
	RowPair: "row pair"}

func (k Kind) String() string {
	if k >= 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", int32(k))
}

// Pair says where the two windows of a WindowPair come from.
type Pair int32

const (
	// SameTrajectory crops both windows from one trajectory, at independent starts: they may overlap or coincide.
	SameTrajectory Pair = iota
	// SameTask draws a trajectory for each window independently: it may be the same one.
	SameTask
)

var pairNames = [...]string{SameTrajectory: "same-trajectory", SameTask: "same-task"}

func (p Pair) String() string {
	if p >= 0 && int(p) < len(pairNames) {
		return pairNames[p]
	}
	return fmt.Sprintf("Pair(%d)", int32(p))
}

// MarshalText writes the name used in configuration files: same-trajectory or same-task.
func (p Pair) MarshalText() ([]byte, error) {
	if p < 0 || int(p) >= len(pairNames) {
		return nil, fmt.Errorf("feed: no window pair has the number %d", int32(p))
	}
	return []byte(pairNames[p]), nil
}

// UnmarshalText reads a name that MarshalText writes.
func (p *Pair) UnmarshalText(text []byte) error {
	for i, name := range pairNames {
		if string(text) == name {
			*p = Pair(i)
			return nil
		}
	}
	return fmt.Errorf("feed: window pair %q: expected %q or %q", text, SameTrajectory, SameTask)
}

// Windows is the number of windows drawn: 0, 1 or 2.
func (d Draw) Windows() int {
	switch d.Kind {
	case Window:
		return 1
	case WindowPair:
		return 2
	}
	return 0
}

// Sets is how many sets of N rows are drawn: two of a pair, else one.
func (d Draw) Sets() int {
	if d.Kind == WindowPair || d.Kind == RowPair {
		return 2
	}
	return 1
}

// Least is how many transitions a trajectory has that is drawn of, unless there is none such; 0 where no trajectory is
// drawn.
func (d Draw) Least() int {
	switch {
	case d.Windows() > 0:
		return d.N
	case d.Kind == RowPair:
		return 2
	}
	return 0
}

// Picks is how many integers say what was drawn: the row of each transition, set after set, or the first row and the
// length of each window. Rows are counted from the oldest that is kept.
func (d Draw) Picks() int {
	if d.Windows() > 0 {
		return 2 * d.Windows()
	}
	return d.N * d.Sets()
}

// Starts is how many starts a window has in a trajectory of n transitions.
func (d Draw) Starts(n int) int {
	starts := n - min(d.N, n) + 1
	if d.ExclusiveEnd {
		starts = max(1, starts-1)
	}
	return starts
}

// Validate reports a draw that means nothing.
func (d Draw) Validate() error {
	switch {
	case d.Kind < 0 || int(d.Kind) >= len(kindNames):
		return fmt.Errorf("kind %d: kinds are 0 to %d", d.Kind, len(kindNames)-1)
	case d.Pair < 0 || int(d.Pair) >= len(pairNames):
		return fmt.Errorf("window pair %d: pairs are 0 to %d", d.Pair, len(pairNames)-1)
	case d.N < 1:
		return fmt.Errorf("%v of %d rows: must be at least 1", d.Kind, d.N)
	case d.Skip < 0 || d.Skip > 0 && d.Kind != Transitions:
		return fmt.Errorf("%d rows of each trajectory are left out of a draw of kind %v: want 0, or more of "+
			"transitions", d.Skip, d.Kind)
	}
	return nil
}
