//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package lanes

import (
	"simd/archsimd"
	"unsafe"
)

// column is a pointer to real or imaginary parts.
type column struct{ p unsafe.Pointer }

func columnOf(v []Vec) column             { return column{unsafe.Pointer(unsafe.SliceData(v))} }
func (c column) load(i uintptr) f32x4     { return load(unsafe.Add(c.p, i)) }
func (c column) store(i uintptr, x f32x4) { store(unsafe.Add(c.p, i), x) }

// times128 is times on vectors, timesConj128 timesConj.
func times128(ar, ai, br, bi f32x4) (re, im f32x4) {
	return ar.Mul(br).Sub(ai.Mul(bi)), ar.Mul(bi).Add(ai.Mul(br))
}

func timesConj128(ar, ai, br, bi f32x4) (re, im f32x4) {
	return ar.Mul(br).Add(ai.Mul(bi)), ai.Mul(br).Sub(ar.Mul(bi))
}

func forward2x128(a *StageArgs) {
	re, im := columnOf(a.Re), columnOf(a.Im)
	q := a.L / 2
	next := 64 * uintptr(q)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			tw := a.Tw[2*k : 2*k+2]
			w1r, w1i := every(tw[0]), every(tw[1])
			for i, end := 64*uintptr(b+k), 64*uintptr(b+k+1); i < end; i += 16 {
				i1 := i + next
				r0, m0, r1, m1 := re.load(i), im.load(i), re.load(i1), im.load(i1)
				re.store(i, r0.Add(r1))
				im.store(i, m0.Add(m1))
				x, y := times128(r0.Sub(r1), m0.Sub(m1), w1r, w1i)
				re.store(i1, x)
				im.store(i1, y)
			}
		}
	}
}

func inverse2x128(a *StageArgs) {
	re, im := columnOf(a.Re), columnOf(a.Im)
	q := a.L / 2
	next := 64 * uintptr(q)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			tw := a.Tw[2*k : 2*k+2]
			w1r, w1i := every(tw[0]), every(tw[1])
			for i, end := 64*uintptr(b+k), 64*uintptr(b+k+1); i < end; i += 16 {
				i1 := i + next
				r0, m0 := re.load(i), im.load(i)
				x, y := timesConj128(re.load(i1), im.load(i1), w1r, w1i)
				re.store(i, r0.Add(x))
				im.store(i, m0.Add(y))
				re.store(i1, r0.Sub(x))
				im.store(i1, m0.Sub(y))
			}
		}
	}
}

func forward3x128(a *StageArgs) {
	re, im := columnOf(a.Re), columnOf(a.Im)
	q := a.L / 3
	sin, half := every(sin60), every(0.5)
	next := 64 * uintptr(q)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			tw := a.Tw[4*k : 4*k+4]
			w1r, w1i := every(tw[0]), every(tw[1])
			w2r, w2i := every(tw[2]), every(tw[3])
			for i, end := 64*uintptr(b+k), 64*uintptr(b+k+1); i < end; i += 16 {
				i1, i2 := i+next, i+2*next
				r0, m0, r1, m1, r2, m2 := re.load(i), im.load(i), re.load(i1), im.load(i1), re.load(i2), im.load(i2)
				sr, si := r1.Add(r2), m1.Add(m2)
				dr, di := r1.Sub(r2).Mul(sin), m1.Sub(m2).Mul(sin)
				cr, ci := r0.Sub(sr.Mul(half)), m0.Sub(si.Mul(half))
				re.store(i, r0.Add(sr))
				im.store(i, m0.Add(si))
				x, y := times128(cr.Add(di), ci.Sub(dr), w1r, w1i)
				re.store(i1, x)
				im.store(i1, y)
				x, y = times128(cr.Sub(di), ci.Add(dr), w2r, w2i)
				re.store(i2, x)
				im.store(i2, y)
			}
		}
	}
}

