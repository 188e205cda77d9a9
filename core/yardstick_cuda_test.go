//go:build linux && (amd64 || arm64) && !nogpu

package core_test

import (
	"math"
	"testing"

	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
)

// The whole TCL-PEARL update through the GPU's executor, on the stand-in for a GPU: the figures of the yardstick over
// three updates.
func TestYardstickOnCUDA(t *testing.T) {
	fakecuda.Use(t)
	d, err := cuda.New(cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for step, got := range yardstickOn(t, d, tclPearl(t)) {
		for name, want := range yardstick[step] {
			if x, ok := got[name]; !ok || !(math.Abs(x-want) <= 1e-4*math.Abs(want)) {
				t.Errorf("update %d: %s = %.9g, want %.9g", step, name, x, want)
			}
		}
	}
}
