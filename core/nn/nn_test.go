package nn_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/rng"
)

func Example() {
	v := nn.MLP{Name: "v", In: 25, Hidden: []int{300, 300, 300}, Out: 1, Act: op.ReLU}
	b := core.NewBuilder("value", 16)
	s := b.Stage("fit")
	y := v.Apply(s, s.Input("x", 16*256, 25))
	loss := s.MeanAll(s.Square(s.Sub(y, s.Input("target", 16*256, 1))))
	s.Minimise(loss, core.DefaultAdam(3e-4), v.Nodes(s)...)
	slow := v.As("target v")
	slow.Nodes(s)
	nn.EMA(b, slow, v, 0.005)
	program, err := b.Compile()
	fmt.Println(len(program.ParamSpecs()), program.FLOPs(), err)
	// forward and weight gradients 4096·(25·300 + 2·300² + 300) each, back through the layers 4096·(2·300² + 300),
	// times 2 Output: 16 4553932800 <nil>
}

func read(t *testing.T, mem core.Memory, p core.ParamSpec) []float64 {
	t.Helper()
	x := make([]float64, p.Rows*p.Cols)
	if err := mem.Read(p.Name, x); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestSpecs(t *testing.T) {
	got := fmt.Sprint(nn.MLP{Name: "q", In: 5, Hidden: []int{7, 8}, Out: 2}.Specs())
	if want := "[{q/w0 5 7} {q/b0 1 7} {q/w1 7 8} {q/b1 1 8} {q/w2 8 2} {q/b2 1 2}]"; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A two-layer network on one row, worked out by hand.
func TestApply(t *testing.T) {
	for act, want := range map[op.Act]float64{op.ReLU: 2*1.5 + 0.25, op.Tanh: 2*math.Tanh(1.5) - math.Tanh(-1) + 0.25} {
		m := nn.MLP{Name: "m", In: 1, Hidden: []int{2}, Out: 1, Act: act}
		b := core.NewBuilder("apply", 1)
		s := b.Stage("s")
		s.Output("y", m.Apply(s, s.Input("x", 1, 1)))
		p, err := b.Compile()
		if err != nil {
			t.Fatal(err)
		}
		mem, _ := ref.Device.NewMemory(p.ParamSpecs())
		for name, x := range map[string][]float64{"m/w0": {1, -1}, "m/b0": {0.5, 0}, "m/w1": {2, -1}, "m/b1": {0.25}} {
			if err := mem.Write(name, x); err != nil {
				t.Fatal(err)
			}
		}
		r, err := ref.Device.Load(p, mem)
		if err != nil {
			t.Fatal(err)
		}
		r.Write64("x", []float64{1})
		r.Run()
		y := make([]float64, 1)
		r.Read64("y", y)
		if math.Abs(y[0]-want) > 1e-15 {
			t.Errorf("activation %v: %v, want %v", act, y[0], want)
		}
	}
}

// Ranges, moments and repeatability of the initialisation.
func TestOyster(t *testing.T) {
	m := nn.MLP{Name: "m", In: 100, Hidden: []int{400, 25}, Out: 300}
	mem, err := ref.Device.NewMemory(m.Specs())
	if err != nil {
		t.Fatal(err)
	}
	for _, fanIn := range []bool{false, true} {
		o := nn.Oyster{Last: 3e-3, FanIn: fanIn}
		if err := mem.Write("m/w0.t", []float64{9}); err != nil {
			t.Fatal(err)
		}
		if err := o.Init(mem, m, rng.New(1, rng.Init)); err != nil {
			t.Fatal(err)
		}
		step := make([]float64, 1)
		if mem.Read("m/w0.t", step); step[0] != 0 {
			t.Error("the optimiser state was kept")
		}
		half := []float64{1 / math.Sqrt(400), 0, 1 / math.Sqrt(25), 0, 3e-3, 3e-3}
		if fanIn {
			half[0], half[2] = 1/math.Sqrt(100), 1/math.Sqrt(400)
		}
		var first [][]float64
		for i, p := range m.Specs() {
			x := read(t, mem, p)
			first = append(first, x)
			if half[i] == 0 {
				if slices.Min(x) != 0.1 || slices.Max(x) != 0.1 {
					t.Errorf("%s is not 0.1", p.Name)
				}
				continue
			}
			sum := 0.0
			for _, v := range x {
				sum += v * v
			}
			// uniform in ±h: variance h²/3, extremes close to ±h
			n := float64(len(x))
			if ratio := sum / n / (half[i] * half[i] / 3); math.Abs(ratio-1) > 5*math.Sqrt(0.8/n) {
				t.Errorf("%s: variance is %.3f of h²/3", p.Name, ratio)
			}
			if slices.Min(x) < -half[i] || slices.Max(x) > half[i] || slices.Max(x) < 0.95*half[i] ||
				slices.Min(x) > -0.95*half[i] {
				t.Errorf("%s lies in [%v, %v], want nearly ±%v", p.Name, slices.Min(x), slices.Max(x), half[i])
			}
		}
		if err := o.Init(mem, m, rng.New(1, rng.Init)); err != nil {
			t.Fatal(err)
		}
		for i, p := range m.Specs() {
			if !slices.Equal(first[i], read(t, mem, p)) {
				t.Errorf("%s: the same stream gave other weights", p.Name)
			}
		}
	}
	if err := (nn.Oyster{Last: -1}).Init(mem, m, rng.New(1)); err == nil {
		t.Error("a negative half-width was accepted")
	}
	if err := (nn.Oyster{}).Init(mem, m.As("other"), rng.New(1)); err == nil {
		t.Error("a network that is not in memory was initialised")
	}
}

func TestCopy(t *testing.T) {
	m := nn.MLP{Name: "m", In: 3, Hidden: []int{4}, Out: 2}
	c := m.As("copy")
	mem, err := ref.Device.NewMemory(append(m.Specs(), c.Specs()...))
	if err != nil {
		t.Fatal(err)
	}
	if err := (nn.Oyster{Last: 1}).Init(mem, m, rng.New(1)); err != nil {
		t.Fatal(err)
	}
	if err := nn.Copy(mem, c, m); err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Specs() {
		if !slices.Equal(read(t, mem, p), read(t, mem, c.Specs()[i])) {
			t.Errorf("%s was not copied", p.Name)
		}
	}
	for _, to := range []nn.MLP{{Name: "copy", In: 3, Out: 2}, {Name: "copy", In: 3, Hidden: []int{5}, Out: 2}} {
		if err := nn.Copy(mem, to, m); err == nil || !strings.Contains(err.Error(), "copy") {
			t.Errorf("copy to another shape: error %v", err)
		}
	}
}

func TestEMAOfAnotherShape(t *testing.T) {
	m := nn.MLP{Name: "m", In: 1, Hidden: []int{1}, Out: 1}
	for _, target := range []nn.MLP{{Name: "slow", In: 1, Hidden: []int{1, 1}, Out: 1}, {Name: "slow", In: 1, Out: 1}} {
		b := core.NewBuilder("ema", 1)
		s := b.Stage("s")
		x := s.Input("x", 1, 1)
		s.Output("y", s.Add(m.Apply(s, x), target.Apply(s, x)))
		nn.EMA(b, target, m, 0.5)
		if _, err := b.Compile(); err == nil {
			t.Errorf("%d layers were averaged with %d", len(target.Hidden)+1, len(m.Hidden)+1)
		}
	}
}

func TestXavier(t *testing.T) {
	m := nn.MLP{Name: "m", In: 100, Hidden: []int{400}, Out: 20}
	mem, err := ref.Device.NewMemory(m.Specs())
	if err != nil {
		t.Fatal(err)
	}
	if err := (nn.Xavier{}).Init(mem, m, rng.New(1, rng.Init)); err != nil {
		t.Fatal(err)
	}
	half := []float64{math.Sqrt(6.0 / 500), 0, math.Sqrt(6.0 / 420), 0}
	for i, p := range m.Specs() {
		x := read(t, mem, p)
		if slices.Min(x) < -half[i] || slices.Max(x) > half[i] || slices.Max(x) < 0.95*half[i] ||
			slices.Min(x) > -0.95*half[i] {
			t.Errorf("%s lies in [%v, %v], want nearly ±%v", p.Name, slices.Min(x), slices.Max(x), half[i])
		}
	}
}

// Two heads of ten are drawn as layers of ten outputs, and Normal has the variance of the uniform weights.
func TestXavierNormalAndHeads(t *testing.T) {
	m := nn.MLP{Name: "m", In: 100, Hidden: []int{400}, Out: 20}
	mem, err := ref.Device.NewMemory(m.Specs())
	must(t, err)
	for _, normal := range []bool{false, true} {
		must(t, nn.Xavier{Normal: normal, Heads: 2}.Init(mem, m, rng.New(1, rng.Init)))
		want := []float64{2.0 / 500, 0, 2.0 / 410, 0}
		for i, p := range m.Specs() {
			x := read(t, mem, p)
			var square, largest float64
			for _, v := range x {
				square, largest = square+v*v, max(largest, math.Abs(v))
			}
			if got := square / float64(len(x)); math.Abs(got-want[i]) > 0.05*want[i] {
				t.Errorf("normal %v: the variance of %s is %v, want %v", normal, p.Name, got, want[i])
			}
			if tails := largest > math.Sqrt(3*want[i])*1.05; tails != (normal && want[i] > 0) {
				t.Errorf("normal %v: the largest of %s is %v of a deviation %v", normal, p.Name, largest,
					math.Sqrt(want[i]))
			}
		}
	}
}
