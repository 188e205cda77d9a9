package maml

import "math"

// conjugateGradient solves A·x = b for a symmetric positive definite A given by its products, from x = 0 (Hestenes and
// Stiefel 1952), until the squared residual falls below tolerance. product writes A·v to out.
func conjugateGradient(product func(v, out []float64) error, b []float64, iterations int,
	tolerance float64) (x []float64, err error) {
	x = make([]float64, len(b))
	r, p := append([]float64(nil), b...), append([]float64(nil), b...)
	z := make([]float64, len(b))
	square := innerProduct(r, r)
	for range iterations {
		if square < tolerance {
			break
		}
		if err := product(p, z); err != nil {
			return nil, err
		}
		alpha := square / innerProduct(p, z)
		add(x, alpha, p)
		add(r, -alpha, z)
		next := innerProduct(r, r)
		for i := range p {
			p[i] = r[i] + next/square*p[i]
		}
		square = next
	}
	return x, nil
}

func innerProduct(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// add adds c·x to y.
func add(y []float64, c float64, x []float64) {
	for i := range y {
		y[i] += c * x[i]
	}
}

// point holds loss and divergence at a θ of the line search.
type point struct{ loss, kl float64 }

// search is the result of a trust region step.
type search struct {
	theta     []float64 // the new θ; the old one after a rejection
	at        point     // loss and divergence at theta, as far as evaluated
	accepted  bool
	evaluated int
}

// lineSearch goes back from θ − step along the step, in the ratio c.Backtrack. It takes the first point whose loss is
// below the old one and whose divergence is within c.MaxKL. After c.MaxBacktracks points it stays at θ.
func (c Config) lineSearch(theta, step []float64, loss float64, evaluate func(theta []float64) (point, error)) (
	search, error) {
	scale := 1.0
	for n := range c.MaxBacktracks {
		candidate := append([]float64(nil), theta...)
		add(candidate, -scale, step)
		at, err := evaluate(candidate)
		if err != nil {
			return search{}, err
		}
		if at.loss < loss && at.kl <= c.MaxKL { // false if either is not a number
			return search{theta: candidate, at: at, accepted: true, evaluated: n + 1}, nil
		}
		scale *= c.Backtrack
	}
	return search{theta: theta, at: point{loss: loss}, evaluated: c.MaxBacktracks}, nil
}

// stepLength scales the direction x so that the quadratic model of the divergence, ½·stepᵀ·H·step, is maxKL. It is 0 if
// the direction is 0, as for a batch without advantages.
func stepLength(maxKL, curvature float64) float64 {
	if !(curvature > 0) {
		return 0
	}
	return math.Sqrt(2 * maxKL / curvature)
}
