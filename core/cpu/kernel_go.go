package cpu

import "unsafe"

// goKernels are the kernels in plain Go. They are for processors whose vectors nacre does not know, and for programs
// built without vectors. On every architecture a product is rounded to float32 before it is added, so a compiler's
// choice of a fused instruction cannot change a result.
var goKernels = kernels{
	name: "go",
	blocks: []colBlock{{width: 16, rows: []rowBlock{
		{rows: 2,
			kernel:   func(g *gemmArgs) { gemmGo2(g, g.lda/4, 1) },
			kernelTA: func(g *gemmArgs) { gemmGo2(g, 1, g.lda/4) }},
		{rows: 1,
			kernel:   func(g *gemmArgs) { gemmGo1(g, 1) },
			kernelTA: func(g *gemmArgs) { gemmGo1(g, g.lda/4) }},
	}}},
	add: addGo, sub: subGo, mul: mulGo, div: divGo, min: minGo, max: maxGo,
	reluGrad: reluGradGo, affine: affineGo, clamp: clampGo,
	less: lessGo, tanhGrad: tanhGradGo, clampGrad: clampGradGo,
	exp: expGo, log: logGo, tanh: tanhGo, sigmoid: sigmoidGo, softplus: softplusGo,
	colSum: colSumGo, adam: adamGo, ema: emaGo, squares: squaresGo,
	sumLanes: sumLanesGo, transpose: transposeGo,
	peak: peakGo, peakFlops: 2 * 8,
	flopsPerNano: 4, elemsPerNano: 1,
}

// floats returns the n values from p on.
func floats(p *float32, n int64) []float32 { return unsafe.Slice(p, n) }

// at returns p moved by a number of bytes.
func at(p *float32, bytes int64) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(p), bytes)) }

// gemmGo2 computes a 2×16 block of C, where A's element (i, k) lies at i·rowStep + k·kStep, in pieces of 2×4 whose
// sums stay in registers.
func gemmGo2(g *gemmArgs, rowStep, kStep int64) {
	ldb := g.ldb / 4
	a0 := floats(g.a, (g.k-1)*kStep+1)
	a1 := floats(at(g.a, 4*rowStep), (g.k-1)*kStep+1)
	for j := int64(0); j < 16; j += 4 {
		b := floats(at(g.b, 4*j), (g.k-1)*ldb+4)
		var s0, s1, s2, s3, t0, t1, t2, t3 float32
		for k := int64(0); k < g.k; k++ {
			x, y := a0[k*kStep], a1[k*kStep]
			r := (*[4]float32)(b[k*ldb:])
			s0 += float32(x * r[0])
			s1 += float32(x * r[1])
			s2 += float32(x * r[2])
			s3 += float32(x * r[3])
			t0 += float32(y * r[0])
			t1 += float32(y * r[1])
			t2 += float32(y * r[2])
			t3 += float32(y * r[3])
		}
		s, t := [4]float32{s0, s1, s2, s3}, [4]float32{t0, t1, t2, t3}
		gemmGoStore(g, 0, j, &s)
		gemmGoStore(g, 1, j, &t)
	}
}

// gemmGo1 is gemmGo2 for a single row.
func gemmGo1(g *gemmArgs, kStep int64) {
	ldb := g.ldb / 4
	a0 := floats(g.a, (g.k-1)*kStep+1)
	for j := int64(0); j < 16; j += 4 {
		b := floats(at(g.b, 4*j), (g.k-1)*ldb+4)
		var s0, s1, s2, s3 float32
		for k := int64(0); k < g.k; k++ {
			x := a0[k*kStep]
			r := (*[4]float32)(b[k*ldb:])
			s0 += float32(x * r[0])
			s1 += float32(x * r[1])
			s2 += float32(x * r[2])
			s3 += float32(x * r[3])
		}
		s := [4]float32{s0, s1, s2, s3}
		gemmGoStore(g, 0, j, &s)
	}
}

// gemmGoStore completes four sums of the block, in row i from column j on, as the mode of the call says, and stores
// them.
func gemmGoStore(g *gemmArgs, i, j int64, sum *[4]float32) {
	c := floats(at(g.c, i*g.ldc+4*j), 4)
	switch g.mode {
	case gemmStore:
		copy(c, sum[:])
	case gemmBias, gemmBiasReLU:
		bias := floats(at(g.aux, 4*j), 4)
		for n, s := range sum {
			s += bias[n]
			if g.mode == gemmBiasReLU && s < 0 {
				s = 0
			}
			c[n] = s
		}
	case gemmMask:
		mask := floats(at(g.aux, i*g.ldc+4*j), 4)
		for n, s := range sum {
			if !(mask[n] > 0) {
				s = 0
			}
			c[n] = s
		}
	case gemmAdd:
		for n, s := range sum {
			c[n] += s
		}
	}
}
