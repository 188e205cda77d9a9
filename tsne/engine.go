package tsne

import (
	"context"
	"errors"
	"math"
	"slices"
)

// Accelerator makes the iterations of layouts in the plane elsewhere than on the processor: package tsne/webgpu on a
// GPU. What it cannot do, or can no longer do, the processor does from where the engine left off, and a note of the
// layout says so. A layout made by an engine is not that of the processor to the last bit, but as good.
type Accelerator interface {
	// Load takes over a layout, which it reads before it returns. An engine that cannot take so large a layout, or any,
	// returns an error.
	Load(ctx context.Context, w Work) (Descent, error)
}

// Work is a layout as an engine takes it over.
type Work struct {
	Points int
	// The affinities of point i are Values[16·Ends[i] : 16·Ends[i+1]], to the points of Columns; what fills up the last
	// 16 has value 0 and column i.
	Ends, Columns []int32
	Values        []float32
	State         State
}

// State is all of a layout that iterations change: two numbers of each point side by side.
type State struct{ Positions, Steps, Gains []float32 }

// Descent is a layout that an engine has taken over. It is used by one goroutine at a time.
type Descent interface {
	// Device names what computes, for people: "Apple M3 by WebGPU".
	Device() string
	// Advance makes k iterations of a phase, whose rate is given and whose Restart does not count, each step of a point
	// at most clip long, and returns how many it made: fewer if ctx ends or with an error, ErrStretched or the
	// device's.
	Advance(ctx context.Context, k int, ph Phase, clip float64) (made int, err error)
	// Read gives the state after the iterations made, and Z of the layout before the last of them.
	Read(s State) (z float64, err error)
	// Write replaces the state.
	Write(s State) error
	Close()
}

// ErrStretched says that a layout is too wide for an engine's grid.
var ErrStretched = errors.New("the layout is too wide for its grid")

// WithEngine has e make the iterations of layouts in the plane whose method is MethodAuto or MethodFFT.
func WithEngine(e Accelerator) Option { return func(t *TSNE) { t.engine = e } }

// readEvery is after how many iterations the state is read at the latest: so many are lost with a device, and made
// again.
const readEvery = 50

// engage hands the layout to the engine, if there is one for it.
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

// state is where the session keeps what iterations change.
func (s *Optimization) state() State {
	n := 2 * s.x.n
	return State{Positions: s.y[:n], Steps: s.step[:n], Gains: s.gain[:n]}
}

// advance makes up to k iterations of a phase on the engine. Of those after which it fails to give the state, none was
// made; the layout goes on on the processor.
func (s *Optimization) advance(ctx context.Context, k int, ph Phase) (made int, err error) {
	if ph.Restart && !s.begun {
		s.restart()
		if err := s.descent.Write(s.state()); err != nil {
			return 0, s.disengage(err)
		}
	}
	if ph.LearningRate == 0 {
		ph.LearningRate = float64(s.x.n) / ph.Exaggeration
	}
	clip := s.recipe.StepClip
	if clip == 0 {
		clip = math.Inf(1)
	}
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

// disengage goes on without the engine.
func (s *Optimization) disengage(why error) error {
	s.descent.Close()
	s.descent = nil
	s.notes = append(s.notes, "the processor went on with the layout after "+count(s.done, "iteration")+
		": "+why.Error())
	return nil
}

// Device names what an engine computes the layout on, or did until it could not; empty if there is none.
func (s *Optimization) Device() string { return s.device }

// Notes returns what was noticed about the layout so far, one sentence each.
func (s *Optimization) Notes() []string { return slices.Clone(s.notes) }

// Close gives back what an engine holds; the layout stays, and can go on on the processor. Without an engine there is
// nothing to close.
func (s *Optimization) Close() {
	if s.descent != nil {
		s.descent.Close()
		s.descent = nil
	}
}
