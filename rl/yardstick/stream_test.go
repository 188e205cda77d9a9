package yardstick

import (
	"math"
	"testing"
)

// The first outputs of splitmix64 from seed 0, as published with the generator; a counter that goes up by one instead of
// the generator's own step gives them at multiples of that step.
func TestMix(t *testing.T) {
	const step = 0x9e3779b97f4a7c15
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := mix(uint64(i) * step); got != want {
			t.Errorf("output %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestDistributions(t *testing.T) {
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
