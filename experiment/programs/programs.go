// Package programs has every program of every algorithm, for tests of devices, at sizes where everything is odd: what to
// put into each, and how far two executions are apart.
//
//	for _, s := range programs.All(t) {
//		for _, p := range s.Programs {
//			params, inputs := programs.Content(t, p, s.Memory)
//			want := programs.Execute(t, ref.Device, p, params, inputs, 2)
//			got := programs.Execute(t, device, p, params, inputs, 2)
//			...
//		}
//	}
package programs

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/maml"
	"nacre/rl/mql"
	"nacre/rl/oracle"
	"nacre/rl/rl2"
	"nacre/rl/varibad"
	"nacre/sim"
	"nacre/tcl"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Of is an algorithm's programs and a memory of core/ref with the parameters that it starts with.
type Of struct {
	Algorithm string
	Programs  []*core.Program
	Memory    core.Memory
}

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

// All is every program of every algorithm.
func All(t testing.TB) []Of {
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
	var out []Of
	add := func(name string, open func(core.Device) (interface{ Close() error }, error)) {
		r := &recorder{Device: ref.Device}
		l, err := open(r)
		must(t, err)
		t.Cleanup(func() { l.Close() })
		out = append(out, Of{name, r.programs, r.memory})
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
	v := varibad.Default()
	v.Embed, v.Memory, v.Decoder, v.PolicyHidden, v.Trials, v.Unroll, v.Posteriors, v.Decodes, v.MetaBatch, v.BufferTrials = 9, 21, 19, 23, 3, 5, 4, 4, 4, 20
	v.StateWeight = 0.5
	add("varibad", func(d core.Device) (closer, error) { return varibad.New(v, setup(d)) })
	return out
}

// Content draws what goes into a program: parameters as the algorithm starts them, weights and flags between 0 and 1,
// other inputs normal.
func Content(t testing.TB, p *core.Program, start core.Memory) (params, inputs map[string][]float64) {
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

// Execute runs a program on a fresh memory and returns outputs and memory entries.
func Execute(t testing.TB, d core.Device, p *core.Program, params, inputs map[string][]float64, runs int) map[string][]float64 {
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

// Difference is the largest, relative to the largest element of want.
func Difference(got, want []float64) float64 {
	largest, diff := 1e-30, 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		if d := math.Abs(got[i] - w); !(d <= diff) && !(got[i] != got[i] && w != w) {
			diff = d
		}
	}
	return diff / largest
}
