//go:build linux && (amd64 || arm64) && !nogpu

package core_test

import (
	"testing"

	"nacre/core/coretest"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/internal/heavy"
)

// The whole TCL-PEARL update through the GPU's executor, on the stand-in for a GPU: the figures of the benchmark over
// three updates.
func TestBenchmarkOnCUDA(t *testing.T) {
	heavy.Skip(t, "compiles a whole update for the processor's stand-in for a GPU")
	fakecuda.Use(t)
	d, err := cuda.New(cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	coretest.JudgeBenchmark(t, d, 1e-4)
}
