//go:build go1.27 && goexperiment.simd && wasm

package cpu

// blocksSIMD128 are the kernels of several rows: of eight, as a call costs as much as some terms, and of two.
var blocksSIMD128 = []rowBlock{
	{rows: 8,
		kernel:   func(g *gemmArgs) { gemmPairsSIMD128(g, uintptr(g.lda), 4, 4) },
		kernelTA: func(g *gemmArgs) { gemmPairsSIMD128(g, 4, uintptr(g.lda), 4) }},
	{rows: 2,
		kernel:   func(g *gemmArgs) { gemmPairsSIMD128(g, uintptr(g.lda), 4, 1) },
		kernelTA: func(g *gemmArgs) { gemmPairsSIMD128(g, 4, uintptr(g.lda), 1) }},
}

// gemmPairsSIMD128 computes 16 columns of pairs of rows of C, where A's element (i, k) lies i·row + k·term bytes after
// the first.
func gemmPairsSIMD128(g *gemmArgs, row, term uintptr, pairs int) {
	gemmPairs(g, row, term, pairs)
	if g.mode != gemmStore && g.mode != gemmAdd {
		gemmFinish(g, 2*pairs)
	}
}

// gemmPairs is gemmPairsSIMD128 without what finishes the sums, but gemmAdd. It is assembly, with the bits of plain Go,
// because the compiler of Go 1.27 keeps one of the eight sums in memory and closes loops by way of a table of all the
// function's blocks: written in Go, with two terms in a round, the kernel is a quarter slower.
//
//go:noescape
func gemmPairs(block *gemmArgs, row, term uintptr, pairs int)
