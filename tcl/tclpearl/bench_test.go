package tclpearl_test

import (
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/benchmark"
	"nacre/tcl"
	"nacre/tcl/tclpearl"
)

// BenchmarkUpdate times a TCL-PEARL update on the CPU and sets it beside the machine's multiply-add peak, measured in
// the same process: share is of the peak of all workers.
func BenchmarkUpdate(b *testing.B) {
	for _, size := range benchmark.Sizes {
		for _, workers := range []int{1, 2} {
			b.Run(size.Name+"/workers="+string(rune('0'+workers)), func(b *testing.B) {
				d, err := cpu.New(cpu.Options{Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				y, err := tclpearl.NewBenchmark(size, d)
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

// BenchmarkAuthors times an update of the authors' presets at their sizes, on Meta-World's 12 observations.
func BenchmarkAuthors(b *testing.B) {
	for _, preset := range []string{"authors/pearl", "authors/pearl-windows", "authors/tcl-pearl", "paper/ml1"} {
		b.Run(preset, func(b *testing.B) {
			c, err := rl.Preset(preset)
			if err != nil {
				b.Fatal(err)
			}
			program, specs := wholeUpdate(b, c)
			d, err := cpu.New(cpu.Options{Workers: 2})
			if err != nil {
				b.Fatal(err)
			}
			mem, err := d.NewMemory(specs)
			if err != nil {
				b.Fatal(err)
			}
			run, err := d.Load(program, mem)
			if err != nil {
				b.Fatal(err)
			}
			defer run.Close()
			for b.Loop() {
				if err := run.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(program.FLOPs())/1e9, "GFLOP")
		})
	}
}

// wholeUpdate is the update program of a configuration, with its parameters.
func wholeUpdate(tb testing.TB, c rl.Config) (*core.Program, []core.ParamSpec) {
	tb.Helper()
	p := pearl.Of(c)
	nets := pearl.NewNetworks(p, 12, 4).ForTasks(50)
	specs := nets.Specs()
	var aux belief.Auxiliary
	if c.Algorithm == "tcl-pearl" {
		t, err := tcl.New(tcl.Of(c), nets.Encoder, p.MetaBatch)
		if err != nil {
			tb.Fatal(err)
		}
		aux, specs = t, append(specs, t.Params()...)
	}
	program, err := pearl.UpdateProgram(p, nets, aux)
	if err != nil {
		tb.Fatal(err)
	}
	return program, specs
}
