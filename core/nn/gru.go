package nn

import (
	"fmt"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
)

// GRU describes a gated recurrent unit (Cho et al. 2014) in the form that PyTorch, cuDNN and Keras compute, with a bias
// inside the reset gate's product. It has In inputs and a state of Hidden numbers:
//
//	r = σ(x·Wr + br + h·Ur + cr)      z = σ(x·Wz + bz + h·Uz + cz)
//	n = tanh(x·Wn + bn + r⊙(h·Un + cn))   h' = (1−z)⊙n + z⊙h
//
// Its parameters are "name/wx" (In×3·Hidden), "name/bx" (1×3·Hidden), "name/wh" (Hidden×3·Hidden) and "name/bh"
// (1×3·Hidden). Each has the gates r, z and n side by side.
type GRU struct {
	Name       string
	In, Hidden int
}

// As returns the same unit under another name.
func (g GRU) As(name string) GRU {
	g.Name = name
	return g
}

// Specs lists the parameters in the order wx, bx, wh, bh.
func (g GRU) Specs() []core.ParamSpec {
	return []core.ParamSpec{
		{Name: g.Name + "/wx", Rows: g.In, Cols: 3 * g.Hidden}, {Name: g.Name + "/bx", Rows: 1, Cols: 3 * g.Hidden},
		{Name: g.Name + "/wh", Rows: g.Hidden, Cols: 3 * g.Hidden}, {Name: g.Name + "/bh", Rows: 1, Cols: 3 * g.Hidden},
	}
}

// Nodes returns the parameters as nodes of s, in the order of Specs.
func (g GRU) Nodes(s *core.Stage) []*graph.Node { return nodes(s, g.Specs()) }

// Step returns the state after the input x (rows×In), if the state before is h (rows×Hidden). A nil h means zero.
func (g GRU) Step(s *core.Stage, x, h *graph.Node) *graph.Node {
	p, n := g.Nodes(s), g.Hidden
	gx, gh := s.Dense(x, p[0], p[1], op.Linear), p[3]
	if h != nil {
		gh = s.Dense(h, p[2], p[3], op.Linear)
	}
	gates := s.Sigmoid(s.Add(s.SliceCols(gx, 0, 2*n), s.SliceCols(gh, 0, 2*n)))
	reset, keep := s.SliceCols(gates, 0, n), s.SliceCols(gates, n, 2*n)
	candidate := s.Tanh(s.Add(s.SliceCols(gx, 2*n, 3*n), s.Mul(reset, s.SliceCols(gh, 2*n, 3*n))))
	if h == nil {
		return s.Sub(candidate, s.Mul(keep, candidate))
	}
	return s.Add(candidate, s.Mul(keep, s.Sub(h, candidate)))
}

// Unroll applies Step to the steps of a sequence, which lie side by side (rows×steps·In). It begins with state h, nil
// for zero, and returns the state after each step.
func (g GRU) Unroll(s *core.Stage, sequence, h *graph.Node, steps int) []*graph.Node {
	if steps < 1 {
		s.Fail(fmt.Errorf("nn: %s: a sequence of %d steps; want at least 1", g.Name, steps))
		return nil
	}
	states := make([]*graph.Node, steps)
	for t := range states {
		h = g.Step(s, s.SliceCols(sequence, t*g.In, (t+1)*g.In), h)
		states[t] = h
	}
	return states
}
