package tsne

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"nacre/tsne/internal/lanes"
)

// Affinities are the joint probabilities of t-SNE,
//
//	p_ij = (p_j|i + p_i|j)/2n,  p_j|i ∝ exp(−β_i·d_ij²) for the neighbours j of i, 0 for others,
//
// with β_i chosen so that the entropy of p_·|i is log(perplexity). They sum to one over ordered pairs. They are kept
// row by row as float32. Both p_ij and p_ji are kept; zeros are left out.
type Affinities struct {
	n          int
	perplexity float64
	metric     Metric
	ptr        []int32 // row i is col, val from 16·ptr[i] to 16·ptr[i+1]; what is left over has value 0 and column i
	col        []int32
	val        []float32
	entropy    float64 // −Σ p log p over ordered pairs, of the stored values
	mass       float64 // sum of the stored values: 1, except for rounding
	workers    int
	set        *lanes.Set

	Recall float64  // share of true neighbours that were found, as in Graph.Recall
	Notes  []string // sentences about what was noticed in the data
}

// AffinityOptions configures NewAffinities; the zero value of every field but Perplexity is a default.
type AffinityOptions struct {
	Perplexity float64
	Neighbours int    // number of neighbours that have affinity; 0 is 3·perplexity, AllNeighbours is all
	Graph      *Graph // the neighbours, if the caller knows them; then Neighbours is ignored
	Workers    int    // 0 is one per core
	Metric     Metric // distance of neighbours; with a Graph, the distance by which the caller made it
}

// AllNeighbours gives an affinity to every pair of points, as van der Maaten and Hinton (2008) define it. It is for a
// few thousand points at most.
const AllNeighbours = math.MaxInt32

// negligible affinities are stored as zero: products of anything much smaller are subnormal, which costs a processor a
// hundredfold.
const negligible = 1e-30

// NewAffinities computes the affinities of the rows of x. With a Graph only the number of rows of x is used. If a point
// has more equally near neighbours than the perplexity asks for, they share its probability equally, and Notes mentions
// the point.
func NewAffinities(ctx context.Context, x Matrix, o AffinityOptions) (*Affinities, error) {
	set, err := kernels()
	if err != nil {
		return nil, err
	}
	if o.Graph == nil {
		if err := checkData(x); err != nil {
			return nil, err
		}
	}
	if err := checkPerplexity(o.Perplexity, x.Rows); err != nil {
		return nil, err
	}
	var t table
	if o.Graph == nil {
		if err := o.Metric.check(); err != nil {
			return nil, err
		}
		if x, err = o.Metric.of(x); err != nil {
			return nil, err
		}
		f, err := newFrame(x)
		if err != nil {
			return nil, err
		}
		t = f.apply(x)
	}
	t.n = x.Rows
	return newAffinities(ctx, set, t, o, alone())
}

func newAffinities(ctx context.Context, set *lanes.Set, t table, o AffinityOptions, team *member) (*Affinities, error) {
	p := &Affinities{n: t.n, perplexity: o.Perplexity, metric: o.Metric, workers: orAllCores(o.Workers), set: set}
	var g *nearby
	if o.Graph != nil {
		if err := o.Graph.check(t.n); err != nil {
			return nil, err
		}
		if o.Perplexity > float64(o.Graph.K) {
			return nil, badInput("perplexity %v needs a graph of at least %.0f neighbours, got %d; three times the "+
				"perplexity are usual",
				o.Perplexity, math.Ceil(o.Perplexity), o.Graph.K)
		}
		g = &nearby{k: o.Graph.K, id: o.Graph.Index, recall: o.Graph.Recall, d: make([]float64, len(o.Graph.Distance))}
		for i, d := range o.Graph.Distance {
			g.d[i] = float64(d) * float64(d)
		}
	} else {
		k := cmp.Or(o.Neighbours, int(3*o.Perplexity))
		if k = min(k, t.n-1); float64(k) < o.Perplexity {
			return nil, badInput("perplexity %v needs at least %.0f neighbours per point, got %d", o.Perplexity,
				math.Ceil(o.Perplexity), k)
		}
		var err error
		if g, err = nearestOf(ctx, set, t, k, p.workers, team, false); err != nil {
			return nil, err
		}
		o.Metric.squares(g.d)
	}
	p.Recall = g.recall
	if n := recallNote(g.recall); n != "" {
		p.Notes = append(p.Notes, n)
	}
	prob := p.condition(g, team)
	if err := cmp.Or(ctx.Err(), team.err); err != nil {
		return nil, err
	}
	p.symmetrise(g, prob)
	return p, ctx.Err()
}

// recallNote says how many neighbours are true ones. It is empty if all are, or if the number is unknown.
func recallNote(recall float64) string {
	if recall > 0 && recall < 1 {
		return fmt.Sprintf("neighbours are approximate: %.1f %% of the true ones, by a sample of %d points", 100*recall,
			sampleQueries)
	}
	return ""
}

