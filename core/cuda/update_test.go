//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"math"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

var must = fatal.On

func newDevice(t testing.TB, o cuda.Options) core.Device {
	t.Helper()
	d, err := cuda.New(o)
	must(t, err)
	return d
}

// The full-sized update agrees with the figures of an independent PyTorch program in float64.
func TestBenchmark(t *testing.T) {
	heavy.Skip(t, "the processor's stand-in computes an update of oyster's size")
	fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	y, err := tclpearl.NewBenchmark(benchmark.Oyster, d)
	must(t, err)
	defer y.Close()
	got, err := y.Update(0)
	must(t, err)
	for name, want := range y.Expected(0) {
		if diff := math.Abs(got[name]/want - 1); !(diff <= 1e-5) {
			t.Errorf("%s = %.9g, want %.9g", name, got[name], want)
		}
	}
}
