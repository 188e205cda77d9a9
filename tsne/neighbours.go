package tsne

import (
	"context"
	"math"

	"nacre/tsne/internal/lanes"
)

// Graph holds the k nearest other points of every point.
type Graph struct {
	K int
	// n×K indices. The neighbours of point i begin at i*K. Point i is not among them, and no neighbour is there twice.
	// If this package found the neighbours, the nearest comes first.
	Index    []int32
	Distance []float32 // n×K distances, Euclidean or any other, not negative
	Recall   float64   // share of true neighbours in Index, measured on a sample; 1 is exact, 0 is unknown
}

// check says what is wrong with a graph given for n points.
func (g *Graph) check(n int) error {
	switch {
	case g.K < 1 || g.K >= n:
		return badInput("the graph has %d neighbours per point; the range for %d points is 1 to %d", g.K, n, n-1)
	case len(g.Index) != n*g.K || len(g.Distance) != n*g.K:
		return badInput("the graph has %d indices and %d distances; %d points with %d neighbours need %d", len(g.Index),
			len(g.Distance), n, g.K, n*g.K)
	}
	seen := make([]int32, n)
	for at, j := range g.Index {
		i := at / g.K
		d := g.Distance[at]
		switch {
		case j < 0 || int(j) >= n:
			return badInput("the graph's neighbour %d of point %d is %d; points are 0 to %d", at%g.K, i, j, n-1)
		case int(j) == i || seen[j] == int32(i+1):
			return badInput("the graph has point %d twice around point %d; neighbours are other points, each once",
				j, i)
		case !(d >= 0) || math.IsInf(float64(d), 0):
			return badInput("the graph's distance between points %d and %d is %v; it must be finite and not negative",
				i, j, d)
		}
		seen[j] = int32(i + 1)
	}
	return nil
}

// exactPairs is the number of coordinate differences up to which neighbours are found by comparing all points: a few
// seconds of one core.
const exactPairs = 4e10

// Neighbours finds the k nearest neighbours (1 ≤ k < n) of every row of x by Euclidean distance. It compares all pairs
// while n²·columns stays below 4e10. Beyond 4e10 it searches cells of a k-means partition. It searches as many cells as
// are needed to find 98 % of the neighbours of a sample of points; Graph.Recall is the share found. workers ≤ 0 means
// one per core.
func Neighbours(ctx context.Context, x Matrix, k, workers int) (*Graph, error) {
	return neighbours(ctx, x, k, workers, false)
}

// ExactNeighbours is Neighbours that compares all pairs of points, for any number of points.
func ExactNeighbours(ctx context.Context, x Matrix, k, workers int) (*Graph, error) {
	return neighbours(ctx, x, k, workers, true)
}

func neighbours(ctx context.Context, x Matrix, k, workers int, exact bool) (*Graph, error) {
	if err := checkData(x); err != nil {
		return nil, err
	}
	if k < 1 || k >= x.Rows {
		return nil, badInput("%d neighbours: the range for %d points is 1 to %d", k, x.Rows, x.Rows-1)
	}
	f, err := newFrame(x)
	if err != nil {
		return nil, err
	}
	set, err := kernels()
	if err != nil {
		return nil, err
	}
	nb, err := nearestOf(ctx, set, f.apply(x), k, orAllCores(workers), alone(), exact)
	if err != nil {
		return nil, err
	}
	g := &Graph{K: k, Index: nb.id, Distance: make([]float32, len(nb.d)), Recall: nb.recall}
	for i, d := range nb.d {
		g.Distance[i] = float32(math.Sqrt(d) / f.scale)
	}
	return g, nil
}

// nearby is the k nearest points of each of n: squared distances in float64, in no particular order.
type nearby struct {
	k      int
	id     []int32
	d      []float64
	recall float64
}

// nearestOf finds the neighbours of all points. A program of a team finds the neighbours of its part of the points.
func nearestOf(ctx context.Context, set *lanes.Set, t table, k, workers int, team *member,
	exact bool) (*nearby, error) {
	var h *heaps
	var place []int32 // place of every heap's point; nil if it is the point's number
	recall := 1.0
	first := team.even(t.n, 64)
	if exact || float64(t.n)*float64(t.n)*float64(t.d) <= exactPairs {
		h = newHeaps(t.n, k)
		all := rangeOf(t.n)
		p := pack(t, all)
		from, to := first[team.rank]/64, (first[team.rank+1]+63)/64
		parallel(workers, to-from, func(q int) {
			if q += from; ctx.Err() == nil {
				h.search(set, t, all[q*64:min((q+1)*64, t.n)], p)
			}
		})
	} else {
		h, recall, place, first = cellSearch(ctx, set, t, k, workers, team)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &nearby{k: k, id: h.id, d: make([]float64, len(h.id)), recall: recall}
	cut(t.n).each(workers, func(_, lo, hi int) {
		for i := max(lo, first[team.rank]); i < min(hi, first[team.rank+1]); i++ {
			h.order(i)
			point := i
			if place != nil {
				point = int(place[i])
			}
			for s := i * k; s < (i+1)*k; s++ {
				out.d[s] = squaredDistance(t.row(point), t.row(int(h.id[s])))
			}
		}
	})
	share(team, out.id, first, k)
	share(team, out.d, first, k)
	if place != nil {
		out.putAt(place)
	}
	return out, team.err
}

// putAt moves the neighbours of place[i] from i to their place.
func (g *nearby) putAt(place []int32) {
	id, d := make([]int32, len(g.id)), make([]float64, len(g.d))
	for i, p := range place {
		copy(id[int(p)*g.k:], g.id[i*g.k:(i+1)*g.k])
		copy(d[int(p)*g.k:], g.d[i*g.k:(i+1)*g.k])
	}
	g.id, g.d = id, d
}

func rangeOf(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(i)
	}
	return v
}

