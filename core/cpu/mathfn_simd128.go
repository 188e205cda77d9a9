//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package cpu

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// These are the functions of mathfn.go on two values of float64 at a time, with the same steps. Where mathfn.go
// branches on the argument, they compute all branches and select among the results.

func expSIMD128(v *vecArgs)      { vecSIMD128(v, expRow128) }
func logSIMD128(v *vecArgs)      { vecSIMD128(v, logRow128) }
func tanhSIMD128(v *vecArgs)     { vecSIMD128(v, tanhRow128) }
func sigmoidSIMD128(v *vecArgs)  { vecSIMD128(v, sigmoidRow128) }
func softplusSIMD128(v *vecArgs) { vecSIMD128(v, softplusRow128) }

func expRow128(v *vecArgs, dst, a, _ unsafe.Pointer) {
	var buf [16]float64
	for range v.chunks {
		widen16(&buf, a)
		for i := uintptr(0); i < 128; i += 16 {
			p := unsafe.Add(unsafe.Pointer(&buf), i)
			x := load64(p)
			x = below(above(x, -104), 89.5) // beyond these limits the result is rounded to 0 and to +Inf
			store64(p, exp128(x))
		}
		narrow16(dst, &buf)
		dst, a = unsafe.Add(dst, 64), unsafe.Add(a, v.stepA)
	}
}

func logRow128(v *vecArgs, dst, a, _ unsafe.Pointer) {
	var zero f64x2
	inf, nan := spread2(math.Inf(1)), spread2(math.NaN())
	var buf [16]float64
	for range v.chunks {
		widen16(&buf, a)
		for i := uintptr(0); i < 128; i += 16 {
			p := unsafe.Add(unsafe.Pointer(&buf), i)
			x := load64(p)
			y := log128(x)
			y = y.IfElse(x.Less(inf), x) // +Inf and NaN stay
			y = inf.Neg().IfElse(x.Equal(zero), y)
			store64(p, nan.IfElse(x.Less(zero), y))
		}
		narrow16(dst, &buf)
		dst, a = unsafe.Add(dst, 64), unsafe.Add(a, v.stepA)
	}
}

func tanhRow128(v *vecArgs, dst, a, _ unsafe.Pointer) {
	one, two, ten, near := spread2(1), spread2(2), spread2(10), spread2(0.25)
	var buf [16]float64
	for range v.chunks {
		widen16(&buf, a)
		for i := uintptr(0); i < 128; i += 16 {
			p := unsafe.Add(unsafe.Pointer(&buf), i)
			x := load64(p)
			size := x.Abs()
			far := one.Sub(two.Div(exp128(two.Mul(below(size, 10))).Add(one)))
			far = one.IfElse(size.GreaterEqual(ten), far)
			far = far.Neg().IfElse(x.Less(f64x2{}), far)
			z := x.Mul(x)
			y := spread2(1382. / 155925).Sub(z.Mul(spread2(21844. / 6081075)))
			y = spread2(62. / 2835).Sub(z.Mul(y))
			y = spread2(17. / 315).Sub(z.Mul(y))
			y = spread2(2. / 15).Sub(z.Mul(y))
			y = spread2(1. / 3).Sub(z.Mul(y))
			y = x.Mul(one.Sub(z.Mul(y)))
			store64(p, far.IfElse(size.GreaterEqual(near), y)) // NaN takes the branch of the polynomial
		}
		narrow16(dst, &buf)
		dst, a = unsafe.Add(dst, 64), unsafe.Add(a, v.stepA)
	}
}

func sigmoidRow128(v *vecArgs, dst, a, _ unsafe.Pointer) {
	one := spread2(1)
	var buf [16]float64
	for range v.chunks {
		widen16(&buf, a)
		for i := uintptr(0); i < 128; i += 16 {
			p := unsafe.Add(unsafe.Pointer(&buf), i)
			x := below(above(load64(p), -200), 200)
			store64(p, one.Div(one.Add(exp128(x.Neg()))))
		}
		narrow16(dst, &buf)
		dst, a = unsafe.Add(dst, 64), unsafe.Add(a, v.stepA)
	}
}

func softplusRow128(v *vecArgs, dst, a, _ unsafe.Pointer) {
	limit := spread2(200)
	var buf [16]float64
	for range v.chunks {
		widen16(&buf, a)
		for i := uintptr(0); i < 128; i += 16 {
			p := unsafe.Add(unsafe.Pointer(&buf), i)
			x := load64(p)
			size, top := x.Abs(), x.Max(f64x2{})
			y := top.Add(log1p128(exp128(below(size, 200).Neg())))
			store64(p, y.IfElse(size.Less(limit), top))
		}
		narrow16(dst, &buf)
		dst, a = unsafe.Add(dst, 64), unsafe.Add(a, v.stepA)
	}
}

