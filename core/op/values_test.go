package op_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"strings"
	"testing"

	"nacre/core/graph"
	"nacre/core/op"
)

func mat(rows, cols int, x ...float64) op.Mat { return op.Mat{Rows: rows, Cols: cols, Data: x} }

// shapes are sizes in pairs: rows, columns.
func shapes(sizes ...int) []op.Shape {
	out := make([]op.Shape, len(sizes)/2)
	for i := range out {
		out[i] = op.Shape{Rows: sizes[2*i], Cols: sizes[2*i+1]}
	}
	return out
}

// eval applies o to matrices.
func eval(t *testing.T, o op.Op, in ...op.Mat) op.Mat {
	t.Helper()
	shapes := make([]op.Shape, len(in))
	for i, m := range in {
		shapes[i] = op.Shape{Rows: m.Rows, Cols: m.Cols}
	}
	s, err := graph.ShapeOf(o, shapes...)
	if err != nil {
		t.Fatal(err)
	}
	dst := mat(s.Rows, s.Cols, make([]float64, s.Rows*s.Cols)...)
	o.Eval(dst, in)
	return dst
}

// Values worked out by hand, one line per operation and form.
func TestValues(t *testing.T) {
	x := mat(2, 3, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		o    op.Op
		in   []op.Mat
		want op.Mat
	}{
		{op.Dense{}, []op.Mat{x, mat(3, 1, 1, 0, -1), mat(1, 1, 0.5)}, mat(2, 1, -1.5, -1.5)},
		{op.Dense{Act: op.ReLU}, []op.Mat{x, mat(3, 2, 1, -1, 0, 0, 0, 0), mat(1, 2, 0, 2)}, mat(2, 2, 1, 1, 4, 0)},
		{op.Dense{Act: op.Tanh}, []op.Mat{mat(1, 1, 1), mat(1, 1, 2), mat(1, 1, -1.5)}, mat(1, 1, math.Tanh(0.5))},
		{op.MatMul{}, []op.Mat{mat(1, 2, 1, 2), mat(2, 2, 3, 4, 5, 6)}, mat(1, 2, 13, 16)},
		{op.MatMul{TA: true}, []op.Mat{mat(2, 1, 1, 2), mat(2, 2, 3, 4, 5, 6)}, mat(1, 2, 13, 16)},
		{op.MatMul{TB: true}, []op.Mat{mat(1, 2, 1, 2), mat(2, 2, 3, 5, 4, 6)}, mat(1, 2, 13, 16)},
		{op.MatMul{TA: true, TB: true}, []op.Mat{mat(2, 1, 1, 2), mat(2, 2, 3, 5, 4, 6)}, mat(1, 2, 13, 16)},
		{op.ActGrad{Act: op.ReLU}, []op.Mat{mat(1, 3, 2, 0, -1), mat(1, 3, 5, 6, 7)}, mat(1, 3, 5, 0, 0)},
		{op.ActGrad{Act: op.Tanh}, []op.Mat{mat(1, 1, 0.5), mat(1, 1, 2)}, mat(1, 1, 1.5)},
		{op.ActGrad{}, []op.Mat{mat(1, 1, 0.5), mat(1, 1, 2)}, mat(1, 1, 2)},
		{op.Affine{A: 2, B: -1}, []op.Mat{x}, mat(2, 3, 1, 3, 5, 7, 9, 11)},
		{op.Clamp{Lo: 2, Hi: 5}, []op.Mat{x}, mat(2, 3, 2, 2, 3, 4, 5, 5)},
		// limits included, as torch has it
		{op.ClampGrad{Lo: 2, Hi: 5}, []op.Mat{x, mat(2, 3, 1, 1, 1, 1, 1, 1)}, mat(2, 3, 0, 1, 1, 1, 1, 0)},
		{op.Binary{F: op.Sub}, []op.Mat{x, mat(1, 3, 1, 1, 2)}, mat(2, 3, 0, 1, 1, 3, 4, 4)},
		{op.Binary{F: op.Div}, []op.Mat{x, mat(2, 1, 1, 2)}, mat(2, 3, 1, 2, 3, 2, 2.5, 3)},
		{op.Binary{F: op.Mul}, []op.Mat{mat(2, 1, 3, 4), mat(1, 2, 5, 6)}, mat(2, 2, 15, 18, 20, 24)},
		{op.Binary{F: op.Max}, []op.Mat{x, mat(1, 1, 4)}, mat(2, 3, 4, 4, 4, 4, 5, 6)},
		{op.Binary{F: op.Min}, []op.Mat{mat(1, 1, 4), x}, mat(2, 3, 1, 2, 3, 4, 4, 4)},
		{op.Binary{F: op.Less}, []op.Mat{x, mat(1, 1, 4)}, mat(2, 3, 1, 1, 1, 0.5, 0, 0)},
		{op.SumRows{}, []op.Mat{x}, mat(1, 3, 5, 7, 9)},
		{op.SumRows{Group: 2}, []op.Mat{mat(4, 1, 1, 2, 3, 4)}, mat(2, 1, 3, 7)},
		{op.SumCols{}, []op.Mat{x}, mat(2, 1, 6, 15)},
		{op.SumAll{}, []op.Mat{x}, mat(1, 1, 21)},
		{op.RepeatRows{K: 2}, []op.Mat{mat(2, 2, 1, 2, 3, 4)}, mat(4, 2, 1, 2, 1, 2, 3, 4, 3, 4)},
		{op.Like{}, []op.Mat{x, mat(2, 1, 7, 8)}, mat(2, 3, 7, 7, 7, 8, 8, 8)},
		{op.ConcatCols{N: 2}, []op.Mat{mat(2, 1, 7, 8), mat(2, 2, 1, 2, 3, 4)}, mat(2, 3, 7, 1, 2, 8, 3, 4)},
		{op.SliceCols{Lo: 1, Hi: 3}, []op.Mat{x}, mat(2, 2, 2, 3, 5, 6)},
		{op.PadCols{Lo: 1, Total: 3}, []op.Mat{mat(2, 1, 7, 8)}, mat(2, 3, 0, 7, 0, 0, 8, 0)},
		{op.SquaredDistances{}, []op.Mat{mat(2, 2, 0, 0, 3, 4), mat(1, 2, 3, 0)}, mat(2, 1, 9, 16)},
		{op.StopGrad{}, []op.Mat{x}, x},
	} {
		got := eval(t, c.o, c.in...)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v of %v = %v, want %v", c.o, c.in, got, c.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		f       op.UnaryFunc
		x, want float64
	}{
		{op.Neg, 3, -3}, {op.Exp, 1, math.E}, {op.Log, math.E, 1}, {op.Log1p, 1e-20, 1e-20},
		{op.TanhOf, 0.5, math.Tanh(0.5)},
		{op.Sqrt, 9, 3}, {op.Square, -3, 9}, {op.Recip, 4, 0.25}, {op.Abs, -2, 2}, {op.Sign, -2, -1}, {op.Sign, 0, 0},
		{op.Sign, 2, 1},
		{op.Softplus, 0, math.Ln2}, {op.Softplus, 800, 800}, {op.Softplus, -800, 0}, {op.Softplus, -40, math.Exp(-40)},
		{op.Sigmoid, 0, 0.5}, {op.Sigmoid, 800, 1}, {op.Sigmoid, -800, 0}, {op.Sigmoid, -40, math.Exp(-40)},
	} {
		got := eval(t, op.Unary{F: c.f}, mat(1, 1, c.x)).Data[0]
		if !(math.Abs(got-c.want) <= 1e-15*math.Abs(c.want)) {
			t.Errorf("%v(%v) = %v, want %v", c.f, c.x, got, c.want)
		}
	}
	got := eval(t, op.LogSumExp{}, mat(3, 2, 1000, 1000, -1000, -1001, 3, math.Inf(-1))).Data
	for i, want := range []float64{1000 + math.Ln2, -1000 + math.Log1p(math.Exp(-1)), 3} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("LogSumExp row %d = %v, want %v", i, got[i], want)
		}
	}
}

