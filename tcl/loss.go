package tcl

import (
	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
)

// Similarity compares the posteriors q of the query windows with k of the key windows, T rows each: sim(q_i, k_j) for
// every pair, T×T, and sim(q_i, k_i), T×1, which is its diagonal. k is a constant.
type Similarity func(s *core.Stage, q, k belief.Posterior) (all, own *graph.Node)

// wasserstein returns the paper's similarity,
//
//	sim(q, k) = −( |μ_q − μ_k|² + |σ_q − σ_k|² ),
//
// the negative squared 2-Wasserstein distance between diagonal Gaussians. The function spread computes σ from the
// variances. Points have the distance of their means.
func wasserstein(spread func(s *core.Stage, variance *graph.Node) *graph.Node) Similarity {
	return func(s *core.Stage, q, k belief.Posterior) (all, own *graph.Node) {
		if q.Var == nil {
			return s.Neg(s.SquaredDistances(q.Mean, k.Mean)), s.Neg(s.SumCols(s.Square(s.Sub(q.Mean, k.Mean))))
		}
		sq, sk := spread(s, q.Var), spread(s, k.Var)
		all = s.Neg(s.Add(s.SquaredDistances(q.Mean, k.Mean), s.SquaredDistances(sq, sk)))
		own = s.Neg(s.Add(s.SumCols(s.Square(s.Sub(q.Mean, k.Mean))), s.SumCols(s.Square(s.Sub(sq, sk)))))
		return all, own
	}
}

func deviation(s *core.Stage, variance *graph.Node) *graph.Node { return s.Sqrt(variance) }

func itself(_ *core.Stage, variance *graph.Node) *graph.Node { return variance }

// InfoNCE is mean_i [ log Σ_j exp logits_ij − positive_i ]: logits T×T, positive T×1 → 1×1 (van den Oord et al. 2018,
// eq. 4). The positive of row i must be logits_ii. For numerical stability the row maximum is subtracted before the
// log-sum-exp.
func InfoNCE(s *core.Stage, logits, positive *graph.Node) *graph.Node {
	return auxiliary.InfoNCE(s, logits, positive)
}

// Loss implements belief.Auxiliary: c · InfoNCE over the meta-batch. It declares the outputs tcl_loss and
// tcl_similarity, N×N (before temperature and mask). N is T queries, or T·W if single transitions are contrasted.
func (t *TCL) Loss(s *core.Stage, context belief.Posterior) *graph.Node {
	q, k := t.pair(s, context)
	all, own := t.Similarity(s, q, k)
	logits, positive := s.Scale(all, 1/t.cfg.Temperature), s.Scale(own, 1/t.cfg.Temperature)
	if t.cfg.ColumnMaximum {
		m := s.Scale(smallest(s, all), -1/t.cfg.Temperature)
		logits, positive = s.Add(logits, across(s, m)), s.Add(positive, m)
	}
	var loss *graph.Node
	switch {
	case t.cfg.Contrast == "transitions":
		loss = t.overRows(s, logits, positive)
	case t.cfg.Negatives == "mask-same-task":
		loss = InfoNCE(s, s.Add(logits, s.Input("tcl_mask", t.tasks, t.tasks)), positive)
	default:
		loss = InfoNCE(s, logits, positive)
	}
	s.Output("tcl_loss", loss)
	s.Output("tcl_similarity", all)
	return s.Scale(loss, t.cfg.Scale)
}

