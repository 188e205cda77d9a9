package main

import (
	"fmt"
	"math"
)

// Registers of the functions that compute in float64, free in every elementwise kernel of one operand.
const (
	wX    = 11 // argument and result
	wT    = 12 // scratch of expCore and logCore
	wP    = 13
	wQ    = 14
	wOrig = 15 // the argument, where a function needs it at the end
	wKeep = 2
	wMask = 3 // AVX2's masks; AVX-512 has K1
)

// The functions of package cpu's mathfn.go, with the same polynomials in float64, on a register of float32 at a time.
func (a *asm) functions() {
	a.function("exp", func() {
		a.least(90)
		a.most(-110)
		a.expCore()
	})
	a.function("log", func() {
		a.wide("VMOVAPD %s, %s", wX, wOrig)
		a.logCore()
		for _, edge := range []struct {
			predicate int
			than, is  float64
		}{{eq, 0, math.Inf(-1)}, {lt, 0, math.NaN()}} {
			a.compare(edge.predicate, edge.than, wOrig)
			a.constant(edge.is, wP)
			a.blend(wP, wX)
		}
		a.compare(notLessEqual, math.MaxFloat32, wOrig)
		a.blend(wOrig, wX)
	})
	a.function("tanh", func() {
		a.wide("VMOVAPD %s, %s", wX, wOrig)
		a.bits("AND", math.MaxInt64, wX, wX)
		a.least(10)
		a.wide("VADDPD %s, %s, %s", wX, wX, wX)
		a.expCore()
		a.with("VADDPD", 1, wX, wX)
		a.constant(2, wT)
		a.wide("VDIVPD %s, %s, %s", wX, wT, wX)
		a.constant(1, wT)
		a.wide("VSUBPD %s, %s, %s", wX, wT, wX)
		a.bits("AND", 1<<63, wOrig, wT)
		a.wide(a.logic("OR")+" %s, %s, %s", wT, wX, wX)
		a.wide("VMULPD %s, %s, %s", wOrig, wOrig, wT)
		a.horner(wT, wP, 21844./6081075, -1382./155925, 62./2835, -17./315, 2./15, -1./3, 1)
		a.wide("VMULPD %s, %s, %s", wOrig, wP, wP)
		a.bits("AND", math.MaxInt64, wOrig, wQ)
		a.compare(lt, 0.25, wQ)
		a.blend(wP, wX)
	})
	a.function("sigmoid", func() {
		a.least(200)
		a.most(-200)
		a.bits("XOR", 1<<63, wX, wX)
		a.expCore()
		a.with("VADDPD", 1, wX, wX)
		a.constant(1, wT)
		a.wide("VDIVPD %s, %s, %s", wX, wT, wX)
	})
	a.function("softplus", a.softplus)
}

// softplus is max(x, 0) + log(1+u), u = exp(-|x|): log 1+u = 2·artanh(u/(2+u)), above √2-1 log 2 +
// 2·artanh((u-1)/(u+3)).
func (a *asm) softplus() {
	a.wide("VMOVAPD %s, %s", wX, wOrig)
	a.bits("AND", math.MaxInt64, wX, wX)
	a.least(200)
	a.bits("XOR", 1<<63, wX, wX)
	a.expCore()
	a.compare(gt, math.Sqrt2-1, wX)
	a.with("VADDPD", 2, wX, wT)
	a.with("VADDPD", 3, wX, wQ)
	a.blend(wQ, wT)
	a.wide("VMOVAPD %s, %s", wX, wP)
	a.with("VSUBPD", 1, wX, wQ)
	a.blend(wQ, wP)
	a.wide("VDIVPD %s, %s, %s", wT, wP, wP)
	a.constant(math.Ln2, wQ)
	a.keep(wQ, wKeep)
	a.twiceArtanh()
	a.wide("VADDPD %s, %s, %s", wKeep, wX, wX)
	a.zero(wT)
	a.wide("VMAXPD %s, %s, %s", wOrig, wT, wT)
	a.wide("VADDPD %s, %s, %s", wT, wX, wX)
}

// expCore is eˣ for |x| ≤ 700.
func (a *asm) expCore() {
	const round = 3 << 51 // adding it leaves the nearest integer in the lowest bits
	a.with("VMULPD", math.Log2E, wX, wT)
	a.with("VADDPD", round, wT, wT)
	a.with("VSUBPD", round, wT, wP)
	a.with("VFNMADD231PD", math.Ln2, wP, wX)
	a.horner(wX, wP, 1./40320, 1./5040, 1./720, 1./120, 1./24, 1./6, 1./2, 1, 1)
	a.wide("VPSLLQ $52, %s, %s", wT, wT)
	a.wide("VPADDQ %s, %s, %s", wT, wP, wX)
}

// logCore is the logarithm of positive normal numbers.
func (a *asm) logCore() {
	a.wide("VPSRLQ $52, %s, %s", wX, wT)
	a.bits("OR", math.Float64bits(1<<52), wT, wT)
	a.with("VSUBPD", 1<<52+1023, wT, wT)
	a.bits("AND", 1<<52-1, wX, wX)
	a.bits("OR", math.Float64bits(1), wX, wX)
	a.compare(gt, math.Sqrt2, wX)
	a.constant(1, wP)
	a.keep(wP, wQ)
	a.wide("VADDPD %s, %s, %s", wQ, wT, wT)
	a.with("VMULPD", 0.5, wX, wP)
	a.blend(wP, wX)
	a.with("VSUBPD", 1, wX, wP)
	a.with("VADDPD", 1, wX, wQ)
	a.wide("VDIVPD %s, %s, %s", wQ, wP, wP)
	a.twiceArtanh()
	a.with("VFMADD231PD", math.Ln2, wT, wX)
}

