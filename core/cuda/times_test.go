//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/gpu"
	"nacre/core/ref"
	"nacre/internal/heavy"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// Every launch of a program is timed, and those that draw its data; what is no program of a GPU has none.
func TestTimes(t *testing.T) {
	heavy.Skip(t, "compiles a whole update for the processor's stand-in for a GPU")
	fakecuda.Use(t)
	small := benchmark.Size{Name: "small", Obs: 5, Act: 3, Latent: 3, Hidden: 40, EncoderHidden: 24, Window: 8,
		RewardScale: 5}
	y, err := tclpearl.NewBenchmark(small, newDevice(t, cuda.Options{}))
	must(t, err)
	defer y.Close()
	pl, err := gpu.New(y.Program(), cuda.Planning(cuda.Options{}))
	must(t, err)
	b, err := y.Draw()
	must(t, err)
	defer b.Close()
	must(t, b.Make(1))
	run := b.(interface{ Runner() core.Runner }).Runner()
	us, err := cuda.Times(run, 2)
	must(t, err)
	if len(us) != len(pl.Units)+6 || us[len(us)-1] != 0 {
		t.Fatalf("%d times of %d launches and of 6 around them", len(us), len(pl.Units))
	}
	for i, x := range us[:len(us)-1] {
		// nothing else takes time on the stand-in
		if product := i >= 5 && pl.Units[i-5].Product != nil; product != (x > 0) {
			t.Errorf("launch %d took %g µs", i, x)
		}
	}
	must(t, b.Make(1)) // it still runs
	mem, err := ref.Device.NewMemory(y.Program().ParamSpecs())
	must(t, err)
	r, err := ref.Device.Load(y.Program(), mem)
	must(t, err)
	if _, err := cuda.Times(r, 1); err == nil {
		t.Error("a program of the reference has times on a GPU")
	}
}
