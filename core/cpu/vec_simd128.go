//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package cpu

import (
	"simd/archsimd"
	"unsafe"
)

func addSIMD128(v *vecArgs) { vecSIMD128(v, addRow128) }
func subSIMD128(v *vecArgs) { vecSIMD128(v, subRow128) }
func mulSIMD128(v *vecArgs) { vecSIMD128(v, mulRow128) }
func divSIMD128(v *vecArgs) { vecSIMD128(v, divRow128) }
func minSIMD128(v *vecArgs) { vecSIMD128(v, minRow128) }
func maxSIMD128(v *vecArgs) { vecSIMD128(v, maxRow128) }

func reluGradSIMD128(v *vecArgs)  { vecSIMD128(v, reluGradRow128) }
func lessSIMD128(v *vecArgs)      { vecSIMD128(v, lessRow128) }
func tanhGradSIMD128(v *vecArgs)  { vecSIMD128(v, tanhGradRow128) }
func affineSIMD128(v *vecArgs)    { vecSIMD128(v, affineRow128) }
func clampSIMD128(v *vecArgs)     { vecSIMD128(v, clampRow128) }
func clampGradSIMD128(v *vecArgs) { vecSIMD128(v, clampGradRow128) }

// vecSIMD128 applies f to every row, as vecGo does. A column is spread over its buffer, which f then reads again for
// every chunk.
func vecSIMD128(v *vecArgs, f func(v *vecArgs, dst, a, b unsafe.Pointer)) {
	for r := range v.rows {
		dst := at(v.dst, r*v.ldd)
		a := operand128(v.a, v.lda, v.colA, v.ldColA, r, &v.bufA)
		b := a
		if v.b != nil || v.colB != nil {
			b = operand128(v.b, v.ldb, v.colB, v.ldColB, r, &v.bufB)
		}
		f(v, unsafe.Pointer(dst), a, b)
		if v.mask[15] == 0 { // padding is at the end
			last := (*[16]float32)(unsafe.Pointer(at(dst, 64*(v.chunks-1))))
			for i, keep := range v.mask {
				if keep == 0 {
					last[i] = 0
				}
			}
		}
	}
}

func operand128(wide *float32, ld int64, col *float32, ldCol, r int64, buf *[16]float32) unsafe.Pointer {
	if col == nil {
		return unsafe.Pointer(at(wide, r*ld))
	}
	x := spreadAt(unsafe.Pointer(at(col, r*ldCol)))
	for i := uintptr(0); i < 64; i += 16 {
		store(unsafe.Add(unsafe.Pointer(buf), i), x)
	}
	return unsafe.Pointer(buf)
}

// along sets every value of a row to f of the operands' values and of two constants. It is small enough to be inlined,
// and so is f.
func along(v *vecArgs, dst, a, b unsafe.Pointer, s0, s1 f32x4, f func(x, y, s0, s1 f32x4) f32x4) {
	for range v.chunks {
		for i := uintptr(0); i < 64; i += 16 {
			store(unsafe.Add(dst, i), f(load(unsafe.Add(a, i)), load(unsafe.Add(b, i)), s0, s1))
		}
		dst, a, b = unsafe.Add(dst, 64), unsafe.Add(a, v.stepA), unsafe.Add(b, v.stepB)
	}
}

func addRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(x, y, _, _ f32x4) f32x4 { return x.Add(y) })
}

func subRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(x, y, _, _ f32x4) f32x4 { return x.Sub(y) })
}

func mulRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(x, y, _, _ f32x4) f32x4 { return x.Mul(y) })
}

func divRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(x, y, _, _ f32x4) f32x4 { return x.Div(y) })
}

func minRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(x, y, _, _ f32x4) f32x4 { return x.Min(y) })
}

func maxRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(x, y, _, _ f32x4) f32x4 { return x.Max(y) })
}

func reluGradRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, f32x4{}, f32x4{}, func(y, g, zero, _ f32x4) f32x4 {
		return g.Masked(y.Greater(zero))
	})
}

// lessRow128 is the derivative of min(x, y) by x.
func lessRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, spread4(1), spread4(0.5), func(x, y, one, half f32x4) f32x4 {
		return one.IfElse(x.Less(y), half.Masked(x.Equal(y)))
	})
}

func tanhGradRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, spread4(1), f32x4{}, func(y, g, one, _ f32x4) f32x4 {
		return g.Mul(one.Sub(y.Mul(y)))
	})
}

func clampGradRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, spread4(v.s0), spread4(v.s1), func(x, g, lo, hi f32x4) f32x4 {
		return g.Masked(x.GreaterEqual(lo).And(x.LessEqual(hi)))
	})
}

func affineRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, spread4(v.s0), spread4(v.s1), func(x, _, s0, s1 f32x4) f32x4 {
		return s0.Mul(x).Add(s1)
	})
}

func clampRow128(v *vecArgs, dst, a, b unsafe.Pointer) {
	along(v, dst, a, b, spread4(v.s0), spread4(v.s1), func(x, _, lo, hi f32x4) f32x4 {
		return x.Max(lo).Min(hi)
	})
}

