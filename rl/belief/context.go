package belief

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/core/nn"
)

// ContextEncoder is what a loss knows of the encoder that it is attached to. Encoder implements it, and so do the
// recurrent encoders of MQL, RL² and VariBAD.
type ContextEncoder interface {
	nn.Network
	// Width is the length of a context row, and Field what it holds: feed.Context, (o, a, r), or feed.ContextNext,
	// (o, a, r, o').
	Width() int
	Field() feed.Field
	// Size is the length of a task embedding.
	Size() int
	// Encode builds the embedding of each context, N × Size, with variances where the encoder gives a Gaussian.
	Encode(s *core.Stage, c Contexts) Posterior
	// Twin is the same encoder with parameters of its own: the networks' names end in suffix.
	Twin(suffix string) ContextEncoder
}

// Contexts are two inputs of a program with N contexts of Rows rows each. Input has the rows. Weight has a number for
// each row: 1, or 0 if a short window lacks it. The rows of weight 0 are the last rows of a context. They have no
// effect at all if their values are finite.
type Contexts struct {
	Input, Weight string
	N, Rows       int
}

// Unroll runs a recurrent encoder over the contexts' rows and returns the last states, N × size. The function step gets
// a row of every context, N × width, and the states h before it, N × size, and returns the states after it. In the
// first call h is the argument first, which may be nil.
func (c Contexts) Unroll(s *core.Stage, width int, first *graph.Node,
	step func(row, h *graph.Node) *graph.Node) *graph.Node {
	// Row after row, a context's numbers lie side by side.
	rows, weight := s.Input(c.Input, c.N, c.Rows*width), s.Input(c.Weight, c.N, c.Rows)
	h := first
	for t := range c.Rows {
		w := s.SliceCols(weight, t, t+1)
		next := s.Mul(w, step(s.SliceCols(rows, t*width, (t+1)*width), h))
		if h != nil {
			next = s.Add(next, s.Mul(s.Affine(w, -1, 1), h))
		}
		h = next
	}
	return h
}

var _ ContextEncoder = Encoder{}

// Specs implements nn.Network.
func (e Encoder) Specs() []core.ParamSpec { return e.Net.Specs() }

// Field implements ContextEncoder.
func (e Encoder) Field() feed.Field { return rowsWith(e.NextObs) }

// Size implements ContextEncoder.
func (e Encoder) Size() int { return e.Latent }

// Encode implements ContextEncoder: the posteriors of Infer.
func (e Encoder) Encode(s *core.Stage, c Contexts) Posterior {
	return e.Infer(s, s.Input(c.Input, c.N*c.Rows, e.Width()), s.Input(c.Weight, c.N*c.Rows, 1), c.Rows)
}

// Twin implements ContextEncoder.
func (e Encoder) Twin(suffix string) ContextEncoder {
	e.Net = e.Net.As(e.Net.Name + suffix)
	return e
}

func rowsWith(nextObs bool) feed.Field {
	if nextObs {
		return feed.ContextNext
	}
	return feed.Context
}

// Recurrent is the encoder that reads a context's rows in their order with a gated recurrent unit. The embedding is the
// unit's state after the last one: a point. A context begins in state zero.
type Recurrent struct {
	Memory nn.GRU
	// NextObs says that context rows are (o, a, r, o') rather than (o, a, r).
	NextObs bool
}

var _ ContextEncoder = Recurrent{}

// Specs implements nn.Network.
func (e Recurrent) Specs() []core.ParamSpec { return e.Memory.Specs() }

// Width implements ContextEncoder.
func (e Recurrent) Width() int { return e.Memory.In }

// Field implements ContextEncoder.
func (e Recurrent) Field() feed.Field { return rowsWith(e.NextObs) }

// Size implements ContextEncoder.
func (e Recurrent) Size() int { return e.Memory.Hidden }

// Encode implements ContextEncoder.
func (e Recurrent) Encode(s *core.Stage, c Contexts) Posterior {
	return Posterior{Mean: c.Unroll(s, e.Width(), nil, func(row, h *graph.Node) *graph.Node {
		return e.Memory.Step(s, row, h)
	})}
}

// Twin implements ContextEncoder.
func (e Recurrent) Twin(suffix string) ContextEncoder {
	e.Memory = e.Memory.As(e.Memory.Name + suffix)
	return e
}
