package main

import "slices"

// transposed turns 16 registers that hold rows of 16 values into the same number that hold the columns, with a spare
// one as scratch, and returns the registers of the columns in order.
func (a *asm) transposed(rows []int, spare int) []int {
	// Each step interleaves two registers: the first halves go to the spare one, the second stay, and the first becomes
	// spare.
	step := func(lo, hi string, x, y *int) {
		a.ins("%s %s, %s, %s", lo, a.v(*y), a.v(*x), a.v(spare))
		a.ins("%s %s, %s, %s", hi, a.v(*y), a.v(*x), a.v(*y))
		*x, spare = spare, *x
	}
	r := append([]int(nil), rows...)
	for i := 0; i < 16; i += 2 { // values of two rows
		step("VUNPCKLPS", "VUNPCKHPS", &r[i], &r[i+1])
	}
	for i := 0; i < 16; i += 4 { // of four rows: r[i+c], c in 0, 2, 1, 3, has columns c, c+4, c+8 and c+12 of them
		step("VUNPCKLPD", "VUNPCKHPD", &r[i], &r[i+2])
		step("VUNPCKLPD", "VUNPCKHPD", &r[i+1], &r[i+3])
	}
	out := make([]int, 16)
	for i, c := range []int{0, 2, 1, 3} { // fours of rows together
		q := []*int{&r[i], &r[4+i], &r[8+i], &r[12+i]}
		for _, n := range []int{0, 2} {
			step("VSHUFF32X4 $0x44,", "VSHUFF32X4 $0xEE,", q[n], q[n+1])
		}
		for n := range 2 {
			step("VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,", q[n], q[n+2])
			out[c+8*n], out[c+8*n+4] = *q[n], *q[n+2]
		}
	}
	return out
}

// loadRows loads 16 values of each of 16 rows, R8 bytes apart from AX on. R11 is scratch.
func (a *asm) loadRows() []int {
	rows, base := make([]int, 16), "AX"
	for i := range rows {
		if i > 0 && i%3 == 0 {
			a.ins("LEAQ (%s)(R8*2), R11", base)
			a.ins("ADDQ R8, R11")
			base = "R11"
		}
		a.ins("VMOVUPS (%s)%s, %s", base, []string{"", "(R8*1)", "(R8*2)"}[i%3], a.v(i))
		rows[i] = i
	}
	return rows
}

// Offsets in transposeArgs.
const (
	transposeSrc  = 0
	transposeLDS  = 8
	transposeDst  = 16
	transposeLDD  = 24
	transposeCols = 32
)

// transpose writes columns of 16 rows of src as rows of 16 values of dst.
func (a *asm) transpose() {
	a.begin("transpose"+a.name, "transposeArgs")
	a.ins("MOVQ %d(R15), AX", transposeSrc)
	a.ins("MOVQ %d(R15), R8", transposeLDS)
	a.ins("MOVQ %d(R15), DI", transposeDst)
	a.ins("MOVQ %d(R15), R9", transposeLDD)
	a.ins("MOVQ %d(R15), CX", transposeCols)
	a.label("block")
	for _, c := range a.transposed(a.loadRows(), 16) {
		a.ins("VMOVUPS %s, (DI)", a.v(c))
		a.ins("ADDQ R9, DI")
		a.ins("DECQ CX")
		a.ins("JZ done")
	}
	a.ins("ADDQ $64, AX")
	a.ins("JMP block")
	a.label("done")
	a.end()
}

// single writes the kernel of 16 rows of a product whose C has one column: a register holds a term's elements of A, not
// of B, which needs a transpose but leaves no lane idle. Each sum is made in the other kernels' order. The modes are
// store, bias and biasrelu.
func (a *asm) single() {
	const acc, spare, zero = 17, 16, 18
	a.begin("gemmSingle"+a.name, "gemmArgs")
	for _, r := range []struct {
		off int
		reg string
	}{{gemmK, "CX"}, {gemmA, "AX"}, {gemmLDA, "R8"}, {gemmB, "BX"}, {gemmLDB, "R9"}, {gemmC, "DI"}, {gemmLDC, "R10"}} {
		a.ins("MOVQ %d(R15), %s", r.off, r.reg)
	}
	a.zero(acc)
	a.zero(zero)
	a.label("block")
	for _, c := range a.transposed(a.loadRows(), spare) {
		a.ins("VFMADD231PS.BCST (BX), %s, %s", a.v(c), a.v(acc))
		a.ins("ADDQ R9, BX")
		a.ins("DECQ CX")
		a.ins("JZ summed")
	}
	a.ins("ADDQ $64, AX")
	a.ins("JMP block")
	a.label("summed")
	a.ins("MOVQ %d(R15), CX", gemmMode)
	a.ins("TESTQ CX, CX")
	a.ins("JZ store")
	a.ins("MOVQ %d(R15), SI", gemmAux)
	a.ins("VADDPS.BCST (SI), %s, %s", a.v(acc), a.v(acc))
	a.ins("CMPQ CX, $%d", slices.Index(modes, "biasrelu"))
	a.ins("JNE store")
	a.ins("VMAXPS %s, %s, %s", a.v(acc), a.v(zero), a.v(acc)) // as in the other kernels
	a.label("store")
	a.ins("MOVQ $1, CX")
	a.ins("KMOVW CX, K1")
	for i := range 16 {
		a.ins("VALIGND.Z $%d, %s, %s, K1, %s", i, a.v(acc), a.v(acc), a.v(i))
		a.ins("VMOVUPS %s, (DI)", a.v(i))
		a.ins("ADDQ R10, DI")
	}
	a.end()
}
