package tsne

import (
	"cmp"
	"context"
	"math"

	"nacre/internal/rng"
)

// UMAP lays points out by uniform manifold approximation and projection (McInnes, Healy and Melville 2018). The zero
// value has the defaults of umap-learn, except the start: it is the principal components, as in t-SNE here. Every epoch
// moves all points at once, from where the previous epoch put them. So the layout is the same for any number of
// workers.
type UMAP struct {
	Neighbours int     `json:"neighbours"` // the point itself counts as one, as in umap-learn; 0 is 15
	MinDist    float64 `json:"min_dist"`   // how near points may come; 0 is 0.1
	Spread     float64 `json:"spread"`     // the scale of the layout; 0 is 1
	Epochs     int     `json:"epochs"`     // 0 is 500 up to 10,000 points and 200 beyond
	Negatives  int     `json:"negatives"`  // number of pushing points for each pulling point; 0 is 5
	Seed       uint64  `json:"seed"`       // seed of the pushing points and of the start's noise
	Metric     Metric  `json:"metric,omitempty"`
	Graph      *Graph  `json:"-"` // the neighbours, if the caller knows them; then Neighbours is ignored
	Workers    int     `json:"-"` // 0 is one per core

	Progress func(done, of int) `json:"-"` // function called after each epoch, with the epochs made and planned
}

func (u UMAP) withDefaults(n int) UMAP {
	u.Neighbours = cmp.Or(u.Neighbours, min(15, n))
	u.MinDist = cmp.Or(u.MinDist, 0.1)
	u.Spread = cmp.Or(u.Spread, 1)
	u.Negatives = cmp.Or(u.Negatives, 5)
	if u.Epochs == 0 {
		if u.Epochs = 200; n <= 10000 {
			u.Epochs = 500
		}
	}
	u.Workers = orAllCores(u.Workers)
	return u
}

func (u UMAP) check(n int) error {
	switch {
	case n < 5:
		return badInput("%s cannot be laid out: UMAP needs at least 5", count(n, "point"))
	case u.Graph == nil && (u.Neighbours < 3 || u.Neighbours > n):
		return badInput("%d neighbours: the range for %d points is 3 to %d", u.Neighbours, n, n)
	case !(u.MinDist > 0) || !(u.Spread >= u.MinDist) || math.IsInf(u.Spread, 0):
		return badInput("min_dist %v and spread %v: expected 0 < min_dist ≤ spread", u.MinDist, u.Spread)
	case u.Epochs < 1 || u.Epochs > 100000:
		return badInput("%d epochs; expected 1 to 100000", u.Epochs)
	case u.Negatives < 1 || u.Negatives > 1000:
		return badInput("%d negatives; expected 1 to 1000", u.Negatives)
	}
	return nil
}

// Fit lays out the rows of x and returns n×2 coordinates and what was noticed about the data.
func (u UMAP) Fit(ctx context.Context, x Matrix) (Matrix, []string, error) {
	if err := checkData(x); err != nil {
		return Matrix{}, nil, err
	}
	u = u.withDefaults(x.Rows)
	if err := u.check(x.Rows); err != nil {
		return Matrix{}, nil, err
	}
	if err := u.Metric.check(); err != nil {
		return Matrix{}, nil, err
	}
	x, err := u.Metric.of(x)
	if err != nil {
		return Matrix{}, nil, err
	}
	f, err := newFrame(x)
	if err != nil {
		return Matrix{}, nil, err
	}
	t := f.apply(x)
	g := &nearby{}
	if u.Graph != nil {
		if err := u.Graph.check(x.Rows); err != nil {
			return Matrix{}, nil, err
		}
		g.k, g.id, g.recall, g.d = u.Graph.K, u.Graph.Index, u.Graph.Recall, make([]float64, len(u.Graph.Distance))
		for i, d := range u.Graph.Distance {
			g.d[i] = float64(d) * float64(d)
		}
	} else {
		set, err := kernels()
		if err != nil {
			return Matrix{}, nil, err
		}
		if g, err = nearestOf(ctx, set, t, u.Neighbours-1, u.Workers, alone(), false); err != nil {
			return Matrix{}, nil, err
		}
		u.Metric.squares(g.d)
	}
	notes := f.note()
	if n := recallNote(g.recall); n != "" {
		notes = append(notes, n)
	}
	p := fuzzy(g, t.n, u.Workers)
	y := u.start(t)
	if err := u.descend(ctx, p, y); err != nil {
		return Matrix{}, nil, err
	}
	out := NewMatrix(t.n, 2)
	for i, v := range y {
		out.Data[i] = float64(v)
	}
	return out, notes, nil
}

