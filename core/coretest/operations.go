package coretest

import (
	"fmt"
	"strings"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
)

// Size is the size of the matrices of Operations: Groups groups of Rows rows each, and Cols and Inner columns.
type Size struct{ Groups, Rows, Cols, Inner int }

// positive marks the names of inputs whose numbers must be.
const positive = "+"

// operand is a matrix that an operation is applied to.
type operand struct {
	rows, cols int
	whole      bool // not divided over the groups
}

// application is an operation with the shapes of its operands.
type application struct {
	op       op.Op
	operands []operand
	positive bool
}

// Operations is a program with every operation of core/op, in every variant for which devices have their own code. Each
// has inputs of its own, and every result is an output.
func Operations(size Size) (*core.Program, error) {
	b := core.NewBuilder(fmt.Sprintf("operations on %d×%d×%d, %d within", size.Groups, size.Rows, size.Cols,
		size.Inner), size.Groups)
	s := b.Stage("all")
	for i, a := range applications(size) {
		name := fmt.Sprintf("%d %v %T", i, a.op, a.op)
		if a.positive {
			name += positive
		}
		var in []*graph.Node
		for k, o := range a.operands {
			input := s.Input
			if o.whole {
				input = s.WholeInput
			}
			in = append(in, input(fmt.Sprintf("%s, operand %d", name, k), o.rows, o.cols))
		}
		s.Output(name, s.Apply(a.op, in...))
	}
	p, err := b.Compile()
	if err != nil {
		return nil, err
	}
	// Compile leaves StopGrad out; programs that others make may have it.
	rows, cols := size.Groups*size.Rows, size.Cols
	x, y := len(p.Values), len(p.Values)+1
	p.Values = append(p.Values, core.Value{Name: "x", Kind: core.Input, Rows: rows, Cols: cols, Batched: true},
		core.Value{Name: "StopGrad", Rows: rows, Cols: cols, Batched: true})
	p.Inputs["x"], p.Outputs["StopGrad"] = x, y
	last := &p.Levels[len(p.Levels)-1]
	last.Tiled = append(last.Tiled, core.Instr{Op: op.StopGrad{}, In: []int{x}, Out: y})
	return p, nil
}

func applications(size Size) []application {
	rows, n, k := size.Groups*size.Rows, size.Cols, size.Inner
	x, column, row, scalar := operand{rows, n, false}, operand{rows, 1, false}, operand{1, n, true}, operand{1, 1, true}
	var out []application
	add := func(o op.Op, operands ...operand) { out = append(out, application{op: o, operands: operands}) }
	for f := op.UnaryFunc(0); !strings.HasPrefix(f.String(), "UnaryFunc("); f++ {
		add(op.Unary{F: f}, x)
		out[len(out)-1].positive = f == op.Log || f == op.Log1p || f == op.Sqrt || f == op.Recip
	}
	for f := op.BinaryFunc(0); !strings.HasPrefix(f.String(), "BinaryFunc("); f++ {
		for _, pair := range [][2]operand{{x, x}, {x, column}, {x, row}, {row, x}, {column, x}, {x, scalar},
			{scalar, x}, {column, row}} {
			add(op.Binary{F: f}, pair[0], pair[1])
			out[len(out)-1].positive = f == op.Div
		}
	}
	for a := op.Act(0); !strings.HasPrefix(a.String(), "Act("); a++ {
		add(op.Dense{Act: a}, x, operand{n, k, true}, operand{1, k, true})
		add(op.ActGrad{Act: a}, x, x)
	}
	add(op.MatMul{}, x, operand{n, k, true})
	add(op.MatMul{TB: true}, x, operand{k, n, true})
	add(op.MatMul{TA: true}, x, operand{rows, k, false})
	add(op.MatMul{TA: true, TB: true}, operand{n, rows, true}, operand{k, n, true})
	for _, c := range [][2]float64{{2, 0}, {1, 3}, {-0.5, 0.25}, {0, 1}} {
		add(op.Affine{A: c[0], B: c[1]}, x)
	}
	for _, c := range [][2]float64{{-1, 0.5}, {0.25, 2}, {-3, -0.1}} {
		add(op.Clamp{Lo: c[0], Hi: c[1]}, x)
		add(op.ClampGrad{Lo: c[0], Hi: c[1]}, x, x)
	}
	add(op.SumRows{}, x)
	add(op.SumRows{}, column)
	add(op.SumRows{Group: size.Rows}, x)
	add(op.SumCols{}, x)
	add(op.SumAll{}, x)
	add(op.LogSumExp{}, x)
	add(op.RepeatRows{K: 3}, x)
	for _, from := range []operand{x, column, row, scalar} {
		add(op.Like{}, x, from)
	}
	add(op.ConcatCols{N: 3}, x, column, x)
	add(op.SliceCols{Lo: n / 2, Hi: n}, x)
	add(op.SliceCols{Lo: 0, Hi: (n + 1) / 2}, x)
	add(op.PadCols{Lo: 2, Total: n + 5}, x)
	add(op.SquaredDistances{}, x, operand{k, n, true})
	return out
}
