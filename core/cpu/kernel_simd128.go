//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package cpu

import (
	"simd/archsimd"
	"unsafe"
)

// native lists the vector kernels: both architectures always have vectors of 128 bits, SIMD128 in WebAssembly and NEON
// on arm64.
func native() []*kernels { return []*kernels{&simd128} }

// Features names the features of the processor that matter to the kernels.
func Features() []string { return []string{"simd128"} }

// simd128 are the kernels on vectors of four float32 or two float64, the same text for both architectures. They give
// the bits of plain Go: every element gets the same operations in the same order, and products are rounded before they
// are added.
var simd128 = kernels{
	name: "simd128",
	blocks: []colBlock{{width: 16, rows: append(blocksSIMD128,
		rowBlock{rows: 1,
			kernel:   func(g *gemmArgs) { gemm1SIMD128(g, 4) },
			kernelTA: func(g *gemmArgs) { gemm1SIMD128(g, uintptr(g.lda)) }})}},
	add: addSIMD128, sub: subSIMD128, mul: mulSIMD128, div: divSIMD128, min: minSIMD128, max: maxSIMD128,
	reluGrad: reluGradSIMD128, affine: affineSIMD128, clamp: clampSIMD128,
	less: lessSIMD128, tanhGrad: tanhGradSIMD128, clampGrad: clampGradSIMD128,
	exp: expSIMD128, log: logSIMD128, tanh: tanhSIMD128, sigmoid: sigmoidSIMD128, softplus: softplusSIMD128,
	colSum: colSumSIMD128, adam: adamSIMD128, ema: emaSIMD128, squares: squaresGo,
	sumLanes: sumLanesSIMD128, transpose: transposeSIMD128,
	peak: peakSIMD128, peakFlops: 2 * 4 * 8,
	flopsPerNano: 20, elemsPerNano: 2,
}

type (
	f32x4 = archsimd.Float32x4
	f64x2 = archsimd.Float64x2
)

// load returns the four values from p on.
func load(p unsafe.Pointer) f32x4 { return archsimd.LoadFloat32x4Array((*[4]float32)(p)) }

// store writes x to the four values from p on.
func store(p unsafe.Pointer, x f32x4) { x.StoreArray((*[4]float32)(p)) }

// spread4 returns x in all four lanes.
func spread4(x float32) f32x4 { return archsimd.BroadcastFloat32x4(x) }

// spreadAt returns the value at p in all four lanes.
func spreadAt(p unsafe.Pointer) f32x4 { return archsimd.BroadcastFloat32x4(*(*float32)(p)) }
