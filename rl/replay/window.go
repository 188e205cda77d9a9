package replay

import (
	"fmt"
	"math/rand/v2"

	"nacre/core/feed"
)

// Crop says which window was taken.
type Crop struct {
	Trajectory int64 // id; a buffer never uses one twice
	Start      int   // first step of the window within its trajectory
	Len        int   // transitions in the window: w, or fewer if Short
	Short      bool  // no trajectory had w transitions; the window is the longest trajectory as a whole
}

// PairCrop says which pair of windows was taken.
type PairCrop struct {
	Query, Key Crop
	Overlap    int // transitions that are in both windows
}

// Short reports whether either window is short.
func (p PairCrop) Short() bool { return p.Query.Short || p.Key.Short }

// Window crops a window by the rule of d into the first d.N rows of dst. The fields Kind and Pair of d do not matter.
// The rows that a short window leaves over are zero with weight 0; see Context.
//
// The error is ErrEmpty, or says that d is not valid or that dst, which must have weights, is too short.
func (t *Task) Window(r *rand.Rand, d feed.Draw, nextObs bool, dst Context) (Crop, error) {
	d.Kind = feed.Window
	if err := t.checkDraw(d, nextObs, dst); err != nil {
		return Crop{}, err
	}
	var to [2]int
	if err := t.Draw(r, d, to[:]); err != nil {
		return Crop{}, err
	}
	t.copyWindow(to[0], to[1], d.N, nextObs, dst)
	return t.cropped(to[:], d.N), nil
}

// WindowPair crops two windows, the query and the key, by the rule of d. The field Kind of d does not matter.
func (t *Task) WindowPair(r *rand.Rand, d feed.Draw, nextObs bool, query, key Context) (PairCrop, error) {
	d.Kind = feed.WindowPair
	if err := t.checkDraw(d, nextObs, query); err != nil {
		return PairCrop{}, err
	}
	if err := t.checkDraw(d, nextObs, key); err != nil {
		return PairCrop{}, err
	}
	var to [4]int
	if err := t.Draw(r, d, to[:]); err != nil {
		return PairCrop{}, err
	}
	t.copyWindow(to[0], to[1], d.N, nextObs, query)
	t.copyWindow(to[2], to[3], d.N, nextObs, key)
	return PairCrop{Query: t.cropped(to[:2], d.N), Key: t.cropped(to[2:], d.N), Overlap: overlap(to[:])}, nil
}

// cropped describes a window.
func (t *Task) cropped(at []int, w int) Crop {
	start := t.first + int64(at[0])
	tr := t.owner(start)
	return Crop{Trajectory: tr.id, Start: int(start - tr.start), Len: at[1], Short: at[1] < w}
}

// overlap is the number of rows that are in both windows of a pair; those of two trajectories share none.
func overlap(at []int) int { return max(0, min(at[0]+at[1], at[2]+at[3])-max(at[0], at[2])) }

func (t *Task) checkDraw(d feed.Draw, nextObs bool, dst Context) error {
	if err := d.Validate(); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if t.Len() == 0 {
		return ErrEmpty
	}
	return dst.check(d.N, t.dims.ContextWidth(nextObs), true)
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

// Draw draws by the rule of d, which must be valid, from the stream r. It writes d.Picks() integers into the slice
// `to`: the row of each transition, set after set, or the first row and the length of each window. Rows are counted
// from the oldest row that is kept. The error is ErrEmpty, or it says that d.Skip leaves out all rows of the newest
// trajectory.
func (t *Task) Draw(r *rand.Rand, d feed.Draw, to []int) error {
	if t.Len() == 0 {
		return ErrEmpty
	}
	if d.Kind == feed.Transitions {
		return t.drawRows(r, d, to)
	}
	whole, least, count := t.candidates(d.Least())
	tr := t.choose(r, whole, least, count)
	if d.Kind == feed.RowPair {
		t.halves(r, tr, d.N, to)
		return nil
	}
	to[0], to[1] = t.crop(r, tr, d)
	if d.Kind == feed.Window {
		return nil
	}
	if d.Pair == feed.SameTask {
		tr = t.choose(r, whole, least, count)
	}
	to[2], to[3] = t.crop(r, tr, d)
	return nil
}

// halves draws n rows of every other of a trajectory's, then n of the others.
func (t *Task) halves(r *rand.Rand, tr *traj, n int, to []int) {
	first, kept := t.kept(tr)
	from, parity := int(first-t.first), r.IntN(2)
	if kept == 1 {
		parity = 0
	}
	for set := range 2 {
		for k := range n {
			to[set*n+k] = from + parity + 2*r.IntN((kept-parity+1)/2)
		}
		if kept > 1 {
			parity = 1 - parity
		}
	}
}

func (t *Task) drawRows(r *rand.Rand, d feed.Draw, to []int) error {
	if err := t.leaves(d.Skip); err != nil {
		return err
	}
	for k := range to[:d.N] {
		to[k] = t.uniform(r, d.Skip)
	}
	return nil
}

// leaves reports that nothing is left where skip rows of each trajectory are left out.
func (t *Task) leaves(skip int) error {
	if newest := t.trajs[len(t.trajs)-1]; newest.len <= skip {
		return fmt.Errorf("replay: a trajectory of %d transitions, of which %d are left out", newest.len, skip)
	}
	return nil
}

// uniform draws a row, counted from the oldest kept, among those not below skip in their trajectory.
func (t *Task) uniform(r *rand.Rand, skip int) int {
	for {
		if row := r.IntN(t.Len()); skip == 0 || t.step(row) >= skip {
			return row
		}
	}
}

// step is a row's number in its trajectory.
func (t *Task) step(row int) int {
	n := t.first + int64(row)
	return int(n - t.owner(n).start)
}

// choose draws one of the count trajectories with at least least rows kept.
func (t *Task) choose(r *rand.Rand, whole []traj, least, count int) *traj {
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

// crop draws the start of a window in tr and returns its first row, counted from the oldest kept, and its length.
func (t *Task) crop(r *rand.Rand, tr *traj, d feed.Draw) (from, m int) {
	first, n := t.kept(tr)
	return int(first-t.first) + r.IntN(d.Starts(n)), min(d.N, n)
}

// copyWindow writes m consecutive rows as context rows of weight 1, and the w-m it lacks as zeros of weight 0.
func (t *Task) copyWindow(from, m, w int, nextObs bool, dst Context) {
	t.copyContext(t.first+int64(from), m, nextObs, dst)
	width := t.dims.ContextWidth(nextObs)
	clear(dst.Rows[m*width : w*width])
	clear(dst.Weights[m:w])
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

// TrajectoryContext writes transitions start … start+n-1 of the kept part of trajectory i as context rows. The error
// says that the range is outside the trajectory or that dst is too short.
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
