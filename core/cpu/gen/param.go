package main

// Offsets in sumArgs.
const (
	sumRows = 0
	sumSrc  = 8
	sumLD   = 16
	sumDst  = 24
	sumCols = 32
	sumAdd  = 40
)

// colSum writes dst = Σ rows of src, or dst += where add is set: four chunks of 16 columns at a time while they last,
// then one. Rows are added in order into a fresh sum in both, so the split changes nothing.
func (a *asm) colSum() {
	a.begin("colSum"+a.name, "sumArgs")
	a.ins("MOVQ %d(R15), SI", sumSrc)
	a.ins("MOVQ %d(R15), R8", sumLD)
	a.ins("MOVQ %d(R15), DI", sumDst)
	a.ins("MOVQ %d(R15), R9", sumCols)
	a.ins("MOVQ %d(R15), R10", sumAdd)
	for _, chunks := range []int{4, 1} {
		block := map[int]string{4: "four", 1: "one"}[chunks]
		parts := chunks * 16 / a.lanes
		a.label(block)
		a.ins("CMPQ R9, $%d", 16*chunks)
		a.ins("JLT %send", block)
		for p := range parts {
			a.zero(p)
		}
		a.ins("MOVQ SI, AX")
		a.ins("MOVQ %d(R15), CX", sumRows)
		a.label(block + "row")
		for p := range parts {
			a.ins("VADDPS %d(AX), %s, %s", a.bytes()*p, a.v(p), a.v(p))
		}
		a.ins("ADDQ R8, AX")
		a.ins("DECQ CX")
		a.ins("JNZ %srow", block)
		a.ins("TESTQ R10, R10")
		a.ins("JZ %sstore", block)
		for p := range parts {
			a.ins("VADDPS %d(DI), %s, %s", a.bytes()*p, a.v(p), a.v(p))
		}
		a.label(block + "store")
		for p := range parts {
			a.ins("VMOVUPS %s, %d(DI)", a.v(p), a.bytes()*p)
		}
		a.ins("ADDQ $%d, SI", 64*chunks)
		a.ins("ADDQ $%d, DI", 64*chunks)
		a.ins("SUBQ $%d, R9", 16*chunks)
		a.ins("JMP %s", block)
		a.label(block + "end")
	}
	a.end()
}

// Offsets in laneArgs.
const (
	laneN      = 0
	laneDst    = 8
	laneSrc    = 16
	laneStride = 24
	laneLanes  = 32

	// laneAhead is how many bytes ahead the lanes are fetched: they come from far away, and there are several.
	laneAhead = 512
)

// sumLanes writes dst = src₀ + src₁ + … over n values, a multiple of 16, of two lanes or more, adding in this order.
func (a *asm) sumLanes() {
	parts := 16 / a.lanes
	a.begin("sumLanes"+a.name, "laneArgs")
	a.ins("MOVQ %d(R15), CX", laneN)
	a.ins("MOVQ %d(R15), DI", laneDst)
	a.ins("MOVQ %d(R15), SI", laneSrc)
	a.ins("MOVQ %d(R15), R8", laneStride)
	a.label("chunk")
	a.ins("MOVQ SI, AX")
	a.ins("MOVQ %d(R15), DX", laneLanes)
	a.ins("PREFETCHT0 %d(AX)", laneAhead)
	for p := range parts {
		a.ins("VMOVUPS %d(AX), %s", a.bytes()*p, a.v(p))
	}
	a.ins("DECQ DX")
	a.label("lane")
	a.ins("ADDQ R8, AX")
	a.ins("PREFETCHT0 %d(AX)", laneAhead)
	for p := range parts {
		a.ins("VADDPS %d(AX), %s, %s", a.bytes()*p, a.v(p), a.v(p))
	}
	a.ins("DECQ DX")
	a.ins("JNZ lane")
	for p := range parts {
		a.ins("VMOVUPS %s, %d(DI)", a.v(p), a.bytes()*p)
	}
	a.ins("ADDQ $64, SI")
	a.ins("ADDQ $64, DI")
	a.ins("SUBQ $16, CX")
	a.ins("JNZ chunk")
	a.end()
}

// Offsets in adamArgs.
const (
	adamN    = 0
	adamW    = 8
	adamG    = 16
	adamM    = 24
	adamV    = 32
	adamCoef = 40 // β₁, 1-β₁, β₂, 1-β₂, step, ε, 1/(1-β₂ᵗ)
)

