//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package cpu

import "unsafe"

// gemm4SIMD128 computes a 4×16 block of C, where A's element (i, k) lies i·row + k·term bytes after the first, in two
// pieces of 4×8: eight sums, two vectors of B, one value of A and one product are what sixteen registers hold.
func gemm4SIMD128(g *gemmArgs, row, term uintptr) {
	a, b, c := unsafe.Pointer(g.a), unsafe.Pointer(g.b), unsafe.Pointer(g.c)
	gemm4x8(g, a, b, c, row, term)
	gemm4x8(g, a, unsafe.Add(b, 32), unsafe.Add(c, 32), row, term)
	if g.mode != gemmStore && g.mode != gemmAdd {
		gemmFinish(g, 4)
	}
}

func gemm4x8(g *gemmArgs, a, b, c unsafe.Pointer, row, term uintptr) {
	var c00, c01, c10, c11, c20, c21, c30, c31 f32x4
	ldb, ldc := uintptr(g.ldb), uintptr(g.ldc)
	a1 := unsafe.Add(a, row)
	a2 := unsafe.Add(a1, row)
	a3 := unsafe.Add(a2, row)
	var b0, b1, x f32x4
	k := g.k
	for ; k >= 2; k -= 2 { // two terms at a time: a loop of one takes two thirds longer in Node
		b0, b1 = load(b), load(unsafe.Add(b, 16))
		x = spreadAt(a)
		c00, c01 = c00.Add(b0.Mul(x)), c01.Add(b1.Mul(x))
		x = spreadAt(a1)
		c10, c11 = c10.Add(b0.Mul(x)), c11.Add(b1.Mul(x))
		x = spreadAt(a2)
		c20, c21 = c20.Add(b0.Mul(x)), c21.Add(b1.Mul(x))
		x = spreadAt(a3)
		c30, c31 = c30.Add(b0.Mul(x)), c31.Add(b1.Mul(x))
		b = unsafe.Add(b, ldb)
		b0, b1 = load(b), load(unsafe.Add(b, 16))
		x = spreadAt(unsafe.Add(a, term))
		c00, c01 = c00.Add(b0.Mul(x)), c01.Add(b1.Mul(x))
		x = spreadAt(unsafe.Add(a1, term))
		c10, c11 = c10.Add(b0.Mul(x)), c11.Add(b1.Mul(x))
		x = spreadAt(unsafe.Add(a2, term))
		c20, c21 = c20.Add(b0.Mul(x)), c21.Add(b1.Mul(x))
		x = spreadAt(unsafe.Add(a3, term))
		c30, c31 = c30.Add(b0.Mul(x)), c31.Add(b1.Mul(x))
		b = unsafe.Add(b, ldb)
		a, a1, a2, a3 = unsafe.Add(a, 2*term), unsafe.Add(a1, 2*term), unsafe.Add(a2, 2*term), unsafe.Add(a3, 2*term)
	}
	if k > 0 {
		b0, b1 = load(b), load(unsafe.Add(b, 16))
		x = spreadAt(a)
		c00, c01 = c00.Add(b0.Mul(x)), c01.Add(b1.Mul(x))
		x = spreadAt(a1)
		c10, c11 = c10.Add(b0.Mul(x)), c11.Add(b1.Mul(x))
		x = spreadAt(a2)
		c20, c21 = c20.Add(b0.Mul(x)), c21.Add(b1.Mul(x))
		x = spreadAt(a3)
		c30, c31 = c30.Add(b0.Mul(x)), c31.Add(b1.Mul(x))
	}
	p1 := unsafe.Add(c, ldc)
	p2 := unsafe.Add(p1, ldc)
	p3 := unsafe.Add(p2, ldc)
	if g.mode == gemmAdd {
		c00, c01 = load(c).Add(c00), load(unsafe.Add(c, 16)).Add(c01)
		c10, c11 = load(p1).Add(c10), load(unsafe.Add(p1, 16)).Add(c11)
		c20, c21 = load(p2).Add(c20), load(unsafe.Add(p2, 16)).Add(c21)
		c30, c31 = load(p3).Add(c30), load(unsafe.Add(p3, 16)).Add(c31)
	}
	store(c, c00)
	store(unsafe.Add(c, 16), c01)
	store(p1, c10)
	store(unsafe.Add(p1, 16), c11)
	store(p2, c20)
	store(unsafe.Add(p2, 16), c21)
	store(p3, c30)
	store(unsafe.Add(p3, 16), c31)
}

// gemm1SIMD128 computes a 1×16 block of C, where A's element k lies k·term bytes after the first.
func gemm1SIMD128(g *gemmArgs, term uintptr) {
	a, b, c := unsafe.Pointer(g.a), unsafe.Pointer(g.b), unsafe.Pointer(g.c)
	ldb := uintptr(g.ldb)
	var c0, c1, c2, c3 f32x4
	for range g.k {
		x := spreadAt(a)
		c0 = c0.Add(load(b).Mul(x))
		c1 = c1.Add(load(unsafe.Add(b, 16)).Mul(x))
		c2 = c2.Add(load(unsafe.Add(b, 32)).Mul(x))
		c3 = c3.Add(load(unsafe.Add(b, 48)).Mul(x))
		a, b = unsafe.Add(a, term), unsafe.Add(b, ldb)
	}
	if g.mode == gemmAdd {
		c0, c1 = load(c).Add(c0), load(unsafe.Add(c, 16)).Add(c1)
		c2, c3 = load(unsafe.Add(c, 32)).Add(c2), load(unsafe.Add(c, 48)).Add(c3)
	}
	store(c, c0)
	store(unsafe.Add(c, 16), c1)
	store(unsafe.Add(c, 32), c2)
	store(unsafe.Add(c, 48), c3)
	if g.mode != gemmStore && g.mode != gemmAdd {
		gemmFinish(g, 1)
	}
}

// gemmFinish finishes the sums of a block of 16 columns, which lie in C, by the call's mode.
func gemmFinish(g *gemmArgs, rows int) {
	var zero f32x4
	c, aux := unsafe.Pointer(g.c), unsafe.Pointer(g.aux)
	for range rows {
		for j := uintptr(0); j < 64; j += 16 {
			at := unsafe.Add(c, j)
			s, x := load(at), load(unsafe.Add(aux, j))
			switch g.mode {
			case gemmBias:
				s = s.Add(x)
			case gemmBiasReLU:
				s = s.Add(x)
				s = zero.IfElse(s.Less(zero), s)
			case gemmMask:
				s = s.Masked(x.Greater(zero))
			}
			store(at, s)
		}
		c = unsafe.Add(c, g.ldc)
		if g.mode == gemmMask {
			aux = unsafe.Add(aux, g.ldc)
		}
	}
}
