package maml

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/rl/onpolicy"
	"nacre/sim"
)

var check = fatal.On

// task is one task's programs on a small policy with random batches, the second path of each cut short.
type task struct {
	t             *testing.T
	m             model
	d             core.Device
	mem           core.Memory
	before, after *onpolicy.Batch
	theta         []float64
	old           old
	loaded        map[string]loaded // by name and configuration
}

type loaded struct {
	program *core.Program
	run     core.Runner
}

// load compiles and loads a program of the task's model once.
func (x *task) load(name string) loaded {
	key := fmt.Sprint(name, x.m.cfg)
	if l, ok := x.loaded[key]; ok {
		return l
	}
	p, err := map[string]func() (*core.Program, error){
		"adapt": x.m.adaptProgram, "gradient": x.m.gradientProgram, "hessian": x.m.hessianProgram,
		"objective": x.m.objectiveProgram,
	}[name]()
	check(x.t, err)
	r, err := x.d.Load(p, x.mem)
	check(x.t, err)
	x.t.Cleanup(func() { r.Close() })
	x.loaded[key] = loaded{p, r}
	return x.loaded[key]
}

func newTask(t *testing.T, d core.Device, c Config, choices ...int) *task {
	width := 2
	if len(choices) > 0 {
		width = 0
	}
	for _, n := range choices {
		width += n
	}
	x := &task{t: t, d: d, loaded: map[string]loaded{}, m: model{
		policy: onpolicy.Policy{
			Net:       nn.MLP{Name: "policy", In: 3, Hidden: []int{4, 4}, Out: width, Act: op.Tanh},
			MinLogStd: math.Log(c.MinStd), Scale: c.ActionScale, Choices: choices,
		},
		cfg: c, paths: 2, horizon: 6,
	}}
	r := rand.New(rand.NewPCG(5, 6))
	batch := func() *onpolicy.Batch {
		var paths []onpolicy.Path
		for _, n := range []int{6, 4} {
			p := onpolicy.NewPath(n)
			p.Obs, p.Act = make([]float32, n*3), make([]float32, n*width)
			for _, part := range [][]float32{p.Obs, p.Act} {
				for i := range part {
					part[i] = float32(r.NormFloat64())
				}
			}
			if len(choices) > 0 {
				spec, act := sim.Spec{ActDim: width, ActChoices: choices}, make([]float64, width)
				for row := range n {
					spec.RandomAction(r, act)
					for j, v := range act {
						p.Act[row*width+j] = float32(v)
					}
				}
			}
			for i := range p.Advantage {
				p.Advantage[i] = r.NormFloat64()
			}
			paths = append(paths, p)
		}
		b := x.m.newBatch()
		check(t, b.Set(paths))
		return b
	}
	x.before, x.after = batch(), batch()
	x.theta = make([]float64, x.m.policy.Size())
	for i := range x.theta {
		x.theta[i] = float64(float32(0.5 * r.NormFloat64()))
	}
	var err error
	x.mem, err = d.NewMemory(x.m.policy.Specs())
	check(t, err)
	return x
}

// run runs a program at θ and returns its outputs: scalars by name, and the vector of all parameters.
func (x *task) run(name string, theta, v []float64) (scalars map[string]float64, vectors []float64) {
	t := x.t
	t.Helper()
	l := x.load(name)
	p, r := l.program, l.run
	var err error
	check(t, x.m.policy.Each(theta, x.mem.Write))
	for prefix, batch := range map[string]*onpolicy.Batch{before: x.before, after: x.after} {
		for _, name := range batchInputs {
			if _, ok := p.Inputs[prefix+name]; ok {
				check(t, batch.Write(r, prefix, name))
			}
		}
	}
	for name, part := range x.old {
		if _, ok := p.Inputs[earlier+name]; ok {
			check(t, r.Write64(earlier+name, part))
		}
	}
	if v != nil {
		check(t, x.m.policy.Each(v, func(name string, part []float64) error { return r.Write64(vector+name, part) }))
	}
	check(t, r.Run())
	scalars = map[string]float64{}
	for _, name := range []string{"loss", "kl"} {
		if _, ok := p.Outputs[name]; ok {
			scalars[name], err = scalar(r, name)
			check(t, err)
		}
	}
	if name == "gradient" {
		x.old = x.m.newOld()
		for part, to := range x.old {
			check(t, r.Read64(part, to))
		}
	}
	if _, ok := p.Outputs["policy/w0"]; ok {
		vectors = make([]float64, len(theta))
		check(t, x.m.policy.Each(vectors, r.Read64))
	}
	return scalars, vectors
}

