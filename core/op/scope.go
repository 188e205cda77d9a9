package op

import (
	"fmt"

	"nacre/core/graph"
)

// Scope writes expressions. Its methods apply one operation each and return the new node; after the first failure
// they return nil and do nothing, so a formula can be written without a check in every line and Err asked at the end.
// The zero Scope is ready. A Scope is not safe for concurrent use.
type Scope struct{ err error }

// Err returns the first error.
func (s *Scope) Err() error { return s.err }

// Fail records err unless an error is recorded already.
func (s *Scope) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Apply applies any operation of the vocabulary.
func (s *Scope) Apply(o Op, in ...*graph.Node) *graph.Node {
	if s.err != nil {
		return nil
	}
	n, err := graph.Apply(o, in...)
	s.err = err
	return n
}

// all returns the nodes with the scope's error, as SymDiff must.
func (s *Scope) all(n ...*graph.Node) (graph.Nodes, error) { return n, s.err }

// Dense is act(x·w + b): x m×k, w k×n, b 1×n → m×n.
func (s *Scope) Dense(x, w, b *graph.Node, act Act) *graph.Node {
	return s.Apply(Dense{Act: act}, x, w, b)
}

// MatMul is a·b with a, b or both transposed first.
func (s *Scope) MatMul(a, b *graph.Node, ta, tb bool) *graph.Node {
	return s.Apply(MatMul{TA: ta, TB: tb}, a, b)
}

// ActGrad is g·act'(x) by the activation's value y.
func (s *Scope) ActGrad(y, g *graph.Node, act Act) *graph.Node {
	return s.Apply(ActGrad{Act: act}, y, g)
}

// Neg is -x, elementwise.
func (s *Scope) Neg(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Neg}, x) }

// Exp is eˣ, elementwise.
func (s *Scope) Exp(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Exp}, x) }

// Log is the natural logarithm of x, elementwise.
func (s *Scope) Log(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Log}, x) }

// Log1p is log(1 + x), exact for small x, elementwise.
func (s *Scope) Log1p(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Log1p}, x) }

// Tanh is the hyperbolic tangent of x, elementwise.
func (s *Scope) Tanh(x *graph.Node) *graph.Node { return s.Apply(Unary{F: TanhOf}, x) }

// Sqrt is √x, elementwise.
func (s *Scope) Sqrt(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Sqrt}, x) }

// Square is x², elementwise.
func (s *Scope) Square(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Square}, x) }

// Recip is 1/x, elementwise.
func (s *Scope) Recip(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Recip}, x) }

// Softplus is log(1 + e^x), without overflow.
func (s *Scope) Softplus(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Softplus}, x) }

// Sigmoid is 1/(1 + e^-x), without overflow.
func (s *Scope) Sigmoid(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Sigmoid}, x) }

// Abs is |x|; its gradient at zero is zero.
func (s *Scope) Abs(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Abs}, x) }

// Sign is -1, 0 or 1. No gradient passes it.
func (s *Scope) Sign(x *graph.Node) *graph.Node { return s.Apply(Unary{F: Sign}, x) }

// Affine is a·x + b elementwise.
func (s *Scope) Affine(x *graph.Node, a, b float64) *graph.Node {
	return s.Apply(Affine{A: a, B: b}, x)
}

// Scale is a·x.
func (s *Scope) Scale(x *graph.Node, a float64) *graph.Node { return s.Affine(x, a, 0) }

// Shift is x + b.
func (s *Scope) Shift(x *graph.Node, b float64) *graph.Node { return s.Affine(x, 1, b) }

// Clamp limits x to [lo, hi]; the gradient passes where lo ≤ x ≤ hi.
func (s *Scope) Clamp(x *graph.Node, lo, hi float64) *graph.Node {
	return s.Apply(Clamp{Lo: lo, Hi: hi}, x)
}

// Add is a + b; an operand with one row, one column or both is broadcast.
func (s *Scope) Add(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Add}, a, b) }

// Sub is a - b; an operand with one row, one column or both is broadcast.
func (s *Scope) Sub(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Sub}, a, b) }

// Mul is a·b, element by element; an operand with one row, one column or both is broadcast.
func (s *Scope) Mul(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Mul}, a, b) }

// Div is a/b, element by element; an operand with one row, one column or both is broadcast.
func (s *Scope) Div(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Div}, a, b) }

// Min is the elementwise minimum; where the operands tie each receives half of the gradient.
func (s *Scope) Min(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Min}, a, b) }

// Max is the elementwise maximum; where the operands tie each receives half of the gradient.
func (s *Scope) Max(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Max}, a, b) }

// Less is 1 where a < b, ½ where a = b, else 0. No gradient passes it.
func (s *Scope) Less(a, b *graph.Node) *graph.Node { return s.Apply(Binary{F: Less}, a, b) }

// SumRows adds each run of group consecutive rows: m×n → (m/group)×n; group 0 adds all rows: m×n → 1×n.
func (s *Scope) SumRows(x *graph.Node, group int) *graph.Node {
	return s.Apply(SumRows{Group: group}, x)
}

// SumCols adds along each row: m×n → m×1.
func (s *Scope) SumCols(x *graph.Node) *graph.Node { return s.Apply(SumCols{}, x) }

// SumAll adds everything: m×n → 1×1.
func (s *Scope) SumAll(x *graph.Node) *graph.Node { return s.Apply(SumAll{}, x) }

// MeanAll is the mean of all elements: m×n → 1×1.
func (s *Scope) MeanAll(x *graph.Node) *graph.Node {
	sum := s.SumAll(x)
	if sum == nil {
		return nil
	}
	return s.Scale(sum, 1/float64(shapeOf(x).Rows*shapeOf(x).Cols))
}

// RepeatRows repeats each row k times in a row: m×n → (m·k)×n.
func (s *Scope) RepeatRows(x *graph.Node, k int) *graph.Node { return s.Apply(RepeatRows{K: k}, x) }

// Like broadcasts g to the shape of x.
func (s *Scope) Like(x, g *graph.Node) *graph.Node { return s.Apply(Like{}, x, g) }

// ConcatCols puts matrices of equal height side by side.
func (s *Scope) ConcatCols(xs ...*graph.Node) *graph.Node {
	if len(xs) == 0 {
		s.Fail(fmt.Errorf("op: ConcatCols: there is nothing to concatenate"))
		return nil
	}
	return s.Apply(ConcatCols{N: len(xs)}, xs...)
}

// SliceCols keeps columns lo..hi-1.
func (s *Scope) SliceCols(x *graph.Node, lo, hi int) *graph.Node {
	return s.Apply(SliceCols{Lo: lo, Hi: hi}, x)
}

// PadCols places x at column lo of an otherwise zero matrix of total columns.
func (s *Scope) PadCols(x *graph.Node, lo, total int) *graph.Node {
	return s.Apply(PadCols{Lo: lo, Total: total}, x)
}

// LogSumExp is log Σ_j exp x_ij of each row: m×n → m×1.
func (s *Scope) LogSumExp(x *graph.Node) *graph.Node { return s.Apply(LogSumExp{}, x) }

// SquaredDistances is |a_i - b_j|² for every pair of rows: a m×d, b n×d → m×n.
func (s *Scope) SquaredDistances(a, b *graph.Node) *graph.Node {
	return s.Apply(SquaredDistances{}, a, b)
}

// StopGrad is x; no gradient passes it.
func (s *Scope) StopGrad(x *graph.Node) *graph.Node { return s.Apply(StopGrad{}, x) }

func shapeOf(n *graph.Node) Shape { return Shape{Rows: n.Shape()[0], Cols: n.Shape()[1]} }
