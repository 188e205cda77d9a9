package tsne

import (
	"context"
	"fmt"
	"math"
)

// Affinities are the joint probabilities of t-SNE,
//
//	p_ij = (p_j|i + p_i|j)/2n,  p_j|i ∝ exp(−β_i·|x_i − x_j|²),  p_i|i = 0,
//
// with β_i chosen so that the entropy of p_·|i is log(perplexity). They sum to one over ordered pairs. Only i < j is
// stored, as float32.
type Affinities struct {
	n          int
	perplexity float64
	val        []float32 // rows of the upper triangle, one after the other
	entropy    float64   // −Σ p log p over ordered pairs, of the stored values
	Notes      []string  // what was noticed about the data, one sentence each
}

// negligible affinities are stored as zero. All pairs of the largest data together hold less than 1e-21 of the mass
// at this size, and products of anything much smaller are subnormal, which costs a processor a hundredfold.
const negligible = 1e-30

// NewAffinities computes the affinities of the rows of x; workers ≤ 0 is one per core. A row with more exact
// duplicates than the perplexity asks for shares its probability among them equally and is mentioned in Notes.
func NewAffinities(ctx context.Context, x Matrix, perplexity float64, workers int) (*Affinities, error) {
	if err := checkData(x); err != nil {
		return nil, err
	}
	if err := checkPerplexity(perplexity, x.Rows); err != nil {
		return nil, err
	}
	if x.Rows > maxPoints {
		return nil, badInput("%d points: the exact method keeps every pair in memory and takes at most %d", x.Rows, maxPoints)
	}
	if workers <= 0 {
		workers = New().workers
	}
	return newAffinities(ctx, x, perplexity, workers)
}

func newAffinities(ctx context.Context, x Matrix, perplexity float64, workers int) (*Affinities, error) {
	n := x.Rows
	cond := make([]conditional, n)
	b := cut(n)
	parallel(workers, b.count, func(k int) {
		if ctx.Err() != nil {
			return
		}
		lo, hi := b.bounds(k)
		d, e := make([]float64, n), make([]float64, n)
		for i := lo; i < hi; i++ {
			squaredDistances(x, i, d)
			cond[i] = calibrate(d, e, i, perplexity)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &Affinities{n: n, perplexity: perplexity, val: make([]float32, n*(n-1)/2)}
	p.entropy = b.sum(workers, func(lo, hi int) float64 {
		h := 0.0
		d := make([]float64, n)
		for i := lo; i < hi; i++ {
			squaredDistances(x, i, d)
			row := p.tail(i)
			for t := range row {
				j := i + 1 + t
				v := float32((cond[i].at(d[j]) + cond[j].at(d[j])) / float64(2*n))
				if v < negligible {
					continue
				}
				row[t] = v
				h -= 2 * float64(v) * math.Log(float64(v))
			}
		}
		return h
	})
	tied := 0
	for _, c := range cond {
		if c.tied {
			tied++
		}
	}
	if tied > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s of %d: more equally near neighbours than the perplexity %g; they share its neighbourhood equally",
			count(tied, "point"), n, perplexity))
	}
	return p, nil
}

// squaredDistances writes |x_i − x_j|² for every j into d.
func squaredDistances(x Matrix, i int, d []float64) {
	xi := x.Row(i)
	for j := range d {
		s := 0.0
		for k, v := range x.Data[j*x.Cols : (j+1)*x.Cols] {
			v -= xi[k]
			s += v * v
		}
		d[j] = s
	}
}

// conditional is p_·|i as a function of squared distance: exp(−beta·(d−nearest))·scale. A tied one is the limit
// beta → ∞, uniform over the points at the nearest distance.
type conditional struct {
	beta, nearest, scale float64
	tied                 bool
}

func (c conditional) at(d float64) float64 {
	if c.tied {
		if d <= c.nearest {
			return c.scale
		}
		return 0
	}
	return math.Exp(-c.beta*(d-c.nearest)) * c.scale
}

