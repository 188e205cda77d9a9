package graph

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Op is an operation on matrices. Implementations are small comparable structs: equal values, applied to the same
// operands, are one node.
type Op interface {
	// String contains every attribute of the operation, because Gorgonia merges operations with equal strings.
	String() string

	// Arity is the number of operands.
	Arity() int

	// Shape is the shape of the result. The error says what was expected; ShapeOf adds operation and shapes.
	Shape(in []Shape) (Shape, error)

	// DiffWRT says for each operand whether a gradient passes to it. Its argument is the number of operands.
	DiffWRT(operands int) []bool

	// SymDiff returns the gradients of a loss by the operands, given the result y and the gradient g by it; nil where
	// none passes.
	SymDiff(in Nodes, y, g *Node) (Nodes, error)

	// Eval computes dst from in, in float64, plainly; it is the definition that devices are judged by. Shapes are those
	// of the shape rule; dst is zero when Eval is called and aliases no operand.
	Eval(dst Mat, in []Mat)
}

// Shape is the size of a matrix.
type Shape struct{ Rows, Cols int }

func (s Shape) String() string { return fmt.Sprintf("%d×%d", s.Rows, s.Cols) }

// Mat is a row-major matrix: element (i,j) is Data[i*Cols+j].
type Mat struct {
	Rows, Cols int
	Data       []float64
}

// ShapeOf applies o's shape rule: the shape of the result of o on operands of the given shapes, or an error that
// names o and the shapes.
func ShapeOf(o Op, in ...Shape) (Shape, error) {
	if len(in) != o.Arity() {
		return Shape{}, fmt.Errorf("op: %v: got %d operands, want %d", o, len(in), o.Arity())
	}
	out, err := o.Shape(in)
	if err != nil {
		return Shape{}, fmt.Errorf("op: %v: operands %v: %w", o, in, err)
	}
	return out, nil
}

// adapter is an Op as Gorgonia takes it, in its own machines too.
type adapter struct{ Op }

// Type implements gorgonia.Op: a function of matrices to a matrix, all of one element type.
func (a adapter) Type() hm.Type {
	t := make([]hm.Type, a.Arity()+1)
	for i := range t {
		t[i] = G.TensorType{Dims: 2, Of: hm.TypeVariable('a')}
	}
	return hm.NewFnType(t...)
}

func (adapter) ReturnsPtr() bool        { return true }
func (adapter) CallsExtern() bool       { return false }
func (adapter) OverwritesInput() int    { return -1 }
func (a adapter) WriteHash(h hash.Hash) { io.WriteString(h, a.String()) }

func (a adapter) Hashcode() uint32 {
	h := fnv.New32a()
	a.WriteHash(h)
	return h.Sum32()
}

func (a adapter) InferShape(d ...G.DimSizer) (tensor.Shape, error) {
	in := make([]Shape, len(d))
	for i, x := range d {
		s, ok := x.(tensor.Shape)
		if !ok || len(s) != 2 {
			return nil, fmt.Errorf("op: %v: operand %d has shape %v; every operand must be a matrix", a, i, x)
		}
		in[i] = Shape{s[0], s[1]}
	}
	out, err := ShapeOf(a.Op, in...)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{out.Rows, out.Cols}, nil
}

func (a adapter) Do(v ...G.Value) (G.Value, error) {
	in, shapes := make([]Mat, len(v)), make([]Shape, len(v))
	for i, x := range v {
		t, ok := x.(*tensor.Dense)
		if !ok || t.Dtype() != tensor.Float64 || t.Dims() != 2 {
			return nil, fmt.Errorf("op: %v: operand %d is %T of shape %v; want a float64 matrix", a, i, x, x.Shape())
		}
		if t.RequiresIterator() || t.DataOrder().IsColMajor() {
			t = t.Materialize().(*tensor.Dense)
		}
		shapes[i] = Shape{t.Shape()[0], t.Shape()[1]}
		in[i] = Mat{Rows: shapes[i].Rows, Cols: shapes[i].Cols, Data: t.Float64s()}
	}
	s, err := ShapeOf(a.Op, shapes...)
	if err != nil {
		return nil, err
	}
	dst := Mat{Rows: s.Rows, Cols: s.Cols, Data: make([]float64, s.Rows*s.Cols)}
	a.Eval(dst, in)
	return tensor.New(tensor.WithShape(s.Rows, s.Cols), tensor.WithBacking(dst.Data)), nil
}
