package main

import "fmt"

// Offsets in halfArgs.
const (
	halfSrc  = 0
	halfLD   = 8
	halfHigh = 16
	halfLow  = 24
	halfRows = 32
	halfWide = 40
)

// halves writes the kernels that cut float32 into bfloat16: for every x a high part, x rounded to 8 bits, and a low
// part, what is left rounded to 8 bits. Tiles are 16 rows of 16 pairs, 1 KiB, as the matrix unit takes them.
func (a *asm) halves() {
	const x, high, low, pair, zero, one, half, mask = 0, 1, 2, 3, 4, 5, 6, 7
	load := func() {
		for _, r := range []struct {
			off int
			reg string
		}{{halfSrc, "SI"}, {halfLD, "R8"}, {halfHigh, "DI"}, {halfLow, "BX"}, {halfRows, "CX"}, {halfWide, "R9"}} {
			a.ins("MOVQ %d(R15), %s", r.off, r.reg)
		}
		for i, c := range []uint64{1, 0x7fff, 0xffff0000} {
			a.ins("VMOVUPS %s, %s", a.memory(c<<32|c), a.v(one+i))
		}
		a.zero(zero)
	}
	// round leaves from rounded to its upper half in to, ties to even; the lower half is undefined.
	round := func(from, to int) {
		a.ins("VPSRLD $16, %s, %s", a.v(from), a.v(to))
		a.ins("VPANDD %s, %s, %s", a.v(one), a.v(to), a.v(to))
		a.ins("VPADDD %s, %s, %s", a.v(half), a.v(to), a.v(to))
		a.ins("VPADDD %s, %s, %s", a.v(from), a.v(to), a.v(to))
	}
	split := func() {
		round(x, high)
		a.ins("VPANDD %s, %s, %s", a.v(mask), a.v(high), a.v(high))
		a.ins("VSUBPS %s, %s, %s", a.v(high), a.v(x), a.v(x))
		round(x, low)
	}

	// A tile of 16 rows of 32 columns: pairs are neighbours in a row.
	a.begin("halfRows"+a.name, "halfArgs")
	load()
	a.ins("MOVQ $16, DX")
	a.ins("SUBQ CX, DX")
	a.label("row")
	part := func(at int) {
		a.ins("VMOVUPS %d(SI), %s", 2*at, a.v(x))
		split()
		for _, p := range []struct {
			reg int
			to  string
		}{{high, "DI"}, {low, "BX"}} {
			a.ins("VPSRLD $16, %s, %s", a.v(p.reg), a.v(p.reg))
			a.ins("VPMOVDW %s, %d(%s)", a.v(p.reg), at, p.to)
		}
	}
	part(0)
	a.ins("TESTQ R9, R9")
	a.ins("JZ narrow")
	part(32)
	a.ins("JMP next")
	a.label("narrow")
	a.ins("VMOVUPS Y%d, 32(DI)", zero)
	a.ins("VMOVUPS Y%d, 32(BX)", zero)
	a.label("next")
	a.ins("ADDQ R8, SI")
	a.ins("ADDQ $64, DI")
	a.ins("ADDQ $64, BX")
	a.ins("DECQ CX")
	a.ins("JNZ row")
	a.clearRest(zero)
	a.end()

	// A tile of 32 rows of 16 columns: pairs are neighbours in a column.
	a.begin("halfPairs"+a.name, "halfArgs")
	load()
	a.ins("MOVQ $32, DX") // rows of pairs to clear: 16 - (rows+1)/2 = (32-rows)/2
	a.ins("SUBQ CX, DX")
	a.ins("SHRQ $1, DX")
	other := pair + 8
	emit := func() {
		a.ins("VPSRLD $16, %s, %s", a.v(pair), a.v(pair))
		a.ins("VPORD %s, %s, %s", a.v(pair), a.v(high), a.v(high))
		a.ins("VPSRLD $16, %s, %s", a.v(other), a.v(other))
		a.ins("VPANDD %s, %s, %s", a.v(mask), a.v(low), a.v(low))
		a.ins("VPORD %s, %s, %s", a.v(other), a.v(low), a.v(low))
		a.ins("VMOVUPS %s, (DI)", a.v(high))
		a.ins("VMOVUPS %s, (BX)", a.v(low))
		a.ins("ADDQ $64, DI")
		a.ins("ADDQ $64, BX")
	}
	first := func() {
		a.ins("VMOVUPS (SI), %s", a.v(x))
		split()
		a.ins("VMOVAPS %s, %s", a.v(high), a.v(pair))
		a.ins("VMOVAPS %s, %s", a.v(low), a.v(other))
		a.ins("ADDQ R8, SI")
	}
	a.label("pair")
	a.ins("CMPQ CX, $2")
	a.ins("JLT odd")
	first()
	a.ins("VMOVUPS (SI), %s", a.v(x))
	split()
	a.ins("ADDQ R8, SI")
	emit()
	a.ins("SUBQ $2, CX")
	a.ins("JMP pair")
	a.label("odd")
	a.ins("TESTQ CX, CX")
	a.ins("JZ rest")
	first()
	a.zero(high)
	a.zero(low)
	emit()
	a.label("rest")
	a.clearRest(zero)
	a.end()

	a.transposeTile()
	a.matrixUnit()
}