func inverse3x128(a *StageArgs) {
	re, im := columnOf(a.Re), columnOf(a.Im)
	q := a.L / 3
	sin, half := every(sin60), every(0.5)
	next := 64 * uintptr(q)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			tw := a.Tw[4*k : 4*k+4]
			w1r, w1i := every(tw[0]), every(tw[1])
			w2r, w2i := every(tw[2]), every(tw[3])
			for i, end := 64*uintptr(b+k), 64*uintptr(b+k+1); i < end; i += 16 {
				i1, i2 := i+next, i+2*next
				r0, m0 := re.load(i), im.load(i)
				ar, ai := timesConj128(re.load(i1), im.load(i1), w1r, w1i)
				br, bi := timesConj128(re.load(i2), im.load(i2), w2r, w2i)
				sr, si := ar.Add(br), ai.Add(bi)
				dr, di := ar.Sub(br).Mul(sin), ai.Sub(bi).Mul(sin)
				cr, ci := r0.Sub(sr.Mul(half)), m0.Sub(si.Mul(half))
				re.store(i, r0.Add(sr))
				im.store(i, m0.Add(si))
				re.store(i1, cr.Sub(di))
				im.store(i1, ci.Add(dr))
				re.store(i2, cr.Add(di))
				im.store(i2, ci.Sub(dr))
			}
		}
	}
}

func forward4x128(a *StageArgs) {
	re, im := columnOf(a.Re), columnOf(a.Im)
	q := a.L / 4
	next := 64 * uintptr(q)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			tw := a.Tw[6*k : 6*k+6]
			w1r, w1i := every(tw[0]), every(tw[1])
			w2r, w2i := every(tw[2]), every(tw[3])
			w3r, w3i := every(tw[4]), every(tw[5])
			for i, end := 64*uintptr(b+k), 64*uintptr(b+k+1); i < end; i += 16 {
				i1, i2, i3 := i+next, i+2*next, i+3*next
				r0, m0, r1, m1 := re.load(i), im.load(i), re.load(i1), im.load(i1)
				r2, m2, r3, m3 := re.load(i2), im.load(i2), re.load(i3), im.load(i3)
				ar, ai, br, bi := r0.Add(r2), m0.Add(m2), r0.Sub(r2), m0.Sub(m2)
				cr, ci, dr, di := r1.Add(r3), m1.Add(m3), r1.Sub(r3), m1.Sub(m3)
				re.store(i, ar.Add(cr))
				im.store(i, ai.Add(ci))
				x, y := times128(br.Add(di), bi.Sub(dr), w1r, w1i)
				re.store(i1, x)
				im.store(i1, y)
				x, y = times128(ar.Sub(cr), ai.Sub(ci), w2r, w2i)
				re.store(i2, x)
				im.store(i2, y)
				x, y = times128(br.Sub(di), bi.Add(dr), w3r, w3i)
				re.store(i3, x)
				im.store(i3, y)
			}
		}
	}
}

func inverse4x128(a *StageArgs) {
	re, im := columnOf(a.Re), columnOf(a.Im)
	q := a.L / 4
	next := 64 * uintptr(q)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			tw := a.Tw[6*k : 6*k+6]
			w1r, w1i := every(tw[0]), every(tw[1])
			w2r, w2i := every(tw[2]), every(tw[3])
			w3r, w3i := every(tw[4]), every(tw[5])
			for i, end := 64*uintptr(b+k), 64*uintptr(b+k+1); i < end; i += 16 {
				i1, i2, i3 := i+next, i+2*next, i+3*next
				r0, m0 := re.load(i), im.load(i)
				ur, ui := timesConj128(re.load(i1), im.load(i1), w1r, w1i)
				vr, vi := timesConj128(re.load(i2), im.load(i2), w2r, w2i)
				wr, wi := timesConj128(re.load(i3), im.load(i3), w3r, w3i)
				ar, ai, br, bi := r0.Add(vr), m0.Add(vi), r0.Sub(vr), m0.Sub(vi)
				cr, ci, dr, di := ur.Add(wr), ui.Add(wi), ur.Sub(wr), ui.Sub(wi)
				re.store(i, ar.Add(cr))
				im.store(i, ai.Add(ci))
				re.store(i2, ar.Sub(cr))
				im.store(i2, ai.Sub(ci))
				re.store(i1, br.Sub(di))
				im.store(i1, bi.Add(dr))
				re.store(i3, br.Add(di))
				im.store(i3, bi.Sub(dr))
			}
		}
	}
}

