//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu_test

import (
	"errors"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/webgpu"
	"nacre/internal/fatal"
)

// openDevice makes a device on the first adapter, or skips the test if there is none.
func openDevice(t testing.TB) core.Device {
	t.Helper()
	d, err := webgpu.New(webgpu.Options{})
	var missing *webgpu.Error
	if errors.As(err, &missing) && (missing.Fault == webgpu.NoLibrary || missing.Fault == webgpu.NoDevice) {
		t.Skipf("not tested: %v", err)
	}
	must(t, err)
	return d
}

var shared core.Device

// newDevice is one device for all tests: it compiles what they have in common once.
func newDevice(t testing.TB) core.Device {
	t.Helper()
	if shared == nil {
		shared = openDevice(t)
	}
	return shared
}

var must = fatal.On

// tolerance is the largest allowed error of a result, as on CUDA.
const tolerance = 3e-5

func TestContract(t *testing.T) {
	coretest.Run(t, newDevice, coretest.Options{Tolerance: tolerance, Allocates: true})
}

// The figures of the benchmark over three updates.
func TestBenchmark(t *testing.T) { coretest.JudgeBenchmark(t, newDevice(t), 1e-4) }

// A GPU that is taken away in the middle of training is an error of every call from then on; so is a text that is no
// shader, with the compiler's words.
func TestLost(t *testing.T) {
	d := openDevice(t)
	var e *webgpu.Error
	if err := webgpu.Compile(d, "fn main() { let x = ; }"); !errors.As(err, &e) || e.Fault != webgpu.Compiling ||
		!strings.Contains(e.Detail, "expected") && !strings.Contains(e.Detail, "missing initializer") {
		t.Errorf("a broken shader: %v", err)
	}
	p, err := coretest.Update()
	must(t, err)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	run, err := d.Load(p, mem)
	must(t, err)
	must(t, run.Run())
	must(t, mem.Read("policy/b", make([]float64, 4)))
	webgpu.Lose(d)
	run.Run() // may be given before the loss is known
	for what, err := range map[string]error{"reading": mem.Read("policy/b", make([]float64, 4)), "running": run.Run()} {
		if !errors.As(err, &e) || e.Fault != webgpu.LostGPU {
			t.Errorf("%s after the GPU is gone: %v", what, err)
		}
	}
	must(t, run.Close())
}
