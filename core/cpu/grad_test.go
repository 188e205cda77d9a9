package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
	"nacre/core/ref"
)

// gradientProgram computes Σ r·o(operands) for an input r, and its gradients by every operand that has one.
func gradientProgram(t *testing.T, o op.Op, operands []core.Value) *core.Program {
	t.Helper()
	b := core.NewBuilder("gradient", 1)
	s := b.Stage("stage")
	var nodes graph.Nodes
	for i, v := range operands {
		nodes = append(nodes, s.WholeInput(fmt.Sprint("x", i), v.Rows, v.Cols))
	}
	y := s.Apply(o, nodes...)
	must(t, s.Err())
	loss := s.SumAll(s.Mul(y, s.WholeInput("r", y.Shape()[0], y.Shape()[1])))
	s.Output("y", y)
	differentiable := o.(interface{ DiffWRT(int) []bool }).DiffWRT(len(nodes))
	var by graph.Nodes
	for i, n := range nodes {
		if differentiable[i] {
			by = append(by, n)
		}
	}
	if _, constant := o.(op.StopGrad); !constant && len(by) > 0 {
		for i, g := range s.Gradients(loss, by...) {
			s.Output(fmt.Sprint("g", i), g)
		}
	}
	p, err := b.Compile()
	must(t, err)
	return p
}

// Values and gradients of every operation at the widths of real networks and around the kernels' own, for a single row
// and a few, against the reference.
func TestGradientsAgainstReference(t *testing.T) {
	for _, c := range opCases() {
		for _, n := range []int{1, 7, 16, 17, 300, 400} {
			for _, m := range []int{1, 6} {
				p := gradientProgram(t, c.o, c.operands(m, n))
				_, inputs := random(p, rand.New(rand.NewPCG(uint64(n), 8)))
				for name, x := range inputs {
					for i := range x {
						if c.positive && name != "r" {
							x[i] = math.Abs(x[i]) + 0.125
						}
					}
				}
				want := execute(t, ref.Device, p, content{}, inputs, 1)
				for _, k := range available() {
					compare(t, execute(t, testDevice(k, 1), p, content{}, inputs, 1), want, 5e-5)
					if t.Failed() {
						t.Fatalf("%v with %d rows and %d columns, kernels %s, program %s", c.o, m, n, k.name, p)
					}
				}
			}
		}
	}
}
