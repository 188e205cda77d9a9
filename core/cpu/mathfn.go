package cpu

import "math"

// This file has functions of one float32. Each computes in float64 with polynomials that are just long enough for
// float32, and rounds once at the end. The error is at most 0.51 units in the last place over the whole range,
// subnormal results included. For infinities, NaN and arguments outside the domain the results are those of package
// math. Products are rounded before they are added, so that no compiler fuses them. The results are the same on every
// architecture, and those on vectors of 128 bits are the same too.

// widen returns float64(x) for finite x. The processor's own conversion leaves the upper half of its destination
// unchanged. So it waits for the value computed there before, which in a loop is that of the previous element. widen
// goes through integer registers instead. A subnormal x, a multiple of 2⁻¹⁴⁹, is converted by a subtraction, as if it
// had the smallest exponent.
func widen(x float32) float64 {
	b := math.Float32bits(x)
	sign, rest := uint64(b>>31)<<63, uint64(b&^(1<<31))
	if rest < 1<<23 {
		return math.Float64frombits(sign | math.Float64bits(math.Float64frombits((896+1)<<52|rest<<29)-0x1p-126))
	}
	return math.Float64frombits(sign | (rest<<29 + 896<<52))
}

// exp32 is eˣ.
func exp32(x float32) float32 {
	switch {
	case x > 89:
		return float32(math.Inf(1))
	case x < -104:
		return 0
	case x != x:
		return x
	}
	return float32(expCore(widen(x)))
}

// expCore is eˣ for |x| ≤ 700 with a relative error below 3e-10: x = n·ln 2 + r with |r| ≤ ½·ln 2, the Taylor
// polynomial of degree 8 in r, and n added to the exponent.
func expCore(x float64) float64 {
	const round = 3 << 51 // adding and subtracting it rounds to the nearest integer
	n := float64(float64(x*math.Log2E)+round) - round
	r := x - float64(n*math.Ln2)
	r2 := r * r
	r4 := r2 * r2
	low := 1 + r + float64(r2*(1./2+float64(r*(1./6))))
	high := 1./24 + float64(r*(1./120)) + float64(r2*(1./720+float64(r*(1./5040)))) + float64(r4*(1./40320))
	return float64((low + float64(r4*high)) * math.Float64frombits(uint64(int64(n)+1023)<<52))
}

// log32 is the natural logarithm.
func log32(x float32) float32 {
	switch {
	case x > 0 && x <= math.MaxFloat32:
		return float32(logCore(widen(x)))
	case x == 0:
		return float32(math.Inf(-1))
	case x < 0:
		return float32(math.NaN())
	}
	return x // +Inf, NaN
}

// logCore is the logarithm of a positive normal number: x = 2ⁿ·m with m in [√½, √2), log m = 2·artanh((m-1)/(m+1)).
func logCore(x float64) float64 {
	bits := math.Float64bits(x)
	n := int64(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		n++
	}
	return float64(float64(n)*math.Ln2) + twiceArtanh((m-1)/(m+1))
}

// twiceArtanh is 2·artanh s for |s| ≤ 0.172 by its series, with a relative error below 2e-12.
func twiceArtanh(s float64) float64 {
	z := s * s
	y := 1./11 + float64(z*(1./13))
	y = 1./9 + float64(z*y)
	y = 1./7 + float64(z*y)
	y = 1./5 + float64(z*y)
	y = 1./3 + float64(z*y)
	return float64(2 * s * (1 + float64(z*y)))
}

// log1p32 is log(1+x).
func log1p32(x float32) float32 {
	switch {
	case x > -1 && x <= math.MaxFloat32:
		return float32(log1pCore(widen(x)))
	case x == -1:
		return float32(math.Inf(-1))
	case x < -1:
		return float32(math.NaN())
	}
	return x // +Inf, NaN
}

// log1pCore is log(1+x) for x > -1: near zero without forming 1+x, whose rounding would lose x.
func log1pCore(x float64) float64 {
	if x > math.Sqrt2/2-1 && x < math.Sqrt2-1 {
		return twiceArtanh(x / (2 + x))
	}
	return logCore(1 + x)
}

// tanh32 is the hyperbolic tangent: its Taylor polynomial near zero, else 1 - 2/(e²ˣ+1).
func tanh32(x float32) float32 {
	if !(abs32(x) < 10) { // includes infinities and NaN
		return min(max(x, -1), 1)
	}
	v := widen(x)
	if a := math.Abs(v); a >= 0.25 {
		return float32(math.Copysign(1-2/(expCore(2*a)+1), v))
	}
	z := v * v
	y := 1382./155925 - float64(z*(21844./6081075))
	y = 62./2835 - float64(z*y)
	y = 17./315 - float64(z*y)
	y = 2./15 - float64(z*y)
	y = 1./3 - float64(z*y)
	return float32(v * (1 - float64(z*y)))
}

// sigmoid32 is 1/(1+e⁻ˣ).
func sigmoid32(x float32) float32 {
	if x != x {
		return x
	}
	return float32(1 / (1 + expCore(-widen(min(max(x, -200), 200)))))
}

// softplus32 is log(1+eˣ).
func softplus32(x float32) float32 {
	if !(abs32(x) < 200) { // beyond, e^-|x| is below the smallest float32; includes infinities and NaN
		return max(x, 0)
	}
	v := widen(x)
	return float32(max(v, 0) + log1pCore(expCore(-math.Abs(v))))
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func abs32(x float32) float32 { return float32(math.Abs(float64(x))) }

// sign32 is -1, 0 or 1; NaN stays NaN.
func sign32(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}
