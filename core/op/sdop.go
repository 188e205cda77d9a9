package op

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Shape is the size of a matrix.
type Shape struct{ Rows, Cols int }

func (s Shape) String() string { return fmt.Sprintf("%d×%d", s.Rows, s.Cols) }

// ShapeOf applies o's shape rule: the shape of the result of o on operands of the given shapes, or an error that
// names o and the shapes.
func ShapeOf(o Op, in ...Shape) (Shape, error) {
	d := make([]G.DimSizer, len(in))
	for i, s := range in {
		d[i] = tensor.Shape{s.Rows, s.Cols}
	}
	out, err := o.InferShape(d...)
	if err != nil {
		return Shape{}, err
	}
	return Shape{out[0], out[1]}, nil
}

// shaper is an operation's own shape rule. The error says what was expected; the caller adds operation and shapes.
type shaper interface {
	Op
	shape(in []Shape) (Shape, error)
}

// base answers for most operations: results are new matrices, every operand and the result follow the rows.
type base struct{}

func (base) ReturnsPtr() bool     { return true }
func (base) CallsExtern() bool    { return false }
func (base) OverwritesInput() int { return -1 }
func (base) Operand(int) Rows     { return ByRow }
func (base) Result() Rows         { return ByRow }

type (
	unary   struct{ base }
	binary  struct{ base }
	ternary struct{ base }
)

func (unary) Arity() int           { return 1 }
func (unary) Type() hm.Type        { return fnType(1) }
func (unary) DiffWRT(int) []bool   { return []bool{true} }
func (binary) Arity() int          { return 2 }
func (binary) Type() hm.Type       { return fnType(2) }
func (binary) DiffWRT(int) []bool  { return []bool{true, true} }
func (ternary) Arity() int         { return 3 }
func (ternary) Type() hm.Type      { return fnType(3) }
func (ternary) DiffWRT(int) []bool { return []bool{true, true, true} }

// fnType is the type of a function of n matrices to a matrix, all of one element type.
func fnType(n int) hm.Type {
	t := make([]hm.Type, n+1)
	for i := range t {
		t[i] = G.TensorType{Dims: 2, Of: hm.TypeVariable('a')}
	}
	return hm.NewFnType(t...)
}

func inferShape(o shaper, d []G.DimSizer) (tensor.Shape, error) {
	in := make([]Shape, len(d))
	for i, x := range d {
		s, ok := x.(tensor.Shape)
		if !ok || len(s) != 2 {
			return nil, fmt.Errorf("op: %v: operand %d has shape %v; every operand must be a matrix", o, i, x)
		}
		in[i] = Shape{s[0], s[1]}
	}
	if len(in) != o.Arity() {
		return nil, fmt.Errorf("op: %v: got %d operands, want %d", o, len(in), o.Arity())
	}
	out, err := o.shape(in)
	if err != nil {
		return nil, fmt.Errorf("op: %v: operands %v: %w", o, in, err)
	}
	return tensor.Shape{out.Rows, out.Cols}, nil
}

func hashcode(o Op) uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// do runs Eval on Gorgonia values, so that the vocabulary also works in Gorgonia's own machines.
func do(o shaper, v []G.Value) (G.Value, error) {
	in, d := make([]Mat, len(v)), make([]G.DimSizer, len(v))
	for i, x := range v {
		t, ok := x.(*tensor.Dense)
		if !ok || t.Dtype() != tensor.Float64 || t.Dims() != 2 {
			return nil, fmt.Errorf("op: %v: operand %d is %T of shape %v; want a float64 matrix", o, i, x, x.Shape())
		}
		if t.RequiresIterator() || t.DataOrder().IsColMajor() {
			t = t.Materialize().(*tensor.Dense)
		}
		in[i] = Mat{Rows: t.Shape()[0], Cols: t.Shape()[1], Data: t.Float64s()}
		d[i] = t.Shape()
	}
	s, err := o.InferShape(d...)
	if err != nil {
		return nil, err
	}
	dst := Mat{Rows: s[0], Cols: s[1], Data: make([]float64, s[0]*s[1])}
	o.Eval(dst, in)
	return tensor.New(tensor.WithShape(s...), tensor.WithBacking(dst.Data)), nil
}

