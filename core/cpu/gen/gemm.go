package main

import (
	"fmt"
	"slices"
)

// Offsets in gemmArgs.
const (
	gemmK    = 0
	gemmA    = 8
	gemmLDA  = 16
	gemmB    = 24
	gemmLDB  = 32
	gemmC    = 40
	gemmLDC  = 48
	gemmAux  = 56
	gemmMode = 64
	gemmNext = 72
	gemmStep = 80
	gemmThen = 88

	// round is the terms that a round of the loop adds, after which it fetches piece bytes ahead, as the package's
	// constants of these names say.
	round = 4
	piece = 128

	// thenTerms is the terms between two rows of the next block that are fetched, a multiple of a round's.
	thenTerms = 12
)

// modes are the values of gemmArgs.mode in order: the gemm* constants of the package.
var modes = []string{"store", "bias", "biasrelu", "mask", "add"}

func gemmName(s isa, rows, width int, ta bool) string {
	t := ""
	if ta {
		t = "TA"
	}
	return fmt.Sprintf("gemm%s%dx%d%s", t, rows, width, s.name)
}

func (a *asm) gemmKernels() {
	for _, ta := range []bool{false, true} {
		for _, b := range a.blocks {
			for _, rows := range b.rows {
				a.gemm(rows, b.width, ta)
			}
		}
	}
}

// gemm writes the kernel of one rows×width block of C = A·B (or Aᵀ·B): the whole block stays in registers while k
// runs, one multiply-add per element and step of k in every kernel, so that an element's value does not depend on
// the block it falls in. What is not a multiply-add is kept rare: where a core's other thread is busy with another's
// work, instructions are short before multipliers are.
func (a *asm) gemm(rows, width int, ta bool) {
	nb := width / a.lanes
	acc := func(i, j int) int { return i*nb + j }
	b0 := rows * nb                  // first of nb registers holding a row of B
	bcast := b0 + nb                 // first register for broadcast elements of A
	nbcast := min(a.regs-bcast, 4)   // a few in turn, so that loads run ahead
	each := func(f func(i, j int)) { // every accumulator, row by row
		for i := range rows {
			for j := range nb {
				f(i, j)
			}
		}
	}

	a.begin(gemmName(a.isa, rows, width, ta), "gemmArgs")
	for _, r := range []struct {
		off int
		reg string
	}{{gemmK, "CX"}, {gemmA, "AX"}, {gemmLDA, "R8"}, {gemmB, "BX"}, {gemmLDB, "R9"}, {gemmC, "DI"}, {gemmLDC, "R10"},
		{gemmNext, "R11"}} {
		a.ins("MOVQ %d(R15), %s", r.off, r.reg)
	}
	each(func(i, j int) { a.zero(acc(i, j)) })
	if !ta { // masks the products of a backward pass only
		a.ins("MOVQ %d(R15), SI", gemmAux)
		a.ins("CMPQ %d(R15), $%d", gemmMode, slices.Index(modes, "mask"))
		a.ins("CMOVQNE DI, SI")
		a.ins("SUBQ DI, SI")
		a.ins("MOVQ SI, R12") // from C to the mask
	}

	// Three rows of A are reached from one address register by the index forms (base), (base)(ld) and (base)(2·ld).
	bases := []string{"AX", "DX", "SI"}[:(rows+2)/3]
	if !ta {
		for i := 1; i < len(bases); i++ {
			a.ins("LEAQ (%s)(R8*2), %s", bases[i-1], bases[i])
			a.ins("ADDQ R8, %s", bases[i])
		}
	}
	element := func(i, t int) string { // of A in row i of the block, term t of a round or the next one's first
		if ta {
			return fmt.Sprintf("%d(AX)", 4*i) + []string{"", "(R8*1)", "", "(R8*1)", "(R8*2)"}[t]
		}
		return fmt.Sprintf("%d(%s)", 4*t, bases[i/3]) + []string{"", "(R8*1)", "(R8*2)"}[i%3]
	}
	// Operands are loaded some multiply-adds before they are needed, those of B as soon as their registers are free: a
	// core that shares its scheduler with another thread can hold few instructions that wait.
	ahead := min(nbcast-1, rows)
	// terms adds n terms in their order, at most a round, whose first operands have been loaded. With on, a term
	// follows, and it loads that term's; a round is a multiple of the registers in turn. What moves the addresses on
	// takes the place of multiply-adds, so two terms share it.
	terms := func(n int, on bool) {
		move := func(reg, ld string, t int) { // before the first load of term t
			if t == 2 {
				a.ins("LEAQ (%s)(%s*2), %s", reg, ld, reg)
			}
		}
		loadB := func(t, j int) {
			if t == n && !on {
				return
			}
			if j == 0 {
				move("BX", "R9", t)
			}
			a.ins("VMOVUPS %d(BX)%s, %s", a.bytes()*j, []string{"", "(R9*1)", "", "(R9*1)", "(R9*2)"}[t], a.v(b0+j))
		}
		next := ahead // element of A to load
		loadA := func() {
			t, i := next/rows, next%rows
			if t == n && !on {
				return
			}
			if ta && i == 0 {
				move("AX", "R8", t)
			}
			a.ins("VBROADCASTSS %s, %s", element(i, t), a.v(bcast+next%nbcast))
			next++
		}
		for t := range n {
			for i := range rows {
				loadA()
				for j := range nb {
					a.ins("VFMADD231PS %s, %s, %s", a.v(b0+j), a.v(bcast+(t*rows+i)%nbcast), a.v(acc(i, j)))
					if i == rows-1 {
						loadB(t+1, j)
					}
				}
			}
		}
		if n == round {
			for at := 0; at < piece; at += 64 {
				a.ins("PREFETCHT1 %d(R11)", at)
			}
			a.ins("ADDQ %d(R15), R11", gemmStep)
		}
		if !on {
			return
		}
		a.ins("LEAQ (BX)(R9*2), BX")
		if ta {
			a.ins("LEAQ (AX)(R8*2), AX")
			return
		}
		for _, b := range bases {
			a.ins("ADDQ $%d, %s", 4*n, b)
		}
	}
	// What comes next is fetched a little at a time: there are few places for lines on their way, and the loads of A
	// and B need them too. If there are terms enough, the rows of the next blocks of C and of the mask come one after
	// the other; if not, all at once, and nearer, for they are needed soon.
	a.ins("MOVQ %d(R15), R14", gemmThen)
	fetchRow := func(level string) {
		for at := 0; at < 4*width; at += 64 {
			a.ins("PREFETCH"+level+" %d(R14)", at)
			if !ta {
				a.ins("PREFETCH"+level+" %d(R14)(R12*1)", at)
			}
		}
		a.ins("ADDQ R10, R14")
	}
	for j := range nb {
		a.ins("VMOVUPS %d(BX), %s", a.bytes()*j, a.v(b0+j))
	}
	for i := range ahead {
		a.ins("VBROADCASTSS %s, %s", element(i, 0), a.v(bcast+i))
	}
	a.ins("CMPQ CX, $%d", rows*thenTerms)
	a.ins("JGT spread")
	for range rows {
		fetchRow("T0")
	}
	a.ins("JMP rest")
	a.label("spread")
	a.ins("MOVQ $%d, R13", rows)
	a.label("row")
	fetchRow("T1")
	a.ins("MOVQ $%d, CX", thenTerms/round)
	a.label("first")
	terms(round, true)
	a.ins("DECQ CX")
	a.ins("JNZ first")
	a.ins("DECQ R13")
	a.ins("JNZ row")
	a.ins("MOVQ %d(R15), CX", gemmK)
	a.ins("SUBQ $%d, CX", rows*thenTerms)
	a.label("rest")
	a.ins("SUBQ $%d, CX", round+1)
	a.ins("JLT last")
	a.label("loop")
	terms(round, true)
	a.ins("SUBQ $%d, CX", round)
	a.ins("JGE loop")
	a.label("last")
	for n := round; n > 1; n-- {
		a.ins("CMPQ CX, $%d", n-round-1)
		a.ins("JNE not%d", n)
		terms(n, false)
		a.ins("JMP summed")
		a.label(fmt.Sprintf("not%d", n))
	}
	terms(1, false)
	a.label("summed")
	a.gemmEpilogue(nb, b0, acc, each)
	a.end()
}

