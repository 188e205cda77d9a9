//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/internal/heavy"
	"nacre/rl/replay/feeding/feedingtest"
)

// What a GPU draws is what package replay draws, in any order of lanes, blocks and branches.
func TestFeedDrawsAsReplayDoes(t *testing.T) {
	heavy.Skip(t, "draws whole batches on the processor's stand-in for a GPU")
	gpu := fakecuda.Use(t)
	feedingtest.Run(t, func(t testing.TB) core.Device {
		return newDevice(t, cuda.Options{})
	}, func(iteration int) { gpu.Order(iteration % 3) })
}

func TestNormals(t *testing.T) {
	fakecuda.Use(t)
	feedingtest.Normals(t, newDevice(t, cuda.Options{}))
}

// Normals are the same where parts of their stream are entered at places that walks do not know, which hardly ever
// happens.
func TestFarEntries(t *testing.T) {
	heavy.Skip(t, "draws whole batches on the processor's stand-in for a GPU")
	fakecuda.Use(t)
	for _, n := range []int{1, 2} {
		undo := cuda.FewEntries(n)
		feedingtest.Normals(t, newDevice(t, cuda.Options{}))
		undo()
	}
}
