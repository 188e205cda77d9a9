package main

import "fmt"

// stages writes the butterflies of every radix, both ways.
func (a *asm) stages() {
	a.words("half", "0.5")
	a.words("sin60", "0.8660254037844386")
	a.stage("forward2", 2, func(b *block, x, w []complex) []complex {
		return []complex{b.plus(x[0], x[1]), b.times(b.minus(x[0], x[1]), w[0])}
	})
	a.stage("inverse2", 2, func(b *block, x, w []complex) []complex {
		y := b.timesConj(x[1], w[0])
		return []complex{b.plus(x[0], y), b.minus(x[0], y)}
	})
	a.stage("forward3", 3, func(b *block, x, w []complex) []complex {
		s, c, d := b.third(x[0], x[1], x[2])
		return []complex{s, b.times(b.minusI(c, d), w[0]), b.times(b.plusI(c, d), w[1])}
	})
	a.stage("inverse3", 3, func(b *block, x, w []complex) []complex {
		s, c, d := b.third(x[0], b.timesConj(x[1], w[0]), b.timesConj(x[2], w[1]))
		return []complex{s, b.plusI(c, d), b.minusI(c, d)}
	})
	a.stage("forward4", 4, func(b *block, x, w []complex) []complex {
		p, q := b.plus(x[0], x[2]), b.minus(x[0], x[2])
		r, s := b.plus(x[1], x[3]), b.minus(x[1], x[3])
		return []complex{b.plus(p, r), b.times(b.minusI(q, s), w[0]), b.times(b.minus(p, r), w[1]),
			b.times(b.plusI(q, s), w[2])}
	})
	a.stage("inverse4", 4, func(b *block, x, w []complex) []complex {
		x1, x2, x3 := b.timesConj(x[1], w[0]), b.timesConj(x[2], w[1]), b.timesConj(x[3], w[2])
		p, q := b.plus(x[0], x2), b.minus(x[0], x2)
		r, s := b.plus(x1, x3), b.minus(x1, x3)
		return []complex{b.plus(p, r), b.plusI(q, s), b.minus(p, r), b.minusI(q, s)}
	})
}

// third is the part of a butterfly of three that both directions share: the sum of all, x − (y+z)/2 and sin 60°·(y−z).
func (b *block) third(x, y, z complex) (sum, c, d complex) {
	s, t := b.plus(y, z), b.minus(y, z)
	half, sin := b.spread("half<>(SB)"), b.spread("sin60<>(SB)")
	c = complex{b.sub(x.re, b.mul(half, s.re)), b.sub(x.im, b.mul(half, s.im))}
	return b.plus(x, s), c, complex{b.mul(sin, t.re), b.mul(sin, t.im)}
}

// stage loops over blocks of length L and the butterflies in each. AX and BX are at the first input of a butterfly,
// R8 is the distance of the inputs in bytes and R9 three times it, DX is at the factors.
func (a *asm) stage(name string, radix int, f func(b *block, x, w []complex) []complex) {
	a.begin(name, "StageArgs")
	a.ins("MOVQ StageArgs_Re(R14), AX")
	a.ins("MOVQ StageArgs_Im(R14), BX")
	a.ins("MOVQ StageArgs_Re+8(R14), R10")
	a.ins("SHLQ $6, R10")
	a.ins("ADDQ AX, R10") // end of Re
	a.ins("MOVQ StageArgs_L(R14), R11")
	if radix == 3 {
		a.ins("MOVQ AX, CX")
		a.ins("MOVQ R11, AX")
		a.ins("XORL DX, DX")
		a.ins("MOVQ $3, R8")
		a.ins("DIVQ R8")
		a.ins("MOVQ AX, R11")
		a.ins("MOVQ CX, AX")
	} else {
		a.ins("SHRQ $%d, R11", radix/2)
	}
	a.ins("MOVQ R11, R8")
	a.ins("SHLQ $6, R8")
	a.ins("LEAQ (R8)(R8*2), R9")
	a.label("block")
	a.ins("MOVQ StageArgs_Tw(R14), DX")
	a.ins("MOVQ R11, CX")
	a.ins("PCALIGN $32")
	a.label("butterfly")
	index := []string{"", "(R8*1)", "(R8*2)", "(R9*1)"}
	for h := range a.parts {
		b := &block{}
		at := func(base string, j int) string { return fmt.Sprintf("%d(%s)%s", a.bytes()*h, base, index[j]) }
		var x, w []complex
		for j := range radix {
			x = append(x, complex{b.load(at("AX", j)), b.load(at("BX", j))})
		}
		for j := range radix - 1 {
			w = append(w, complex{factor(2 * j), factor(2*j + 1)})
		}
		for j, y := range f(b, x, w) {
			b.store(y.re, at("AX", j))
			b.store(y.im, at("BX", j))
		}
		b.write(a, 0)
	}
	a.ins("ADDQ $64, AX")
	a.ins("ADDQ $64, BX")
	a.ins("ADDQ $%d, DX", 8*(radix-1))
	a.ins("DECQ CX")
	a.ins("JNZ butterfly")
	for range radix - 1 {
		a.ins("ADDQ R8, AX")
		a.ins("ADDQ R8, BX")
	}
	a.ins("CMPQ AX, R10")
	a.ins("JLT block")
	a.end()
}

// factor names the n-th of a butterfly's factors where a value is multiplied by it; it takes no register.
func factor(n int) int { return -2 - n }
