package metaworld

import (
	"math"
	"testing"
)

func TestTolerances(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"inside", tail(0.3, 0.2, 0.4, 1), 1},
		{"on the bound", tail(0.4, 0.2, 0.4, 1), 1},
		{"one margin above", tail(0.9, 0.2, 0.4, 0.5), 0.1},
		{"one margin below", tail(-0.3, 0.2, 0.4, 0.5), 0.1},
		{"two margins above", tail(1.4, 0.2, 0.4, 0.5), 1.0 / 37},
		{"without a margin", tail(0.41, 0.2, 0.4, 0), 0},
		{"without a margin, inside", tail(0.3, 0.2, 0.4, 0), 1},
		{"Gaussian, inside", gauss(0.3, 0.2, 0.4, 1), 1},
		{"Gaussian, one margin above", gauss(0.9, 0.2, 0.4, 0.5), 0.1},
		{"Gaussian, two margins above", gauss(1.4, 0.2, 0.4, 0.5), 1e-4},
		{"Gaussian, without a margin", gauss(0.1, 0.2, 0.4, 0), 0},
		{"both", both(0.5, 0.5), 1.0 / 3},
		{"both, one full", both(0.3, 1), 0.3},
		{"both, none", both(0, 0), 0},
		{"both, one none", both(0, 0.7), 0},
		{"pull at the goal", pull(0.3, 0), 300 + 2000},
		{"pull at the start", pull(0.3, 0.3), 1000 * (math.Exp(-9) + math.Exp(-90))},
	} {
		if math.Abs(c.got-c.want) > 1e-12*math.Max(1, c.want) {
			t.Errorf("%s: %v, expected %v", c.what, c.got, c.want)
		}
	}
}

// A turn by angle about a unit axis has the quaternion (axis·sin(angle/2), cos(angle/2)), up to its sign.
func TestScipyQuat(t *testing.T) {
	for _, c := range []struct {
		axis  vec3
		angle float64
	}{
		{vec3{1, 0, 0}, 0}, {vec3{0, 0, 1}, 1}, {vec3{0.6, 0, 0.8}, 2}, {vec3{1, 0, 0}, 3}, {vec3{0, 1, 0}, -3},
		{vec3{0, 0.28, 0.96}, 3.1}, {vec3{0, 0, 1}, math.Pi},
	} {
		sin, cos := math.Sincos(c.angle / 2)
		want := quat{c.axis[0] * sin, c.axis[1] * sin, c.axis[2] * sin, cos}
		got := scipyQuat(turnMatrix(c.axis, c.angle))
		dot, norm := 0.0, 0.0
		for k := range got {
			dot += got[k] * want[k]
			norm += got[k] * got[k]
		}
		if math.Abs(math.Abs(dot)-1) > 1e-14 || math.Abs(norm-1) > 1e-14 {
			t.Errorf("%v by %v: %v, expected %v or its negative", c.axis, c.angle, got, want)
		}
	}
}

// turnMatrix is Rodrigues' formula, by rows.
func turnMatrix(u vec3, angle float64) []float64 {
	s, c := math.Sincos(angle)
	k := 1 - c
	return []float64{
		c + u[0]*u[0]*k, u[0]*u[1]*k - u[2]*s, u[0]*u[2]*k + u[1]*s,
		u[1]*u[0]*k + u[2]*s, c + u[1]*u[1]*k, u[1]*u[2]*k - u[0]*s,
		u[2]*u[0]*k - u[1]*s, u[2]*u[1]*k + u[0]*s, c + u[2]*u[2]*k,
	}
}