func colSumSIMD128(s *sumArgs) {
	for j := int64(0); j < 4*s.cols; j += 64 {
		var t0, t1, t2, t3 f32x4
		src, dst := unsafe.Add(unsafe.Pointer(s.src), j), unsafe.Add(unsafe.Pointer(s.dst), j)
		for range s.rows {
			t0 = t0.Add(load(src))
			t1 = t1.Add(load(unsafe.Add(src, 16)))
			t2 = t2.Add(load(unsafe.Add(src, 32)))
			t3 = t3.Add(load(unsafe.Add(src, 48)))
			src = unsafe.Add(src, s.ld)
		}
		var d0, d1, d2, d3 f32x4
		if s.add != 0 {
			d0, d1, d2, d3 = load(dst), load(unsafe.Add(dst, 16)), load(unsafe.Add(dst, 32)), load(unsafe.Add(dst, 48))
		}
		store(dst, d0.Add(t0))
		store(unsafe.Add(dst, 16), d1.Add(t1))
		store(unsafe.Add(dst, 32), d2.Add(t2))
		store(unsafe.Add(dst, 48), d3.Add(t3))
	}
}

// adamSIMD128 takes the square root in float32. It is correctly rounded, so it equals the rounded square root in
// float64.
func adamSIMD128(a *adamArgs) {
	b1, omb1, b2, omb2 := spread4(a.b1), spread4(a.omb1), spread4(a.b2), spread4(a.omb2)
	step, eps, scale := spread4(a.step), spread4(a.eps), spread4(a.scale)
	w, g, m, v := unsafe.Pointer(a.w), unsafe.Pointer(a.g), unsafe.Pointer(a.m), unsafe.Pointer(a.v)
	for i := int64(0); i < 4*a.n; i += 16 {
		x := load(unsafe.Add(g, i))
		y := b1.Mul(load(unsafe.Add(m, i))).Add(omb1.Mul(x))
		z := b2.Mul(load(unsafe.Add(v, i))).Add(omb2.Mul(x.Mul(x)))
		store(unsafe.Add(m, i), y)
		store(unsafe.Add(v, i), z)
		store(unsafe.Add(w, i), load(unsafe.Add(w, i)).Sub(step.Mul(y.Div(z.Mul(scale).Sqrt().Add(eps)))))
	}
}

func emaSIMD128(e *emaArgs) {
	keep, take := spread4(e.keep), spread4(e.take)
	dst, src := unsafe.Pointer(e.dst), unsafe.Pointer(e.src)
	for i := int64(0); i < 4*e.n; i += 16 {
		store(unsafe.Add(dst, i), keep.Mul(load(unsafe.Add(dst, i))).Add(take.Mul(load(unsafe.Add(src, i)))))
	}
}

func sumLanesSIMD128(a *laneArgs) {
	for i := int64(0); i < 4*a.n; i += 16 {
		src := unsafe.Add(unsafe.Pointer(a.src), i)
		s := load(src)
		for l := int64(1); l < a.lanes; l++ {
			s = s.Add(load(unsafe.Add(src, l*a.stride)))
		}
		store(unsafe.Add(unsafe.Pointer(a.dst), i), s)
	}
}

// transposeSIMD128 transposes 16 rows in blocks of four by four. Columns that fill no block are transposed one by one.
func transposeSIMD128(a *transposeArgs) {
	blocks := a.cols / 4 * 4
	for i := int64(0); i < 16; i += 4 {
		src, dst := unsafe.Pointer(at(a.src, i*a.lds)), unsafe.Pointer(at(a.dst, 4*i))
		for range blocks / 4 {
			e0, o0 := interleave(load(src), load(unsafe.Add(src, a.lds)))
			e1, o1 := interleave(load(unsafe.Add(src, 2*a.lds)), load(unsafe.Add(src, 3*a.lds)))
			store(dst, joined(e0.SetElem(1, e1.GetElem(0))))
			store(unsafe.Add(dst, a.ldd), joined(o0.SetElem(1, o1.GetElem(0))))
			store(unsafe.Add(dst, 2*a.ldd), joined(e1.SetElem(0, e0.GetElem(1))))
			store(unsafe.Add(dst, 3*a.ldd), joined(o1.SetElem(0, o0.GetElem(1))))
			src, dst = unsafe.Add(src, 16), unsafe.Add(dst, 4*a.ldd)
		}
	}
	if blocks < a.cols {
		transposeGo(&transposeArgs{src: at(a.src, 4*blocks), lds: a.lds, dst: at(a.dst, blocks*a.ldd), ldd: a.ldd,
			cols: a.cols - blocks, rows: 16})
	}
}

// interleave puts values 0 and 2 of both vectors into evens, and 1 and 3 into odds. In every pair x comes before y.
func interleave(x, y f32x4) (evens, odds archsimd.Uint64x2) {
	low := bits2(1<<32 - 1)
	a, b := x.ToBits().ReshapeToUint64s(), y.ToBits().ReshapeToUint64s()
	return a.And(low).Or(b.ShiftAllLeft(32)), a.ShiftAllRight(32).Or(b.AndNot(low))
}

func joined(x archsimd.Uint64x2) f32x4 { return x.ReshapeToUint32s().BitsToFloat32() }

// peakSIMD128 runs eight independent chains of a multiplication and an addition on vectors.
func peakSIMD128(p *peakArgs) {
	var a, b, c, d, e, f, g, h f32x4
	x, y := spread4(peakFactor), spread4(peakTerm)
	for range p.n {
		a = a.Mul(x).Add(y)
		b = b.Mul(x).Add(y)
		c = c.Mul(x).Add(y)
		d = d.Mul(x).Add(y)
		e = e.Mul(x).Add(y)
		f = f.Mul(x).Add(y)
		g = g.Mul(x).Add(y)
		h = h.Mul(x).Add(y)
	}
	peakResult = a.Add(b).Add(c).Add(d).Add(e).Add(f).Add(g).Add(h).GetElem(0)
}
