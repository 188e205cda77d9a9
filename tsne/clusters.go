package tsne

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"nacre/internal/rng"
)

// Clusters says how tightly labelled points gather and how far apart the groups lie. Distances are Euclidean, in
// the units of the points.
type Clusters struct {
	// mean distance of the points to the centroid of their group
	Intra float64 `json:"distance_to_centroid"`
	Inter float64 `json:"distance_between_centroids"` // mean distance of the centroids of two groups
	Ratio float64 `json:"ratio"`                      // Inter/Intra, with Intra taken as at least 1e-12·RMS
	// root of the mean squared distance of points to their common mean
	RMS      float64 `json:"rms"`
	IntraRMS float64 `json:"distance_to_centroid_over_rms"`
	InterRMS float64 `json:"distance_between_centroids_over_rms"`
	// mean silhouette of the points, in [-1, 1] (Rousseeuw 1987). A point alone in its group counts 0. With more than
	// 5,000 points, the mean is over a sample of 1,000.
	Silhouette float64 `json:"silhouette"`
}

// MeasureClusters measures the groups of equal label among the rows of x, at least two groups. Label values are
// arbitrary. If all rows are equal, every figure is 0.
func MeasureClusters(x Matrix, label []int) (Clusters, error) {
	if err := checkData(x); err != nil {
		return Clusters{}, err
	}
	g, err := newGroups(label, x.Rows)
	if err != nil {
		return Clusters{}, err
	}
	x, unit := moderate(x)
	c := centroidDistances(x, g, nil)
	c.Silhouette = mean(silhouettes(x, g, New().workers))
	return c.in(unit), nil
}

// in returns c with distances multiplied by unit.
func (c Clusters) in(unit float64) Clusters {
	c.Intra, c.Inter, c.RMS = c.Intra*unit, c.Inter*unit, c.RMS*unit
	return c
}

// Centroids returns the mean of each group, one row per distinct label, and those labels in increasing order.
func Centroids(x Matrix, label []int) (Matrix, []int, error) {
	if err := checkData(x); err != nil {
		return Matrix{}, nil, err
	}
	if len(label) != x.Rows {
		return Matrix{}, nil, badInput("%d labels for %d points", len(label), x.Rows)
	}
	g := group(label)
	return g.centroids(x, nil), g.values, nil
}

// groups numbers the distinct labels 0…k−1 in increasing order.
type groups struct {
	values []int
	of     []int   // group of each point
	member [][]int // points of each group
}

func group(label []int) *groups {
	g := &groups{values: slices.Compact(slices.Sorted(slices.Values(label))), of: make([]int, len(label))}
	g.member = make([][]int, len(g.values))
	for i, l := range label {
		k, _ := slices.BinarySearch(g.values, l)
		g.of[i] = k
		g.member[k] = append(g.member[k], i)
	}
	return g
}

func newGroups(label []int, n int) (*groups, error) {
	if len(label) != n {
		return nil, badInput("%d labels for %d points", len(label), n)
	}
	g := group(label)
	if len(g.values) < 2 {
		return nil, badInput("every point has label %d: distances between centroids need at least two labels", label[0])
	}
	return g, nil
}

// differ reports whether x has rows that are not equal.
func differ(x Matrix) bool {
	for i := 1; i < x.Rows; i++ {
		if !slices.Equal(x.Row(i), x.Row(0)) {
			return true
		}
	}
	return false
}

// centroids returns the mean of each group over the chosen points, with repetition; nil chooses every point once.
func (g *groups) centroids(x Matrix, chosen []int) Matrix {
	c := NewMatrix(len(g.values), x.Cols)
	size := make([]float64, len(g.values))
	eachChosen(x.Rows, chosen, func(i int) {
		size[g.of[i]]++
		row := c.Row(g.of[i])
		for k, v := range x.Row(i) {
			row[k] += v
		}
	})
	for k := range size {
		row := c.Row(k)
		for j := range row {
			row[j] /= size[k]
		}
	}
	return c
}

func eachChosen(n int, chosen []int, f func(i int)) {
	if chosen == nil {
		for i := range n {
			f(i)
		}
		return
	}
	for _, i := range chosen {
		f(i)
	}
}

func distance(a, b []float64) float64 {
	s := 0.0
	for k, v := range a {
		s += (v - b[k]) * (v - b[k])
	}
	return math.Sqrt(s)
}

// centroidDistances fills all of Clusters but the silhouette, over the chosen points.
func centroidDistances(x Matrix, g *groups, chosen []int) Clusters {
	var c Clusters
	cent := g.centroids(x, chosen)
	centre := make([]float64, x.Cols)
	n := 0.0
	eachChosen(x.Rows, chosen, func(i int) {
		n++
		c.Intra += distance(x.Row(i), cent.Row(g.of[i]))
		for k, v := range x.Row(i) {
			centre[k] += v
		}
	})
	c.Intra /= n
	for k := range centre {
		centre[k] /= n
	}
	eachChosen(x.Rows, chosen, func(i int) {
		d := distance(x.Row(i), centre)
		c.RMS += d * d
	})
	c.RMS = math.Sqrt(c.RMS / n)
	pairs := 0
	for a := range cent.Rows {
		for b := a + 1; b < cent.Rows; b++ {
			c.Inter += distance(cent.Row(a), cent.Row(b))
			pairs++
		}
	}
	c.Inter /= float64(pairs)
	if c.RMS > 0 {
		c.Ratio = c.Inter / max(c.Intra, 1e-12*c.RMS)
		c.IntraRMS, c.InterRMS = c.Intra/c.RMS, c.Inter/c.RMS
	}
	return c
}

