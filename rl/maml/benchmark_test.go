package maml_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/rl/benchmark"
	"nacre/rl/rltest"
)

// The meta-update in float32 has the figures of PyTorch in float64. In float64 nacre bench update --algo maml --check
// compares them to 1e-7, which takes the reference minutes.
func TestBenchmark(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rltest.Benchmark(t, "maml", benchmark.Oyster, d, 1, 1e-4)
}
