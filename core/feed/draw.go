package feed

import "fmt"

// Draw says what is drawn from the task of every slot: transitions, a window, a pair of windows, or a pair of sets of
// rows.
//
// Transitions are drawn uniformly, with replacement.
//
// A window is N consecutive transitions. Its trajectory is drawn uniformly among those of at least N transitions, its
// start uniformly on {0, …, length-N}. If no trajectory is that long, the window is the longest trajectory as a whole
// (drawn uniformly if several are equally long), and the missing rows are zero with weight 0. A trajectory that the
// ring has begun to overwrite is not used for windows, unless it is the only one. Then its remaining rows count as a
// trajectory.
//
// A pair of sets of rows comes from one trajectory, drawn in the same way among those of at least two transitions. Its
// transitions belong alternately to the query and to the key. Whether the first belongs to the query or to the key is
// random. Each set has N of its own transitions, drawn uniformly with replacement. If there are only trajectories of
// one transition, both sets get this transition.
type Draw struct {
	Kind  Kind
	Store int
	N     int // number of transitions, or of transitions in each window or set; at least 1
	Pair  Pair
	// ExclusiveEnd excludes a window's last start, length-N, as the TCL paper's printed code does. A trajectory of N
	// transitions is still taken as a whole.
	ExclusiveEnd bool
	Skip         int // rows at the beginning of each trajectory that Transitions leaves out
}

// Kind says what is drawn from a task.
type Kind int32

const (
	Transitions Kind = iota // single rows, each drawn by itself
	Window                  // consecutive rows of one trajectory
	WindowPair              // the query, then the key
	RowPair                 // the same, but of rows that are not consecutive
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

// Sets is how many sets of N rows are drawn: two for a pair, else one.
func (d Draw) Sets() int {
	if d.Kind == WindowPair || d.Kind == RowPair {
		return 2
	}
	return 1
}

// Least is the smallest number of transitions of a trajectory that is drawn from; shorter ones are used only if there
// is no other. It is 0 if no trajectory is drawn.
func (d Draw) Least() int {
	switch {
	case d.Windows() > 0:
		return d.N
	case d.Kind == RowPair:
		return 2
	}
	return 0
}

// Picks is the number of integers that describe what was drawn. They are the row of each transition, set after set, or
// the first row and the length of each window. Rows are counted from the oldest row that is kept.
func (d Draw) Picks() int {
	if d.Windows() > 0 {
		return 2 * d.Windows()
	}
	return d.N * d.Sets()
}

// Starts is the number of possible starts of a window in a trajectory of n transitions.
func (d Draw) Starts(n int) int {
	starts := n - min(d.N, n) + 1
	if d.ExclusiveEnd {
		starts = max(1, starts-1)
	}
	return starts
}

// Validate returns an error if the draw cannot be made.
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
