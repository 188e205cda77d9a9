package tsne

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"nacre/tsne/internal/lanes"
)

// Optimization is a layout that is being computed. Its iterations can be made in pieces of any size, with the same
// result. Its parameters may change between pieces. It is used by one goroutine at a time; Step itself uses all
// workers.
type Optimization struct {
	t      *TSNE
	set    *lanes.Set
	frame  *frame // nil without data
	x      table
	dims   int
	p      *Affinities
	repel  *repulsion
	z      float64   // at the layout before the last step
	y      []float32 // coordinates side by side, padded to a multiple of 16 with points that stay at 0
	step   []float32
	gain   []float32
	att    []float32
	rep    []float32
	pull   []lanes.AttractArgs
	move   []lanes.MoveArgs
	plan   []Phase // what is left, the present phase first
	begun  bool    // the present phase has made an iteration
	done   int
	recipe Recipe

	descent Descent // layout on an accelerator; nil on the processor
	device  string
	next    State // what is read of it
	notes   []string
}

// Start checks the data and the recipe, computes the affinities and places the points.
func (t *TSNE) Start(ctx context.Context, x Matrix) (*Optimization, error) {
	if err := t.check(x); err != nil {
		return nil, err
	}
	t = t.sized(x.Rows)
	set, err := kernels()
	if t.kernels != "" {
		set, err = lanes.Select(t.kernels)
	}
	if err != nil {
		return nil, err
	}
	n, dims := x.Rows, t.recipe.dims()
	padded := (n*dims + lanes.Width - 1) &^ (lanes.Width - 1)
	s := &Optimization{
		t: t, set: set, dims: dims, recipe: t.recipe, plan: slices.Clone(t.recipe.Phases),
		y: make([]float32, padded), step: make([]float32, padded), gain: make([]float32, padded),
		att: make([]float32, padded), rep: make([]float32, padded),
		pull: make([]lanes.AttractArgs, t.workers), move: make([]lanes.MoveArgs, t.workers),
	}
	if s.frame, s.x, err = t.points(x); err != nil {
		return nil, err
	}
	if s.p, err = newAffinities(ctx, set, s.x, t.affinityOptions(t.recipe), t.team); err != nil {
		return nil, err
	}
	s.repel = newRepulsion(set, t.workers, n, dims, t.recipe.Method, t.team)
	s.restart()
	t.place(s.x, s.y[:n*dims], dims)
	return s, s.engage(ctx)
}

func (t *TSNE) affinityOptions(r Recipe) AffinityOptions {
	return AffinityOptions{Perplexity: r.Perplexity, Neighbours: r.Neighbours, Graph: t.graph, Workers: t.workers,
		Metric: r.Metric}
}

// check returns what is wrong with data, recipe and given start, before anything is computed.
func (t *TSNE) check(x Matrix) error {
	n, dims := x.Rows, t.recipe.dims()
	if t.graph == nil || x.Cols > 0 {
		if err := checkData(x); err != nil {
			return err
		}
	}
	if err := t.recipe.check(n); err != nil {
		return err
	}
	switch {
	case t.graph != nil && x.Cols == 0 && t.recipe.Start == StartPCA:
		return badInput("a graph without data needs a random or given start: there is nothing to take principal " +
			"components of")
	case t.recipe.Start != StartGiven:
		return nil
	case len(t.init) != n*dims:
		return badInput("the given start has %d values; %d points need %d×%d", len(t.init), n, n, dims)
	}
	if err := checkData(Matrix{Rows: n, Cols: dims, Data: t.init}); err != nil {
		return badInput("the given start: %s", err.(*InputError).Problem)
	}
	return nil
}

// points takes data to the coordinates t-SNE works in.
func (t *TSNE) points(x Matrix) (*frame, table, error) {
	if x.Cols == 0 {
		return nil, table{n: x.Rows}, nil
	}
	x, err := t.recipe.Metric.of(x)
	if err != nil {
		return nil, table{}, err
	}
	f, err := newFrame(x)
	if err != nil {
		return nil, table{}, err
	}
	p := f.apply(x)
	if k := t.recipe.PCADims; k > 0 && k < p.d {
		f.mean, f.loadings = principal(p, k, t.workers)
		p = project(p, f.mean, f.loadings)
	}
	return f, p, nil
}

func (s *Optimization) restart() {
	clear(s.step)
	for i := range s.gain {
		s.gain[i] = 1
	}
}

