// Package programs makes every core.Program of every algorithm, for tests of devices. Sizes are chosen so that no tile
// or vector divides them. It also makes inputs, and measures how much two executions differ.
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
	_ "nacre/experiment" // registers the algorithms
	"nacre/internal/fatal"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/rltest"
	"nacre/sim"
)

var must = fatal.On

// Of holds an algorithm's programs and a memory of core/ref with the parameters that it starts with.
type Of struct {
	Algorithm string // name of the algorithm, with a variant's name after a slash
	Programs  []*core.Program
	Memory    core.Memory
}

// recorder is the reference device; it notes the programs loaded on it.
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

// All returns every program of every registered algorithm, each with the algorithm's small settings, and again with
// each of its variants, and for discrete actions. Of an algorithm with an attached loss (auxiliary.Carry) there are
// only those programs that no algorithm before it has.
func All(t testing.TB) []Of {
	var out []Of
	seen := map[string]bool{}
	for _, name := range rl.Names() {
		from := len(out)
		a, err := rl.Lookup(name)
		must(t, err)
		if slices.ContainsFunc(a.Tables, func(t rl.Table) bool { return t.Name == auxiliary.Table.Name }) {
			out = append(out, For(t, name).without(seen))
			continue
		}
		out = append(out, For(t, name))
		for _, variant := range slices.Sorted(maps.Keys(a.Variants)) {
			out = append(out, of(t, point(t), name, name+"/"+variant, slices.Concat(a.Small, a.Variants[variant])))
		}
		if a.Discrete {
			out = append(out, of(t, rltest.Choosing, name, name+"/discrete", a.Small))
		}
		for _, of := range out[from:] {
			of.without(seen)
		}
	}
	return out
}

// without leaves out the programs that were seen, and notes the others.
func (o Of) without(seen map[string]bool) Of {
	var left []*core.Program
	for _, p := range o.Programs {
		if text := p.String(); !seen[text] {
			seen[text] = true
			left = append(left, p)
		}
	}
	o.Programs = left
	return o
}

// For returns every program of one algorithm.
func For(t testing.TB, name string) Of {
	t.Helper()
	a, err := rl.Lookup(name)
	must(t, err)
	return of(t, point(t), name, name, a.Small)
}

// point is the point robot.
func point(t testing.TB) sim.Family {
	t.Helper()
	f, err := sim.Lookup("point-goal")
	must(t, err)
	return f
}

// of returns every program of an algorithm on a family with some settings, under a name.
func of(t testing.TB, family sim.Family, algorithm, name string, settings []string) Of {
	t.Helper()
	a, err := rl.Lookup(algorithm)
	must(t, err)
	train, _, err := family.Tasks(1, 5, 0)
	must(t, err)
	pool, err := sim.NewPool(family, 1, 4)
	must(t, err)
	t.Cleanup(func() { pool.Close() })
	cfg := rl.Default()
	cfg.Algorithm, cfg.Family = algorithm, family.Spec().Name
	must(t, rl.Change(&cfg, settings...))
	r := &recorder{Device: ref.Device}
	l, err := a.New(cfg, rl.Setup{Spec: family.Spec(), Train: train, Seed: 1, Device: r, Pool: pool,
		Workers: 1, Envs: 4})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return Of{name, r.programs, r.memory}
}

// Content draws the contents of a program: parameters as the algorithm starts them, weights and flags between 0 and 1,
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
func Execute(t testing.TB, d core.Device, p *core.Program, params, inputs map[string][]float64,
	runs int) map[string][]float64 {
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
		for suffix, n := range map[string]int{"": s.Rows * s.Cols, ".m": s.Rows * s.Cols, ".v": s.Rows * s.Cols,
			".t": 1} {
			out[s.Name+suffix] = make([]float64, n)
			must(t, mem.Read(s.Name+suffix, out[s.Name+suffix]))
		}
	}
	return out
}

// Differences are those of all entries of want. The gradients of an attached loss are measured together, by the largest
// element of them all: the gradient by a parameter is a sum whose terms may cancel almost entirely.
func Differences(got, want map[string][]float64) map[string]float64 {
	out, gradients := map[string]float64{}, [2][]float64{}
	for name, w := range want {
		if strings.HasPrefix(name, "auxiliary/") {
			gradients[0], gradients[1] = append(gradients[0], got[name]...), append(gradients[1], w...)
			continue
		}
		out[name] = Difference(got[name], w)
	}
	out["auxiliary/"] = Difference(gradients[0], gradients[1])
	return out
}

// Difference is the largest difference, divided by the largest element of want.
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
