package oracle_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/rl/benchmark"
	"nacre/rl/rltest"
)

// Updates in float32 and in float64 have the figures of PyTorch in float64.
func TestBenchmark(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rltest.Benchmark(t, "oracle", benchmark.MetaWorld, d, 3, 1e-4)
	rltest.Benchmark(t, "oracle", benchmark.Oyster, ref.Device, 2, 1e-9)
}
