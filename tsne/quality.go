package tsne

import (
	"cmp"
	"slices"
)

// Neighbourhood says how well a layout keeps the neighbourhoods of its data; all three are 1 at best.
type Neighbourhood struct {
	K               int     `json:"k"`
	Trustworthiness float64 `json:"trustworthiness"` // neighbours in the layout are neighbours in the data (Venna and Kaski 2001)
	Continuity      float64 `json:"continuity"`      // neighbours in the data are neighbours in the layout
	Recall          float64 `json:"recall"`          // share of the k nearest that are the same in both
}

// MeasureNeighbourhood compares the k nearest neighbours (1 ≤ k < n/2) of every point in the data x and in the layout
// y by Euclidean distance, equal distances ordered by row. With U_k(i) the points near i in the layout only and
// r(i,j) the rank of j by distance from i in the data,
//
//	trustworthiness = 1 − 2/(n·k·(2n−3k−1)) · Σ_i Σ_{j∈U_k(i)} (r(i,j) − k)
//
// and continuity is the same with the two spaces exchanged.
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
	b := cut(n)
	workers := New().workers
	trust, cont, same := make([]float64, b.count), make([]float64, b.count), make([]float64, b.count)
	parallel(workers, b.count, func(p int) {
		lo, hi := b.bounds(p)
		inX, inY := newRanking(n), newRanking(n)
		for i := lo; i < hi; i++ {
			inX.from(x, i)
			inY.from(y, i)
			for r := range k {
				if v := inX.rank[inY.order[r]]; v > k {
					trust[p] += float64(v - k)
				} else {
					same[p]++
				}
				if v := inY.rank[inX.order[r]]; v > k {
					cont[p] += float64(v - k)
				}
			}
		}
	})
	scale := 2 / (float64(n) * float64(k) * float64(2*n-3*k-1))
	out := Neighbourhood{K: k, Trustworthiness: 1, Continuity: 1}
	for p := range trust {
		out.Trustworthiness -= scale * trust[p]
		out.Continuity -= scale * cont[p]
		out.Recall += same[p] / float64(n*k)
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

// ranking orders all other points by distance from one: order[0] is the nearest and has rank 1.
type ranking struct {
	d     []float64
	order []int
	rank  []int
}

func newRanking(n int) *ranking {
	return &ranking{d: make([]float64, n), order: make([]int, 0, n), rank: make([]int, n)}
}

func (r *ranking) from(x Matrix, i int) {
	squaredDistances(x, i, r.d)
	r.d[i] = -1
	for j := range r.rank {
		r.rank[j] = j
	}
	slices.SortFunc(r.rank, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.d[a], r.d[b]), cmp.Compare(a, b))
	})
	r.order = append(r.order[:0], r.rank[1:]...)
	for at, j := range r.order {
		r.rank[j] = at + 1
	}
	r.rank[i] = 0
}
