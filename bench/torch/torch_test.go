package torch_test

import (
	"math"
	"os/exec"
	"strings"
	"testing"

	"nacre/bench/torch"
	"nacre/core/ref"
	"nacre/internal/python"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// PyTorch makes the update that the benchmark makes: its losses are the benchmark's.
func TestSameUpdate(t *testing.T) {
	interpreter, err := python.Find()
	if err != nil {
		t.Skip(err)
	}
	if exec.Command(interpreter.Path, "-c", "import torch").Run() != nil {
		t.Skipf("%s has no torch: pip install torch there brings it", interpreter)
	}
	p, err := torch.Start(t.Context(), interpreter.Path, "oyster", "tcl-pearl", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	y, err := tclpearl.NewBenchmark(benchmark.Oyster, ref.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if len(p.Figures) != 5 {
		t.Errorf("%d figures, want 5", len(p.Figures))
	}
	for name, got := range p.Figures {
		if want := y.Expected(0)[name]; !(math.Abs(got/want-1) < 1e-5) {
			t.Errorf("%s = %.9g, want %.9g", name, got, want)
		}
	}
	if ms, processor, err := p.Run(2); err != nil || len(ms) != 2 || ms[0] <= 0 || len(processor) != 2 ||
		processor[0] <= 0 {
		t.Errorf("Run(2) = %v, %v, %v", ms, processor, err)
	}
}

func TestNoTorch(t *testing.T) {
	for _, c := range [][2]string{{"/usr/bin/false", "EOF"}, {"/no/such/python", "no such file"}} {
		_, err := torch.Start(t.Context(), c[0], "oyster", "pearl", 1)
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want ... %s", c[0], err, c[1])
		}
	}
}
