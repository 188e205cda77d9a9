package tcl

import (
	G "gorgonia.org/gorgonia"

	"nacre/core"
	"nacre/core/nn"
	"nacre/rl/belief"
)

// masked is added to the logit of a pair that must not count; exp of it is zero in float32 and float64.
const masked = -1e9

// Similarity compares the posteriors q of the query windows with k of the key windows, T rows each: sim(q_i, k_j) for
// every pair, T×T, and sim(q_i, k_i), T×1, which is its diagonal. k is a constant.
type Similarity func(s *core.Stage, q, k belief.Posterior) (all, own *G.Node)

// wasserstein is the paper's similarity,
//
//	sim(q, k) = −( |μ_q − μ_k|² + |σ_q − σ_k|² ),
//
// the negative squared 2-Wasserstein distance between diagonal Gaussians, where spread makes σ of the variances.
func wasserstein(spread func(s *core.Stage, variance *G.Node) *G.Node) Similarity {
	return func(s *core.Stage, q, k belief.Posterior) (all, own *G.Node) {
		sq, sk := spread(s, q.Var), spread(s, k.Var)
		all = s.Neg(s.Add(s.SquaredDistances(q.Mean, k.Mean), s.SquaredDistances(sq, sk)))
		own = s.Neg(s.Add(s.SumCols(s.Square(s.Sub(q.Mean, k.Mean))), s.SumCols(s.Square(s.Sub(sq, sk)))))
		return all, own
	}
}

func deviation(s *core.Stage, variance *G.Node) *G.Node { return s.Sqrt(variance) }

func itself(_ *core.Stage, variance *G.Node) *G.Node { return variance }

// InfoNCE is mean_i [ log Σ_j exp logits_ij − positive_i ]: logits T×T, positive T×1 → 1×1 (van den Oord et al.
// 2018, eq. 4). The positive of row i must be logits_ii. The log-sum-exp is taken from the row maximum.
func InfoNCE(s *core.Stage, logits, positive *G.Node) *G.Node {
	return s.MeanAll(s.Sub(s.LogSumExp(logits), positive))
}

// Loss implements belief.Auxiliary: c · InfoNCE over the meta-batch. It declares the outputs tcl_loss, tcl_similarity
// T×T (before temperature and mask).
func (t *TCL) Loss(s *core.Stage, q belief.Posterior) *G.Node {
	n, w := t.tasks, t.cfg.Window
	key := t.query
	key.Net = t.key
	k := key.Infer(s,
		s.Input("key_context", n*w, t.query.Width()), s.Input("key_weight", n*w, 1), w)
	all, own := t.Similarity(s, q, belief.Posterior{Mean: s.StopGrad(k.Mean), Var: s.StopGrad(k.Var)})
	logits := s.Scale(all, 1/t.cfg.Temperature)
	if t.cfg.Negatives == "mask-same-task" {
		logits = s.Add(logits, s.Input("tcl_mask", n, n))
	}
	loss := InfoNCE(s, logits, s.Scale(own, 1/t.cfg.Temperature))
	s.Output("tcl_loss", loss)
	s.Output("tcl_similarity", all)
	return s.Scale(loss, t.cfg.Scale)
}

// AfterStep implements belief.Auxiliary: the key encoder follows the query encoder.
func (t *TCL) AfterStep(b *core.Builder) {
	tau := t.cfg.Tau
	if t.cfg.LiteralMomentum {
		tau = 1 - tau
	}
	nn.EMA(b, t.key, t.query.Net, tau)
}
