package rltest

import (
	"math"
	"testing"

	"nacre/core"
	"nacre/internal/heavy"
	"nacre/rl"
	"nacre/rl/benchmark"
)

// Benchmark makes the first updates of an algorithm's benchmark and compares every number with that of other software.
// It is a heavy test.
func Benchmark(t *testing.T, algorithm string, size benchmark.Size, d core.Device, updates int, tolerance float64) {
	heavy.Skip(t, "updates at the sizes of the publications")
	t.Helper()
	a, err := rl.Lookup(algorithm)
	check(t, err)
	y, err := a.Benchmark(size, d)
	check(t, err)
	defer y.Close()
	if y.Algorithm() != algorithm || y.Size() != size {
		t.Errorf("it is the update of %s, size %s", y.Algorithm(), y.Size().Name)
	}
	largest := 0.0
	for step := range updates {
		got, err := y.Update(step)
		check(t, err)
		want := y.Expected(step)
		if len(got) != len(y.Names()) || len(want) != len(got) {
			t.Errorf("%d figures, %d names, %d expected", len(got), len(y.Names()), len(want))
		}
		for _, name := range y.Names() {
			difference := math.Abs(got[name]/want[name] - 1)
			if !(difference <= tolerance) {
				t.Errorf("%s on %s, size %s: %s of update %d is %.12g, other software has %.12g", algorithm, d.Name(),
					size.Name, name, step, got[name], want[name])
			}
			largest = max(largest, difference)
		}
	}
	t.Logf("%s on %s, size %s: largest relative difference %.1e", algorithm, d.Name(), size.Name, largest)
}