// Step makes k iterations, or as many as the plan has left, and returns how many were made. It returns ctx.Err() if it
// is stopped between iterations; the Optimization can still be used.
func (s *Optimization) Step(ctx context.Context, k int) (int, error) {
	for made := 0; made < k; {
		for len(s.plan) > 0 && s.plan[0].Iterations == 0 {
			s.plan, s.begun = s.plan[1:], false
		}
		if len(s.plan) == 0 {
			return made, nil
		}
		if err := ctx.Err(); err != nil {
			return made, err
		}
		n, err := s.some(ctx, min(k-made, s.plan[0].Iterations))
		made += n
		s.plan[0].Iterations -= n
		s.begun = s.begun || n > 0
		s.done += n
		if f := s.t.progress; f != nil && n > 0 && (s.t.every > 0 && s.done%s.t.every == 0 || s.Remaining() == 0) {
			f(Progress{Iteration: s.done, Of: s.done + s.Remaining(), KL: s.KL(), Positions: s.Positions()})
		}
		if err != nil {
			return made, err
		}
	}
	return max(k, 0), nil
}

// some makes one iteration of the present phase, or up to k on an accelerator. It stops at an iteration whose progress
// is reported.
func (s *Optimization) some(ctx context.Context, k int) (made int, err error) {
	if s.descent != nil {
		if s.t.progress != nil && s.t.every > 0 {
			k = min(k, s.t.every-s.done%s.t.every)
		}
		return s.advance(ctx, k, s.plan[0])
	}
	s.iterate(s.plan[0])
	if err := s.t.team.err; err != nil {
		return 0, err
	}
	return 1, nil
}

func (s *Optimization) iterate(ph Phase) {
	if ph.Restart && !s.begun {
		s.restart()
	}
	n := s.x.n
	rate := cmp.Or(float32(ph.LearningRate), float32(float64(n)/ph.Exaggeration))
	clip := cmp.Or(float32(s.recipe.StepClip), float32(math.Inf(1)))
	s.z = s.repel.compute(s.Positions(), s.rep)
	s.attract()
	how := lanes.MoveArgs{
		Exaggeration: float32(ph.Exaggeration), InvZ: float32(1 / s.z), Momentum: float32(ph.Momentum), Rate: rate,
		Clip: clip,
	}
	cut(n).each(s.t.workers, func(worker, lo, hi int) {
		lo *= s.dims
		if hi *= s.dims; hi == n*s.dims {
			hi = len(s.y)
		}
		m := &s.move[worker]
		*m = how
		m.Y, m.Step, m.Gain, m.Att, m.Rep = s.y[lo:hi], s.step[lo:hi], s.gain[lo:hi], s.att[lo:hi], s.rep[lo:hi]
		if s.dims == 2 {
			s.set.Move(m)
		} else {
			moveInSpace(m)
		}
	})
	s.centre()
}

// moveInSpace is lanes.Set.Move for points of three coordinates.
func moveInSpace(m *lanes.MoveArgs) {
	for i := 0; i+3 <= len(m.Y); i += 3 {
		length := float32(0)
		for c := i; c < i+3; c++ {
			g := float32(m.Exaggeration*m.Att[c]) - float32(m.InvZ*m.Rep[c])
			if float32(g*m.Step[c]) < 0 {
				m.Gain[c] += 0.2
			} else {
				m.Gain[c] = max(float32(m.Gain[c]*0.8), 0.01)
			}
			m.Step[c] = float32(m.Momentum*m.Step[c]) - float32(float32(m.Rate*m.Gain[c])*g)
			length += float32(m.Step[c] * m.Step[c])
		}
		if length > float32(m.Clip*m.Clip) {
			f := m.Clip / float32(math.Sqrt(float64(length)))
			for c := i; c < i+3; c++ {
				m.Step[c] = float32(f * m.Step[c])
			}
		}
		for c := i; c < i+3; c++ {
			m.Y[c] += m.Step[c]
		}
	}
}

// attract fills att with Σ_j p_ij·w_ij·(y_i − y_j).
func (s *Optimization) attract() {
	d, team := s.dims, s.t.team
	first := team.even(s.x.n, 1)
	cut(s.x.n).each(s.t.workers, func(worker, lo, hi int) {
		if lo, hi = max(lo, first[team.rank]), min(hi, first[team.rank+1]); lo >= hi {
			return
		}
		a := &s.pull[worker]
		*a = lanes.AttractArgs{
			Y: s.y, Own: s.y[d*lo : d*hi], Ptr: s.p.ptr[lo : hi+1], Col: s.p.col, Val: s.p.val, Out: s.att[d*lo : d*hi],
		}
		if d == 2 {
			s.set.Attract(a)
		} else {
			attractInSpace(a)
		}
	})
	share(team, s.att, first, d)
}