// clearRest clears DX rows of the tiles at DI and BX.
func (a *asm) clearRest(zero int) {
	a.ins("TESTQ DX, DX")
	a.ins("JZ done")
	a.label("clear")
	a.ins("VMOVUPS %s, (DI)", a.v(zero))
	a.ins("VMOVUPS %s, (BX)", a.v(zero))
	a.ins("ADDQ $64, DI")
	a.ins("ADDQ $64, BX")
	a.ins("DECQ DX")
	a.ins("JNZ clear")
	a.label("done")
}

// transposeTile transposes the 16×16 pairs of the tiles at high and low: pairs within quarters of a register,
// quadruples, then quarters between registers, twice.
func (a *asm) transposeTile() {
	a.begin("halfTranspose"+a.name, "halfArgs")
	for _, off := range []int{halfHigh, halfLow} {
		a.ins("MOVQ %d(R15), DI", off)
		r := func(i int) string { return a.v(i) }
		t := func(i int) string { return a.v(16 + i) }
		for i := range 16 {
			a.ins("VMOVUPS %d(DI), %s", 64*i, r(i))
		}
		for i := 0; i < 16; i += 2 {
			a.ins("VPUNPCKLDQ %s, %s, %s", r(i+1), r(i), t(i))
			a.ins("VPUNPCKHDQ %s, %s, %s", r(i+1), r(i), t(i+1))
		}
		for i := 0; i < 16; i += 4 {
			a.ins("VPUNPCKLQDQ %s, %s, %s", t(i+2), t(i), r(i))
			a.ins("VPUNPCKHQDQ %s, %s, %s", t(i+2), t(i), r(i+1))
			a.ins("VPUNPCKLQDQ %s, %s, %s", t(i+3), t(i+1), r(i+2))
			a.ins("VPUNPCKHQDQ %s, %s, %s", t(i+3), t(i+1), r(i+3))
		}
		const even, odd = 0x88, 0xdd
		for i := range 4 {
			for g := 0; g < 16; g += 8 {
				a.ins("VSHUFI32X4 $%d, %s, %s, %s", even, r(g+i+4), r(g+i), t(g+i))
				a.ins("VSHUFI32X4 $%d, %s, %s, %s", odd, r(g+i+4), r(g+i), t(g+i+4))
			}
		}
		for i := range 8 {
			a.ins("VSHUFI32X4 $%d, %s, %s, %s", even, t(i+8), t(i), r(i))
			a.ins("VSHUFI32X4 $%d, %s, %s, %s", odd, t(i+8), t(i), r(i+8))
		}
		for i := range 16 {
			a.ins("VMOVUPS %s, %d(DI)", r(i), 64*i)
		}
	}
	a.end()
}

// Offsets in unitArgs.
const (
	unitChunks = 0
	unitA0     = 8
	unitA1     = 16
	unitB0     = 24
	unitB1     = 32
	unitLowA   = 40
	unitLowB   = 48
	unitC      = 56
	unitLDC    = 64
	unitAux    = 72
	unitMode   = 80
	unitRows   = 88
	unitWide   = 96
	unitBlock  = 104
	unitTiles  = unitBlock + 4096
)

