package core_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	G "gorgonia.org/gorgonia"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/graph"
	"nacre/core/op"
	"nacre/core/ref"
)

// run compiles b, runs it once on the reference executor and returns its outputs and the memory after the run.
func run(t *testing.T, b *core.Builder, data map[string][]float64) (map[string][]float64, core.Memory) {
	t.Helper()
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	mem, err := ref.Device.NewMemory(p.ParamSpecs())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.ParamSpecs() {
		if x, ok := data[s.Name]; ok {
			if err := mem.Write(s.Name, x); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := ref.Device.Load(p, mem)
	if err != nil {
		t.Fatal(err)
	}
	for name := range p.Inputs {
		if err := r.Write64(name, data[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	out := map[string][]float64{}
	for name, v := range p.Outputs {
		out[name] = make([]float64, p.Values[v].Rows*p.Values[v].Cols)
		if err := r.Read64(name, out[name]); err != nil {
			t.Fatal(err)
		}
	}
	return out, mem
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

// Two losses that share a sub-expression, differentiated in one stage. On one Gorgonia graph the second gradient would
// silently contain the first.
func TestGradientsTwice(t *testing.T) {
	b := core.NewBuilder("twice", 1)
	s := b.Stage("both")
	x := s.Param("x", 1, 2)
	h := s.Square(x)
	l1, l2 := s.SumAll(s.Exp(h)), s.SumAll(s.Mul(h, x)) // Σ exp x², Σ x³
	s.Output("g1", s.Gradients(l1, x)[0])
	g2 := s.Gradients(l2, x)[0]
	s.Output("g2", g2)
	s.Output("h2", s.Gradients(s.SumAll(s.Square(g2)), x)[0]) // ∂ Σ 9x⁴
	out, _ := run(t, b, map[string][]float64{"x": {0.5, -2}})
	near(t, "∂Σexp x²", out["g1"], []float64{math.Exp(0.25), -4 * math.Exp(4)})
	near(t, "∂Σx³", out["g2"], []float64{0.75, 12})
	near(t, "∂Σ(∂Σx³)²", out["h2"], []float64{36 * 0.125, 36 * -8})
}

// Gorgonia takes slices 0:2 and 256:258 for one node, and unnamed inputs of one shape too.
func TestMergingHazards(t *testing.T) {
	b := core.NewBuilder("hazards", 1)
	s := b.Stage("slices")
	x := s.Input("x", 1, 258)
	y := s.Input("y", 1, 258)
	s.Output("low", s.SliceCols(x, 0, 2))
	s.Output("high", s.SliceCols(x, 256, 258))
	s.Output("other", s.SliceCols(y, 0, 2))
	s.Output("const", s.Add(s.Affine(s.SumAll(x), 1, 1e-17), s.Mul(s.Const(2), s.Const(1e-9))))
	r := b.Stage("again")
	r.Output("square", r.Square(r.SliceCols(r.Input("x", 1, 258), 0, 2)))
	data := map[string][]float64{"x": make([]float64, 258), "y": make([]float64, 258)}
	data["x"][0], data["x"][257], data["y"][1] = 3, 7, 5
	out, _ := run(t, b, data)
	near(t, "low", out["low"], []float64{3, 0})
	near(t, "high", out["high"], []float64{0, 7})
	near(t, "other", out["other"], []float64{0, 5})
	near(t, "const", out["const"], []float64{10 + 2e-9})
	near(t, "square", out["square"], []float64{9, 0})
}

// must unwraps Gorgonia's results.
func must(n *graph.Node, err error) *graph.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// Plain Gorgonia functions with an equivalent are accepted; gradients come from the vocabulary.
func TestGorgoniaFunctions(t *testing.T) {
	graph.Gorgonia.Lock()
	defer graph.Gorgonia.Unlock()
	b := core.NewBuilder("plain", 1)
	s := b.Stage("plain")
	x, w := s.Input("x", 2, 2), s.Param("w", 2, 1)
	y := must(G.Mul(x, w))
	d := must(G.Sub(must(G.Tanh(y)), must(G.Softplus(must(G.Neg(y))))))
	e := must(G.HadamardDiv(must(G.Exp(d)), must(G.Add(must(G.Sqrt(must(G.Square(d)))), G.NewConstant(3.0)))))
	loss := must(G.Mean(e))
	graph.Gorgonia.Unlock()
	g := s.Gradients(loss, w)
	graph.Gorgonia.Lock()
	s.Output("loss", loss)
	s.Output("g", g[0])

	f := func(w []float64) float64 {
		sum := 0.0
		for _, x := range [][]float64{{1, 2}, {-3, 0.5}} {
			y := x[0]*w[0] + x[1]*w[1]
			d := math.Tanh(y) - math.Log1p(math.Exp(-y))
			sum += math.Exp(d) / (math.Abs(d) + 3)
		}
		return sum / 2
	}
	out, _ := run(t, b, map[string][]float64{"x": {1, 2, -3, 0.5}, "w": {0.3, -0.7}})
	near(t, "loss", out["loss"], []float64{f([]float64{0.3, -0.7})})
	const h = 1e-6
	for i := range 2 {
		up, down := []float64{0.3, -0.7}, []float64{0.3, -0.7}
		up[i] += h
		down[i] -= h
		if want := (f(up) - f(down)) / (2 * h); math.Abs(out["g"][i]-want) > 1e-8 {
			t.Errorf("gradient %d: %v, difference quotient %v", i, out["g"][i], want)
		}
	}
}

func TestGorgoniaRejected(t *testing.T) {
	for name, c := range map[string]struct {
		build func(s *core.Stage, x *graph.Node) *graph.Node
		want  string
	}{
		"inverse square root": {func(_ *core.Stage, x *graph.Node) *graph.Node {
			return must(G.InverseSqrt(x))
		}, "Recip(Sqrt(x))"},
		"log2": {func(_ *core.Stage, x *graph.Node) *graph.Node { return must(G.Log2(x)) }, "Scale(Log(x)"},
		"slice": {func(_ *core.Stage, x *graph.Node) *graph.Node { return must(G.Slice(x, nil, G.S(0, 2))) },
			"SliceCols"},
		"softmax": {func(_ *core.Stage, x *graph.Node) *graph.Node { return must(G.SoftMax(x, 1)) }, "LogSumExp"},
		"partial sum": {func(_ *core.Stage, x *graph.Node) *graph.Node {
			return must(G.Sum(x, 1))
		}, "SumCols or SumRows"},
		"rectify": {func(_ *core.Stage, x *graph.Node) *graph.Node { return must(G.Rectify(x)) }, "Less, Min, Max"},
		"concat": {func(_ *core.Stage, x *graph.Node) *graph.Node {
			return must(G.Concat(1, x, x))
		}, "ConcatCols"},
		"power": {func(_ *core.Stage, x *graph.Node) *graph.Node { return must(G.Pow(x, x)) }, "Exp and Log"},
		"named constant": {func(_ *core.Stage, x *graph.Node) *graph.Node {
			return must(G.Add(x, G.NewConstant(2.0, G.WithName("two"))))
		}, "merges constants of one name"},
		"own leaf": {func(_ *core.Stage, x *graph.Node) *graph.Node {
			return G.NewMatrix(x.Graph(), G.Float64, G.WithShape(2, 3), G.WithName("mine"))
		}, "was not made by the stage"},
		"removed": {func(_ *core.Stage, x *graph.Node) *graph.Node { // as Gorgonia's rewrite of log(1+x) removes 1+x
			y := must(G.Exp(must(G.Tanh(x))))
			x.Graph().RemoveNode(y)
			return y
		}, "removed from its graph"},
	} {
		t.Run(name, func(t *testing.T) {
			graph.Gorgonia.Lock()
			defer graph.Gorgonia.Unlock()
			b := core.NewBuilder("p", 1)
			s := b.Stage("loss")
			s.Output("y", c.build(s, s.Input("x", 2, 3)))
			_, err := b.Compile()
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `stage "loss"`) {
				t.Errorf("error %v; want one that says %q", err, c.want)
			}
		})
	}
}

// Every mistake gives one error that names stage and culprit.
func TestErrors(t *testing.T) {
	adam := core.DefaultAdam(0.1)
	for name, c := range map[string]struct {
		build func(b *core.Builder, s *core.Stage)
		want  []string
	}{
		"rows": {func(b *core.Builder, s *core.Stage) {
			s.Input("x", 5, 1)
		}, []string{`input "x" has 5 rows`, "2 groups"}},
		"shape": {func(b *core.Builder, s *core.Stage) {
			s.Output("y", s.Add(s.Input("x", 4, 3), s.Input("y", 4, 2)))
		}, []string{"Add", "4×3", "4×2"}},
		"two shapes": {func(b *core.Builder, s *core.Stage) { s.Input("x", 4, 3); b.Stage("b").Input("x", 4, 2) },
			[]string{`stage "b"`, `"x"`, "4×2", "4×3"}},
		"parameter shape": {func(b *core.Builder, s *core.Stage) { s.Param("w", 4, 3); s.Param("w", 3, 4) },
			[]string{`parameter "w"`}},
		"loss shape": {func(b *core.Builder, s *core.Stage) {
			s.Minimise(s.Input("x", 4, 3), adam, s.Param("w", 1, 1))
		}, []string{"not 1×1"}},
		"no path": {func(b *core.Builder, s *core.Stage) {
			w := s.Param("w", 1, 1)
			s.Minimise(s.Mul(s.StopGrad(w), s.Const(2)), adam, w)
		}, []string{"does not depend", `parameter w`}},
		"not a parameter": {func(b *core.Builder, s *core.Stage) {
			x := s.Input("x", 2, 1)
			s.Minimise(s.SumAll(x), adam, x)
		}, []string{"not a parameter"}},
		"stepped twice": {func(b *core.Builder, s *core.Stage) {
			w := s.Param("w", 1, 1)
			s.Minimise(s.Square(w), adam, w)
			s.Minimise(s.Exp(w), adam, w)
		}, []string{"stepped twice", `"w"`}},
		"optimiser": {func(b *core.Builder, s *core.Stage) {
			w := s.Param("w", 1, 1)
			s.Minimise(s.Square(w), core.Adam{LR: -1}, w)
		}, []string{"learning rate -1"}},
		"epsilon": {func(b *core.Builder, s *core.Stage) {
			w := s.Param("w", 1, 1)
			s.Minimise(s.Square(w), core.Adam{LR: 1}, w)
		}, []string{"DefaultAdam"}},
		"same output": {func(b *core.Builder, s *core.Stage) { s.Output("y", s.Const(1)); s.Output("y", s.Const(2)) },
			[]string{`output "y"`}},
		"nil output": {func(b *core.Builder, s *core.Stage) { s.Output("y", nil) }, []string{`output "y"`, "nil"}},
		"other stage": {func(b *core.Builder, s *core.Stage) { r := b.Stage("b"); r.Output("y", s.Const(1)) },
			[]string{`stage "b"`, "not a node"}},
		"mixed stages": {func(b *core.Builder, s *core.Stage) {
			r := b.Stage("b")
			r.Output("y", r.Add(r.Const(1), s.Const(1)))
		}, []string{"different graphs"}},
		"from later": {func(b *core.Builder, s *core.Stage) {
			r := b.Stage("b")
			s.Output("y", s.From(r, r.Const(1)))
		}, []string{"not earlier"}},
		"from failed": {func(b *core.Builder, s *core.Stage) {
			x := s.SliceCols(s.Const(1), 3, 4)
			r := b.Stage("b")
			r.Output("y", r.From(s, x))
		}, []string{`stage "s"`, "SliceCols"}},
		"ema unknown": {func(b *core.Builder, s *core.Stage) { s.Param("w", 1, 1); b.EMA("slow", "w", 0.5) },
			[]string{`no stage uses a parameter "slow"`}},
		"ema shape": {func(b *core.Builder, s *core.Stage) {
			s.Param("w", 1, 1)
			s.Param("slow", 2, 1)
			b.EMA("slow", "w", 0.5)
		}, []string{"1×1", "2×1"}},
		"tau":     {func(b *core.Builder, s *core.Stage) { b.EMA("a", "b", 1.5) }, []string{"tau 1.5"}},
		"nothing": {func(b *core.Builder, s *core.Stage) {}, []string{"nothing to compute"}},
		"stale weights": {func(b *core.Builder, s *core.Stage) {
			w := s.Param("w", 1, 1)
			s.Minimise(s.Square(w), adam, w)
			r := b.Stage("b")
			r.Output("y", r.Mul(r.From(s, w), r.Param("w", 1, 1)))
		}, []string{`parameter "w"`, "before its step", "Mul"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := core.NewBuilder("p", 2)
			c.build(b, b.Stage("s"))
			_, err := b.Compile()
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(c.want, `program "p"`) {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not say %q", err, w)
				}
			}
		})
	}
	if _, err := core.NewBuilder("p", 0).Compile(); err == nil {
		t.Error("a program of no groups was accepted")
	}
}

// count returns how many instructions of p satisfy f.
func count(p *core.Program, f func(core.Instr) bool) int {
	n := 0
	for _, l := range p.Levels {
		for _, part := range [][]core.Instr{l.Whole, l.Tiled} {
			for _, in := range part {
				if f(in) {
					n++
				}
			}
		}
	}
	return n
}

func compile(t *testing.T, b *core.Builder) *core.Program {
	t.Helper()
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func isDense(in core.Instr) bool  { _, ok := in.Op.(op.Dense); return ok }
func isMatMul(in core.Instr) bool { _, ok := in.Op.(op.MatMul); return ok }

// Equal expressions of different stages are computed once, unless a parameter was stepped in between.
func TestCommonSubexpressions(t *testing.T) {
	build := func(step bool) *core.Program {
		b := core.NewBuilder("cse", 4)
		for i := range 2 {
			s := b.Stage(fmt.Sprint("s", i))
			w := s.Param("w", 3, 1)
			y := s.Dense(s.Input("x", 8, 3), w, s.Param("b", 1, 1), op.Tanh)
			loss := s.MeanAll(s.Square(s.Add(y, s.Input("t", 8, 1))))
			swapped := s.MeanAll(s.Square(s.Add(s.Input("t", 8, 1), y)))
			s.Output(fmt.Sprint("loss", i), s.Sub(s.Scale(loss, 2), swapped))
			if step {
				s.Minimise(loss, core.DefaultAdam(0.1), w)
			}
		}
		return compile(t, b)
	}
	if n := count(build(false), isDense); n != 1 {
		t.Errorf("%d Dense instructions, want 1", n)
	}
	p := build(false)
	if p.Outputs["loss0"] != p.Outputs["loss1"] {
		t.Error("two names of one value have two values")
	}
	if n := count(build(true), isDense); n != 2 {
		t.Errorf("%d Dense instructions around a step, want 2", n)
	}
}

// Only what outputs and updates need is computed: here neither the weight gradient of the frozen layer nor the input's.
func TestDeadCode(t *testing.T) {
	b := core.NewBuilder("dce", 4)
	s := b.Stage("s")
	w1, w2 := s.Param("w1", 3, 5), s.Param("w2", 5, 1)
	h := s.Dense(s.Input("x", 8, 3), w1, s.Param("b1", 1, 5), op.ReLU)
	y := s.Dense(h, w2, s.Param("b2", 1, 1), op.Linear)
	s.SumAll(s.Exp(y))
	s.Minimise(s.MeanAll(s.Square(y)), core.DefaultAdam(0.1), w1)
	p := compile(t, b)
	if n := count(p, isMatMul); n != 2 { // into the hidden layer, and the gradient of w1
		t.Errorf("%d MatMul instructions, want 2:\n%v", n, p)
	}
	// forward 8·3·5 + 8·5·1, backward 8·1·5 + 3·8·5, two operations each
	if want := int64(2 * (120 + 40 + 40 + 120)); p.FLOPs() != want {
		t.Errorf("%d FLOPs, want %d", p.FLOPs(), want)
	}
	if n := count(p, func(in core.Instr) bool {
		return fmt.Sprint(in.Op) == "Exp" || fmt.Sprint(in.Op) == "Like"
	}); n != 0 {
		t.Errorf("dead or broadcast instructions left:\n%v", p)
	}
}

// Values that cross tiles wait for the next level; what follows only by rows does not.
func TestLevels(t *testing.T) {
	b := core.NewBuilder("levels", 4)
	s := b.Stage("s")
	x := s.Input("x", 8, 3)
	y := s.RepeatRows(s.SumRows(s.Exp(x), 2), 2) // within groups
	m := s.SumRows(y, 0)                         // over all rows
	z := s.Mul(y, m)
	s.Output("z", z)
	s.Output("cross", s.SumRows(x, 8)) // rows of one run lie in several groups
	p := compile(t, b)
	if len(p.Levels) != 2 {
		t.Fatalf("%d levels, want 2:\n%v", len(p.Levels), p)
	}
	if v := p.Values[p.Outputs["z"]]; !v.Batched || v.Rows != 8 {
		t.Errorf("z is %+v", v)
	}
	if v := p.Values[p.Outputs["cross"]]; v.Batched {
		t.Errorf("cross is %+v", v)
	}
	if n := len(p.Levels[1].Tiled); n != 1 {
		t.Errorf("%d tiled instructions in level 1, want only Mul:\n%v", n, p)
	}
	out, _ := run(t, b, map[string][]float64{"x": make([]float64, 24)})
	near(t, "z", out["z"][:3], []float64{32, 32, 32})
}

// A forward pass runs in the level of its backward pass, not as early as it could.
func TestLate(t *testing.T) {
	b := core.NewBuilder("late", 4)
	s := b.Stage("s")
	x := s.Input("x", 8, 3)
	mean := s.Scale(s.SumRows(x, 0), 1.0/8)
	w := s.Param("w", 3, 2)
	y := s.MatMul(s.Tanh(x), w, false, false)
	s.Minimise(s.MeanAll(s.Square(s.Sub(y, s.SumCols(mean)))), core.DefaultAdam(0.1), w)
	p := compile(t, b)
	if n := len(p.Levels[0].Tiled); n != 1 {
		t.Errorf("level 0 holds %d tiled instructions, want only the sum:\n%v", n, p)
	}
}

// Readers of a parameter's old version run before the step although they are declared after it, and see old values.
func TestOldVersion(t *testing.T) {
	b := core.NewBuilder("old", 1)
	s := b.Stage("step")
	w := s.Param("w", 1, 2)
	double := s.Scale(w, 2)
	s.Minimise(s.SumAll(w), core.DefaultAdam(0.5), w)
	b.EMA("slow", "w", 0.25)
	r := b.Stage("after")
	r.Output("old", r.Add(r.From(s, double), r.From(s, w)))
	r.Output("new", r.Param("w", 1, 2))
	r.Output("slow", r.Param("slow", 1, 2))
	out, mem := run(t, b, map[string][]float64{"w": {1, 2}, "slow": {4, 8}})
	const step = 0.5 / (1 + 1e-8)
	near(t, "old", out["old"], []float64{3, 6})
	near(t, "new", out["new"], []float64{1 - step, 2 - step})
	near(t, "slow", out["slow"], []float64{0.75*4 + 0.25*(1-step), 0.75*8 + 0.25*(2-step)})
	got := make([]float64, 2)
	if err := mem.Read("slow", got); err != nil {
		t.Fatal(err)
	}
	near(t, "stored", got, out["slow"])
}

// A stage steps several parameters and its losses see none of the steps; a gradient that a stage gets through From
// stops.
func TestStages(t *testing.T) {
	b := core.NewBuilder("stages", 1)
	s := b.Stage("first")
	u, v := s.Param("u", 1, 1), s.Param("v", 1, 1)
	s.Minimise(s.Mul(u, v), core.DefaultAdam(1), u, v)
	r := b.Stage("second")
	q := r.Param("u", 1, 1)
	loss := r.Mul(q, r.From(s, s.Square(u)))
	g := r.Gradients(loss, q)
	r.Output("loss", loss)
	r.Output("g", g[0])
	r.OutputNorm("norm", g[0], r.From(s, v))
	out, _ := run(t, b, map[string][]float64{"u": {3}, "v": {4}})
	near(t, "loss", out["loss"], []float64{9 * (3 - 1/(1+1e-8/4))})
	near(t, "gradient", out["g"], []float64{9})
	near(t, "norm", out["norm"], []float64{math.Sqrt(81 + 16)})
}

func TestTileSize(t *testing.T) {
	for _, c := range []struct{ groups, rows, tile, lanes int }{
		{16, 256, 1, 8}, {16, 300, 1, 8}, {16, 64, 4, 4}, {10, 100, 2, 5}, {4, 1, 4, 1}, {1, 5000, 1, 1},
		{600, 1, 256, 3},
	} {
		b := core.NewBuilder("tiles", c.groups)
		s := b.Stage("s")
		s.Output("y", s.Exp(s.Input("x", c.groups*c.rows, 2)))
		p := compile(t, b)
		if p.TileGroups != c.tile || p.Lanes != c.lanes {
			t.Errorf("%d groups of %d rows: tiles of %d, %d lanes; want %d and %d", c.groups, c.rows, p.TileGroups,
				p.Lanes, c.tile, c.lanes)
		}
	}
}

// Programs built at the same time in several goroutines are right (and free of races under the race detector), and
// the same source gives the same program.
func TestConcurrentBuilding(t *testing.T) {
	want := coretest.Benchmark(t).String()
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if got := coretest.Benchmark(t).String(); got != want {
				t.Error("two builds of one program differ")
			}
		}()
	}
	wg.Wait()
}
