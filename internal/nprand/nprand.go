// Package nprand draws the numbers of NumPy's legacy generator, so that lists of tasks that were published as a NumPy
// seed are equal here to the last bit.
//
//	r := nprand.New(1337)
//	v := r.Uniform(0, 3) // numpy.random.RandomState(1337).uniform(0, 3)
package nprand

import "gonum.org/v1/gonum/mathext/prng"

// Rand is numpy.random.RandomState, or NumPy's global generator after numpy.random.seed.
type Rand struct{ mt *prng.MT19937 }

// New returns the generator that NumPy makes from an integer seed.
func New(seed uint32) *Rand {
	mt := prng.NewMT19937()
	mt.Seed(uint64(seed))
	return &Rand{mt}
}

// Float64 returns the next double in [0,1): 27 and 26 bits of two words of the Mersenne Twister.
func (r *Rand) Float64() float64 {
	high, low := r.mt.Uint32()>>5, r.mt.Uint32()>>6
	return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
}

// Uniform returns the next double in [low, high).
func (r *Rand) Uniform(low, high float64) float64 {
	// The conversion prevents processors from fusing the product into the sum.
	return low + float64((high-low)*r.Float64())
}