// Where operands of a minimum or maximum tie, each receives half of the gradient, as torch does.
func TestTies(t *testing.T) {
	for _, f := range []op.BinaryFunc{op.Min, op.Max} {
		s := newSheet(1)
		a, b, g := s.leaf(1, 2, false), s.leaf(1, 2, false), s.leaf(1, 2, false)
		copy(s.vals[b].Data, s.vals[a].Data)
		y := s.Apply(op.Binary{F: f}, a, b)
		d, err := graph.Of(y).SymDiff(graph.Nodes{a, b}, y, g)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d {
			for k, x := range s.eval(d[i], map[*graph.Node]op.Mat{}).Data {
				if want := s.vals[g].Data[k] / 2; x != want {
					t.Errorf("%v: operand %d receives %v, want %v", f, i, x, want)
				}
			}
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for _, c := range []struct {
		o    op.Op
		in   []op.Shape
		want string
	}{
		{op.Dense{}, shapes(2, 3, 4, 5, 1, 5), "x has 3 columns but w has 4 rows"},
		{op.Dense{}, shapes(2, 3, 3, 5, 5, 1), "want 1×5"},
		{op.Dense{}, shapes(2, 3, 3, 5), "got 2 operands, want 3"},
		{op.MatMul{TA: true}, shapes(2, 3, 3, 5), "inner sizes 2 and 3"},
		{op.Binary{}, shapes(2, 3, 2, 2), "must be equal"},
		{op.ActGrad{}, shapes(2, 3, 2, 1), "must be equal"},
		{op.SumRows{Group: 3}, shapes(4, 1), "4 rows cannot be cut into runs of 3"},
		{op.SumRows{Group: -1}, shapes(4, 1), "runs of -1"},
		{op.RepeatRows{}, shapes(4, 1), "at least 1"},
		{op.Like{}, shapes(4, 2, 2, 2), "2×2 cannot be repeated to 4×2"},
		{op.ConcatCols{N: 2}, shapes(4, 2, 2, 2), "rows must be equal"},
		{op.SliceCols{Lo: 1, Hi: 1}, shapes(4, 2), "Lo < Hi ≤ 2"},
		{op.SliceCols{Lo: 1, Hi: 3}, shapes(4, 2), "Lo < Hi ≤ 2"},
		{op.PadCols{Lo: 1, Total: 2}, shapes(4, 2), "do not fit in 2"},
		{op.Clamp{Lo: 1, Hi: 0}, shapes(4, 2), "limit 1"},
		{op.SquaredDistances{}, shapes(4, 2, 4, 3), "2 and 3 elements"},
		{op.Unary{F: 99}, shapes(1, 1), "unknown function"},
	} {
		_, err := graph.ShapeOf(c.o, c.in...)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.o.String()) {
			t.Errorf("%v of %v: error %v, want one that says %q", c.o, c.in, err, c.want)
		}
	}
}

// After its first failure a scope does nothing, takes nil operands and keeps that error.
func TestScope(t *testing.T) {
	s := newSheet(1)
	x := s.leaf(2, 3, false)
	bad := s.SliceCols(x, 2, 7)
	if bad != nil || s.Err() == nil {
		t.Fatal("a slice beyond the columns was accepted")
	}
	first := s.Err()
	n := len(s.g.AllNodes())
	if y := s.Add(s.Exp(bad), s.MeanAll(s.ConcatCols(nil, x))); y != nil || s.Err() != first ||
		len(s.g.AllNodes()) != n {
		t.Error("the scope went on after its first error")
	}
}

// Operations that differ in an attribute differ in their hash, or Gorgonia would merge them.
func TestHashes(t *testing.T) {
	ops := []op.Op{
		op.SumCols{}, op.SumAll{}, op.Like{}, op.LogSumExp{}, op.SquaredDistances{}, op.StopGrad{},
		op.Affine{A: 1, B: 2}, op.Affine{A: 2, B: 1}, op.Affine{A: 1, B: math.Nextafter(2, 3)},
		op.Clamp{Lo: 1, Hi: 2}, op.Clamp{Lo: 1, Hi: 3}, op.ClampGrad{Lo: 1, Hi: 2}, op.ClampGrad{Lo: 0, Hi: 2},
	}
	for i := range 3 {
		ops = append(ops, op.Dense{Act: op.Act(i)}, op.ActGrad{Act: op.Act(i)})
	}
	for f := op.Neg; f <= op.Sign; f++ {
		ops = append(ops, op.Unary{F: f})
	}
	for f := op.Add; f <= op.Less; f++ {
		ops = append(ops, op.Binary{F: f})
	}
	for i := range 4 {
		ops = append(ops, op.MatMul{TA: i&1 != 0, TB: i&2 != 0})
	}
	for _, i := range []int{1, 2, 257} {
		ops = append(ops, op.SumRows{Group: i}, op.RepeatRows{K: i}, op.ConcatCols{N: i},
			op.SliceCols{Lo: i, Hi: i + 1}, op.SliceCols{Lo: 0, Hi: i + 1}, op.PadCols{Lo: i, Total: 300},
			op.PadCols{Lo: 0, Total: 300 + i})
	}
	seen := map[uint32]op.Op{}
	for _, o := range ops {
		h := fnv.New32a() // what Gorgonia is told: TestAdapter of package graph
		io.WriteString(h, o.String())
		if other, ok := seen[h.Sum32()]; ok {
			t.Errorf("%#v and %#v have one hash", o, other)
		}
		seen[h.Sum32()] = o
	}
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		o        op.Op
		operands []op.Rows
		result   op.Rows
	}{
		{op.Dense{}, []op.Rows{op.ByRow, op.Whole, op.Whole}, op.ByRow},
		{op.MatMul{}, []op.Rows{op.ByRow, op.Whole}, op.ByRow},
		{op.MatMul{TB: true}, []op.Rows{op.ByRow, op.Whole}, op.ByRow},
		{op.MatMul{TA: true}, []op.Rows{op.ByRow, op.ByRow}, op.Whole},
		{op.MatMul{TA: true, TB: true}, []op.Rows{op.Whole, op.Whole}, op.Whole},
		{op.SumRows{}, []op.Rows{op.ByRow}, op.Whole},
		{op.SumRows{Group: 4}, []op.Rows{op.ByRow}, op.ByRow},
		{op.SumAll{}, []op.Rows{op.ByRow}, op.Whole},
		{op.SumCols{}, []op.Rows{op.ByRow}, op.ByRow},
		{op.Binary{}, []op.Rows{op.ByRow, op.ByRow}, op.ByRow},
		{op.SquaredDistances{}, []op.Rows{op.ByRow, op.Whole}, op.ByRow},
	} {
		if c.o.Result() != c.result {
			t.Errorf("%v: result %v", c.o, c.o.Result())
		}
		for i, want := range c.operands {
			if c.o.Operand(i) != want {
				t.Errorf("%v: operand %d is %v, want %v", c.o, i, c.o.Operand(i), want)
			}
		}
	}
}
