package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
)

// testDevice is a device with the given kernels that shares everything it can among its workers, however small.
func testDevice(k *kernels, workers int) *device {
	return &device{kernels: k, pool: &pool{size: workers}, shareFrom: 0}
}

// content goes into a program: parameters with their moments, and inputs.
type content map[string][]float64

// random fills the program's parameters and inputs with numbers that float32 holds exactly. Moments of the gradient
// squared are positive, and t is 2.
func random(p *core.Program, r *rand.Rand) (params, inputs content) {
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(float32(r.NormFloat64()))
		}
		return x
	}
	params, inputs = content{}, content{}
	for _, s := range p.ParamSpecs() {
		n := s.Rows * s.Cols
		params[s.Name] = draw(n)
		params[s.Name+".m"] = draw(n)
		params[s.Name+".v"] = draw(n)
		for i, x := range params[s.Name+".v"] {
			params[s.Name+".v"][i] = float64(float32(x * x))
		}
		params[s.Name+".t"] = []float64{2}
	}
	for name, i := range p.Inputs {
		inputs[name] = draw(p.Values[i].Rows * p.Values[i].Cols)
	}
	return params, inputs
}

var must = fatal.On

// execute loads p on a fresh memory, runs it the given number of times and returns outputs and memory entries.
func execute(t testing.TB, d core.Device, p *core.Program, params, inputs content, runs int) content {
	t.Helper()
	return executeBy(t, core.Runner.Run, d, p, params, inputs, runs)
}

// backwards runs a program alone, the units of every phase in the opposite order as far as they may be.
func backwards(r core.Runner) error {
	for _, ph := range r.(*runner).phases {
		if ph.begin != nil {
			ph.begin()
		}
		chains := ph.chain
		if chains == 0 {
			chains = ph.units
		}
		for last := chains - 1; last >= 0; last-- {
			for unit := last; unit < ph.units; unit += chains {
				ph.run(r.(*runner).workers[0], unit)
			}
		}
	}
	return nil
}

func executeBy(t testing.TB, run func(core.Runner) error, d core.Device, p *core.Program, params, inputs content,
	runs int) content {
	t.Helper()
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	r, err := d.Load(p, mem)
	must(t, err)
	defer r.Close()
	for name, x := range params {
		must(t, mem.Write(name, x))
	}
	for name, x := range inputs {
		must(t, r.Write64(name, x))
	}
	for range runs {
		must(t, run(r))
	}
	if r, ok := r.(*runner); ok {
		checkPadding(t, r)
	}
	got := content{}
	for name, i := range p.Outputs {
		got[name] = make([]float64, p.Values[i].Rows*p.Values[i].Cols)
		must(t, r.Read64(name, got[name]))
	}
	for name, x := range params {
		got[name] = make([]float64, len(x))
		must(t, mem.Read(name, got[name]))
	}
	return got
}

// checkPadding checks that the padding of outputs and parameters is zero.
func checkPadding(t testing.TB, r *runner) {
	t.Helper()
	check := func(v int) {
		m := r.mats[v]
		for i := range m.rows {
			for _, x := range m.d[i*m.ld+m.cols : (i+1)*m.ld] {
				if x != 0 {
					t.Fatalf("row %d of value %d is padded with %g in %v", i, v, x, r.p)
				}
			}
		}
	}
	for _, v := range r.p.Outputs {
		check(v)
	}
	for v, x := range r.p.Values {
		if x.Kind == core.Param {
			check(v)
		}
	}
}

// compare checks got against want with an error of at most tol of the largest element, or of 1 if that is larger.
func compare(t testing.TB, got, want content, tol float64) {
	t.Helper()
	for name, w := range want {
		largest := 1.0
		for _, x := range w {
			if math.Abs(x) <= math.MaxFloat32 {
				largest = math.Max(largest, math.Abs(x))
			}
		}
		for i, x := range w {
			g := got[name][i]
			if g != float64(float32(x)) && !(math.Abs(g-x) <= tol*largest) && !(g != g && x != x) {
				t.Errorf("%s[%d] = %g, want %g", name, i, g, x)
				break
			}
		}
	}
}

// identical checks that two results agree bit for bit.
func identical(t testing.TB, got, want content) {
	t.Helper()
	for name, w := range want {
		for i, x := range w {
			if math.Float64bits(got[name][i]) != math.Float64bits(x) {
				t.Errorf("%s[%d] = %v, want exactly %v", name, i, got[name][i], x)
				break
			}
		}
	}
}

// against runs p on the reference and on every kernel set: with 1, 2 and 3 workers, and with the units of shared work
// in another order. All runs of one kernel set must agree bit for bit.
func against(t *testing.T, p *core.Program, params, inputs content, runs int, tol float64) {
	t.Helper()
	want := execute(t, ref.Device, p, params, inputs, runs)
	for _, k := range available() {
		one := execute(t, testDevice(k, 1), p, params, inputs, runs)
		compare(t, one, want, tol)
		for workers := 2; workers <= 3; workers++ {
			identical(t, execute(t, testDevice(k, workers), p, params, inputs, runs), one)
		}
		identical(t, executeBy(t, backwards, testDevice(k, 3), p, params, inputs, runs), one)
		if t.Failed() {
			t.Fatalf("kernels %s, program %s", k.name, p)
		}
	}
}

// single is a program of one operation on inputs. Operands with batched set are divided over the groups.
func singleOp(t *testing.T, o op.Op, tiled bool, groups, tileGroups, lanes int, operands ...core.Value) *core.Program {
	t.Helper()
	p := &core.Program{Name: "single", Groups: groups, TileGroups: tileGroups, Lanes: lanes, Inputs: map[string]int{}}
	var shapes []op.Shape
	in := core.Instr{Op: o, Out: len(operands)}
	for i, v := range operands {
		v.Kind, v.Name = core.Input, string(rune('a'+i))
		p.Values = append(p.Values, v)
		p.Inputs[v.Name] = i
		shapes = append(shapes, op.Shape{Rows: v.Rows, Cols: v.Cols})
		in.In = append(in.In, i)
	}
	s, err := graph.ShapeOf(o, shapes...)
	must(t, err)
	p.Values = append(p.Values, core.Value{Name: "y", Rows: s.Rows, Cols: s.Cols, Batched: tiled &&
		o.Result() == op.ByRow})
	p.Outputs = map[string]int{"y": len(operands)}
	if tiled {
		p.Levels = []core.Level{{Tiled: []core.Instr{in}}}
	} else {
		p.Levels = []core.Level{{Whole: []core.Instr{in}}}
	}
	must(t, p.Validate())
	return p
}