// gemmEpilogue finishes the block by the call's mode and stores it.
func (a *asm) gemmEpilogue(nb, b0 int, acc func(i, j int) int, each func(func(i, j int))) {
	zero, tmp := b0+nb, b0
	off := func(j int) int { return a.bytes() * j }
	nextRow := func(j int, reg string) {
		if j == nb-1 {
			a.ins("ADDQ R10, %s", reg)
		}
	}
	addBias := func() {
		a.ins("MOVQ %d(R15), SI", gemmAux)
		for j := range nb {
			a.ins("VMOVUPS %d(SI), %s", off(j), a.v(b0+j))
		}
		each(func(i, j int) { a.ins("VADDPS %s, %s, %s", a.v(b0+j), a.v(acc(i, j)), a.v(acc(i, j))) })
	}
	a.ins("MOVQ %d(R15), CX", gemmMode)
	for mode, label := range modes {
		if mode > 0 {
			a.ins("CMPQ CX, $%d", mode)
			a.ins("JEQ %s", label)
		}
	}
	a.ins("JMP store")

	a.label("biasrelu")
	addBias()
	a.zero(zero)
	// The accumulator is the second source, which is what VMAXPS returns when an operand is not a number.
	each(func(i, j int) { a.ins("VMAXPS %s, %s, %s", a.v(acc(i, j)), a.v(zero), a.v(acc(i, j))) })
	a.ins("JMP store")

	a.label("bias")
	addBias()
	a.ins("JMP store")

	a.label("mask")
	a.ins("MOVQ %d(R15), SI", gemmAux)
	a.zero(zero)
	each(func(i, j int) {
		a.ins("VMOVUPS %d(SI), %s", off(j), a.v(tmp))
		a.selectPositive(tmp, acc(i, j), zero, acc(i, j))
		nextRow(j, "SI")
	})
	a.ins("JMP store")

	a.label("add")
	a.ins("MOVQ DI, SI")
	each(func(i, j int) {
		a.ins("VADDPS %d(SI), %s, %s", off(j), a.v(acc(i, j)), a.v(acc(i, j)))
		nextRow(j, "SI")
	})

	a.label("store")
	each(func(i, j int) {
		a.ins("VMOVUPS %s, %d(DI)", a.v(acc(i, j)), off(j))
		nextRow(j, "DI")
	})
}
