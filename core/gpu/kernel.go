package gpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nacre/core/op"
)

// Kernel describes what the launch of a region computes, in no language. This package writes it once. A device prints
// it in the language of its GPU and spreads it over lanes and blocks as Spread says.
//
// Without sums, the statements of Results are executed for every result. The name Result is the running number of this
// result.
//
// If Vector is four, a lane takes four neighbours at a time. These are four terms of a sum if the lanes of one sum lie
// side by side (InRow), and four results otherwise. The row and the column of the first neighbour are called ResultRow
// and ResultCol, or TermRow and TermCol. Neighbours lie in one row, or in the column of a matrix with one column. Every
// row takes a multiple of four numbers in memory: the numbers after its last are zero, and are no terms of a sum.
//
// With sums, a kernel does this for every result: it runs Head, then each of Loops, which add terms to the sums, then
// Results, which may read the sums. Lanes share the terms of a loop: lane k of n takes terms k, k+n, k+2n, … with n =
// Lanes·Slices, in this order for every loop. The sums of the lanes are added in a tree: the upper half is added to the
// lower half until one sum is left. If Slices is above one, the sums of the blocks are then added in the same way.
type Kernel struct {
	Spread
	Count int // number of results
	Rows  int // shape of the results; Rows·Cols is Count
	Cols  int
	Args  []Arg // matrices in memory, by number
	Sums  int   // sums per result
	// the sums are sums of exponentials; each is stored as its largest exponent and the sum relative to it
	Log     bool
	Head    []Statement
	Loops   []Loop
	Results []Statement

	Reads, Writes []int // values
	Partial       int   // floats of partial sums in memory; 0 where Slices is 1
	Counters      int   // counters of the blocks that are done; 0 where Slices is 1
}

// Arg is a value that a kernel reads or writes in memory.
type Arg struct {
	Value   int
	Written bool
}

// Loop adds Terms terms to a result's sums. The running number of a term is the name Term.
type Loop struct {
	Terms      int
	Rows, Cols int // shape of the terms; Rows·Cols is Terms
	Body       []Statement
}

// These names are defined in every kernel. Let and Choose define all other names.
const (
	Result = "o" // running number of a result
	Term   = "r" // running number of a term

	ResultRow, ResultCol = "orow", "ocol" // row and column of the first of four results
	TermRow, TermCol     = "rrow", "rcol" // row and column of the first of four terms
)

// Fours is the number of groups of up to four neighbouring elements into which a matrix is cut. A group lies in one
// row, or in the column of a matrix with one column.
func Fours(rows, cols int) int {
	if cols == 1 {
		return CeilDiv(rows, 4)
	}
	return rows * CeilDiv(cols, 4)
}

// Takes is how many times lanes take results: once for every result, or once for every four.
func (k *Kernel) Takes() int {
	if k.Vector > 1 && (k.Sums == 0 || !k.InRow) {
		return Fours(k.Rows, k.Cols)
	}
	return k.Count
}

// Turns is how many times lanes take terms of a loop: once for every term, or once for every four.
func (k *Kernel) Turns(l Loop) int {
	if k.Vector > 1 && k.InRow {
		return Fours(l.Rows, l.Cols)
	}
	return l.Terms
}

// Long reports whether a list has so many statements that a loop over it is not unrolled. The rounds of such a loop run
// one after the other, and each waits for its own loads.
func Long(list []Statement) bool { return length(list) > 12 }

// length counts statements. A function of many instructions counts as several.
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
	// Choose names a float that depends on a column: the value of the first case that contains the column, or 0 if none
	// does.
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
	// Add adds a term to the sum with the number Sum. The term is X. If Product is set, it is X·Y, not rounded before
	// it is added. If Kernel.Log is set, it is e^X.
	Add struct {
		Sum     int
		X, Y    Operand
		Product bool
	}
)

// Case holds the value that Choose takes for the columns Lo … Hi-1.
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
	Int  int // the constant, or the number of the sum
	// the bits of the float constant. As a float, NaN could not be a key of a map, and -0 would be the same key as 0
	Bits uint32
}

// OperandKind says what an Operand is.
type OperandKind uint8

const (
	Named      OperandKind = iota // a name of Let, Choose or a loop
	IntConst                      // a whole number
	FloatConst                    // a float32, by its bits
	SumOf                         // a finished sum; in Results only
)

// Expr is an operation on at most four operands.
type Expr struct {
	Op Op
	X  [4]Operand
	// the function F: an op.UnaryFunc for UnaryOf, an op.BinaryFunc for BinaryOf, an op.Act for Activate and Slope
	F uint8
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
	PassIn   // d if b ≤ a ≤ c, else 0
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
