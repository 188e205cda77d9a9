package webgpu_test

import (
	"errors"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/webgpu"
	"nacre/rl/replay/mirror/mirrortest"
)

// newDevice makes a device on the first adapter, or skips the test where there is none.
func newDevice(t testing.TB) core.Device {
	t.Helper()
	d, err := webgpu.New(webgpu.Options{})
	var missing *webgpu.Error
	if errors.As(err, &missing) && (missing.Fault == webgpu.NoLibrary || missing.Fault == webgpu.NoDevice) {
		t.Skipf("not tested: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tolerance is what a result may be off by, as on CUDA.
const tolerance = 3e-5

func TestContract(t *testing.T) {
	coretest.Run(t, newDevice, coretest.Options{Tolerance: tolerance, Allocates: true})
}

// What a GPU draws is what package replay draws.
func TestFeedDrawsAsReplayDoes(t *testing.T) {
	d := newDevice(t) // one for all: its kernels are compiled once
	mirrortest.Run(t, func(testing.TB) core.Device { return d }, nil)
}

func TestNormals(t *testing.T) { mirrortest.Normals(t, newDevice(t)) }
