// Package belief turns a context, which is transitions of one task, into a Gaussian posterior over the latent task
// variable. Further losses can be added to the encoder, and to any other ContextEncoder.
//
// A context row is c = (o, a, r) or (o, a, r, o'). The encoder maps each row to a Gaussian factor, and the
// posterior of a task is the product of its rows' factors, so it does not depend on their order (Rakelly et al.
// 2019, eq. 2). Contrastive, predictive or other terms implement Auxiliary; package rl/auxiliary has some.
//
//	b := core.NewBuilder("posterior", tasks)
//	s := b.Stage("infer")
//	q := enc.Infer(s, s.Input("context", tasks*w, enc.Width()), s.Input("weight", tasks*w, 1), w)
//	s.Output("mean", q.Mean) // tasks × latent
//	s.Output("var", q.Var)
package belief

import (
	"math"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/rl/weights"
)

// MinVar is the smallest variance of a single factor.
const MinVar = 1e-7

// Encoder is a context encoder: a network from context rows to per-row Gaussian factors.
type Encoder struct {
	Net    nn.MLP // network with 2·Latent outputs: Latent means, then Latent variances before softplus
	Latent int
	// Points makes a deterministic encoder of it: a row gives tanh of Latent outputs, and the embedding is their mean
	// over rows. Its variance, one over the number of rows, means nothing.
	Points bool
	// NextObs says that context rows are (o, a, r, o') instead of (o, a, r).
	NextObs bool
	// View turns context rows into the network's input, rows×Width → rows×Width. If it is nil, the network sees the
	// rows as they are.
	View func(s *core.Stage, context *graph.Node) *graph.Node
}

// Width is the length of a context row.
func (e Encoder) Width() int { return e.Net.In }

// Posterior is an encoder's result for several contexts: for each a diagonal Gaussian with mean Mean and variances Var.
// If Var is nil, the result for each is only a point, the task embedding Mean.
type Posterior struct {
	Mean, Var *graph.Node // tasks × latent
}

// Describe describes the network for observations and actions of these lengths, and how beliefs are made of its
// outputs.
func (e Encoder) Describe(obs, act int) (net weights.Network, belief string) {
	in := []weights.Part{weights.In("observation", obs), weights.In("action", act), weights.In("reward", 1)}
	if e.NextObs {
		in = append(in, weights.In("next_observation", obs))
	}
	if e.Points {
		return weights.MLP(e.Net, in, []weights.Part{{Name: "mean", Size: e.Latent, Function: "tanh"}}), weights.Average
	}
	least := MinVar
	return weights.MLP(e.Net, in, []weights.Part{weights.In("mean", e.Latent),
		{Name: "variance", Size: e.Latent, Function: "softplus", Min: &least}}), weights.Product
}

// Apply is the network's output for context rows: rows×Width → rows×2·Latent.
func (e Encoder) Apply(s *core.Stage, context *graph.Node) *graph.Node {
	return e.Net.Apply(s, e.Seen(s, context))
}

// Seen is the network's input for context rows: View of the rows, or the rows as they are.
func (e Encoder) Seen(s *core.Stage, context *graph.Node) *graph.Node {
	if e.View != nil {
		return e.View(s, context)
	}
	return context
}

// Rows returns the factor of each single row from the output of Apply: rows×Latent each.
func (e Encoder) Rows(s *core.Stage, h *graph.Node) Posterior {
	if e.Points {
		mean := s.Tanh(h)
		return Posterior{Mean: mean, Var: s.Like(mean, s.Const(1))}
	}
	return Posterior{
		Mean: s.SliceCols(h, 0, e.Latent),
		Var:  s.Clamp(s.Softplus(s.SliceCols(h, e.Latent, 2*e.Latent)), MinVar, math.Inf(1)),
	}
}

// Infer builds the posterior of each task from its context rows. The argument rows is their number per task:
// context (tasks·rows)×Width, weight (tasks·rows)×1 → Posterior tasks×Latent.
//
// Row n has factor N(μ_n, σ²_n) with σ²_n = max(softplus(s_n), MinVar), and
//
//	σ² = 1 / Σ_n w_n/σ²_n,  μ = σ² Σ_n w_n μ_n/σ²_n.
//
// The weight w_n is 1 for a row that counts and 0 for padding, which has no effect on the product if its values are
// finite. The N(0, I) prior is not a factor.
func (e Encoder) Infer(s *core.Stage, context, weight *graph.Node, rows int) Posterior {
	return Combine(s, e.Factors(s, context, weight, rows))
}

// Product builds the posterior of each task from the output of Apply for its rows. Infer builds it from the rows.
func (e Encoder) Product(s *core.Stage, h, weight *graph.Node, rows int) Posterior {
	return Combine(s, e.naturals(s, h, weight, rows))
}

// Naturals are the sums from which a product of Gaussians is computed. The sums of several contexts of one task may be
// added.
type Naturals struct {
	Precision     *graph.Node // Σ w/σ², tasks × latent
	PrecisionMean *graph.Node // Σ w·μ/σ², tasks × latent
}

// Factors builds the natural parameters of the product over each task's rows. See Infer for shapes.
func (e Encoder) Factors(s *core.Stage, context, weight *graph.Node, rows int) Naturals {
	return e.naturals(s, e.Apply(s, context), weight, rows)
}

func (e Encoder) naturals(s *core.Stage, h, weight *graph.Node, rows int) Naturals {
	f := e.Rows(s, h)
	precision := s.Mul(s.Recip(f.Var), weight)
	return Naturals{
		Precision:     s.SumRows(precision, rows),
		PrecisionMean: s.SumRows(s.Mul(f.Mean, precision), rows),
	}
}

// Combine turns natural parameters into a posterior.
func Combine(s *core.Stage, n Naturals) Posterior {
	variance := s.Recip(n.Precision)
	return Posterior{Mean: s.Mul(variance, n.PrecisionMean), Var: variance}
}

// Sample is the reparameterised draw μ + σ·eps of a Gaussian, with eps tasks×latent standard normal.
func (q Posterior) Sample(s *core.Stage, eps *graph.Node) *graph.Node {
	return s.Add(q.Mean, s.Mul(s.Sqrt(q.Var), eps))
}

// KL is Σ KL(N(μ, σ²) ‖ N(0, 1)) of Gaussians over tasks and latent dimensions, 1×1: a sum, not a mean.
func (q Posterior) KL(s *core.Stage) *graph.Node {
	t := s.Sub(s.Add(q.Var, s.Square(q.Mean)), s.Log(q.Var))
	return s.Scale(s.SumAll(s.Shift(t, -1)), 0.5)
}
