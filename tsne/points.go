package tsne

import (
	"fmt"
	"math"
	"slices"
)

// table is points in float32, row by row, as the kernels take them.
type table struct {
	n, d int
	data []float32
}

func (t table) row(i int) []float32 { return t.data[i*t.d : (i+1)*t.d] }

// frame takes data to the coordinates t-SNE works in: columns that say nothing are left out, values are centred and
// divided by one power of two, so that float32 holds them well and squares stay in range, and, where the recipe wants
// it, projected on principal components.
type frame struct {
	columns  int
	keep     []int
	centre   []float64
	scale    float64
	loadings Matrix // kept columns × components; 0×0 for none
	mean     []float64
}

// newFrame finds the frame of x, without principal components.
func newFrame(x Matrix) (*frame, error) {
	f := &frame{columns: x.Cols}
	widest := 0.0
	for c := range x.Cols {
		lo, hi := x.Data[c], x.Data[c]
		for i := range x.Rows {
			v := x.Data[i*x.Cols+c]
			lo, hi = min(lo, v), max(hi, v)
		}
		if lo == hi {
			continue
		}
		m := middle(x, c)
		f.keep = append(f.keep, c)
		f.centre = append(f.centre, m)
		widest = max(widest, hi-m, m-lo)
	}
	if len(f.keep) == 0 {
		return nil, badInput("all %d points are equal: there is nothing to lay out", x.Rows)
	}
	if math.IsInf(widest, 0) {
		return nil, badInput("the values span more than a float64 can hold; scale the data down")
	}
	_, e := math.Frexp(widest)
	f.scale = math.Ldexp(1, max(-e, -1022))
	return f, nil
}

// middle is the median of column c over some rows: a centre that one stray value cannot move away from the others.
func middle(x Matrix, c int) float64 {
	step := max(1, x.Rows/1001)
	var v []float64
	for i := 0; i < x.Rows; i += step {
		v = append(v, x.Data[i*x.Cols+c])
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// note says what was left out, if anything.
func (f *frame) note() []string {
	if len(f.keep) == f.columns {
		return nil
	}
	return []string{fmt.Sprintf("%s of %d the same in every row: no influence", count(f.columns-len(f.keep), "column"),
		f.columns)}
}

// apply takes the rows of x into the frame.
func (f *frame) apply(x Matrix) table {
	t := table{n: x.Rows, d: len(f.keep), data: make([]float32, x.Rows*len(f.keep))}
	for i := range x.Rows {
		row := t.row(i)
		for k, c := range f.keep {
			row[k] = float32((x.Data[i*x.Cols+c] - f.centre[k]) * f.scale)
		}
	}
	if f.loadings.Rows > 0 {
		return project(t, f.mean, f.loadings)
	}
	return t
}

// moderate returns x and 1 or, where squares of its values could leave the range of float64, a copy in units of a power
// of two and that power. Rows that are all equal become 0: a rounded mean would be at a distance from them.
func moderate(x Matrix) (Matrix, float64) {
	if !differ(x) {
		return NewMatrix(x.Rows, x.Cols), 1
	}
	largest := 0.0
	for _, v := range x.Data {
		largest = max(largest, math.Abs(v))
	}
	_, e := math.Frexp(largest)
	if largest == 0 || e > -200 && e < 200 {
		return x, 1
	}
	out, unit := NewMatrix(x.Rows, x.Cols), math.Ldexp(1, max(e, -1021))
	for i, v := range x.Data {
		out.Data[i] = v / unit
	}
	return out, unit
}

// project returns (row − mean)·loadings.
func project(t table, mean []float64, loadings Matrix) table {
	out := table{n: t.n, d: loadings.Cols, data: make([]float32, t.n*loadings.Cols)}
	sum := make([]float64, loadings.Cols)
	for i := range t.n {
		clear(sum)
		for c, v := range t.row(i) {
			d := float64(v) - mean[c]
			for k, l := range loadings.Row(c) {
				sum[k] += float64(d * l)
			}
		}
		for k, s := range sum {
			out.row(i)[k] = float32(s)
		}
	}
	return out
}
