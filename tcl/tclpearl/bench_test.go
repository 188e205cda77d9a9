package tclpearl_test

import (
	"testing"

	"nacre/core/cpu"
	"nacre/rl/yardstick"
	"nacre/tcl/tclpearl"
)

// BenchmarkUpdate times a TCL-PEARL update on the CPU and sets it beside the machine's multiply-add peak, measured in
// the same process: share is of the peak of all workers.
func BenchmarkUpdate(b *testing.B) {
	for _, size := range yardstick.Sizes {
		for _, workers := range []int{1, 2} {
			b.Run(size.Name+"/workers="+string(rune('0'+workers)), func(b *testing.B) {
				d, err := cpu.New(cpu.Options{Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				y, err := tclpearl.NewYardstick(size, d)
				if err != nil {
					b.Fatal(err)
				}
				defer y.Close()
				if err := y.Prepare(0); err != nil {
					b.Fatal(err)
				}
				peak, err := cpu.Peak("")
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := y.Run(); err != nil {
						b.Fatal(err)
					}
				}
				rate := float64(y.Program().FLOPs()) * float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(rate/1e9, "GFLOP/s")
				b.ReportMetric(100*rate/(peak*1e9*float64(workers)), "%peak")
			})
		}
	}
}
