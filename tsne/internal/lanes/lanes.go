// Package lanes holds the inner loops of t-SNE on vectors of 16 float32 lanes: generated AVX-512 and AVX2 assembly,
// Go's own vectors of 128 bits in WebAssembly and on arm64, and the same in plain Go. All sets give the same bits, on
// every machine and in WebAssembly: the order of every sum is part of a kernel's definition, nothing is fused and
// nothing is estimated. Plain Go is the definition; it rounds every product (float32(a*b)) so that no compiler fuses
// it.
//
//	k, err := lanes.Select("")  // the fastest here, or what NACRE_CPU names
//	k.Near(&lanes.NearArgs{Block: block, Q: q, Limit: limit})
package lanes

import (
	"cmp"
	"fmt"
	"os"
	"strings"
)

// Width is the number of lanes of every kernel; a kernel for shorter vectors computes them in several steps.
const Width = 16

// Vec is one value per lane.
type Vec [Width]float32

// Set is one implementation of all kernels. Arguments are checked by none of them: slices must be as long as stated.
type Set struct {
	Name string // "avx512", "avx2", "simd128" or "go"

	Repel     func(*RepelArgs)
	Attract   func(*AttractArgs)
	Near      func(*NearArgs)
	Forward   [5]func(*StageArgs) // by radix: 2, 3, 4
	Inverse   [5]func(*StageArgs)
	Scale     func(*ScaleArgs)
	Split     func(*SplitArgs)
	Join      func(*SplitArgs)
	Transpose func(*TransposeArgs)
	Spread    func(*SplineArgs)
	Gather    func(*SplineArgs)
	Move      func(*MoveArgs)
}

// RepelArgs describe 16 points and Count·16 others. For every pair, with d the difference and w = 1/(1+|d|²), w²·d is
// added to F and taken from OF, and w is added to Z. In step r of 16, lane l meets lane (l+r) mod 16 of each group.
type RepelArgs struct {
	X, Y, FX, FY, Z  *Vec
	OX, OY, OFX, OFY *Vec // each points to the first of Count vectors
	Count            int
}

// AttractArgs describe rows of a sparse matrix of affinities. Row r belongs to the point at Own[2r], Own[2r+1]; it has
// the entries of Col and Val from 16·Ptr[r] to 16·Ptr[r+1]. Y holds all positions, two values each. Out[2r], Out[2r+1]
// become Σ v·d/(1+|d|²), summed in 16 lanes, then across them by halves.
type AttractArgs struct {
	Y, Own   []float32
	Ptr, Col []int32
	Val, Out []float32
}

// NearArgs describe four queries and 16 points. Block holds the points by dimension, Q the queries, with four values
// for each dimension. Out gets the squared distances. Bit l of Mask[q] is set if the squared distance of point l to
// query q is below Limit[q].
type NearArgs struct {
	Block []Vec
	Q     []float32
	Limit [4]float32
	Mask  [4]uint32
	Out   [4]Vec
}

// StageArgs describe one stage of 16 complex transforms of length len(Re), one per lane: butterflies inside blocks of
// length L. Tw holds radix−1 complex factors for each of the L/radix butterflies. Forward stages are decimated in
// frequency (factors after the butterfly); inverse stages undo them, up to the factor radix.
type StageArgs struct {
	Re, Im []Vec
	L      int
	Tw     []float32
}

// ScaleArgs multiplies Re and Im by K.
type ScaleArgs struct{ Re, Im, K []Vec }

// SplitArgs separate two real transforms that were computed as one complex transform, the first as its real part and
// the second as its imaginary part. Row r of the half spectrum of the first goes to Half[r] (real) and Half[16+r]
// (imaginary), row r of the second to Half[32+r] and Half[48+r]. At[2r] and At[2r+1] are the places of the frequencies
// k and −k in Re and Im. Join is the opposite direction.
type SplitArgs struct {
	Re, Im []Vec
	At     []int32
	Half   *[4 * Width]Vec
}

// TransposeArgs writes the transposed 16 rows of Src to Dst.
type TransposeArgs struct{ Dst, Src *[Width]Vec }

// SplineArgs describe points on a grid with Stride values in a row. U holds two grid coordinates for each point. A node
// has whole coordinates. The kernels touch 8 values in a row, beginning 2 nodes before the point, and all 8 must lie on
// the grid. So a coordinate is at least 2, and not too near the other end.
//
// Spread adds to Grid the B-spline of order 6 of every point, in their order. Gather reads Grid at the points. Out gets
// four values for each point: the spline's value, its derivatives by x and y, and one without a meaning. The point's
// own contribution is subtracted from these four values. Self is the table of this contribution over one cell, with
// (SelfSteps+1)² entries of four values; it is interpolated bilinearly.
type SplineArgs struct {
	Grid   []float32
	Stride int
	U      []float32
	Self   []float32
	Out    []float32
	//lint:ignore U1000 the assembly writes it
	scratch [2]Vec
}

// SelfSteps is the number of intervals of SplineArgs.Self along each side of a cell.
const SelfSteps = 16

// MoveArgs describe one step of gradient descent with gains, for points with two coordinates side by side. The slices
// have the same length, a multiple of 16. With g = Exaggeration·Att − InvZ·Rep this happens for each coordinate:
//   - Gain grows by 0.2 if g and Step have opposite signs; otherwise it shrinks to 0.8 of itself, but not below 0.01.
//   - Step becomes Momentum·Step − Rate·Gain·g.
//   - If the step of the point is longer than Clip, it is shortened to Clip.
//   - Step is added to Y.
type MoveArgs struct {
	Y, Step, Gain, Att, Rep                  []float32
	Exaggeration, InvZ, Momentum, Rate, Clip float32
}

// Environment is the variable that chooses the kernels if Select gets no name.
const Environment = "NACRE_CPU"

// Available lists the sets this machine runs, the fastest first.
func Available() []*Set { return append(native(), &plain) }

// Select returns the named set. For "" it returns the set that Environment names or, if that is empty too, the fastest.
func Select(name string) (*Set, error) {
	name = cmp.Or(name, os.Getenv(Environment))
	sets := Available()
	if name == "" {
		return sets[0], nil
	}
	var names []string
	for _, s := range sets {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("kernels %q: this machine runs %s", name, strings.Join(names, ", "))
}