// pair builds the contrasted posteriors, one Gaussian per window or per transition; key i is the positive of query i.
func (t *TCL) pair(s *core.Stage, context belief.Posterior) (q, k belief.Posterior) {
	if t.twin != nil {
		return t.pairOf(s, context)
	}
	n, w := t.tasks, t.cfg.Window
	h := t.keyed(s, s.Input("key_context", n*w, t.query.Width()))
	switch {
	case t.cfg.Contrast == "transitions":
		k = t.rows(s, h)
		q = t.rows(s, t.query.Apply(s, s.Input(t.queryInput("context"), n*w, t.query.Width())))
	case t.cfg.Query == "own":
		k = t.query.Product(s, h, s.Input("key_weight", n*w, 1), w)
		q = t.query.Infer(s, s.Input("query_context", n*w, t.query.Width()), s.Input("query_weight", n*w, 1), w)
	default:
		k, q = t.query.Product(s, h, s.Input("key_weight", n*w, 1), w), context
	}
	if !t.cfg.KeyGradient {
		k = belief.Posterior{Mean: s.StopGrad(k.Mean), Var: s.StopGrad(k.Var)}
	}
	return q, k
}

// pairOf is pair of an encoder that is no product of Gaussians.
func (t *TCL) pairOf(s *core.Stage, q belief.Posterior) (query, key belief.Posterior) {
	of := func(e belief.ContextEncoder, side string) belief.Posterior {
		return e.Encode(s, belief.Contexts{Input: side + "_context", Weight: side + "_weight", N: t.tasks,
			Rows: t.cfg.Window})
	}
	if key = of(t.twin, "key"); key.Var != nil {
		key.Var = s.StopGrad(key.Var)
	}
	key.Mean = s.StopGrad(key.Mean)
	if t.cfg.Query == "own" {
		q = of(t.encoder, "query")
	}
	return q, key
}

// queryInput names an input of the query window, "context" or "weight".
func (t *TCL) queryInput(what string) string {
	switch {
	case t.cfg.Query == "own":
		return "query_" + what
	case what == "context":
		return what
	}
	return "context_" + what
}

// keyed is the key encoder's output on context rows: first the layers that it shares with the query's, then its own.
func (t *TCL) keyed(s *core.Stage, context *graph.Node) *graph.Node {
	shared := t.query.Net.Nodes(s)[:2*t.cfg.SharedLayers]
	return t.query.Net.Forward(s, append(shared, t.key.Nodes(s)...), t.query.Seen(s, context))
}

// rows returns the factors of single rows. With Sigma raw, the numbers before softplus are used in place of the
// variances.
func (t *TCL) rows(s *core.Stage, h *graph.Node) belief.Posterior {
	f := t.query.Rows(s, h)
	if t.cfg.Sigma == "raw" {
		f.Var = s.SliceCols(h, t.query.Latent, 2*t.query.Latent)
	}
	return f
}

// overRows is InfoNCE over transitions. Rows that a short window lacks are neither queries nor keys.
func (t *TCL) overRows(s *core.Stage, logits, positive *graph.Node) *graph.Node {
	n := t.tasks * t.cfg.Window
	query, key := s.Input(t.queryInput("weight"), n, 1), s.Input("key_weight", n, 1)
	logits = s.Add(logits, across(s, s.Scale(s.Less(key, s.Const(0.5)), auxiliary.Masked)))
	both := s.Mul(query, key)
	return s.Div(s.SumAll(s.Mul(both, s.Sub(s.LogSumExp(logits), positive))), s.SumAll(both))
}

// across is a column of numbers as every row of a matrix: n×1 → n×n.
func across(s *core.Stage, column *graph.Node) *graph.Node {
	return s.MatMul(s.Like(column, s.Const(1)), column, false, true)
}

// smallest is the least number of each row: n×m → n×1. Its gradient goes to that number.
func smallest(s *core.Stage, x *graph.Node) *graph.Node {
	if s.Err() != nil {
		return nil
	}
	for m := x.Shape()[1]; m > 1; {
		half := (m + 1) / 2 // if m is odd, the middle one is in both halves
		x = s.Min(s.SliceCols(x, 0, half), s.SliceCols(x, m-half, m))
		m = half
	}
	return x
}

// AfterStep implements belief.Auxiliary: the key encoder follows the query encoder.
func (t *TCL) AfterStep(b *core.Builder) {
	tau := t.cfg.Tau
	if t.cfg.LiteralMomentum {
		tau = 1 - tau
	}
	nn.EMA(b, t.follower(), t.followed(), tau)
}
