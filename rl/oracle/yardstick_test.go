package oracle_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/rl/rltest"
	"nacre/rl/yardstick"
)

// Updates in float32 and in float64 have the figures of PyTorch in float64.
func TestYardstick(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rltest.Yardstick(t, "oracle", yardstick.MetaWorld, d, 3, 1e-4)
	rltest.Yardstick(t, "oracle", yardstick.Oyster, ref.Device, 2, 1e-9)
}
