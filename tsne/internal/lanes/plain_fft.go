package lanes

import "unsafe"

func vecs(first *Vec, n int) []Vec { return unsafe.Slice(first, n) }

// times is one product of complex numbers, (ar, ai)·(br, bi).
func times(ar, ai, br, bi float32) (re, im float32) {
	return float32(ar*br) - float32(ai*bi), float32(ar*bi) + float32(ai*br)
}

// timesConj is (ar, ai)·(br, −bi).
func timesConj(ar, ai, br, bi float32) (re, im float32) {
	return float32(ar*br) + float32(ai*bi), float32(ai*br) - float32(ar*bi)
}

// butterflies calls f with the first place and the factors of every butterfly.
func (a *StageArgs) butterflies(radix int, f func(i int, tw []float32)) {
	q, step := a.L/radix, 2*(radix-1)
	for b := 0; b < len(a.Re); b += a.L {
		for k := range q {
			f(b+k, a.Tw[step*k:step*k+step])
		}
	}
}

func forward2(a *StageArgs) {
	q := a.L / 2
	a.butterflies(2, func(i int, tw []float32) {
		r0, m0, r1, m1 := &a.Re[i], &a.Im[i], &a.Re[i+q], &a.Im[i+q]
		for l := range r0 {
			x, y := r0[l]-r1[l], m0[l]-m1[l]
			r0[l], m0[l] = r0[l]+r1[l], m0[l]+m1[l]
			r1[l], m1[l] = times(x, y, tw[0], tw[1])
		}
	})
}

func inverse2(a *StageArgs) {
	q := a.L / 2
	a.butterflies(2, func(i int, tw []float32) {
		r0, m0, r1, m1 := &a.Re[i], &a.Im[i], &a.Re[i+q], &a.Im[i+q]
		for l := range r0 {
			x, y := timesConj(r1[l], m1[l], tw[0], tw[1])
			r1[l], m1[l] = r0[l]-x, m0[l]-y
			r0[l], m0[l] = r0[l]+x, m0[l]+y
		}
	})
}

const sin60 = 0.8660254037844386

func forward3(a *StageArgs) {
	q := a.L / 3
	a.butterflies(3, func(i int, tw []float32) {
		r0, m0, r1, m1, r2, m2 := &a.Re[i], &a.Im[i], &a.Re[i+q], &a.Im[i+q], &a.Re[i+2*q], &a.Im[i+2*q]
		for l := range r0 {
			sr, si, dr, di := r1[l]+r2[l], m1[l]+m2[l], r1[l]-r2[l], m1[l]-m2[l]
			cr, ci := r0[l]-float32(0.5*sr), m0[l]-float32(0.5*si)
			dr, di = float32(sin60*dr), float32(sin60*di)
			r0[l], m0[l] = r0[l]+sr, m0[l]+si
			r1[l], m1[l] = times(cr+di, ci-dr, tw[0], tw[1])
			r2[l], m2[l] = times(cr-di, ci+dr, tw[2], tw[3])
		}
	})
}

func inverse3(a *StageArgs) {
	q := a.L / 3
	a.butterflies(3, func(i int, tw []float32) {
		r0, m0, r1, m1, r2, m2 := &a.Re[i], &a.Im[i], &a.Re[i+q], &a.Im[i+q], &a.Re[i+2*q], &a.Im[i+2*q]
		for l := range r0 {
			ar, ai := timesConj(r1[l], m1[l], tw[0], tw[1])
			br, bi := timesConj(r2[l], m2[l], tw[2], tw[3])
			sr, si, dr, di := ar+br, ai+bi, ar-br, ai-bi
			cr, ci := r0[l]-float32(0.5*sr), m0[l]-float32(0.5*si)
			dr, di = float32(sin60*dr), float32(sin60*di)
			r0[l], m0[l] = r0[l]+sr, m0[l]+si
			r1[l], m1[l] = cr-di, ci+dr
			r2[l], m2[l] = cr+di, ci-dr
		}
	})
}

