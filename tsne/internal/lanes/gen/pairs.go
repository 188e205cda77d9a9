package main

import "fmt"

// repelWide keeps everything in registers: 0–4 are the point's x, y, forces and Σ w, 5–8 the others', which turn by
// one lane after every step.
func (a *asm) repelWide() {
	a.begin("repel", "RepelArgs")
	for i, f := range []string{"X", "Y", "FX", "FY", "Z"} {
		a.ins("MOVQ RepelArgs_%s(R14), AX", f)
		a.load(i, "(AX)")
	}
	a.one(9)
	for i, f := range []string{"OX", "OY", "OFX", "OFY"} {
		a.ins("MOVQ RepelArgs_%s(R14), %s", f, others[i])
	}
	a.ins("MOVQ RepelArgs_Count(R14), CX")
	a.label("group")
	for i, p := range others {
		a.load(5+i, "("+p+")")
	}
	a.ins("MOVL $4, DX")
	a.ins("PCALIGN $32")
	a.label("turn")
	for range 4 {
		a.sub(10, 0, 5)
		a.sub(11, 1, 6)
		a.mul(12, 10, 10)
		a.mul(13, 11, 11)
		a.add(12, 12, 13)
		a.add(12, 12, 9)
		a.div(12, 9, 12)
		a.add(4, 4, 12)
		a.mul(12, 12, 12)
		a.mul(10, 12, 10)
		a.mul(11, 12, 11)
		a.add(2, 2, 10)
		a.add(3, 3, 11)
		a.sub(7, 7, 10)
		a.sub(8, 8, 11)
		for _, r := range []int{5, 6, 7, 8} {
			a.ins("VALIGND $1, Z%d, Z%d, Z%d", r, r, r)
		}
	}
	a.ins("DECL DX")
	a.ins("JNZ turn")
	a.store(7, "(R10)")
	a.store(8, "(R11)")
	for _, p := range others {
		a.ins("ADDQ $64, %s", p)
	}
	a.ins("DECQ CX")
	a.ins("JNZ group")
	for i, f := range []string{"FX", "FY", "Z"} {
		a.ins("MOVQ RepelArgs_%s(R14), AX", f)
		a.store(2+i, "(AX)")
	}
	a.end()
}

// others are the registers that point at the other points' x, y and forces.
var others = []string{"R8", "R9", "R10", "R11"}

// repelNarrow keeps forces and the others in registers, two for each, and the point itself and Σ w in memory.
func (a *asm) repelNarrow() {
	a.words("ones", "1.0", "1.0", "1.0", "1.0", "1.0", "1.0", "1.0", "1.0")
	a.words("turned", 1, 2, 3, 4, 5, 6, 7, 0)
	const fx, fy, ox, ofx, tx, ty, t, u = 0, 2, 4, 8, 12, 13, 14, 15
	a.begin("repel", "RepelArgs")
	a.ins("MOVQ RepelArgs_X(R14), AX")
	a.ins("MOVQ RepelArgs_Y(R14), BX")
	a.ins("MOVQ RepelArgs_Z(R14), DI")
	forces := func(move func(r int, m string)) {
		for i, f := range []string{"FX", "FY"} {
			a.ins("MOVQ RepelArgs_%s(R14), SI", f)
			move(fx+2*i, "(SI)")
			move(fx+2*i+1, "32(SI)")
		}
	}
	forces(a.load)
	for i, f := range []string{"OX", "OY", "OFX", "OFY"} {
		a.ins("MOVQ RepelArgs_%s(R14), %s", f, others[i])
	}
	a.ins("MOVQ RepelArgs_Count(R14), CX")
	a.label("group")
	for i, p := range others {
		a.load(ox+2*i, "("+p+")")
		a.load(ox+2*i+1, "32("+p+")")
	}
	a.ins("MOVL $16, DX")
	a.label("turn")
	for h := range 2 {
		at := 32 * h
		a.load(tx, fmt.Sprintf("%d(AX)", at))
		a.sub(tx, tx, ox+h)
		a.load(ty, fmt.Sprintf("%d(BX)", at))
		a.sub(ty, ty, ox+2+h)
		a.mul(t, tx, tx)
		a.mul(u, ty, ty)
		a.add(t, t, u)
		a.load(u, "ones<>(SB)")
		a.add(t, t, u)
		a.div(t, u, t)
		a.ins("VADDPS %d(DI), Y%d, Y%d", at, t, u)
		a.store(u, fmt.Sprintf("%d(DI)", at))
		a.mul(t, t, t)
		a.mul(tx, t, tx)
		a.mul(ty, t, ty)
		a.add(fx+h, fx+h, tx)
		a.add(fy+h, fy+h, ty)
		a.sub(ofx+h, ofx+h, tx)
		a.sub(ofx+2+h, ofx+2+h, ty)
	}
	a.load(u, "turned<>(SB)")
	for r := ox; r < ox+8; r += 2 {
		a.ins("VPERMPS Y%d, Y%d, Y%d", r, u, tx)
		a.ins("VPERMPS Y%d, Y%d, Y%d", r+1, u, ty)
		a.ins("VBLENDPS $0x80, Y%d, Y%d, Y%d", ty, tx, r)
		a.ins("VBLENDPS $0x80, Y%d, Y%d, Y%d", tx, ty, r+1)
	}
	a.ins("DECL DX")
	a.ins("JNZ turn")
	for i, p := range others[2:] {
		a.store(ofx+2*i, "("+p+")")
		a.store(ofx+2*i+1, "32("+p+")")
	}
	for _, p := range others {
		a.ins("ADDQ $64, %s", p)
	}
	a.ins("DECQ CX")
	a.ins("JNZ group")
	forces(a.store)
	a.end()
}