// squaredDistance sums in four parts, which hides the time an addition takes.
func squaredDistance(a, b []float32) float64 {
	var s [4]float64
	b = b[:len(a)]
	for len(a) >= 4 {
		for l := range s {
			e := float64(a[l]) - float64(b[l])
			s[l] += float64(e * e)
		}
		a, b = a[4:], b[4:]
	}
	for l, v := range a {
		e := float64(v) - float64(b[l])
		s[l] += float64(e * e)
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// packed is points by groups of 16, each group by dimension.
type packed struct {
	d     int
	block []lanes.Vec
	id    []int32 // −1 where there is no point

	foreign bool // the queries are points of another kind: numbers that agree mean nothing
}

func pack(t table, ids []int32) packed {
	const w = lanes.Width
	groups := (len(ids) + w - 1) / w
	p := packed{d: t.d, block: make([]lanes.Vec, groups*t.d), id: make([]int32, groups*w)}
	for at := range p.id {
		g, l := at/w, at%w
		if at >= len(ids) {
			p.id[at] = -1
			for c := range t.d {
				p.block[g*t.d+c][l] = 1e15
			}
			continue
		}
		p.id[at] = ids[at]
		for c, v := range t.row(int(ids[at])) {
			p.block[g*t.d+c][l] = v
		}
	}
	return p
}

// heaps keep the k nearest points seen so far of every query, the furthest on top.
type heaps struct {
	k  int
	d  []float32
	id []int32
}

func newHeaps(n, k int) *heaps {
	h := &heaps{k: k, d: make([]float32, n*k), id: make([]int32, n*k)}
	for i := range h.d {
		h.d[i] = math.MaxFloat32
		h.id[i] = -1
	}
	return h
}

// search offers every point of the sets to the queries, which are rows of t. A query's heap has the number of its row.
func (h *heaps) search(set *lanes.Set, t table, queries []int32, sets ...packed) {
	h.searchAs(set, t, queries, queries, sets...)
}

// searchAs is search with the heaps named apart.
func (h *heaps) searchAs(set *lanes.Set, t table, queries, heap []int32, sets ...packed) {
	fours := (len(queries) + 3) / 4
	q := make([]float32, fours*4*t.d)
	for at := range fours * 4 {
		for c, v := range t.row(int(queries[min(at, len(queries)-1)])) {
			q[(at/4*t.d+c)*4+at%4] = v
		}
	}
	var a lanes.NearArgs
	for _, p := range sets {
		for g := range len(p.id) / lanes.Width {
			a.Block = p.block[g*t.d : (g+1)*t.d]
			for f := range fours {
				a.Q = q[f*4*t.d : (f+1)*4*t.d]
				for s := range a.Limit {
					a.Limit[s] = -1
					if f*4+s < len(queries) {
						a.Limit[s] = h.d[int(heap[f*4+s])*h.k]
					}
				}
				set.Near(&a)
				for s, m := range a.Mask {
					if m == 0 {
						continue
					}
					self := queries[f*4+s]
					if p.foreign {
						self = -1
					}
					h.offer(int(heap[f*4+s]), self, m, &a.Out[s], p.id[g*lanes.Width:])
				}
			}
		}
	}
}

// offer puts the points of the lanes set in mask into heap i, except self.
func (h *heaps) offer(i int, self int32, mask uint32, d *lanes.Vec, ids []int32) {
	hd, hid := h.d[i*h.k:(i+1)*h.k], h.id[i*h.k:(i+1)*h.k]
	for l, v := range d {
		if mask>>l&1 == 1 && v < hd[0] && ids[l] != self && ids[l] >= 0 {
			hd[0], hid[0] = v, ids[l]
			sink(hd, hid)
		}
	}
}

// sink restores the order of a heap whose top was replaced.
func sink(d []float32, id []int32) {
	for p := 0; ; {
		c := 2*p + 1
		if c >= len(d) {
			return
		}
		if c+1 < len(d) && d[c+1] > d[c] {
			c++
		}
		if d[c] <= d[p] {
			return
		}
		d[c], d[p] = d[p], d[c]
		id[c], id[p] = id[p], id[c]
		p = c
	}
}

// order sorts heap i, the nearest first.
func (h *heaps) order(i int) {
	d, id := h.d[i*h.k:(i+1)*h.k], h.id[i*h.k:(i+1)*h.k]
	for m := h.k - 1; m > 0; m-- {
		d[0], d[m] = d[m], d[0]
		id[0], id[m] = id[m], id[0]
		sink(d[:m], id[:m])
	}
}
