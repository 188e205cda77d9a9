package tsne

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Session is a layout in the making. It can be stepped in pieces of any size, with the same result, and its
// parameters may change between steps. It is used by one goroutine at a time; Step itself uses all workers.
type Session struct {
	t      *TSNE
	x      Matrix // after the reduction to principal components
	p      *Affinities
	f      *forces
	y      []float32
	step   []float32
	gain   []float32
	plan   []Phase // what is left, the present phase first
	begun  bool    // the present phase has made an iteration
	done   int
	recipe Recipe
	notes  []string
}

// Start checks the data and the recipe, computes the affinities and places the points.
func (t *TSNE) Start(ctx context.Context, x Matrix) (*Session, error) {
	if err := checkData(x); err != nil {
		return nil, err
	}
	n := x.Rows
	if err := t.recipe.check(n, x.Cols); err != nil {
		return nil, err
	}
	if t.recipe.Start == StartGiven && len(t.init) != 2*n {
		return nil, badInput("the given start has %d values; %d points need %d×2", len(t.init), n, n)
	}
	if t.recipe.Start == StartGiven {
		if err := checkData(Matrix{Rows: n, Cols: 2, Data: t.init}); err != nil {
			return nil, badInput("the given start: %s", err.(*InputError).Problem)
		}
	}
	columns := x.Cols
	x, err := prepare(x)
	if err != nil {
		return nil, err
	}
	constant := columns - x.Cols
	if k := t.recipe.PCADims; k > 0 && k < x.Cols {
		if x, err = principal(x, k); err != nil {
			return nil, err
		}
	}
	p, err := NewAffinities(ctx, x, t.recipe.Perplexity, t.workers)
	if err != nil {
		return nil, err
	}
	s := &Session{
		t: t, x: x, p: p, f: newForces(n), recipe: t.recipe,
		y: make([]float32, 2*n), step: make([]float32, 2*n), gain: make([]float32, 2*n),
		plan: slices.Clone(t.recipe.Phases),
	}
	if constant > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s of %d the same in every row: no influence", count(constant, "column"), columns))
	}
	s.restart()
	return s, t.place(x, s.y)
}

// prepare drops the columns that are the same in every row, which say nothing about neighbours, and divides by the
// largest spread, so that squares of very large or very small values stay in range.
func prepare(x Matrix) (Matrix, error) {
	var keep []int
	low := make([]float64, x.Cols)
	widest := 0.0
	for c := range x.Cols {
		lo, hi := x.Data[c], x.Data[c]
		for i := range x.Rows {
			v := x.Data[i*x.Cols+c]
			lo, hi = min(lo, v), max(hi, v)
		}
		if lo < hi {
			keep = append(keep, c)
			low[c] = lo
			widest = max(widest, hi-lo)
		}
	}
	if len(keep) == 0 {
		return Matrix{}, badInput("all %d points are equal: there is nothing to lay out", x.Rows)
	}
	if math.IsInf(widest, 0) {
		return Matrix{}, badInput("the values span more than a float64 can hold; scale the data down")
	}
	out := NewMatrix(x.Rows, len(keep))
	for i := range x.Rows {
		for k, c := range keep {
			out.Data[i*out.Cols+k] = (x.Data[i*x.Cols+c] - low[c]) / widest
		}
	}
	return out, nil
}

func (s *Session) restart() {
	clear(s.step)
	for i := range s.gain {
		s.gain[i] = 1
	}
}

// Step makes k iterations, or as many as the plan has left, and returns how many were made. It returns ctx.Err()
// when stopped, between iterations; the session stays usable.
func (s *Session) Step(ctx context.Context, k int) (int, error) {
	for made := range k {
		for len(s.plan) > 0 && s.plan[0].Iterations == 0 {
			s.plan, s.begun = s.plan[1:], false
		}
		if len(s.plan) == 0 {
			return made, nil
		}
		if err := ctx.Err(); err != nil {
			return made, err
		}
		s.iterate(s.plan[0])
		s.plan[0].Iterations--
		s.begun = true
		s.done++
		if f := s.t.progress; f != nil && (s.t.every > 0 && s.done%s.t.every == 0 || s.Remaining() == 0) {
			f(Progress{Iteration: s.done, Of: s.done + s.Remaining(), KL: s.KL(), Positions: s.y})
		}
	}
	return max(k, 0), nil
}

