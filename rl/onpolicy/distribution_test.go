package onpolicy_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/onpolicy"
)

// theirs is a case of testdata/torch.json.
type theirs struct {
	Choices []int
	Scale   float64
	Taken   [][]int
	LogProb []float64 `json:"log_prob"`
	KL      []float64
	Entropy []float64

	GradLogProb []float64 `json:"d/log_prob"`
	GradKL      []float64 `json:"d/kl"`
	GradKLByQ   []float64 `json:"d/kl/q"`
	GradEntropy []float64 `json:"d/entropy"`
	Product     []float64
}

// rowsOf is the number of rows of every case.
const rowsOf = 6

// quantities are the outputs of a program on inputs p, q, act and v, all rows × act.
func quantities(t *testing.T, choices []int, act int) *core.Program {
	t.Helper()
	b := core.NewBuilder("categorical", 1)
	s := b.Stage("s")
	p, q := s.Input("p", rowsOf, act), s.Input("q", rowsOf, act)
	c := onpolicy.Categorical{Logits: p, Choices: choices}
	logProb := c.LogProb(s, s.Input("act", rowsOf, act))
	kl := c.KL(s, onpolicy.Categorical{Logits: q, Choices: choices})
	entropy := c.Entropy(s)
	weight := s.Affine(s.SumCols(s.StopGrad(p)), 0, 1) // ones
	for name, x := range map[string]*graph.Node{"log_prob": logProb, "kl": kl, "entropy": entropy,
		"mean_entropy": c.MeanEntropy(s, weight)} {
		s.Output(name, x)
	}
	s.Output("d/log_prob", s.Gradients(s.SumAll(logProb), p)[0])
	s.Output("d/entropy", s.Gradients(s.SumAll(entropy), p)[0])
	byBoth := s.Gradients(s.SumAll(kl), p, q)
	s.Output("d/kl", byBoth[0])
	s.Output("d/kl/q", byBoth[1])
	first := s.Gradients(s.SumAll(c.Constant(s).KL(s, c)), p)[0]
	s.Output("product", s.Gradients(s.SumAll(s.Mul(first, s.Input("v", rowsOf, act))), p)[0])
	program, err := b.Compile()
	check(t, err)
	return program
}

// evaluate runs a program and returns its outputs.
func evaluate(t *testing.T, d core.Device, p *core.Program, in map[string][]float64) map[string][]float64 {
	t.Helper()
	m, err := d.NewMemory(nil)
	check(t, err)
	run, err := d.Load(p, m)
	check(t, err)
	defer run.Close()
	for name, x := range in {
		check(t, run.Write64(name, x))
	}
	check(t, run.Run())
	out := map[string][]float64{}
	for name, v := range p.Outputs {
		out[name] = make([]float64, p.Values[v].Rows*p.Values[v].Cols)
		check(t, run.Read64(name, out[name]))
	}
	return out
}

// inputs are those of a case.
func (c theirs) inputs() (act int, in map[string][]float64) {
	for _, n := range c.Choices {
		act += n
	}
	scaled := func(stream uint64) []float64 {
		x := rng.Normal(stream, rowsOf*act)
		for i := range x {
			x[i] *= c.Scale
		}
		return x
	}
	in = map[string][]float64{"p": scaled(1), "q": scaled(2), "v": rng.Normal(3, rowsOf*act),
		"act": make([]float64, rowsOf*act)}
	from := 0
	for k, n := range c.Choices {
		for row, at := range c.Taken[k] {
			in["act"][row*act+from+at] = 1
		}
		from += n
	}
	return act, in
}

