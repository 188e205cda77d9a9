package tsne

import (
	"cmp"
	"math"
	"slices"

	"nacre/internal/rng"
)

const (
	extraComponents = 8   // carried along for the sake of convergence
	wideData        = 512 // columns from which the covariance is not formed
)

// principal finds the first k principal components of t (at most as many as there are columns), ordered by variance,
// each with the sign that makes its largest loading positive: the mean and the loadings, columns × components. It
// iterates a subspace (Rutishauser 1970) in an order of sums of its own, so that every machine finds the same bits.
func principal(t table, k, workers int) (mean []float64, loadings Matrix) {
	mean = make([]float64, t.d)
	for i := range t.n {
		for c, v := range t.row(i) {
			mean[c] += float64(v)
		}
	}
	for c := range mean {
		mean[c] /= float64(t.n)
	}
	k = min(k, t.d)
	v := NewMatrix(t.d, min(t.d, k+extraComponents))
	r := rng.New(0, rng.TSNE, 1)
	for i := range v.Data {
		v.Data[i] = r.Float64() - 0.5
	}
	orthonormalise(v)
	times, rounds := func(v Matrix) Matrix { return scatterTimes(t, mean, v, workers) }, 16
	if t.d <= wideData {
		c := scatter(t, mean, workers)
		times, rounds = func(v Matrix) Matrix { return product(c, v) }, 300
	}
	before := make([]float64, v.Cols)
	for range rounds {
		w := times(v)
		values, turn := eigen(product(transposed(v), w))
		v = product(w, turn)
		orthonormalise(v)
		still := true
		for c := range k {
			still = still && math.Abs(values[c]-before[c]) <= 1e-14*values[0]
		}
		if still {
			break
		}
		before = values
	}
	loadings = NewMatrix(t.d, k)
	for c := range k {
		largest := 0.0
		for i := range t.d {
			if a := v.Row(i)[c]; math.Abs(a) > math.Abs(largest) {
				largest = a
			}
		}
		for i := range t.d {
			loadings.Row(i)[c] = math.Copysign(1, largest) * v.Row(i)[c]
		}
	}
	return mean, loadings
}

// scatter is Σ (x−mean)(x−mean)ᵀ. Each row is one worker's, over the points in order.
func scatter(t table, mean []float64, workers int) Matrix {
	c := NewMatrix(t.d, t.d)
	const rows = 8
	parallel(workers, (t.d+rows-1)/rows, func(b int) {
		lo, hi := b*rows, min((b+1)*rows, t.d)
		x := make([]float64, t.d)
		for i := range t.n {
			for k, v := range t.row(i)[lo:] {
				x[lo+k] = float64(v) - mean[lo+k]
			}
			for a := lo; a < hi; a++ {
				row, f := c.Row(a)[a:], x[a]
				for k, v := range x[a:] {
					row[k] += float64(f * v)
				}
			}
		}
	})
	for a := range t.d {
		for b := range a {
			c.Row(a)[b] = c.Row(b)[a]
		}
	}
	return c
}

// scatterTimes is scatter·v without the scatter.
func scatterTimes(t table, mean []float64, v Matrix, workers int) Matrix {
	b := cut(t.n)
	part := make([]Matrix, b.count)
	b.each(workers, func(_, lo, hi int) {
		out := NewMatrix(t.d, v.Cols)
		x, s := make([]float64, t.d), make([]float64, v.Cols)
		for i := lo; i < hi; i++ {
			clear(s)
			for c, a := range t.row(i) {
				x[c] = float64(a) - mean[c]
				for k, w := range v.Row(c) {
					s[k] += float64(x[c] * w)
				}
			}
			for c, a := range x {
				row := out.Row(c)
				for k, w := range s {
					row[k] += float64(a * w)
				}
			}
		}
		part[lo/b.size] = out
	})
	for _, p := range part[1:] {
		for i, a := range p.Data {
			part[0].Data[i] += a
		}
	}
	return part[0]
}

func product(a, b Matrix) Matrix {
	out := NewMatrix(a.Rows, b.Cols)
	for i := range a.Rows {
		row := out.Row(i)
		for k, f := range a.Row(i) {
			for j, v := range b.Row(k) {
				row[j] += float64(f * v)
			}
		}
	}
	return out
}

// orthonormalise makes the columns of v orthonormal, twice for the sake of rounding.
func orthonormalise(v Matrix) {
	for c := range v.Cols {
		for range 2 {
			for e := range c {
				s := 0.0
				for i := range v.Rows {
					s += float64(v.Row(i)[e] * v.Row(i)[c])
				}
				for i := range v.Rows {
					v.Row(i)[c] -= float64(s * v.Row(i)[e])
				}
			}
		}
		s := 0.0
		for i := range v.Rows {
			s += float64(v.Row(i)[c] * v.Row(i)[c])
		}
		if s = math.Sqrt(s); s > 0 {
			for i := range v.Rows {
				v.Row(i)[c] /= s
			}
		}
	}
}

func transposed(m Matrix) Matrix {
	out := NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for k, v := range m.Row(i) {
			out.Row(k)[i] = v
		}
	}
	return out
}

// eigen returns the eigenvalues of the symmetric matrix a, the largest first, and their vectors as columns, by Jacobi's
// rotations. It overwrites a.
func eigen(a Matrix) ([]float64, Matrix) {
	n := a.Rows
	u := NewMatrix(n, n)
	for i := range n {
		u.Row(i)[i] = 1
	}
	for range 60 {
		off := 0.0
		for p := range n {
			for q := p + 1; q < n; q++ {
				if rotate(a, u, p, q) {
					off = 1
				}
			}
		}
		if off == 0 {
			break
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a.Row(y)[y], a.Row(x)[x]) })
	values, vectors := make([]float64, n), NewMatrix(n, n)
	for k, c := range order {
		values[k] = a.Row(c)[c]
		for i := range n {
			vectors.Row(i)[k] = u.Row(i)[c]
		}
	}
	return values, vectors
}

// rotate makes a's entry at p, q zero, unless it is negligible.
func rotate(a, u Matrix, p, q int) bool {
	apq, app, aqq := a.Row(p)[q], a.Row(p)[p], a.Row(q)[q]
	if math.Abs(apq) <= 1e-17*math.Sqrt(math.Abs(float64(app*aqq))) || apq == 0 {
		return false
	}
	theta := (aqq - app) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	turn := func(x, y *float64) {
		*x, *y = float64(c**x)-float64(s**y), float64(s**x)+float64(c**y)
	}
	for i := range a.Rows {
		turn(&a.Row(i)[p], &a.Row(i)[q])
	}
	for i := range a.Rows {
		turn(&a.Row(p)[i], &a.Row(q)[i])
		turn(&u.Row(i)[p], &u.Row(i)[q])
	}
	a.Row(p)[q], a.Row(q)[p] = 0, 0
	return true
}
