package rl2_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/rl/benchmark"
	"nacre/rl/rltest"
)

// Epochs in float32 have the figures of PyTorch in float64. Those in float64 are compared by nacre bench update --algo
// rl2 --check: the reference takes seconds for them.
func TestBenchmark(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rltest.Benchmark(t, "rl2", benchmark.Oyster, d, 3, 1e-4)
}
