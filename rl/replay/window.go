package replay

import (
	"fmt"
	"math/rand/v2"
)

// Pair says where the two windows of a WindowPair come from.
type Pair uint8

const (
	// SameTrajectory crops both windows from one trajectory, at independent starts: they may overlap or coincide.
	SameTrajectory Pair = iota
	// SameTask draws a trajectory for each window independently: it may be the same one.
	SameTask
)

var pairNames = [...]string{SameTrajectory: "same-trajectory", SameTask: "same-task"}

func (p Pair) String() string {
	if int(p) < len(pairNames) {
		return pairNames[p]
	}
	return fmt.Sprintf("Pair(%d)", uint8(p))
}

// MarshalText writes the name used in configuration files: same-trajectory or same-task.
func (p Pair) MarshalText() ([]byte, error) {
	if int(p) >= len(pairNames) {
		return nil, fmt.Errorf("replay: no window pair has the number %d", uint8(p))
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
	return fmt.Errorf("replay: window pair %q: expected %q or %q", text, SameTrajectory, SameTask)
}

// CropRule says how windows are cropped from trajectories.
type CropRule struct {
	Window int // w, consecutive transitions; at least 1
	// ExclusiveEnd never draws the last start, len−w, as the TCL paper's printed code does not; a trajectory of w
	// transitions is still taken whole.
	ExclusiveEnd bool
}

// Crop says which window was taken.
type Crop struct {
	Trajectory int64 // id; a buffer never uses one twice
	Start      int   // first step of the window within its trajectory
	Len        int   // transitions in the window: w, or fewer if Short
	Short      bool  // no trajectory had w transitions; the window is the longest one whole
}

// PairCrop says which pair of windows was taken.
type PairCrop struct {
	Query, Key Crop
	Overlap    int // transitions that are in both windows
}

// Short tells whether either window is.
func (p PairCrop) Short() bool { return p.Query.Short || p.Key.Short }

// Window crops w = c.Window consecutive transitions into the first w rows of dst: a trajectory uniformly among those
// of at least w transitions, then the start uniformly on {0, …, len-w}. If there is none, the window is the longest
// trajectory whole (uniformly among equally long ones), Crop.Short is set, and the rows left over are zero with
// weight 0; see Context.
//
// A trajectory that the ring has begun to overwrite does not take part, unless it is the only one: then what is
// left of it counts as a trajectory.
//
// The error is ErrEmpty, or says that w is below 1 or that dst, which must have weights, is too short.
func (t *Task) Window(r *rand.Rand, c CropRule, nextObs bool, dst Context) (Crop, error) {
	if err := t.checkWindow(c.Window, nextObs, dst); err != nil {
		return Crop{}, err
	}
	return t.crop(r, t.choose(r, c.Window), c, nextObs, dst), nil
}

// WindowPair crops two windows, the query and the key, each as Window does, from the same
// trajectory or from the same task.
func (t *Task) WindowPair(r *rand.Rand, c CropRule, pair Pair, nextObs bool, query, key Context) (PairCrop, error) {
	if err := t.checkWindow(c.Window, nextObs, query); err != nil {
		return PairCrop{}, err
	}
	if err := t.checkWindow(c.Window, nextObs, key); err != nil {
		return PairCrop{}, err
	}
	tr := t.choose(r, c.Window)
	var p PairCrop
	p.Query = t.crop(r, tr, c, nextObs, query)
	if pair == SameTask {
		tr = t.choose(r, c.Window)
	}
	p.Key = t.crop(r, tr, c, nextObs, key)
	if q, k := p.Query, p.Key; q.Trajectory == k.Trajectory {
		p.Overlap = max(0, min(q.Start+q.Len, k.Start+k.Len)-max(q.Start, k.Start))
	}
	return p, nil
}

func (t *Task) checkWindow(w int, nextObs bool, dst Context) error {
	if w < 1 {
		return fmt.Errorf("replay: window of %d transitions: must be at least 1", w)
	}
	if t.Len() == 0 {
		return ErrEmpty
	}
	return dst.check(w, t.dims.ContextWidth(nextObs), true)
}

// kept is the first kept row of a trajectory and the number of its rows that are kept.
func (t *Task) kept(tr *traj) (first int64, n int) {
	first = max(tr.start, t.first)
	return first, int(tr.start + int64(tr.len) - first)
}

// candidates are trajectories of which count, those with at least least rows kept, may be chosen by the rule of Window.
func (t *Task) candidates(w int) (whole []traj, least, count int) {
	whole = t.trajs
	if len(whole) > 1 && whole[0].start < t.first {
		whole = whole[1:]
	}
	longest := 0
	for i := range whole {
		_, n := t.kept(&whole[i])
		longest = max(longest, n)
	}
	least = min(w, longest)
	for i := range whole {
		if _, n := t.kept(&whole[i]); n >= least {
			count++
		}
	}
	return whole, least, count
}

// choose draws a trajectory by the rule of Window.
func (t *Task) choose(r *rand.Rand, w int) *traj {
	whole, least, count := t.candidates(w)
	k := r.IntN(count)
	for i := range whole {
		if _, n := t.kept(&whole[i]); n < least {
			continue
		}
		if k == 0 {
			return &whole[i]
		}
		k--
	}
	panic("replay: counted a trajectory that is not there")
}

// crop draws the start of a window in tr and writes the window.
func (t *Task) crop(r *rand.Rand, tr *traj, c CropRule, nextObs bool, dst Context) Crop {
	w := c.Window
	first, n := t.kept(tr)
	m := min(w, n)
	starts := n - m + 1
	if c.ExclusiveEnd {
		starts = max(1, starts-1)
	}
	start := first + int64(r.IntN(starts))
	t.copyContext(start, m, nextObs, dst)
	width := t.dims.ContextWidth(nextObs)
	clear(dst.Rows[m*width : w*width])
	clear(dst.Weights[m:w])
	return Crop{Trajectory: tr.id, Start: int(start - tr.start), Len: m, Short: m < w}
}

// copyContext writes m consecutive rows from start on as context rows of weight 1.
func (t *Task) copyContext(start int64, m int, nextObs bool, dst Context) {
	width := t.dims.ContextWidth(nextObs)
	for k := range m {
		t.contextRow(start+int64(k), nextObs, dst.Rows[k*width:(k+1)*width])
		if dst.Weights != nil {
			dst.Weights[k] = 1
		}
	}
}

// Trajectory describes a kept trajectory.
type Trajectory struct {
	ID   int64
	Len  int // transitions kept
	Lost int // transitions at its beginning that were overwritten
	Done bool
}

// Trajectories is the number of trajectories of which at least one transition is kept.
func (t *Task) Trajectories() int { return len(t.trajs) }

// Trajectory describes trajectory i, 0 ≤ i < Trajectories(), oldest first.
func (t *Task) Trajectory(i int) Trajectory {
	tr := &t.trajs[i]
	first, n := t.kept(tr)
	_, end := t.row(first + int64(n) - 1)
	return Trajectory{ID: tr.id, Len: n, Lost: tr.len - n, Done: end == terminal}
}

// TrajectoryContext writes transitions start … start+n-1 of what is kept of trajectory i as context rows.
// The error says that the range is outside the trajectory or that dst is too short.
func (t *Task) TrajectoryContext(i, start, n int, nextObs bool, dst Context) error {
	if i < 0 || i >= len(t.trajs) {
		return fmt.Errorf("replay: trajectory %d: there are %d", i, len(t.trajs))
	}
	first, kept := t.kept(&t.trajs[i])
	if start < 0 || n < 0 || start+n > kept {
		return fmt.Errorf("replay: transitions %d to %d of a trajectory of %d", start, start+n, kept)
	}
	if err := dst.check(n, t.dims.ContextWidth(nextObs), false); err != nil {
		return err
	}
	t.copyContext(first+int64(start), n, nextObs, dst)
	return nil
}