// attractInSpace is lanes.Set.Attract for points of three coordinates, in one lane.
func attractInSpace(a *lanes.AttractArgs) {
	for r := range len(a.Ptr) - 1 {
		own, out := a.Own[3*r:3*r+3], a.Out[3*r:3*r+3]
		var fx, fy, fu float32
		first, end := lanes.Width*a.Ptr[r], lanes.Width*a.Ptr[r+1]
		val := a.Val[first:end]
		for e, j := range a.Col[first:end] {
			o := a.Y[3*j : 3*j+3]
			dx, dy, du := own[0]-o[0], own[1]-o[1], own[2]-o[2]
			w := val[e] / (1 + float32(dx*dx) + float32(dy*dy) + float32(du*du))
			fx += float32(w * dx)
			fy += float32(w * dy)
			fu += float32(w * du)
		}
		out[0], out[1], out[2] = fx, fy, fu
	}
}

// centre moves the mean of the layout to 0.
func (s *Optimization) centre() {
	y := s.Positions()
	for c := range s.dims {
		m := cut(s.x.n).sum(s.t.workers, func(lo, hi int) float64 {
			t := 0.0
			for i := lo*s.dims + c; i < hi*s.dims; i += s.dims {
				t += float64(y[i])
			}
			return t
		})
		shift := float32(m / float64(s.x.n))
		for i := c; i < len(y); i += s.dims {
			y[i] -= shift
		}
	}
}

// Positions is the live layout, with the 2 or 3 coordinates of each point side by side. It is not copied: it changes
// with the next Step.
func (s *Optimization) Positions() []float32 { return s.y[:s.x.n*s.dims] }

// Iteration is the number of iterations made.
func (s *Optimization) Iteration() int { return s.done }

// Remaining is the number of iterations that are left in the plan.
func (s *Optimization) Remaining() int { return Recipe{Phases: s.plan}.Iterations() }

// Plan returns a copy of the phases that are left. The first is the present phase, less its iterations already made.
func (s *Optimization) Plan() []Phase { return slices.Clone(s.plan) }

// SetPlan replaces the phases that are left. It can set another learning rate, exaggeration or momentum from now on, or
// make the run longer. The first phase continues without a restart unless it asks for one.
func (s *Optimization) SetPlan(phases []Phase) error {
	if err := checkPhases(phases); err != nil {
		return err
	}
	s.plan, s.begun = slices.Clone(phases), false
	return nil
}

// SetPerplexity recomputes the affinities. Positions, steps and plan stay the same.
func (s *Optimization) SetPerplexity(ctx context.Context, perplexity float64) error {
	if err := checkPerplexity(perplexity, s.x.n); err != nil {
		return err
	}
	r := s.recipe
	r.Perplexity = perplexity
	p, err := newAffinities(ctx, s.set, s.x, s.t.affinityOptions(r), s.t.team)
	if err != nil {
		return err
	}
	s.p, s.recipe = p, r
	if s.descent != nil {
		s.Close()
		return s.engage(ctx)
	}
	return nil
}

// Affinities returns the probabilities the layout is fitted to.
func (s *Optimization) Affinities() *Affinities { return s.p }

// Method is the method that computes the repulsion.
func (s *Optimization) Method() Method {
	if s.descent != nil {
		return MethodFFT
	}
	return s.repel.method
}

// KL is KL(P‖Q) of the present layout in nats, without exaggeration. If the method is not exact, Z is the method's
// estimate for the layout before the last iteration, correct to a few thousandths. Layout computes Z over every pair.
func (s *Optimization) KL() float64 {
	z := s.z
	if s.repel.method == MethodExact || s.done == 0 {
		z = s.p.exactZ(s.Positions(), s.dims)
	}
	return s.p.kl(s.Positions(), s.dims, z)
}

// Layout returns a copy of the present layout.
func (s *Optimization) Layout() *Layout {
	y := NewMatrix(s.x.n, s.dims)
	for i, v := range s.Positions() {
		y.Data[i] = float64(v)
	}
	l := &Layout{Y: y, KL: s.p.kl(s.Positions(), s.dims, s.p.exactZ(s.Positions(), s.dims)), Recipe: s.recipe,
		Method: s.Method(), Seed: s.t.seed}
	if s.frame != nil {
		l.Notes = s.frame.note()
	}
	l.Notes = append(l.Notes, s.p.Notes...)
	if s.device != "" {
		l.Notes = append(l.Notes, "computed on "+s.device)
	}
	l.Notes = append(l.Notes, s.notes...)
	if s.repel.trees > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("the layout is so stretched that %s used a tree instead of a grid",
			count(s.repel.trees, "iteration")))
	}
	return l
}
