// Package replay keeps collected transitions, task by task, and draws training data from them. The losses of
// reinforcement learning get independent transitions. The context gets independent transitions, or windows of
// consecutive ones.
//
// A Buffer has two ring buffers for each task, as PEARL does: RL holds everything, Enc only the most recent collection,
// so that contexts come from a recent policy. The package contains no algorithm and opens no files: a checkpoint gives
// it a writer or a reader. Samples depend only on the content and on the given random stream. Sampling allocates
// nothing.
//
//	d := replay.Dims{Obs: 2, Act: 2}
//	buf, err := replay.NewBuffer(d, len(train), 1_000_000)
//	buf.ClearEnc(task)            // a task is about to be collected again
//	buf.AddBoth(task, trajectory) // RL and Enc
//	batch := d.NewRows(256)
//	buf.RL[task].Transitions(r, 256, batch)
//	query, key := d.NewContext(64, false), d.NewContext(64, false)
//	crop, err := buf.Enc[task].WindowPair(r, feed.Draw{N: 64}, false, query, key)
//
// A feed.Recipe describes what an update draws. A Sampler executes it on the host:
//
//	s, err := replay.NewSampler(recipe)
//	record, err := s.Sample(r, [][]*replay.Task{buf.RL, buf.Enc})
//	err = s.Write(run, nil)
package replay

import (
	"fmt"

	"nacre/sim"
)

// Dims are the sizes of an observation and of an action.
type Dims struct{ Obs, Act int }

// ContextWidth is the length of a context row [o, a, r] or, with nextObs, [o, a, r, o'].
func (d Dims) ContextWidth(nextObs bool) int {
	w := d.Obs + d.Act + 1
	if nextObs {
		w += d.Obs
	}
	return w
}

// Bytes is the memory of so many stored transitions.
func (d Dims) Bytes(rows int64) int64 { return rows * int64(4*(d.Obs+d.Act+2)+1) }

// Rows receives transitions, one per row, row-major. A slice may be longer than needed; the rest is left alone.
type Rows struct {
	Obs     []float32 // n×Dims.Obs
	Act     []float32 // n×Dims.Act
	Reward  []float32 // n
	Done    []float32 // n; 1 where the transition reached a true terminal, 0 elsewhere, the horizon included
	NextObs []float32 // n×Dims.Obs
}

// NewRows makes room for n transitions.
func (d Dims) NewRows(n int) Rows {
	return Rows{
		Obs: make([]float32, n*d.Obs), Act: make([]float32, n*d.Act),
		Reward: make([]float32, n), Done: make([]float32, n),
		NextObs: make([]float32, n*d.Obs),
	}
}

// From is the part of rows that starts at row k, so that the tasks of a meta-batch can be stacked in one matrix.
func (rows Rows) From(d Dims, k int) Rows {
	return Rows{
		Obs: rows.Obs[k*d.Obs:], Act: rows.Act[k*d.Act:],
		Reward: rows.Reward[k:], Done: rows.Done[k:],
		NextObs: rows.NextObs[k*d.Obs:],
	}
}

// check reports a slice without room for n rows.
func (rows Rows) check(d Dims, n int) error {
	for _, s := range []struct {
		name      string
		have, row int
	}{
		{"Obs", len(rows.Obs), d.Obs}, {"Act", len(rows.Act), d.Act}, {"Reward", len(rows.Reward), 1},
		{"Done", len(rows.Done), 1}, {"NextObs", len(rows.NextObs), d.Obs},
	} {
		if s.have < n*s.row {
			return fmt.Errorf("replay: %s holds %d numbers, %d transitions need %d×%d = %d",
				s.name, s.have, n, n, s.row, n*s.row)
		}
	}
	return nil
}

// Context receives context rows and their weights. The reward in a row is the trajectory's CtxReward.
//
// A program with static shapes always receives the same number of rows. If a window has fewer transitions than rows,
// the remaining rows are zero and have weight 0. If the precision of each factor is multiplied by its weight, the
// product of Gaussians
//
//	1/var = Σ_n w_n/var_n,   mu = var · Σ_n w_n·mu_n/var_n
//
// is exactly the product over the rows of weight 1.
type Context struct {
	Rows    []float32 // n×Dims.ContextWidth, row-major
	Weights []float32 // n; 1 for a transition, 0 for filling. Nil if all rows are known to be filled
}

// NewContext makes room for n context rows.
func (d Dims) NewContext(n int, nextObs bool) Context {
	return Context{Rows: make([]float32, n*d.ContextWidth(nextObs)), Weights: make([]float32, n)}
}

// From is the part of c that starts at row k, for rows of the given width.
func (c Context) From(width, k int) Context {
	c.Rows = c.Rows[k*width:]
	if c.Weights != nil {
		c.Weights = c.Weights[k:]
	}
	return c
}

// check reports a slice without room for n rows of the given width. Weights may be nil if that is allowed.
func (c Context) check(n, width int, needWeights bool) error {
	if len(c.Rows) < n*width {
		return fmt.Errorf("replay: context rows hold %d numbers, %d rows need %d×%d = %d",
			len(c.Rows), n, n, width, n*width)
	}
	if (needWeights || c.Weights != nil) && len(c.Weights) < n {
		return fmt.Errorf("replay: context weights hold %d numbers, %d rows need %d", len(c.Weights), n, n)
	}
	return nil
}

// Valid is the number of rows of weight 1, which come first.
func (c Context) Valid() int {
	n := 0
	for n < len(c.Weights) && c.Weights[n] > 0 {
		n++
	}
	return n
}

// AppendContext appends the transitions of a trajectory to dst as context rows.
func (d Dims) AppendContext(dst []float32, tr *sim.Trajectory, nextObs bool) []float32 {
	for i := range tr.Len {
		dst = append(dst, tr.Obs[i*d.Obs:(i+1)*d.Obs]...)
		dst = append(dst, tr.Act[i*d.Act:(i+1)*d.Act]...)
		dst = append(dst, tr.CtxReward[i])
		if nextObs {
			dst = append(dst, tr.Obs[(i+1)*d.Obs:(i+2)*d.Obs]...)
		}
	}
	return dst
}