// silhouettes returns (b−a)/max(a,b) of every point: a its mean distance to the others of its group, b the smallest
// mean distance to another group. Of more than 5,000 points it does so for a sample of 1,000 and gives NaN for others.
func silhouettes(x Matrix, g *groups, workers int) []float64 {
	out := make([]float64, x.Rows)
	points := someOf(x.Rows, allPoints, somePoints)
	if len(points) < x.Rows {
		for i := range out {
			out[i] = math.NaN()
		}
	}
	cut(len(points)).each(workers, func(_, lo, hi int) {
		total := make([]float64, len(g.values))
		for _, i := range points[lo:hi] {
			out[i] = silhouette(x, g, int(i), total)
		}
	})
	return out
}

func silhouette(x Matrix, g *groups, i int, total []float64) float64 {
	clear(total)
	for j := range x.Rows {
		total[g.of[j]] += distance(x.Row(i), x.Row(j))
	}
	own := g.of[i]
	if len(g.member[own]) < 2 {
		return 0
	}
	inside, outside := total[own]/float64(len(g.member[own])-1), math.Inf(1)
	for c, t := range total {
		if c != own {
			outside = min(outside, t/float64(len(g.member[c])))
		}
	}
	if m := max(inside, outside); m > 0 {
		return (outside - inside) / m
	}
	return 0
}

// heldOut returns for every point the share of splits in which it was nearest to the centroid of its own group when
// centroids came from the other half. Each of the splits cuts every group in two at random, and each half is held out
// once. A group needs two points. A smaller group has no centroid while its point is held out, so the share of its
// point is NaN.
func heldOut(x Matrix, g *groups, splits int, seed uint64) []float64 {
	alone := func(i int) bool { return len(g.member[g.of[i]]) < 2 }
	right := make([]float64, x.Rows)
	for s := range splits {
		r := rng.New(seed, rng.Bootstrap, 1, uint64(s))
		var half [2][]int
		for _, m := range g.member {
			p := r.Perm(len(m))
			for k, at := range p {
				h := 0
				if k >= (len(m)+1)/2 {
					h = 1
				}
				half[h] = append(half[h], m[at])
			}
		}
		for h := range 2 {
			cent := g.centroids(x, half[1-h])
			for _, i := range half[h] {
				best, nearest := math.Inf(1), -1
				for c := range cent.Rows {
					if d := distance(x.Row(i), cent.Row(c)); d < best {
						best, nearest = d, c
					}
				}
				if nearest == g.of[i] {
					right[i]++
				}
			}
		}
	}
	for i := range right {
		if right[i] /= float64(splits); alone(i) {
			right[i] = math.NaN()
		}
	}
	return right
}

// NearestCentroidAccuracy is the share of held-out rows of x that lie nearest to the centroid of their own label.
// Centroids are computed from a random half of every label's points and tested on the other half; then the halves
// change places. This is repeated splits times. Every label needs two points.
func NearestCentroidAccuracy(x Matrix, label []int, splits int, seed uint64) (float64, error) {
	if err := checkData(x); err != nil {
		return 0, err
	}
	g, err := newGroups(label, x.Rows)
	if err != nil {
		return 0, err
	}
	if err := g.checkPairs(); err != nil {
		return 0, err
	}
	if splits < 1 {
		return 0, badInput("splits %d must be at least 1", splits)
	}
	return mean(heldOut(x, g, splits, seed)), nil
}

func (g *groups) checkPairs() error {
	for k, m := range g.member {
		if len(m) < 2 {
			return badInput("label %d has a single point: held-out accuracy needs two of every label", g.values[k])
		}
	}
	return nil
}

// resample draws points from every group with replacement, as many as the group has.
func (g *groups) resample(r *rand.Rand) []int {
	var out []int
	for _, m := range g.member {
		for range m {
			out = append(out, m[r.IntN(len(m))])
		}
	}
	return out
}

// Interval is a 95 % interval, low and high end.
type Interval [2]float64

func (v Interval) String() string { return fmt.Sprintf("[%.4g, %.4g]", v[0], v[1]) }

// percentile95 returns the 2.5th and 97.5th percentiles of v, interpolating linearly between order statistics.
func percentile95(v []float64) Interval {
	sort.Float64s(v)
	at := func(q float64) float64 {
		p := q * float64(len(v)-1)
		i := min(int(p), len(v)-2)
		return v[i] + (p-float64(i))*(v[i+1]-v[i])
	}
	return Interval{at(0.025), at(0.975)}
}

// mean leaves out what is not a number.
func mean(v []float64) float64 {
	s, n := 0.0, 0.0
	for _, a := range v {
		if !math.IsNaN(a) {
			s += a
			n++
		}
	}
	return s / n
}
