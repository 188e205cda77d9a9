//go:build go1.27 && goexperiment.simd && amd64 && unix

package cpu

import (
	"simd/archsimd"
	"syscall"
	"testing"
	"unsafe"
)

// BenchmarkVectors compares blocks of a product in Go's vector package with the generated assembly, everything in the
// first-level cache: what of the processor's multiply-adds the compiler's code reaches. Of the shapes tried, 4×32 is
// the fastest in Go; with more sums it copies them between registers.
//
//	GOTOOLCHAIN=go1.27.4 GOEXPERIMENT=simd go test ./core/cpu -run - -bench Vectors
func BenchmarkVectors(b *testing.B) {
	if native()[0].name != "avx512" {
		b.Skip("this processor has no AVX-512")
	}
	const terms = 300
	x, y, c := make([]float32, 8*terms), make([]float32, 48*terms), make([]float32, 8*48)
	rate := func(b *testing.B, rows, cols int, f func()) {
		before := processor()
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(2*rows*cols*terms)*float64(b.N)/(processor()-before)/1e9, "GFLOP/s")
	}
	b.Run("Go 4×32", func(b *testing.B) { rate(b, 4, 32, func() { gemm4x32(terms, &x[0], &y[0], &c[0]) }) })
	for _, blk := range native()[0].blocks {
		if blk.width == 48 {
			g := gemmArgs{k: terms, a: &x[0], lda: 4 * terms, b: &y[0], ldb: 4 * 48, c: &c[0], ldc: 4 * 48, next: &y[0],
				then: &c[0]}
			b.Run("assembly 8×48", func(b *testing.B) { rate(b, 8, 48, func() { blk.rows[0].kernel(&g) }) })
		}
	}
}

// processor is the processor time of this process in seconds.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}

// gemm4x32 computes a 4×32 block of a product of rows of A, terms apart, and a panel of B 32 wide.
func gemm4x32(terms int, a, b, c *float32) {
	var c00, c01, c10, c11, c20, c21, c30, c31 archsimd.Float32x16
	p, q, r := unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(c)
	row := uintptr(4 * terms)
	at := func(i uintptr) archsimd.Float32x16 {
		return archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(p, i*row)))
	}
	for range terms {
		b0, b1 := archsimd.LoadFloat32x16Array((*[16]float32)(q)),
			archsimd.LoadFloat32x16Array((*[16]float32)(unsafe.Add(q, 64)))
		x := at(0)
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = at(1)
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = at(2)
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = at(3)
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
		p, q = unsafe.Add(p, 4), unsafe.Add(q, 128)
	}
	for i, v := range []archsimd.Float32x16{c00, c01, c10, c11, c20, c21, c30, c31} {
		v.StoreArray((*[16]float32)(unsafe.Add(r, 64*i)))
	}
}
