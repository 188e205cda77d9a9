//go:build go1.27 && goexperiment.simd && arm64

package cpu

import "unsafe"

// blocksSIMD128 are the kernels of several rows.
var blocksSIMD128 = []rowBlock{{rows: 4,
	kernel:   func(g *gemmArgs) { gemm4SIMD128(g, uintptr(g.lda), 4) },
	kernelTA: func(g *gemmArgs) { gemm4SIMD128(g, 4, uintptr(g.lda)) },
}}

// gemm4SIMD128 computes a 4×16 block of C, where A's element (i, k) lies i·row + k·term bytes after the first, in two
// pieces of 4×8.
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
	for ; k >= 2; k -= 2 {
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
