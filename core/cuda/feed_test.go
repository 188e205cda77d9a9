//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/rl/replay/mirror/mirrortest"
)

// What a GPU draws is what package replay draws, in any order of lanes, blocks and branches.
func TestFeedDrawsAsReplayDoes(t *testing.T) {
	gpu := fakecuda.Use(t)
	mirrortest.Run(t, func(t testing.TB) core.Device { return newDevice(t, cuda.Options{}) }, func(iteration int) { gpu.Order(iteration % 3) })
}

func TestNormals(t *testing.T) {
	fakecuda.Use(t)
	mirrortest.Normals(t, newDevice(t, cuda.Options{}))
}
