package tsne

import (
	"context"
	"math"
	"slices"

	"nacre/tsne/internal/lanes"
)

// These values decide how new points are placed. They are openTSNE's (Poličar, Stražar and Zupan 2019), except the
// number of neighbours, which in openTSNE is three times the perplexity.
const (
	placePerplexity   = 5
	placeNeighbours   = 25
	placeIterations   = 250
	placeRate         = 0.1
	placeMomentum     = 0.8
	placeExaggeration = 1.5
	placeClip         = 0.25
)

// Transform places new points into the present layout, which does not move. The new points are the rows of x, which has
// the columns of the data. Each new point starts at the median of its 25 nearest points and descends its own KL
// divergence at perplexity 5. New points do not see each other, so the place of a new point does not depend on the
// other new points. The result is m×2 or m×3.
func (s *Optimization) Transform(ctx context.Context, x Matrix) (Matrix, error) {
	if s.frame == nil {
		return Matrix{}, badInput("new points cannot be placed: the layout was made from a graph, without data")
	}
	if err := checkData(x); err != nil {
		return Matrix{}, err
	}
	if x.Cols != s.frame.columns {
		return Matrix{}, badInput("the new points have %s, the data %d", count(x.Cols, "column"), s.frame.columns)
	}
	if s.dims == 2 && boxOf(s.Positions()).span() < tinySpan {
		return Matrix{}, badInput("the layout spans less than %v: make more iterations before placing new points",
			tinySpan)
	}
	x, err := s.recipe.Metric.of(x)
	if err != nil {
		return Matrix{}, err
	}
	p := &placement{s: s, workers: s.t.workers, new: s.frame.apply(x)}
	p.neighbours()
	p.repulsion()
	b := cut(x.Rows)
	p.y = make([]float32, x.Rows*s.dims)
	b.each(p.workers, func(_, lo, hi int) {
		if ctx.Err() == nil {
			p.descend(lo, hi)
		}
	})
	if err := ctx.Err(); err != nil {
		return Matrix{}, err
	}
	out := NewMatrix(x.Rows, s.dims)
	for i, v := range p.y {
		out.Data[i] = float64(v)
	}
	return out, nil
}

// placement is the work of one Transform.
type placement struct {
	s       *Optimization
	workers int
	new     table
	k       int
	near    []int32   // k rows of the data for each new point
	prob    []float32 // probabilities of these rows
	field   *field
	tree    *tree
	y       []float32
}

// neighbours finds and weighs the nearest data of every new point.
func (p *placement) neighbours() {
	n, m := p.s.x.n, p.new.n
	p.k = min(placeNeighbours, n-1)
	data := pack(p.s.x, rangeOf(n))
	data.foreign = true
	h, all := newHeaps(m, p.k), rangeOf(m)
	parallel(p.workers, (m+63)/64, func(b int) {
		q := all[b*64 : min((b+1)*64, m)]
		h.search(p.s.set, p.new, q, data)
	})
	p.near, p.prob = h.id, make([]float32, m*p.k)
	cut(m).each(p.workers, func(_, lo, hi int) {
		d, prob := make([]float64, p.k), make([]float64, p.k)
		for i := lo; i < hi; i++ {
			h.order(i)
			for s, j := range h.id[i*p.k : (i+1)*p.k] {
				d[s] = squaredDistance(p.new.row(i), p.s.x.row(int(j)))
			}
			p.s.recipe.Metric.squares(d)
			calibrate(d, prob, min(placePerplexity, float64(p.k)/2), p.s.recipe.Metric == Cosine)
			for s, v := range prob {
				p.prob[i*p.k+s] = float32(v)
			}
		}
	})
}

// repulsion prepares the field of the layout, a tenth wider than it.
func (p *placement) repulsion() {
	y := p.s.Positions()
	if p.s.dims == 3 {
		p.tree = newTree(p.workers, p.s.x.n, 3, defaultTheta)
		p.tree.build(y)
		return
	}
	b := boxOf(y)
	margin := float32(b.span() / 10)
	f := newField(p.s.set, p.workers, p.s.x.n, alone())
	f.choose(box{b.loX - margin, b.hiX + margin, b.loY - margin, b.hiY + margin})
	f.prepare(0)
	f.fill(y)
	f.self = make([]float32, len(f.self))
	p.field = f
}

// descend places new points lo … hi−1.
func (p *placement) descend(lo, hi int) {
	d, n := p.s.dims, hi-lo
	padded := (n*d + lanes.Width - 1) &^ (lanes.Width - 1)
	m := lanes.MoveArgs{
		Y: make([]float32, padded), Step: make([]float32, padded), Gain: make([]float32, padded),
		Att: make([]float32, padded), Rep: make([]float32, padded),
		Exaggeration: placeExaggeration, InvZ: 1, Momentum: placeMomentum, Rate: placeRate, Clip: placeClip,
	}
	for i := range m.Gain {
		m.Gain[i] = 1
	}
	att := lanes.AttractArgs{Y: p.s.Positions(), Own: m.Y[:n*d], Out: m.Att[:n*d], Ptr: []int32{0}}
	around := make([]float32, p.k)
	for i := lo; i < hi; i++ {
		row := p.near[i*p.k : (i+1)*p.k]
		for c := range d {
			for s, j := range row {
				around[s] = att.Y[int(j)*d+c]
			}
			slices.Sort(around)
			m.Y[(i-lo)*d+c] = around[p.k/2]
		}
		att.Col, att.Val = append(att.Col, row...), append(att.Val, p.prob[i*p.k:(i+1)*p.k]...)
		for len(att.Col)%lanes.Width != 0 {
			att.Col, att.Val = append(att.Col, row[0]), append(att.Val, 0)
		}
		att.Ptr = append(att.Ptr, int32(len(att.Col)/lanes.Width))
	}
	var g lanes.SplineArgs
	if p.field != nil {
		g = lanes.SplineArgs{
			Grid: p.field.values, Stride: p.field.stride, Self: p.field.self, U: make([]float32, 2*n),
			Out: make([]float32, 4*n),
		}
	}
	for range placeIterations {
		if d == 2 {
			p.s.set.Attract(&att)
			p.readField(&g, m.Y[:2*n], m.Rep)
			p.s.set.Move(&m)
			continue
		}
		for i := range n {
			f, z := p.tree.force(m.Y[3*i : 3*i+3])
			for c := range 3 {
				m.Rep[3*i+c] = f[c] / z
			}
		}
		attractInSpace(&att)
		moveInSpace(&m)
	}
	copy(p.y[lo*d:hi*d], m.Y)
}

// readField writes the repulsion at the points y, each over its own Z. Points that have left the grid are read at its
// edge.
func (p *placement) readField(g *lanes.SplineArgs, y, rep []float32) {
	f := p.field
	perUnit := float32(1 / f.step)
	for i := 0; i < len(y); i += 2 {
		g.U[i] = min(max(float32((y[i]-f.ox)*perUnit), 2), float32(f.nx-6))
		g.U[i+1] = min(max(float32((y[i+1]-f.oy)*perUnit), 2), float32(f.ny-6))
	}
	p.s.set.Gather(g)
	slope := float32(-0.5 / f.step)
	for i := 0; i < len(y); i += 2 {
		o := g.Out[2*i : 2*i+3]
		z := max(o[0], math.SmallestNonzeroFloat32*1e10)
		rep[i], rep[i+1] = float32(slope*o[1])/z, float32(slope*o[2])/z
	}
}
