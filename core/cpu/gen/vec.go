package main

import "math"

// Offsets in vecArgs.
const (
	vecRows   = 0
	vecChunks = 8
	vecDst    = 16
	vecLDD    = 24
	vecA      = 32
	vecLDA    = 40
	vecStepA  = 48
	vecColA   = 56
	vecLDColA = 64
	vecB      = 72
	vecLDB    = 80
	vecStepB  = 88
	vecColB   = 96
	vecLDColB = 104
	vecS0     = 112
	vecS1     = 116
	vecMask   = 120
	vecBufA   = 184
	vecBufB   = 248
)

// Registers of the elementwise kernels; each body may also use tmp.
const (
	regA    = 0 // operands, one register for each part of a chunk of 16 values
	regB    = 2
	regDst  = 4
	regTmp  = 6
	regS0   = 8
	regS1   = 9
	regZero = 10
)

// elementKernels writes the elementwise functions of one and two operands.
func (a *asm) elementKernels() {
	arith := func(op string) func(x, y, d int) {
		return func(x, y, d int) { a.ins("%s %s, %s, %s", op, a.v(y), a.v(x), a.v(d)) }
	}
	// VMINPS and VMAXPS return the second operand where either is not a number; where it is the first, it is put back.
	minmax := func(op string) func(x, y, d int) {
		return func(x, y, d int) {
			a.ins("%s %s, %s, %s", op, a.v(y), a.v(x), a.v(d))
			if a.lanes == 16 {
				a.ins("VCMPPS $3, %s, %s, K1", a.v(x), a.v(x))
				a.ins("VMOVAPS %s, K1, %s", a.v(x), a.v(d))
				return
			}
			a.ins("VCMPPS $3, %s, %s, %s", a.v(x), a.v(x), a.v(regTmp))
			a.ins("VBLENDVPS %s, %s, %s, %s", a.v(regTmp), a.v(x), a.v(d), a.v(d))
		}
	}
	a.elementwise("add", 2, arith("VADDPS"))
	a.elementwise("sub", 2, arith("VSUBPS"))
	a.elementwise("mul", 2, arith("VMULPS"))
	a.elementwise("div", 2, arith("VDIVPS"))
	a.elementwise("min", 2, minmax("VMINPS"))
	a.elementwise("max", 2, minmax("VMAXPS"))
	a.elementwise("reluGrad", 2, func(y, g, d int) { a.selectPositive(y, g, regZero, d) })
	a.elementwise("less", 2, func(x, y, d int) {
		one, half := math.Float32bits(1), math.Float32bits(0.5)
		both := func(b uint32) uint64 { return uint64(b)<<32 | uint64(b) }
		if a.lanes == 16 {
			a.ins("VCMPPS $%d, %s, %s, K1", lt, a.v(y), a.v(x))
			a.ins("VCMPPS $%d, %s, %s, K2", eq, a.v(y), a.v(x))
			a.ins("VMOVUPS.Z %s, K1, %s", a.memory(both(one)), a.v(d))
			a.ins("VMOVUPS %s, K2, %s", a.memory(both(half)), a.v(d))
			return
		}
		a.ins("VCMPPS $%d, %s, %s, %s", lt, a.v(y), a.v(x), a.v(d))
		a.ins("VCMPPS $%d, %s, %s, %s", eq, a.v(y), a.v(x), a.v(regTmp))
		a.ins("VANDPS %s, %s, %s", a.memory(both(one)), a.v(d), a.v(d))
		a.ins("VANDPS %s, %s, %s", a.memory(both(half)), a.v(regTmp), a.v(regTmp))
		a.ins("VORPS %s, %s, %s", a.v(regTmp), a.v(d), a.v(d))
	})
	a.elementwise("tanhGrad", 2, func(y, g, d int) {
		one := math.Float32bits(1)
		a.ins("VMOVUPS %s, %s", a.memory(uint64(one)<<32|uint64(one)), a.v(regTmp))
		a.ins("VMULPS %s, %s, %s", a.v(y), a.v(y), a.v(d))
		a.ins("VSUBPS %s, %s, %s", a.v(d), a.v(regTmp), a.v(d))
		a.ins("VMULPS %s, %s, %s", a.v(g), a.v(d), a.v(d))
	})
	a.elementwise("clampGrad", 2, func(x, g, d int) {
		const greaterEqual, lessEqual = 29, 18
		if a.lanes == 16 {
			a.ins("VCMPPS $%d, %s, %s, K1", greaterEqual, a.v(regS0), a.v(x))
			a.ins("VCMPPS $%d, %s, %s, K1, K2", lessEqual, a.v(regS1), a.v(x))
			a.ins("VMOVAPS.Z %s, K2, %s", a.v(g), a.v(d))
			return
		}
		a.ins("VCMPPS $%d, %s, %s, %s", greaterEqual, a.v(regS0), a.v(x), a.v(d))
		a.ins("VCMPPS $%d, %s, %s, %s", lessEqual, a.v(regS1), a.v(x), a.v(regTmp))
		a.ins("VANDPS %s, %s, %s", a.v(regTmp), a.v(d), a.v(d))
		a.ins("VANDPS %s, %s, %s", a.v(g), a.v(d), a.v(d))
	})
	a.elementwise("affine", 1, func(x, _, d int) {
		a.ins("VMULPS %s, %s, %s", a.v(regS0), a.v(x), a.v(d))
		a.ins("VADDPS %s, %s, %s", a.v(regS1), a.v(d), a.v(d))
	})
	a.elementwise("clamp", 1, func(x, _, d int) {
		a.ins("VMAXPS %s, %s, %s", a.v(x), a.v(regS0), a.v(d))
		a.ins("VMINPS %s, %s, %s", a.v(d), a.v(regS1), a.v(d))
	})
}

