package op_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/core/graph"
	"nacre/core/op"
)

// sheet is a graph with values for its leaves.
type sheet struct {
	*op.Scope
	graph.Copier
	g      *graph.Graph
	leaves []*graph.Node
	vals   map[*graph.Node]op.Mat
	rng    *rand.Rand
}

func newSheet(seed uint64) *sheet {
	s := &sheet{Scope: new(op.Scope), g: graph.New(), vals: map[*graph.Node]op.Mat{},
		rng: rand.New(rand.NewPCG(seed, 1))}
	s.Copier = graph.Copier{Known: map[*graph.Node]*graph.Node{}, Own: op.Equivalents,
		Leaf: func(n *graph.Node) (*graph.Node, error) { return n, nil },
		Const: func(x float64) *graph.Node {
			n := s.leaf(1, 1, true)
			s.vals[n].Data[0] = x
			return n
		}}
	return s
}

// leaf makes an input with random content: of either sign, or between 0.5 and 2.
func (s *sheet) leaf(rows, cols int, positive bool) *graph.Node {
	n, err := graph.Leaf(s.g, fmt.Sprint("leaf", len(s.leaves)), rows, cols)
	if err != nil {
		panic(err)
	}
	m := op.Mat{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
	for i := range m.Data {
		m.Data[i] = 1.5 * s.rng.NormFloat64()
		if positive {
			m.Data[i] = 0.5 + 1.5*s.rng.Float64()
		}
	}
	s.leaves = append(s.leaves, n)
	s.vals[n] = m
	return n
}

// eval computes n.
func (s *sheet) eval(n *graph.Node, memo map[*graph.Node]op.Mat) op.Mat {
	if m, ok := s.vals[n]; ok {
		return m
	}
	if m, ok := memo[n]; ok {
		return m
	}
	var in []op.Mat
	for _, c := range graph.Children(n) {
		in = append(in, s.eval(c, memo))
	}
	rows, cols := n.Shape()[0], n.Shape()[1]
	m := op.Mat{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
	graph.Of(n).Eval(m, in)
	memo[n] = m
	return m
}

// checkGradients compares the gradient of Σ weights·y by every leaf in wrt with central differences.
func (s *sheet) checkGradients(t *testing.T, y *graph.Node, wrt ...*graph.Node) {
	t.Helper()
	loss := s.SumAll(s.Mul(y, s.leaf(y.Shape()[0], y.Shape()[1], false)))
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	grads, err := s.Gradients(loss, wrt...)
	if err != nil {
		t.Fatal(err)
	}
	const h = 1e-5
	for k, x := range wrt {
		got := s.eval(grads[k], map[*graph.Node]op.Mat{})
		v := s.vals[x]
		if got.Rows != v.Rows || got.Cols != v.Cols {
			t.Fatalf("gradient of operand %d is %d×%d, the operand %d×%d", k, got.Rows, got.Cols, v.Rows, v.Cols)
		}
		for i, old := range v.Data {
			at := func(d float64) float64 {
				v.Data[i] = old + d
				defer func() { v.Data[i] = old }()
				return s.eval(loss, map[*graph.Node]op.Mat{}).Data[0]
			}
			want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
			if math.Abs(got.Data[i]-want) > 1e-7*(1+math.Abs(want)) {
				t.Fatalf("operand %d element %d: gradient %.10g, difference quotient %.10g", k, i, got.Data[i], want)
			}
		}
	}
}

type gradCase struct {
	name  string
	build func(s *sheet) (y *graph.Node, wrt []*graph.Node)
}

func gradCases() []gradCase {
	var cs []gradCase
	add := func(name string, f func(s *sheet) (*graph.Node, []*graph.Node)) { cs = append(cs, gradCase{name, f}) }
	sizes := shapes(1, 1, 1, 7, 3, 1, 2, 16, 5, 17)

	for _, act := range []op.Act{op.Linear, op.ReLU, op.Tanh} {
		for _, m := range []int{1, 5} {
			for _, k := range []int{1, 7} {
				for _, n := range []int{1, 16, 17} {
					add(fmt.Sprintf("Dense %v %d×%d×%d", act, m, k, n), func(s *sheet) (*graph.Node, []*graph.Node) {
						in := []*graph.Node{s.leaf(m, k, false), s.leaf(k, n, false), s.leaf(1, n, false)}
						return s.Dense(in[0], in[1], in[2], act), in
					})
				}
			}
		}
		add(fmt.Sprintf("ActGrad %v", act), func(s *sheet) (*graph.Node, []*graph.Node) {
			y, g := s.leaf(3, 7, false), s.leaf(3, 7, false)
			wrt := []*graph.Node{g}
			if act == op.Tanh {
				wrt = append(wrt, y)
			}
			return s.ActGrad(y, g, act), wrt
		})
	}
	for i := range 4 {
		ta, tb := i&1 == 1, i&2 == 2
		for _, d := range [][3]int{{1, 1, 1}, {1, 7, 1}, {5, 1, 3}, {3, 16, 17}} {
			add(fmt.Sprintf("MatMul %v %v %v", ta, tb, d), func(s *sheet) (*graph.Node, []*graph.Node) {
				a, b := op.Shape{Rows: d[0], Cols: d[1]}, op.Shape{Rows: d[1], Cols: d[2]}
				if ta {
					a = op.Shape{Rows: a.Cols, Cols: a.Rows}
				}
				if tb {
					b = op.Shape{Rows: b.Cols, Cols: b.Rows}
				}
				in := []*graph.Node{s.leaf(a.Rows, a.Cols, false), s.leaf(b.Rows, b.Cols, false)}
				return s.MatMul(in[0], in[1], ta, tb), in
			})
		}
	}
	for f := op.Neg; f < op.Sign; f++ {
		for _, z := range sizes {
			add(fmt.Sprintf("%v %v", f, z), func(s *sheet) (*graph.Node, []*graph.Node) {
				x := s.leaf(z.Rows, z.Cols, f == op.Log || f == op.Log1p || f == op.Sqrt || f == op.Recip)
				return s.Apply(op.Unary{F: f}, x), []*graph.Node{x}
			})
		}
	}
	for f := op.Add; f < op.Less; f++ {
		for _, sizes := range [][]int{
			{3, 4, 3, 4}, {3, 4, 1, 4}, {3, 4, 3, 1}, {3, 4, 1, 1}, {1, 4, 3, 4}, {3, 1, 3, 4}, {1, 1, 3, 4},
			{3, 1, 1, 4}, {1, 4, 3, 1}, {1, 4, 1, 4}, {1, 4, 1, 1}, {3, 1, 1, 1}, {3, 1, 3, 1}, {1, 1, 1, 1},
			{2, 17, 1, 17},
		} {
			z := shapes(sizes...)
			add(fmt.Sprintf("%v %v %v", f, z[0], z[1]), func(s *sheet) (*graph.Node, []*graph.Node) {
				in := []*graph.Node{s.leaf(z[0].Rows, z[0].Cols, false), s.leaf(z[1].Rows, z[1].Cols, f == op.Div)}
				return s.Apply(op.Binary{F: f}, in[0], in[1]), in
			})
		}
	}
	for _, z := range sizes {
		one := func(name string, f func(s *sheet, x *graph.Node) *graph.Node) {
			add(fmt.Sprintf("%s %v", name, z), func(s *sheet) (*graph.Node, []*graph.Node) {
				x := s.leaf(z.Rows, z.Cols, false)
				return f(s, x), []*graph.Node{x}
			})
		}
		one("Affine", func(s *sheet, x *graph.Node) *graph.Node { return s.Affine(x, -1.5, 0.25) })
		one("Clamp", func(s *sheet, x *graph.Node) *graph.Node { return s.Clamp(x, -1, 0.5) })
		one("SumRows all", func(s *sheet, x *graph.Node) *graph.Node { return s.SumRows(x, 0) })
		one("SumRows 1", func(s *sheet, x *graph.Node) *graph.Node { return s.SumRows(x, 1) })
		one("SumRows m", func(s *sheet, x *graph.Node) *graph.Node { return s.SumRows(x, z.Rows) })
		one("SumCols", func(s *sheet, x *graph.Node) *graph.Node { return s.SumCols(x) })
		one("SumAll", func(s *sheet, x *graph.Node) *graph.Node { return s.SumAll(x) })
		one("MeanAll", func(s *sheet, x *graph.Node) *graph.Node { return s.MeanAll(x) })
		one("RepeatRows", func(s *sheet, x *graph.Node) *graph.Node { return s.RepeatRows(x, 3) })
		one("LogSumExp", func(s *sheet, x *graph.Node) *graph.Node { return s.LogSumExp(x) })
		one("PadCols", func(s *sheet, x *graph.Node) *graph.Node { return s.PadCols(x, 2, z.Cols+3) })
		one("SliceCols", func(s *sheet, x *graph.Node) *graph.Node { return s.SliceCols(x, z.Cols/2, z.Cols) })
		one("Like", func(s *sheet, x *graph.Node) *graph.Node { return s.Like(s.leaf(z.Rows*1, z.Cols, false), x) })
		one("x·x", func(s *sheet, x *graph.Node) *graph.Node { return s.Mul(x, x) })
		one("x+x", func(s *sheet, x *graph.Node) *graph.Node { return s.Add(x, x) })
		one("ConcatCols", func(s *sheet, x *graph.Node) *graph.Node { return s.ConcatCols(x, s.Tanh(x), x) })
	}
	add("SumRows 4 of 12", func(s *sheet) (*graph.Node, []*graph.Node) {
		x := s.leaf(12, 3, false)
		return s.SumRows(x, 4), []*graph.Node{x}
	})
	for _, z := range shapes(1, 1, 1, 7, 3, 1) {
		add(fmt.Sprintf("Like from %v", z), func(s *sheet) (*graph.Node, []*graph.Node) {
			g := s.leaf(z.Rows, z.Cols, false)
			return s.Like(s.leaf(3, 7, false), g), []*graph.Node{g}
		})
	}
	for _, z := range [][3]int{{1, 1, 1}, {4, 3, 5}, {1, 4, 7}, {3, 1, 17}} {
		add(fmt.Sprintf("SquaredDistances %v", z), func(s *sheet) (*graph.Node, []*graph.Node) {
			in := []*graph.Node{s.leaf(z[0], z[2], false), s.leaf(z[1], z[2], false)}
			return s.SquaredDistances(in[0], in[1]), in
		})
	}
	add("ClampGrad by g", func(s *sheet) (*graph.Node, []*graph.Node) {
		g := s.leaf(3, 4, false)
		return s.Apply(op.ClampGrad{Lo: -1, Hi: 1}, s.leaf(3, 4, false), g), []*graph.Node{g}
	})
	return cs
}

func TestGradients(t *testing.T) {
	for i, c := range gradCases() {
		t.Run(c.name, func(t *testing.T) {
			s := newSheet(uint64(i))
			y, wrt := c.build(s)
			s.checkGradients(t, y, wrt...)
		})
	}
}

// The gradient of a gradient: the first one as SymDiff gives it, in a fresh loss that is differentiated.
func TestSecondOrder(t *testing.T) {
	for i, c := range gradCases() {
		if strings.HasPrefix(c.name, "Less") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := newSheet(uint64(1000 + i))
			y, wrt := c.build(s)
			if s.Err() != nil {
				t.Fatal(s.Err())
			}
			g := s.leaf(y.Shape()[0], y.Shape()[1], false)
			first, err := graph.Of(y).SymDiff(graph.Children(y), y, g)
			if err != nil {
				t.Fatal(err)
			}
			for k, d := range first {
				if d == nil || d.Op() == nil {
					continue
				}
				for j, x := range append([]*graph.Node{g}, wrt...) {
					if depends(d, x) {
						t.Run(fmt.Sprintf("operand %d by %d", k, j), func(t *testing.T) { s.checkGradients(t, d, x) })
					}
				}
			}
		})
	}
}

// depends reports whether n is differentiable with respect to leaf x.
func depends(n, x *graph.Node) bool {
	if n == x {
		return true
	}
	o := graph.Of(n)
	if o == nil {
		return false
	}
	children := graph.Children(n)
	for i, d := range o.DiffWRT(len(children)) {
		if d && depends(children[i], x) {
			return true
		}
	}
	return false
}

// An activation or function that has no name is no operation: an executor might take it for the identity.
func TestUnknownFunctions(t *testing.T) {
	x := op.Shape{Rows: 2, Cols: 3}
	for _, c := range []struct {
		o  op.Op
		in []op.Shape
	}{
		{op.Dense{Act: op.Tanh + 1}, []op.Shape{x, {Rows: 3, Cols: 4}, {Rows: 1, Cols: 4}}},
		{op.ActGrad{Act: op.Tanh + 1}, []op.Shape{x, x}},
		{op.Unary{F: op.Sign + 1}, []op.Shape{x}},
		{op.Binary{F: op.Less + 1}, []op.Shape{x, x}},
	} {
		if _, err := graph.ShapeOf(c.o, c.in...); err == nil || !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%v: error %v", c.o, err)
		}
	}
}
