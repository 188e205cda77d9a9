//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package programs_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/core/webgpu"
	"nacre/experiment/programs"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/rl"
	"nacre/rl/benchmark"
	"nacre/rl/replay/feeding/feedingtest"
	"nacre/rl/rltest"
)

// wholeVariable asks for what takes many minutes: benchmarks at full size, and everything in the browser too.
const wholeVariable = "NACRE_WEBGPU_WHOLE"

var shared core.Device

// newDevice is one device on the first adapter for all tests, as it compiles what they have in common once. The test is
// skipped where there is no adapter.
func newDevice(t testing.TB) core.Device {
	t.Helper()
	if shared != nil {
		return shared
	}
	d, err := webgpu.New(webgpu.Options{})
	var missing *webgpu.Error
	if errors.As(err, &missing) && (missing.Fault == webgpu.NoLibrary || missing.Fault == webgpu.NoDevice) {
		t.Skipf("not tested: %v", err)
	}
	must(t, err)
	shared = d
	return d
}

var must = fatal.On

// What a GPU draws is what package replay draws.
func TestFeedDrawsAsReplayDoes(t *testing.T) { feedingtest.Run(t, newDevice, nil) }

func TestNormals(t *testing.T) { feedingtest.Normals(t, newDevice(t)) }

// Every program of every algorithm, run twice, agrees with the reference in outputs, parameters and the optimiser's
// state, and is the same bits when it is run again.
func TestPrograms(t *testing.T) {
	heavy.Skip(t, "compiling all kernels takes a while")
	d := newDevice(t)
	for _, of := range programs.All(t) {
		t.Run(of.Algorithm, func(t *testing.T) {
			worst := 0.0
			for _, p := range of.Programs {
				params, inputs := programs.Content(t, p, of.Memory)
				want := programs.Execute(t, ref.Device, p, params, inputs, 2)
				got := programs.Execute(t, d, p, params, inputs, 2)
				for entry, e := range programs.Differences(got, want) {
					worst = max(worst, e)
					if !(e <= 5e-5) {
						t.Errorf("%s: %s is off by %.1e", p.Name, entry, e)
					}
				}
				if !strings.HasSuffix(p.Name, "update") {
					continue
				}
				for entry, x := range programs.Execute(t, d, p, params, inputs, 2) {
					if e := programs.Difference(x, got[entry]); e != 0 {
						t.Errorf("%s: %s is another by %.1e the second time", p.Name, entry, e)
					}
				}
			}
			t.Logf("%d programs, largest error %.1e", len(of.Programs), worst)
		})
	}
}

// The same at the sizes of the publications, of every algorithm that has a benchmark.
func TestBenchmarksInFull(t *testing.T) {
	if os.Getenv(wholeVariable) == "" {
		t.Skip("compiles the programs of the publications' sizes: set " + wholeVariable)
	}
	d := newDevice(t)
	for _, name := range rl.Names() {
		a, err := rl.Lookup(name)
		must(t, err)
		if a.Benchmark == nil {
			continue
		}
		for _, size := range benchmark.Sizes {
			t.Run(name+"/"+size.Name, func(t *testing.T) { rltest.Benchmark(t, name, size, d, 1, 1e-4) })
		}
	}
}
