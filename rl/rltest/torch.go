package rltest

import (
	"math"
	"testing"

	"nacre/core"
)

// Near compares an output of a program in float64 with the numbers that an independent PyTorch program gave: to 1e-9,
// relative to numbers above 1.
func Near(t *testing.T, run core.Runner, output string, want []float64) {
	t.Helper()
	got := make([]float64, len(want))
	check(t, run.Read64(output, got))
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-9*max(1, math.Abs(want[i]))) {
			t.Errorf("%s %d is %.15g, PyTorch's %.15g", output, i, got[i], want[i])
		}
	}
}
