package op

import (
	"fmt"
	"math"

	"nacre/core/graph"
)

func (o Unary) String() string { return o.F.String() }

func (o Unary) Shape(in []Shape) (Shape, error) {
	if int(o.F) >= len(unaryNames) {
		return Shape{}, fmt.Errorf("unknown function")
	}
	return in[0], nil
}

func (o Unary) DiffWRT(int) []bool { return []bool{o.F != Sign} }

func (o Unary) SymDiff(in graph.Nodes, y, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	x := in[0]
	var d *graph.Node
	switch o.F {
	case Neg:
		d = s.Neg(g)
	case Exp:
		d = s.Mul(g, y)
	case Log:
		d = s.Div(g, x)
	case Log1p:
		d = s.Div(g, s.Shift(x, 1))
	case TanhOf:
		d = s.ActGrad(y, g, Tanh)
	case Sqrt:
		d = s.Div(g, s.Scale(y, 2))
	case Square:
		d = s.Mul(g, s.Scale(x, 2))
	case Recip:
		d = s.Neg(s.Mul(g, s.Square(y)))
	case Softplus:
		d = s.Mul(g, s.Sigmoid(x))
	case Sigmoid:
		d = s.Mul(g, s.Mul(y, s.Affine(y, -1, 1)))
	case Abs:
		d = s.Mul(g, s.Sign(x))
	}
	return s.all(d)
}

func (o Unary) Eval(dst Mat, in []Mat) {
	for i, x := range in[0].Data {
		dst.Data[i] = o.F.of(x)
	}
}

// of is the function's value at x. Softplus and Sigmoid take the exponential of -|x| only, so they never overflow.
func (f UnaryFunc) of(x float64) float64 {
	switch f {
	case Neg:
		return -x
	case Exp:
		return math.Exp(x)
	case Log:
		return math.Log(x)
	case Log1p:
		return math.Log1p(x)
	case TanhOf:
		return math.Tanh(x)
	case Sqrt:
		return math.Sqrt(x)
	case Square:
		return x * x
	case Recip:
		return 1 / x
	case Softplus:
		return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
	case Sigmoid:
		e := math.Exp(-math.Abs(x))
		if x < 0 {
			return e / (1 + e)
		}
		return 1 / (1 + e)
	case Abs:
		return math.Abs(x)
	}
	switch { // Sign
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // zero or NaN
}

func (o Affine) String() string { return fmt.Sprintf("Affine(%v·x%+g)", o.A, o.B) }

func (Affine) Shape(in []Shape) (Shape, error) { return in[0], nil }

func (o Affine) SymDiff(_ graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.Scale(g, o.A))
}

func (o Affine) Eval(dst Mat, in []Mat) {
	for i, x := range in[0].Data {
		dst.Data[i] = o.A*x + o.B
	}
}

func (o Clamp) String() string { return fmt.Sprintf("Clamp(%v..%v)", o.Lo, o.Hi) }

func (o Clamp) Shape(in []Shape) (Shape, error) {
	if !(o.Lo <= o.Hi) {
		return Shape{}, fmt.Errorf("the lower limit %v is not below the upper limit %v", o.Lo, o.Hi)
	}
	return in[0], nil
}

func (o Clamp) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.Apply(ClampGrad{Lo: o.Lo, Hi: o.Hi}, in[0], g))
}

func (o Clamp) Eval(dst Mat, in []Mat) {
	for i, x := range in[0].Data {
		dst.Data[i] = math.Min(math.Max(x, o.Lo), o.Hi)
	}
}

func (o ClampGrad) String() string { return fmt.Sprintf("ClampGrad(%v..%v)", o.Lo, o.Hi) }

func (ClampGrad) Shape(in []Shape) (Shape, error) { return same(in) }

func (ClampGrad) DiffWRT(int) []bool { return []bool{false, true} }

func (o ClampGrad) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(nil, s.Apply(o, in[0], g))
}

