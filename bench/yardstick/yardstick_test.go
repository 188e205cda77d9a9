package yardstick_test

import (
	"fmt"
	"math"
	"testing"

	"nacre/bench/yardstick"
	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
)

// The update's losses and gradient norms, in float64, equal those of an independent PyTorch program: values, all
// gradients, Adam, the key encoder's and the target network's moving averages (through later updates).
func TestReferenceEqualsPyTorch(t *testing.T) {
	compare(t, ref.Device, yardstick.Oyster, true, 3, 1e-9)
	compare(t, ref.Device, yardstick.MetaWorld, true, 1, 1e-9)
	compare(t, ref.Device, yardstick.Oyster, false, 1, 1e-9)
}

// The CPU's float32 agrees with the same figures to four digits, with every kernel this machine runs.
func TestCPUEqualsPyTorch(t *testing.T) {
	for _, kernel := range []string{"avx512", "avx512+bf16x3", "avx2", "simd128", "go"} {
		d, err := cpu.New(cpu.Options{Workers: 2, Kernel: kernel})
		if err != nil {
			t.Logf("not tested: %v", err)
			continue
		}
		if kernel == "go" || kernel == "avx512+bf16x3" {
			compare(t, d, yardstick.Oyster, true, 1, 1e-4)
			continue
		}
		for _, size := range yardstick.Sizes {
			compare(t, d, size, true, 3, 1e-4)
			compare(t, d, size, false, 1, 1e-4)
		}
	}
}

// compare makes updates and holds every figure against PyTorch's. It runs beside other comparisons.
func compare(t *testing.T, d core.Device, size yardstick.Size, withTCL bool, updates int, tolerance float64) {
	t.Run(fmt.Sprintf("%s/%s/tcl=%v", d.Name(), size.Name, withTCL), func(t *testing.T) {
		t.Parallel()
		y, err := yardstick.New(size, withTCL, d)
		if err != nil {
			t.Fatal(err)
		}
		defer y.Close()
		largest := 0.0
		for step := range updates {
			got, err := y.Update(step)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range y.Expected(step) {
				diff := math.Abs(got[name]-want) / math.Abs(want)
				if !(diff <= tolerance) {
					t.Errorf("update %d: %s = %.12g, PyTorch has %.12g, relative difference %.1e", step, name, got[name], want, diff)
				}
				largest = max(largest, diff)
			}
		}
		t.Logf("largest relative difference %.1e", largest)
	})
}

func Example() {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := yardstick.New(yardstick.Oyster, true, d)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer y.Close()
	figures, err := y.Update(0)
	fmt.Printf("KL %.1f, Q loss %.2f, TCL loss %.3f, %v\n", figures["kl"], figures["q_loss"], figures["tcl_loss"], err)
	// Output: KL 141.5, Q loss 49.98, TCL loss 2.773, <nil>
}
