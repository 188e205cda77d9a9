package replay

import (
	"fmt"
	"math/rand/v2"
)

// Histories receives transitions, each with the rows before it. A history has `window` context rows [o, a, r] side by
// side, the oldest first. Rows before the trajectory's beginning are zero.
type Histories struct {
	Rows
	Before []float32 // n × window·width: the rows before the transition
	After  []float32 // n × window·width: the same one step later; the last row is the transition itself
}

// NewHistories makes room for n transitions, each with histories of `window` rows.
func (d Dims) NewHistories(n, window int) Histories {
	size := n * window * d.ContextWidth(false)
	return Histories{Rows: d.NewRows(n), Before: make([]float32, size), After: make([]float32, size)}
}

func (h Histories) check(d Dims, n, window int) error {
	if window < 1 {
		return fmt.Errorf("replay: histories of %d rows: must be at least 1", window)
	}
	if need := n * window * d.ContextWidth(false); len(h.Before) < need || len(h.After) < need {
		return fmt.Errorf("replay: histories hold %d and %d numbers, %d transitions need %d", len(h.Before),
			len(h.After), n, need)
	}
	return h.Rows.check(d, n)
}

// Histories draws n transitions uniformly with replacement, leaving out the first skip of each trajectory, into the
// first n rows of dst. Where the ring has overwritten the beginning of a trajectory its histories begin later.
func (t *Task) Histories(r *rand.Rand, n, window, skip int, dst Histories) error {
	if t.Len() == 0 {
		return ErrEmpty
	}
	if err := dst.check(t.dims, n, window); err != nil {
		return err
	}
	if err := t.leaves(skip); err != nil {
		return err
	}
	for k := range n {
		at := t.first + int64(t.uniform(r, skip))
		t.history(t.owner(at), at, window, k, dst)
	}
	return nil
}

// TrajectoryHistories writes transitions start … start+n-1 of the kept part of trajectory i.
func (t *Task) TrajectoryHistories(i, start, n, window int, dst Histories) error {
	if i < 0 || i >= len(t.trajs) {
		return fmt.Errorf("replay: trajectory %d: there are %d", i, len(t.trajs))
	}
	tr := &t.trajs[i]
	first, kept := t.kept(tr)
	if start < 0 || n < 0 || start+n > kept {
		return fmt.Errorf("replay: transitions %d to %d of a trajectory of %d", start, start+n, kept)
	}
	if err := dst.check(t.dims, n, window); err != nil {
		return err
	}
	for k := range n {
		t.history(tr, first+int64(start+k), window, k, dst)
	}
	return nil
}

// history writes row at of trajectory tr, with its histories, as row k of dst.
func (t *Task) history(tr *traj, at int64, window, k int, dst Histories) {
	t.transition(at, k, dst.Rows)
	first, _ := t.kept(tr)
	size := window * t.dims.ContextWidth(false)
	t.past(first, at-1, window, dst.Before[k*size:(k+1)*size])
	t.past(first, at, window, dst.After[k*size:(k+1)*size])
}

// past writes window context rows up to row last, those before row first as zeros.
func (t *Task) past(first, last int64, window int, dst []float32) {
	width, stride := t.dims.ContextWidth(false), t.stride()
	n := min(int(last-first)+1, window)
	clear(dst[:(window-n)*width])
	p := int((last - int64(n) + 1) % int64(t.capacity)) // positions follow one another, so that one division is enough
	for dst = dst[(window-n)*width : window*width]; len(dst) > 0; dst = dst[width:] {
		at := p % chunkRows * stride
		copy(dst[:width], t.chunks[p/chunkRows][at:at+width])
		if p++; p == t.capacity {
			p = 0
		}
	}
}
