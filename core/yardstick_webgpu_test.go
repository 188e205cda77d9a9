package core_test

import (
	"errors"
	"math"
	"testing"

	"nacre/core"
	"nacre/core/webgpu"
)

// The whole TCL-PEARL update on the first adapter that WebGPU finds: the figures of the yardstick over three updates.
func TestYardstickOnWebGPU(t *testing.T) {
	d, err := webgpu.New(webgpu.Options{})
	if errors.Is(err, core.ErrUnusable) {
		t.Skipf("not tested: %v", err)
	}
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