// policy is the policy written out for one observation: mean and deviations of a Gaussian, or the log probabilities of
// all choices.
func (x *task) policy(theta []float64, obs []float32) (mean, std []float64) {
	h := make([]float64, len(obs))
	for i, o := range obs {
		h[i] = float64(o)
	}
	specs := x.m.policy.Specs()
	for l := 0; l+1 < len(specs); l += 2 {
		w, b := theta[:specs[l].Rows*specs[l].Cols], theta[specs[l].Rows*specs[l].Cols:]
		y := append([]float64(nil), b[:specs[l].Cols]...)
		for j := range y {
			for i := range h {
				y[j] += h[i] * w[i*len(y)+j]
			}
			if l+3 < len(specs) {
				y[j] = math.Tanh(y[j])
			}
		}
		h, theta = y, b[specs[l].Cols:]
	}
	from := 0
	for _, n := range x.m.policy.Choices {
		sum := 0.0
		for _, v := range h[from : from+n] {
			sum += math.Exp(v)
		}
		for j := range n {
			h[from+j] -= math.Log(sum)
		}
		from += n
	}
	if from > 0 {
		return h, nil
	}
	for j := range h {
		h[j] /= x.m.cfg.ActionScale
		std = append(std, math.Exp(theta[j])/x.m.cfg.ActionScale)
	}
	return h, std
}

// mean is Σ weight·f over the rows of a batch; f is given the row's observation, action and advantage.
func mean(b *onpolicy.Batch, f func(row int, obs, act []float32, advantage float64) float64) (sum float64) {
	for i, w := range b.Weight {
		if w > 0 {
			sum += float64(w) * f(i, b.Obs[i*3:i*3+3], b.Act[i*b.ActDim:(i+1)*b.ActDim], float64(b.Advantage[i]))
		}
	}
	return sum
}

func (x *task) logProb(theta []float64, obs, act []float32) (sum float64) {
	mu, std := x.policy(theta, obs)
	for j := range mu {
		if std == nil {
			sum += float64(act[j]) * mu[j]
			continue
		}
		z := (float64(act[j]) - mu[j]) / std[j]
		sum += math.Log(math.Exp(-z*z/2) / std[j] / math.Sqrt(2*math.Pi))
	}
	return sum
}

// difference is the gradient of f by central differences.
func difference(f func([]float64) float64, theta []float64, h float64) []float64 {
	out, at := make([]float64, len(theta)), append([]float64(nil), theta...)
	for i := range at {
		at[i] = theta[i] + h
		up := f(at)
		at[i] = theta[i] - h
		out[i] = (up - f(at)) / (2 * h)
		at[i] = theta[i]
	}
	return out
}

// adapted is the inner step written out, its gradient by differences.
func (x *task) adapted(theta []float64) []float64 {
	loss := func(theta []float64) float64 {
		return -mean(x.before, func(_ int, obs, act []float32, a float64) float64 {
			return x.logProb(theta, obs, act) * a
		})
	}
	out := append([]float64(nil), theta...)
	add(out, -x.m.cfg.InnerLR, difference(loss, theta, 1e-5))
	return out
}

func nearAll(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	var off, size float64
	for i := range want {
		off, size = max(off, math.Abs(got[i]-want[i])), max(size, math.Abs(want[i]))
	}
	if !(off <= tolerance*size) || size == 0 {
		t.Errorf("%s is off by %.2g, its largest element is %.3g", what, off, size)
	}
}

// choices of the discrete actions of a variant of each test.
func choices(name string) []int {
	if strings.HasPrefix(name, "discrete") {
		return []int{3, 2}
	}
	return nil
}

func variants() map[string]Config {
	c := Default()
	c.InnerLR = 0.4 // strong, so that second-order terms count
	plain := c
	plain.Surrogate, plain.ActionScale = logProb, 3
	return map[string]Config{"ratio": c, "log-prob": plain, "discrete": c, "discrete log-prob": plain}
}

