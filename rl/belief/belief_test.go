package belief_test

import (
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/belief"
)

// direct is an encoder of one linear layer without hidden ones. With identity weights a context row is itself the
// factor: the means, then the variances before softplus.
func direct(latent int) belief.Encoder {
	return belief.Encoder{Latent: latent, Net: nn.MLP{Name: "encoder", In: 2 * latent, Out: 2 * latent, Act: op.ReLU}}
}

// before is the number whose softplus is v.
func before(v float64) float64 { return math.Log(math.Expm1(v)) }

// identity writes unit weights and zero biases.
func identity(t *testing.T, m core.Memory, net nn.MLP) {
	t.Helper()
	w := make([]float64, net.In*net.Out)
	for i := range min(net.In, net.Out) {
		w[i*net.Out+i] = 1
	}
	check(t, m.Write(net.Name+"/w0", w))
}

var check = fatal.On

// infer runs Infer on tasks of rows factors each, (mean, before(variance)) per row, and returns means, variances, the
// KL divergence and the sample for eps.
func infer(t *testing.T, tasks, latent int, factors, weights,
	eps []float64) (mean, variance []float64, kl float64, z []float64) {
	t.Helper()
	return inferBy(t, direct(latent), tasks, factors, weights, eps)
}

func inferBy(t *testing.T, enc belief.Encoder, tasks int, factors, weights,
	eps []float64) (mean, variance []float64, kl float64, z []float64) {
	t.Helper()
	latent := enc.Latent
	rows := len(weights) / tasks
	b := core.NewBuilder("posterior", tasks)
	s := b.Stage("infer")
	q := enc.Infer(s, s.Input("context", tasks*rows, enc.Width()), s.Input("weight", tasks*rows, 1), rows)
	s.Output("mean", q.Mean)
	s.Output("var", q.Var)
	s.Output("kl", q.KL(s))
	s.Output("z", q.Sample(s, s.Input("eps", tasks, latent)))
	p, err := b.Compile()
	check(t, err)
	m, err := ref.Device.NewMemory(enc.Net.Specs())
	check(t, err)
	identity(t, m, enc.Net)
	run, err := ref.Device.Load(p, m)
	check(t, err)
	if eps == nil {
		eps = make([]float64, tasks*latent)
	}
	for name, x := range map[string][]float64{"context": factors, "weight": weights, "eps": eps} {
		check(t, run.Write64(name, x))
	}
	check(t, run.Run())
	mean, variance, z = make([]float64, tasks*latent), make([]float64, tasks*latent), make([]float64, tasks*latent)
	one := make([]float64, 1)
	for name, x := range map[string][]float64{"mean": mean, "var": variance, "z": z, "kl": one} {
		check(t, run.Read64(name, x))
	}
	return mean, variance, one[0], z
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

// The factors of TestProductByHand, from rows eight times as large.
func TestView(t *testing.T) {
	enc := direct(1)
	enc.View = func(s *core.Stage, context *graph.Node) *graph.Node { return s.Scale(context, 0.125) }
	mean, variance, _, _ := inferBy(t, enc, 1, []float64{8, 8 * before(1), 32, 8 * before(2)}, []float64{1, 1}, nil)
	near(t, "variance", variance[0], 2.0/3)
	near(t, "mean", mean[0], 2)
}

// Factors N(1, 1) and N(4, 2): precision 1 + 1/2, mean (1 + 4/2)/1.5. A second task with one factor keeps it.
func TestProductByHand(t *testing.T) {
	mean, variance, _, z := infer(t, 2, 1,
		[]float64{1, before(1), 4, before(2) /* task 2 */, -3, before(0.25), 9, before(9)},
		[]float64{1, 1, 1, 0}, []float64{2, -1})
	near(t, "variance", variance[0], 2.0/3)
	near(t, "mean", mean[0], 2)
	near(t, "variance of task 2", variance[1], 0.25)
	near(t, "mean of task 2", mean[1], -3)
	near(t, "z", z[0], 2+2*math.Sqrt(2.0/3))
	near(t, "z of task 2", z[1], -3-0.5)
}

func TestIdenticalFactors(t *testing.T) {
	for _, m := range []int{1, 2, 64, 200} {
		var factors []float64
		for range m {
			factors = append(factors, 0.7, -2, before(0.9), before(3))
		}
		mean, variance, _, _ := infer(t, 1, 2, factors, ones(m), nil)
		near(t, "mean", mean[0], 0.7)
		near(t, "mean", mean[1], -2)
		near(t, "variance", variance[0], 0.9/float64(m))
		near(t, "variance", variance[1], 3/float64(m))
	}
}

func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	r := rng.New(1)
	const rows, width = 30, 4
	factors := make([]float64, rows*width)
	for i := range factors {
		factors[i] = r.NormFloat64()
	}
	var shuffled []float64
	for _, i := range r.Perm(rows) {
		shuffled = append(shuffled, factors[i*width:(i+1)*width]...)
	}
	m1, v1, _, _ := infer(t, 1, 2, factors, ones(rows), nil)
	m2, v2, _, _ := infer(t, 1, 2, shuffled, ones(rows), nil)
	for l := range m1 {
		near(t, "mean", m2[l], m1[l])
		near(t, "variance", v2[l], v1[l])
	}
}