// Gorgonia calls these on the operation itself, which base cannot see; each line hands over to the shared routine.

func (o Dense) InferShape(d ...G.DimSizer) (tensor.Shape, error)            { return inferShape(o, d) }
func (o MatMul) InferShape(d ...G.DimSizer) (tensor.Shape, error)           { return inferShape(o, d) }
func (o ActGrad) InferShape(d ...G.DimSizer) (tensor.Shape, error)          { return inferShape(o, d) }
func (o Unary) InferShape(d ...G.DimSizer) (tensor.Shape, error)            { return inferShape(o, d) }
func (o Affine) InferShape(d ...G.DimSizer) (tensor.Shape, error)           { return inferShape(o, d) }
func (o Clamp) InferShape(d ...G.DimSizer) (tensor.Shape, error)            { return inferShape(o, d) }
func (o ClampGrad) InferShape(d ...G.DimSizer) (tensor.Shape, error)        { return inferShape(o, d) }
func (o Binary) InferShape(d ...G.DimSizer) (tensor.Shape, error)           { return inferShape(o, d) }
func (o SumRows) InferShape(d ...G.DimSizer) (tensor.Shape, error)          { return inferShape(o, d) }
func (o SumCols) InferShape(d ...G.DimSizer) (tensor.Shape, error)          { return inferShape(o, d) }
func (o SumAll) InferShape(d ...G.DimSizer) (tensor.Shape, error)           { return inferShape(o, d) }
func (o RepeatRows) InferShape(d ...G.DimSizer) (tensor.Shape, error)       { return inferShape(o, d) }
func (o Like) InferShape(d ...G.DimSizer) (tensor.Shape, error)             { return inferShape(o, d) }
func (o ConcatCols) InferShape(d ...G.DimSizer) (tensor.Shape, error)       { return inferShape(o, d) }
func (o SliceCols) InferShape(d ...G.DimSizer) (tensor.Shape, error)        { return inferShape(o, d) }
func (o PadCols) InferShape(d ...G.DimSizer) (tensor.Shape, error)          { return inferShape(o, d) }
func (o LogSumExp) InferShape(d ...G.DimSizer) (tensor.Shape, error)        { return inferShape(o, d) }
func (o SquaredDistances) InferShape(d ...G.DimSizer) (tensor.Shape, error) { return inferShape(o, d) }
func (o StopGrad) InferShape(d ...G.DimSizer) (tensor.Shape, error)         { return inferShape(o, d) }

func (o Dense) Do(v ...G.Value) (G.Value, error)            { return do(o, v) }
func (o MatMul) Do(v ...G.Value) (G.Value, error)           { return do(o, v) }
func (o ActGrad) Do(v ...G.Value) (G.Value, error)          { return do(o, v) }
func (o Unary) Do(v ...G.Value) (G.Value, error)            { return do(o, v) }
func (o Affine) Do(v ...G.Value) (G.Value, error)           { return do(o, v) }
func (o Clamp) Do(v ...G.Value) (G.Value, error)            { return do(o, v) }
func (o ClampGrad) Do(v ...G.Value) (G.Value, error)        { return do(o, v) }
func (o Binary) Do(v ...G.Value) (G.Value, error)           { return do(o, v) }
func (o SumRows) Do(v ...G.Value) (G.Value, error)          { return do(o, v) }
func (o SumCols) Do(v ...G.Value) (G.Value, error)          { return do(o, v) }
func (o SumAll) Do(v ...G.Value) (G.Value, error)           { return do(o, v) }
func (o RepeatRows) Do(v ...G.Value) (G.Value, error)       { return do(o, v) }
func (o Like) Do(v ...G.Value) (G.Value, error)             { return do(o, v) }
func (o ConcatCols) Do(v ...G.Value) (G.Value, error)       { return do(o, v) }
func (o SliceCols) Do(v ...G.Value) (G.Value, error)        { return do(o, v) }
func (o PadCols) Do(v ...G.Value) (G.Value, error)          { return do(o, v) }
func (o LogSumExp) Do(v ...G.Value) (G.Value, error)        { return do(o, v) }
func (o SquaredDistances) Do(v ...G.Value) (G.Value, error) { return do(o, v) }
func (o StopGrad) Do(v ...G.Value) (G.Value, error)         { return do(o, v) }

