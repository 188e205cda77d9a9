package core_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
)

// sketch draws a random expression over inputs and parameters of one stage.
type sketch struct {
	*core.Stage
	r      *rand.Rand
	groups int
	nodes  []*graph.Node
	params []*graph.Node
	leaves map[*graph.Node]op.Mat
	data   map[string][]float64
}

func (s *sketch) leaf(n *graph.Node, name string) {
	sh := n.Shape()
	x := make([]float64, sh[0]*sh[1])
	for i := range x {
		x[i] = s.r.NormFloat64()
	}
	s.data[name] = x
	s.leaves[n] = op.Mat{Rows: sh[0], Cols: sh[1], Data: x}
	s.nodes = append(s.nodes, n)
}

func (s *sketch) pick() *graph.Node { return s.nodes[s.r.IntN(len(s.nodes))] }

// step applies a random operation to random earlier nodes, or none if they do not fit.
func (s *sketch) step() {
	a, b := s.pick(), s.pick()
	ra, ca, rb, cb := a.Shape()[0], a.Shape()[1], b.Shape()[0], b.Shape()[1]
	fits := func(x, y int) bool { return x == y || x == 1 || y == 1 }
	var n *graph.Node
	switch s.r.IntN(20) {
	case 0:
		n = s.Apply(op.Unary{F: []op.UnaryFunc{op.Neg, op.TanhOf, op.Softplus, op.Sigmoid, op.Abs}[s.r.IntN(5)]}, a)
	case 1:
		n = s.Affine(a, float64(s.r.IntN(4)-1), float64(s.r.IntN(3)-1))
	case 2:
		n = s.Clamp(a, -0.7, 1.1)
	case 3:
		c := s.Const(float64(s.r.IntN(3) - 1))
		switch f := (op.Binary{F: op.BinaryFunc(s.r.IntN(3))}); s.r.IntN(3) { // Add, Sub, Mul
		case 0:
			n = s.Apply(f, c, a)
		case 1:
			n = s.Apply(f, a, c)
		case 2:
			n = s.Div(a, s.Shift(c, 3))
		}
	case 4, 5, 6:
		if fits(ra, rb) && fits(ca, cb) {
			n = s.Tanh(s.Apply(op.Binary{F: []op.BinaryFunc{op.Add, op.Sub, op.Mul, op.Min, op.Max}[s.r.IntN(5)]},
				a, b))
		}
	case 7:
		if fits(ra, rb) && fits(ca, cb) {
			n = s.Div(a, s.Shift(s.Square(b), 1))
		}
	case 8:
		if ca == rb {
			n = s.Tanh(s.MatMul(a, b, false, false))
		}
	case 9:
		if ra == rb {
			n = s.Tanh(s.MatMul(a, b, true, false))
		}
	case 10:
		if ca == cb {
			n = s.Tanh(s.MatMul(a, b, false, true))
		}
	case 11:
		for _, k := range s.r.Perm(5) {
			if k == 0 || ra%k == 0 {
				n = s.Scale(s.SumRows(a, k), 0.5)
				break
			}
		}
	case 12:
		if k := s.r.IntN(3) + 1; ra*k <= 24 {
			n = s.RepeatRows(a, k)
		}
	case 13:
		n = s.Scale([]*graph.Node{s.SumCols(a), s.SumAll(a), s.LogSumExp(a)}[s.r.IntN(3)], 0.3)
	case 14:
		if fits(ra, rb) && fits(ca, cb) && ra >= rb && ca >= cb {
			n = s.Like(a, b)
		}
	case 15:
		if ra == rb && ca+cb <= 9 {
			n = s.ConcatCols(a, b)
		}
	case 16:
		lo := s.r.IntN(ca)
		n = s.SliceCols(a, lo, lo+1+s.r.IntN(ca-lo))
	case 17:
		n = s.PadCols(a, s.r.IntN(3), ca+2)
	case 18:
		if ca == cb {
			n = s.Tanh(s.SquaredDistances(a, b))
		}
	case 19:
		if ca == 3 {
			n = s.Dense(a, s.params[0], s.params[1], op.Act(s.r.IntN(3)))
		}
	}
	if n != nil {
		s.nodes = append(s.nodes, n)
	}
}

