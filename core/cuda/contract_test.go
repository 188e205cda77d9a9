//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/internal/heavy"
)

// A GPU, the stand-in for one, does what core.Device promises, whoever multiplies matrices and in whatever order lanes,
// blocks and branches run.
func TestContract(t *testing.T) {
	heavy.Skip(t, "every operation on the stand-in for a GPU")
	gpu := fakecuda.Use(t)
	for order, products := range []string{"cublaslt", "own"} {
		t.Run(products, func(t *testing.T) {
			if order > 0 {
				heavy.Skip(t, "compiles all kernels once more for the processor's stand-in for a GPU")
			}
			gpu.Order(order)
			coretest.Run(t, func(t testing.TB) core.Device { return newDevice(t, cuda.Options{Products: products}) },
				coretest.Options{Allocates: true})
		})
	}
}
