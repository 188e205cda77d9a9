package op

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

func (o SumRows) String() string { return fmt.Sprintf("SumRows(%d)", o.Group) }

func (o SumRows) Result() Rows {
	if o.Group == 0 {
		return Whole
	}
	return ByRow
}

func (o SumRows) shape(in []Shape) (Shape, error) {
	x := in[0]
	switch {
	case o.Group == 0:
		return Shape{1, x.Cols}, nil
	case o.Group < 0 || x.Rows%o.Group != 0:
		return Shape{}, fmt.Errorf("%d rows cannot be cut into runs of %d", x.Rows, o.Group)
	}
	return Shape{x.Rows / o.Group, x.Cols}, nil
}

func (o SumRows) SymDiff(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
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

func (SumCols) shape(in []Shape) (Shape, error) { return Shape{in[0].Rows, 1}, nil }

func (SumCols) SymDiff(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
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

func (SumAll) shape([]Shape) (Shape, error) { return Shape{1, 1}, nil }

func (SumAll) SymDiff(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
	var s Scope
	return s.all(s.Like(in[0], g))
}

func (SumAll) Eval(dst Mat, in []Mat) {
	for _, x := range in[0].Data {
		dst.Data[0] += x
	}
}

func (LogSumExp) String() string { return "LogSumExp" }

func (LogSumExp) shape(in []Shape) (Shape, error) { return Shape{in[0].Rows, 1}, nil }

// SymDiff implements gorgonia.SDOp: the gradient of each row is g times its softmax, exp(x - y).
func (LogSumExp) SymDiff(in G.Nodes, y, g *G.Node) (G.Nodes, error) {
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
