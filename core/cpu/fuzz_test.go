package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
)

// grower makes random valid programs. It computes every value as it goes, in float64, and keeps an operation only if
// its result is of moderate size, so that float32 and float64 stay comparable.
type grower struct {
	r    *rand.Rand
	p    *core.Program
	data [][]float64 // by value
}

func newGrower(seed uint64) *grower {
	g := &grower{r: rand.New(rand.NewPCG(seed, 99))}
	groups := []int{1, 2, 3, 5, 8}[g.r.IntN(5)]
	g.p = &core.Program{
		Name: fmt.Sprintf("random %d", seed), Groups: groups, TileGroups: 1 + g.r.IntN(groups), Lanes: 1 + g.r.IntN(4),
		Inputs: map[string]int{}, Outputs: map[string]int{},
		Levels: make([]core.Level, 1+g.r.IntN(3)),
	}
	per := []int{1, 3, 4, 10}[g.r.IntN(4)]
	cols := []int{1, 3, 16, 17, 40}
	pick := func() int { return cols[g.r.IntN(len(cols))] }
	for range 5 {
		rows := groups * per
		if g.r.IntN(3) == 0 {
			rows *= 2
		}
		g.input(core.Value{Kind: core.Input, Rows: rows, Cols: pick(), Batched: true})
	}
	g.input(core.Value{Kind: core.Input, Rows: groups * per, Cols: 1, Batched: true})
	g.input(core.Value{Kind: core.Input, Rows: 1, Cols: pick()})
	g.add(core.Value{Kind: core.Const, Rows: 1, Cols: 1, Fill: 0.5}, []float64{0.5})
	for i := range 6 {
		v := core.Value{Kind: core.Param, Store: fmt.Sprint("w", i), Rows: pick(), Cols: pick()}
		if i >= 4 {
			v.Rows = 1
		}
		g.add(v, g.draw(v.Rows*v.Cols))
	}
	return g
}

func (g *grower) draw(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(g.r.NormFloat64()))
	}
	return x
}

func (g *grower) input(v core.Value) {
	v.Name = fmt.Sprint("x", len(g.p.Values))
	g.p.Inputs[v.Name] = len(g.p.Values)
	g.add(v, g.draw(v.Rows*v.Cols))
}

func (g *grower) add(v core.Value, data []float64) {
	g.p.Values = append(g.p.Values, v)
	g.data = append(g.data, data)
}

// operation draws an operation. Those with a jump take an input first, which both executors know exactly.
func (g *grower) operation() (o op.Op, operands int, jump bool) {
	switch g.r.IntN(22) {
	case 0, 1, 2:
		return op.Dense{Act: op.Act(g.r.IntN(3))}, 3, false
	case 3, 4:
		return op.MatMul{TB: g.r.IntN(2) == 0}, 2, false
	case 5, 6:
		return op.MatMul{TA: true, TB: g.r.IntN(4) == 0}, 2, false
	case 7:
		return op.ActGrad{Act: op.Tanh}, 2, false
	case 8, 9:
		return op.ActGrad{Act: op.ReLU}, 2, true
	case 10:
		return op.Unary{F: op.UnaryFunc(g.r.IntN(int(op.Abs)))}, 1, false
	case 11:
		return op.Affine{A: -0.5, B: float64(g.r.IntN(2))}, 1, false
	case 12:
		return op.ClampGrad{Lo: -1, Hi: 0.5}, 2, true
	case 13, 14:
		f := op.BinaryFunc(g.r.IntN(int(op.Less)))
		return op.Binary{F: f}, 2, false
	case 15:
		return op.SumRows{Group: g.r.IntN(3)}, 1, false
	case 16:
		return op.SumCols{}, 1, false
	case 17:
		return op.SumAll{}, 1, false
	case 18:
		return op.RepeatRows{K: 1 + g.r.IntN(3)}, 1, false
	case 19:
		n := 1 + g.r.IntN(3)
		return op.ConcatCols{N: n}, n, false
	case 20:
		lo := g.r.IntN(3)
		if g.r.IntN(2) == 0 {
			return op.PadCols{Lo: lo, Total: 20}, 1, false
		}
		return op.SliceCols{Lo: lo, Hi: lo + 1 + g.r.IntN(14)}, 1, false
	}
	return []op.Op{op.LogSumExp{}, op.SquaredDistances{}, op.StopGrad{}, op.Like{}}[g.r.IntN(4)], 0, false
}