func (o ClampGrad) Eval(dst Mat, in []Mat) {
	x, g := in[0].Data, in[1].Data
	for i := range dst.Data {
		if x[i] >= o.Lo && x[i] <= o.Hi {
			dst.Data[i] = g[i]
		}
	}
}

func (o Binary) String() string { return o.F.String() }

func (o Binary) Shape(in []Shape) (Shape, error) {
	if int(o.F) >= len(binaryNames) {
		return Shape{}, fmt.Errorf("unknown function")
	}
	a, b := in[0], in[1]
	out := Shape{Rows: max(a.Rows, b.Rows), Cols: max(a.Cols, b.Cols)}
	for _, s := range in {
		if !broadcasts(s, out) {
			return Shape{}, fmt.Errorf("the shapes must be equal, or an operand must have one row, one column or both")
		}
	}
	return out, nil
}

// broadcasts reports whether a matrix of shape s can be repeated so that its shape becomes `to`.
func broadcasts(s, to Shape) bool {
	return (s.Rows == 1 || s.Rows == to.Rows) && (s.Cols == 1 || s.Cols == to.Cols)
}

func (o Binary) DiffWRT(int) []bool { return []bool{o.F != Less, o.F != Less} }

func (o Binary) SymDiff(in graph.Nodes, y, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	a, b := in[0], in[1]
	var da, db *graph.Node
	switch o.F {
	case Add:
		da, db = g, g
	case Sub:
		da, db = g, s.Neg(g)
	case Mul:
		da, db = s.Mul(g, b), s.Mul(g, a)
	case Div:
		da, db = s.Div(g, b), s.Neg(s.Div(s.Mul(g, y), b))
	case Min:
		da, db = s.Mul(g, s.Less(a, b)), s.Mul(g, s.Less(b, a))
	case Max:
		da, db = s.Mul(g, s.Less(b, a)), s.Mul(g, s.Less(a, b))
	}
	return s.all(s.reduceTo(da, a), s.reduceTo(db, b))
}

// reduceTo sums g over the rows and columns along which x was broadcast to g's shape.
func (s *Scope) reduceTo(g, x *graph.Node) *graph.Node {
	if g == nil || x == nil {
		return nil
	}
	from, to := shapeOf(g), shapeOf(x)
	switch {
	case from == to:
		return g
	case to.Rows == 1 && to.Cols == 1:
		return s.SumAll(g)
	case to.Rows == 1 && from.Rows != 1:
		return s.SumRows(g, 0)
	}
	return s.SumCols(g)
}

func (o Binary) Eval(dst Mat, in []Mat) {
	for i := range dst.Rows {
		for j := range dst.Cols {
			dst.Data[i*dst.Cols+j] = o.F.of(at(in[0], i, j), at(in[1], i, j))
		}
	}
}

// at is element (i,j) of m, which is broadcast if necessary.
func at(m Mat, i, j int) float64 {
	if m.Rows == 1 {
		i = 0
	}
	if m.Cols == 1 {
		j = 0
	}
	return m.Data[i*m.Cols+j]
}

func (f BinaryFunc) of(a, b float64) float64 {
	switch f {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case Div:
		return a / b
	case Min:
		return math.Min(a, b)
	case Max:
		return math.Max(a, b)
	}
	switch { // Less
	case a < b:
		return 1
	case a == b:
		return 0.5
	}
	return 0
}

func (Like) String() string { return "Like" }

func (Like) Shape(in []Shape) (Shape, error) {
	if !broadcasts(in[1], in[0]) {
		return Shape{}, fmt.Errorf("%v cannot be repeated to %v", in[1], in[0])
	}
	return in[0], nil
}

func (Like) DiffWRT(int) []bool { return []bool{false, true} }

func (Like) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(nil, s.reduceTo(g, in[1]))
}

func (Like) Eval(dst Mat, in []Mat) {
	for i := range dst.Rows {
		for j := range dst.Cols {
			dst.Data[i*dst.Cols+j] = at(in[1], i, j)
		}
	}
}
