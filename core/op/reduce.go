package op

import (
	"fmt"
	"math"

	"nacre/core/graph"
)

func (o SumRows) String() string { return fmt.Sprintf("SumRows(%d)", o.Group) }

func (o SumRows) Result() Rows {
	if o.Group == 0 {
		return Whole
	}
	return ByRow
}

func (o SumRows) Shape(in []Shape) (Shape, error) {
	x := in[0]
	switch {
	case o.Group == 0:
		return Shape{Rows: 1, Cols: x.Cols}, nil
	case o.Group < 0 || x.Rows%o.Group != 0:
		return Shape{}, fmt.Errorf("%d rows cannot be cut into runs of %d", x.Rows, o.Group)
	}
	return Shape{Rows: x.Rows / o.Group, Cols: x.Cols}, nil
}

func (o SumRows) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	if o.Group == 0 {
		return s.all(s.Like(in[0], g))
	}
	return s.all(s.RepeatRows(g, o.Group))
}

func (o SumRows) Eval(dst Mat, in []Mat) {
	run := in[0].Rows / dst.Rows
	for i := range in[0].Rows {
		for j := range dst.Cols {
			dst.Data[i/run*dst.Cols+j] += in[0].Data[i*dst.Cols+j]
		}
	}
}

func (SumCols) String() string { return "SumCols" }

func (SumCols) Shape(in []Shape) (Shape, error) { return Shape{Rows: in[0].Rows, Cols: 1}, nil }

func (SumCols) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.Like(in[0], g))
}

func (SumCols) Eval(dst Mat, in []Mat) {
	for i, x := range in[0].Data {
		dst.Data[i/in[0].Cols] += x
	}
}

func (SumAll) String() string { return "SumAll" }

func (SumAll) Result() Rows { return Whole }

func (SumAll) Shape([]Shape) (Shape, error) { return Shape{Rows: 1, Cols: 1}, nil }

func (SumAll) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.Like(in[0], g))
}

func (SumAll) Eval(dst Mat, in []Mat) {
	for _, x := range in[0].Data {
		dst.Data[0] += x
	}
}

func (LogSumExp) String() string { return "LogSumExp" }

func (LogSumExp) Shape(in []Shape) (Shape, error) { return Shape{Rows: in[0].Rows, Cols: 1}, nil }

// SymDiff implements graph.Op: the gradient of each row is g times its softmax, exp(x - y).
func (LogSumExp) SymDiff(in graph.Nodes, y, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	return s.all(s.Mul(s.Exp(s.Sub(in[0], y)), g))
}

func (LogSumExp) Eval(dst Mat, in []Mat) {
	n := in[0].Cols
	for i := range dst.Data {
		row := in[0].Data[i*n : (i+1)*n]
		top := math.Inf(-1)
		for _, x := range row {
			top = math.Max(top, x)
		}
		sum := 0.0
		for _, x := range row {
			sum += math.Exp(x - top)
		}
		dst.Data[i] = top + math.Log(sum)
	}
}