// adam writes the optimiser step over n values, a multiple of the register's width.
func (a *asm) adam() {
	coef := func(i int) string { return a.v(8 + i - 1) } // registers 8…: the first coefficient is read from memory
	a.begin("adam"+a.name, "adamArgs")
	for _, r := range []struct {
		off int
		reg string
	}{{adamN, "CX"}, {adamW, "AX"}, {adamG, "BX"}, {adamM, "SI"}, {adamV, "DI"}} {
		a.ins("MOVQ %d(R15), %s", r.off, r.reg)
	}
	beta1 := a.v(7)
	a.ins("VBROADCASTSS %d(R15), %s", adamCoef, beta1)
	for i := 1; i < 7; i++ {
		a.ins("VBROADCASTSS %d(R15), %s", adamCoef+4*i, coef(i))
	}
	g, m, v, w := a.v(0), a.v(1), a.v(2), a.v(3)
	a.label("loop")
	a.ins("VMOVUPS (BX), %s", g)
	a.ins("VMULPS (SI), %s, %s", beta1, m)
	a.ins("VFMADD231PS %s, %s, %s", coef(1), g, m)
	a.ins("VMOVUPS %s, (SI)", m)
	a.ins("VMULPS %s, %s, %s", g, g, g)
	a.ins("VMULPS (DI), %s, %s", coef(2), v)
	a.ins("VFMADD231PS %s, %s, %s", coef(3), g, v)
	a.ins("VMOVUPS %s, (DI)", v)
	a.ins("VMULPS %s, %s, %s", coef(6), v, v)
	a.ins("VSQRTPS %s, %s", v, v)
	a.ins("VADDPS %s, %s, %s", coef(5), v, v)
	a.ins("VDIVPS %s, %s, %s", v, m, m)
	a.ins("VMOVUPS (AX), %s", w)
	a.ins("VFNMADD231PS %s, %s, %s", coef(4), m, w)
	a.ins("VMOVUPS %s, (AX)", w)
	for _, r := range []string{"AX", "BX", "SI", "DI"} {
		a.ins("ADDQ $%d, %s", a.bytes(), r)
	}
	a.ins("SUBQ $%d, CX", a.lanes)
	a.ins("JNZ loop")
	a.end()
}

// Offsets in emaArgs.
const (
	emaN    = 0
	emaDst  = 8
	emaSrc  = 16
	emaKeep = 24
	emaTake = 28
)

// ema writes dst = keep·dst + take·src over n values, a multiple of the register's width.
func (a *asm) ema() {
	a.begin("ema"+a.name, "emaArgs")
	a.ins("MOVQ %d(R15), CX", emaN)
	a.ins("MOVQ %d(R15), DI", emaDst)
	a.ins("MOVQ %d(R15), SI", emaSrc)
	a.ins("VBROADCASTSS %d(R15), %s", emaKeep, a.v(2))
	a.ins("VBROADCASTSS %d(R15), %s", emaTake, a.v(3))
	a.label("loop")
	a.ins("VMULPS (DI), %s, %s", a.v(2), a.v(0))
	a.ins("VMULPS (SI), %s, %s", a.v(3), a.v(1))
	a.ins("VADDPS %s, %s, %s", a.v(1), a.v(0), a.v(0))
	a.ins("VMOVUPS %s, (DI)", a.v(0))
	a.ins("ADDQ $%d, DI", a.bytes())
	a.ins("ADDQ $%d, SI", a.bytes())
	a.ins("SUBQ $%d, CX", a.lanes)
	a.ins("JNZ loop")
	a.end()
}

// peak writes a loop of independent multiply-adds between registers, as many as hide their latency.
func (a *asm) peak() {
	const chains = 12
	a.begin("peak"+a.name, "peakArgs")
	a.ins("MOVQ 0(R15), CX")
	for i := range chains + 2 {
		a.zero(i)
	}
	a.ins("PCALIGN $32")
	a.label("loop")
	for range 2 {
		for i := range chains {
			a.ins("VFMADD231PS %s, %s, %s", a.v(chains), a.v(chains+1), a.v(i))
		}
	}
	a.ins("DECQ CX")
	a.ins("JNZ loop")
	a.end()
}

// squares writes the sum of the squares of n values, a multiple of 16, in float64: chunks of half a register, in as
// many sums as a chunk of 16 values has of them, which are added at the end.
func (a *asm) squares() {
	half, parts := a.lanes/2, 32/a.lanes
	wide := func(p int) string { return a.v(2 + p) }
	a.begin("squares"+a.name, "squareArgs")
	a.ins("MOVQ 0(R15), CX")
	a.ins("MOVQ 8(R15), SI")
	for p := range parts {
		a.zero(2 + p)
	}
	a.label("loop")
	for p := range parts {
		a.ins("VCVTPS2PD %d(SI), %s", 4*half*p, a.v(0))
		a.ins("VFMADD231PD %s, %s, %s", a.v(0), a.v(0), wide(p))
	}
	a.ins("ADDQ $64, SI")
	a.ins("SUBQ $16, CX")
	a.ins("JNZ loop")
	for p := 1; p < parts; p++ {
		a.ins("VADDPD %s, %s, %s", wide(p), wide(0), wide(0))
	}
	a.ins("VMOVUPD %s, 16(R15)", wide(0))
	a.end()
}
