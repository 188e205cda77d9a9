package pearl

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/heavy"
	"nacre/rl/benchmark"
)

// ofOyster is an update by PEARL's authors' own program: losses, and the sums of the networks' absolute weights after
// it.
type ofOyster struct{ Figures, Weights map[string]float64 }

// oyster reads the three updates that bench/torch/oyster.py wrote, to twelve digits, of each size.
func oyster(t *testing.T) map[string][]ofOyster {
	t.Helper()
	text, err := os.ReadFile("testdata/oyster.json")
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Sizes map[string][]ofOyster }
	if err := json.Unmarshal(text, &out); err != nil || len(out.Sizes) != len(benchmark.Sizes) {
		t.Fatalf("%d sizes, %v", len(out.Sizes), err)
	}
	for name, updates := range out.Sizes {
		if len(updates) != 3 || len(updates[0].Figures) != 4 || len(updates[0].Weights) != 6 {
			t.Fatalf("size %s: %v", name, updates)
		}
	}
	return out.Sizes
}

// What other software found for the benchmark, to which every device is held, is what oyster's own program finds: all
// twelve digits.
func TestExpectedIsOfOyster(t *testing.T) {
	for size, updates := range oyster(t) {
		for step, u := range updates {
			for name, v := range u.Figures {
				if got := expected[size][step][name]; got != v {
					t.Errorf("size %s, update %d: %s is expected to be %v, oyster has %v", size, step, name, got, v)
				}
			}
		}
	}
}

// Three updates in float32 from the same weights, on the same data and noise, end with oyster's weights.
func TestUpdateIsThatOfOyster(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	beside(t, benchmark.Oyster, d, func(got, want float64) bool { return math.Abs(got/want-1) < 2e-5 })
}

// In float64 all twelve digits agree, of losses and of weights.
func TestUpdateIsThatOfOysterInFloat64(t *testing.T) {
	heavy.Skip(t, "makes updates on the reference device")
	for _, size := range benchmark.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			beside(t, size, ref.Device, func(got, want float64) bool {
				rounded, err := strconv.ParseFloat(strconv.FormatFloat(got, 'g', 12, 64), 64)
				return err == nil && rounded == want
			})
		})
	}
}

// beside makes updates on a device and compares each with oyster's.
func beside(t *testing.T, size benchmark.Size, d core.Device, same func(got, want float64) bool) {
	t.Helper()
	y, err := NewBenchmark(size, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	nets := map[string]nn.MLP{"encoder": y.nets.Encoder.Net, "q1": y.nets.Q1, "q2": y.nets.Q2, "v": y.nets.V,
		"policy": y.nets.Policy.Net, "v_target": y.nets.VTarget}
	for step, want := range oyster(t)[size.Name] {
		got, err := y.Update(step)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range want.Figures {
			if !same(got[name], v) {
				t.Errorf("size %s, update %d: %s is %.13g, oyster has %.12g", size.Name, step, name, got[name], v)
			}
		}
		for name, v := range want.Weights {
			if sum := absolute(t, y.mem, nets[name]); !same(sum, v) {
				t.Errorf("size %s, after update %d: the absolute weights of %s sum to %.13g, oyster's to %.12g",
					size.Name, step, name, sum, v)
			}
		}
	}
}

// absolute is the sum of a network's absolute weights.
func absolute(t *testing.T, m core.Memory, net nn.MLP) (sum float64) {
	t.Helper()
	for _, p := range net.Specs() {
		x := make([]float64, p.Rows*p.Cols)
		if err := m.Read(p.Name, x); err != nil {
			t.Fatal(err)
		}
		for _, v := range x {
			sum += math.Abs(v)
		}
	}
	return sum
}
