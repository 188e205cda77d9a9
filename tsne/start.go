package tsne

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nacre/internal/rng"
)

// principal returns the scores of the rows of x on the first k principal components (at most as many as there are
// columns), ordered by variance, each with the sign that makes its largest loading positive.
func principal(x Matrix, k int) (Matrix, error) {
	n, d := x.Rows, x.Cols
	k = min(k, d)
	centred := NewMatrix(n, d)
	for c := range d {
		mean := 0.0
		for i := range n {
			mean += x.Data[i*d+c] / float64(n)
		}
		for i := range n {
			centred.Data[i*d+c] = x.Data[i*d+c] - mean
		}
	}
	xc := mat.NewDense(n, d, centred.Data)
	var cov mat.SymDense
	cov.SymOuterK(1/float64(n), xc.T())
	var eig mat.EigenSym
	if !eig.Factorize(&cov, true) {
		return Matrix{}, badInput("the principal components could not be computed: the values are too large or too uneven")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	loadings := mat.NewDense(d, k, nil)
	for c := range k {
		v := mat.Col(nil, d-1-c, &vectors)
		largest := 0.0
		for _, a := range v {
			if math.Abs(a) > math.Abs(largest) {
				largest = a
			}
		}
		for r, a := range v {
			loadings.Set(r, c, math.Copysign(a, a*largest))
		}
	}
	out := NewMatrix(n, k)
	mat.NewDense(n, k, out.Data).Mul(xc, loadings)
	return out, nil
}

// place writes the first layout, x and y interleaved, into y.
func (t *TSNE) place(x Matrix, y []float32) error {
	r := rng.New(t.seed, rng.TSNE)
	std := t.recipe.StartStd
	switch t.recipe.Start {
	case StartGiven:
		for i, v := range t.init {
			y[i] = float32(v)
		}
	case StartRandom:
		for i := range y {
			y[i] = float32(std * r.NormFloat64())
		}
	case StartPCA:
		pc, err := principal(x, 2)
		if err != nil {
			return err
		}
		variance := 0.0
		for i := range pc.Rows {
			variance += pc.Row(i)[0] * pc.Row(i)[0] / float64(pc.Rows)
		}
		scale := std / math.Sqrt(variance)
		for i := range pc.Rows {
			for c := range 2 {
				v := 0.01 * std * r.NormFloat64()
				if c < pc.Cols {
					v += scale * pc.Row(i)[c]
				}
				y[2*i+c] = float32(v)
			}
		}
	}
	return nil
}