// elementwise writes dst = f(a, b) over rows of chunks of 16 values. An operand advances by its own steps, so a
// broadcast row has a row step of zero; an operand that is a column is first spread over a chunk-sized buffer, row by
// row. The last chunk of a row is masked: the padding of dst is zero whatever f makes of zeros.
func (a *asm) elementwise(name string, operands int, f func(x, y, d int)) {
	parts := 16 / a.lanes
	a.begin(name+a.name, "vecArgs")
	a.ins("MOVQ %d(R15), R8", vecRows)
	a.ins("MOVQ %d(R15), DI", vecDst)
	a.ins("MOVQ %d(R15), SI", vecA)
	a.ins("MOVQ %d(R15), R11", vecColA)
	if operands == 2 {
		a.ins("MOVQ %d(R15), BX", vecB)
		a.ins("MOVQ %d(R15), R12", vecColB)
	}
	a.ins("VBROADCASTSS %d(R15), %s", vecS0, a.v(regS0))
	a.ins("VBROADCASTSS %d(R15), %s", vecS1, a.v(regS1))
	a.ins("MOVQ %d(R15), R9", vecStepA)
	a.ins("MOVQ %d(R15), R10", vecStepB)
	a.zero(regZero)

	a.label("row")
	a.spread("a", "R11", vecLDColA, vecBufA)
	if operands == 2 {
		a.spread("b", "R12", vecLDColB, vecBufB)
	}
	a.ins("MOVQ DI, DX")
	a.ins("MOVQ SI, AX")
	if operands == 2 {
		a.ins("MOVQ BX, R13")
	}
	a.ins("MOVQ %d(R15), CX", vecChunks)

	body := func(masked bool) {
		for p := range parts {
			a.ins("VMOVUPS %d(AX), %s", a.bytes()*p, a.v(regA+p))
			if operands == 2 {
				a.ins("VMOVUPS %d(R13), %s", a.bytes()*p, a.v(regB+p))
			}
			f(regA+p, regB+p, regDst+p)
			if masked {
				and := "VANDPS"
				if a.lanes == 16 {
					and = "VPANDD"
				}
				a.ins("%s %d(R15), %s, %s", and, vecMask+a.bytes()*p, a.v(regDst+p), a.v(regDst+p))
			}
			a.ins("VMOVUPS %s, %d(DX)", a.v(regDst+p), a.bytes()*p)
		}
	}
	a.ins("DECQ CX")
	a.ins("JZ last")
	a.ins("PCALIGN $32")
	a.label("chunk")
	body(false)
	a.ins("ADDQ $64, DX")
	a.ins("ADDQ R9, AX")
	if operands == 2 {
		a.ins("ADDQ R10, R13")
	}
	a.ins("DECQ CX")
	a.ins("JNZ chunk")
	a.label("last")
	body(true)

	a.ins("ADDQ %d(R15), DI", vecLDD)
	a.ins("ADDQ %d(R15), SI", vecLDA)
	if operands == 2 {
		a.ins("ADDQ %d(R15), BX", vecLDB)
	}
	a.ins("DECQ R8")
	a.ins("JNZ row")
	a.end()
}

// spread fills an operand's buffer with the next value of the column at reg, if the operand is a column.
func (a *asm) spread(operand, reg string, ld, buf int) {
	a.ins("TESTQ %s, %s", reg, reg)
	a.ins("JZ %swide", operand)
	a.ins("VBROADCASTSS (%s), %s", reg, a.v(regA))
	for p := range 16 / a.lanes {
		a.ins("VMOVUPS %s, %d(R15)", a.v(regA), buf+a.bytes()*p)
	}
	a.ins("ADDQ %d(R15), %s", ld, reg)
	a.label(operand + "wide")
}
