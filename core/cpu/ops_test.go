package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/op"
	"nacre/core/ref"
)

var oddCols = []int{1, 7, 16, 17, 33}

// opCase is an operation with operands of m rows (or as stated) and n columns.
type opCase struct {
	o        op.Op
	operands func(m, n int) []core.Value // batched ones are marked
	positive bool                        // operands must be positive
}

func rowsOf(m, n int) core.Value  { return core.Value{Rows: m, Cols: n, Batched: true} }
func wholeOf(m, n int) core.Value { return core.Value{Rows: m, Cols: n} }

func opCases() []opCase {
	same := func(count int) func(m, n int) []core.Value {
		return func(m, n int) (v []core.Value) {
			for range count {
				v = append(v, rowsOf(m, n))
			}
			return v
		}
	}
	var cases []opCase
	add := func(o op.Op, f func(m, n int) []core.Value) { cases = append(cases, opCase{o: o, operands: f}) }
	for _, act := range []op.Act{op.Linear, op.ReLU, op.Tanh} {
		add(op.Dense{Act: act}, func(m, n int) []core.Value {
			return []core.Value{rowsOf(m, n), wholeOf(n, 19), wholeOf(1, 19)}
		})
		add(op.Dense{Act: act}, func(m, n int) []core.Value {
			return []core.Value{rowsOf(m, 5), wholeOf(5, n), wholeOf(1, n)}
		})
		add(op.ActGrad{Act: act}, same(2))
	}
	add(op.MatMul{}, func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), wholeOf(n, 18)} })
	add(op.MatMul{TB: true}, func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), wholeOf(18, n)} })
	add(op.MatMul{TA: true}, func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), rowsOf(m, 18)} })
	add(op.MatMul{TA: true}, func(m, n int) []core.Value { return []core.Value{rowsOf(m, 3), rowsOf(m, n)} })
	for f := op.Neg; f <= op.Sign; f++ {
		c := opCase{o: op.Unary{F: f}, operands: same(1)}
		c.positive = f == op.Log || f == op.Log1p || f == op.Sqrt || f == op.Recip
		cases = append(cases, c)
	}
	add(op.Affine{A: -2.5, B: 0.75}, same(1))
	add(op.Affine{A: 3}, same(1))
	add(op.Clamp{Lo: -0.5, Hi: 1}, same(1))
	add(op.Clamp{Lo: 0.25, Hi: math.Inf(1)}, same(1))
	add(op.ClampGrad{Lo: -0.5, Hi: 1}, same(2))
	for f := op.Add; f <= op.Less; f++ {
		for _, form := range []func(m, n int) []core.Value{
			same(2),
			func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), wholeOf(1, n)} },
			func(m, n int) []core.Value { return []core.Value{wholeOf(1, n), rowsOf(m, n)} },
			func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), rowsOf(m, 1)} },
			func(m, n int) []core.Value { return []core.Value{rowsOf(m, 1), rowsOf(m, n)} },
			func(m, n int) []core.Value { return []core.Value{rowsOf(m, 1), wholeOf(1, n)} },
			func(m, n int) []core.Value { return []core.Value{wholeOf(1, n), rowsOf(m, 1)} },
			func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), wholeOf(1, 1)} },
			func(m, n int) []core.Value { return []core.Value{wholeOf(1, 1), rowsOf(m, n)} },
		} {
			cases = append(cases, opCase{o: op.Binary{F: f}, operands: form, positive: f == op.Div})
		}
	}
	add(op.SumRows{}, same(1))
	add(op.SumRows{Group: 2}, func(m, n int) []core.Value { return []core.Value{rowsOf(2*m, n)} })
	add(op.SumCols{}, same(1))
	add(op.SumAll{}, same(1))
	add(op.RepeatRows{K: 3}, same(1))
	for _, g := range []core.Value{rowsOf(0, 1), wholeOf(1, 0), wholeOf(1, 1)} {
		add(op.Like{}, func(m, n int) []core.Value {
			v := core.Value{Rows: max(g.Rows, 1), Cols: max(g.Cols, 1), Batched: g.Batched}
			if g.Rows == 0 {
				v.Rows = m
			}
			if g.Cols == 0 {
				v.Cols = n
			}
			return []core.Value{rowsOf(m, n), v}
		})
	}
	add(op.ConcatCols{N: 3}, func(m, n int) []core.Value {
		return []core.Value{rowsOf(m, n), rowsOf(m, 1), rowsOf(m, 18)}
	})
	add(op.SliceCols{Lo: 3, Hi: 5}, func(m, n int) []core.Value { return []core.Value{rowsOf(m, n+4)} })
	add(op.PadCols{Lo: 3, Total: 410}, same(1))
	add(op.LogSumExp{}, same(1))
	add(op.SquaredDistances{}, func(m, n int) []core.Value { return []core.Value{rowsOf(m, n), wholeOf(6, n)} })
	add(op.StopGrad{}, same(1))
	return cases
}

