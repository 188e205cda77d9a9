package core

import (
	"testing"

	G "gorgonia.org/gorgonia"

	"nacre/core/op"
)

// checkSums accepts what Gorgonia builds and notices when a gradient is not the sum of its contributions.
func TestCheckSums(t *testing.T) {
	build := func() (nodes map[*G.Node]*G.Node, x, loss, seed *G.Node) {
		g := G.NewGraph()
		leaf := func(name string, cols int) *G.Node {
			return G.NewMatrix(g, G.Float64, G.WithShape(1, cols), G.WithName(name))
		}
		x, seed = leaf("x", 3), leaf("seed", 1)
		var s op.Scope
		loss = s.SumAll(s.Add(s.Mul(x, x), s.Sub(s.Exp(x), s.Tanh(x)))) // four contributions to x
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		nodes = map[*G.Node]*G.Node{}
		for _, n := range g.AllNodes() {
			nodes[n] = n
		}
		if _, err := G.Backpropagate(G.Nodes{loss}, G.Nodes{seed}, G.Nodes{x}); err != nil {
			t.Fatal(err)
		}
		return nodes, x, loss, seed
	}
	nodes, _, loss, seed := build()
	if err := checkSums(nodes, loss, seed); err != nil {
		t.Errorf("a right gradient was refused: %v", err)
	}
	for name, wrong := range map[string]func(d *G.Node) *G.Node{
		"a term missing": func(d *G.Node) *G.Node { return op.Children(d)[0] },
		"another term": func(d *G.Node) *G.Node {
			n, err := G.Add(op.Children(d)[0], op.Children(d)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		},
		"no sum": func(d *G.Node) *G.Node { return op.Children(d)[1] },
	} {
		nodes, x, loss, seed := build()
		G.SetDerivOf(wrong(x.Deriv()), x)
		if err := checkSums(nodes, loss, seed); err == nil {
			t.Errorf("%s: the wrong gradient was accepted", name)
		}
	}
}
