// Package nn names, applies and initialises the networks of a program: multi-layer perceptrons and gated recurrent
// units whose parameters live in a core.Memory under the network's name.
//
//	v := nn.MLP{Name: "v", In: 25, Hidden: []int{300, 300, 300}, Out: 1, Act: op.ReLU}
//	b := core.NewBuilder("value", 16)
//	s := b.Stage("fit")
//	y := v.Apply(s, s.Input("x", 16*256, 25))
//	loss := s.MeanAll(s.Square(s.Sub(y, s.Input("target", 16*256, 1))))
//	s.Minimise(loss, core.DefaultAdam(3e-4), v.Nodes(s)...)
//	slow := v.As("target v")
//	slow.Nodes(s) // tells the builder its shapes; usually another network reads it
//	nn.EMA(b, slow, v, 0.005)
//	program, err := b.Compile()
//
// The package contains no algorithm and no settings.
package nn

import (
	"fmt"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
)

// Network is anything with parameters: an MLP, a GRU, or several of them.
type Network interface {
	// Specs lists the parameters, in an order that networks of one shape share.
	Specs() []core.ParamSpec
}

// MLP describes a multi-layer perceptron. It has In inputs, layers of Hidden units with activation Act, and Out linear
// outputs. Layer l has the parameters "name/w<l>" (inputs×outputs) and "name/b<l>" (1×outputs).
type MLP struct {
	Name   string
	In     int
	Hidden []int
	Out    int
	Act    op.Act
}

// As returns the same network under another name, such as the target of a moving average.
func (m MLP) As(name string) MLP {
	m.Name = name
	return m
}

// Specs lists the parameters in the order w0, b0, w1, b1, and so on.
func (m MLP) Specs() []core.ParamSpec {
	var out []core.ParamSpec
	in := m.In
	for l, n := range append(append([]int(nil), m.Hidden...), m.Out) {
		out = append(out,
			core.ParamSpec{Name: fmt.Sprintf("%s/w%d", m.Name, l), Rows: in, Cols: n},
			core.ParamSpec{Name: fmt.Sprintf("%s/b%d", m.Name, l), Rows: 1, Cols: n})
		in = n
	}
	return out
}

// Nodes returns the parameters as nodes of s, in the order of Specs.
func (m MLP) Nodes(s *core.Stage) []*graph.Node { return nodes(s, m.Specs()) }

func nodes(s *core.Stage, specs []core.ParamSpec) []*graph.Node {
	var out []*graph.Node
	for _, p := range specs {
		out = append(out, s.Param(p.Name, p.Rows, p.Cols))
	}
	return out
}

// Apply is the network's output on x: rows×In → rows×Out.
func (m MLP) Apply(s *core.Stage, x *graph.Node) *graph.Node { return m.Forward(s, m.Nodes(s), x) }

// Forward is the network's output on x with the parameters ps, in the order of Specs, such as the parameters after a
// gradient step: rows×In → rows×Out.
func (m MLP) Forward(s *core.Stage, ps []*graph.Node, x *graph.Node) *graph.Node {
	for l := 0; l < len(ps); l += 2 {
		act := m.Act
		if l == len(ps)-2 {
			act = op.Linear
		}
		x = s.Dense(x, ps[l], ps[l+1], act)
	}
	return x
}

// EMA moves every parameter of target towards the same one of source, after the builder's stages so far: target ←
// (1-tau)·target + tau·source. The networks must have the same shape.
func EMA(b *core.Builder, target, source Network, tau float64) {
	from, to := source.Specs(), target.Specs()
	if err := alike(to, from); err != nil {
		b.Fail(fmt.Errorf("EMA: %w", err))
		return
	}
	for i := range to {
		b.EMA(to[i].Name, from[i].Name, tau)
	}
}

// alike reports where the shapes of two networks differ.
func alike(to, from []core.ParamSpec) error {
	if len(to) != len(from) {
		return fmt.Errorf("%s has %d parameters, %s %d", to[0].Name, len(to), from[0].Name, len(from))
	}
	for i, p := range to {
		if q := from[i]; p.Rows != q.Rows || p.Cols != q.Cols {
			return fmt.Errorf("the shapes of %s, %d×%d, and %s, %d×%d, differ", p.Name, p.Rows, p.Cols, q.Name,
				q.Rows, q.Cols)
		}
	}
	return nil
}
