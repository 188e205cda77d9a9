package op_test

import (
	"fmt"

	"nacre/core/graph"
	"nacre/core/op"
)

func ExampleScope() {
	g := graph.New()
	leaf := func(name string, rows, cols int) *graph.Node {
		n, _ := graph.Leaf(g, name, rows, cols)
		return n
	}
	x, y, w, b := leaf("x", 8, 3), leaf("y", 8, 1), leaf("w", 3, 1), leaf("b", 1, 1)
	s := new(op.Scope)
	loss := s.MeanAll(s.Square(s.Sub(s.Dense(x, w, b, op.Linear), y)))
	fmt.Println(loss.Shape(), s.Err())

	s.Dense(w, x, b, op.Linear)
	fmt.Println(s.Err() != nil)
	// Output:
	// (1, 1) <nil>
	// true
}
