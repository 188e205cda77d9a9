package main

import "fmt"

// each writes f for every part of a vector, with the offset of that part.
func (a *asm) each(f func(b *block, at int)) {
	for h := range a.parts {
		b := &block{}
		f(b, a.bytes()*h)
		b.write(a, 0)
	}
}

func mem(offset int, base string) string { return fmt.Sprintf("%d(%s)", offset, base) }

func (a *asm) scale() {
	a.begin("scale", "ScaleArgs")
	for _, p := range [][2]string{{"Re", "AX"}, {"Im", "BX"}, {"K", "DX"}} {
		a.ins("MOVQ ScaleArgs_%s(R14), %s", p[0], p[1])
	}
	a.ins("MOVQ ScaleArgs_K+8(R14), CX")
	a.ins("PCALIGN $32")
	a.label("next")
	a.each(func(b *block, at int) {
		k := b.load(mem(at, "DX"))
		re, im := b.mul(b.load(mem(at, "AX")), k), b.mul(b.load(mem(at, "BX")), k)
		b.store(re, mem(at, "AX"))
		b.store(im, mem(at, "BX"))
	})
	for _, p := range []string{"AX", "BX", "DX"} {
		a.ins("ADDQ $64, %s", p)
	}
	a.ins("DECQ CX")
	a.ins("JNZ next")
	a.end()
}

// eachRow loops over the rows of SplitArgs: AX, BX are at the real and imaginary part of frequency k, R8, R9 at those
// of −k, DI at the row of Half.
func (a *asm) eachRow(name string, f func(b *block, at int)) {
	a.begin(name, "SplitArgs")
	a.ins("MOVQ SplitArgs_Re(R14), R10")
	a.ins("MOVQ SplitArgs_Im(R14), R11")
	a.ins("MOVQ SplitArgs_At(R14), SI")
	a.ins("MOVQ SplitArgs_At+8(R14), CX")
	a.ins("MOVQ SplitArgs_Half(R14), DI")
	a.ins("SHRQ $1, CX")
	a.label("next")
	for i, p := range [][2]string{{"AX", "BX"}, {"R8", "R9"}} {
		a.ins("MOVLQSX %d(SI), %s", 4*i, p[0])
		a.ins("SHLQ $6, %s", p[0])
		a.ins("LEAQ (R11)(%s*1), %s", p[0], p[1])
		a.ins("ADDQ R10, %s", p[0])
	}
	a.each(f)
	a.ins("ADDQ $8, SI")
	a.ins("ADDQ $64, DI")
	a.ins("DECQ CX")
	a.ins("JNZ next")
	a.end()
}

func (a *asm) split() {
	a.eachRow("split", func(b *block, at int) {
		pr, pi, mr, mi := b.load(mem(at, "AX")), b.load(mem(at, "BX")), b.load(mem(at, "R8")), b.load(mem(at, "R9"))
		half := b.spread("half<>(SB)")
		for i, v := range []int{b.add(pr, mr), b.sub(pi, mi), b.add(pi, mi), b.sub(mr, pr)} {
			b.store(b.mul(half, v), mem(1024*i+at, "DI"))
		}
	})
}

func (a *asm) join() {
	a.eachRow("join", func(b *block, at int) {
		var h [4]int
		for i := range h {
			h[i] = b.load(mem(1024*i+at, "DI"))
		}
		ar, ai, br, bi := h[0], h[1], h[2], h[3]
		// Frequencies that are their own opposite are written twice; the second is the one that counts.
		mr, mi, pr, pi := b.add(ar, bi), b.sub(br, ai), b.sub(ar, bi), b.add(br, ai)
		b.store(mr, mem(at, "R8"))
		b.store(mi, mem(at, "R9"))
		b.store(pr, mem(at, "AX"))
		b.store(pi, mem(at, "BX"))
	})
}

// transpose is four tiles of eight by eight.
func (a *asm) transpose() {
	a.begin("transpose", "TransposeArgs")
	a.ins("MOVQ TransposeArgs_Dst(R14), DI")
	a.ins("MOVQ TransposeArgs_Src(R14), SI")
	for _, tile := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		row, col := 8*tile[0], 8*tile[1]
		src := func(r, c int) string { return mem(64*(row+r)+4*(col+c), "SI") }
		for r := range 4 {
			for half := range 2 {
				d := r + 4*half
				a.ins("VMOVUPS %s, X%d", src(r, 4*half), d)
				a.ins("VINSERTF128 $1, %s, Y%d, Y%d", src(r+4, 4*half), d, d)
			}
		}
		for half := range 2 {
			in := 4 * half
			a.ins("VUNPCKLPS Y%d, Y%d, Y8", in+1, in)
			a.ins("VUNPCKHPS Y%d, Y%d, Y9", in+1, in)
			a.ins("VUNPCKLPS Y%d, Y%d, Y10", in+3, in+2)
			a.ins("VUNPCKHPS Y%d, Y%d, Y11", in+3, in+2)
			for c := range 4 {
				pick := []string{"$0x44", "$0xEE"}[c%2]
				a.ins("VSHUFPS %s, Y%d, Y%d, Y12", pick, 10+c/2, 8+c/2)
				a.ins("VMOVUPS Y12, %s", mem(64*(col+4*half+c)+4*row, "DI"))
			}
		}
	}
	a.end()
}

