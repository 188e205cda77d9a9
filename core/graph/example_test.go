package graph_test

import (
	"fmt"

	"nacre/core/graph"
)

// times is an operation: the elementwise product of two matrices of one shape.
type times struct{}

func (times) String() string     { return "times" }
func (times) Arity() int         { return 2 }
func (times) DiffWRT(int) []bool { return []bool{true, true} }

func (times) Shape(in []graph.Shape) (graph.Shape, error) {
	if in[0] != in[1] {
		return graph.Shape{}, fmt.Errorf("the shapes must be equal")
	}
	return in[0], nil
}

func (o times) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	da, err := graph.Apply(o, g, in[1])
	if err != nil {
		return nil, err
	}
	db, err := graph.Apply(o, g, in[0])
	return graph.Nodes{da, db}, err
}

func (times) Eval(dst graph.Mat, in []graph.Mat) {
	for i := range dst.Data {
		dst.Data[i] = in[0].Data[i] * in[1].Data[i]
	}
}

// plus is the sum of two matrices of one shape.
type plus struct{ times }

func (plus) String() string { return "plus" }

func (plus) SymDiff(_ graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	return graph.Nodes{g, g}, nil
}

func (plus) Eval(dst graph.Mat, in []graph.Mat) {
	for i := range dst.Data {
		dst.Data[i] = in[0].Data[i] + in[1].Data[i]
	}
}

// Differentiates x·x·y. An operation is what Op asks for; Gorgonia does the rest.
func Example() {
	g := graph.New()
	x, _ := graph.Leaf(g, "x", 1, 1)
	y, _ := graph.Leaf(g, "y", 1, 1)
	square, _ := graph.Apply(times{}, x, x)
	loss, _ := graph.Apply(times{}, square, y)

	c := graph.Copier{
		Known: map[*graph.Node]*graph.Node{},
		Leaf:  func(n *graph.Node) (*graph.Node, error) { return n, nil },
		Const: func(v float64) *graph.Node {
			n, _ := graph.Leaf(g, fmt.Sprint(v), 1, 1)
			return n
		},
		Own: map[string]graph.Op{"+": plus{}},
	}
	grads, err := c.Gradients(loss, x, y)
	fmt.Println(write(grads[0]), "and", write(grads[1]), err)

	wide, _ := graph.Leaf(g, "wide", 1, 2)
	_, err = graph.Apply(times{}, x, wide)
	fmt.Println(err)
	// Output:
	// plus(times(times(1, y), x), times(times(1, y), x)) and times(1, times(x, x)) <nil>
	// op: times of "x" (1, 1), "wide" (1, 2): Failed to infer shape. Op: times: op: times: operands [1×1 1×2]: the shapes must be equal
}

// write spells an expression out.
func write(n *graph.Node) string {
	o := graph.Of(n)
	if o == nil {
		return n.Name()
	}
	in := graph.Children(n)
	return fmt.Sprintf("%v(%s, %s)", o, write(in[0]), write(in[1]))
}
