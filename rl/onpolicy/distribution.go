package onpolicy

import (
	"math"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/graph"
)

// Distribution is a distribution over the actions of each row, as nodes of a graph: a Gaussian, or a Categorical for
// discrete actions.
type Distribution interface {
	// LogProb is the log probability (for a Gaussian, the log density) of the actions act (rows × act): rows × 1.
	LogProb(s *core.Stage, act *graph.Node) *graph.Node
	// KL is the divergence from q, a distribution of the same kind, in nats: rows × 1.
	KL(s *core.Stage, q Distribution) *graph.Node
	// MeanEntropy is Σ w·entropy in nats, 1×1, with weights w (rows × 1) that add up to 1.
	MeanEntropy(s *core.Stage, weight *graph.Node) *graph.Node
	// Constant returns the distribution as a constant. No gradient passes it.
	Constant(s *core.Stage) Distribution
	// Parts are the nodes that make the distribution, in the order of Policy.Parts.
	Parts() []*graph.Node
}

// Categorical is a distribution over discrete actions. Such an action has for each of its components a 1 at the choice
// and otherwise 0, as sim.Spec.ActChoices says. Components are independent.
type Categorical struct {
	Logits  *graph.Node // rows × act
	Choices []int       // number of choices of each component; they add up to act
}

// Logs are the log probabilities of all choices, rows × act: of each component, its logits less log Σ exp.
func (c Categorical) Logs(s *core.Stage) *graph.Node {
	if len(c.Choices) == 1 {
		return s.Sub(c.Logits, s.LogSumExp(c.Logits))
	}
	parts, from := make([]*graph.Node, len(c.Choices)), 0
	for k, n := range c.Choices {
		x := s.SliceCols(c.Logits, from, from+n)
		parts[k] = s.Sub(x, s.LogSumExp(x))
		from += n
	}
	return s.ConcatCols(parts...)
}

// LogProb implements Distribution.
func (c Categorical) LogProb(s *core.Stage, act *graph.Node) *graph.Node {
	return s.SumCols(s.Mul(act, c.Logs(s)))
}

// KL implements Distribution: Σ p·(log p − log q).
func (c Categorical) KL(s *core.Stage, q Distribution) *graph.Node {
	p, other := c.Logs(s), q.(Categorical).Logs(s)
	return s.SumCols(s.Mul(s.Exp(p), s.Sub(p, other)))
}

// Entropy is −Σ p·log p of each row: rows × 1.
func (c Categorical) Entropy(s *core.Stage) *graph.Node {
	p := c.Logs(s)
	return s.Neg(s.SumCols(s.Mul(s.Exp(p), p)))
}

// MeanEntropy implements Distribution.
func (c Categorical) MeanEntropy(s *core.Stage, weight *graph.Node) *graph.Node {
	return s.SumAll(s.Mul(weight, c.Entropy(s)))
}

// Constant implements Distribution.
func (c Categorical) Constant(s *core.Stage) Distribution {
	return Categorical{Logits: s.StopGrad(c.Logits), Choices: c.Choices}
}

// Parts implements Distribution.
func (c Categorical) Parts() []*graph.Node { return []*graph.Node{c.Logits} }

// Choose writes a discrete action for a row of logits. It draws every component by noise, with one uniform number each,
// or takes the most probable choice if noise is nil; of equally probable ones it takes the first. A component with a
// logit that is not a number becomes NaN, which environments refuse.
func Choose(choices []int, logits []float64, noise *rand.Rand, act []float64) {
	for _, n := range choices {
		chooseOne(logits[:n], noise, act[:n])
		logits, act = logits[n:], act[n:]
	}
}

func chooseOne(logits []float64, noise *rand.Rand, act []float64) {
	best, sum := 0, 0.0
	for j, x := range logits {
		if act[j] = 0; math.IsNaN(x) || math.IsInf(x, 1) {
			act[0] = math.NaN()
			return
		}
		if x > logits[best] {
			best = j
		}
	}
	if noise == nil {
		act[best] = 1
		return
	}
	for _, x := range logits {
		sum += math.Exp(x - logits[best])
	}
	at, left := best, sum*noise.Float64()
	for j, x := range logits {
		if left -= math.Exp(x - logits[best]); left < 0 {
			at = j
			break
		}
	}
	act[at] = 1
}

// EntropyOf is the entropy in nats of the categorical distribution that a row of logits gives.
func EntropyOf(choices []int, logits []float64) (h float64) {
	for _, n := range choices {
		top, sum, mean := math.Inf(-1), 0.0, 0.0
		for _, x := range logits[:n] {
			top = max(top, x)
		}
		for _, x := range logits[:n] {
			p := math.Exp(x - top)
			sum += p
			if p > 0 {
				mean += p * (x - top)
			}
		}
		h += math.Log(sum) - mean/sum
		logits = logits[n:]
	}
	return h
}
