package op_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"nacre/core/op"
)

// sheet is a graph with values for its leaves.
type sheet struct {
	*op.Scope
	g      *G.ExprGraph
	leaves []*G.Node
	vals   map[*G.Node]op.Mat
	rng    *rand.Rand
}

func newSheet(seed uint64) *sheet {
	return &sheet{Scope: new(op.Scope), g: G.NewGraph(), vals: map[*G.Node]op.Mat{},
		rng: rand.New(rand.NewPCG(seed, 1))}
}

// leaf makes an input with random content: of either sign, or between 0.5 and 2.
func (s *sheet) leaf(rows, cols int, positive bool) *G.Node {
	n := G.NewMatrix(s.g, G.Float64, G.WithShape(rows, cols), G.WithName(fmt.Sprint("leaf", len(s.leaves))))
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

// eval computes n; the nodes Gorgonia adds by itself are computed by their own Do.
func (s *sheet) eval(t *testing.T, n *G.Node, memo map[*G.Node]op.Mat) op.Mat {
	if m, ok := s.vals[n]; ok {
		return m
	}
	if m, ok := memo[n]; ok {
		return m
	}
	var in []op.Mat
	for _, c := range op.Children(n) {
		in = append(in, s.eval(t, c, memo))
	}
	m := op.Mat{Rows: n.Shape()[0], Cols: n.Shape()[1]}
	if o, ok := n.Op().(op.Op); ok {
		m.Data = make([]float64, m.Rows*m.Cols)
		o.Eval(m, in)
	} else {
		vs := make([]G.Value, len(in))
		for i, x := range in {
			vs[i] = tensor.New(tensor.WithShape(x.Rows, x.Cols), tensor.WithBacking(append([]float64(nil), x.Data...)))
		}
		v, err := n.Op().Do(vs...)
		if err != nil {
			t.Fatalf("%v: %v", n, err)
		}
		m.Data = v.(*tensor.Dense).Float64s()
	}
	memo[n] = m
	return m
}

// checkGradients compares the gradient of Σ weights·y by every leaf in wrt with central differences.
func (s *sheet) checkGradients(t *testing.T, y *G.Node, wrt ...*G.Node) {
	t.Helper()
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	loss := s.SumAll(s.Mul(y, s.leaf(y.Shape()[0], y.Shape()[1], false)))
	seed := s.leaf(1, 1, true)
	grads, err := G.Backpropagate(G.Nodes{loss}, G.Nodes{seed}, wrt)
	if err != nil {
		t.Fatal(err)
	}
	const h = 1e-5
	for k, x := range wrt {
		got := s.eval(t, grads[k], map[*G.Node]op.Mat{})
		v := s.vals[x]
		if got.Rows != v.Rows || got.Cols != v.Cols {
			t.Fatalf("gradient of operand %d is %d×%d, the operand %d×%d", k, got.Rows, got.Cols, v.Rows, v.Cols)
		}
		for i, old := range v.Data {
			at := func(d float64) float64 {
				v.Data[i] = old + d
				defer func() { v.Data[i] = old }()
				return s.eval(t, loss, map[*G.Node]op.Mat{}).Data[0]
			}
			want := s.vals[seed].Data[0] * (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
			if math.Abs(got.Data[i]-want) > 1e-7*(1+math.Abs(want)) {
				t.Fatalf("operand %d element %d: gradient %.10g, difference quotient %.10g", k, i, got.Data[i], want)
			}
		}
	}
}

type gradCase struct {
	name  string
	build func(s *sheet) (y *G.Node, wrt []*G.Node)
}

func gradCases() []gradCase {
	var cs []gradCase
	add := func(name string, f func(s *sheet) (*G.Node, []*G.Node)) { cs = append(cs, gradCase{name, f}) }
	sizes := []op.Shape{{1, 1}, {1, 7}, {3, 1}, {2, 16}, {5, 17}}

	for _, act := range []op.Act{op.Linear, op.ReLU, op.Tanh} {
		for _, m := range []int{1, 5} {
			for _, k := range []int{1, 7} {
				for _, n := range []int{1, 16, 17} {
					add(fmt.Sprintf("Dense %v %d×%d×%d", act, m, k, n), func(s *sheet) (*G.Node, []*G.Node) {
						in := []*G.Node{s.leaf(m, k, false), s.leaf(k, n, false), s.leaf(1, n, false)}
						return s.Dense(in[0], in[1], in[2], act), in
					})
				}
			}
		}
		add(fmt.Sprintf("ActGrad %v", act), func(s *sheet) (*G.Node, []*G.Node) {
			y, g := s.leaf(3, 7, false), s.leaf(3, 7, false)
			wrt := []*G.Node{g}
			if act == op.Tanh {
				wrt = append(wrt, y)
			}
			return s.ActGrad(y, g, act), wrt
		})
	}
	for i := range 4 {
		ta, tb := i&1 == 1, i&2 == 2
		for _, d := range [][3]int{{1, 1, 1}, {1, 7, 1}, {5, 1, 3}, {3, 16, 17}} {
			add(fmt.Sprintf("MatMul %v %v %v", ta, tb, d), func(s *sheet) (*G.Node, []*G.Node) {
				a, b := op.Shape{d[0], d[1]}, op.Shape{d[1], d[2]}
				if ta {
					a = op.Shape{a.Cols, a.Rows}
				}
				if tb {
					b = op.Shape{b.Cols, b.Rows}
				}
				in := []*G.Node{s.leaf(a.Rows, a.Cols, false), s.leaf(b.Rows, b.Cols, false)}
				return s.MatMul(in[0], in[1], ta, tb), in
			})
		}
	}
	for f := op.Neg; f < op.Sign; f++ {
		for _, z := range sizes {
			add(fmt.Sprintf("%v %v", f, z), func(s *sheet) (*G.Node, []*G.Node) {
				x := s.leaf(z.Rows, z.Cols, f == op.Log || f == op.Log1p || f == op.Sqrt || f == op.Recip)
				return s.Apply(op.Unary{F: f}, x), []*G.Node{x}
			})
		}
	}
	for f := op.Add; f < op.Less; f++ {
		for _, z := range [][2]op.Shape{
			{{3, 4}, {3, 4}}, {{3, 4}, {1, 4}}, {{3, 4}, {3, 1}}, {{3, 4}, {1, 1}}, {{1, 4}, {3, 4}}, {{3, 1}, {3, 4}},
			{{1, 1}, {3, 4}},
			{{3, 1}, {1, 4}}, {{1, 4}, {3, 1}}, {{1, 4}, {1, 4}}, {{1, 4}, {1, 1}}, {{3, 1}, {1, 1}}, {{3, 1}, {3, 1}},
			{{1, 1}, {1, 1}}, {{2, 17}, {1, 17}},
		} {
			add(fmt.Sprintf("%v %v %v", f, z[0], z[1]), func(s *sheet) (*G.Node, []*G.Node) {
				in := []*G.Node{s.leaf(z[0].Rows, z[0].Cols, false), s.leaf(z[1].Rows, z[1].Cols, f == op.Div)}
				return s.Apply(op.Binary{F: f}, in[0], in[1]), in
			})
		}
	}
	for _, z := range sizes {
		one := func(name string, f func(s *sheet, x *G.Node) *G.Node) {
			add(fmt.Sprintf("%s %v", name, z), func(s *sheet) (*G.Node, []*G.Node) {
				x := s.leaf(z.Rows, z.Cols, false)
				return f(s, x), []*G.Node{x}
			})
		}
		one("Affine", func(s *sheet, x *G.Node) *G.Node { return s.Affine(x, -1.5, 0.25) })
		one("Clamp", func(s *sheet, x *G.Node) *G.Node { return s.Clamp(x, -1, 0.5) })
		one("SumRows all", func(s *sheet, x *G.Node) *G.Node { return s.SumRows(x, 0) })
		one("SumRows 1", func(s *sheet, x *G.Node) *G.Node { return s.SumRows(x, 1) })
		one("SumRows m", func(s *sheet, x *G.Node) *G.Node { return s.SumRows(x, z.Rows) })
		one("SumCols", func(s *sheet, x *G.Node) *G.Node { return s.SumCols(x) })
		one("SumAll", func(s *sheet, x *G.Node) *G.Node { return s.SumAll(x) })
		one("MeanAll", func(s *sheet, x *G.Node) *G.Node { return s.MeanAll(x) })
		one("RepeatRows", func(s *sheet, x *G.Node) *G.Node { return s.RepeatRows(x, 3) })
		one("LogSumExp", func(s *sheet, x *G.Node) *G.Node { return s.LogSumExp(x) })
		one("PadCols", func(s *sheet, x *G.Node) *G.Node { return s.PadCols(x, 2, z.Cols+3) })
		one("SliceCols", func(s *sheet, x *G.Node) *G.Node { return s.SliceCols(x, z.Cols/2, z.Cols) })
		one("Like", func(s *sheet, x *G.Node) *G.Node { return s.Like(s.leaf(z.Rows*1, z.Cols, false), x) })
		one("x·x", func(s *sheet, x *G.Node) *G.Node { return s.Mul(x, x) })
		one("x+x", func(s *sheet, x *G.Node) *G.Node { return s.Add(x, x) })
		one("ConcatCols", func(s *sheet, x *G.Node) *G.Node { return s.ConcatCols(x, s.Tanh(x), x) })
	}
	add("SumRows 4 of 12", func(s *sheet) (*G.Node, []*G.Node) {
		x := s.leaf(12, 3, false)
		return s.SumRows(x, 4), []*G.Node{x}
	})
	for _, z := range []op.Shape{{1, 1}, {1, 7}, {3, 1}} {
		add(fmt.Sprintf("Like from %v", z), func(s *sheet) (*G.Node, []*G.Node) {
			g := s.leaf(z.Rows, z.Cols, false)
			return s.Like(s.leaf(3, 7, false), g), []*G.Node{g}
		})
	}
	for _, z := range [][3]int{{1, 1, 1}, {4, 3, 5}, {1, 4, 7}, {3, 1, 17}} {
		add(fmt.Sprintf("SquaredDistances %v", z), func(s *sheet) (*G.Node, []*G.Node) {
			in := []*G.Node{s.leaf(z[0], z[2], false), s.leaf(z[1], z[2], false)}
			return s.SquaredDistances(in[0], in[1]), in
		})
	}
	add("ClampGrad by g", func(s *sheet) (*G.Node, []*G.Node) {
		g := s.leaf(3, 4, false)
		return s.Apply(op.ClampGrad{Lo: -1, Hi: 1}, s.leaf(3, 4, false), g), []*G.Node{g}
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

// The gradient of a gradient: build the first gradient into the same graph by hand as SymDiff gives it, wrap it in a
// fresh loss and differentiate that. Gorgonia differentiates each graph once, so the first gradient comes from SymDiff.
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
			children := op.Children(y)
			first, err := y.Op().(op.Op).SymDiff(children, y, g)
			if err != nil {
				t.Fatal(err)
			}
			for k, d := range first {
				if d == nil || d.Op() == nil {
					continue
				}
				for j, x := range append([]*G.Node{g}, wrt...) {
					if !depends(d, x) {
						continue
					}
					t.Run(fmt.Sprintf("operand %d by %d", k, j), func(t *testing.T) {
						// A fresh sheet: differentiating marks the nodes it meets.
						s := newSheet(uint64(1000 + i))
						y, wrt := c.build(s)
						g := s.leaf(y.Shape()[0], y.Shape()[1], false)
						first, err := y.Op().(op.Op).SymDiff(op.Children(y), y, g)
						if err != nil {
							t.Fatal(err)
						}
						s.checkGradients(t, first[k], append([]*G.Node{g}, wrt...)[j])
					})
				}
			}
		})
	}
}

// depends reports whether n is differentiable with respect to leaf x.
func depends(n, x *G.Node) bool {
	if n == x {
		return true
	}
	o, ok := n.Op().(G.SDOp)
	if !ok {
		return false
	}
	children := op.Children(n)
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
		if _, err := op.ShapeOf(c.o, c.in...); err == nil || !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%v: error %v", c.o, err)
		}
	}
}