// The inner step and the meta-objective against the equations written out, inner gradients by differences.
func TestObjective(t *testing.T) {
	for name, c := range variants() {
		x := newTask(t, ref.Device, c, choices(name)...)
		theta := x.adapted(x.theta)
		_, adapted := x.run("adapt", x.theta, nil)
		nearAll(t, name+": θ'", adapted, theta, 1e-9)

		x.run("gradient", x.theta, nil) // leaves the old policy
		oldTheta := theta
		moved := append([]float64(nil), x.theta...)
		for i := range moved {
			moved[i] += 0.1 * math.Sin(float64(i))
		}
		theta = x.adapted(moved)
		loss := -mean(x.after, func(_ int, obs, act []float32, a float64) float64 {
			if c.Surrogate == logProb {
				return x.logProb(theta, obs, act) * a
			}
			return math.Exp(x.logProb(theta, obs, act)-x.logProb(oldTheta, obs, act)) * a
		})
		kl := mean(x.after, func(_ int, obs, act []float32, _ float64) (sum float64) {
			m, s := x.policy(oldTheta, obs)
			m2, s2 := x.policy(theta, obs)
			for j := range m {
				if s == nil {
					sum += math.Exp(m[j]) * (m[j] - m2[j])
					continue
				}
				sum += math.Log(s2[j]/s[j]) + (s[j]*s[j]+(m[j]-m2[j])*(m[j]-m2[j]))/(2*s2[j]*s2[j]) - 0.5
			}
			return sum
		})
		got, _ := x.run("objective", moved, nil)
		nearAll(t, name+": loss and divergence", []float64{got["loss"], got["kl"]}, []float64{loss, kl}, 1e-9)
	}
}

// The meta-gradient against differences of the objective, which runs through the inner step; its first-order form
// against the gradient at θ'.
func TestMetaGradient(t *testing.T) {
	for name, c := range variants() {
		x := newTask(t, ref.Device, c, choices(name)...)
		_, gradient := x.run("gradient", x.theta, nil)
		loss := func(theta []float64) float64 {
			s, _ := x.run("objective", theta, nil)
			return s["loss"]
		}
		nearAll(t, name, gradient, difference(loss, x.theta, 1e-5), 1e-6)

		theta := x.adapted(x.theta)
		x.m.cfg.InnerLR = 0 // the objective of a policy that does not adapt
		at := difference(loss, theta, 1e-5)
		x.m.cfg.InnerLR, x.m.cfg.FirstOrder = c.InnerLR, true
		_, first := x.run("gradient", x.theta, nil)
		nearAll(t, name+", first order", first, at, 1e-6)
	}
}

// H·v against second differences of the divergence through the inner step; H is symmetric and not negative; the same on
// the processor's kernels.
func TestHessianVectorProduct(t *testing.T) {
	for _, name := range []string{"ratio", "discrete"} {
		t.Run(name, func(t *testing.T) { hessian(t, variants()[name], choices(name)) })
	}
}

func hessian(t *testing.T, c Config, choices []int) {
	x := newTask(t, ref.Device, c, choices...)
	r := rand.New(rand.NewPCG(1, 1))
	v, w := make([]float64, len(x.theta)), make([]float64, len(x.theta))
	for i := range v {
		v[i], w[i] = float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64()))
	}
	x.run("gradient", x.theta, nil) // leaves the old policy
	kl := func(theta []float64) float64 {
		s, _ := x.run("objective", theta, nil)
		return s["kl"]
	}
	along := func(h float64) []float64 {
		at := append([]float64(nil), x.theta...)
		add(at, h, v)
		return difference(kl, at, 1e-4)
	}
	const h = 1e-4
	want := along(h)
	add(want, -1, along(-h))
	for i := range want {
		want[i] /= 2 * h
	}
	_, hv := x.run("hessian", x.theta, v)
	nearAll(t, "H·v", hv, want, 1e-5)
	_, hw := x.run("hessian", x.theta, w)
	if a, b := innerProduct(w, hv), innerProduct(v, hw); math.Abs(a-b) > 1e-12*math.Abs(a) {
		t.Errorf("wᵀHv = %.15g, vᵀHw = %.15g", a, b)
	}
	if s := innerProduct(v, hv); !(s > 0) {
		t.Errorf("vᵀHv = %g", s)
	}
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	fast := newTask(t, d, c, choices...)
	_, single := fast.run("hessian", fast.theta, v)
	nearAll(t, "H·v in float32", single, hv, 1e-5)
}
