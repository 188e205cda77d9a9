package core_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/op"
	"nacre/core/ref"
)

// tiledRun executes p as the documentation of Program says, as hostile as it allows: tiles in random order, everything
// that is not complete poisoned with NaN, reductions visible only at the end of their level, one storage for all
// versions of a parameter. params maps stores to their content, which is stepped; moments start at zero.
func tiledRun(t *testing.T, p *core.Program, params, inputs map[string][]float64,
	r *rand.Rand) (outputs map[string][]float64) {
	t.Helper()
	vals := make([]op.Mat, len(p.Values))
	for i, v := range p.Values {
		vals[i] = op.Mat{Rows: v.Rows, Cols: v.Cols}
		switch v.Kind {
		case core.Param:
			vals[i].Data = params[v.Store]
		case core.Input:
			vals[i].Data = inputs[v.Name]
		default:
			vals[i].Data = make([]float64, v.Rows*v.Cols)
			for k := range vals[i].Data {
				vals[i].Data[k] = math.NaN()
			}
			if v.Kind == core.Const {
				vals[i].Data[0] = v.Fill
			}
		}
		if len(vals[i].Data) != v.Rows*v.Cols {
			t.Fatalf("%q: %d numbers for %d×%d", v.Name, len(vals[i].Data), v.Rows, v.Cols)
		}
	}
	for _, l := range p.Levels {
		for _, in := range l.Whole {
			wholeStep(vals, in)
		}
		sums := map[int]op.Mat{}
		for _, tile := range r.Perm(p.Tiles()) {
			lo := tile * p.TileGroups
			hi := min(lo+p.TileGroups, p.Groups)
			for _, in := range l.Tiled {
				tileStep(p, vals, sums, in, lo, hi)
			}
		}
		for v, m := range sums {
			copy(vals[v].Data, m.Data)
		}
	}
	outputs = map[string][]float64{}
	for name, v := range p.Outputs {
		outputs[name] = vals[v].Data
	}
	return outputs
}

func wholeStep(vals []op.Mat, in core.Instr) {
	dst := vals[in.Out]
	var args []op.Mat
	for _, v := range in.In {
		args = append(args, vals[v])
	}
	switch o := in.Op.(type) {
	case op.Op:
		clear(dst.Data)
		o.Eval(dst, args)
	case core.EMA:
		for i, x := range args[1].Data {
			dst.Data[i] += o.Tau * (x - dst.Data[i])
		}
	case core.Adam: // the first step from zero moments
		for i, g := range args[1].Data {
			dst.Data[i] -= o.LR * g / (math.Abs(g) + o.Eps)
		}
	case core.Norm:
		sum := 0.0
		for _, m := range args {
			for _, x := range m.Data {
				sum += x * x
			}
		}
		dst.Data[0] = math.Sqrt(sum)
	}
}

func tileStep(p *core.Program, vals []op.Mat, sums map[int]op.Mat, in core.Instr, lo, hi int) {
	o := in.Op.(op.Op)
	cut := func(v int) op.Mat {
		m := vals[v]
		if m.Rows == 1 && p.Groups > 1 {
			return m
		}
		per := m.Rows / p.Groups
		return op.Mat{Rows: per * (hi - lo), Cols: m.Cols, Data: m.Data[lo*per*m.Cols : hi*per*m.Cols]}
	}
	var args []op.Mat
	for i, v := range in.In {
		if o.Operand(i) == op.Whole {
			args = append(args, vals[v])
		} else {
			args = append(args, cut(v))
		}
	}
	if o.Result() == op.ByRow {
		dst := cut(in.Out)
		clear(dst.Data)
		o.Eval(dst, args)
		return
	}
	m := vals[in.Out]
	part := op.Mat{Rows: m.Rows, Cols: m.Cols, Data: make([]float64, len(m.Data))}
	o.Eval(part, args)
	if sum, ok := sums[in.Out]; ok {
		for i, x := range sum.Data {
			part.Data[i] += x
		}
	}
	sums[in.Out] = part
}

// The schedule keeps its promise: the whole TCL-PEARL update cut into tiles of one or two tasks, run in any order,
// gives the figures PyTorch gives.
func TestTilesInAnyOrder(t *testing.T) {
	for tile := 1; tile <= 3; tile++ {
		p := coretest.Benchmark(t)
		p.TileGroups = tile
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		params := map[string][]float64{}
		mem := coretest.BenchmarkMemory(t, ref.Device, p)
		for _, s := range p.ParamSpecs() {
			params[s.Name] = make([]float64, s.Rows*s.Cols)
			if err := mem.Read(s.Name, params[s.Name]); err != nil {
				t.Fatal(err)
			}
		}
		got := tiledRun(t, p, params, coretest.BenchmarkInputs(0), rand.New(rand.NewPCG(1, uint64(tile))))
		for name, x := range got {
			if want := coretest.BenchmarkExpected[0][name]; !(math.Abs(x[0]-want) <= 1e-9*math.Abs(want)) {
				t.Errorf("tiles of %d: %s = %.16g, want %.16g", tile, name, x[0], want)
			}
		}
		for _, m := range coretest.BenchmarkNets() {
			sum := 0.0
			for _, s := range m.Specs() {
				for _, x := range params[s.Name] {
					sum += math.Abs(x)
				}
			}
			if want := coretest.BenchmarkExpected[0]["sum|"+m.Name+"|"]; !(math.Abs(sum-want) <= 1e-9*want) {
				t.Errorf("tiles of %d: sum|%s| = %.16g, want %.16g", tile, m.Name, sum, want)
			}
		}
	}
}
