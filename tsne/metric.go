package tsne

import "math"

// Metric is the distance by which neighbours and affinities are computed.
type Metric string

const (
	// Euclidean is the default.
	Euclidean Metric = ""
	// Cosine is 1 − x·y/(|x||y|), which depends only on directions. Its square replaces the squared Euclidean distance,
	// as in scikit-learn and openTSNE. The layout starts from the principal components of the directions.
	Cosine Metric = "cosine"
)

func (m Metric) check() error {
	if m != Euclidean && m != Cosine {
		return badInput("metric %q is unknown; it is %q or empty, the Euclidean one", m, Cosine)
	}
	return nil
}

// of returns the rows of x in a space whose Euclidean distances order neighbours as the metric does. For the cosine
// distance these are rows of length one: half their squared Euclidean distance is the cosine distance.
func (m Metric) of(x Matrix) (Matrix, error) {
	if m != Cosine {
		return x, nil
	}
	out := NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		largest, sum := 0.0, 0.0
		for _, v := range x.Row(i) {
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			return out, badInput("row %d (counted from 0) is all zeros: it has no direction, and no cosine distance", i)
		}
		for k, v := range x.Row(i) {
			v /= largest
			out.Row(i)[k] = v
			sum += float64(v * v)
		}
		length := math.Sqrt(sum)
		for k := range out.Row(i) {
			out.Row(i)[k] /= length
		}
	}
	return out, nil
}

// squares turns squared Euclidean distances in the space of Metric.of into squared distances of the metric, except for
// a constant factor, which has no effect.
func (m Metric) squares(d []float64) {
	if m != Cosine {
		return
	}
	for i, v := range d {
		d[i] = float64(v * v)
	}
}