// Every operation, at odd shapes, tiled and whole, against its definition in float64: groups that do not fill the
// last tile, fewer and more lanes than tiles, single rows.
func TestOpsAgainstReference(t *testing.T) {
	schedules := []struct{ groups, perGroup, tileGroups, lanes int }{
		{1, 1, 1, 1}, {1, 9, 1, 1}, {3, 1, 2, 2}, {5, 7, 2, 2}, {4, 10, 1, 8}, {7, 3, 1, 3},
	}
	cols := oddCols
	if testing.Short() { // the rest by make test-all
		schedules, cols = schedules[2:4], oddCols[1:4]
	}
	for _, c := range opCases() {
		t.Run(fmt.Sprintf("%T %v", c.o, c.o), func(t *testing.T) {
			for _, n := range cols {
				for _, s := range schedules {
					for _, tiled := range []bool{false, true} {
						operands := c.operands(s.groups*s.perGroup, n)
						p := singleOp(t, c.o, tiled, s.groups, s.tileGroups, s.lanes, operands...)
						params, inputs := random(p, rand.New(rand.NewPCG(uint64(n), 7)))
						if c.positive {
							for _, x := range inputs {
								for i := range x {
									x[i] = math.Abs(x[i]) + 0.125
								}
							}
						}
						against(t, p, params, inputs, 2, 2e-5)
					}
				}
			}
		})
	}
}

// The product of two transposes contracts rows with columns and is always whole.
func TestMatMulOfTransposes(t *testing.T) {
	for _, n := range oddCols {
		p := singleOp(t, op.MatMul{TA: true, TB: true}, false, 1, 1, 1, wholeOf(21, n), wholeOf(5, 21))
		params, inputs := random(p, rand.New(rand.NewPCG(1, 1)))
		against(t, p, params, inputs, 1, 2e-5)
	}
}

// Sums over more rows than a product takes at a time.
func TestTallContraction(t *testing.T) {
	for _, groups := range []int{1, 2} {
		p := singleOp(t, op.MatMul{TA: true}, true, groups, 1, 2, rowsOf(600, 17), rowsOf(600, 50))
		params, inputs := random(p, rand.New(rand.NewPCG(1, 1)))
		against(t, p, params, inputs, 2, 2e-5)
	}
}

// What is not a number, and infinities, come out as the reference has them, in every column.
func TestSpecialValues(t *testing.T) {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -1, math.MaxFloat32, 200, -200}
	for _, c := range opCases() {
		switch c.o.(type) {
		case op.Unary, op.Binary, op.Affine, op.Clamp, op.ClampGrad, op.LogSumExp:
		default:
			continue
		}
		operands := c.operands(len(special)*len(special), 17)
		p := singleOp(t, c.o, true, 1, 1, 1, operands...)
		inputs := content{}
		for i, v := range operands {
			x := make([]float64, v.Rows*v.Cols)
			for j := range x {
				x[j] = special[[]int{j / v.Cols / len(special), j / v.Cols}[i]%len(special)]
				if b, ok := c.o.(op.Binary); ok && (b.F == op.Min || b.F == op.Max) && math.IsInf(x[j], 0) {
					x[j] = 3 // math.Min lets -Inf win over NaN; the kernels never lose a NaN
				}
			}
			inputs[string(rune('a'+i))] = x
		}
		want := execute(t, ref.Device, p, content{}, inputs, 1)["y"]
		for _, k := range available() {
			for i, g := range execute(t, testDevice(k, 1), p, content{}, inputs, 1)["y"] {
				x := float64(float32(want[i]))
				if g != x && !(math.Abs(g-x) <= 1e-6*math.Abs(x)) && !(g != g && x != x) {
					t.Fatalf("kernels %s, %v of %v: y[%d] = %g, want %g", k.name, c.o, operands, i, g, x)
				}
			}
		}
	}
}