// points loops over the points of SplineArgs: Y0 and Y1 are the fractions of x and y, R8 is at the first of the 6×8
// grid values, R9 the stride in bytes.
func (a *asm) points(name string, f func()) {
	a.begin(name, "SplineArgs")
	a.ins("MOVQ SplineArgs_U(R14), SI")
	a.ins("MOVQ SplineArgs_U+8(R14), CX")
	a.ins("MOVQ SplineArgs_Grid(R14), DI")
	a.ins("MOVQ SplineArgs_Stride(R14), R9")
	a.ins("MOVQ SplineArgs_Self(R14), R12")
	a.ins("MOVQ SplineArgs_Out(R14), R13")
	a.ins("MOVQ ·splineValue(SB), R10")
	a.ins("MOVQ ·splineSlope(SB), R11")
	a.ins("SHRQ $1, CX")
	a.ins("JZ done")
	a.label("point")
	for c, r := range []string{"AX", "BX"} {
		a.ins("VMOVSS %d(SI), X%d", 4*c, c)
		a.ins("VCVTTSS2SI X%d, %s", c, r)
		a.ins("VXORPS X2, X2, X2")
		a.ins("VCVTSI2SSL %s, X2, X2", r)
		a.ins("VSUBSS X2, X%d, X%d", c, c)
		a.ins("VBROADCASTSS X%d, Y%d", c, c)
		a.ins("MOVLQSX %s, %s", r, r)
	}
	a.ins("SUBQ $2, BX")
	a.ins("IMULQ R9, BX")
	a.ins("LEAQ -2(BX)(AX*1), R8")
	a.ins("LEAQ (DI)(R8*4), R8")
	a.ins("LEAQ (R9*4), DX")
	f()
	a.ins("ADDQ $8, SI")
	a.ins("DECQ CX")
	a.ins("JNZ point")
	a.label("done")
	a.end()
}

// horner evaluates the pieces at base, the first coefficient zero or not, for the fraction in register t.
func (a *asm) horner(d, t int, base string, first int) {
	a.load(d, mem(32*first, base))
	for e := first + 1; e < 6; e++ {
		a.mul(d, d, t)
		a.ins("VADDPS %s, Y%d, Y%d", mem(32*e, base), d, d)
	}
}

func (a *asm) spread() {
	a.points("spread", func() {
		a.horner(2, 0, "R10", 0)
		a.horner(3, 1, "R10", 0)
		a.store(3, "SplineArgs_scratch(R14)")
		for r := range 6 {
			a.spreadTo(4, fmt.Sprintf("SplineArgs_scratch+%d(R14)", 4*r))
			a.mul(4, 4, 2)
			a.ins("VADDPS (R8), Y4, Y4")
			a.store(4, "(R8)")
			if r < 5 {
				a.ins("ADDQ DX, R8")
			}
		}
	})
}

func (a *asm) gather() {
	const value, slope, sumValue, sumSlope = 2, 3, 6, 7
	a.points("gather", func() {
		a.horner(value, 0, "R10", 0)
		a.horner(slope, 0, "R11", 1)
		a.horner(4, 1, "R10", 0)
		a.horner(5, 1, "R11", 1)
		a.store(4, "SplineArgs_scratch(R14)")
		a.store(5, "SplineArgs_scratch+32(R14)")
		a.zero(sumValue)
		a.zero(sumSlope)
		for r := range 6 {
			a.load(8, "(R8)")
			for i, sum := range []int{sumValue, sumSlope} {
				a.spreadTo(9+i, fmt.Sprintf("SplineArgs_scratch+%d(R14)", 4*r+32*i))
				a.mul(9+i, 9+i, 8)
				a.add(sum, sum, 9+i)
			}
			if r < 5 {
				a.ins("ADDQ DX, R8")
			}
		}
		a.mul(8, sumValue, value)
		a.mul(9, sumValue, slope)
		a.mul(10, sumSlope, value)
		for d := 8; d <= 10; d++ {
			a.ins("VEXTRACTF128 $1, Y%d, X11", d)
			a.ins("VADDPS X11, X%d, X%d", d, d)
			a.ins("VSHUFPS $0xEE, X%d, X%d, X11", d, d)
			a.ins("VADDPS X11, X%d, X%d", d, d)
			a.ins("VMOVSHDUP X%d, X11", d)
			a.ins("VADDPS X11, X%d, X%d", d, d)
		}
		a.ins("VUNPCKLPS X9, X8, X8")
		a.ins("VMOVLHPS X10, X8, X8")
		a.self()
		a.ins("VSUBPS X11, X8, X8")
		a.ins("VMOVUPS X8, (R13)")
		a.ins("ADDQ $16, R13")
	})
}