func forward4(a *StageArgs) {
	q := a.L / 4
	a.butterflies(4, func(i int, tw []float32) {
		r0, m0, r1, m1 := &a.Re[i], &a.Im[i], &a.Re[i+q], &a.Im[i+q]
		r2, m2, r3, m3 := &a.Re[i+2*q], &a.Im[i+2*q], &a.Re[i+3*q], &a.Im[i+3*q]
		for l := range r0 {
			ar, ai, br, bi := r0[l]+r2[l], m0[l]+m2[l], r0[l]-r2[l], m0[l]-m2[l]
			cr, ci, dr, di := r1[l]+r3[l], m1[l]+m3[l], r1[l]-r3[l], m1[l]-m3[l]
			r0[l], m0[l] = ar+cr, ai+ci
			r1[l], m1[l] = times(br+di, bi-dr, tw[0], tw[1])
			r2[l], m2[l] = times(ar-cr, ai-ci, tw[2], tw[3])
			r3[l], m3[l] = times(br-di, bi+dr, tw[4], tw[5])
		}
	})
}

func inverse4(a *StageArgs) {
	q := a.L / 4
	a.butterflies(4, func(i int, tw []float32) {
		r0, m0, r1, m1 := &a.Re[i], &a.Im[i], &a.Re[i+q], &a.Im[i+q]
		r2, m2, r3, m3 := &a.Re[i+2*q], &a.Im[i+2*q], &a.Re[i+3*q], &a.Im[i+3*q]
		for l := range r0 {
			ur, ui := timesConj(r1[l], m1[l], tw[0], tw[1])
			vr, vi := timesConj(r2[l], m2[l], tw[2], tw[3])
			wr, wi := timesConj(r3[l], m3[l], tw[4], tw[5])
			ar, ai, br, bi := r0[l]+vr, m0[l]+vi, r0[l]-vr, m0[l]-vi
			cr, ci, dr, di := ur+wr, ui+wi, ur-wr, ui-wi
			r0[l], m0[l] = ar+cr, ai+ci
			r2[l], m2[l] = ar-cr, ai-ci
			r1[l], m1[l] = br-di, bi+dr
			r3[l], m3[l] = br+di, bi-dr
		}
	})
}

func scale(a *ScaleArgs) {
	for i := range a.K {
		k, re, im := &a.K[i], &a.Re[i], &a.Im[i]
		for l, v := range k {
			re[l] = float32(re[l] * v)
			im[l] = float32(im[l] * v)
		}
	}
}

func split(a *SplitArgs) {
	for r := range len(a.At) / 2 {
		p, m := a.At[2*r], a.At[2*r+1]
		pr, pi, mr, mi := &a.Re[p], &a.Im[p], &a.Re[m], &a.Im[m]
		h := a.Half
		for l := range Width {
			h[r][l] = float32(0.5 * (pr[l] + mr[l]))
			h[16+r][l] = float32(0.5 * (pi[l] - mi[l]))
			h[32+r][l] = float32(0.5 * (pi[l] + mi[l]))
			h[48+r][l] = float32(0.5 * (mr[l] - pr[l]))
		}
	}
}

func join(a *SplitArgs) {
	for r := range len(a.At) / 2 {
		p, m := a.At[2*r], a.At[2*r+1]
		pr, pi, mr, mi := &a.Re[p], &a.Im[p], &a.Re[m], &a.Im[m]
		h := a.Half
		for l := range Width {
			ar, ai, br, bi := h[r][l], h[16+r][l], h[32+r][l], h[48+r][l]
			mr[l], mi[l] = ar+bi, br-ai
			pr[l], pi[l] = ar-bi, br+ai
		}
	}
}

func transpose(a *TransposeArgs) {
	for r := range a.Src {
		for c, v := range a.Src[r] {
			a.Dst[c][r] = v
		}
	}
}
