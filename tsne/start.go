package tsne

import (
	"math"

	"nacre/internal/rng"
)

// place writes the first layout, the coordinates of each point side by side, into y.
func (t *TSNE) place(x table, y []float32, dims int) {
	std := t.recipe.StartStd
	if t.recipe.Start == StartGiven {
		for i, v := range t.init {
			y[i] = float32(v)
		}
		return
	}
	noise := make([]float64, len(y))
	normals(rng.New(t.seed, rng.TSNE), noise)
	if t.recipe.Start == StartRandom {
		for i, v := range noise {
			y[i] = float32(std * v)
		}
		return
	}
	mean, loadings := principal(x, dims, t.workers)
	pc := project(x, mean, loadings)
	variance := 0.0
	for i := range pc.n {
		v := float64(pc.row(i)[0])
		variance += float64(v*v) / float64(pc.n)
	}
	scale := std / math.Sqrt(variance)
	for i := range pc.n {
		for c := range dims {
			v := 0.01 * std * noise[i*dims+c]
			if c < pc.d {
				v = float64(scale*float64(pc.row(i)[c])) + v
			}
			y[i*dims+c] = float32(v)
		}
	}
}
