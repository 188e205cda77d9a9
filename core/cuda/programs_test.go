//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/experiment/programs"
	"nacre/internal/heavy"
)

// tolerance is the largest allowed error of a launch: the logarithm of 1-tanh² loses digits in float32 where actions
// are near their limits, all else stays below 5e-6.
const tolerance = 3e-5

// Every program of every algorithm: each launch by itself agrees with float64; the whole, run twice, agrees with the
// reference, in outputs, parameters and the optimiser's state; and it is the same bits whatever the order of lanes,
// blocks and branches, so that no barrier and no dependency is missing.
func TestPrograms(t *testing.T) {
	heavy.Skip(t, "runs every program on the processor's stand-in for a GPU")
	gpu := fakecuda.Use(t)
	for _, of := range programs.All(t) {
		for _, p := range of.Programs {
			checkProgram(t, gpu, p, of.Memory, cuda.Options{})
			if strings.HasSuffix(p.Name, ".update") {
				checkProgram(t, gpu, p, of.Memory, cuda.Options{Products: "own"})
			}
		}
		if t.Failed() {
			t.Fatalf("in %s", of.Algorithm)
		}
	}
}

// Parameters that are stepped twice, with averages between, and with decays of their own have corrections of their own.
func TestSteppedTwice(t *testing.T) {
	gpu := fakecuda.Use(t)
	b := core.NewBuilder("twice", 4)
	steps := core.DefaultAdam(0.01)
	for i, name := range []string{"first", "second"} {
		s := b.Stage(name)
		w, own := s.Param("w", 33, 40), s.Param(name, 1, 40)
		s.Param("trail "+name, 33, 40)
		s.Param("slow "+name, 33, 40)
		y := s.Dense(s.Input("x"+name, 64, 33), w, own, op.ReLU)
		loss := s.MeanAll(s.Square(s.Sub(y, s.Input("y"+name, 64, 40))))
		steps.Beta1, steps.Beta2 = 0.9-0.4*float64(i), 0.999-0.1*float64(i)
		s.Minimise(loss, steps, w, own)
		s.Output("loss "+name, loss)
		b.EMA("trail "+name, "w", 0.1)
		b.EMA("slow "+name, "w", 0.01)
	}
	p, err := b.Compile()
	must(t, err)
	mem, err := ref.Device.NewMemory(p.ParamSpecs())
	must(t, err)
	for _, products := range []string{"", "own"} {
		checkProgram(t, gpu, p, mem, cuda.Options{Products: products})
	}
}

// checkProgram checks one program; gpu is nil where the GPU is a real one.
func checkProgram(t *testing.T, gpu *fakecuda.GPU, p *core.Program, start core.Memory, o cuda.Options) {
	if gpu != nil {
		gpu.Order(0)
	}
	d := newDevice(t, o)
	params, inputs := programs.Content(t, p, start)
	mem, err := d.NewMemory(start.Params())
	must(t, err)
	launches, err := cuda.CheckLaunches(d, p, mem, cuda.Evaluate(p, params, inputs))
	must(t, err)
	worst := 0.0
	for _, l := range launches {
		limit := tolerance
		if p.Name == "auxiliary.gradient" && strings.Contains(l.What, "SumRows") {
			limit = 1e-2 // the gradient by a bias: the errors of a softmax sum to zero, so that it cancels
		}
		worst = max(worst, l.Error)
		if !(l.Error <= limit) {
			t.Errorf("%s: error %.1e", l.What, l.Error)
		}
	}
	t.Logf("%s %s: %d launches, largest error %.1e", p.Name, o.Products, len(launches), worst)
	want, got := programs.Execute(t, ref.Device, p, params, inputs, 2), programs.Execute(t, d, p, params, inputs, 2)
	for entry, e := range programs.Differences(got, want) {
		if !(e <= 5e-5) {
			t.Errorf("%s: %s is off by %.1e", p.Name, entry, e)
		}
	}
	if o.Products == "" { // with operands rounded to 10 bits
		exact, rounded := programs.Execute(t, d, p, params, inputs, 1),
			programs.Execute(t, newDevice(t, cuda.Options{Precision: "tf32"}), p, params, inputs, 1)
		outputs := map[string][]float64{}
		for output := range p.Outputs {
			outputs[output] = exact[output]
		}
		for output, e := range programs.Differences(rounded, outputs) {
			// a GPU's library may take float32 at odd sizes
			if !(e <= 2e-2) || e == 0 && gpu != nil &&
				p.Name == "pearl.update" && output == "grad_q1" {
				t.Errorf("%s: %s in TF32 is off by %.1e", p.Name, output, e)
			}
		}
	}
	for order := 1; order <= 2; order++ {
		if gpu != nil {
			gpu.Order(order)
		}
		for entry, x := range programs.Execute(t, d, p, params, inputs, 2) {
			if e := programs.Difference(x, got[entry]); e != 0 {
				t.Errorf("%s: in order %d %s is another by %.1e", p.Name, order, entry, e)
			}
		}
	}
}
