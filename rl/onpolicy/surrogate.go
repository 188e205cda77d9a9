package onpolicy

import (
	"nacre/core"
	"nacre/core/graph"
)

// Surrogate is PPO's clipped surrogate loss (Schulman et al. 2017, eq. 7), a 1×1 value. logProb (rows×cols) is the log
// probability of the actions under the present policy:
//
//	−Σ w·min(ρA, clip(ρ, 1±ε)A),  ρ = π(a|…)/π_old(a|…)
//
// The inputs old (log π_old), advantage (A) and weight (w) are rows×cols; weight is returned for use in further terms.
func Surrogate(s *core.Stage, logProb *graph.Node, rows, cols int, clip float64) (loss, weight *graph.Node) {
	old, advantage, weight := s.Input("old", rows, cols), s.Input("advantage", rows, cols),
		s.Input("weight", rows, cols)
	ratio := s.Exp(s.Sub(logProb, old))
	gain := s.Min(s.Mul(ratio, advantage), s.Mul(s.Clamp(ratio, 1-clip, 1+clip), advantage))
	return s.Neg(s.SumAll(s.Mul(weight, gain))), weight
}

// OutputChange outputs how far the policy has moved: kl = Σ w·(log π_old − log π) and clipped = Σ w·[ρ outside 1±ε].
// The inputs are Surrogate's.
func OutputChange(s *core.Stage, logProb *graph.Node, rows, cols int, clip float64) {
	old, weight := s.Input("old", rows, cols), s.Input("weight", rows, cols)
	s.Output("kl", s.SumAll(s.Mul(weight, s.Sub(old, logProb))))
	ratio := s.Exp(s.Sub(logProb, old))
	s.Output("clipped", s.SumAll(s.Mul(weight, s.Less(s.Const(clip), s.Abs(s.Shift(ratio, -1))))))
}
