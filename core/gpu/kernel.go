package gpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nacre/core/op"
)

// Kernel describes what a region's launch computes, in no language. It is written once, by this package; a device
// prints it in the language of its GPU and spreads it over lanes and blocks as Layout says.
//
// Without sums the statements of Results are executed for every result, whose running number is the name Result.
//
// Where Vector is four, a lane takes four neighbours at a time: four results, or four terms where the lanes of a sum
// lie side by side (InRow). Of what it takes so, rows and columns have the names ResultRow and ResultCol, or TermRow
// and TermCol; neighbours are those of one row, or of one column where a matrix is a column. Rows end in whole fours:
// the numbers after a row's last are zero in memory, and are no terms of a sum.
//
// With sums, for every result: Head, then each of Loops, which adds terms to the sums, then Results, which may read the
// sums. Lanes share the terms of a loop: lane k of n takes terms k, k+n, k+2n, … with n = Lanes·Slices, in this order
// for every loop. The lanes' sums are added in a tree, those of the upper half to those of the lower half until one is
// left, and blocks' sums, where Slices is above one, again so.
type Kernel struct {
	Spread
	Count   int // of results
	Rows    int // of the results, Rows·Cols is Count
	Cols    int
	Args    []Arg // matrices in memory, by number
	Sums    int   // per result
	Log     bool  // sums are of exponentials, kept as their largest exponent and the sum relative to it
	Head    []Statement
	Loops   []Loop
	Results []Statement

	Reads, Writes []int // values
	Partial       int   // floats of partial sums in memory; 0 where Slices is 1
	Counters      int   // of the blocks that are done; 0 where Slices is 1
}

// Arg is a value that a kernel reads or writes in memory.
type Arg struct {
	Value   int
	Written bool
}

// Loop adds Terms terms to a result's sums. The running number of a term is the name Term.
type Loop struct {
	Terms      int
	Rows, Cols int // of the terms, Rows·Cols is Terms
	Body       []Statement
}

// Names that every kernel knows; all others are made by Let and Choose.
const (
	Result = "o" // running number of a result
	Term   = "r" // running number of a term

	ResultRow, ResultCol = "orow", "ocol" // of the first of four results
	TermRow, TermCol     = "rrow", "rcol" // of the first of four terms
)

// Fours is how many fours a matrix has: those of its rows, or of its one column.
func Fours(rows, cols int) int {
	if cols == 1 {
		return CeilDiv(rows, 4)
	}
	return rows * CeilDiv(cols, 4)
}

// Takes is how many times lanes take results: once for each, or for four.
func (k *Kernel) Takes() int {
	if k.Vector > 1 && (k.Sums == 0 || !k.InRow) {
		return Fours(k.Rows, k.Cols)
	}
	return k.Count
}

// Turns is how many times lanes take the terms of a loop.
func (k *Kernel) Turns(l Loop) int {
	if k.Vector > 1 && k.InRow {
		return Fours(l.Rows, l.Cols)
	}
	return l.Terms
}

// Long reports whether statements are so many that a loop over them is not unrolled: its turns follow one another,
// loads and all.
func Long(list []Statement) bool { return length(list) > 12 }

// length counts statements, functions of many instructions for several.
func length(list []Statement) (n int) {
	for _, s := range list {
		n++
		switch s := s.(type) {
		case Let:
			if f := op.UnaryFunc(s.Expr.F); s.Expr.Op == UnaryOf && f != op.Square && f != op.Abs && f != op.Sign {
				n += 6
			}
		case Choose:
			for _, c := range s.Cases {
				n += length(c.Body)
			}
		}
	}
	return n
}

// Statement is a Let, Choose, Store or Add.
type Statement interface{ statement() }

