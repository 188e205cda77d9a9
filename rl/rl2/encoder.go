package rl2

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/rl/belief"
)

// Encoder is the policy's recurrent unit as an encoder that a loss can be attached to. It reads the rows (o, a, r, o')
// of one trajectory as the policy would in the first episode of a trial: first (o, 0, 0, 0), then (o', a, r, 0) of each
// row. The embedding is the state in which the policy would act next.
type Encoder struct{ p Policy }

var _ belief.ContextEncoder = Encoder{}

// Encoder returns the policy's recurrent unit as an Encoder.
func (p Policy) Encoder() Encoder { return Encoder{p} }

// Specs implements nn.Network: the unit's parameters alone.
func (e Encoder) Specs() []core.ParamSpec { return e.p.memory.Specs() }

// Width implements belief.ContextEncoder.
func (e Encoder) Width() int { return 2*e.p.obs + e.p.act + 1 }

// Field implements belief.ContextEncoder.
func (e Encoder) Field() feed.Field { return feed.ContextNext }

// Size implements belief.ContextEncoder.
func (e Encoder) Size() int { return e.p.memory.Hidden }

// Encode implements belief.ContextEncoder.
func (e Encoder) Encode(s *core.Stage, c belief.Contexts) belief.Posterior {
	obs, row := e.p.obs, e.Width()
	seen := func(parts ...*graph.Node) *graph.Node { return s.PadCols(s.ConcatCols(parts...), 0, e.p.memory.In) }
	start := s.SliceCols(s.Input(c.Input, c.N, c.Rows*row), 0, obs)
	first := e.p.memory.Step(s, s.PadCols(start, 0, e.p.memory.In), nil)
	return belief.Posterior{Mean: c.Unroll(s, row, first, func(x, h *graph.Node) *graph.Node {
		return e.p.memory.Step(s, seen(s.SliceCols(x, row-obs, row), s.SliceCols(x, obs, row-obs)), h)
	})}
}

// Twin implements belief.ContextEncoder.
func (e Encoder) Twin(suffix string) belief.ContextEncoder {
	e.p.memory = e.p.memory.As(e.p.memory.Name + suffix)
	return e
}