// try appends one random instruction to a level's list and reports whether it fitted.
func (g *grower) try(level int, tiled bool) bool {
	o, n, jump := g.operation()
	if n == 0 {
		n = o.Arity()
	}
	in := core.Instr{Op: o, Out: len(g.p.Values)}
	var shapes []op.Shape
	var args []op.Mat
	for i := range n {
		v := g.r.IntN(len(g.p.Values))
		if i > 0 && g.r.IntN(3) > 0 { // recent values more often, to make chains
			v = len(g.p.Values) - 1 - g.r.IntN(min(6, len(g.p.Values)))
		}
		x := g.p.Values[v]
		if jump && i == 0 && x.Kind != core.Input || !inDomain(o, i, g.data[v]) {
			return false
		}
		in.In = append(in.In, v)
		shapes = append(shapes, op.Shape{Rows: x.Rows, Cols: x.Cols})
		args = append(args, op.Mat{Rows: x.Rows, Cols: x.Cols, Data: g.data[v]})
	}
	s, err := graph.ShapeOf(o, shapes...)
	if err != nil || s.Rows*s.Cols > 20000 {
		return false
	}
	dst := op.Mat{Rows: s.Rows, Cols: s.Cols, Data: make([]float64, s.Rows*s.Cols)}
	o.Eval(dst, args)
	for _, x := range dst.Data {
		if !(math.Abs(x) < 30) {
			return false
		}
	}
	g.add(core.Value{Rows: s.Rows, Cols: s.Cols, Batched: tiled && o.Result() == op.ByRow && s.Rows%g.p.Groups == 0},
		dst.Data)
	l := &g.p.Levels[level]
	list := &l.Whole
	if tiled {
		list = &l.Tiled
	}
	*list = append(*list, in)
	if g.p.Validate() != nil {
		*list = (*list)[:len(*list)-1]
		g.p.Values, g.data = g.p.Values[:in.Out], g.data[:in.Out]
		return false
	}
	if m, ok := o.(op.MatMul); ok && !m.TA && g.r.IntN(2) == 0 {
		g.mask(list, in.Out)
	}
	return true
}

// mask appends an activation's gradient of a new input and value v: with ReLU, the backward step through a layer.
func (g *grower) mask(list *[]core.Instr, v int) {
	x := g.p.Values[v]
	g.input(core.Value{Kind: core.Input, Rows: x.Rows, Cols: x.Cols, Batched: x.Batched})
	y := op.Mat{Rows: x.Rows, Cols: x.Cols, Data: make([]float64, len(g.data[v]))}
	in := core.Instr{Op: op.ActGrad{Act: op.ReLU + op.Act(g.r.IntN(2))}, In: []int{v + 1, v}, Out: v + 2}
	in.Op.(op.Op).Eval(y, []op.Mat{{Rows: x.Rows, Cols: x.Cols, Data: g.data[v+1]},
		{Rows: x.Rows, Cols: x.Cols, Data: g.data[v]}})
	*list = append(*list, in)
	g.add(core.Value{Rows: x.Rows, Cols: x.Cols, Batched: x.Batched}, y.Data)
}

// inDomain keeps operands away from where a function is steep.
func inDomain(o op.Op, operand int, data []float64) bool {
	limit := math.Inf(-1)
	switch o := o.(type) {
	case op.Unary:
		if o.F == op.Log || o.F == op.Sqrt || o.F == op.Recip || o.F == op.Log1p {
			limit = 0.2
		}
	case op.Binary:
		if o.F == op.Div && operand == 1 {
			limit = 0.2
		}
	}
	for _, x := range data {
		if x < limit {
			return false
		}
	}
	return true
}

// program grows a program: instructions in every level, at the end updates of the parameters that have a value of
// their shape to follow. About half of the values become outputs, the rest may live wherever the plan puts them.
func (g *grower) program(t *testing.T) *core.Program {
	for l := range g.p.Levels {
		for _, tiled := range []bool{false, true} {
			want := 2 + g.r.IntN(9)
			for range 600 {
				if want > 0 && g.try(l, tiled) {
					want--
				}
			}
		}
	}
	var update core.Level
	for v, x := range g.p.Values {
		if x.Kind != core.Param {
			continue
		}
		for u, y := range g.p.Values {
			if y.Kind == core.Temp && y.Rows == x.Rows && y.Cols == x.Cols {
				var o any = core.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
				if g.r.IntN(3) == 0 {
					o = core.EMA{Tau: 0.25}
				}
				update.Whole = append(update.Whole, core.Instr{Op: o, In: []int{v, u}, Out: len(g.p.Values)})
				g.p.Values = append(g.p.Values, core.Value{Kind: core.Param, Store: x.Store, Rows: x.Rows,
					Cols: x.Cols})
				break
			}
		}
	}
	g.p.Values = append(g.p.Values, core.Value{Name: "norm", Rows: 1, Cols: 1})
	norm := core.Instr{Op: core.Norm{}, Out: len(g.p.Values) - 1, In: []int{0, 1, 2}}
	update.Whole = append(update.Whole, norm)
	g.p.Levels = append(g.p.Levels, update)
	for v, x := range g.p.Values {
		if x.Kind == core.Temp && (g.r.IntN(2) == 0 || v == norm.Out) {
			g.p.Outputs[fmt.Sprint("y", v)] = v
		}
	}
	must(t, g.p.Validate())
	return g.p
}

// Random programs against the reference, with every kernel set and 1, 2 and 3 workers.
func TestRandomPrograms(t *testing.T) {
	programs := uint64(150)
	if testing.Short() {
		programs = 20
	}
	for seed := range programs {
		g := newGrower(seed)
		p := g.program(t)
		params, inputs := content{}, content{}
		for v, x := range g.p.Values {
			switch {
			case x.Kind == core.Input:
				inputs[x.Name] = g.data[v]
			case x.Kind == core.Param && v < len(g.data):
				params[x.Store] = g.data[v]
				params[x.Store+".m"] = make([]float64, x.Rows*x.Cols)
				params[x.Store+".v"] = make([]float64, x.Rows*x.Cols)
				params[x.Store+".t"] = []float64{0}
				for i, w := range g.data[v] { // moments well above rounding, so that steps are comparable
					params[x.Store+".m"][i] = float64(float32(w / 8))
					params[x.Store+".v"][i] = 1
				}
			}
		}
		against(t, p, params, inputs, 2, 1e-4)
	}
}