// condition returns p_j|i for the neighbours.
func (p *Affinities) condition(g *nearby, team *member) []float32 {
	out, ties := make([]float32, len(g.d)), make([]int32, p.n)
	first := team.even(p.n, 1)
	cut(p.n).each(p.workers, func(_, lo, hi int) {
		e := make([]float64, g.k)
		for i := max(lo, first[team.rank]); i < min(hi, first[team.rank+1]); i++ {
			if calibrate(g.d[i*g.k:(i+1)*g.k], e, p.perplexity, p.metric == Cosine) {
				ties[i] = 1
			}
			for s, v := range e {
				out[i*g.k+s] = float32(v)
			}
		}
	})
	share(team, out, first, g.k)
	share(team, ties, first, 1)
	tied := 0
	for _, v := range ties {
		tied += int(v)
	}
	if tied > 0 {
		p.Notes = append(p.Notes,
			fmt.Sprintf("%s of %d: more equally near neighbours than the perplexity %g; they share its neighbourhood "+
				"equally",
				count(tied, "point"), p.n, p.perplexity))
	}
	return out
}

// calibrate writes to prob the probabilities exp(−β·d)/Σ whose entropy is log(perplexity) and reports a tie. In a tie
// more neighbours are at the nearest distance than the perplexity asks for; they then share equally, which is the limit
// β → ∞. β is found by Newton's method on log β inside a bracket; Distances are taken from the nearest distance, and β
// starts at the inverse of their mean. So the search sees the same numbers for every scale of the data.
//
// With halves, the range of β is halved if Newton's method does not come near. Only the squares of cosine distances are
// so uneven. Without halves, Euclidean layouts stay the same, bit for bit.
func calibrate(d, prob []float64, perplexity float64, halves bool) (tied bool) {
	nearest := slices.Min(d)
	ties, mean := 0, 0.0
	for _, v := range d {
		if v == nearest {
			ties++
		}
		mean += v - nearest
	}
	if float64(ties) >= perplexity {
		for s, v := range d {
			prob[s] = 0
			if v == nearest {
				prob[s] = 1 / float64(ties)
			}
		}
		return true
	}
	if perplexity >= float64(len(d)) {
		for s := range prob {
			prob[s] = 1 / float64(len(d))
		}
		return false
	}
	mean /= float64(len(d))
	target := log(perplexity)
	beta, lo, hi, sum, excess := 1/mean, 0.0, math.Inf(1), 0.0, 0.0
	for range 200 {
		var s, sd, sdd float64
		for k, v := range d {
			v -= nearest
			w := exp(-beta * v)
			prob[k] = w
			s += w
			w *= v
			sd += w
			sdd += float64(w * v)
		}
		sum = s
		m := sd / s
		excess = log(s) + float64(beta*m) - target
		if math.Abs(excess) < 1e-10 {
			break
		}
		if excess > 0 {
			lo = beta
		} else {
			hi = beta
		}
		// dH/d(log β) = −β²·Var(d).
		next := beta * exp(min(excess/(beta*beta*(sdd/s-float64(m*m))), 700))
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
	if halves && !(math.Abs(excess) <= lost) {
		sum = halve(d, prob, nearest, 1/mean, target)
	}
	for k := range prob {
		prob[k] /= sum
	}
	return false
}

// lost is the error of the entropy above which Newton's method has not come near: its first step was too long, as
// distances of two very different sizes make it.
const lost = 1e-3

// halve finds the probabilities by halving the range of log β around a guess, and returns their sum.
func halve(d, prob []float64, nearest, guess, target float64) (sum float64) {
	lo, hi := -300.0, 300.0
	for range 60 {
		mid := (lo + hi) / 2
		beta := guess * exp(mid)
		sd := 0.0
		sum = 0
		for k, v := range d {
			v -= nearest
			prob[k] = exp(-beta * v)
			sum += prob[k]
			sd += float64(prob[k] * v)
		}
		if log(sum)+float64(beta*sd/sum) > target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return sum
}

// transposed returns, for every point, the places in g.id that have it for a neighbour: for point i in order
// who[from[i]:from[i+1]].
func (g *nearby) transposed(n int) (from, who []int32) {
	from, who = make([]int32, n+1), make([]int32, len(g.id))
	for _, j := range g.id {
		from[j+1]++
	}
	for i := range n {
		from[i+1] += from[i]
	}
	at := slices.Clone(from[:n])
	for s, j := range g.id {
		who[at[j]] = int32(s)
		at[j]++
	}
	return from, who
}

// symmetrise adds both directions, (p_j|i + p_i|j)/2n, row by row with increasing columns.
func (p *Affinities) symmetrise(g *nearby, prob []float32) {
	n := p.n
	from, who := g.transposed(n)
	b := cut(n)
	rows := make([]joined, b.count)
	b.each(p.workers, func(_, lo, hi int) {
		r := &rows[lo/b.size]
		r.slot = make([]int32, n)
		for i := lo; i < hi; i++ {
			r.add(i, g, prob, who[from[i]:from[i+1]], float32(1/(2*float64(n))))
		}
		r.slot = nil
	})
	p.ptr = make([]int32, 1, n+1)
	for _, r := range rows {
		base := p.ptr[len(p.ptr)-1]
		for _, end := range r.end {
			p.ptr = append(p.ptr, base+end)
		}
		p.col, p.val = append(p.col, r.col...), append(p.val, r.val...)
		p.entropy += r.entropy
		p.mass += r.mass
	}
}

// joined is a stretch of rows of the symmetric matrix.
type joined struct {
	end           []int32 // end of each row, in groups of 16
	col           []int32
	val           []float32
	entropy, mass float64
	slot          []int32 // place of each column in the present row, counted from 1
}

// add appends row i: its own neighbours and the entries of prob, in who, that point at it.
func (r *joined) add(i int, g *nearby, prob []float32, who []int32, scale float32) {
	first := len(r.col)
	for s := i * g.k; s < (i+1)*g.k; s++ {
		r.col = append(r.col, g.id[s])
	}
	for _, s := range who {
		r.col = append(r.col, s/int32(g.k))
	}
	slices.Sort(r.col[first:])
	r.col = append(r.col[:first], slices.Compact(r.col[first:])...)
	row := r.col[first:]
	for at, c := range row {
		r.slot[c] = int32(at)
		r.val = append(r.val, 0)
	}
	for s := i * g.k; s < (i+1)*g.k; s++ {
		r.val[first+int(r.slot[g.id[s]])] += prob[s]
	}
	for _, s := range who {
		r.val[first+int(r.slot[s/int32(g.k)])] += prob[s]
	}
	for at := range row {
		v := float32(r.val[first+at] * scale)
		if v < negligible {
			v = 0
		} else {
			r.entropy -= float64(float64(v) * log(float64(v)))
			r.mass += float64(v)
		}
		r.val[first+at] = v
	}
	for len(r.col)%lanes.Width != 0 {
		r.col, r.val = append(r.col, int32(i)), append(r.val, 0)
	}
	r.end = append(r.end, int32(len(r.col)/lanes.Width))
}

// Len is the number of points.
func (p *Affinities) Len() int { return p.n }

// At returns p_ij, 0 for i = j.
func (p *Affinities) At(i, j int) float64 {
	lo, hi := lanes.Width*p.ptr[i], lanes.Width*p.ptr[i+1]
	for s := lo; s < hi; s++ {
		if int(p.col[s]) == j && i != j {
			return float64(p.val[s])
		}
	}
	return 0
}

// KL returns KL(P‖Q) = Σ_{i≠j} p_ij log(p_ij/q_ij) in nats for the layout y, n×2 or n×3, with
// q_ij = (1+|y_i−y_j|²)⁻¹/Z. Z is taken over every pair.
func (p *Affinities) KL(y Matrix) (float64, error) {
	if y.Rows != p.n || y.Cols != 2 && y.Cols != 3 {
		return 0, badInput("the layout is %d×%d, the affinities need %d×2 or ×3", y.Rows, y.Cols, p.n)
	}
	if err := checkData(y); err != nil {
		return 0, err
	}
	y32 := make([]float32, len(y.Data))
	for i, v := range y.Data {
		y32[i] = float32(v)
	}
	return p.kl(y32, y.Cols, p.exactZ(y32, y.Cols)), nil
}

// kl is KL(P‖Q) for the given Z.
func (p *Affinities) kl(y []float32, dims int, z float64) float64 {
	cross := cut(p.n).sum(p.workers, func(lo, hi int) float64 {
		s := 0.0
		for i := lo; i < hi; i++ {
			own := y[i*dims : (i+1)*dims]
			for e := lanes.Width * p.ptr[i]; e < lanes.Width*p.ptr[i+1]; e++ {
				v := p.val[e]
				if v == 0 {
					continue
				}
				d := 1.0
				for c, a := range own {
					a := float64(a) - float64(y[int(p.col[e])*dims+c])
					d += float64(a * a)
				}
				s += float64(float64(v) * log(d))
			}
		}
		return s
	})
	return cross - p.entropy + float64(p.mass*log(z))
}

// exactZ is Σ_{i≠j} 1/(1+|y_i−y_j|²) over all pairs.
func (p *Affinities) exactZ(y []float32, dims int) float64 {
	if dims == 2 {
		return newPairs(p.set, p.workers, p.n, false).compute(y, nil)
	}
	return 2 * cut(p.n).sum(p.workers, func(lo, hi int) float64 {
		z := 0.0
		for i := lo; i < hi; i++ {
			a := y[3*i : 3*i+3]
			for j := i + 1; j < p.n; j++ {
				dx, dy, du := float64(a[0]-y[3*j]), float64(a[1]-y[3*j+1]), float64(a[2]-y[3*j+2])
				z += 1 / (1 + float64(dx*dx) + float64(dy*dy) + float64(du*du))
			}
		}
		return z
	})
}
