package varibad

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/rl/belief"
)

var _ belief.ContextEncoder = Encoder{}

// Field implements belief.ContextEncoder.
func (e Encoder) Field() feed.Field { return feed.ContextNext }

// Size implements belief.ContextEncoder.
func (e Encoder) Size() int { return e.latent }

// Encode implements belief.ContextEncoder: the posterior after a context's last row.
func (e Encoder) Encode(s *core.Stage, c belief.Contexts) belief.Posterior {
	h := c.Unroll(s, e.Width(), nil, func(row, h *graph.Node) *graph.Node { return e.Step(s, row, h) })
	q := e.Belief(s, h)
	return belief.Posterior{Mean: q.Mean, Var: s.Exp(q.LogVar)}
}

// Twin implements belief.ContextEncoder.
func (e Encoder) Twin(suffix string) belief.ContextEncoder {
	e.embed, e.memory = e.embed.As(e.embed.Name+suffix), e.memory.As(e.memory.Name+suffix)
	e.head = e.head.As(e.head.Name + suffix)
	return e
}
