package tsne

import (
	"sync"
	"sync/atomic"
)

// parallel calls f(i) for every i in [0,n), at most workers at a time, in no particular order.
func parallel(workers, n int, f func(i int)) {
	if workers > n {
		workers = n
	}
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
}

// blocks cuts n points into at most 32 equal stretches. The cut depends on n alone, and every sum over points is
// taken block by block in order, which is why the number of workers cannot show in a result.
type blocks struct{ n, size, count int }

func cut(n int) blocks {
	size := max(32, (n+31)/32)
	return blocks{n: n, size: size, count: (n + size - 1) / size}
}

func (b blocks) bounds(i int) (lo, hi int) { return i * b.size, min(b.n, (i+1)*b.size) }

// sum adds f over the blocks, in parallel, in block order.
func (b blocks) sum(workers int, f func(lo, hi int) float64) float64 {
	part := make([]float64, b.count)
	parallel(workers, b.count, func(i int) { part[i] = f(b.bounds(i)) })
	total := 0.0
	for _, v := range part {
		total += v
	}
	return total
}

// pull is what a point receives from a block of others: attraction Σ p·w·d and repulsion Σ w²·d, where
// d = y_i − y_j and w = 1/(1+|d|²). They stay apart because Z is known only once all pairs are done.
type pull struct{ attX, attY, repX, repY float32 }

// forces computes attraction and repulsion of every point, visiting each pair once. Pairs of blocks are
// independent tasks that write to places of their own (from), summed afterwards in a fixed order.
type forces struct {
	blocks
	pairs [][2]int
	from  []pull    // [block][point]: what the points of a block received from each block
	z     []float64 // per pair of blocks
	total []pull
	x, y  []float32 // the layout, one slice per coordinate
}

func newForces(n int) *forces {
	f := &forces{blocks: cut(n), total: make([]pull, n)}
	for a := range f.count {
		for b := a; b < f.count; b++ {
			f.pairs = append(f.pairs, [2]int{a, b})
		}
	}
	f.from = make([]pull, f.count*n)
	f.z = make([]float64, len(f.pairs))
	f.x, f.y = make([]float32, n), make([]float32, n)
	return f
}

// compute fills f.total for the layout y (x and y interleaved) and returns Z = Σ_{i≠j} 1/(1+|y_i−y_j|²).
func (f *forces) compute(p *Affinities, y []float32, workers int) float64 {
	for i := range f.x {
		f.x[i], f.y[i] = y[2*i], y[2*i+1]
	}
	parallel(workers, len(f.pairs), func(k int) {
		f.z[k] = f.pair(p, f.pairs[k][0], f.pairs[k][1])
	})
	parallel(workers, f.count, func(b int) {
		lo, hi := f.bounds(b)
		for i := lo; i < hi; i++ {
			var s pull
			for c := range f.count {
				v := &f.from[c*f.n+i]
				s.attX += v.attX
				s.attY += v.attY
				s.repX += v.repX
				s.repY += v.repY
			}
			f.total[i] = s
		}
	})
	z := 0.0
	for _, v := range f.z {
		z += v
	}
	return 2 * z
}

// pair handles the pairs between block a and block b ≥ a and returns its part of Z/2.
func (f *forces) pair(p *Affinities, a, b int) float64 {
	i0, i1 := f.bounds(a)
	j0, j1 := f.bounds(b)
	onA, onB := f.from[b*f.n:], f.from[a*f.n:]
	clear(onB[j0:j1])
	z := 0.0
	for i := i0; i < i1; i++ {
		first := j0
		if a == b {
			first = i + 1
		}
		got, w := rowForces(f.x[i], f.y[i], f.x[first:j1], f.y[first:j1], p.tail(i)[first-i-1:], onB[first:j1])
		if a == b {
			got.attX += onA[i].attX
			got.attY += onA[i].attY
			got.repX += onA[i].repX
			got.repY += onA[i].repY
		}
		onA[i] = got
		z += float64(w)
	}
	return z
}

// rowForces adds the forces of one point on the others to on, with opposite sign, and returns what it received
// itself and its Σ w.
func rowForces(xi, yi float32, x, y, p []float32, on []pull) (got pull, z float32) {
	x = x[:len(on)]
	y = y[:len(on)]
	p = p[:len(on)]
	for t := range on {
		dx := xi - x[t]
		dy := yi - y[t]
		w := 1 / (1 + dx*dx + dy*dy)
		z += w
		a := p[t] * w
		w *= w
		ax, ay, rx, ry := a*dx, a*dy, w*dx, w*dy
		got.attX += ax
		got.attY += ay
		got.repX += rx
		got.repY += ry
		o := &on[t]
		o.attX -= ax
		o.attY -= ay
		o.repX -= rx
		o.repY -= ry
	}
	return got, z
}
