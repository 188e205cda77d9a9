// Package rng makes independent random streams from a seed and a path of numbers, so that every draw of a run has
// an address (seed, purpose, iteration, index) and needs no saved generator state: a resumed run makes the same
// draws, and so does a run with another number of workers.
//
//	r := rng.New(seed, rng.Rollout, uint64(iteration), uint64(episode))
//	x := r.NormFloat64()
//
// The benchmarks compare updates with those of other languages. All of these make the numbers of Uniform and Normal
// alike.
package rng

import (
	"math"
	"math/rand/v2"
)

// Purposes keep streams of different uses apart. Append only: their values decide which numbers a seed gives.
const (
	Init uint64 = iota + 1
	Tasks
	Rollout
	Reset
	Replay
	Latent
	Action
	Window
	Eval
	TSNE
	Bootstrap
)

// New returns the stream at the given path under seed. Equal arguments give equal streams.
func New(seed uint64, path ...uint64) *rand.Rand {
	a, b := Address(seed, path...)
	return rand.New(rand.NewPCG(a, b))
}

// Address is the state in which the generator of New starts. Each number p of the path replaces the state (a, b) by
// Mix(a ^ Mix(p)) and Mix(b + Mix(p ^ 0xbb67ae8584caa73b)).
func Address(seed uint64, path ...uint64) (a, b uint64) {
	a, b = Mix(seed), Mix(seed^0x6a09e667f3bcc909)
	for _, p := range path {
		a = Mix(a ^ Mix(p))
		b = Mix(b + Mix(p^0xbb67ae8584caa73b))
	}
	return a, b
}

// Mix is splitmix64's output for a counter (Steele, Lea and Flood 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uniform returns n numbers that any language makes alike from a stream and their index: u_i = lo +
// (hi−lo)·2⁻⁵³·⌊Mix(Mix(stream)+i) / 2¹¹⌋.
func Uniform(stream uint64, n int, lo, hi float64) []float64 {
	base := Mix(stream)
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*(float64(Mix(base+uint64(i))>>11)*0x1p-53)
	}
	return x
}

// Normal returns such n numbers by Box and Muller: √(−2 ln(1−u_2i))·cos(2π·u_2i+1), u uniform below 1.
func Normal(stream uint64, n int) []float64 {
	u := Uniform(stream, 2*n, 0, 1)
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sqrt(-2*math.Log1p(-u[2*i])) * math.Cos(2*math.Pi*u[2*i+1])
	}
	return x
}
