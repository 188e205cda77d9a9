// Package belief turns a context, transitions of one task, into a Gaussian posterior over the latent task variable. It
// lets further losses attach to the encoder that does so.
//
// A context row is c = (o, a, r) or (o, a, r, o'). The encoder maps each row to a Gaussian factor, and the
// posterior of a task is the product of its rows' factors, so it does not depend on their order (Rakelly et al.
// 2019, eq. 2). Contrastive, predictive or other self-supervised terms implement Auxiliary; any algorithm that
// infers tasks with an Encoder can carry one.
//
//	b := core.NewBuilder("posterior", tasks)
//	s := b.Stage("infer")
//	q := enc.Infer(s, s.Input("context", tasks*w, enc.Width()), s.Input("weight", tasks*w, 1), w)
//	s.Output("mean", q.Mean) // tasks × latent
//	s.Output("var", q.Var)
package belief

import (
	"encoding/json"
	"math"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/core/nn"
)

// MinVar is the smallest variance of a single factor.
const MinVar = 1e-7

// Encoder is a context encoder: a network from context rows to per-row Gaussian factors.
type Encoder struct {
	Net    nn.MLP // output 2·Latent: Latent means, then Latent variances before softplus
	Latent int
	// NextObs says that context rows are (o, a, r, o') rather than (o, a, r).
	NextObs bool
	// View is what the network sees of context rows, rows×Width → rows×Width, or nil: the rows as they are.
	View func(s *core.Stage, context *graph.Node) *graph.Node
}

// Width is the length of a context row.
func (e Encoder) Width() int { return e.Net.In }

// Posterior is one diagonal Gaussian per task. Var holds variances.
type Posterior struct {
	Mean, Var *graph.Node // tasks × latent
}

// Apply is what the network makes of context rows: rows×Width → rows×2·Latent.
func (e Encoder) Apply(s *core.Stage, context *graph.Node) *graph.Node {
	return e.Net.Apply(s, e.Seen(s, context))
}

// Seen is what the network is given of context rows: View, or the rows as they are.
func (e Encoder) Seen(s *core.Stage, context *graph.Node) *graph.Node {
	if e.View != nil {
		return e.View(s, context)
	}
	return context
}

// Rows are the factors of single rows, of what Apply makes of them: rows×Latent each.
func (e Encoder) Rows(s *core.Stage, h *graph.Node) Posterior {
	return Posterior{
		Mean: s.SliceCols(h, 0, e.Latent),
		Var:  s.Clamp(s.Softplus(s.SliceCols(h, e.Latent, 2*e.Latent)), MinVar, math.Inf(1)),
	}
}

// Infer builds the posterior of each task from rows context rows per task:
// context (tasks·rows)×Width, weight (tasks·rows)×1 → Posterior tasks×Latent.
//
// Row n has factor N(μ_n, σ²_n) with σ²_n = max(softplus(s_n), MinVar), and
//
//	σ² = 1 / Σ_n w_n/σ²_n,  μ = σ² Σ_n w_n μ_n/σ²_n.
//
// The weight w_n is 1 for a row that counts and 0 for padding, which drops out of the product exactly as long as it
// holds numbers. The N(0, I) prior is not a factor.
func (e Encoder) Infer(s *core.Stage, context, weight *graph.Node, rows int) Posterior {
	return Combine(s, e.Factors(s, context, weight, rows))
}

// Product builds the posterior of each task from what Apply makes of its rows, as Infer does from the rows.
func (e Encoder) Product(s *core.Stage, h, weight *graph.Node, rows int) Posterior {
	return Combine(s, e.naturals(s, h, weight, rows))
}

// Naturals are the sums a product of Gaussians needs; sums of several contexts of one task may be added.
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

// Sample is the reparameterised draw μ + σ·eps, with eps tasks×latent standard normal.
func (q Posterior) Sample(s *core.Stage, eps *graph.Node) *graph.Node {
	return s.Add(q.Mean, s.Mul(s.Sqrt(q.Var), eps))
}

// KL is Σ KL(N(μ, σ²) ‖ N(0, 1)) over tasks and latent dimensions, 1×1: a sum, not a mean.
func (q Posterior) KL(s *core.Stage) *graph.Node {
	t := s.Sub(s.Add(q.Var, s.Square(q.Mean)), s.Log(q.Var))
	return s.Scale(s.SumAll(s.Shift(t, -1)), 0.5)
}

// Auxiliary is a loss on the context encoder beyond the algorithm's own. It also decides how the context of an
// update is drawn, since such losses compare views of a context.
//
// Its JSON form is the part of its state that is not in the parameters, for checkpoints.
//
// The algorithm calls Params and Init once; Loss and AfterStep while building its update program, in this order; and
// for every update, Count.
type Auxiliary interface {
	json.Marshaler
	json.Unmarshaler
	// Params lists parameters the loss adds, such as a key encoder.
	Params() []core.ParamSpec
	// Init sets them, after the encoder's own parameters are set.
	Init(m core.Memory) error

	// Feed describes what is drawn of the encoder's buffer for the task of each slot, and the inputs that this fills:
	// context and context_weight, N rows for the algorithm's posterior, and whatever the loss needs besides. A fill's
	// Draw counts these draws; their Store is the algorithm's to set.
	Feed() ([]feed.Draw, []feed.Fill)
	// Count is told what was drawn: of an update, or, without tasks, of a context that is collected with.
	Count(feed.Record)

	// Loss adds the term, already weighted, given the posterior of the drawn contexts. 1×1.
	Loss(s *core.Stage, q Posterior) *graph.Node
	// AfterStep adds what follows the encoder's optimiser step (moving averages).
	AfterStep(b *core.Builder)

	// Diagnose turns outputs that Loss declared, after a run of a program it is part of, into metrics.
	// MetricNames lists them in order.
	Diagnose(run core.Runner, record func(metric string, value float64)) error
	MetricNames() []string
}
