package tsne

import (
	"math"
	"math/rand/v2"
)

// The functions of package math differ in the last bit between processors. These do not: every step is rounded.

const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10

// exp is eˣ, within two units of the last place, 0 below −700.
func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*ln2Hi)
	r -= float64(k * ln2Lo)
	p := 1.0
	for i := 13; i > 0; i-- {
		p = float64(p*r)*inverse[i] + 1
	}
	return p * math.Float64frombits(uint64(int64(k)+1023)<<52)
}

var inverse = func() (v [14]float64) {
	for i := 1; i < len(v); i++ {
		v[i] = 1 / float64(i)
	}
	return v
}()

// log is the natural logarithm of x > 0, within three units of the last place.
func log(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	s := (m - 1) / (m + 1)
	z := float64(s * s)
	p := 0.0
	for i := 23; i > 0; i -= 2 {
		p = float64(p*z) + 1/float64(i)
	}
	return float64(float64(e)*ln2Lo) + float64(2*float64(s*p)) + float64(float64(e)*ln2Hi)
}

// normals fills v with independent standard normal numbers (Box and Muller 1958).
func normals(r *rand.Rand, v []float64) {
	for i := 0; i < len(v); i += 2 {
		radius := math.Sqrt(float64(-2 * log(1-r.Float64())))
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		v[i] = float64(radius * cos)
		if i+1 < len(v) {
			v[i+1] = float64(radius * sin)
		}
	}
}