func (s *Session) iterate(ph Phase) {
	if ph.Restart && !s.begun {
		s.restart()
	}
	n := s.x.Rows
	rate := float32(ph.LearningRate)
	if rate == 0 {
		rate = float32(float64(n) / ph.Exaggeration)
	}
	invZ := float32(1 / s.f.compute(s.p, s.y, s.t.workers))
	ex, mom := float32(ph.Exaggeration), float32(ph.Momentum)
	clip := s.recipe.StepClip
	parallel(s.t.workers, s.f.count, func(b int) {
		lo, hi := s.f.bounds(b)
		for i := lo; i < hi; i++ {
			f := s.f.total[i]
			gx, gy := ex*f.attX-invZ*f.repX, ex*f.attY-invZ*f.repY
			ux := s.move(2*i, gx, mom, rate)
			uy := s.move(2*i+1, gy, mom, rate)
			if length := math.Hypot(float64(ux), float64(uy)); clip > 0 && length > clip {
				ux *= float32(clip / length)
				uy *= float32(clip / length)
			}
			s.step[2*i], s.step[2*i+1] = ux, uy
			s.y[2*i] += ux
			s.y[2*i+1] += uy
		}
	})
	s.centre()
}

// move returns the next step of coordinate c for gradient g, after adapting its gain.
func (s *Session) move(c int, g, momentum, rate float32) float32 {
	u := s.step[c]
	if g*u < 0 {
		s.gain[c] += 0.2
	} else {
		s.gain[c] = max(s.gain[c]*0.8, 0.01)
	}
	return momentum*u - rate*s.gain[c]*g
}

func (s *Session) centre() {
	var mx, my float64
	for i := 0; i < len(s.y); i += 2 {
		mx += float64(s.y[i])
		my += float64(s.y[i+1])
	}
	n := float64(len(s.y) / 2)
	fx, fy := float32(mx/n), float32(my/n)
	for i := 0; i < len(s.y); i += 2 {
		s.y[i] -= fx
		s.y[i+1] -= fy
	}
}

// Positions is the live layout, 2n values, x and y of each point side by side. It is not copied: it changes with
// the next Step.
func (s *Session) Positions() []float32 { return s.y }

// Iteration is how many iterations have been made.
func (s *Session) Iteration() int { return s.done }

// Remaining is how many iterations the plan has left.
func (s *Session) Remaining() int { return Recipe{Phases: s.plan}.Iterations() }

// Plan returns a copy of what is left to do; the first phase is the present one, shortened by what it has done.
func (s *Session) Plan() []Phase { return slices.Clone(s.plan) }

// SetPlan replaces what is left to do: another learning rate, exaggeration or momentum from now on, a longer run.
// The first phase continues without a restart unless it asks for one.
func (s *Session) SetPlan(phases []Phase) error {
	if err := checkPhases(phases); err != nil {
		return err
	}
	s.plan, s.begun = slices.Clone(phases), false
	return nil
}

// SetPerplexity recomputes the affinities; positions, steps and plan stay.
func (s *Session) SetPerplexity(ctx context.Context, perplexity float64) error {
	p, err := NewAffinities(ctx, s.x, perplexity, s.t.workers)
	if err != nil {
		return err
	}
	s.p, s.recipe.Perplexity = p, perplexity
	return nil
}

// Affinities returns the probabilities the layout is fitted to.
func (s *Session) Affinities() *Affinities { return s.p }

// KL is the exact KL(P‖Q) of the present layout in nats, without exaggeration. It visits every pair.
func (s *Session) KL() float64 { return kl(s.p, s.y, s.t.workers) }

// Layout returns a copy of the present layout.
func (s *Session) Layout() *Layout {
	y := NewMatrix(s.x.Rows, 2)
	for i, v := range s.y {
		y.Data[i] = float64(v)
	}
	return &Layout{Y: y, KL: s.KL(), Recipe: s.recipe, Seed: s.t.seed, Notes: slices.Concat(s.notes, s.p.Notes)}
}