// twiceArtanh is 2·artanh of register wP, in wX.
func (a *asm) twiceArtanh() {
	a.wide("VMULPD %s, %s, %s", wP, wP, wQ)
	a.horner(wQ, wX, 2./13, 2./11, 2./9, 2./7, 2./5, 2./3, 2)
	a.wide("VMULPD %s, %s, %s", wP, wX, wX)
}

// function writes the elementwise kernel that does body on each half of a register, as float64 in wX.
func (a *asm) function(name string, body func()) {
	half, extract, insert, narrow := "Y", "VEXTRACTF64X4", "VINSERTF64X4", "VCVTPD2PS"
	if a.lanes == 8 {
		half, extract, insert, narrow = "X", "VEXTRACTF128", "VINSERTF128", "VCVTPD2PSY"
	}
	h := func(i int) string { return fmt.Sprintf("%s%d", half, i) }
	a.elementwise(name, 1, func(x, _, d int) {
		a.ins("VCVTPS2PD %s, %s", h(x), a.v(wX))
		body()
		a.ins("%s %s, %s", narrow, a.v(wX), h(d))
		a.ins("%s $1, %s, %s", extract, a.v(x), h(wX))
		a.ins("VCVTPS2PD %s, %s", h(wX), a.v(wX))
		body()
		a.ins("%s %s, %s", narrow, a.v(wX), h(wX))
		a.ins("%s $1, %s, %s, %s", insert, h(wX), a.v(d), a.v(d))
	})
}

// wide writes an instruction on vector registers.
func (a *asm) wide(format string, regs ...int) {
	names := make([]any, len(regs))
	for i, r := range regs {
		names[i] = a.v(r)
	}
	a.ins(format, names...)
}

// with writes d = x op c, with fused operations d = d op x·c.
func (a *asm) with(op string, c float64, x, d int) {
	a.ins("%s %s, %s, %s", op, a.memory(math.Float64bits(c)), a.v(x), a.v(d))
}

func (a *asm) constant(c float64, d int) {
	a.ins("VMOVUPD %s, %s", a.memory(math.Float64bits(c)), a.v(d))
}

// horner evaluates the polynomial in x, highest coefficient first, into d.
func (a *asm) horner(x, d int, coefficients ...float64) {
	a.constant(coefficients[0], d)
	for _, c := range coefficients[1:] {
		a.with("VFMADD213PD", c, x, d)
	}
}

// least and most bound wX; not-a-number stays, as the second source of the instruction.
func (a *asm) least(c float64) {
	a.constant(c, wT)
	a.wide("VMINPD %s, %s, %s", wX, wT, wX)
}

func (a *asm) most(c float64) {
	a.constant(c, wT)
	a.wide("VMAXPD %s, %s, %s", wX, wT, wX)
}

// logic names a bitwise instruction.
func (a *asm) logic(op string) string {
	if a.lanes == 16 {
		return "VP" + op + "Q"
	}
	return "VP" + op
}

func (a *asm) bits(op string, c uint64, x, d int) {
	a.ins("%s %s, %s, %s", a.logic(op), a.memory(c), a.v(x), a.v(d))
}

// Predicates of compare, false for not-a-number except the last.
const (
	eq           = 0
	lt           = 17
	gt           = 30
	notLessEqual = 22
)

// compare sets the mask where x stands in the relation to c.
func (a *asm) compare(predicate int, c float64, x int) {
	mask := "K1"
	if a.lanes == 8 {
		mask = a.v(wMask)
	}
	a.ins("VCMPPD $%d, %s, %s, %s", predicate, a.memory(math.Float64bits(c)), a.v(x), mask)
}

// blend sets d to src under the mask.
func (a *asm) blend(src, d int) {
	if a.lanes == 16 {
		a.ins("VMOVAPD %s, K1, %s", a.v(src), a.v(d))
		return
	}
	a.wide("VBLENDVPD %s, %s, %s, %s", wMask, src, d, d)
}

// keep sets d to src under the mask, to zero elsewhere.
func (a *asm) keep(src, d int) {
	if a.lanes == 16 {
		a.ins("VMOVAPD.Z %s, K1, %s", a.v(src), a.v(d))
		return
	}
	a.wide("VANDPD %s, %s, %s", wMask, src, d)
}

// memory is the address of a register full of a 64-bit constant.
func (a *asm) memory(bits uint64) string {
	i, ok := a.index[bits]
	if !ok {
		i = len(a.table)
		a.index[bits] = i
		a.table = append(a.table, bits)
	}
	return fmt.Sprintf("constants%s<>+%d(SB)", a.name, i*a.bytes())
}

// constants writes the table of constants.
func (a *asm) constants() {
	if len(a.table) == 0 {
		return
	}
	a.buf.WriteByte('\n')
	for i, bits := range a.table {
		for at := 0; at < a.bytes(); at += 8 {
			fmt.Fprintf(&a.buf, "DATA constants%s<>+%d(SB)/8, $%#x\n", a.name, i*a.bytes()+at, bits)
		}
	}
	fmt.Fprintf(&a.buf, "GLOBL constants%s<>(SB), RODATA|NOPTR, $%d\n", a.name, len(a.table)*a.bytes())
}