func (o Dense) WriteHash(h hash.Hash)            { io.WriteString(h, o.String()) }
func (o MatMul) WriteHash(h hash.Hash)           { io.WriteString(h, o.String()) }
func (o ActGrad) WriteHash(h hash.Hash)          { io.WriteString(h, o.String()) }
func (o Unary) WriteHash(h hash.Hash)            { io.WriteString(h, o.String()) }
func (o Affine) WriteHash(h hash.Hash)           { io.WriteString(h, o.String()) }
func (o Clamp) WriteHash(h hash.Hash)            { io.WriteString(h, o.String()) }
func (o ClampGrad) WriteHash(h hash.Hash)        { io.WriteString(h, o.String()) }
func (o Binary) WriteHash(h hash.Hash)           { io.WriteString(h, o.String()) }
func (o SumRows) WriteHash(h hash.Hash)          { io.WriteString(h, o.String()) }
func (o SumCols) WriteHash(h hash.Hash)          { io.WriteString(h, o.String()) }
func (o SumAll) WriteHash(h hash.Hash)           { io.WriteString(h, o.String()) }
func (o RepeatRows) WriteHash(h hash.Hash)       { io.WriteString(h, o.String()) }
func (o Like) WriteHash(h hash.Hash)             { io.WriteString(h, o.String()) }
func (o ConcatCols) WriteHash(h hash.Hash)       { io.WriteString(h, o.String()) }
func (o SliceCols) WriteHash(h hash.Hash)        { io.WriteString(h, o.String()) }
func (o PadCols) WriteHash(h hash.Hash)          { io.WriteString(h, o.String()) }
func (o LogSumExp) WriteHash(h hash.Hash)        { io.WriteString(h, o.String()) }
func (o SquaredDistances) WriteHash(h hash.Hash) { io.WriteString(h, o.String()) }
func (o StopGrad) WriteHash(h hash.Hash)         { io.WriteString(h, o.String()) }

func (o Dense) Hashcode() uint32            { return hashcode(o) }
func (o MatMul) Hashcode() uint32           { return hashcode(o) }
func (o ActGrad) Hashcode() uint32          { return hashcode(o) }
func (o Unary) Hashcode() uint32            { return hashcode(o) }
func (o Affine) Hashcode() uint32           { return hashcode(o) }
func (o Clamp) Hashcode() uint32            { return hashcode(o) }
func (o ClampGrad) Hashcode() uint32        { return hashcode(o) }
func (o Binary) Hashcode() uint32           { return hashcode(o) }
func (o SumRows) Hashcode() uint32          { return hashcode(o) }
func (o SumCols) Hashcode() uint32          { return hashcode(o) }
func (o SumAll) Hashcode() uint32           { return hashcode(o) }
func (o RepeatRows) Hashcode() uint32       { return hashcode(o) }
func (o Like) Hashcode() uint32             { return hashcode(o) }
func (o ConcatCols) Hashcode() uint32       { return hashcode(o) }
func (o SliceCols) Hashcode() uint32        { return hashcode(o) }
func (o PadCols) Hashcode() uint32          { return hashcode(o) }
func (o LogSumExp) Hashcode() uint32        { return hashcode(o) }
func (o SquaredDistances) Hashcode() uint32 { return hashcode(o) }
func (o StopGrad) Hashcode() uint32         { return hashcode(o) }
