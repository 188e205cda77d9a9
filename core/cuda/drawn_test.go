//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"testing"

	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/internal/heavy"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// A benchmark's updates on data that the device draws are as many as are asked for, whatever the chunks, and go on from
// one another.
func TestBurst(t *testing.T) {
	heavy.Skip(t, "it compiles the same update three times for the processor's stand-in")
	fakecuda.Use(t)
	small := benchmark.Size{Name: "small", Obs: 5, Act: 3, Latent: 3, Hidden: 40, EncoderHidden: 24, Window: 8,
		RewardScale: 5}
	loss := func(bursts ...int) float64 {
		y, err := tclpearl.NewBenchmark(small, newDevice(t, cuda.Options{}))
		must(t, err)
		defer y.Close()
		b, err := y.Draw()
		must(t, err)
		defer b.Close()
		for _, n := range bursts {
			must(t, b.Make(n))
		}
		f, err := y.Update(0)
		must(t, err)
		return f["q_loss"]
	}
	whole, parts, fewer := loss(3), loss(1, 2), loss(2)
	if whole != parts || whole == fewer || whole != whole {
		t.Errorf("Q loss after 3 updates %g, after 1 and 2 more %g, after 2 %g", whole, parts, fewer)
	}
}
