// Package graph wraps Gorgonia, the library whose graphs hold losses and whose differentiation makes their gradients.
// It knows neither stages nor devices, and it runs nothing.
//
// Gorgonia is here for three reasons. It differentiates any expression whose operations know their own gradients. Its
// nodes are what losses in notebooks are written with. And a loss that uses Gorgonia's own functions can be compiled,
// where the vocabulary of core/op has an equivalent.
//
// Version 0.9.18 has these faults, and this package does the following about them:
//
//   - It finds a node by a hash of 32 bits and may answer with the node of another expression. Leaf, Apply and
//     Gradients compare what comes back with what was asked for; an error says which name to change.
//   - It differentiates a graph once; a second loss of the same graph gets the gradient of the first one added.
//     Gradients lets it work on a copy and copies the result back, so it can also differentiate gradients.
//   - It writes to global nodes while it differentiates. So only one goroutine at a time may differentiate, the one
//     that holds the mutex in the variable Gorgonia.
//   - It merges different slices, soft-maxes and named constants, differentiates some functions wrongly, and takes
//     nodes out of the graph when it rewrites log(1+x). Copier refuses these by name and says what to use.
//   - It exports neither the types of its operations nor their fields. Copier tells them apart by their type's name
//     and by the text they print.
//   - It asks each operation for twelve methods. Op asks for six; an adapter answers the rest for all operations.
//
// Other packages use it instead of Gorgonia. A test of internal/docs names every file that imports Gorgonia itself,
// except generated files and the packages listed in internal/docs/house.go.
package graph

import (
	"fmt"
	"slices"
	"strings"

	// Gorgonia refuses to start under a Go version this module has not been told about.
	_ "go4.org/unsafe/assume-no-moving-gc"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

type (
	// Node is a matrix in an expression: a leaf, or an operation applied to other nodes. A scalar is 1×1.
	Node = G.Node
	// Nodes are nodes of one graph.
	Nodes = G.Nodes
	// Graph holds expressions.
	Graph = G.ExprGraph
)

// New returns an empty graph.
func New() *Graph { return G.NewGraph() }

// Leaf is the rows×cols node of g that is called name, made on first use.
func Leaf(g *Graph, name string, rows, cols int) (*Node, error) {
	n := G.NewMatrix(g, G.Float64, G.WithShape(rows, cols), G.WithName(name))
	if !slices.Equal(n.Shape(), tensor.Shape{rows, cols}) {
		return nil, fmt.Errorf("%s: Gorgonia merged it with %s; rename it", name, Describe(n))
	}
	return n, nil
}

// Apply adds o to the graph of its operands. The error names the operation, the operands and their shapes.
func Apply(o Op, in ...*Node) (*Node, error) {
	for i, x := range in {
		if x == nil {
			return nil, fmt.Errorf("op: %v: operand %d is nil", o, i)
		}
		if x.Dims() != 2 {
			return nil, fmt.Errorf("op: %v: operand %d (%s) has shape %v; every operand must be a matrix, a scalar 1×1",
				o, i, Describe(x), x.Shape())
		}
		if x.Graph() != in[0].Graph() {
			return nil, fmt.Errorf("op: %v: operands %s and %s belong to different graphs", o, Describe(in[0]),
				Describe(x))
		}
	}
	n, err := G.ApplyOp(adapter{o}, slices.Clone(in)...)
	if err != nil {
		return nil, fmt.Errorf("op: %v of %s: %w", o, describeAll(in), err)
	}
	if Of(n) != o || !slices.Equal(Children(n), in) {
		return nil, fmt.Errorf("op: %v of %s: Gorgonia merged it with a different node, %s, of the same hash; rename "+
			"an input", o, describeAll(in), Describe(n))
	}
	return n, nil
}

// Of returns the operation that Apply made n with; nil for a leaf and for a node made by Gorgonia's own functions.
func Of(n *Node) Op {
	a, _ := n.Op().(adapter)
	return a.Op
}

// Children returns the operands of n in order.
func Children(n *Node) []*Node {
	var out []*Node
	for it := n.Graph().From(n.ID()); it.Next(); {
		out = append(out, it.Node().(*Node))
	}
	return out
}

// Describe names a node for a message: an input by its name, another node by its operation, both with the shape.
func Describe(n *Node) string {
	switch {
	case n == nil:
		return "nil"
	case n.Op() == nil:
		return fmt.Sprintf("%q %v", n.Name(), n.Shape())
	}
	return fmt.Sprintf("%v %v", n.Op(), n.Shape())
}

func describeAll(in []*Node) string {
	d := make([]string, len(in))
	for i, n := range in {
		d[i] = Describe(n)
	}
	return strings.Join(d, ", ")
}
