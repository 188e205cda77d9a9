package tsne

import (
	"cmp"
	"context"
	"math"
	"slices"

	"nacre/internal/rng"
	"nacre/tsne/internal/lanes"
)

const (
	wantedRecall  = 0.98
	sampleQueries = 256
)

// cells is a k-means partition of points.
type cells struct {
	t       table
	centre  table
	members [][]int32
	packed  []packed
	nearest [][]int32 // for each cell, all cells in order of the distance of their centres
	workers int
	set     *lanes.Set
	team    *member
}

// cellSearch finds approximate neighbours: every point looks in the cells nearest to its own. How many that takes is
// tried out on a sample whose true neighbours are known. It returns the recall on the sample. The programs of a team
// search for the points of some cells each: then heaps are in the order of cells, place is every heap's point, and
// first says where each program's begin.
func cellSearch(ctx context.Context, set *lanes.Set, t table, k, workers int,
	team *member) (h *heaps, recall float64, place []int32, first []int) {
	c := partition(set, t, workers, team)
	sample := someOf(t.n, sampleQueries, sampleQueries)
	slot := rangeOf(len(sample))
	exact := newHeaps(len(sample), k)
	parallel(workers, (len(sample)+15)/16, func(b int) {
		lo, hi := b*16, min((b+1)*16, len(sample))
		exact.searchAs(set, t, sample[lo:hi], slot[lo:hi], c.packed...)
	})
	probes := 4
	for ; ; probes = min(2*probes, len(c.members)) {
		found := newHeaps(len(sample), k)
		parallel(workers, len(sample), func(s int) {
			c.probe(found, sample[s:s+1], slot[s:s+1], c.cellOf(sample[s]), probes)
		})
		recall = agreement(exact, found)
		if recall >= wantedRecall || probes == len(c.members) {
			break
		}
	}
	h = newHeaps(t.n, k)
	if team.of == 1 {
		parallel(workers, len(c.members), func(cell int) {
			if m := c.members[cell]; len(m) > 0 && ctx.Err() == nil {
				c.probe(h, m, m, cell, probes)
			}
		})
		return h, recall, nil, team.even(t.n, 1)
	}
	ends := []int32{0}
	for _, m := range c.members {
		place = append(place, m...)
		ends = append(ends, int32(len(place)))
	}
	all, cells := rangeOf(t.n), team.byWork(ends)
	own := cells[team.rank]
	parallel(workers, cells[team.rank+1]-own, func(i int) {
		cell := own + i
		if m := c.members[cell]; len(m) > 0 && ctx.Err() == nil {
			c.probe(h, m, all[ends[cell]:ends[cell+1]], cell, probes)
		}
	})
	for _, cell := range cells {
		first = append(first, int(ends[cell]))
	}
	return h, recall, place, first
}

// agreement is the share of the first's neighbours that the second found.
func agreement(a, b *heaps) float64 {
	same := 0
	for i := 0; i < len(a.id); i += a.k {
		for _, j := range a.id[i : i+a.k] {
			if slices.Contains(b.id[i:i+a.k], j) {
				same++
			}
		}
	}
	return float64(same) / float64(len(a.id))
}

// probe searches the cells nearest to a cell, and on until every heap can be full.
func (c *cells) probe(h *heaps, queries, heap []int32, cell, probes int) {
	var sets []packed
	points := 0
	for at, other := range c.nearest[cell] {
		if at >= probes && points > h.k {
			break
		}
		sets = append(sets, c.packed[other])
		points += len(c.members[other])
	}
	for len(queries) > 0 {
		n := min(64, len(queries))
		h.searchAs(c.set, c.t, queries[:n], heap[:n], sets...)
		queries, heap = queries[n:], heap[n:]
	}
}

// cellOf finds the cell of a point.
func (c *cells) cellOf(point int32) int {
	for k, m := range c.members {
		if _, ok := slices.BinarySearch(m, point); ok {
			return k
		}
	}
	return 0
}

// partition cuts the points into about √n cells, by six rounds of k-means on a part of them.
func partition(set *lanes.Set, t table, workers int, team *member) *cells {
	n := int(math.Sqrt(float64(t.n)))
	r := rng.New(0, rng.TSNE, 2)
	shuffled := rangeOf(t.n)
	for i := len(shuffled) - 1; i > 0; i-- {
		j := r.IntN(i + 1)
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	}
	train := shuffled[:min(t.n, 64*n)]
	c := &cells{t: t, centre: table{n: n, d: t.d, data: make([]float32, n*t.d)}, workers: workers, set: set, team: team}
	for k := range n {
		copy(c.centre.row(k), t.row(int(shuffled[k])))
	}
	for range 6 {
		owner := c.assign(train)
		sum, size := make([]float64, n*t.d), make([]float64, n)
		for s, i := range train {
			k := owner[s]
			size[k]++
			for a, v := range t.row(int(i)) {
				sum[int(k)*t.d+a] += float64(v)
			}
		}
		for k := range n {
			if size[k] == 0 {
				copy(c.centre.row(k), t.row(int(train[r.IntN(len(train))])))
				continue
			}
			for a := range t.d {
				c.centre.row(k)[a] = float32(sum[k*t.d+a] / size[k])
			}
		}
	}
	c.members = make([][]int32, n)
	for i, k := range c.assign(rangeOf(t.n)) {
		c.members[k] = append(c.members[k], int32(i))
	}
	c.packed, c.nearest = make([]packed, n), make([][]int32, n)
	parallel(workers, n, func(k int) {
		c.packed[k] = pack(t, c.members[k])
		d := make([]float64, n)
		for o := range n {
			d[o] = squaredDistance(c.centre.row(k), c.centre.row(o))
		}
		c.nearest[k] = rangeOf(n)
		slices.SortFunc(c.nearest[k], func(a, b int32) int {
			return cmp.Or(cmp.Compare(d[a], d[b]), cmp.Compare(a, b))
		})
	})
	return c
}

// assign returns the nearest centre of each of the points.
func (c *cells) assign(points []int32) []int32 {
	p := pack(c.centre, rangeOf(c.centre.n))
	p.foreign = true
	h := newHeaps(len(points), 1)
	heap := rangeOf(len(points))
	const each = 64
	first := c.team.even(len(points), each)
	own, end := first[c.team.rank], first[c.team.rank+1]
	parallel(c.workers, (end-own+each-1)/each, func(b int) {
		lo, hi := own+b*each, min(own+(b+1)*each, end)
		h.searchAs(c.set, c.t, points[lo:hi], heap[lo:hi], p)
	})
	share(c.team, h.id, first, 1)
	return h.id
}
