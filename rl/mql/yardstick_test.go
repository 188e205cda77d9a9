package mql_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/rl/rltest"
	"nacre/rl/yardstick"
)

// Cycles in float32 and in float64 have the figures of PyTorch in float64.
func TestYardstick(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rltest.Yardstick(t, "mql", yardstick.MetaWorld, d, 3, 1e-4)
	rltest.Yardstick(t, "mql", yardstick.MetaWorld, ref.Device, 3, 1e-9)
}
