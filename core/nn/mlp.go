// Package nn names, applies and initialises the networks of a program: multi-layer perceptrons whose parameters live
// in a core.Memory under the network's name.
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
// It knows no algorithm and holds no numbers of its own.
package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"nacre/core"
	"nacre/core/op"
)

// MLP describes a multi-layer perceptron: In inputs, layers of Hidden units with activation Act, Out linear outputs.
// Layer l has the parameters "name/w<l>", inputs×outputs, and "name/b<l>", 1×outputs.
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
func (m MLP) Nodes(s *core.Stage) []*G.Node {
	var out []*G.Node
	for _, p := range m.Specs() {
		out = append(out, s.Param(p.Name, p.Rows, p.Cols))
	}
	return out
}

// Apply is the network's output on x: rows×In → rows×Out.
func (m MLP) Apply(s *core.Stage, x *G.Node) *G.Node { return m.Forward(s, m.Nodes(s), x) }

// Forward is the network's output on x under other parameters, in the order of Specs, such as those after a gradient
// step: rows×In → rows×Out.
func (m MLP) Forward(s *core.Stage, ps []*G.Node, x *G.Node) *G.Node {
	for l := 0; l < len(ps); l += 2 {
		act := m.Act
		if l == len(ps)-2 {
			act = op.Linear
		}
		x = s.Dense(x, ps[l], ps[l+1], act)
	}
	return x
}

// EMA moves every parameter of target towards source's after the builder's stages so far:
// target ← (1-tau)·target + tau·source. The networks must have the same shape.
func EMA(b *core.Builder, target, source MLP, tau float64) {
	from, to := source.Specs(), target.Specs()
	if len(from) != len(to) {
		b.Fail(fmt.Errorf("EMA of %s towards %s: %d and %d layers", target.Name, source.Name, len(to)/2, len(from)/2))
		return
	}
	for i := range to {
		b.EMA(to[i].Name, from[i].Name, tau)
	}
}