// calibrate finds β so that −Σ p log p = log(perplexity), by Newton's method on log β inside a bracket. The
// distances are taken from the nearest one and β starts at the inverse of their mean, so the search sees the same
// numbers whatever the scale of the data. e is scratch space as long as d.
func calibrate(d, e []float64, skip int, perplexity float64) conditional {
	nearest, ties := math.Inf(1), 0
	for j, v := range d {
		if j == skip {
			continue
		}
		if v < nearest {
			nearest, ties = v, 0
		}
		if v == nearest {
			ties++
		}
	}
	if float64(ties) >= perplexity {
		return conditional{nearest: nearest, scale: 1 / float64(ties), tied: true}
	}
	rest := e[:0]
	mean := 0.0
	for j, v := range d {
		if j != skip {
			rest = append(rest, v-nearest)
			mean += v - nearest
		}
	}
	mean /= float64(len(rest))
	target := math.Log(perplexity)
	beta, lo, hi, sum := 1/mean, 0.0, math.Inf(1), 0.0
	for range 200 {
		var s, sd, sdd float64
		for _, v := range rest {
			w := math.Exp(-beta * v)
			s += w
			w *= v
			sd += w
			sdd += w * v
		}
		sum = s
		m := sd / s
		excess := math.Log(s) + beta*m - target
		if math.Abs(excess) < 1e-10 {
			break
		}
		if excess > 0 {
			lo = beta
		} else {
			hi = beta
		}
		// dH/d(log β) = −β²·Var(d).
		next := beta * math.Exp(excess/(beta*beta*(sdd/s-m*m)))
		if !(next > lo && next < hi) {
			if math.IsInf(hi, 1) {
				next = 2 * beta
			} else {
				next = (lo + hi) / 2
			}
		}
		if next == beta {
			break
		}
		beta = next
	}
	return conditional{beta: beta, nearest: nearest, scale: 1 / sum}
}

// Len is the number of points.
func (p *Affinities) Len() int { return p.n }

// At returns p_ij, 0 for i = j.
func (p *Affinities) At(i, j int) float64 {
	switch {
	case i == j:
		return 0
	case i > j:
		i, j = j, i
	}
	return float64(p.tail(i)[j-i-1])
}

// tail returns p_ij for j = i+1 … n−1.
func (p *Affinities) tail(i int) []float32 {
	at := i*(p.n-1) - i*(i-1)/2
	return p.val[at : at+p.n-1-i]
}

// KL returns KL(P‖Q) = Σ_{i≠j} p_ij log(p_ij/q_ij) in nats for the n×2 layout y, with
// q_ij = (1+|y_i−y_j|²)⁻¹/Z. Every pair is visited, in float64.
func (p *Affinities) KL(y Matrix) (float64, error) {
	if y.Rows != p.n || y.Cols != 2 {
		return 0, badInput("the layout is %d×%d, the affinities need %d×2", y.Rows, y.Cols, p.n)
	}
	return kl(p, y.Data, New().workers), nil
}

func kl[F float32 | float64](p *Affinities, y []F, workers int) float64 {
	b := cut(p.n)
	zs := make([]float64, b.count)
	cross := b.sum(workers, func(lo, hi int) float64 {
		c, z := 0.0, 0.0
		for i := lo; i < hi; i++ {
			xi, yi := float64(y[2*i]), float64(y[2*i+1])
			row := p.tail(i)
			rest := y[2*i+2:]
			for t, v := range row {
				dx, dy := xi-float64(rest[2*t]), yi-float64(rest[2*t+1])
				u := 1 + dx*dx + dy*dy
				z += 1 / u
				if v > 0 {
					c += float64(v) * math.Log(u)
				}
			}
		}
		zs[lo/b.size] = z
		return c
	})
	z, mass := 0.0, 0.0
	for _, v := range zs {
		z += v
	}
	for _, v := range p.val {
		mass += float64(v)
	}
	return -p.entropy + 2*cross + 2*mass*math.Log(2*z)
}