// matrixUnit writes the kernel of a 32×32 block on the matrix unit (AMX), of which the assembler knows nothing: four
// tiles of sums, two of A, two of B. With low parts it adds three products, high·high + high·low + low·high.
func (a *asm) matrixUnit() {
	a.begin("matrixUnit"+a.name, "unitArgs")
	a.raw("LDTILECFG tiles(R15)", vex(0xc2, 0x78, 0x49, 0x87, unitTiles)...)
	for t := range 4 {
		a.raw(fmt.Sprintf("TILEZERO T%d", t), 0xc4, 0xe2, 0x7b, 0x49, byte(0xc0|t<<3))
	}
	for _, r := range []struct {
		off int
		reg string
	}{{unitChunks, "CX"}, {unitA0, "AX"}, {unitA1, "DX"}, {unitB0, "BX"}, {unitB1, "SI"}, {unitLowA, "R12"},
		{unitLowB, "R13"}} {
		a.ins("MOVQ %d(R15), %s", r.off, r.reg)
	}
	a.ins("MOVQ $64, R8")
	number := map[string]byte{"AX": 0, "DX": 2, "BX": 3, "SI": 6, "DI": 7}
	load := func(tile int, base string) {
		a.raw(fmt.Sprintf("TILELOADD (%s)(R8*1), T%d", base, tile), 0xc4, 0xa2, 0x7b, 0x4b, byte(0x04|tile<<3),
			number[base])
	}
	multiply := func() {
		for sum := range 4 {
			x, y := 4+sum/2, 6+sum%2
			a.raw(fmt.Sprintf("TDPBF16PS T%d, T%d, T%d", y, x, sum), 0xc4, 0xe2, byte(0x02|(15-y)<<3), 0x5c,
				byte(0xc0|sum<<3|x))
		}
	}
	a.label("chunk")
	load(4, "AX")
	load(5, "DX")
	load(6, "BX")
	load(7, "SI")
	multiply()
	a.ins("TESTQ R13, R13")
	a.ins("JZ next")
	a.ins("LEAQ (BX)(R13*1), DI")
	load(6, "DI")
	a.ins("LEAQ (SI)(R13*1), DI")
	load(7, "DI")
	multiply()
	a.ins("LEAQ (AX)(R12*1), DI")
	load(4, "DI")
	a.ins("LEAQ (DX)(R12*1), DI")
	load(5, "DI")
	load(6, "BX")
	load(7, "SI")
	multiply()
	a.label("next")
	for _, r := range []string{"AX", "DX", "BX", "SI"} {
		a.ins("ADDQ $1024, %s", r)
	}
	a.ins("DECQ CX")
	a.ins("JNZ chunk")
	a.ins("MOVQ $128, R8")
	for t, at := range []int{0, 64, 16 * 128, 16*128 + 64} {
		a.ins("LEAQ %d(R15), DI", unitBlock+at)
		a.raw(fmt.Sprintf("TILESTORED T%d, (DI)(R8*1)", t), 0xc4, 0xa2, 0x7a, 0x4b, byte(0x04|t<<3), number["DI"])
	}
	a.raw("TILERELEASE", 0xc4, 0xe2, 0x78, 0x49, 0xc0)
	a.unitEpilogue()
	a.end()
}

// vex is an instruction with a memory operand at a distance from R15.
func vex(b1, b2, op, modrm byte, disp int) []byte {
	return []byte{0xc4, b1, b2, op, modrm, byte(disp), byte(disp >> 8), byte(disp >> 16), byte(disp >> 24)}
}

// raw writes an instruction as bytes.
func (a *asm) raw(name string, bytes ...byte) {
	a.buf.WriteByte('\t')
	for _, b := range bytes {
		fmt.Fprintf(&a.buf, "BYTE $0x%02x; ", b)
	}
	fmt.Fprintf(&a.buf, "// %s\n", name)
}

// unitEpilogue finishes the block by the call's mode, row by row, as gemmEpilogue does.
func (a *asm) unitEpilogue() {
	const sum, aux, zero, bias = 0, 2, 4, 5
	a.ins("LEAQ %d(R15), SI", unitBlock)
	for _, r := range []struct {
		off int
		reg string
	}{{unitC, "DI"}, {unitLDC, "R10"}, {unitAux, "BX"}, {unitMode, "R11"}, {unitRows, "CX"}, {unitWide, "R9"}} {
		a.ins("MOVQ %d(R15), %s", r.off, r.reg)
	}
	a.zero(zero)
	halves := func(f func(p int)) {
		f(0)
		a.ins("TESTQ R9, R9")
		skip := fmt.Sprintf("skip%d", a.labels)
		a.labels++
		a.ins("JZ %s", skip)
		f(1)
		a.label(skip)
	}
	loop := func(name string, finish func(p int)) {
		a.label(name + "row")
		halves(func(p int) {
			a.ins("VMOVUPS %d(SI), %s", 64*p, a.v(sum+p))
			finish(p)
			a.ins("VMOVUPS %s, %d(DI)", a.v(sum+p), 64*p)
		})
		a.ins("ADDQ $128, SI")
		a.ins("ADDQ R10, DI")
		a.ins("ADDQ R10, BX")
		a.ins("DECQ CX")
		a.ins("JNZ %srow", name)
		a.ins("JMP finished")
	}
	for mode, name := range modes {
		if mode > 0 {
			a.ins("CMPQ R11, $%d", mode)
			a.ins("JEQ %s", name)
		}
	}
	loop("store", func(int) {})
	for _, name := range []string{"biasrelu", "bias"} {
		a.label(name)
		halves(func(p int) { a.ins("VMOVUPS %d(BX), %s", 64*p, a.v(bias+p)) })
		loop(name, func(p int) {
			a.ins("VADDPS %s, %s, %s", a.v(bias+p), a.v(sum+p), a.v(sum+p))
			if name == "biasrelu" {
				a.ins("VMAXPS %s, %s, %s", a.v(sum+p), a.v(zero), a.v(sum+p))
			}
		})
	}
	a.label("mask")
	loop("mask", func(p int) {
		a.ins("VMOVUPS %d(BX), %s", 64*p, a.v(aux))
		a.selectPositive(aux, sum+p, zero, sum+p)
	})
	a.label("add")
	loop("add", func(p int) { a.ins("VADDPS %d(DI), %s, %s", 64*p, a.v(sum+p), a.v(sum+p)) })
	a.label("finished")
}
