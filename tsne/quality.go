package tsne

import (
	"cmp"
	"slices"

	"nacre/internal/rng"
)

// Neighbourhood says how well a layout keeps the neighbourhoods of its data. The best value of its three figures is 1.
type Neighbourhood struct {
	K int `json:"k"`
	// degree to which neighbours in the layout are neighbours in the data (Venna and Kaski 2001)
	Trustworthiness float64 `json:"trustworthiness"`
	// degree to which neighbours in the data are neighbours in the layout
	Continuity float64 `json:"continuity"`
	Recall     float64 `json:"recall"`           // share of the k nearest neighbours that are the same in both
	Sample     int     `json:"sample,omitempty"` // number of points in the sample; 0 means all points were used
}

const (
	allPoints   = 5000 // largest number of points of which all are used
	somePoints  = 1000 // size of the sample of more points
	sampleDraws = 3    // path of the random stream
)

// someOf returns the numbers below n that are looked at, in order: all, or a random sample.
func someOf(n, most, sample int) []int32 {
	all := rangeOf(n)
	if n <= most {
		return all
	}
	r := rng.New(0, rng.TSNE, sampleDraws)
	for i := range sample {
		j := i + r.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	slices.Sort(all[:sample])
	return all[:sample]
}

// MeasureNeighbourhood compares, for every point, its k nearest neighbours (1 ≤ k < n/2) in the data x and in the
// layout y. Distances are Euclidean; equal distances are ordered by row. With more than 5,000 points it uses a random
// sample of 1,000 points. With U_k(i) the points near i only in the layout and r(i,j) the rank of j by distance from i
// in the data,
//
//	trustworthiness = 1 − 2/(n·k·(2n−3k−1)) · Σ_i Σ_{j∈U_k(i)} (r(i,j) − k)
//
// Continuity is the same with the two spaces exchanged.
func MeasureNeighbourhood(x, y Matrix, k int) (Neighbourhood, error) {
	if err := checkData(x); err != nil {
		return Neighbourhood{}, err
	}
	if err := checkData(y); err != nil {
		return Neighbourhood{}, err
	}
	n := x.Rows
	if y.Rows != n {
		return Neighbourhood{}, badInput("the layout has %d points, the data %d", y.Rows, n)
	}
	if k < 1 || 2*k >= n {
		return Neighbourhood{}, badInput("%d neighbours: the range for %d points is 1 to %d", k, n, (n-1)/2)
	}
	x, _ = moderate(x)
	y, _ = moderate(y)
	points := someOf(n, allPoints, somePoints)
	b := cut(len(points))
	workers := New().workers
	trust, cont, same := make([]float64, b.count), make([]float64, b.count), make([]float64, b.count)
	b.each(workers, func(_, lo, hi int) {
		p := lo / b.size
		inX, inY := newRanking(n, k), newRanking(n, k)
		for _, i := range points[lo:hi] {
			inX.from(x, int(i))
			inY.from(y, int(i))
			for r := range k {
				if v := inX.rank(inY.order[r]); v > k {
					trust[p] += float64(v - k)
				} else {
					same[p]++
				}
				if v := inY.rank(inX.order[r]); v > k {
					cont[p] += float64(v - k)
				}
			}
		}
	})
	m := float64(len(points))
	scale := 2 / (m * float64(k) * float64(2*n-3*k-1))
	out := Neighbourhood{K: k, Trustworthiness: 1, Continuity: 1}
	if len(points) < n {
		out.Sample = len(points)
	}
	for p := range trust {
		out.Trustworthiness -= scale * trust[p]
		out.Continuity -= scale * cont[p]
		out.Recall += same[p] / (m * float64(k))
	}
	return out, nil
}

// squaredDistances writes |x_i − x_j|² for every j into d.
func squaredDistances(x Matrix, i int, d []float64) {
	xi := x.Row(i)
	for j := range d {
		s := 0.0
		for k, v := range x.Row(j) {
			v -= xi[k]
			s += v * v
		}
		d[j] = s
	}
}

// ranking orders other points by distance from one, equal distances by number: order has the k nearest.
type ranking struct {
	of    int
	d     []float64
	order []int
}

func newRanking(n, k int) *ranking { return &ranking{d: make([]float64, n), order: make([]int, k)} }

func (r *ranking) from(x Matrix, i int) {
	r.of = i
	squaredDistances(x, i, r.d)
	near := func(a, b int) int { return cmp.Or(cmp.Compare(r.d[a], r.d[b]), cmp.Compare(a, b)) }
	kept := r.order[:0]
	for j, d := range r.d {
		if j == i || len(kept) == cap(kept) && d >= r.d[kept[len(kept)-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(kept, j, near)
		if len(kept) == cap(kept) {
			kept = kept[:len(kept)-1]
		}
		kept = slices.Insert(kept, at, j)
	}
	r.order = kept
}

// rank is 1 for the nearest point.
func (r *ranking) rank(j int) int {
	rank := 1
	for l, d := range r.d {
		if l != r.of && (d < r.d[j] || d == r.d[j] && l < j) {
			rank++
		}
	}
	return rank
}
