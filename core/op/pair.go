package op

import (
	"fmt"

	"nacre/core/graph"
)

func (SquaredDistances) String() string { return "SquaredDistances" }

func (SquaredDistances) Operand(i int) Rows {
	if i == 0 {
		return ByRow
	}
	return Whole
}

func (SquaredDistances) Shape(in []Shape) (Shape, error) {
	a, b := in[0], in[1]
	if a.Cols != b.Cols {
		return Shape{}, fmt.Errorf("the rows have %d and %d elements", a.Cols, b.Cols)
	}
	return Shape{Rows: a.Rows, Cols: b.Rows}, nil
}

// SymDiff implements graph.Op: with y_ij = |a_i - b_j|²,
//
//	da_i = 2 Σ_j g_ij (a_i - b_j) = 2 (Σ_j g_ij) a_i - 2 (g·b)_i
//	db_j = 2 Σ_i g_ij (b_j - a_i) = 2 (gᵀ·1)_j b_j - 2 (gᵀ·a)_j
func (SquaredDistances) SymDiff(in graph.Nodes, _, g *graph.Node) (graph.Nodes, error) {
	var s Scope
	a, b := in[0], in[1]
	rowSum := s.SumCols(g)
	colSum := s.MatMul(g, s.Affine(rowSum, 0, 1), true, false)
	da := s.Sub(s.Mul(a, rowSum), s.MatMul(g, b, false, false))
	db := s.Sub(s.Mul(b, colSum), s.MatMul(g, a, true, false))
	return s.all(s.Scale(da, 2), s.Scale(db, 2))
}

func (SquaredDistances) Eval(dst Mat, in []Mat) {
	a, b := in[0], in[1]
	for i := range a.Rows {
		for j := range b.Rows {
			sum := 0.0
			for k := range a.Cols {
				d := a.Data[i*a.Cols+k] - b.Data[j*b.Cols+k]
				sum += d * d
			}
			dst.Data[i*dst.Cols+j] = sum
		}
	}
}
