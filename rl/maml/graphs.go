package maml

import (
	"nacre/core"
	"nacre/core/graph"
	"nacre/rl/onpolicy"
)

// model is the policy with the sizes of one task's batches. Its programs are for one task: the caller sums over the
// tasks of a meta-batch, in their order. The groups of a program are the paths.
type model struct {
	policy         onpolicy.Policy
	cfg            Config
	paths, horizon int
}

func (m model) rows() int { return m.paths * m.horizon }

// sample is a batch as graph inputs: rows of observations and actions, advantages and weights.
type sample struct{ obs, act, advantage, weight *graph.Node }

// batchInputs are the names of a sample's inputs, behind a prefix.
var batchInputs = []string{"obs", "act", "advantage", "weight"}

// Prefixes of the inputs of the batches before and after the inner step.
const (
	before = "before/"
	after  = "after/"
	// earlier is the prefix of the inputs with the adapted policy before the step.
	earlier = "old/"
)

func (m model) sample(s *core.Stage, prefix string) sample {
	n := m.rows()
	return sample{
		obs: s.Input(prefix+"obs", n, m.policy.Net.In), act: s.Input(prefix+"act", n, m.policy.Net.Out),
		advantage: s.Input(prefix+"advantage", n, 1), weight: s.Input(prefix+"weight", n, 1),
	}
}

// inner is the inner step from θ, kept differentiable.
type inner struct {
	m       model
	s       *core.Stage
	theta   []*graph.Node
	loss    *graph.Node   // L(θ) = −mean(log π_θ(a|o)·A)
	grad    []*graph.Node // ∇L(θ)
	adapted []*graph.Node // θ' = θ − α∇L(θ), as leaves: derivatives by θ' stop there
}

func (m model) inner(s *core.Stage) inner {
	x := inner{m: m, s: s, theta: m.policy.Nodes(s)}
	d := m.sample(s, before)
	gain := s.Mul(m.policy.Apply(s, x.theta, d.obs).LogProb(s, d.act), d.advantage)
	x.loss = s.Neg(s.SumAll(s.Mul(gain, d.weight)))
	x.grad = s.Gradients(x.loss, x.theta...)
	for i, g := range x.grad {
		x.adapted = append(x.adapted, s.StopGrad(s.Sub(x.theta[i], s.Scale(g, m.cfg.InnerLR))))
	}
	return x
}

// through is (∂θ'/∂θ)·v = v − α∇²L(θ)·v, with the Hessian-vector product by double backward. The Jacobian of a
// gradient step is symmetric, so the same function carries vectors forward (as a change of θ becomes one of θ') and
// gradients back.
func (x inner) through(v []*graph.Node) []*graph.Node {
	if x.m.cfg.FirstOrder {
		return v
	}
	s := x.s
	out := make([]*graph.Node, len(v))
	for i, h := range s.Gradients(dot(s, x.grad, v), x.theta...) {
		out[i] = s.Sub(v[i], s.Scale(h, x.m.cfg.InnerLR))
	}
	return out
}

// dot is the inner product of vectors held as matrices; no gradient passes v.
func dot(s *core.Stage, g, v []*graph.Node) (sum *graph.Node) {
	for i := range g {
		term := s.SumAll(s.Mul(g[i], s.StopGrad(v[i])))
		if sum == nil {
			sum = term
		} else {
			sum = s.Add(sum, term)
		}
	}
	return sum
}

// meta is the task's part of the meta-objective on the batch after the inner step,
//
//	J = −mean(π'(a|o)/old(a|o)·A), or −mean(log π'(a|o)·A)
func (m model) meta(s *core.Stage, policy, old onpolicy.Distribution, d sample) *graph.Node {
	x := policy.LogProb(s, d.act)
	if m.cfg.Surrogate == ratio {
		x = s.Exp(s.Sub(x, old.LogProb(s, d.act)))
	}
	return s.Neg(s.SumAll(s.Mul(s.Mul(x, d.advantage), d.weight)))
}

// divergence is the mean of KL(old ‖ π') over the batch.
func divergence(s *core.Stage, policy, old onpolicy.Distribution, d sample) *graph.Node {
	return s.SumAll(s.Mul(old.KL(s, policy), d.weight))
}

// adaptProgram takes the inner step. Inputs before/…; outputs "loss" and θ' under the parameters' names.
func (m model) adaptProgram() (*core.Program, error) {
	b := core.NewBuilder("maml.adapt", m.paths)
	s := b.Stage("adapt")
	x := m.inner(s)
	s.Output("loss", x.loss)
	m.output(s, x.adapted)
	return b.Compile()
}

// gradientProgram differentiates the meta-objective through the inner step. Inputs before/… and after/…; outputs
// "loss", the gradient by θ under the parameters' names, and the adapted policy under the names of onpolicy's
// Policy.Parts.
func (m model) gradientProgram() (*core.Program, error) {
	b := core.NewBuilder("maml.gradient", m.paths)
	s := b.Stage("gradient")
	x, d := m.inner(s), m.sample(s, after)
	policy := m.policy.Apply(s, x.adapted, d.obs)
	loss := m.meta(s, policy, policy.Constant(s), d)
	s.Output("loss", loss)
	for i, part := range policy.Parts() {
		s.Output(m.policy.Parts(m.rows())[i].Name, part)
	}
	m.output(s, x.through(s.Gradients(loss, x.adapted...)))
	return b.Compile()
}

// hessianProgram multiplies the Hessian of the constraint with a vector v, inputs "v/" + parameter. Where old and new
// policies agree, the divergence of the adapted policies has no gradient. So there its Hessian by θ is exactly
//
//	(∂θ'/∂θ)·∇²KL(θ')·(∂θ'/∂θ)·v
func (m model) hessianProgram() (*core.Program, error) {
	b := core.NewBuilder("maml.hessian", m.paths)
	s := b.Stage("hessian")
	x, d := m.inner(s), m.sample(s, after)
	v := make([]*graph.Node, len(x.theta))
	for i, p := range m.policy.Specs() {
		v[i] = s.WholeInput(vector+p.Name, p.Rows, p.Cols)
	}
	policy := m.policy.Apply(s, x.adapted, d.obs)
	kl := divergence(s, policy, policy.Constant(s), d)
	change := dot(s, s.Gradients(kl, x.adapted...), x.through(v))
	m.output(s, x.through(s.Gradients(change, x.adapted...)))
	return b.Compile()
}

// vector is the prefix of hessianProgram's inputs.
const vector = "v/"

// objectiveProgram computes the meta-objective and the divergence from the old adapted policy for the θ in memory.
// Inputs before/…, after/… and the old policy's parts, old/…; outputs "loss" and "kl".
func (m model) objectiveProgram() (*core.Program, error) {
	b := core.NewBuilder("maml.objective", m.paths)
	s := b.Stage("objective")
	x, d := m.inner(s), m.sample(s, after)
	old := m.policy.Input(s, earlier, m.rows())
	policy := m.policy.Apply(s, x.adapted, d.obs)
	s.Output("loss", m.meta(s, policy, old, d))
	s.Output("kl", divergence(s, policy, old, d))
	return b.Compile()
}

// output names one matrix per parameter after it.
func (m model) output(s *core.Stage, xs []*graph.Node) {
	for i, p := range m.policy.Specs() {
		s.Output(p.Name, xs[i])
	}
}
