// Package rng makes independent random streams from a seed and a path of numbers, so that every draw of a run has
// an address (seed, purpose, iteration, index) and needs no saved generator state: a resumed run makes the same
// draws, and so does a run with another number of workers.
//
//	r := rng.New(seed, rng.Rollout, uint64(iteration), uint64(episode))
//	x := r.NormFloat64()
package rng

import "math/rand/v2"

// Purposes keep streams of different uses apart. Append only: the values are part of what a seed means.
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

// Address is the state in which the generator of New starts. One more number p in the path makes a into mix(a ^ mix(p)),
// b into mix(b + mix(p ^ 0xbb67ae8584caa73b)), with the finaliser of splitmix64.
func Address(seed uint64, path ...uint64) (a, b uint64) {
	a, b = mix(seed), mix(seed^0x6a09e667f3bcc909)
	for _, p := range path {
		a = mix(a ^ mix(p))
		b = mix(b + mix(p^0xbb67ae8584caa73b))
	}
	return a, b
}

// mix is the splitmix64 finaliser (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
