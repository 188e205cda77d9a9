//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/ref"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/maml"
	"nacre/rl/mql"
	"nacre/rl/oracle"
	"nacre/rl/rl2"
	"nacre/sim"
	"nacre/tcl"
)

// recorder is the reference device, noting what is loaded on it.
type recorder struct {
	core.Device
	programs []*core.Program
	memory   core.Memory
}

func (r *recorder) NewMemory(specs []core.ParamSpec) (core.Memory, error) {
	m, err := r.Device.NewMemory(specs)
	r.memory = m
	return m, err
}

func (r *recorder) Load(p *core.Program, m core.Memory) (core.Runner, error) {
	r.programs = append(r.programs, p)
	return r.Device.Load(p, m)
}

// programs is every program of every algorithm, at sizes where everything is odd, and the parameters each starts with.
func programs(t *testing.T) map[string]*recorder {
	family, err := sim.Lookup("point-goal")
	must(t, err)
	train, _, err := family.Tasks(1, 5, 0)
	must(t, err)
	pool, err := sim.NewPool(family, 1, 4)
	must(t, err)
	t.Cleanup(func() { pool.Close() })
	p := pearl.Default()
	p.Latent, p.Hidden, p.EncoderHidden, p.MetaBatch, p.Batch, p.Context = 3, 29, 21, 4, 70, 65
	p.PreTanhReg = 0.01
	w := tcl.Default()
	w.Window = p.Context
	o := oracle.Default()
	o.Hidden, o.MetaBatch, o.Batch = 27, 3, 70
	out := map[string]*recorder{}
	add := func(name string, open func(core.Device) (interface{ Close() error }, error)) {
		r := &recorder{Device: ref.Device}
		l, err := open(r)
		must(t, err)
		t.Cleanup(func() { l.Close() })
		out[name] = r
	}
	setup := func(d core.Device) rl.Setup {
		return rl.Setup{Spec: family.Spec(), Train: train, Seed: 1, Device: d, Pool: pool, Workers: 1, Envs: 4}
	}
	type closer = interface{ Close() error }
	add("pearl", func(d core.Device) (closer, error) { return pearl.New(p, setup(d), nil) })
	add("tcl-pearl", func(d core.Device) (closer, error) {
		return pearl.New(p, setup(d), func(enc belief.Encoder, n int) (belief.Auxiliary, error) { return tcl.New(w, enc, n) })
	})
	add("oracle", func(d core.Device) (closer, error) { return oracle.New(o, setup(d)) })
	m := maml.Default()
	add("maml", func(d core.Device) (closer, error) { return maml.New(m, setup(d)) })
	r := rl2.Default()
	r.Hidden, r.MetaBatch, r.Episodes, r.Chunk = 21, 3, 2, 4
	add("rl2", func(d core.Device) (closer, error) { return rl2.New(r, setup(d)) })
	q := mql.Default()
	q.Hidden, q.Context, q.History, q.Batch = 27, 5, 4, 70
	add("mql", func(d core.Device) (closer, error) { return mql.New(q, setup(d)) })
	return out
}

// content draws what goes into a program: parameters as the algorithm starts them, weights and flags between 0 and 1,
// other inputs normal.
func content(t *testing.T, p *core.Program, start core.Memory) (params, inputs map[string][]float64) {
	r := rand.New(rand.NewPCG(11, 7))
	params, inputs = map[string][]float64{}, map[string][]float64{}
	round := func(x float64) float64 { return float64(float32(x)) }
	for _, s := range p.ParamSpecs() {
		x := make([]float64, s.Rows*s.Cols)
		must(t, start.Read(s.Name, x))
		for i := range x {
			x[i] = round(x[i] + 0.01*r.NormFloat64())
		}
		params[s.Name] = x
	}
	for _, name := range slices.Sorted(maps.Keys(p.Inputs)) {
		v := p.Values[p.Inputs[name]]
		x := make([]float64, v.Rows*v.Cols)
		for i := range x {
			x[i] = round(r.NormFloat64() / 2)
			if strings.Contains(name, "weight") || strings.Contains(name, "done") || strings.Contains(name, "mask") {
				x[i] = round(r.Float64())
			}
		}
		inputs[name] = x
	}
	return params, inputs
}

// tolerance is what a launch may be off by: the logarithm of 1-tanh² loses digits in float32 where actions are near their
// limits, all else stays below 5e-6.
const tolerance = 3e-5

