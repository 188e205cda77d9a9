package cpu

import "fmt"

// gemmArgs tells a matrix kernel which block to compute. Strides are in bytes. The assembly reads the fields by
// offset, so their order is fixed here and in gen.
type gemmArgs struct {
	k    int64    // terms of each sum, ≥ 1
	a    *float32 // first element of A used by the block
	lda  int64    // from a row of A to the next
	b    *float32 // first element of B used by the block
	ldb  int64
	c    *float32
	ldc  int64
	aux  *float32 // bias at the block's first column, or the block's place in the mask matrix, which has C's stride
	mode gemmMode
	next *float32 // memory of which every round of terms fetches a piece into the second-level cache,
	step int64    // and the bytes from a piece to the next
	then *float32 // the next block of C, fetched in the same way together with its block of the mask
}

// gemmMode says what happens to a product before it is stored.
type gemmMode int64

const (
	gemmStore    gemmMode = iota
	gemmBias              // + bias
	gemmBiasReLU          // max(0, · + bias)
	gemmMask              // kept if the mask matrix is positive, else 0
	gemmAdd               // added to C
)

// vecArgs describes an elementwise operation over a matrix of rows of 16-value chunks. Strides are in bytes.
type vecArgs struct {
	rows, chunks int64
	dst          *float32
	ldd          int64
	a            *float32
	lda          int64
	stepA        int64    // from a chunk to the next: 64, or 0 for a column spread over bufA
	colA         *float32 // the first value of a column, or nil
	ldColA       int64
	b            *float32
	ldb          int64
	stepB        int64
	colB         *float32
	ldColB       int64
	s0, s1       float32
	mask         [16]uint32 // of a row's last chunk: all ones for columns that exist
	bufA, bufB   [16]float32
}

// sumArgs describes a sum over rows.
type sumArgs struct {
	rows int64
	src  *float32
	ld   int64 // bytes
	dst  *float32
	cols int64 // multiple of 16
	add  int64 // 1: add to dst, 0: overwrite it
}

// adamArgs describes an Adam step over n consecutive values, n a multiple of 16.
type adamArgs struct {
	n          int64
	w, g, m, v *float32
	b1, omb1   float32 // β₁, 1-β₁
	b2, omb2   float32 // β₂, 1-β₂
	step, eps  float32 // LR/(1-β₁ᵗ), ε
	scale      float32 // 1/(1-β₂ᵗ)
}

// emaArgs describes dst = keep·dst + take·src over n consecutive values, n a multiple of 16.
type emaArgs struct {
	n          int64
	dst, src   *float32
	keep, take float32
}

// squareArgs describes the sum of the squares of n values, n a multiple of 16. It is the sum of the elements of sum,
// some of which a kernel leaves zero.
type squareArgs struct {
	n   int64
	src *float32
	sum [8]float64
}

// laneArgs describes a sum over lanes: dst = the sum of the n values of each lane. n is a multiple of 16. At least two
// lanes are added in their order.
type laneArgs struct {
	n      int64
	dst    *float32
	src    *float32 // of the first lane
	stride int64    // bytes from a lane to the next
	lanes  int64
}

// transposeArgs describes a copy of columns to rows. Some rows are copied, and each column becomes a row of as many
// values.
type transposeArgs struct {
	src  *float32
	lds  int64 // bytes
	dst  *float32
	ldd  int64 // bytes
	cols int64
	rows int64 // number of rows; assembly always takes 16 and does not read it
}

// peakArgs says how many rounds of multiply-adds to run.
type peakArgs struct{ n int64 }

// colBlock is a family of matrix kernels that compute the same number of columns of C.
type colBlock struct {
	width int
	few   int        // if not 0, the kernels are only for products of at most this many rows
	rows  []rowBlock // most rows first; the last has one
}

// rowBlock is a pair of kernels that hold a number of rows of C.
type rowBlock struct {
	rows             int
	kernel, kernelTA func(*gemmArgs) // for A, and for A transposed
}

// kernels is one implementation of everything the executor runs in its inner loops.
type kernels struct {
	name   string
	blocks []colBlock // widest first; the last is 16 wide
	// for a C of one column, in the modes store, bias and biasrelu; the padding must be zero in B and the bias. May be
	// nil.
	single *colBlock

	add, sub, mul, div, min, max, reluGrad func(*vecArgs)
	affine, clamp                          func(*vecArgs)
	less, tanhGrad, clampGrad              func(*vecArgs)
	exp, log, tanh, sigmoid, softplus      func(*vecArgs)
	colSum                                 func(*sumArgs)
	adam                                   func(*adamArgs)
	ema                                    func(*emaArgs)
	squares                                func(*squareArgs)
	sumLanes                               func(*laneArgs)
	transpose                              func(*transposeArgs)

	half *halfKernels // for products in bfloat16, or nil

	peak      func(*peakArgs)
	peakFlops float64 // of one round of peak

	// flopsPerNano and elemsPerNano are rough speeds of one core, by which the executor decides what is worth waking
	// another worker for.
	flopsPerNano, elemsPerNano float64
}

// selectKernels returns the kernels of a name. If the name is empty, it returns the fastest that this machine runs.
func selectKernels(name string) (*kernels, error) {
	sets := available()
	if name == "" {
		return sets[0], nil
	}
	sets = append(sets, inHalves()...)
	names := ""
	for i, k := range sets {
		if k.name == name {
			return k, nil
		}
		if i > 0 {
			names += ", "
		}
		names += k.name
	}
	switch name {
	case "avx512", "avx2", "avx512+bf16x3", "avx512+bf16":
		return nil, fmt.Errorf("cpu: kernel %q is not supported by this processor (available: %s)", name, names)
	case "simd128":
		return nil, fmt.Errorf("cpu: kernel %q is for WebAssembly and arm64, in programs built with Go 1.27 and "+
			"GOEXPERIMENT=simd (available: %s)", name, names)
	}
	return nil, fmt.Errorf("cpu: unknown kernel %q (available: %s)", name, names)
}

// available lists the kernels in float32 that this machine runs, fastest first.
func available() []*kernels { return append(native(), &goKernels) }
