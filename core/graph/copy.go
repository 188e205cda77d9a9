package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"
)

// Copier rebuilds expressions, from their leaves up, in Ops alone.
type Copier struct {
	// Known has the copies of nodes. Copy adds to it.
	Known map[*Node]*Node

	// Leaf returns the copy of a node that has no operation.
	Leaf func(n *Node) (*Node, error)

	// Const returns the node of a number that Gorgonia's own functions brought in.
	Const func(x float64) *Node

	// Own has the operations that do what Gorgonia's do, by Gorgonia's names: "+", "exp", "A × Bᵀ", "Σ" (of
	// everything).
	Own map[string]Op
}

// Copy returns the copy of n. It is n itself if an Op made n and the copy of each operand is the operand itself. The
// error names an operation of Gorgonia's that has no equivalent, and what to use.
func (c *Copier) Copy(n *Node) (*Node, error) {
	if m, ok := c.Known[n]; ok {
		return m, nil
	}
	m, err := c.rebuild(n)
	if err == nil {
		c.Known[n] = m
	}
	return m, err
}

func (c *Copier) rebuild(n *Node) (*Node, error) {
	if n.Graph().Node(n.ID()) != n {
		return nil, fmt.Errorf("%s was removed from its graph by one of Gorgonia's rewrites (log(1+x) and the like); "+
			"use Log1p, Softplus or Sigmoid of the stage", Describe(n))
	}
	if n.Op() == nil {
		return c.Leaf(n)
	}
	o, x, err := c.equivalent(n)
	switch {
	case err != nil:
		return nil, err
	case o == nil:
		return c.Const(x), nil
	}
	children := Children(n)
	in := make([]*Node, len(children))
	for i, child := range children {
		if in[i], err = c.Copy(child); err != nil {
			return nil, err
		}
	}
	if o == Of(n) && slices.Equal(in, children) {
		return n, nil
	}
	return Apply(o, in...)
}

// equivalent returns the Op that does what the operation of n does; nil, and a number, for a constant.
func (c *Copier) equivalent(n *Node) (o Op, x float64, err error) {
	if o := Of(n); o != nil {
		return o, 0, nil
	}
	name := n.Op().String()
	kind := strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", n.Op()), "*"), "gorgonia.")
	switch kind {
	case "constantScalar", "constantTensor":
		x, err = constant(n)
		return nil, x, err
	case "sizeOp":
		_, err = fmt.Sscanf(name, "SizeOf=%g", &x)
		return nil, x, err
	case "sumOp":
		if len(n.Shape()) == 0 {
			name = "Σ"
		}
	case "elemBinOp": // "+ true"
		name = strings.Fields(name)[0]
	case "elemUnaryOp", "linAlgBinOp", "minBetween", "maxBetween":
	default:
		name = ""
	}
	if o, ok := c.Own[name]; ok {
		return o, 0, nil
	}
	return nil, 0, fmt.Errorf("Gorgonia's %s cannot be compiled: %s", Describe(n),
		cmp.Or(instead[name], instead[kind], "use the operations of the stage (package core/op)"))
}

// instead says what to use for an operation that has no equivalent, by its name or its type.
var instead = map[string]string{
	"invSqrt": "use Recip(Sqrt(x)); its gradient in Gorgonia is wrong",
	"log2":    "use Scale(Log(x), 1/ln 2); its gradient in Gorgonia is wrong",
	"sign":    "use the stage's Sign",
	"expm1":   "use Shift(Exp(x), -1)",
	"cube":    "use Mul(x, Square(x))",

	"elemBinOp":     "use the stage's Less, Min, Max, Square or Exp and Log",
	"linAlgBinOp":   "use MatMul; vectors are matrices of one row or column",
	"sumOp":         "it sums along some axes only: use SumCols or SumRows",
	"sliceOp":       "use SliceCols; Gorgonia merges slices whose bounds are equal modulo 256",
	"sliceIncrOp":   "use SliceCols; Gorgonia merges slices whose bounds are equal modulo 256",
	"softmaxOp":     "use LogSumExp; Gorgonia merges softmax and log-softmax",
	"softmaxDiffOp": "use LogSumExp; Gorgonia merges softmax and log-softmax",
	"concatOp":      "use ConcatCols",
	"repeatOp":      "the stage's operations broadcast by themselves; use RepeatRows or Like to repeat",
	"reshapeOp":     "the stage's operations broadcast by themselves; use RepeatRows or Like to repeat",
	"maxOp":         "use LogSumExp, or Max of two matrices",
}

// constant is the value of one of Gorgonia's constants. Gorgonia takes constants of one name for the same whatever
// their value, so only those it named itself, after their value, are safe.
func constant(n *Node) (float64, error) {
	v := n.Op().(interface{ Value() G.Value }).Value()
	x, ok := v.Data().(float64)
	if !ok || len(v.Shape()) != 0 {
		return 0, fmt.Errorf("constant %v of shape %v: use Const for float64 numbers and WholeInput for matrices",
			n.Name(), v.Shape())
	}
	if n.Name() != fmt.Sprint(x) && n.Name() != fmt.Sprintf("%v", v) {
		return 0, fmt.Errorf("constant %v is named %q: Gorgonia merges constants of one name; leave the name out "+
			"or use Const", x, n.Name())
	}
	return x, nil
}
