//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package cpu

import "unsafe"

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

// gemmFinish completes a block of 16 columns, whose sums are already in C, as the mode of the call says.
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
