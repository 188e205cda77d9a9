package op

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"nacre/core/graph"
)

func (o Dense) String() string { return fmt.Sprintf("Dense(%v)", o.Act) }

func (Dense) Operand(i int) Rows {
	if i == 0 {
		return ByRow
	}
	return Whole
}

func (o Dense) Shape(in []Shape) (Shape, error) {
	x, w, b := in[0], in[1], in[2]
	if int(o.Act) >= len(actNames) {
		return Shape{}, fmt.Errorf("unknown activation")
	}
	if x.Cols != w.Rows {
		return Shape{}, fmt.Errorf("x has %d columns but w has %d rows", x.Cols, w.Rows)
	}
	if b != (Shape{Rows: 1, Cols: w.Cols}) {
		return Shape{}, fmt.Errorf("the bias is %v, want %v", b, Shape{Rows: 1, Cols: w.Cols})
	}
	return Shape{Rows: x.Rows, Cols: w.Cols}, nil
}

func (o Dense) SymDiff(in graph.Nodes, y, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	if o.Act != Linear {
		g = s.ActGrad(y, g, o.Act)
	}
	return s.all(s.MatMul(g, in[1], false, true), s.MatMul(in[0], g, true, false), s.SumRows(g, 0))
}

func (o Dense) Eval(dst Mat, in []Mat) {
	matMul(dst, in[0], in[1], false, false)
	for i, b := 0, in[2].Data; i < len(dst.Data); i++ {
		dst.Data[i] = o.Act.of(dst.Data[i] + b[i%dst.Cols])
	}
}

// of is the activation's value at x.
func (a Act) of(x float64) float64 {
	switch a {
	case ReLU:
		return math.Max(x, 0)
	case Tanh:
		return math.Tanh(x)
	}
	return x
}

// slope is the activation's derivative where its value is y.
func (a Act) slope(y float64) float64 {
	switch a {
	case ReLU:
		if y > 0 {
			return 1
		}
		return 0
	case Tanh:
		return 1 - y*y
	}
	return 1
}

func (o MatMul) String() string {
	t := map[bool]string{true: "ᵀ"}
	return "MatMul(a" + t[o.TA] + "·b" + t[o.TB] + ")"
}

// Operand implements Op. With TA alone, both operands are read row by row. With TA and TB, the rows of a are multiplied
// with the columns of b, so neither operand can be cut by rows.
func (o MatMul) Operand(i int) Rows {
	if i == 1 && !o.TA || o.TA && o.TB {
		return Whole
	}
	return ByRow
}

func (o MatMul) Result() Rows {
	if o.TA {
		return Whole
	}
	return ByRow
}

func (o MatMul) Shape(in []Shape) (Shape, error) {
	a, b := in[0], in[1]
	if o.TA {
		a = Shape{Rows: a.Cols, Cols: a.Rows}
	}
	if o.TB {
		b = Shape{Rows: b.Cols, Cols: b.Rows}
	}
	if a.Cols != b.Rows {
		return Shape{}, fmt.Errorf("inner sizes %d and %d differ", a.Cols, b.Rows)
	}
	return Shape{Rows: a.Rows, Cols: b.Cols}, nil
}

func (o MatMul) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	a, b := in[0], in[1]
	var da, db *graph.Node
	if o.TA {
		da = s.MatMul(b, g, o.TB, true)
	} else {
		da = s.MatMul(g, b, false, !o.TB)
	}
	if o.TB {
		db = s.MatMul(g, a, true, o.TA)
	} else {
		db = s.MatMul(a, g, !o.TA, false)
	}
	return s.all(da, db)
}

func (o MatMul) Eval(dst Mat, in []Mat) { matMul(dst, in[0], in[1], o.TA, o.TB) }

func matMul(dst, a, b Mat, ta, tb bool) {
	blas64.Gemm(transpose(ta), transpose(tb), 1, general(a), general(b), 0, general(dst))
}

func transpose(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

func general(m Mat) blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols, Data: m.Data}
}

func (o ActGrad) String() string { return fmt.Sprintf("ActGrad(%v)", o.Act) }

func (o ActGrad) Shape(in []Shape) (Shape, error) {
	if int(o.Act) >= len(actNames) {
		return Shape{}, fmt.Errorf("unknown activation")
	}
	return same(in)
}

// DiffWRT implements graph.Op: the slope itself varies with y only for Tanh.
func (o ActGrad) DiffWRT(int) []bool { return []bool{o.Act == Tanh, true} }

func (o ActGrad) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	var dy *graph.Node
	if o.Act == Tanh {
		dy = s.Scale(s.Mul(s.Mul(in[0], in[1]), g), -2)
	}
	dg := s.ActGrad(in[0], g, o.Act)
	return s.all(dy, dg)
}

func (o ActGrad) Eval(dst Mat, in []Mat) {
	y, g := in[0].Data, in[1].Data
	for i := range dst.Data {
		dst.Data[i] = g[i] * o.Act.slope(y[i])
	}
}

// same is the shape rule of elementwise operations that do not broadcast.
func same(in []Shape) (Shape, error) {
	for _, s := range in[1:] {
		if s != in[0] {
			return Shape{}, fmt.Errorf("the shapes must be equal")
		}
	}
	return in[0], nil
}
