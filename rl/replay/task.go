package replay

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/sim"
)

// ErrEmpty is returned when a buffer without transitions is sampled.
var ErrEmpty = errors.New("replay: nothing collected yet")

// chunkRows is the unit in which storage grows: small enough that a hundred tasks with a few thousand wide rows
// each waste little, large enough that chunks are few.
const chunkRows = 1024

// How the trajectory continues after a row.
const (
	inner    uint8 = iota // the next row follows
	limit                 // last row, cut by the horizon
	terminal              // last row, ended by the task
)

// Task is the ring buffer of one task: transitions in float32, in the order of collection, with the boundaries of
// their trajectories. Storage grows with the content up to the capacity; then the oldest transitions are
// overwritten first. A Task is not safe for concurrent use.
type Task struct {
	dims     Dims
	capacity int

	// A row is [o, a, context reward, reward], so that a context row is one copy. The next observation is the next
	// row's, or the trajectory's final one: storing it twice would double the memory.
	chunks [][]float32
	ends   [][]uint8 // per chunk and row: inner, limit or terminal

	first, next int64 // rows ever added, up to the oldest kept and up to the newest; row n lies at n mod capacity
	trajs       []traj
	nextID      int64
	era         int64 // counts how often the content was thrown away
}

// traj is a trajectory with at least one row left. Rows before Task.first are gone.
type traj struct {
	id    int64
	start int64
	len   int
	final []float32 // the observation after the last action
}

// NewTask makes an empty buffer for at most capacity transitions. It allocates no rows.
func NewTask(d Dims, capacity int) *Task { return &Task{dims: d, capacity: capacity} }

// Dims returns the sizes given to NewTask.
func (t *Task) Dims() Dims { return t.dims }

// Capacity is the largest number of transitions kept.
func (t *Task) Capacity() int { return t.capacity }

// Len is the number of transitions kept.
func (t *Task) Len() int { return int(t.next - t.first) }

// Clear removes all transitions and keeps the memory for the next ones. Trajectory ids go on counting.
func (t *Task) Clear() {
	t.first, t.next = 0, 0
	t.era++
	clear(t.trajs)
	t.trajs = t.trajs[:0]
}

// Bytes is the memory held, in bytes.
func (t *Task) Bytes() int64 {
	var n int64
	for i := range t.chunks {
		n += 4*int64(len(t.chunks[i])) + int64(len(t.ends[i]))
	}
	const trajBytes = 48
	return n + int64(cap(t.trajs))*trajBytes + int64(len(t.trajs))*int64(t.dims.Obs)*4
}

// Add appends a trajectory. If it is longer than the capacity, only its last transitions are kept. An error means that
// nothing was added, because the trajectory's slices do not have the lengths that sim.Trajectory gives.
func (t *Task) Add(tr *sim.Trajectory) error {
	if err := t.check(tr); err != nil {
		return err
	}
	d, start := t.dims, t.next
	for i := max(0, tr.Len-t.capacity); i < tr.Len; i++ {
		row, end := t.grow(start + int64(i))
		copy(row, tr.Obs[i*d.Obs:(i+1)*d.Obs])
		copy(row[d.Obs:], tr.Act[i*d.Act:(i+1)*d.Act])
		row[d.Obs+d.Act] = tr.CtxReward[i]
		row[d.Obs+d.Act+1] = tr.Reward[i]
		*end = inner
		if i == tr.Len-1 {
			*end = limit
			if tr.Done {
				*end = terminal
			}
		}
	}
	final := append([]float32(nil), tr.Obs[tr.Len*d.Obs:(tr.Len+1)*d.Obs]...)
	t.trajs = append(t.trajs, traj{id: t.nextID, start: start, len: tr.Len, final: final})
	t.nextID++
	t.next = start + int64(tr.Len)
	t.first = max(t.first, t.next-int64(t.capacity))
	for t.trajs[0].start+int64(t.trajs[0].len) <= t.first {
		t.trajs[0] = traj{}
		t.trajs = t.trajs[1:]
	}
	return nil
}

func (t *Task) check(tr *sim.Trajectory) error {
	switch d := t.dims; {
	case d.Obs < 1 || d.Act < 1:
		return fmt.Errorf("replay: observations of %d and actions of %d numbers: both must be at least 1", d.Obs, d.Act)
	case t.capacity < 1:
		return fmt.Errorf("replay: capacity %d: must be at least 1 transition", t.capacity)
	case tr.Len < 1:
		return fmt.Errorf("replay: trajectory of length %d: must be at least 1", tr.Len)
	case len(tr.Obs) != (tr.Len+1)*d.Obs:
		return fmt.Errorf("replay: trajectory of length %d has %d observation values, expected %d×%d",
			tr.Len, len(tr.Obs), tr.Len+1, d.Obs)
	case len(tr.Act) != tr.Len*d.Act:
		return fmt.Errorf("replay: trajectory of length %d has %d action values, expected %d×%d",
			tr.Len, len(tr.Act), tr.Len, d.Act)
	case len(tr.Reward) != tr.Len || len(tr.CtxReward) != tr.Len:
		return fmt.Errorf("replay: trajectory of length %d has %d rewards and %d context rewards",
			tr.Len, len(tr.Reward), len(tr.CtxReward))
	}
	return nil
}

