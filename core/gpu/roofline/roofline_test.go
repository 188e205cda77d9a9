package roofline_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/gpu"
	"nacre/core/gpu/roofline"
	"nacre/core/op"
)

// layers is a network of equal layers: rows×width, width terms.
func layers(t testing.TB, rows, width, depth int) *gpu.Schedule {
	b := core.NewBuilder("layers", 1)
	s := b.Stage("forward")
	x := s.WholeInput("x", rows, width)
	for i := range depth {
		x = s.Dense(x, s.Param(fmt.Sprintf("w%d", i), width, width), s.Param(fmt.Sprintf("b%d", i), 1, width), op.ReLU)
	}
	s.Output("y", x)
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	pl, err := gpu.New(p, gpu.Options{Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

func Example() {
	b := core.NewBuilder("layer", 1)
	s := b.Stage("forward")
	s.Output("y", s.Dense(s.WholeInput("x", 4096, 300), s.Param("w", 300, 300), s.Param("b", 1, 300), op.ReLU))
	p, _ := b.Compile()
	plan, _ := gpu.New(p, gpu.Options{Vectors: true})
	card, _ := roofline.Find("h100")
	m := roofline.New(plan, card, roofline.Options{Precision: "tf32"})
	l := m.Launches[0]
	fmt.Printf("%d operations, %d bytes, bound by %s\n", l.FLOPs, l.Bytes, l.Bound)
	// Output: 737280000 operations, 10191600 bytes, bound by products
}

// A product that fills the card takes its operations at no more than the peak rate and at no less than half of it.
func TestProductAtPeak(t *testing.T) {
	for _, card := range roofline.Cards {
		m := roofline.New(layers(t, 65536, 4096, 1), card, roofline.Options{})
		least := 2 * 65536 * 4096 * 4096 / card.FP32 / 1e6
		if l := m.Launches[0]; !(l.Alone >= least) || l.Alone > 2*least || math.Abs(l.Share-least/l.Alone) > 1e-9 {
			t.Errorf("%s: %.0f µs, share %.2f, the peak rate allows %.0f µs", card.Name, l.Alone, l.Share, least)
		}
	}
}

// Layers that depend on one another take as long on branches as one by one, but for what the last waits for nothing;
// and every launch begins after those it depends on.
func TestChain(t *testing.T) {
	card, err := roofline.Find("a100")
	if err != nil {
		t.Fatal(err)
	}
	m := roofline.New(layers(t, 4096, 300, 5), card, roofline.Options{Precision: "tf32"})
	if math.Abs(m.Total-m.Serial) > 1e-6 || math.Abs(m.Critical-m.Serial) > 1e-6 {
		t.Errorf("a chain takes %.3f µs on branches, %.3f on its critical path, %.3f one by one", m.Total,
			m.Critical, m.Serial)
	}
	for _, l := range m.Launches {
		if !l.Critical || l.Share > 1 {
			t.Errorf("launch %d of a chain: critical %v, share %.2f", l.Number, l.Critical, l.Share)
		}
		for _, d := range l.After {
			if m.Launches[d].End > l.Begin+1e-9 {
				t.Errorf("launch %d begins at %.2f, %d ends at %.2f", l.Number, l.Begin, d, m.Launches[d].End)
			}
		}
	}
	if dot := m.DOT(); strings.Count(dot, " -> ") != 4 || strings.Count(dot, "label=") != 5 {
		t.Errorf("the graph of a chain of five:\n%s", dot)
	}
}

// A compiler that has biases in its products saves a launch for each, and what that reads and writes.
func TestFusedBiases(t *testing.T) {
	card, err := roofline.Find("h100")
	if err != nil {
		t.Fatal(err)
	}
	m := roofline.New(layers(t, 4096, 300, 5), card, roofline.Options{})
	each := card.Gap + card.Start + 2*4*4096*300/card.CacheRate/1e6
	if saved := m.Compiler - m.Fused; math.Abs(saved-5*each) > 1e-6 {
		t.Errorf("five biases take %.2f µs, want %.2f", saved, 5*each)
	}
}

// What draws the next update's data runs beside a long update and delays only what fills the inputs and keeps the
// scalars; beside a short one it is what takes longest. Every memory has its own.
func TestDrawing(t *testing.T) {
	card, err := roofline.Find("h100")
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.NewDrawing(feed.Recipe{Obs: 20, Act: 6, Tasks: 100, Slots: 16, Stores: 1, Capacity: 1000,
		Draws: []feed.Draw{{Kind: feed.Transitions, N: 256}}, Noise: []feed.Noise{{Input: "eps", N: 30000}},
		Fills: []feed.Fill{{Input: "x", Field: feed.Obs}}})
	if err != nil {
		t.Fatal(err)
	}
	for depth, hidden := range map[int]bool{1: false, 20: true} {
		pl := layers(t, 4096, 300, depth)
		plain := roofline.New(pl, card, roofline.Options{})
		m := roofline.New(pl, card, roofline.Options{Drawing: d})
		if more := m.Total - plain.Total; more < 5 || (more < 20) != hidden {
			t.Errorf("%d layers: %.1f µs, with drawing %.1f", depth, plain.Total, m.Total)
		}
		for _, l := range m.Launches {
			for _, a := range l.After {
				if m.Launches[a].End > l.Begin+1e-9 {
					t.Errorf("launch %d begins at %.2f, %d ends at %.2f", l.Number, l.Begin, a, m.Launches[a].End)
				}
			}
		}
		if n := len(roofline.New(pl, card, roofline.Options{Drawing: d, Memories: 3}).Launches); n != depth+3*6 {
			t.Errorf("%d launches for 3 memories, want %d", n, depth+3*6)
		}
	}
}

// Three products in TF32 take less time than one in float32 and more than one in TF32 does. What is rounded to bfloat16
// on its way saves nothing.
func TestPrecisions(t *testing.T) {
	card, err := roofline.Find("h100")
	if err != nil {
		t.Fatal(err)
	}
	took := map[string]float64{}
	for _, p := range []string{"", "tf32", "tf32x3", "bf16"} {
		took[p] = roofline.New(layers(t, 65536, 1024, 3), card, roofline.Options{Precision: p}).Total
	}
	if !(took["tf32"] < took["bf16"] && took["bf16"] < took["tf32x3"] && took["tf32x3"] < took[""]) {
		t.Errorf("µs by precision: %v", took)
	}
}

// A driver's name finds its card, and measured times stand beside the modelled ones.
func TestMeasured(t *testing.T) {
	card, ok := roofline.Of("NVIDIA H100 80GB HBM3")
	if _, other := roofline.Of("Tesla T4"); !ok || card.Name != "h100" || other {
		t.Errorf("found %q, %v, and a Tesla T4: %v", card.Name, ok, other)
	}
	m := roofline.New(layers(t, 4096, 300, 2), card, roofline.Options{})
	if err := m.Measure([]float64{1}); err == nil {
		t.Error("one time for two launches is no error")
	}
	if err := m.Measure([]float64{12.5, 13.25}); err != nil || m.Measured != 25.75 ||
		!strings.Contains(m.String(), " 13.25 ") {
		t.Errorf("%v, %v", err, m)
	}
}

func TestFind(t *testing.T) {
	if _, err := roofline.Find("h10"); err == nil || !strings.Contains(err.Error(), "h100") {
		t.Errorf("the error of an unknown GPU is %v", err)
	}
}
