package onpolicy

import (
	"math"

	"nacre/core"
	"nacre/core/graph"
)

// Gaussian is a diagonal normal distribution over actions as graph nodes: one row of means per observation, one row of
// log standard deviations for all of them or for each.
type Gaussian struct {
	Mean   *graph.Node // rows × act
	LogStd *graph.Node // 1 × act or rows × act
}

const halfLn2Pi = 0.91893853320467274178

// LogProb is log N(a; μ, σ) summed over the dimensions: rows × 1.
func (g Gaussian) LogProb(s *core.Stage, act *graph.Node) *graph.Node {
	return s.SumCols(g.Terms(s, act))
}

// Terms are the summands of LogProb, one per dimension: rows × act.
func (g Gaussian) Terms(s *core.Stage, act *graph.Node) *graph.Node {
	z := s.Mul(s.Sub(act, g.Mean), s.Exp(s.Neg(g.LogStd)))
	return s.Sub(s.Affine(s.Square(z), -0.5, -halfLn2Pi), g.LogStd)
}

// KL is the divergence KL(g ‖ q) of each row, rows × 1:
//
//	Σ_j log σq − log σg + (σg² + (μg − μq)²) / (2σq²) − ½
func (g Gaussian) KL(s *core.Stage, other Distribution) *graph.Node {
	q := other.(Gaussian)
	precision := s.Exp(s.Scale(q.LogStd, -2))
	square := s.Add(s.Square(s.Sub(g.Mean, q.Mean)), s.Exp(s.Scale(g.LogStd, 2)))
	return s.SumCols(s.Add(s.Affine(s.Mul(square, precision), 0.5, -0.5), s.Sub(q.LogStd, g.LogStd)))
}

// Entropy is the entropy for each row of LogStd, in nats: Σ_j log σ + ½ log 2πe.
func (g Gaussian) Entropy(s *core.Stage) *graph.Node {
	return s.SumCols(s.Shift(g.LogStd, halfLn2Pi+0.5))
}

// MeanEntropy implements Distribution, for one row of LogStd.
func (g Gaussian) MeanEntropy(s *core.Stage, _ *graph.Node) *graph.Node { return g.Entropy(s) }

// Constant implements Distribution.
func (g Gaussian) Constant(s *core.Stage) Distribution {
	return Gaussian{Mean: s.StopGrad(g.Mean), LogStd: s.StopGrad(g.LogStd)}
}

// Parts implements Distribution.
func (g Gaussian) Parts() []*graph.Node { return []*graph.Node{g.Mean, g.LogStd} }

// LogStdMin is the default lower bound of the log standard deviation, ln 1e-6.
var LogStdMin = math.Log(1e-6)
