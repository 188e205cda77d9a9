package tcl_test

import (
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/rl/belief"
	"nacre/rl/config"
	"nacre/tcl"
)

// direct is an encoder of rows (o, a, r) of one number each whose single linear layer, with the weights unit sets,
// takes o for the mean and a for the variance before softplus.
var direct = belief.Encoder{Latent: 1, Net: nn.MLP{Name: "encoder", In: 3, Out: 2, Act: op.ReLU}}

var unit = []float64{1, 0, 0, 1, 0, 0}

// before is the number whose softplus is v.
func before(v float64) float64 { return math.Log(math.Expm1(v)) }

var check = fatal.On

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

// gaussian is a posterior of one latent dimension.
type gaussian struct{ mean, variance float64 }

// bench is a TCL attached to the direct encoder in a program that steps the encoder on its loss alone.
type bench struct {
	t   *testing.T
	aux *tcl.TCL
	mem core.Memory
	run core.Runner

	program *core.Program
}

func newBench(t *testing.T, tasks int, change func(*tcl.Config)) *bench {
	t.Helper()
	c := tcl.Default()
	c.Window = 1
	if change != nil {
		change(&c)
	}
	aux, err := tcl.New(c, direct, tasks)
	check(t, err)
	b := core.NewBuilder("tcl", tasks)
	s := b.Stage("encoder")
	q := direct.Infer(s, s.Input("context", tasks*c.Window, 3), s.Input("weight", tasks*c.Window, 1), c.Window)
	loss := aux.Loss(s, q)
	s.Output("loss", loss)
	s.OutputNorm("grad", s.Minimise(loss, core.DefaultAdam(0.1), direct.Net.Nodes(s)...)...)
	aux.AfterStep(b)
	p, err := b.Compile()
	check(t, err)
	m, err := ref.Device.NewMemory(append(direct.Net.Specs(), aux.Params()...))
	check(t, err)
	check(t, m.Write("encoder/w0", unit))
	check(t, aux.Init(m))
	run, err := ref.Device.Load(p, m)
	check(t, err)
	return &bench{t: t, aux: aux, mem: m, run: run, program: p}
}

// write sets windows of one row to the given posteriors.
func (b *bench) write(prefix string, gs []gaussian) {
	b.t.Helper()
	var rows, weights []float64
	for _, g := range gs {
		rows, weights = append(rows, g.mean, before(g.variance), 0), append(weights, 1)
	}
	check(b.t, b.run.Write64(prefix+"context", rows))
	check(b.t, b.run.Write64(prefix+"weight", weights))
}

func (b *bench) output(name string, n int) []float64 {
	b.t.Helper()
	x := make([]float64, n)
	check(b.t, b.run.Read64(name, x))
	return x
}

func (b *bench) params(name string, n int) []float64 {
	b.t.Helper()
	x := make([]float64, n)
	check(b.t, b.mem.Read(name, x))
	return x
}

// loss is tcl_loss for the given query and key posteriors.
func (b *bench) loss(queries, keys []gaussian) float64 {
	b.t.Helper()
	b.write("", queries)
	b.write("key_", keys)
	check(b.t, b.run.Run())
	return b.output("tcl_loss", 1)[0]
}

// crossEntropy is the mean of -log softmax(logits_i)_i, worked out plainly.
func crossEntropy(logits [][]float64) float64 {
	sum := 0.0
	for i, row := range logits {
		z := 0.0
		for _, x := range row {
			z += math.Exp(x)
		}
		sum += math.Log(z) - row[i]
	}
	return sum / float64(len(logits))
}

func TestDefaultIsThePapersMethod(t *testing.T) {
	c := tcl.Default()
	check(t, config.Check(c))
	if c.Tau != 0.005 || c.LiteralMomentum || c.Temperature != 1 || c.Sigma != "std" || c.Negatives != "literal" {
		t.Errorf("defaults %+v", c)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*tcl.Config){
		"window":          func(c *tcl.Config) { c.Window = 0 },
		"scale":           func(c *tcl.Config) { c.Scale = -1 },
		"temperature":     func(c *tcl.Config) { c.Temperature = 0 },
		"tau":             func(c *tcl.Config) { c.Tau = 1.5 },
		"crop":            func(c *tcl.Config) { c.Crop = "half-open" },
		"sigma":           func(c *tcl.Config) { c.Sigma = "variance" },
		"negatives":       func(c *tcl.Config) { c.Negatives = "mask" },
		"sampling":        func(c *tcl.Config) { c.Sampling = "row" },
		"contrast":        func(c *tcl.Config) { c.Contrast = "rows" },
		"before softplus": func(c *tcl.Config) { c.Sigma = "raw" },
		`negatives = "mask-`: func(c *tcl.Config) {
			c.Contrast, c.Negatives = "transitions", "mask-same-task"
		},
		"key_gradient":                      func(c *tcl.Config) { c.KeyGradient = true },
		"shared_layers = 1, want at most 0": func(c *tcl.Config) { c.SharedLayers = 1 },
	} {
		c := tcl.Default()
		change(&c)
		if _, err := tcl.New(c, direct, 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := tcl.New(tcl.Default(), direct, 1); err == nil || !strings.Contains(err.Error(), "at least 2") {
		t.Errorf("one task: error %v", err)
	}
}
