package op

import (
	"fmt"
	"strings"
	"sync"

	G "gorgonia.org/gorgonia"
)

// Graphs serialises work on Gorgonia graphs: Gorgonia keeps global nodes (the constants zero and one) that it writes
// to while it differentiates, so two goroutines must not do that at once even on different graphs. Package core holds
// it around differentiation. A goroutine that calls Gorgonia's own functions while others build should hold it too,
// but not while it calls Gradients or Minimise of a stage.
var Graphs sync.Mutex

// Apply adds o to the graph of its operands. It makes sure that what comes back is what was asked for: Gorgonia
// looks new nodes up by a 32-bit hash and hands out an existing node for a different expression when hashes collide.
//
// The error names the operation, the operands and their shapes.
func Apply(o Op, in ...*G.Node) (*G.Node, error) {
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
	n, err := G.ApplyOp(o, append([]*G.Node(nil), in...)...)
	if err != nil {
		return nil, fmt.Errorf("op: %v of %s: %w", o, describeAll(in), err)
	}
	if !isNode(n, o, in) {
		return nil, fmt.Errorf("op: %v of %s: Gorgonia merged it with a different node, %s, of the same hash; rename "+
			"an input", o, describeAll(in), Describe(n))
	}
	return n, nil
}

// isNode reports whether n is o applied to exactly the nodes in.
func isNode(n *G.Node, o Op, in []*G.Node) bool {
	if n.Op() != G.Op(o) {
		return false
	}
	children := Children(n)
	if len(children) != len(in) {
		return false
	}
	for i, c := range children {
		if c != in[i] {
			return false
		}
	}
	return true
}

// Children returns the operands of n in order.
func Children(n *G.Node) []*G.Node {
	var out []*G.Node
	for it := n.Graph().From(n.ID()); it.Next(); {
		out = append(out, it.Node().(*G.Node))
	}
	return out
}

// Describe names a node for a message: an input by its name, another node by its operation, both with the shape.
func Describe(n *G.Node) string {
	switch {
	case n == nil:
		return "nil"
	case n.Op() == nil:
		return fmt.Sprintf("%q %v", n.Name(), n.Shape())
	}
	return fmt.Sprintf("%v %v", n.Op(), n.Shape())
}

func describeAll(in []*G.Node) string {
	d := make([]string, len(in))
	for i, n := range in {
		d[i] = Describe(n)
	}
	return strings.Join(d, ", ")
}

func shapeOf(n *G.Node) Shape { return Shape{n.Shape()[0], n.Shape()[1]} }
