package nn_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
)

// sines is rows×cols of sin(from), sin(from+1), ….
func sines(n int, from float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(from + float64(i))
	}
	return x
}

// gruProgram outputs the states after each step, the loss Σ weight⊙state and its gradient by every parameter and by
// the first state.
func gruProgram(t testing.TB, g nn.GRU, rows, steps int, zero bool) *core.Program {
	t.Helper()
	b := core.NewBuilder("gru", rows)
	s := b.Stage("gru")
	h := s.Input("h", rows, g.Hidden)
	first := h
	if zero {
		first = nil
	}
	states := g.Unroll(s, s.Input("x", rows, steps*g.In), first, steps)
	all := s.ConcatCols(states...)
	loss := s.SumAll(s.Mul(all, s.WholeInput("weight", 1, steps*g.Hidden)))
	s.Output("states", all)
	s.Output("loss", loss)
	wrt := g.Nodes(s)
	names := []string{"wx", "bx", "wh", "bh"}
	if !zero {
		wrt, names = append(wrt, h), append(names, "h")
	}
	for i, d := range s.Gradients(loss, wrt...) {
		s.Output("d"+names[i], d)
	}
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t testing.TB, d core.Device, p *core.Program, g nn.GRU) (core.Runner, core.Memory) {
	t.Helper()
	mem, err := d.NewMemory(g.Specs())
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Load(p, mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, mem
}

var must = fatal.On

func output(t testing.TB, r core.Runner, name string, n int) []float64 {
	t.Helper()
	x := make([]float64, n)
	must(t, r.Read64(name, x))
	return x
}

// The states and gradients of PyTorch 1.13's nn.GRU in float64, with weights and inputs that are sines of counters.
func TestGRUIsPyTorchs(t *testing.T) {
	g := nn.GRU{Name: "gru", In: 2, Hidden: 2}
	want := []float64{0.828944659282, 0.415994877834, -0.543823940611, 0.525631288744, -0.636885852193, 0.278222031725}
	fromZero := []float64{0.576409551746, 0.217905695800, -0.491342458046, 0.319211237812, -0.607086408777,
		0.187784814310}
	sums := map[string][2]float64{ // of the gradient's elements, and of their absolute values
		"dwx": {12.113897931048, 12.384626974823}, "dwh": {10.369535141031, 11.562297830536},
		"dbx": {18.953362476326, 19.179108640182}, "dbh": {14.124771811675, 14.350517975531},
	}
	for _, zero := range []bool{false, true} {
		r, mem := load(t, ref.Device, gruProgram(t, g, 1, 3, zero), g)
		for i, p := range g.Specs() {
			must(t, mem.Write(p.Name, sines(p.Rows*p.Cols, []float64{1, 20, 40, 60}[i])))
		}
		must(t, r.Write64("x", sines(6, 80)), r.Write64("weight", []float64{1, 2, 3, 4, 5, 6}))
		if !zero {
			must(t, r.Write64("h", sines(2, 90)))
		}
		must(t, r.Run())
		expected := want
		if zero {
			expected = fromZero
		}
		for i, v := range output(t, r, "states", 6) {
			if math.Abs(v-expected[i]) > 1e-11 {
				t.Errorf("from zero %v: number %d of the states is %.12f, PyTorch has %.12f", zero, i, v, expected[i])
			}
		}
		if zero {
			continue
		}
		for name, w := range sums {
			var sum, size float64
			for _, v := range output(t, r, name, map[string]int{"dwx": 12, "dwh": 12}[name]+
				map[string]int{"dbx": 6, "dbh": 6}[name]) {
				sum, size = sum+v, size+math.Abs(v)
			}
			if math.Abs(sum-w[0]) > 1e-10 || math.Abs(size-w[1]) > 1e-10 {
				t.Errorf("%s sums to %.12f and %.12f, PyTorch's to %.12f and %.12f", name, sum, size, w[0], w[1])
			}
		}
	}
}

// Gradients by every parameter and by the first state against central differences in float64, and the CPU's float32
// against both.
func TestGRUGradients(t *testing.T) {
	const rows, steps = 3, 7
	g := nn.GRU{Name: "gru", In: 3, Hidden: 4}
	p := gruProgram(t, g, rows, steps, false)
	r, mem := load(t, ref.Device, p, g)
	must(t, nn.InitUniform(mem, g, 0.9, rng.New(1)))
	inputs := map[string][]float64{"x": sines(rows*steps*g.In, 3), "h": sines(rows*g.Hidden, 7),
		"weight": sines(steps*g.Hidden, 11)}
	for name, x := range inputs {
		must(t, r.Write64(name, x))
	}
	must(t, r.Run())
	loss := func() float64 {
		must(t, r.Run())
		return output(t, r, "loss", 1)[0]
	}
	check := func(name string, values []float64, write func([]float64) error) {
		analytic := output(t, r, "d"+name, len(values))
		for i, v := range values {
			const step = 1e-5
			values[i] = v + step
			must(t, write(values))
			up := loss()
			values[i] = v - step
			must(t, write(values))
			numeric := (up - loss()) / (2 * step)
			values[i] = v
			if math.Abs(numeric-analytic[i]) > 1e-8*(1+math.Abs(numeric)) {
				t.Errorf("d%s[%d] = %.10g, by differences %.10g", name, i, analytic[i], numeric)
			}
		}
		must(t, write(values), r.Run())
	}
	for _, spec := range g.Specs() {
		x := read(t, mem, spec)
		check(strings.TrimPrefix(spec.Name, "gru/"), x, func(x []float64) error { return mem.Write(spec.Name, x) })
	}
	check("h", inputs["h"], func(x []float64) error { return r.Write64("h", x) })

	device, err := cpu.New(cpu.Options{Workers: 1})
	must(t, err)
	fast, fastMem := load(t, device, p, g)
	for _, spec := range g.Specs() {
		must(t, fastMem.Write(spec.Name, read(t, mem, spec)))
	}
	for name, x := range inputs {
		must(t, fast.Write64(name, x))
	}
	must(t, fast.Run())
	for name, n := range map[string]int{"states": rows * steps * g.Hidden, "dwx": 36, "dwh": 48,
		"dh": rows * g.Hidden} {
		exact := output(t, r, name, n)
		for i, v := range output(t, fast, name, n) {
			if math.Abs(v-exact[i]) > 1e-5*(1+math.Abs(exact[i])) {
				t.Errorf("%s[%d] = %g in float32, %g in float64", name, i, v, exact[i])
			}
		}
	}
}

func TestInitialisations(t *testing.T) {
	g := nn.GRU{Name: "g", In: 40, Hidden: 25}
	m := nn.MLP{Name: "m", In: 1, Hidden: []int{100}, Out: 30}
	mem, err := ref.Device.NewMemory(append(g.Specs(), m.Specs()...))
	must(t, err, nn.InitUniform(mem, g, 0.2, rng.New(1)), nn.InitTorch(mem, m, rng.New(2)))
	for i, p := range append(g.Specs(), m.Specs()...) {
		half := []float64{0.2, 0.2, 0.2, 0.2, 1, 1, 0.1, 0.1}[i]
		var square, largest float64
		x := read(t, mem, p)
		for _, v := range x {
			square, largest = square+v*v, max(largest, math.Abs(v))
		}
		// uniform in ±h: variance h²/3, extremes close to h
		n := float64(len(x))
		if ratio := square / n / (half * half / 3); largest > half || largest < 0.8*half ||
			math.Abs(ratio-1) > 5*math.Sqrt(0.8/n) {
			t.Errorf("%s: largest %.3f, variance %.3f of h²/3; want uniform in ±%v", p.Name, largest, ratio, half)
		}
	}
	if err := nn.Copy(mem, g, g.As("absent")); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("a network that is not in memory was copied: %v", err)
	}
}

func ExampleGRU() {
	g := nn.GRU{Name: "memory", In: 3, Hidden: 8}
	b := core.NewBuilder("last state", 16)
	s := b.Stage("unroll")
	states := g.Unroll(s, s.Input("sequence", 16, 20*3), nil, 20)
	s.Output("context", states[19])
	p, err := b.Compile()
	fmt.Println(len(p.ParamSpecs()), err)
	// Output: 4 <nil>
}
