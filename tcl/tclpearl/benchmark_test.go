package tclpearl_test

import (
	"fmt"
	"testing"

	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/internal/heavy"
	"nacre/rl/benchmark"
	"nacre/rl/rltest"
	"nacre/tcl/tclpearl"
)

// The update's losses and gradient norms, in float64, equal those of an independent PyTorch program: values, all
// gradients, Adam, the key encoder's and the target network's moving averages (through later updates).
func TestReferenceEqualsPyTorch(t *testing.T) {
	heavy.Skip(t, "the reference takes half a minute at the sizes of the publications")
	rltest.Benchmark(t, "tcl-pearl", benchmark.Oyster, ref.Device, 3, 1e-9)
	rltest.Benchmark(t, "tcl-pearl", benchmark.MetaWorld, ref.Device, 1, 1e-9)
	rltest.Benchmark(t, "pearl", benchmark.Oyster, ref.Device, 1, 1e-9)
}

// The CPU's float32 agrees with the same figures to four digits, with every kernel this machine runs.
func TestCPUEqualsPyTorch(t *testing.T) {
	for _, kernel := range []string{"avx512", "avx512+bf16x3", "avx2", "simd128", "go"} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			d, err := cpu.New(cpu.Options{Workers: 2, Kernel: kernel})
			if err != nil {
				t.Skip(err)
			}
			if kernel == "go" || kernel == "avx512+bf16x3" {
				rltest.Benchmark(t, "tcl-pearl", benchmark.Oyster, d, 1, 1e-4)
				return
			}
			for _, size := range benchmark.Sizes {
				rltest.Benchmark(t, "tcl-pearl", size, d, 3, 1e-4)
				rltest.Benchmark(t, "pearl", size, d, 1, 1e-4)
			}
		})
	}
}

func ExampleNewBenchmark() {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := tclpearl.NewBenchmark(benchmark.Oyster, d)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer y.Close()
	figures, err := y.Update(0)
	fmt.Printf("KL %.1f, Q loss %.2f, TCL loss %.3f, %v\n", figures["kl"], figures["q_loss"], figures["tcl_loss"], err)
	// Output: KL 141.5, Q loss 49.98, TCL loss 2.773, <nil>
}
