package ref_test

import (
	"math"
	"testing"

	"nacre/core"
	"nacre/core/op"
	"nacre/core/ref"
)

// A hand-written program: y = x·w + b, loss Σ(y-t)², one Adam step of w, then EMA of a copy towards it.
func program() *core.Program {
	batched := func(name string, kind core.ValueKind, cols int) core.Value {
		return core.Value{Name: name, Kind: kind, Rows: 2, Cols: cols, Batched: true}
	}
	param := func(store string) core.Value {
		return core.Value{Name: store, Kind: core.Param, Store: store, Rows: 2, Cols: 1}
	}
	return &core.Program{
		Name: "line", Groups: 2, TileGroups: 1, Lanes: 2,
		Values: []core.Value{
			0: batched("x", core.Input, 2), 1: batched("t", core.Input, 1),
			2: param("w"), 3: {Kind: core.Const, Rows: 1, Cols: 1, Fill: 0.5},
			4: batched("y", core.Temp, 1), 5: batched("e", core.Temp, 1), 6: batched("e²", core.Temp, 1),
			7: {Name: "loss", Rows: 1, Cols: 1}, 8: batched("2e", core.Temp, 1), 9: {Name: "dw", Rows: 2, Cols: 1},
			10: param("w"), 11: param("slow"), 12: param("slow"), 13: {Name: "norm", Rows: 1, Cols: 1},
		},
		Levels: []core.Level{
			{Tiled: []core.Instr{
				{Op: op.Dense{}, In: []int{0, 2, 3}, Out: 4},
				{Op: op.Binary{F: op.Sub}, In: []int{4, 1}, Out: 5},
				{Op: op.Unary{F: op.Square}, In: []int{5}, Out: 6},
				{Op: op.SumAll{}, In: []int{6}, Out: 7},
				{Op: op.Affine{A: 2}, In: []int{5}, Out: 8},
				{Op: op.MatMul{TA: true}, In: []int{0, 8}, Out: 9},
			}},
			{Whole: []core.Instr{
				{Op: core.Norm{}, In: []int{9}, Out: 13},
				{Op: core.Adam{LR: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, In: []int{2, 9}, Out: 10},
				{Op: core.EMA{Tau: 0.25}, In: []int{11, 10}, Out: 12},
			}},
		},
		Inputs:  map[string]int{"x": 0, "t": 1},
		Outputs: map[string]int{"loss": 7, "norm": 13, "dw": 9},
	}
}

func load(t *testing.T, p *core.Program) (core.Memory, core.Runner) {
	t.Helper()
	m, err := ref.Device.NewMemory(p.ParamSpecs())
	if err != nil {
		t.Fatal(err)
	}
	r, err := ref.Device.Load(p, m)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

func TestRun(t *testing.T) {
	m, r := load(t, program())
	defer r.Close()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(m.Write("w", []float64{1, -1}))
	check(m.Write("slow", []float64{4, 8}))
	check(r.Write64("x", []float64{1, 2, 3, 4}))
	check(r.Write("t", []float32{0.5, 0}))
	check(r.Run())

	// y = (-0.5, -0.5), e = (-1, -0.5), loss 1.25, dw = 2·xᵀe = (-5, -8).
	loss, dw, norm := make([]float64, 1), make([]float64, 2), make([]float32, 1)
	check(r.Read64("loss", loss))
	check(r.Read64("dw", dw))
	check(r.Read("norm", norm))
	if loss[0] != 1.25 || dw[0] != -5 || dw[1] != -8 || math.Abs(float64(norm[0])-math.Sqrt(89)) > 1e-6 {
		t.Fatalf("loss %v, dw %v, norm %v", loss, dw, norm)
	}
	// The first Adam step is LR·sign(g) up to Eps; the average moves a quarter of the way.
	w, slow, step := make([]float64, 2), make([]float64, 2), make([]float64, 1)
	check(m.Read("w", w))
	check(m.Read("slow", slow))
	check(m.Read("w.t", step))
	for i, want := range []float64{1.1, -0.9} {
		if math.Abs(w[i]-want) > 1e-8 || math.Abs(slow[i]-(0.75*[]float64{4, 8}[i]+0.25*w[i])) > 1e-15 {
			t.Errorf("w %v, slow %v", w, slow)
		}
	}
	if step[0] != 1 {
		t.Errorf("step count %v, want 1", step[0])
	}
}

// Three steps with gradients 1, -2, 0.5, worked out by hand from the formula and by torch.optim.Adam.
func TestAdam(t *testing.T) {
	p := &core.Program{
		Name: "adam", Groups: 1, TileGroups: 1, Lanes: 1,
		Values: []core.Value{
			{Name: "g", Kind: core.Input, Rows: 1, Cols: 1},
			{Name: "w", Kind: core.Param, Store: "w", Rows: 1, Cols: 1},
			{Name: "w", Kind: core.Param, Store: "w", Rows: 1, Cols: 1},
		},
		Levels: []core.Level{{Whole: []core.Instr{{Op: core.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8},
			In: []int{1, 0}, Out: 2}}}},
		Inputs: map[string]int{"g": 0},
	}
	m, r := load(t, p)
	// m: .1, -.11, -.049; v: .001, .004999, .005244001; 1-β₁ᵗ: .1, .19, .271; 1-β₂ᵗ: .001, .001999, .002997001.
	want, w := 0.0, make([]float64, 1)
	for i, s := range []struct{ g, m, v, c1, c2, torch float64 }{
		{1, 0.1, 0.001, 0.1, 0.001, -0.0099999999000000023},
		{-2, -0.11, 0.004999, 0.19, 0.001999, -0.0063389646527925187},
		{0.5, -0.049, 0.005244001, 0.271, 0.002997001, -0.0049720580326178552},
	} {
		want -= 0.01 * (s.m / s.c1) / (math.Sqrt(s.v/s.c2) + 1e-8)
		r.Write64("g", []float64{s.g})
		r.Run()
		m.Read("w", w)
		if math.Abs(w[0]-want) > 1e-14 || math.Abs(w[0]-s.torch) > 1e-14 {
			t.Errorf("step %d: w = %.16g, want %.16g, torch %.16g", i+1, w[0], want, s.torch)
		}
	}
}

func TestErrors(t *testing.T) {
	p := program()
	m, r := load(t, p)
	for name, err := range map[string]error{
		"short input":    r.Write64("x", make([]float64, 3)),
		"unknown input":  r.Write64("z", nil),
		"unknown output": r.Read64("z", nil),
		"unknown entry":  m.Read("w.x", make([]float64, 2)),
		"short entry":    m.Write("w", make([]float64, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	other, err := ref.Device.NewMemory(p.ParamSpecs()[:1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ref.Device.Load(p, other); err == nil {
		t.Error("a program was loaded on a memory without its parameters")
	}
}