// self leaves the self-interaction at fractions Y0, Y1 in X11.
func (a *asm) self() {
	a.words("steps", "16.0")
	for c, r := range []string{"AX", "BX"} {
		a.ins("VMULSS steps<>(SB), X%d, X%d", c, c)
		a.ins("VCVTTSS2SI X%d, %s", c, r)
		a.ins("VXORPS X2, X2, X2")
		a.ins("VCVTSI2SSL %s, X2, X2", r)
		a.ins("VSUBSS X2, X%d, X%d", c, c)
		a.ins("VSHUFPS $0, X%d, X%d, X%d", c, c, c)
	}
	a.ins("IMULQ $17, BX")
	a.ins("ADDQ BX, AX")
	a.ins("SHLQ $4, AX")
	lerp := func(d, to int, t string) {
		a.ins("VSUBPS X%d, X%d, X%d", d, to, to)
		a.ins("VMULPS X%d, %s, X%d", to, t, to)
		a.ins("VADDPS X%d, X%d, X%d", d, to, d)
	}
	for i, d := range []int{11, 13} {
		a.ins("VMOVUPS %d(R12)(AX*1), X%d", 17*16*i, d)
		a.ins("VMOVUPS %d(R12)(AX*1), X12", 17*16*i+16)
		lerp(d, 12, "X0")
	}
	lerp(11, 13, "X1")
}

func (a *asm) move() {
	a.words("moves", "0.2", "0.8", "0.01")
	const ex, iz, momentum, rate, clip, clip2 = 0, 1, 2, 3, 4, 5
	a.begin("move", "MoveArgs")
	for i, f := range []string{"Exaggeration", "InvZ", "Momentum", "Rate", "Clip"} {
		a.spreadTo(i, "MoveArgs_"+f+"(R14)")
	}
	a.mul(clip2, clip, clip)
	pointers := []string{"SI", "DI", "R8", "R9", "R10"}
	for i, f := range []string{"Y", "Step", "Gain", "Att", "Rep"} {
		a.ins("MOVQ MoveArgs_%s(R14), %s", f, pointers[i])
	}
	a.ins("MOVQ MoveArgs_Y+8(R14), CX")
	a.ins("SHRQ $3, CX")
	a.ins("JZ done")
	a.label("next")
	a.ins("VMULPS (R9), Y%d, Y6", ex)
	a.ins("VMULPS (R10), Y%d, Y7", iz)
	a.sub(6, 6, 7) // gradient
	a.load(7, "(DI)")
	a.load(8, "(R8)")
	a.mul(9, 6, 7)
	a.zero(10)
	a.ins("VCMPPS $1, Y10, Y9, Y9") // opposite signs
	a.spreadTo(10, "moves<>+0(SB)")
	a.add(10, 8, 10)
	a.spreadTo(11, "moves<>+4(SB)")
	a.mul(11, 8, 11)
	a.spreadTo(12, "moves<>+8(SB)")
	a.ins("VMAXPS Y12, Y11, Y11")
	a.ins("VBLENDVPS Y9, Y10, Y11, Y8")
	a.store(8, "(R8)")
	a.mul(7, momentum, 7)
	a.mul(8, rate, 8)
	a.mul(8, 8, 6)
	a.sub(7, 7, 8)
	a.mul(9, 7, 7)
	a.ins("VPERMILPS $0xB1, Y9, Y10")
	a.add(9, 9, 10)
	a.ins("VCMPPS $14, Y%d, Y9, Y10", clip2) // longer than allowed
	a.ins("VMOVMSKPS Y10, AX")
	a.ins("TESTL AX, AX")
	a.ins("JZ short")
	a.ins("VSQRTPS Y9, Y9")
	a.div(9, clip, 9)
	a.mul(9, 9, 7)
	a.ins("VBLENDVPS Y10, Y9, Y7, Y7")
	a.label("short")
	a.store(7, "(DI)")
	a.ins("VADDPS (SI), Y7, Y7")
	a.store(7, "(SI)")
	for _, p := range pointers {
		a.ins("ADDQ $32, %s", p)
	}
	a.ins("DECQ CX")
	a.ins("JNZ next")
	a.label("done")
	a.end()
}