type (
	// Let names the value of an expression: an integer or a float, as Expr.Op says. Names beginning with i are
	// integers.
	Let struct {
		Name string
		Expr Expr
	}
	// Choose names a float that depends on a column: of the first case whose columns hold it, else 0.
	Choose struct {
		Name   string
		Column Operand
		Cases  []Case
	}
	// Store writes X to element At of argument Arg.
	Store struct {
		Arg   int
		At, X Operand
	}
	// Add adds a term to sum Sum: X, or with Product X·Y, not rounded before it is added, or e^X where Kernel.Log is
	// set.
	Add struct {
		Sum     int
		X, Y    Operand
		Product bool
	}
)

// Case holds what Choose takes for columns from Lo up to, but not with, Hi.
type Case struct {
	Lo, Hi int
	Body   []Statement
	X      Operand
}

func (Let) statement()    {}
func (Choose) statement() {}
func (Store) statement()  {}
func (Add) statement()    {}

// Operand is an integer or float of a kernel: a name, a constant or a finished sum.
type Operand struct {
	Kind OperandKind
	Name string
	Int  int    // the constant, or the number of the sum
	Bits uint32 // of the float constant: as a number NaN would be no key of a map, and -0 that of 0
}

// OperandKind says what an Operand is.
type OperandKind uint8

const (
	Named      OperandKind = iota // what a Let or a loop named
	IntConst                      // a whole number
	FloatConst                    // a float32, by its bits
	SumOf                         // the finished sum; in Results only
)

// Expr is an operation on at most four operands.
type Expr struct {
	Op Op
	X  [4]Operand
	F  uint8 // of UnaryOf an op.UnaryFunc, of BinaryOf an op.BinaryFunc, of Activate and Slope an op.Act
}

// Op says what an Expr computes; a, b, c, d are its operands.
type Op uint8

const (
	DivInt Op = iota // integers: a/b
	ModInt           // a mod b
	MulInt           // a·b
	AddInt           // a + b
	MulAdd           // a·b + c

	Load     // floats: element b of argument a
	Copy     // a
	UnaryOf  // F(a)
	BinaryOf // F(a, b)
	FMA      // a·b + c, rounded once
	ClampTo  // a, at least b and at most c
	PassIn   // d where b ≤ a ≤ c, else 0
	Activate // F(a + b)
	Slope    // a·F'(…) where F(…) is b
	LogSum   // logarithm of the finished sum a
)

// Integer reports whether the expression is an integer.
func (e Expr) Integer() bool { return e.Op <= MulAdd }

func named(name string) Operand { return Operand{Name: name} }
func integer(n int) Operand     { return Operand{Kind: IntConst, Int: n} }
func float(x float64) Operand   { return Operand{Kind: FloatConst, Bits: math.Float32bits(float32(x))} }

// Float is the float constant.
func (o Operand) Float() float32 { return math.Float32frombits(o.Bits) }

// is reports whether the operand is the integer n.
func (o Operand) is(n int) bool { return o == integer(n) }

func (o Operand) String() string {
	switch o.Kind {
	case IntConst:
		return strconv.Itoa(o.Int)
	case FloatConst:
		return strconv.FormatFloat(float64(o.Float()), 'g', -1, 32)
	case SumOf:
		return fmt.Sprintf("sum%d", o.Int)
	}
	return o.Name
}

// String writes the expression for people, as "fma(t1, t2, t3)".
func (e Expr) String() string {
	name := [...]string{"div", "mod", "mul", "add", "muladd", "load", "copy", "", "", "fma", "clamp", "within", "", "",
		"logsum"}[e.Op]
	n := [...]int{2, 2, 2, 2, 3, 2, 1, 1, 2, 3, 3, 4, 2, 2, 1}[e.Op]
	switch e.Op {
	case UnaryOf:
		name = op.UnaryFunc(e.F).String()
	case BinaryOf:
		name = op.BinaryFunc(e.F).String()
	case Activate:
		name = op.Act(e.F).String()
	case Slope:
		name = op.Act(e.F).String() + "'"
	}
	args := make([]string, n)
	for i := range args {
		args[i] = e.X[i].String()
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
