// Package op is the vocabulary in which a loss is written. Its matrix operations are both operations of a graph (shape
// rule, gradient; package graph) and instructions of a compiled program (package core).
//
// Every value is a matrix; a scalar is 1×1, a row vector 1×n. Data of a meta-batch is stacked by rows: T tasks of B
// transitions are one (T·B)×n matrix, task after task. Because of this convention a program can be cut into tiles of
// whole tasks.
//
// A Scope writes expressions over the nodes of one graph and keeps the first error:
//
//	g := graph.New()
//	leaf := func(name string, rows, cols int) *graph.Node {
//		n, _ := graph.Leaf(g, name, rows, cols)
//		return n
//	}
//	x, y, w, b := leaf("x", 8, 3), leaf("y", 8, 1), leaf("w", 3, 1), leaf("b", 1, 1)
//	s := new(op.Scope)
//	loss := s.MeanAll(s.Square(s.Sub(s.Dense(x, w, b, op.Linear), y)))
//	if err := s.Err(); err != nil { ... }
//
// It does not compile or run anything. Package core does this; its Stage embeds a Scope.
package op

import (
	"fmt"

	"nacre/core/graph"
)

// Op is one operation of the vocabulary. Implementations are small comparable structs: two instructions with equal Op
// values and equal operands compute the same matrix, so the compiler may keep only one.
type Op interface {
	graph.Op

	// Operand says how the rows of operand i relate to the rows of the result.
	Operand(i int) Rows

	// Result is ByRow if row r of the result depends only on the corresponding rows of the ByRow operands. It is Whole
	// if the operation sums over all their rows (the gradient of a weight, a mean).
	Result() Rows
}

// Rows says how an operand or a result is laid out over the rows of a batch.
type Rows uint8

const (
	// ByRow operands are read in step with the result: one row for each row, or a group of rows for a row if the
	// operation sums or repeats rows (SumRows, RepeatRows). Operands with a single row are broadcast and are never
	// tiled.
	ByRow Rows = iota
	// Whole operands are read as a whole, whatever part of the result is computed.
	Whole
)

type (
	// Shape is the size of a matrix.
	Shape = graph.Shape
	// Mat is a row-major matrix.
	Mat = graph.Mat
)

// base has the answers of most operations: every operand and the result are ByRow.
type base struct{}

func (base) Operand(int) Rows { return ByRow }
func (base) Result() Rows     { return ByRow }

type (
	unary   struct{ base }
	binary  struct{ base }
	ternary struct{ base }
)

func (unary) Arity() int           { return 1 }
func (unary) DiffWRT(int) []bool   { return []bool{true} }
func (binary) Arity() int          { return 2 }
func (binary) DiffWRT(int) []bool  { return []bool{true, true} }
func (ternary) Arity() int         { return 3 }
func (ternary) DiffWRT(int) []bool { return []bool{true, true, true} }

// Act is the activation of a Dense layer.
type Act uint8

const (
	Linear Act = iota // x
	ReLU              // max(x, 0)
	Tanh              // the hyperbolic tangent
)

