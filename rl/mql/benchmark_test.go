package mql_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/rl/benchmark"
	"nacre/rl/rltest"
)

// Cycles in float32 and in float64 have the figures of PyTorch in float64.
func TestBenchmark(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rltest.Benchmark(t, "mql", benchmark.MetaWorld, d, 3, 1e-4)
	rltest.Benchmark(t, "mql", benchmark.MetaWorld, ref.Device, 3, 1e-9)
}
