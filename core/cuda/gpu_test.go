//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"math"
	"os"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/cuda"
	"nacre/core/ref"
	"nacre/experiment/programs"
	"nacre/rl/benchmark"
	"nacre/rl/replay/feeding/feedingtest"
	"nacre/tcl/tclpearl"
)

// TestGPU is for a machine with an NVIDIA GPU, where NACRE_TEST_GPU is set: every program of every algorithm as
// TestPrograms checks it on the stand-in, repetitions for other orders, the contract of core.Device, what is drawn,
// then 200 small updates beside the reference's.
func TestGPU(t *testing.T) {
	if os.Getenv("NACRE_TEST_GPU") == "" {
		t.Skip("runs on an NVIDIA GPU: set NACRE_TEST_GPU=1")
	}
	info, err := cuda.Probe(0)
	must(t, err)
	t.Logf("%+v", info)
	for _, of := range programs.All(t) {
		for _, p := range of.Programs {
			t.Run(of.Algorithm+"/"+p.Name, func(t *testing.T) {
				checkProgram(t, nil, p, of.Memory, cuda.Options{})
				checkProgram(t, nil, p, of.Memory, cuda.Options{Products: "own"})
			})
		}
	}
	for _, products := range []string{"cublaslt", "own"} {
		t.Run("contract/"+products, func(t *testing.T) {
			open := func(t testing.TB) core.Device { return newDevice(t, cuda.Options{Products: products}) }
			coretest.Run(t, open, coretest.Options{Tolerance: tolerance, Allocates: true})
		})
	}
	t.Run("drawing", func(t *testing.T) {
		t.Run("normals", func(t *testing.T) { feedingtest.Normals(t, newDevice(t, cuda.Options{})) })
		feedingtest.Run(t, func(t testing.TB) core.Device { return newDevice(t, cuda.Options{}) }, nil)
	})
	t.Run("trajectory", trajectory)
}

// trajectory follows the losses of 200 updates. Rounding grows along the way, so the reference in float32's place is
// the reference itself: a loss may be off by a thousandth at the end.
func trajectory(t *testing.T) {
	small := benchmark.Size{Name: "small", Obs: 5, Act: 3, Latent: 3, Hidden: 40, EncoderHidden: 24, Window: 8,
		RewardScale: 5}
	want, err := tclpearl.NewBenchmark(small, ref.Device)
	must(t, err)
	defer want.Close()
	got, err := tclpearl.NewBenchmark(small, newDevice(t, cuda.Options{}))
	must(t, err)
	defer got.Close()
	for step := range 200 {
		w, err := want.Update(step)
		must(t, err)
		g, err := got.Update(step)
		must(t, err)
		for _, name := range []string{"kl", "q_loss", "tcl_loss", "v_loss"} {
			if e := math.Abs(g[name]/w[name] - 1); !(e <= 1e-5*float64(step+10)) {
				t.Fatalf("update %d: %s = %g, the reference has %g", step+1, name, g[name], w[name])
			}
		}
	}
}