// stride is the length of a stored row.
func (t *Task) stride() int { return t.dims.Obs + t.dims.Act + 2 }

// grow returns the storage of row n, which it makes if need be.
func (t *Task) grow(n int64) (row []float32, end *uint8) {
	p := int(n % int64(t.capacity))
	c := p / chunkRows
	for len(t.chunks) <= c {
		t.chunks = append(t.chunks, nil)
		t.ends = append(t.ends, nil)
	}
	if t.chunks[c] == nil {
		rows := min(chunkRows, t.capacity-c*chunkRows)
		t.chunks[c] = make([]float32, rows*t.stride())
		t.ends[c] = make([]uint8, rows)
	}
	row, _ = t.row(n)
	return row, &t.ends[c][p%chunkRows]
}

// row returns a kept row and how the trajectory goes on after it.
func (t *Task) row(n int64) ([]float32, uint8) {
	p := int(n % int64(t.capacity))
	c, k, s := p/chunkRows, p%chunkRows, t.stride()
	return t.chunks[c][k*s : (k+1)*s], t.ends[c][k]
}

// nextObs returns the observation after row n, which goes on as end says.
func (t *Task) nextObs(n int64, end uint8) []float32 {
	if end == inner {
		row, _ := t.row(n + 1)
		return row[:t.dims.Obs]
	}
	return t.owner(n).final
}

// owner is the trajectory of row n.
func (t *Task) owner(n int64) *traj {
	lo, hi := 0, len(t.trajs)-1
	for lo < hi { // the last trajectory that starts at or before n
		mid := (lo + hi + 1) / 2
		if t.trajs[mid].start <= n {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return &t.trajs[lo]
}

// Observations yields the observation of every kept transition, the oldest first. Read it at once; do not keep it.
func (t *Task) Observations(yield func(o []float32) bool) {
	for n := t.first; n < t.next; n++ {
		if row, _ := t.row(n); !yield(row[:t.dims.Obs:t.dims.Obs]) {
			return
		}
	}
}

// Transitions draws n transitions uniformly with replacement into the first n rows of dst. The error is ErrEmpty
// or names a slice that is too short.
func (t *Task) Transitions(r *rand.Rand, n int, dst Rows) error {
	if t.Len() == 0 {
		return ErrEmpty
	}
	d := t.dims
	if err := dst.check(d, n); err != nil {
		return err
	}
	for k := range n {
		t.transition(t.first+int64(t.uniform(r, 0)), k, dst)
	}
	return nil
}

// transition writes row n as row k of dst.
func (t *Task) transition(n int64, k int, dst Rows) {
	d := t.dims
	row, end := t.row(n)
	copy(dst.Obs[k*d.Obs:(k+1)*d.Obs], row)
	copy(dst.Act[k*d.Act:(k+1)*d.Act], row[d.Obs:])
	dst.Reward[k] = row[d.Obs+d.Act+1]
	dst.Done[k] = 0
	if end == terminal {
		dst.Done[k] = 1
	}
	copy(dst.NextObs[k*d.Obs:(k+1)*d.Obs], t.nextObs(n, end))
}

// Context draws n transitions uniformly with replacement into the first n rows of dst and sets their weights, if
// dst has any, to 1. The error is ErrEmpty or names a slice that is too short.
func (t *Task) Context(r *rand.Rand, n int, nextObs bool, dst Context) error {
	if t.Len() == 0 {
		return ErrEmpty
	}
	width := t.dims.ContextWidth(nextObs)
	if err := dst.check(n, width, false); err != nil {
		return err
	}
	for k := range n {
		t.contextRow(t.first+int64(t.uniform(r, 0)), nextObs, dst.Rows[k*width:(k+1)*width])
		if dst.Weights != nil {
			dst.Weights[k] = 1
		}
	}
	return nil
}

// contextRow writes row n as a context row, as long as dst.
func (t *Task) contextRow(n int64, nextObs bool, dst []float32) {
	row, end := t.row(n)
	w := t.dims.ContextWidth(false)
	copy(dst[:w], row)
	if nextObs {
		copy(dst[w:], t.nextObs(n, end))
	}
}