func scale128(a *ScaleArgs) {
	k, re, im := columnOf(a.K), columnOf(a.Re), columnOf(a.Im)
	for i := uintptr(0); i < 64*uintptr(len(a.K)); i += 16 {
		v := k.load(i)
		re.store(i, re.load(i).Mul(v))
		im.store(i, im.load(i).Mul(v))
	}
}

// row is a row of SplitArgs.Half.
const row = 64

func split128(a *SplitArgs) {
	re, im, h := columnOf(a.Re), columnOf(a.Im), columnOf(a.Half[:])
	half := every(0.5)
	for r := range uintptr(len(a.At) / 2) {
		p, m, at := 64*uintptr(a.At[2*r]), 64*uintptr(a.At[2*r+1]), row*r
		for l := uintptr(0); l < 64; l += 16 {
			pr, pi, mr, mi := re.load(p+l), im.load(p+l), re.load(m+l), im.load(m+l)
			h.store(at+l, pr.Add(mr).Mul(half))
			h.store(at+16*row+l, pi.Sub(mi).Mul(half))
			h.store(at+32*row+l, pi.Add(mi).Mul(half))
			h.store(at+48*row+l, mr.Sub(pr).Mul(half))
		}
	}
}

// join128 writes the second place last, as join does: it may be the first.
func join128(a *SplitArgs) {
	re, im, h := columnOf(a.Re), columnOf(a.Im), columnOf(a.Half[:])
	for r := range uintptr(len(a.At) / 2) {
		p, m, at := 64*uintptr(a.At[2*r]), 64*uintptr(a.At[2*r+1]), row*r
		for l := uintptr(0); l < 64; l += 16 {
			ar, ai, br, bi := h.load(at+l), h.load(at+16*row+l), h.load(at+32*row+l), h.load(at+48*row+l)
			re.store(m+l, ar.Add(bi))
			im.store(m+l, br.Sub(ai))
			re.store(p+l, ar.Sub(bi))
			im.store(p+l, br.Add(ai))
		}
	}
}

// transpose128 transposes blocks of four by four.
func transpose128(a *TransposeArgs) {
	src, dst := columnOf(a.Src[:]), columnOf(a.Dst[:])
	for r := uintptr(0); r < Width; r += 4 {
		for c := uintptr(0); c < Width; c += 4 {
			from, to := 64*r+4*c, 64*c+4*r
			e0, o0 := interleave(src.load(from), src.load(from+64))
			e1, o1 := interleave(src.load(from+128), src.load(from+192))
			dst.store(to, lanesOf(e0.SetElem(1, e1.GetElem(0))))
			dst.store(to+64, lanesOf(o0.SetElem(1, o1.GetElem(0))))
			dst.store(to+128, lanesOf(e1.SetElem(0, e0.GetElem(1))))
			dst.store(to+192, lanesOf(o1.SetElem(0, o0.GetElem(1))))
		}
	}
}

// interleave has lanes 0 and 2 of both in evens, 1 and 3 in odds, a's before b's in every pair.
func interleave(a, b f32x4) (evens, odds u64x2) {
	x, y := halvesOf(a), halvesOf(b)
	low := archsimd.BroadcastUint64x2(1<<32 - 1)
	return x.And(low).Or(y.ShiftAllLeft(32)), x.ShiftAllRight(32).Or(y.AndNot(low))
}