// exp128 is expCore. The low bits of the rounded sum hold n, which is moved to the exponent.
func exp128(x f64x2) f64x2 {
	round := spread2(3 << 51)
	sum := x.Mul(spread2(math.Log2E)).Add(round)
	r := x.Sub(sum.Sub(round).Mul(spread2(math.Ln2)))
	r2 := r.Mul(r)
	r4 := r2.Mul(r2)
	low := spread2(1).Add(r).Add(r2.Mul(spread2(1. / 2).Add(r.Mul(spread2(1. / 6)))))
	high := spread2(1. / 24).Add(r.Mul(spread2(1. / 120))).
		Add(r2.Mul(spread2(1. / 720).Add(r.Mul(spread2(1. / 5040))))).Add(r4.Mul(spread2(1. / 40320)))
	power := sum.ToBits().Add(bits2(1023)).ShiftAllLeft(52).BitsToFloat64()
	return low.Add(r4.Mul(high)).Mul(power)
}

// log128 is logCore.
func log128(x f64x2) f64x2 {
	m, n := split128(x)
	one := spread2(1)
	return n.Mul(spread2(math.Ln2)).Add(twiceArtanh128(m.Sub(one).Div(m.Add(one))))
}

// split128 splits positive normal x into x = 2ⁿ·m with m in [√½, √2). The exponent becomes a float64 through the low
// bits of 2⁵²+1023+n.
func split128(x f64x2) (m, n f64x2) {
	one := spread2(1)
	b := x.ToBits()
	m = b.And(bits2(1<<52 - 1)).Or(bits2(1023 << 52)).BitsToFloat64()
	n = b.ShiftAllRight(52).Or(bits2((1023 + 52) << 52)).BitsToFloat64().Sub(spread2(1<<52 + 1023))
	large := m.Greater(spread2(math.Sqrt2))
	return m.Mul(spread2(0.5)).IfElse(large, m), n.Add(one).IfElse(large, n)
}

// log1p128 is log1pCore of x ≥ 0.
func log1p128(x f64x2) f64x2 {
	one := spread2(1)
	m, n := split128(one.Add(x))
	near := x.Less(spread2(math.Sqrt2 - 1))
	s := x.IfElse(near, m.Sub(one)).Div(x.Add(spread2(2)).IfElse(near, m.Add(one)))
	return n.Mul(spread2(math.Ln2)).Masked(n.NotEqual(f64x2{})).Add(twiceArtanh128(s))
}

// twiceArtanh128 is twiceArtanh.
func twiceArtanh128(s f64x2) f64x2 {
	z := s.Mul(s)
	y := spread2(1. / 11).Add(z.Mul(spread2(1. / 13)))
	y = spread2(1. / 9).Add(z.Mul(y))
	y = spread2(1. / 7).Add(z.Mul(y))
	y = spread2(1. / 5).Add(z.Mul(y))
	y = spread2(1. / 3).Add(z.Mul(y))
	return spread2(2).Mul(s).Mul(spread2(1).Add(z.Mul(y)))
}

// below returns x, but at most hi. NaN stays.
func below(x f64x2, hi float64) f64x2 {
	h := spread2(hi)
	return h.IfElse(x.Greater(h), x)
}

// above returns x, but at least lo. NaN stays.
func above(x f64x2, lo float64) f64x2 {
	l := spread2(lo)
	return l.IfElse(x.Less(l), x)
}

// widen16 and narrow16 convert one by one: the vector types have no such conversion on both architectures.
func widen16(buf *[16]float64, a unsafe.Pointer) {
	for i, x := range (*[16]float32)(a) {
		buf[i] = float64(x)
	}
}

func narrow16(dst unsafe.Pointer, buf *[16]float64) {
	d := (*[16]float32)(dst)
	for i, x := range buf {
		d[i] = float32(x)
	}
}

func load64(p unsafe.Pointer) f64x2     { return archsimd.LoadFloat64x2Array((*[2]float64)(p)) }
func store64(p unsafe.Pointer, x f64x2) { x.StoreArray((*[2]float64)(p)) }
func spread2(x float64) f64x2           { return archsimd.BroadcastFloat64x2(x) }
func bits2(x uint64) archsimd.Uint64x2  { return archsimd.BroadcastUint64x2(x) }
