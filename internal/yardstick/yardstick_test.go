package yardstick_test

import (
	"fmt"
	"math"
	"testing"

	"nacre/core/ref"
	"nacre/internal/yardstick"
)

// The update's losses and gradient norms, in float64, equal those of an independent PyTorch program: values, all
// gradients, Adam, the key encoder's and the target network's moving averages (through later updates).
func TestReferenceEqualsPyTorch(t *testing.T) {
	for _, size := range yardstick.Sizes {
		for _, withTCL := range []bool{true, false} {
			updates := 1
			if size.Name == "oyster" && withTCL {
				updates = 3
			}
			compare(t, size, withTCL, updates)
		}
	}
}

func compare(t *testing.T, size yardstick.Size, withTCL bool, updates int) {
	y, err := yardstick.New(size, withTCL, ref.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	for step := range updates {
		got, err := y.Update(step)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range y.Expected(step) {
			if diff := math.Abs(got[name]-want) / math.Abs(want); !(diff <= 1e-9) {
				t.Errorf("%s %s update %d: %s = %.12g, PyTorch has %.12g, relative difference %.1e",
					y.Algorithm(), size.Name, step, name, got[name], want, diff)
			}
		}
	}
}

func Example() {
	y, err := yardstick.New(yardstick.Oyster, true, ref.Device)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer y.Close()
	f, err := y.Update(0)
	fmt.Printf("KL %.4f, Q loss %.4f, TCL loss %.4f, %v\n", f["kl"], f["q_loss"], f["tcl_loss"], err)
	// Output: KL 141.4695, Q loss 49.9809, TCL loss 2.7726, <nil>
}