// direct evaluates a node as its graph says, with none of the compiler's work.
func (s *sketch) direct(n *graph.Node, memo map[*graph.Node]op.Mat) op.Mat {
	if m, ok := s.leaves[n]; ok {
		return m
	}
	if m, ok := memo[n]; ok {
		return m
	}
	m := op.Mat{Rows: n.Shape()[0], Cols: n.Shape()[1]}
	m.Data = make([]float64, m.Rows*m.Cols)
	if n.Op() == nil {
		fmt.Sscanf(n.Name(), "constant %g", &m.Data[0])
	} else {
		var in []op.Mat
		for _, c := range graph.Children(n) {
			in = append(in, s.direct(c, memo))
		}
		graph.Of(n).Eval(m, in)
	}
	memo[n] = m
	return m
}

// Random programs: what the compiler makes of an expression and its gradients computes the same numbers as the graph
// itself, run instruction by instruction or in tiles of any order, and the gradients are those of the loss.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		groups := 1 + r.IntN(4)
		b := core.NewBuilder(fmt.Sprint("random ", seed), groups)
		s := &sketch{Stage: b.Stage("s"), r: r, groups: groups, leaves: map[*graph.Node]op.Mat{},
			data: map[string][]float64{}}
		for i, z := range []op.Shape{{Rows: groups, Cols: 3}, {Rows: 2 * groups, Cols: 1},
			{Rows: 4 * groups, Cols: 3}} {
			name := fmt.Sprint("x", i)
			s.leaf(s.Input(name, z.Rows, z.Cols), name)
		}
		s.leaf(s.WholeInput("whole", 4*groups, 2), "whole")
		for i, z := range []op.Shape{{Rows: 3, Cols: 4}, {Rows: 1, Cols: 4}, {Rows: 4, Cols: 3}, {Rows: 1, Cols: 1}} {
			name := fmt.Sprint("w", i)
			n := s.Param(name, z.Rows, z.Cols)
			s.leaf(n, name)
			s.params = append(s.params, n)
		}
		for range 40 {
			s.step()
		}
		loss := s.MeanAll(s.params[3])
		for _, n := range s.nodes[8:] {
			if r.IntN(2) == 0 {
				loss = s.Add(loss, s.MeanAll(s.Mul(n, s.pick2(n))))
			}
		}
		wrt := s.params
		for _, p := range s.params[:3] { // every parameter takes part
			loss = s.Add(loss, s.SumAll(s.Square(p)))
		}
		grads := s.Gradients(loss, wrt...)
		s.Output("loss", loss)
		for i, g := range grads {
			s.Output(fmt.Sprint("g", i), g)
		}
		s.Output("some", s.pick())
		outputs := map[string]*graph.Node{"loss": loss}
		for i, g := range grads {
			outputs[fmt.Sprint("g", i)] = g
		}

		out, _ := run(t, b, s.data)
		p := compile(t, b)
		p.TileGroups = 1 + r.IntN(groups)
		tiled := tiledRun(t, p, s.data, s.data, r)
		memo := map[*graph.Node]op.Mat{}
		for name, n := range outputs {
			want := s.direct(n, memo).Data
			for _, got := range [][]float64{out[name], tiled[name]} {
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
						t.Fatalf("seed %d: %s[%d] = %v, want %v\n%v", seed, name, i, got[i], want[i], p)
					}
				}
			}
		}
		s.differences(t, seed, loss, wrt, out)
	}
}

// pick2 returns a node that can be multiplied with n.
func (s *sketch) pick2(n *graph.Node) *graph.Node {
	for range 20 {
		m := s.pick()
		if m.Shape().Eq(n.Shape()) {
			return m
		}
	}
	return n
}

// differences compares a few elements of the gradients with central differences. Steps across a kink of Abs, Clamp,
// ReLU or a minimum are recognised by the one-sided differences disagreeing.
func (s *sketch) differences(t *testing.T, seed uint64, loss *graph.Node, wrt []*graph.Node, out map[string][]float64) {
	t.Helper()
	const h = 1e-5
	at := func(x *float64, v float64) float64 {
		old := *x
		*x = v
		defer func() { *x = old }()
		return s.direct(loss, map[*graph.Node]op.Mat{}).Data[0]
	}
	for i, p := range wrt {
		x := s.leaves[p].Data
		k := s.r.IntN(len(x))
		mid, up, down := at(&x[k], x[k]), at(&x[k], x[k]+h), at(&x[k], x[k]-h)
		left, right := (mid-down)/h, (up-mid)/h
		got, want := out[fmt.Sprint("g", i)][k], (up-down)/(2*h)
		if math.Abs(left-right) > 0.01*(1+math.Abs(want)) {
			continue
		}
		if math.Abs(got-want) > 1e-5*(1+math.Abs(want))+math.Abs(left-right) {
			t.Errorf("seed %d: gradient of parameter %d element %d is %v, difference quotient %v", seed, i,
				k, got, want)
		}
	}
}