// attractRows opens the loop over rows: the row's entries lie from AX to BX, in bytes, in R9 (Col) and R10 (Val).
// Register one is filled with ones.
func (a *asm) attractRows(one int) {
	a.begin("attract", "AttractArgs")
	for _, p := range [][2]string{{"Y", "SI"}, {"Own", "DI"}, {"Ptr", "R8"}, {"Col", "R9"}, {"Val", "R10"},
		{"Out", "R11"}} {
		a.ins("MOVQ AttractArgs_%s(R14), %s", p[0], p[1])
	}
	a.one(one)
	a.ins("MOVQ AttractArgs_Ptr+8(R14), CX")
	a.ins("DECQ CX")
	a.ins("JLE done")
	a.label("row")
	a.spreadTo(0, "(DI)")
	a.spreadTo(1, "4(DI)")
	for r := range 2 * a.parts {
		a.zero(2 + r)
	}
	a.ins("MOVLQSX (R8), AX")
	a.ins("MOVLQSX 4(R8), BX")
	a.ins("SHLQ $6, AX")
	a.ins("SHLQ $6, BX")
	a.ins("CMPQ AX, BX")
	a.ins("JGE sum")
	a.ins("PCALIGN $32")
	a.label("entries")
}

// pull adds the forces of the entries whose x and y are in registers x and y to fx and fy.
func (a *asm) pull(x, y, fx, fy, t, u, one int, values string) {
	a.sub(x, 0, x)
	a.sub(y, 1, y)
	a.mul(t, x, x)
	a.mul(u, y, y)
	a.add(t, t, u)
	a.add(t, t, one)
	a.load(u, values)
	a.div(t, u, t)
	a.mul(x, t, x)
	a.mul(y, t, y)
	a.add(fx, fx, x)
	a.add(fy, fy, y)
}

// attractEnd sums the eight lanes left in registers 2 and 3 and closes the loops.
func (a *asm) attractEnd() {
	for r := 2; r <= 3; r++ {
		a.ins("VEXTRACTF128 $1, Y%d, X6", r)
		a.ins("VADDPS X6, X%d, X%d", r, r)
		a.ins("VSHUFPS $0xEE, X%d, X%d, X6", r, r)
		a.ins("VADDPS X6, X%d, X%d", r, r)
		a.ins("VMOVSHDUP X%d, X6", r)
		a.ins("VADDSS X6, X%d, X%d", r, r)
		a.ins("VMOVSS X%d, %d(R11)", r, 4*(r-2))
	}
	for _, p := range []string{"DI", "R11"} {
		a.ins("ADDQ $8, %s", p)
	}
	a.ins("ADDQ $4, R8")
	a.ins("DECQ CX")
	a.ins("JNZ row")
	a.label("done")
	a.end()
}

