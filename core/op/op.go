// Package op is the vocabulary a loss is written in: matrix operations that are at once Gorgonia graph
// operations (shape rule, gradient) and instructions of a compiled program (package core).
//
// Every value is a matrix; a scalar is 1×1, a row vector 1×n. Data of a meta-batch is stacked by rows: T tasks
// of B transitions are one (T·B)×n matrix, task after task. That single convention is what lets a program be cut
// into tiles of whole tasks.
package op

import G "gorgonia.org/gorgonia"

// Op is one operation of the vocabulary. Implementations are small comparable structs: two instructions with
// equal Op values and equal operands compute the same matrix, so the compiler may keep only one of them.
type Op interface {
	G.SDOp

	// Eval computes dst from in, in float64, plainly; it is the definition the executors are judged by.
	// Shapes are those of the shape rule; dst is zero when Eval is called and aliases no operand.
	Eval(dst Mat, in []Mat)

	// Operand says how the rows of operand i relate to the rows of the result.
	Operand(i int) Rows

	// Result is ByRow when row r of the result depends on the corresponding rows of the ByRow operands only, and
	// Whole when the operation sums over all their rows (the gradient of a weight, a mean).
	Result() Rows
}

// Rows says how an operand or a result is laid out over the rows of a batch.
type Rows uint8

const (
	// ByRow operands are read in step with the result: row for row, or group for row where the operation
	// contracts or repeats rows (SumRows, RepeatRows). Operands with a single row are broadcast and are never tiled.
	ByRow Rows = iota
	// Whole operands are read entire, whatever part of the result is computed.
	Whole
)

// Mat is a row-major matrix: element (i,j) is Data[i*Cols+j].
type Mat struct {
	Rows, Cols int
	Data       []float64
}

// Act is the activation of a Dense layer.
type Act uint8

const (
	Linear Act = iota
	ReLU
	Tanh
)

type (
	// Dense is act(x·w + b): x m×k, w k×n, b 1×n → m×n.
	Dense struct {
		base
		Act Act
	}
	// MatMul is the product of its operands, each transposed first if asked. With TA it contracts over the rows of
	// both operands (a weight gradient) and its result is Whole.
	MatMul struct {
		base
		TA, TB bool
	}
	// ActGrad is g·act'(x) expressed by the activation's value y = act(x): (y m×n, g m×n) → m×n.
	// The derivative of ReLU at zero is zero.
	ActGrad struct {
		base
		Act Act
	}
	// Unary applies F to every element.
	Unary struct {
		base
		F UnaryFunc
	}
	// Affine is A·x + B elementwise.
	Affine struct {
		base
		A, B float64
	}
	// Clamp limits every element to [Lo, Hi].
	Clamp struct {
		base
		Lo, Hi float64
	}
	// ClampGrad is (x, g) → g where Lo ≤ x ≤ Hi, else 0.
	ClampGrad struct {
		base
		Lo, Hi float64
	}
	// Binary applies F to every pair of elements. An operand with one row, one column or both is broadcast.
	Binary struct {
		base
		F BinaryFunc
	}
	// SumRows adds each run of Group consecutive rows: m×n → (m/Group)×n. Group 0 adds all rows: m×n → 1×n, Whole.
	SumRows struct {
		base
		Group int
	}
	// SumCols adds along each row: m×n → m×1.
	SumCols struct{ base }
	// SumAll adds everything: m×n → 1×1, Whole.
	SumAll struct{ base }
	// RepeatRows repeats each row K times in a row: m×n → (m·K)×n.
	RepeatRows struct {
		base
		K int
	}
	// Like broadcasts g (one row, one column or both) to the shape of x: (x m×n, g) → m×n. x is not read.
	Like struct{ base }
	// ConcatCols puts N matrices of equal height side by side.
	ConcatCols struct {
		base
		N int
	}
	// SliceCols keeps columns Lo..Hi-1.
	SliceCols struct {
		base
		Lo, Hi int
	}
	// PadCols places an m×k matrix at column Lo of an otherwise zero m×Total matrix.
	PadCols struct {
		base
		Lo, Total int
	}
	// LogSumExp is log Σ_j exp x_ij for each row, computed from the row maximum: m×n → m×1.
	LogSumExp struct{ base }
	// SquaredDistances holds |a_i - b_j|² for every pair of rows: (a m×d, b n×d) → m×n; a is ByRow, b Whole.
	SquaredDistances struct{ base }
	// StopGrad is the identity; no gradient passes it.
	StopGrad struct{ base }
)

// UnaryFunc names an elementwise function of one variable.
type UnaryFunc uint8

const (
	Neg UnaryFunc = iota
	Exp
	Log
	Log1p
	TanhOf
	Sqrt
	Square
	Recip
	Softplus // log(1 + e^x)
	Sigmoid
	Abs
	Sign
)

// BinaryFunc names an elementwise function of two variables.
type BinaryFunc uint8

const (
	Add BinaryFunc = iota
	Sub
	Mul
	Div
	Min
	Max
	Less // 1 where a < b, ½ where a = b, else 0: the derivative of Min by its first operand
)

// base carries the methods every operation answers alike.
type base struct{}