// A factor of variance 1e-6 among a hundred of variance 1 has 0.9999 of the precision. Before the clamp at MinVar,
// a factor's variance could be zero: softplus(-800) is.
func TestNarrowFactorDominates(t *testing.T) {
	factors := []float64{5, before(1e-6)}
	for range 100 {
		factors = append(factors, -1, before(1))
	}
	mean, variance, _, _ := infer(t, 1, 1, factors, ones(101), nil)
	near(t, "variance", variance[0], 1/(1e6+100))
	if !(math.Abs(mean[0]-(5e6-100)/(1e6+100)) < 1e-9) {
		t.Errorf("mean %v, want 4.9994", mean[0])
	}
	mean, variance, _, _ = infer(t, 1, 1, []float64{5, -800}, ones(1), nil)
	near(t, "clamped variance", variance[0], belief.MinVar)
	near(t, "mean", mean[0], 5)
}

// Rows of weight 0 change no bit, whatever they hold.
func TestPaddingDropsOutExactly(t *testing.T) {
	r := rng.New(2)
	rows := make([]float64, 7*4)
	for i := range rows {
		rows[i] = r.NormFloat64()
	}
	m1, v1, kl1, _ := infer(t, 1, 2, rows[:5*4], ones(5), nil)
	m2, v2, kl2, _ := infer(t, 1, 2, rows, []float64{1, 1, 1, 1, 1, 0, 0}, nil)
	for l := range m1 {
		if m1[l] != m2[l] || v1[l] != v2[l] {
			t.Errorf("dimension %d: N(%v, %v) with padding, N(%v, %v) without", l, m2[l], v2[l], m1[l], v1[l])
		}
	}
	if kl1 != kl2 {
		t.Errorf("KL %v with padding, %v without", kl2, kl1)
	}
}

// KL(N(0,1)‖N(0,1)) = 0, KL(N(1,4)‖N(0,1)) = (4 + 1 - 1 - ln 4)/2, and the divergence is a sum over tasks.
func TestKL(t *testing.T) {
	_, _, kl, _ := infer(t, 1, 1, []float64{0, before(1)}, ones(1), nil)
	near(t, "KL of the prior", kl, 0)
	want := (4 - math.Log(4)) / 2
	_, _, kl, _ = infer(t, 1, 1, []float64{1, before(4)}, ones(1), nil)
	near(t, "KL of N(1, 4)", kl, want)
	_, _, kl, _ = infer(t, 3, 1, []float64{1, before(4), 1, before(4), 1, before(4)}, ones(3), nil)
	near(t, "KL of three tasks", kl, 3*want)
}

// An encoder's mistakes surface with the stage's name when the program is compiled.
func TestInferRejectsWrongRows(t *testing.T) {
	enc := direct(2)
	b := core.NewBuilder("posterior", 2)
	s := b.Stage("infer")
	enc.Infer(s, s.Input("context", 2*5, enc.Width()), s.Input("weight", 2*5, 1), 4)
	if _, err := b.Compile(); err == nil || !strings.Contains(err.Error(), `stage "infer"`) {
		t.Errorf("error %v, want one that names the stage", err)
	}
}
