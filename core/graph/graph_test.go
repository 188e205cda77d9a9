package graph_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"nacre/core/graph"
	"nacre/core/op"
)

func leaf(t *testing.T, g *graph.Graph, name string, rows, cols int) *graph.Node {
	t.Helper()
	n, err := graph.Leaf(g, name, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestApplyErrors(t *testing.T) {
	g := graph.New()
	x := leaf(t, g, "x", 2, 2)
	vector := G.NewVector(g, G.Float64, G.WithShape(2), G.WithName("vector"))
	single := G.NewMatrix(g, G.Float32, G.WithShape(2, 2), G.WithName("single"))
	for want, in := range map[string][]*graph.Node{
		"operand 1 is nil": {x, nil}, "must be a matrix": {x, vector}, `"single"`: {x, single},
		"different graphs": {x, leaf(t, graph.New(), "x", 2, 2)},
	} {
		if _, err := graph.Apply(op.Binary{}, in...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// Two inputs whose names have one 32-bit hash: Gorgonia answers the second expression with the first one's node.
func TestApplyNoticesMerging(t *testing.T) {
	g := graph.New()
	a, b := leaf(t, g, "x1994", 2, 2), leaf(t, g, "x778120", 2, 2)
	if a == b || a.Hashcode() != b.Hashcode() {
		t.Fatal("the names no longer have one hash; find another pair")
	}
	if _, err := graph.Apply(op.Unary{F: op.Exp}, a); err != nil {
		t.Fatal(err)
	}
	if _, err := graph.Apply(op.Unary{F: op.Exp}, b); err == nil || !strings.Contains(err.Error(), "merged") {
		t.Errorf("error %v; want one that says that the nodes were merged", err)
	}
}

// A leaf is found again by its name. Two of one name whose shapes have one 32-bit hash are not confused.
func TestLeaf(t *testing.T) {
	g := graph.New()
	x := leaf(t, g, "x", 313, 541)
	if leaf(t, g, "x", 313, 541) != x {
		t.Error("one leaf has two nodes")
	}
	if other := leaf(t, graph.New(), "x", 756, 10); other.Hashcode() != x.Hashcode() {
		t.Fatal("the shapes no longer have one hash; find another pair")
	}
	if n, err := graph.Leaf(g, "x", 756, 10); err == nil || !strings.Contains(err.Error(), "merged") {
		t.Errorf("%v, error %v; want one that says that the leaves were merged", n, err)
	}
}

// CheckSums accepts what Gorgonia builds and notices when a gradient is not the sum of its contributions.
func TestCheckSums(t *testing.T) {
	build := func() (nodes map[*graph.Node]*graph.Node, x, loss, seed *graph.Node) {
		g := graph.New()
		x, seed = leaf(t, g, "x", 1, 3), leaf(t, g, "seed", 1, 1)
		var s op.Scope
		loss = s.SumAll(s.Add(s.Mul(x, x), s.Sub(s.Exp(x), s.Tanh(x)))) // four contributions to x
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		nodes = map[*graph.Node]*graph.Node{}
		for _, n := range g.AllNodes() {
			nodes[n] = n
		}
		if _, err := G.Backpropagate(G.Nodes{loss}, G.Nodes{seed}, G.Nodes{x}); err != nil {
			t.Fatal(err)
		}
		return nodes, x, loss, seed
	}
	nodes, _, loss, seed := build()
	if err := graph.CheckSums(nodes, loss, seed); err != nil {
		t.Errorf("a right gradient was refused: %v", err)
	}
	for name, wrong := range map[string]func(d *graph.Node) *graph.Node{
		"a term missing": func(d *graph.Node) *graph.Node { return graph.Children(d)[0] },
		"another term": func(d *graph.Node) *graph.Node {
			n, err := G.Add(graph.Children(d)[0], graph.Children(d)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		},
		"no sum": func(d *graph.Node) *graph.Node { return graph.Children(d)[1] },
	} {
		nodes, x, loss, seed := build()
		G.SetDerivOf(wrong(x.Deriv()), x)
		if err := graph.CheckSums(nodes, loss, seed); err == nil {
			t.Errorf("%s: the wrong gradient was accepted", name)
		}
	}
}

// What Gorgonia is told of an operation: its hash is that of its text, and Do computes it, of float64 matrices only.
func TestAdapter(t *testing.T) {
	x := leaf(t, graph.New(), "x", 2, 2)
	n, err := graph.Apply(op.Affine{A: 2, B: 1}, x)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New32a()
	fmt.Fprint(h, op.Affine{A: 2, B: 1})
	if n.Op().Hashcode() != h.Sum32() {
		t.Errorf("the hash of %v is not that of its text", n.Op())
	}
	y, err := n.Op().Do(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{3, -1})))
	if err != nil || !slices.Equal(y.Data().([]float64), []float64{7, -1}) {
		t.Errorf("2·(3, -1)+1 = %v, %v", y, err)
	}
	if _, err := n.Op().Do(tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2, 2))); err == nil {
		t.Error("Do accepted float32")
	}
}

// The vocabulary also runs in Gorgonia's own machine.
func TestTapeMachine(t *testing.T) {
	g := graph.New()
	x, w, b, seed := leaf(t, g, "x", 2, 3), leaf(t, g, "w", 3, 2), leaf(t, g, "b", 1, 2), leaf(t, g, "seed", 1, 1)
	var s op.Scope
	h := s.Dense(x, w, b, op.Tanh)
	loss := s.MeanAll(s.Square(s.Sub(s.LogSumExp(h), s.SumCols(h))))
	grads, err := G.Backpropagate(G.Nodes{loss}, G.Nodes{seed}, G.Nodes{w, b})
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	values := map[*graph.Node][]float64{x: {1, -2, 0.5, 0.3, 1.5, -1}, w: {0.2, -0.4, 0.7, 0.1, -0.3, 0.6},
		b: {0.1, -0.2}, seed: {1}}
	run := func() {
		for n, v := range values {
			if err := G.Let(n, tensor.New(tensor.WithShape(n.Shape()...),
				tensor.WithBacking(slices.Clone(v)))); err != nil {
				t.Fatal(err)
			}
		}
		vm := G.NewTapeMachine(g)
		defer vm.Close()
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
	}
	value := func(n *graph.Node) []float64 { return n.Value().(*tensor.Dense).Float64s() }
	run()
	got := [][]float64{slices.Clone(value(grads[0])), slices.Clone(value(grads[1]))}
	for k, n := range []*graph.Node{w, b} {
		for i, old := range values[n] {
			at := func(d float64) float64 {
				values[n][i] = old + d
				defer func() { values[n][i] = old }()
				run()
				return value(loss)[0]
			}
			const step = 1e-5
			if want := (at(step) - at(-step)) / (2 * step); math.Abs(got[k][i]-want) > 1e-8 {
				t.Errorf("gradient of %s element %d: %v, difference quotient %v", n.Name(), i, got[k][i], want)
			}
		}
	}
}