// memberships are the weights of the edges of a symmetric graph, row by row.
type memberships struct {
	n   int
	ptr []int32 // row i is from ptr[i] to ptr[i+1]
	col []int32
	val []float32
}

// fuzzy gives each neighbour j of i the membership exp(−max(0, d_ij − ρ_i)/σ_i), where ρ_i is the distance of the
// nearest neighbour and σ_i makes the memberships of i sum to log2(k+1). It joins both directions by the probabilistic
// sum a + b − a·b.
func fuzzy(g *nearby, n, workers int) memberships {
	weight := make([]float32, len(g.d))
	cut(n).each(workers, func(_, lo, hi int) {
		d := make([]float64, g.k)
		for i := lo; i < hi; i++ {
			for s, v := range g.d[i*g.k : (i+1)*g.k] {
				d[s] = math.Sqrt(v)
			}
			rho, sigma := spreadOf(d)
			for s, v := range d {
				weight[i*g.k+s] = float32(exp(-max(0, v-rho) / sigma))
			}
		}
	})
	from, who := g.transposed(n)
	p := memberships{n: n, ptr: make([]int32, n+1)}
	place := make([]int32, n) // place of each column in the present row, from 1
	for i := range n {
		first := len(p.col)
		for s := i * g.k; s < (i+1)*g.k; s++ {
			p.col, p.val = append(p.col, g.id[s]), append(p.val, weight[s])
			place[g.id[s]] = int32(len(p.col) - first)
		}
		for _, s := range who[from[i]:from[i+1]] {
			j, w := s/int32(g.k), weight[s]
			if k := place[j]; k > 0 {
				own := &p.val[first+int(k)-1]
				*own = *own + w - float32(*own*w)
				continue
			}
			p.col, p.val = append(p.col, j), append(p.val, w)
		}
		for _, j := range p.col[first:] {
			place[j] = 0
		}
		p.ptr[i+1] = int32(len(p.col))
	}
	return p
}

// spreadOf finds ρ, the smallest distance that is not 0, and σ by halving.
func spreadOf(d []float64) (rho, sigma float64) {
	mean := 0.0
	for _, v := range d {
		if v > 0 && (rho == 0 || v < rho) {
			rho = v
		}
		mean += v / float64(len(d))
	}
	target := math.Log2(float64(len(d) + 1))
	lo, hi, mid := 0.0, math.Inf(1), 1.0
	for range 64 {
		sum := 0.0
		for _, v := range d {
			sum += exp(-max(0, v-rho) / mid)
		}
		if math.Abs(sum-target) < 1e-5 {
			break
		}
		if sum > target {
			hi = mid
			mid = (lo + hi) / 2
		} else if lo = mid; math.IsInf(hi, 1) {
			mid *= 2
		} else {
			mid = (lo + hi) / 2
		}
	}
	if least := 1e-3 * mean; mid < least {
		mid = least
	}
	mid = cmp.Or(mid, 1) // all neighbours lie on the point
	return rho, mid
}

// umapStart and umapPush are paths of random streams.
const umapStart, umapPush = 21, 22

