package sim_test

import (
	"runtime"
	"testing"

	"nacre/sim"
)

func TestSpareProcessor(t *testing.T) {
	n := runtime.GOMAXPROCS(0)
	have := func(want int, when string) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("GOMAXPROCS %s: %d, expected %d", when, got, want)
		}
	}
	few := sim.SpareProcessor(n - 1)
	have(n, "with an idle processor")
	one := sim.SpareProcessor(n)
	have(n+1, "with all busy")
	two := sim.SpareProcessor(n + 2)
	have(n+1, "with two callers")
	one()
	one()
	have(n+1, "when one of them is done")
	few()
	two()
	have(n, "when both are")

	release := sim.SpareProcessor(n)
	runtime.GOMAXPROCS(n + 5)
	release()
	have(n+5, "when another set it meanwhile")
	runtime.GOMAXPROCS(n)
}
