package op

import (
	"fmt"
	"slices"

	"nacre/core/graph"
)

func (o RepeatRows) String() string { return fmt.Sprintf("RepeatRows(%d)", o.K) }

func (o RepeatRows) Shape(in []Shape) (Shape, error) {
	if o.K < 1 {
		return Shape{}, fmt.Errorf("the number of repetitions must be at least 1")
	}
	return Shape{Rows: in[0].Rows * o.K, Cols: in[0].Cols}, nil
}

func (o RepeatRows) SymDiff(_ graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.SumRows(g, o.K))
}

func (o RepeatRows) Eval(dst Mat, in []Mat) {
	n := dst.Cols
	for i := range dst.Rows {
		copy(dst.Data[i*n:(i+1)*n], in[0].Data[i/o.K*n:])
	}
}

func (o ConcatCols) String() string     { return fmt.Sprintf("ConcatCols(%d)", o.N) }
func (o ConcatCols) Arity() int         { return o.N }
func (o ConcatCols) DiffWRT(int) []bool { return slices.Repeat([]bool{true}, o.N) }

func (o ConcatCols) Shape(in []Shape) (Shape, error) {
	if len(in) == 0 {
		return Shape{}, fmt.Errorf("there is nothing to concatenate")
	}
	out := Shape{Rows: in[0].Rows}
	for _, s := range in {
		if s.Rows != out.Rows {
			return Shape{}, fmt.Errorf("the numbers of rows must be equal")
		}
		out.Cols += s.Cols
	}
	return out, nil
}

func (ConcatCols) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	out := make(graph.Nodes, len(in))
	lo := 0
	for i, x := range in {
		hi := lo + shapeOf(x).Cols
		out[i] = s.SliceCols(g, lo, hi)
		lo = hi
	}
	return s.all(out...)
}

func (ConcatCols) Eval(dst Mat, in []Mat) {
	lo := 0
	for _, x := range in {
		for i := range x.Rows {
			copy(dst.Data[i*dst.Cols+lo:], x.Data[i*x.Cols:(i+1)*x.Cols])
		}
		lo += x.Cols
	}
}

func (o SliceCols) String() string { return fmt.Sprintf("SliceCols(%d..%d)", o.Lo, o.Hi-1) }

func (o SliceCols) Shape(in []Shape) (Shape, error) {
	if o.Lo < 0 || o.Hi <= o.Lo || o.Hi > in[0].Cols {
		return Shape{}, fmt.Errorf("want 0 ≤ Lo < Hi ≤ %d", in[0].Cols)
	}
	return Shape{Rows: in[0].Rows, Cols: o.Hi - o.Lo}, nil
}

func (o SliceCols) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.PadCols(g, o.Lo, shapeOf(in[0]).Cols))
}

func (o SliceCols) Eval(dst Mat, in []Mat) {
	for i := range dst.Rows {
		copy(dst.Data[i*dst.Cols:(i+1)*dst.Cols], in[0].Data[i*in[0].Cols+o.Lo:])
	}
}

func (o PadCols) String() string { return fmt.Sprintf("PadCols(%d of %d)", o.Lo, o.Total) }

func (o PadCols) Shape(in []Shape) (Shape, error) {
	if o.Lo < 0 || o.Lo+in[0].Cols > o.Total {
		return Shape{}, fmt.Errorf("%d columns at column %d do not fit in %d", in[0].Cols, o.Lo, o.Total)
	}
	return Shape{Rows: in[0].Rows, Cols: o.Total}, nil
}

func (o PadCols) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.SliceCols(g, o.Lo, o.Lo+shapeOf(in[0]).Cols))
}

func (o PadCols) Eval(dst Mat, in []Mat) {
	n := in[0].Cols
	for i := range dst.Rows {
		copy(dst.Data[i*dst.Cols+o.Lo:], in[0].Data[i*n:(i+1)*n])
	}
}

func (StopGrad) String() string                  { return "StopGrad" }
func (StopGrad) Shape(in []Shape) (Shape, error) { return in[0], nil }
func (StopGrad) DiffWRT(int) []bool              { return []bool{false} }
func (StopGrad) SymDiff(graph.Nodes, *graph.Node, *graph.Node) (graph.Nodes, error) {
	return graph.Nodes{nil}, nil
}
func (StopGrad) Eval(dst Mat, in []Mat) { copy(dst.Data, in[0].Data) }