func (a *asm) attractWide() {
	a.words("even", 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
	a.words("odd", 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
	a.attractRows(12)
	a.ins("VMOVDQU (R9)(AX*1), Y4")
	a.ins("VMOVDQU 32(R9)(AX*1), Y5")
	for r := 6; r <= 7; r++ {
		a.zero(r)
		a.ins("KXNORW K%d, K%d, K%d", r-5, r-5, r-5)
		a.ins("VGATHERDPD (SI)(Y%d*8), K%d, Z%d", r-2, r-5, r)
	}
	a.load(8, "even<>(SB)")
	a.load(9, "odd<>(SB)")
	a.ins("VPERMI2PS Z7, Z6, Z8")
	a.ins("VPERMI2PS Z7, Z6, Z9")
	a.pull(8, 9, 2, 3, 10, 11, 12, "(R10)(AX*1)")
	a.ins("ADDQ $64, AX")
	a.ins("CMPQ AX, BX")
	a.ins("JLT entries")
	a.label("sum")
	for r := 2; r <= 3; r++ {
		a.ins("VEXTRACTF64X4 $1, Z%d, Y6", r)
		a.ins("VADDPS Y6, Y%d, Y%d", r, r)
	}
	a.attractEnd()
}

func (a *asm) attractNarrow() {
	a.attractRows(14)
	for h := range 2 {
		for k := range 2 {
			a.ins("VMOVDQU %d(R9)(AX*1), X6", 32*h+16*k)
			a.ins("VPCMPEQD Y7, Y7, Y7")
			a.zero(8 + k)
			a.ins("VGATHERDPD Y7, (SI)(X6*8), Y%d", 8+k)
		}
		for k, pick := range []string{"$0x88", "$0xDD"} {
			a.ins("VSHUFPS %s, Y9, Y8, Y%d", pick, 10+k)
			a.ins("VPERMPD $0xD8, Y%d, Y%d", 10+k, 10+k)
		}
		a.pull(10, 11, 2+h, 4+h, 12, 13, 14, fmt.Sprintf("%d(R10)(AX*1)", 32*h))
	}
	a.ins("ADDQ $64, AX")
	a.ins("CMPQ AX, BX")
	a.ins("JLT entries")
	a.label("sum")
	a.add(2, 2, 3)
	a.add(3, 4, 5)
	a.attractEnd()
}

// near has the sums of query q in register parts·q and following.
func (a *asm) near() {
	n := a.parts
	point, e := 4*n, 5*n
	a.begin("near", "NearArgs")
	a.ins("MOVQ NearArgs_Block(R14), AX")
	a.ins("MOVQ NearArgs_Block+8(R14), CX")
	a.ins("MOVQ NearArgs_Q(R14), BX")
	for r := range 4 * n {
		a.zero(r)
	}
	a.ins("PCALIGN $32")
	a.label("dimension")
	for h := range n {
		a.load(point+h, fmt.Sprintf("%d(AX)", a.bytes()*h))
	}
	for q := range 4 {
		a.spreadTo(e, fmt.Sprintf("%d(BX)", 4*q))
		for h := range n {
			a.sub(e+1+h, e, point+h)
			a.mul(e+1+h, e+1+h, e+1+h)
			a.add(q*n+h, q*n+h, e+1+h)
		}
	}
	a.ins("ADDQ $64, AX")
	a.ins("ADDQ $16, BX")
	a.ins("DECQ CX")
	a.ins("JNZ dimension")
	for q := range 4 {
		a.spreadTo(e, fmt.Sprintf("NearArgs_Limit+%d(R14)", 4*q))
		for h := range n {
			a.store(q*n+h, fmt.Sprintf("NearArgs_Out+%d(R14)", 64*q+a.bytes()*h))
		}
		if n == 1 {
			a.ins("VCMPPS $1, Z%d, Z%d, K1", e, q)
			a.ins("KMOVW K1, DX")
		} else {
			for h := range 2 {
				a.ins("VCMPPS $1, Y%d, Y%d, Y%d", e, q*n+h, point+h)
			}
			a.ins("VMOVMSKPS Y%d, DX", point)
			a.ins("VMOVMSKPS Y%d, DI", point+1)
			a.ins("SHLL $8, DI")
			a.ins("ORL DI, DX")
		}
		a.ins("MOVL DX, NearArgs_Mask+%d(R14)", 4*q)
	}
	a.end()
}
