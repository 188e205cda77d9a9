package core_test

import (
	"math"
	"testing"

	"nacre/core/coretest"
	"nacre/core/cpu"
)

// The whole TCL-PEARL update in float32 on every kernel set this machine runs: the figures of the benchmark to 1e-4,
// the same bits with one worker and with three, whatever the size of the tiles.
func TestBenchmarkOnCPU(t *testing.T) {
	for _, kernel := range []string{"avx512", "avx2", "simd128", "go"} {
		for tile := 1; tile <= 3; tile++ {
			one := benchmarkOnCPU(t, cpu.Options{Kernel: kernel, Workers: 1}, tile)
			three := benchmarkOnCPU(t, cpu.Options{Kernel: kernel, Workers: 3}, tile)
			for step, got := range one {
				for name, want := range coretest.BenchmarkExpected[step] {
					if _, ok := got[name]; ok && !(math.Abs(got[name]-want) <= 1e-4*math.Abs(want)) {
						t.Errorf("%s, tiles of %d, update %d: %s = %.9g, want %.9g", kernel, tile, step, name,
							got[name], want)
					}
				}
				for name, x := range got {
					if three[step][name] != x {
						t.Errorf("%s, tiles of %d, update %d: %s = %.9g with three workers, %.9g with one", kernel,
							tile, step, name, three[step][name], x)
					}
				}
			}
		}
	}
}

// benchmarkOnCPU returns the figures of three updates; none if this machine does not run the kernel.
func benchmarkOnCPU(t *testing.T, o cpu.Options, tile int) (figures []map[string]float64) {
	t.Helper()
	d, err := cpu.New(o)
	if err != nil {
		t.Logf("%v", err)
		return nil
	}
	p := coretest.Benchmark(t)
	p.TileGroups, p.Lanes = tile, 2
	return coretest.BenchmarkFigures(t, d, p)
}