type (
	// Dense is act(x·w + b): x m×k, w k×n, b 1×n → m×n.
	Dense struct {
		ternary
		Act Act
	}
	// MatMul is the product of its operands, each transposed first if asked. With TA it contracts over the rows of
	// both operands (a weight gradient) and its result is Whole.
	MatMul struct {
		binary
		TA, TB bool
	}
	// ActGrad is g·act'(x) expressed by the activation's value y = act(x): (y m×n, g m×n) → m×n.
	// The derivative of ReLU at zero is zero.
	ActGrad struct {
		binary
		Act Act
	}
	// Unary applies F to every element.
	Unary struct {
		unary
		F UnaryFunc
	}
	// Affine is A·x + B elementwise.
	Affine struct {
		unary
		A, B float64
	}
	// Clamp limits every element to [Lo, Hi].
	Clamp struct {
		unary
		Lo, Hi float64
	}
	// ClampGrad is (x, g) → g if Lo ≤ x ≤ Hi, else 0.
	ClampGrad struct {
		binary
		Lo, Hi float64
	}
	// Binary applies F to every pair of elements. An operand with one row, one column or both is broadcast.
	Binary struct {
		binary
		F BinaryFunc
	}
	// SumRows adds each run of Group consecutive rows: m×n → (m/Group)×n. Group 0 adds all rows: m×n → 1×n, Whole.
	SumRows struct {
		unary
		Group int
	}
	// SumCols adds along each row: m×n → m×1.
	SumCols struct{ unary }
	// SumAll adds everything: m×n → 1×1, Whole.
	SumAll struct{ unary }
	// RepeatRows puts K copies of each row one below the other: m×n → (m·K)×n.
	RepeatRows struct {
		unary
		K int
	}
	// Like broadcasts g (one row, one column or both) to the shape of x: (x m×n, g) → m×n. x is not read.
	Like struct{ binary }
	// ConcatCols puts N matrices of equal height side by side.
	ConcatCols struct {
		base
		N int
	}
	// SliceCols keeps columns Lo..Hi-1.
	SliceCols struct {
		unary
		Lo, Hi int
	}
	// PadCols places an m×k matrix at column Lo of an otherwise zero m×Total matrix.
	PadCols struct {
		unary
		Lo, Total int
	}
	// LogSumExp is log Σ_j exp x_ij for each row, computed from the row maximum: m×n → m×1.
	LogSumExp struct{ unary }
	// SquaredDistances holds |a_i - b_j|² for every pair of rows: (a m×d, b n×d) → m×n; a is ByRow, b Whole.
	SquaredDistances struct{ binary }
	// StopGrad is the identity. No gradient passes it.
	StopGrad struct{ unary }
)

// UnaryFunc names an elementwise function of one variable.
type UnaryFunc uint8

const (
	Neg      UnaryFunc = iota // -x
	Exp                       // e^x
	Log                       // the natural logarithm; NaN below 0
	Log1p                     // log(1 + x)
	TanhOf                    // the hyperbolic tangent
	Sqrt                      // NaN below 0
	Square                    // x²
	Recip                     // 1/x
	Softplus                  // log(1 + e^x)
	Sigmoid                   // 1/(1 + e^-x)
	Abs                       // |x|
	Sign                      // -1, 0 or 1
)

// BinaryFunc names an elementwise function of two variables.
type BinaryFunc uint8

const (
	Add  BinaryFunc = iota // a + b
	Sub                    // a - b
	Mul                    // a b
	Div                    // a/b
	Min                    // the smaller one
	Max                    // the greater one
	Less                   // 1 where a < b, ½ where a = b, else 0: the derivative of Min by its first operand
)

var (
	actNames   = [...]string{"Linear", "ReLU", "Tanh"}
	unaryNames = [...]string{"Neg", "Exp", "Log", "Log1p", "Tanh", "Sqrt", "Square", "Recip", "Softplus", "Sigmoid",
		"Abs", "Sign"}
	binaryNames = [...]string{"Add", "Sub", "Mul", "Div", "Min", "Max", "Less"}
)

func (a Act) String() string        { return name(actNames[:], "Act", int(a)) }
func (f UnaryFunc) String() string  { return name(unaryNames[:], "UnaryFunc", int(f)) }
func (f BinaryFunc) String() string { return name(binaryNames[:], "BinaryFunc", int(f)) }

func name(names []string, kind string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// Equivalents are the operations that do what Gorgonia's own functions do, by Gorgonia's names (graph.Copier).
var Equivalents = map[string]graph.Op{
	"+": Binary{F: Add}, "-": Binary{F: Sub}, "⊙": Binary{F: Mul}, "÷": Binary{F: Div},
	"MinBetween": Binary{F: Min}, "MaxBetween": Binary{F: Max},

	"abs": Unary{F: Abs}, "exp": Unary{F: Exp}, "ln": Unary{F: Log}, "log1p": Unary{F: Log1p}, "neg": Unary{F: Neg},
	"square": Unary{F: Square}, "sqrt": Unary{F: Sqrt}, "inv": Unary{F: Recip}, "tanh": Unary{F: TanhOf},
	"sigmoid": Unary{F: Sigmoid}, "softplus": Unary{F: Softplus},

	"A × B": MatMul{}, "Aᵀ × B": MatMul{TA: true}, "A × Bᵀ": MatMul{TB: true}, "Aᵀ × Bᵀ": MatMul{TA: true, TB: true},
	"Σ": SumAll{},
}
