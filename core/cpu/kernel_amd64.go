package cpu

import "golang.org/x/sys/cpu"

//go:generate go run ./gen

// native lists the assembly kernels this processor and operating system support, fastest first.
func native() []*kernels {
	var sets []*kernels
	if cpu.X86.HasAVX512F && cpu.X86.HasFMA {
		sets = append(sets, &avx512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, &avx2)
	}
	return sets
}

var avx512 = kernels{
	name: "avx512", blocks: blocksAVX512,
	single: &colBlock{width: 16, rows: append([]rowBlock{{rows: 16, kernel: gemmSingleAVX512}},
		blocksAVX512[len(blocksAVX512)-1].rows...)},
	add: addAVX512, sub: subAVX512, mul: mulAVX512, div: divAVX512, min: minAVX512, max: maxAVX512,
	reluGrad: reluGradAVX512, affine: affineAVX512, clamp: clampAVX512,
	less: lessAVX512, tanhGrad: tanhGradAVX512, clampGrad: clampGradAVX512,
	exp: expAVX512, log: logAVX512, tanh: tanhAVX512, sigmoid: sigmoidAVX512, softplus: softplusAVX512,
	colSum: colSumAVX512, adam: adamAVX512, ema: emaAVX512, squares: squaresAVX512,
	sumLanes: sumLanesAVX512, transpose: transposeAVX512,
	peak: peakAVX512, peakFlops: 2 * 12 * 16 * 2,
	flopsPerNano: 120, elemsPerNano: 5,
}

var avx2 = kernels{
	name: "avx2", blocks: blocksAVX2,
	add: addAVX2, sub: subAVX2, mul: mulAVX2, div: divAVX2, min: minAVX2, max: maxAVX2,
	reluGrad: reluGradAVX2, affine: affineAVX2, clamp: clampAVX2,
	less: lessAVX2, tanhGrad: tanhGradAVX2, clampGrad: clampGradAVX2,
	exp: expAVX2, log: logAVX2, tanh: tanhAVX2, sigmoid: sigmoidAVX2, softplus: softplusAVX2,
	colSum: colSumAVX2, adam: adamAVX2, ema: emaAVX2, squares: squaresAVX2,
	sumLanes: sumLanesAVX2, transpose: transposeGo,
	peak: peakAVX2, peakFlops: 2 * 12 * 8 * 2,
	flopsPerNano: 60, elemsPerNano: 4,
}

// Features names the features of the processor that matter to the kernels.
func Features() []string {
	var f []string
	for _, x := range []struct {
		has  bool
		name string
	}{{cpu.X86.HasAVX2, "avx2"}, {cpu.X86.HasFMA, "fma"}, {cpu.X86.HasAVX512F, "avx512f"}} {
		if x.has {
			f = append(f, x.name)
		}
	}
	return f
}