// start is the first two principal components, at most 10 from the middle, with a little noise.
func (u UMAP) start(t table) []float32 {
	mean, loadings := principal(t, min(2, t.d), u.Workers)
	of := project(t, mean, loadings)
	y, noise := make([]float32, 2*t.n), make([]float64, 2*t.n)
	normals(rng.New(u.Seed, rng.TSNE, umapStart), noise)
	largest := float32(0)
	for i := range t.n {
		copy(y[2*i:], of.row(i))
	}
	for _, v := range y {
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	for i := range y {
		y[i] = float32(y[i]*(10/largest)) + float32(1e-4*noise[i])
	}
	return y
}

// curve finds a and b for which 1/(1 + a·d^2b) is nearest, over 300 distances up to three times the spread, to 1 below
// the least distance and exp(−(d − MinDist)/Spread) beyond: by Gauss and Newton's steps, damped.
func (u UMAP) curve() (a, b float64) {
	a, b = 1, 1
	damping := 1e-3
	errorAt := func(a, b float64) (sum, gaa, gab, gbb, ra, rb float64) {
		for i := 1; i < 300; i++ {
			d := 3 * u.Spread * float64(i) / 299
			want := 1.0
			if d >= u.MinDist {
				want = math.Exp(-(d - u.MinDist) / u.Spread)
			}
			power := math.Pow(d, 2*b)
			v := 1 / (1 + a*power)
			r := want - v
			ja, jb := -v*v*power, -v*v*a*power*2*math.Log(d)
			sum += r * r
			gaa, gab, gbb = gaa+ja*ja, gab+ja*jb, gbb+jb*jb
			ra, rb = ra+ja*r, rb+jb*r
		}
		return
	}
	for range 200 {
		sum, gaa, gab, gbb, ra, rb := errorAt(a, b)
		daa, dbb := gaa*(1+damping), gbb*(1+damping)
		det := daa*dbb - gab*gab
		nextA, nextB := a+(ra*dbb-rb*gab)/det, b+(rb*daa-ra*gab)/det
		if better, _, _, _, _, _ := errorAt(nextA, nextB); nextA > 0 && nextB > 0 && better <= sum {
			a, b, damping = nextA, nextB, damping/3
			if sum-better < 1e-14 {
				break
			}
		} else {
			damping *= 4
		}
	}
	return a, b
}

// powers are x^p for one p, read from tables: the exponent of x and 4,096 steps of its fraction, within 1e-7 of the
// value after interpolation.
type powers struct {
	whole [512]float32
	part  [4097]float32
}

func newPowers(p float64) *powers {
	t := &powers{}
	for e := range t.whole {
		t.whole[e] = float32(math.Pow(2, p*float64(e-127)))
	}
	for m := range t.part {
		t.part[m] = float32(math.Pow(1+float64(m)/4096, p))
	}
	return t
}

func (t *powers) of(x float32) float32 {
	bits := math.Float32bits(x)
	fraction := bits & (1<<23 - 1)
	m := fraction >> 11
	rest := float32(fraction&(1<<11-1)) * (1.0 / 2048)
	lo, hi := t.part[m], t.part[m+1]
	return float32(t.whole[bits>>23&255] * (lo + float32(rest*(hi-lo))))
}

// descend moves the points for the given number of epochs. An edge of weight w pulls in a share w/max of the epochs. In
// umap-learn each edge is stored from both ends, and both move its two points; so an edge pulls twice here. Each pull
// comes with pushes from random points.
func (u UMAP) descend(ctx context.Context, p memberships, y []float32) error {
	a64, b64 := u.curve()
	a, b := float32(a64), float32(b64)
	largest := float32(0)
	for _, v := range p.val {
		largest = max(largest, v)
	}
	power := newPowers(b64) // power of squared distances: d^2b
	old := make([]float32, len(y))
	clip := func(v float32) float32 { return max(-4, min(4, v)) }
	seed, _ := rng.Address(u.Seed, rng.TSNE, umapPush)
	blocks := (p.n + 1023) / 1024
	for epoch := range u.Epochs {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(old, y)
		rate := float32(1 - float64(epoch)/float64(u.Epochs))
		parallel(u.Workers, blocks, func(block int) {
			for i := block * 1024; i < min(p.n, (block+1)*1024); i++ {
				x0, x1 := old[2*i], old[2*i+1]
				draw := rng.Mix(seed ^ uint64(epoch)<<40 ^ uint64(i))
				for e := p.ptr[i]; e < p.ptr[i+1]; e++ {
					share := p.val[e] / largest
					if share*float32(u.Epochs) < 1 || !due(share, epoch) {
						continue
					}
					j := p.col[e]
					for range 2 {
						d0, d1 := x0-old[2*j], x1-old[2*j+1]
						d := float32(d0*d0) + float32(d1*d1)
						if d <= 0 {
							break
						}
						q := power.of(d)
						pull := float32(-2*a*b*q) / float32(d*(float32(a*q)+1))
						x0 += float32(rate * clip(float32(pull*d0)))
						x1 += float32(rate * clip(float32(pull*d1)))
					}
					for range u.Negatives {
						draw += 0x9e3779b97f4a7c15
						k := int((rng.Mix(draw) >> 32) * uint64(p.n) >> 32)
						if k == i {
							continue
						}
						d0, d1 := x0-old[2*k], x1-old[2*k+1]
						d := float32(d0*d0) + float32(d1*d1)
						if d <= 0 {
							x0 += float32(4 * rate)
							x1 += float32(4 * rate)
							continue
						}
						q := power.of(d)
						push := float32(2*b) / float32((0.001+d)*(float32(a*q)+1))
						x0 += float32(rate * clip(float32(push*d0)))
						x1 += float32(rate * clip(float32(push*d1)))
					}
				}
				y[2*i], y[2*i+1] = x0, x1
			}
		})
		if u.Progress != nil {
			u.Progress(epoch+1, u.Epochs)
		}
	}
	return nil
}

// due reports whether an edge that pulls in a share of the epochs does so in this one: evenly spaced, the first after
// 1/share.
func due(share float32, epoch int) bool {
	return int(float32(share*float32(epoch+1))) > int(float32(share*float32(epoch)))
}
