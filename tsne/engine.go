package tsne

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// Accelerator makes the iterations of two-dimensional layouts on another device than the processor; package tsne/webgpu
// makes them on a GPU. If an accelerator cannot take a layout, or fails later, the processor makes the remaining
// iterations, and a note of the layout says so. A layout by an accelerator differs from the processor's in the last
// bits, but is as good.
type Accelerator interface {
	// Load takes over a layout and reads all of it before it returns. It returns an error if the layout is too large or
	// if the accelerator cannot compute at all.
	Load(ctx context.Context, w Work) (Descent, error)
}

// Work is a layout that an accelerator is to take over.
type Work struct {
	Points int
	// The affinities of point i are Values[16·Ends[i] : 16·Ends[i+1]]. Columns has, at the same indices, the other
	// point of each affinity. The last block of 16 is padded with value 0 and column i.
	Ends, Columns []int32
	Values        []float32
	State         State
}

// State is everything in a layout that iterations change. Each slice holds the two numbers of each point side by side.
type State struct{ Positions, Steps, Gains []float32 }

// Descent is a layout that an accelerator has taken over. It is used by one goroutine at a time.
type Descent interface {
	// Device is the name of the computing device for people, such as "Apple M3 by WebGPU".
	Device() string
	// Advance makes k iterations of a phase, whose LearningRate is not 0 and whose Restart is ignored. A point moves by
	// at most clip in a step. Advance returns how many iterations it made. They are fewer than k if ctx ends or if an
	// error is returned: ErrStretched or an error of the device.
	Advance(ctx context.Context, k int, ph Phase, clip float64) (made int, err error)
	// Read fills s with the state after the iterations made so far. It returns Z, the sum that normalises q_ij, for the
	// layout before the last iteration.
	Read(s State) (z float64, err error)
	// Write replaces the state.
	Write(s State) error
	Close()
}

// ErrStretched says that a layout is too wide for an accelerator's grid.
var ErrStretched = errors.New("the layout is too wide for its grid")

// WithEngine uses the accelerator e for the iterations of two-dimensional layouts whose method is MethodAuto or
// MethodFFT.
func WithEngine(e Accelerator) Option { return func(t *TSNE) { t.engine = e } }

// readEvery is the largest number of iterations between two reads of the state. If a device fails, at most this number
// is lost and made again.
const readEvery = 50

// engage hands the layout to the accelerator, if there is one for it.
func (s *Optimization) engage(ctx context.Context) error {
	e := s.t.engine
	if e == nil || s.dims != 2 || s.recipe.Method != MethodAuto && s.recipe.Method != MethodFFT {
		return nil
	}
	d, err := e.Load(ctx, Work{Points: s.x.n, Ends: s.p.ptr, Columns: s.p.col, Values: s.p.val, State: s.state()})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.notes = append(s.notes, "the processor made the layout: "+err.Error())
		return nil
	}
	s.descent, s.device = d, d.Device()
	own := *s.t // others of a team have nothing to do any more
	own.team = alone()
	s.t = &own
	s.repel = newRepulsion(s.set, own.workers, s.x.n, 2, s.recipe.Method, own.team)
	n := 2 * s.x.n
	s.next = State{Positions: make([]float32, n), Steps: make([]float32, n), Gains: make([]float32, n)}
	return nil
}

// state is the optimization's storage of the values that iterations change.
func (s *Optimization) state() State {
	n := 2 * s.x.n
	return State{Positions: s.y[:n], Steps: s.step[:n], Gains: s.gain[:n]}
}

// advance makes up to k iterations of a phase on the accelerator. If the accelerator then fails to return the state, no
// iteration was made, and the processor continues the layout.
func (s *Optimization) advance(ctx context.Context, k int, ph Phase) (made int, err error) {
	if ph.Restart && !s.begun {
		s.restart()
		if err := s.descent.Write(s.state()); err != nil {
			return 0, s.disengage(err)
		}
	}
	ph.LearningRate = cmp.Or(ph.LearningRate, float64(s.x.n)/ph.Exaggeration)
	clip := cmp.Or(s.recipe.StepClip, math.Inf(1))
	made, failed := s.descent.Advance(ctx, min(k, readEvery), ph, clip)
	if made > 0 {
		z, err := s.descent.Read(s.next)
		if err != nil {
			return 0, s.disengage(err)
		}
		s.z = z
		copy(s.y, s.next.Positions)
		copy(s.step, s.next.Steps)
		copy(s.gain, s.next.Gains)
	}
	if failed != nil && ctx.Err() == nil {
		return made, s.disengage(failed)
	}
	return made, ctx.Err()
}

// disengage continues without the accelerator.
func (s *Optimization) disengage(why error) error {
	s.descent.Close()
	s.descent = nil
	s.notes = append(s.notes, "the processor went on with the layout after "+count(s.done, "iteration")+
		": "+why.Error())
	return nil
}

// Device is the name of the accelerator's device that computes the layout, or computed it until it failed. It is empty
// without an accelerator.
func (s *Optimization) Device() string { return s.device }

// Notes returns sentences about what was noticed in the layout so far.
func (s *Optimization) Notes() []string { return slices.Clone(s.notes) }

// Close frees what an accelerator holds. The layout stays, and Step can continue it on the processor. Without an
// accelerator Close does nothing.
func (s *Optimization) Close() {
	if s.descent != nil {
		s.descent.Close()
		s.descent = nil
	}
}