// Log probability, divergence and entropy, their gradients, and the Hessian of the divergence are those of PyTorch's
// Categorical, both in float64; in float32 they are near. The gradients are also those of finite differences.
func TestCategoricalIsThatOfPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/torch.json")
	check(t, err)
	var file struct{ Cases []theirs }
	check(t, json.Unmarshal(text, &file))
	if len(file.Cases) != 4 {
		t.Fatalf("%d cases, want 4", len(file.Cases))
	}
	fast, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	for _, c := range file.Cases {
		act, in := c.inputs()
		program := quantities(t, c.Choices, act)
		want := map[string][]float64{"log_prob": c.LogProb, "kl": c.KL, "entropy": c.Entropy,
			"d/log_prob": c.GradLogProb, "d/kl": c.GradKL, "d/kl/q": c.GradKLByQ, "d/entropy": c.GradEntropy,
			"product": c.Product}
		got, single := evaluate(t, ref.Device, program, in), evaluate(t, fast, program, in)
		for name, w := range want {
			for i := range w {
				near(t, name, got[name][i], w[i], 1e-9*max(1, math.Abs(w[i])))
				near(t, name+" in float32", single[name][i], w[i], 2e-5*max(1, math.Abs(w[i])))
			}
		}
		sum := 0.0
		for row, h := range c.Entropy {
			sum += h
			near(t, "entropy outside of a graph", onpolicy.EntropyOf(c.Choices, in["p"][row*act:(row+1)*act]), h, 1e-12)
		}
		near(t, "mean entropy", got["mean_entropy"][0], sum, 1e-9)
		if act > 10 {
			continue
		}
		for _, f := range []struct{ of, by, gradient string }{{"log_prob", "p", "d/log_prob"}, {"kl", "p", "d/kl"},
			{"kl", "q", "d/kl/q"}, {"entropy", "p", "d/entropy"}} {
			for i := range in[f.by] {
				const step = 1e-5
				at, sides := in[f.by][i], [2]float64{}
				for k, h := range []float64{-step, step} {
					in[f.by][i] = at + h
					for _, v := range evaluate(t, ref.Device, program, in)[f.of] {
						sides[k] += v
					}
				}
				in[f.by][i] = at
				near(t, f.gradient+" by differences", (sides[1]-sides[0])/(2*step), got[f.gradient][i], 1e-7)
			}
		}
	}
}

// Drawn choices have the frequencies of the softmax, those without noise are the first most probable, and logits that
// are no numbers become an action that is none.
func TestChoose(t *testing.T) {
	choices, logits := []int{3, 2}, []float64{0.3, -1, 1.2, 2, 2}
	act, counts := make([]float64, 5), make([]float64, 5)
	r := rng.New(4)
	const draws = 20000
	for range draws {
		onpolicy.Choose(choices, logits, r, act)
		for j, x := range act {
			counts[j] += x / draws
		}
	}
	sum := math.Exp(0.3) + math.Exp(-1) + math.Exp(1.2)
	for j, want := range []float64{math.Exp(0.3) / sum, math.Exp(-1) / sum, math.Exp(1.2) / sum, 0.5, 0.5} {
		near(t, "frequency", counts[j], want, 4*math.Sqrt(want*(1-want)/draws))
	}
	onpolicy.Choose(choices, logits, nil, act)
	if !slices.Equal(act, []float64{0, 0, 1, 1, 0}) {
		t.Errorf("without noise %v", act)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		onpolicy.Choose(choices, []float64{0, bad, 1, 0, 0}, r, act)
		if !math.IsNaN(act[0]) {
			t.Errorf("of a logit %v the action is %v", bad, act)
		}
	}
	onpolicy.Choose([]int{2}, []float64{math.Inf(-1), 0}, r, act)
	if act[0] != 0 || act[1] != 1 {
		t.Errorf("an impossible choice: %v", act[:2])
	}
	near(t, "entropy with an impossible choice", onpolicy.EntropyOf([]int{2}, []float64{math.Inf(-1), 0}), 0, 0)
}

// A categorical policy acts by its own slots' logits and has no deviations among its parameters.
func TestCategoricalSlots(t *testing.T) {
	p := onpolicy.Policy{Net: nn.MLP{Name: "policy", In: 3, Hidden: []int{5}, Out: 5, Act: op.Tanh},
		Choices: []int{3, 2}}
	if n := p.Size(); n != 3*5+5+5*5+5 {
		t.Errorf("%d parameters", n)
	}
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	a, err := onpolicy.NewActor(d, p, 1, 4)
	check(t, err)
	defer a.Close()
	params := make([]float64, p.Size())
	for slot, best := range []int{2, 0} { // zero weights: the logits are the last biases
		clear(params)
		params[len(params)-5+best], params[len(params)-2+best/2] = 30, 30
		check(t, a.Load(slot, params))
	}
	obs, act := make([]float64, 4*3), make([]float64, 3*5)
	noise := make([]*rand.Rand, 4)
	for i := range noise {
		noise[i] = rng.New(1, uint64(i))
	}
	for _, n := range [][]*rand.Rand{nil, noise} {
		check(t, a.Policy([]int{0, 1, 0, 1}, n).Act(0, []int{3, 2, 1}, nil, obs[:9], act))
		if want := []float64{1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0}; !slices.Equal(act, want) {
			t.Errorf("actions %v, want %v", act, want)
		}
	}
}