// Every program of every algorithm: each launch by itself agrees with float64; the whole, run twice, agrees with the
// reference, in outputs, parameters and the optimiser's state; and it is the same bits whatever the order of lanes, blocks
// and branches, so that no barrier and no dependency is missing.
func TestPrograms(t *testing.T) {
	gpu := fakecuda.Use(t)
	for name, r := range programs(t) {
		for _, p := range r.programs {
			checkProgram(t, gpu, p, r.memory, cuda.Options{})
			if strings.HasSuffix(p.Name, ".update") {
				checkProgram(t, gpu, p, r.memory, cuda.Options{Products: "own"})
			}
		}
		if t.Failed() {
			t.Fatalf("in %s", name)
		}
	}
}

// checkProgram checks one program; gpu is nil where the GPU is a real one.
func checkProgram(t *testing.T, gpu *fakecuda.GPU, p *core.Program, start core.Memory, o cuda.Options) {
	if gpu != nil {
		gpu.Order(0)
	}
	d := newDevice(t, o)
	params, inputs := content(t, p, start)
	mem, err := d.NewMemory(start.Params())
	must(t, err)
	launches, err := cuda.CheckLaunches(d, p, mem, cuda.Evaluate(p, params, inputs))
	must(t, err)
	worst := 0.0
	for _, l := range launches {
		worst = max(worst, l.Error)
		if !(l.Error <= tolerance) {
			t.Errorf("%s: error %.1e", l.What, l.Error)
		}
	}
	t.Logf("%s %s: %d launches, largest error %.1e", p.Name, o.Products, len(launches), worst)
	want, got := execute(t, ref.Device, p, params, inputs, 2), execute(t, d, p, params, inputs, 2)
	for entry, w := range want {
		if e := difference(got[entry], w); !(e <= 5e-5) {
			t.Errorf("%s: %s is off by %.1e", p.Name, entry, e)
		}
	}
	if o.Products == "" { // with operands rounded to 10 bits
		exact, rounded := execute(t, d, p, params, inputs, 1), execute(t, newDevice(t, cuda.Options{TF32: true}), p, params, inputs, 1)
		for output := range p.Outputs {
			if e := difference(rounded[output], exact[output]); !(e <= 2e-2) || e == 0 && gpu != nil && p.Name == "pearl.update" && output == "grad_q1" { // a GPU's library may take float32 at odd sizes
				t.Errorf("%s: %s in TF32 is off by %.1e", p.Name, output, e)
			}
		}
	}
	for order := 1; order <= 2; order++ {
		if gpu != nil {
			gpu.Order(order)
		}
		for entry, x := range execute(t, d, p, params, inputs, 2) {
			if e := difference(x, got[entry]); e != 0 {
				t.Errorf("%s: in order %d %s is another by %.1e", p.Name, order, entry, e)
			}
		}
	}
}

// execute runs a program on a fresh memory and returns outputs and memory entries.
func execute(t *testing.T, d core.Device, p *core.Program, params, inputs map[string][]float64, runs int) map[string][]float64 {
	t.Helper()
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	run, err := d.Load(p, mem)
	must(t, err)
	defer run.Close()
	for name, x := range params {
		must(t, mem.Write(name, x))
	}
	out := map[string][]float64{}
	for range runs {
		for name, x := range inputs {
			must(t, run.Write64(name, x))
		}
		must(t, run.Run())
	}
	for name, v := range p.Outputs {
		out[name] = make([]float64, p.Values[v].Rows*p.Values[v].Cols)
		must(t, run.Read64(name, out[name]))
	}
	for _, s := range p.ParamSpecs() {
		for suffix, n := range map[string]int{"": s.Rows * s.Cols, ".m": s.Rows * s.Cols, ".v": s.Rows * s.Cols, ".t": 1} {
			out[s.Name+suffix] = make([]float64, n)
			must(t, mem.Read(s.Name+suffix, out[s.Name+suffix]))
		}
	}
	return out
}

// difference is the largest, relative to the largest element of want.
func difference(got, want []float64) float64 {
	largest, diff := 1e-30, 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		if d := math.Abs(got[i] - w); !(d <= diff) && !(got[i] != got[i] && w != w) {
			diff = d
		}
	}
	return diff / largest
}
