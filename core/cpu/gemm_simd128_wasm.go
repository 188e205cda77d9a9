//go:build go1.27 && goexperiment.simd && wasm

package cpu

// blocksSIMD128 are the kernels of several rows. One has eight rows, because a call costs as much as some terms, and
// one has two.
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

// gemmPairs is gemmPairsSIMD128 without the completion of the sums, except for gemmAdd. It is assembly and gives the
// bits of plain Go. Written in Go, with two terms in a round, the kernel is a quarter slower: the compiler of Go 1.27
// keeps one of the eight sums in memory, and closes loops through a table of all blocks of the function.
//
//go:noescape
func gemmPairs(block *gemmArgs, row, term uintptr, pairs int)
