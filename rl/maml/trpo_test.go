package maml

import (
	"fmt"
	"math"
	"testing"
)

// A 3×3 system whose solution is (1, -2, 3).
func TestConjugateGradient(t *testing.T) {
	a := [3][3]float64{{4, 1, 0}, {1, 3, -1}, {0, -1, 2}}
	products := 0
	multiply := func(v, out []float64) error {
		products++
		for i := range a {
			out[i] = a[i][0]*v[0] + a[i][1]*v[1] + a[i][2]*v[2]
		}
		return nil
	}
	b := []float64{2, -8, 8}
	x, err := conjugateGradient(multiply, b, 10, 1e-20)
	check(t, err)
	nearAll(t, "the solution", x, []float64{1, -2, 3}, 1e-12)
	if products != 3 {
		t.Errorf("%d products, want 3", products)
	}
	// One iteration goes along b to the minimum on that line, bᵀb/(bᵀAb)·b = 132/(16·4 + ...)·b.
	x, err = conjugateGradient(multiply, b, 1, 1e-20)
	check(t, err)
	z := make([]float64, 3)
	check(t, multiply(b, z))
	scale := 132 / (2*z[0] - 8*z[1] + 8*z[2])
	nearAll(t, "one iteration", x, []float64{2 * scale, -8 * scale, 8 * scale}, 1e-15)
	x, err = conjugateGradient(multiply, make([]float64, 3), 10, 1e-20)
	check(t, err)
	if fmt.Sprint(x) != "[0 0 0]" {
		t.Errorf("the solution for 0 is %v", x)
	}
}

// The divergence of a quadratic model at the full step is the bound.
func TestStepLength(t *testing.T) {
	if s := stepLength(0.01, 8); math.Abs(0.5*s*s*8-0.01) > 1e-17 {
		t.Errorf("step length %g", s)
	}
	if s := stepLength(0.01, 0); s != 0 {
		t.Errorf("step length %g of no direction", s)
	}
}

// The search takes the first point that is both better and near enough, and rejects all where none is.
func TestLineSearch(t *testing.T) {
	c := Default()
	theta, step := []float64{1, 2}, []float64{1, -1}
	moved := func(theta []float64) float64 { return 1 - theta[0] } // the scale of the step
	for name, x := range map[string]struct {
		at   func(scale float64) point
		want string
	}{
		"at once": {func(float64) point { return point{-1, 0.01} }, "[0 3] true 1"},
		"too far twice": {func(s float64) point {
			return point{-1, 0.0127 * s}
		}, "[0.3599999999999999 2.64] true 3"},
		"worse at first": {func(s float64) point {
			return point{s - 0.7, 0}
		}, "[0.3599999999999999 2.64] true 3"},
		"always too far":           {func(float64) point { return point{-1, 0.011} }, "[1 2] false 15"},
		"never better":             {func(float64) point { return point{0, 0} }, "[1 2] false 15"},
		"the loss is not a number": {func(float64) point { return point{math.NaN(), 0} }, "[1 2] false 15"},
		"nor the divergence":       {func(float64) point { return point{-1, math.NaN()} }, "[1 2] false 15"},
	} {
		found, err := c.lineSearch(theta, step, 0, func(theta []float64) (point, error) {
			return x.at(moved(theta)), nil
		})
		check(t, err)
		if got := fmt.Sprint(found.theta, found.accepted, found.evaluated); got != x.want {
			t.Errorf("%s: %s, want %s", name, got, x.want)
		}
	}
}
