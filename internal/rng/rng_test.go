package rng

import (
	"fmt"
	"math"
	"testing"
)

// The first outputs of splitmix64 from seed 0, as published with its reference implementation.
func TestMixIsSplitmix64(t *testing.T) {
	state := uint64(0)
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Mix(state); got != want {
			t.Errorf("output %d is %#x, want %#x", i, got, want)
		}
		state += 0x9e3779b97f4a7c15
	}
}

func TestAddressesGiveTheirOwnStreams(t *testing.T) {
	paths := [][]uint64{{}, {0}, {0, 0}, {1}, {1, 0}, {0, 1}, {2, 1}, {1, 2}}
	first := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 1 << 63} {
		for _, p := range paths {
			name := fmt.Sprint(seed, p)
			x := New(seed, p...).Uint64()
			if other, taken := first[x]; taken {
				t.Errorf("%s and %s start alike", name, other)
			}
			first[x] = name
			if again := New(seed, p...).Uint64(); again != x {
				t.Errorf("%s is not the same stream twice", name)
			}
		}
	}
}

// Neighbouring addresses are uncorrelated: over 20,000 pairs the correlation of their first normals stays within four
// standard errors of zero.
func TestNeighboursAreUncorrelated(t *testing.T) {
	const n = 20000
	var xy, xx float64
	for i := range uint64(n) {
		x, y := New(1, Rollout, i).NormFloat64(), New(1, Rollout, i+1).NormFloat64()
		xy, xx = xy+x*y, xx+x*x
	}
	if r := xy / xx; math.Abs(r) > 4/math.Sqrt(n) {
		t.Errorf("correlation %v", r)
	}
}

func Example() {
	r := New(7, Rollout, 3) // seed 7, rollouts, the third
	same := New(7, Rollout, 3)
	fmt.Println(r.Uint64() == same.Uint64(), r.Uint64() == New(7, Rollout, 4).Uint64())
	// Output: true false
}

func TestByIndex(t *testing.T) {
	const n = 100_000
	var sum, square float64
	for _, x := range Normal(1, n) {
		sum, square = sum+x, square+x*x
	}
	if mean := sum / n; math.Abs(mean) > 0.02 || math.Abs(square/n-1) > 0.02 {
		t.Errorf("normal: mean %g, second moment %g", mean, square/n)
	}
	sum = 0
	for _, x := range Uniform(1, n, -1, 3) {
		if x < -1 || x >= 3 {
			t.Fatalf("uniform in [-1,3): %g", x)
		}
		sum += x
	}
	if math.Abs(sum/n-1) > 0.02 {
		t.Errorf("uniform in [-1,3): mean %g", sum/n)
	}
}
