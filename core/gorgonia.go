package core

import (
	"fmt"
	"reflect"
	"strings"

	G "gorgonia.org/gorgonia"

	"nacre/core/op"
)

// translate returns n, and everything it is computed from, in terms of the vocabulary. Nodes made with Gorgonia's own
// functions are replaced where there is an equivalent: elementwise + - × ÷, common elementwise functions, matrix
// products, sums and means over everything, constants. Others are refused by name: Gorgonia merges different slices,
// soft-maxes and constant tensors, and differentiates some functions wrongly.
func (s *Stage) translate(n *G.Node) (*G.Node, error) {
	if m, ok := s.own[n]; ok {
		return m, nil
	}
	if n.Graph().Node(n.ID()) != n {
		return nil, fmt.Errorf("%s was removed from its graph by one of Gorgonia's rewrites (log(1+x) and the like); "+
			"use Log1p, Softplus or Sigmoid of the stage", op.Describe(n))
	}
	m, err := s.translateOp(n)
	if err != nil {
		return nil, err
	}
	s.own[n] = m
	return m, nil
}

func (s *Stage) translateOp(n *G.Node) (*G.Node, error) {
	if n.Op() == nil {
		if _, ok := s.leaves[n]; !ok {
			return nil, fmt.Errorf("%s was not made by the stage; use Input, WholeInput, Param or Const",
				op.Describe(n))
		}
		return n, nil
	}
	kind, advice := builtin(n.Op())
	switch kind {
	case "const":
		return s.constant(n)
	case "size":
		return s.Const(float64(field(n.Op(), "val").Int())), nil
	case "":
		return nil, fmt.Errorf("Gorgonia's %s cannot be compiled: %s", op.Describe(n), advice)
	}
	children := op.Children(n)
	in := make([]*G.Node, len(children))
	same := true
	for i, x := range children {
		var err error
		if in[i], err = s.translate(x); err != nil {
			return nil, err
		}
		same = same && in[i] == x
	}
	if o, ok := n.Op().(op.Op); ok {
		if same {
			return n, nil
		}
		return op.Apply(o, in...)
	}
	switch kind {
	case "sum":
		if n.Shape().TotalSize() != 1 || len(n.Shape()) != 0 {
			return nil, fmt.Errorf("Gorgonia's %s sums along some axes only: use SumCols or SumRows", op.Describe(n))
		}
		return op.Apply(op.SumAll{}, in[0])
	case "matmul":
		return op.Apply(op.MatMul{TA: field(n.Op(), "transA").Bool(), TB: field(n.Op(), "transB").Bool()}, in...)
	}
	if f, ok := builtinUnary[kind]; ok {
		return op.Apply(op.Unary{F: f}, in...)
	}
	return op.Apply(op.Binary{F: builtinBinary[kind]}, in...)
}

// constant translates a scalar constant. Gorgonia takes constants of one name for the same whatever their value, so
// only those it named itself, after their value, are safe.
func (s *Stage) constant(n *G.Node) (*G.Node, error) {
	v := n.Op().(interface{ Value() G.Value }).Value()
	x, ok := v.Data().(float64)
	if !ok || len(v.Shape()) != 0 {
		return nil, fmt.Errorf("constant %v of shape %v: use Const for float64 numbers and WholeInput for matrices",
			n.Name(), v.Shape())
	}
	if n.Name() != fmt.Sprint(x) && n.Name() != fmt.Sprintf("%v", v) {
		return nil, fmt.Errorf("constant %v is named %q: Gorgonia merges constants of one name; leave the name out "+
			"or use Const", x, n.Name())
	}
	return s.Const(x), nil
}

var builtinUnary = map[string]op.UnaryFunc{
	"abs": op.Abs, "exp": op.Exp, "ln": op.Log, "neg": op.Neg, "square": op.Square, "sqrt": op.Sqrt, "inv": op.Recip,
	"tanh": op.TanhOf, "sigmoid": op.Sigmoid, "log1p": op.Log1p, "softplus": op.Softplus,
}

var builtinBinary = map[string]op.BinaryFunc{"+": op.Add, "-": op.Sub, "⊙": op.Mul, "÷": op.Div, "min": op.Min,
	"max": op.Max}

// builtin classifies an operation: a key of the tables above, "const", "size", "sum", "matmul", "own", or "" with
// advice on what to use instead.
func builtin(o G.Op) (kind, advice string) {
	if _, ok := o.(op.Op); ok {
		return "own", ""
	}
	if o == nil {
		return "", "it is an input"
	}
	switch fmt.Sprintf("%T", o) {
	case "gorgonia.elemBinOp":
		kind = strings.Fields(o.String())[0]
		if _, ok := builtinBinary[kind]; ok {
			return kind, ""
		}
		return "", "use the stage's Less, Min, Max, Square or Exp and Log"
	case "gorgonia.elemUnaryOp":
		if _, ok := builtinUnary[o.String()]; ok {
			return o.String(), ""
		}
		return "", map[string]string{
			"invSqrt": "use Recip(Sqrt(x)); its gradient in Gorgonia is wrong",
			"log2":    "use Scale(Log(x), 1/ln 2); its gradient in Gorgonia is wrong",
			"sign":    "use the stage's Sign",
			"expm1":   "use Shift(Exp(x), -1)",
			"cube":    "use Mul(x, Square(x))",
		}[o.String()]
	case "gorgonia.linAlgBinOp":
		if field(o, "āBinaryOperator").Uint() == 0 {
			return "matmul", ""
		}
		return "", "use MatMul; vectors are matrices of one row or column"
	case "gorgonia.minBetween":
		return "min", ""
	case "gorgonia.maxBetween":
		return "max", ""
	case "gorgonia.sumOp":
		return "sum", ""
	case "gorgonia.sizeOp":
		return "size", ""
	case "gorgonia.constantScalar", "gorgonia.constantTensor":
		return "const", ""
	case "*gorgonia.sliceOp", "gorgonia.sliceIncrOp":
		return "", "use SliceCols; Gorgonia merges slices whose bounds are equal modulo 256"
	case "*gorgonia.softmaxOp", "*gorgonia.softmaxDiffOp":
		return "", "use LogSumExp; Gorgonia merges softmax and log-softmax"
	case "gorgonia.concatOp", "*gorgonia.concatOp":
		return "", "use ConcatCols"
	case "*gorgonia.repeatOp", "gorgonia.reshapeOp", "*gorgonia.reshapeOp":
		return "", "the stage's operations broadcast rows and columns by themselves; use RepeatRows or Like to repeat"
	case "*gorgonia.maxOp":
		return "", "use LogSumExp, or Max of two matrices"
	}
	return "", "use the operations of the stage (package core/op)"
}

// field reads an unexported field of one of Gorgonia's operations.
func field(o G.Op, name string) reflect.Value {
	v := reflect.ValueOf(o)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.FieldByName(name)
}
