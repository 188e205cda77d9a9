package op_test

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"nacre/core/op"
)

func ExampleScope() {
	g := gorgonia.NewGraph()
	leaf := func(name string, rows, cols int) *gorgonia.Node {
		return gorgonia.NewMatrix(g, gorgonia.Float64, gorgonia.WithShape(rows, cols), gorgonia.WithName(name))
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
