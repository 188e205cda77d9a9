// Package coretest tests whether a device keeps all promises of core.Device, Memory and Runner. A new device runs it in
// one line of its own tests. Results are compared with core/ref.
//
//	func TestDevice(t *testing.T) {
//		coretest.Run(t, func(t testing.TB) core.Device { return newDevice(t) }, coretest.Options{})
//	}
//
// It does not test speed, or anything beyond the contract.
package coretest

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/internal/fatal"
)

// Options hold what a device may choose within its promises.
type Options struct {
	// Tolerance is the largest allowed difference from core/ref's result, relative to the largest element of its
	// matrix; 0 is 1e-5.
	Tolerance float64
	// Allocates says that Run may allocate Go memory, for a driver's calls.
	Allocates bool
}

// suite is one device under test.
type suite struct {
	core.Device
	Options
}

// Run tests a device. Each part of the test opens a new device.
func Run(t *testing.T, open func(testing.TB) core.Device, o Options) {
	t.Helper()
	if o.Tolerance == 0 {
		o.Tolerance = 1e-5
	}
	for _, part := range []struct {
		name string
		test func(suite, *testing.T)
	}{
		{"operations", suite.operations}, {"update", suite.update}, {"same bits", suite.sameBits},
		{"side by side", suite.sideBySide},
		{"shared memory", suite.sharedMemory}, {"nothing left", suite.nothingLeft}, {"memory", suite.memory},
		{"wrong use", suite.wrongUse}, {"unknown operation", suite.unknownOperation}, {"close", suite.close},
		{"allocations", suite.allocations},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(suite{open(t), o}, t) })
	}
}

var must = fatal.On

// numbers are the values of a program's parameters or inputs, by name.
type numbers map[string][]float64

// draw makes n numbers around zero, or between 0.5 and 2 where the name says so; float32 holds them exactly.
func draw(r *rand.Rand, name string, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
		if strings.Contains(name, positive) {
			x[i] = 0.5 + 1.5*r.Float64()
		}
		x[i] = float64(float32(x[i]))
	}
	return x
}

// inputs draws the inputs of a program.
func inputs(p *core.Program, seed uint64) numbers {
	out := numbers{}
	for _, name := range sorted(p.Inputs) {
		v := p.Values[p.Inputs[name]]
		out[name] = draw(rand.New(rand.NewPCG(seed, uint64(p.Inputs[name]))), name, v.Rows*v.Cols)
	}
	return out
}

func sorted(m map[string]int) []string {
	return slices.Sorted(maps.Keys(m))
}

// running is a program on a device.
type running struct {
	core.Runner
	p   *core.Program
	mem core.Memory
}

// start loads a program on its own memory, with parameters drawn for its widths.
func start(t testing.TB, d core.Device, p *core.Program) running {
	t.Helper()
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	r := load(t, d, p, mem)
	r.reset(t)
	return r
}

func load(t testing.TB, d core.Device, p *core.Program, mem core.Memory) running {
	t.Helper()
	r, err := d.Load(p, mem)
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return running{r, p, mem}
}

// reset writes parameters as they are at the start, and optimisers' states of zero.
func (r running) reset(t testing.TB) {
	t.Helper()
	for i, s := range r.mem.Params() {
		x := draw(rand.New(rand.NewPCG(uint64(i), 3)), s.Name, s.Rows*s.Cols)
		for k := range x {
			x[k] = float64(float32(x[k] / math.Sqrt(float64(s.Rows))))
		}
		must(t, r.mem.Write(s.Name, x))
		for suffix, n := range state(s) {
			must(t, r.mem.Write(s.Name+suffix, make([]float64, n)))
		}
	}
}

// state is the suffixes of a parameter's optimiser state and their lengths.
func state(s core.ParamSpec) map[string]int {
	return map[string]int{".m": s.Rows * s.Cols, ".v": s.Rows * s.Cols, ".t": 1}
}

// run writes inputs and runs once.
func (r running) run(t testing.TB, in numbers) {
	t.Helper()
	for name, x := range in {
		must(t, r.Write64(name, x))
	}
	must(t, r.Run())
}

// results are the outputs and everything in memory.
func (r running) results(t testing.TB) numbers {
	t.Helper()
	out := numbers{}
	for name, v := range r.p.Outputs {
		out[name] = make([]float64, r.p.Values[v].Rows*r.p.Values[v].Cols)
		must(t, r.Read64(name, out[name]))
	}
	for _, s := range r.mem.Params() {
		out[s.Name] = make([]float64, s.Rows*s.Cols)
		must(t, r.mem.Read(s.Name, out[s.Name]))
		for suffix, n := range state(s) {
			out[s.Name+suffix] = make([]float64, n)
			must(t, r.mem.Read(s.Name+suffix, out[s.Name+suffix]))
		}
	}
	return out
}

// judge reports where results are too far from the reference's.
func (s suite) judge(t *testing.T, what string, got, want numbers) {
	t.Helper()
	for name, w := range want {
		if d := distance(got[name], w); !(d <= s.Tolerance) {
			t.Errorf("%s: %s is off by %.1e of its largest element, want at most %.1e", what, name, d, s.Tolerance)
		}
	}
}

// identical reports where two results are not the same bits.
func identical(t *testing.T, what string, got, want numbers) {
	t.Helper()
	for name, w := range want {
		for i, x := range w {
			if math.Float64bits(got[name][i]) != math.Float64bits(x) {
				t.Errorf("%s: element %d of %s is %v, want %v", what, i, name, got[name][i], x)
				break
			}
		}
	}
}

// distance is the largest difference, relative to the largest element of want; infinite where one is no number.
func distance(got, want []float64) float64 {
	largest, d := 1e-30, 0.0
	for i, w := range want {
		largest = math.Max(largest, math.Abs(w))
		if e := math.Abs(got[i] - w); e == e {
			d = math.Max(d, e)
		} else {
			return math.Inf(1)
		}
	}
	return d / largest
}

// operations compares every operation with the reference at three kinds of sizes: one element, odd rows and columns,
// and more than a kernel or a tile takes at once.
func (s suite) operations(t *testing.T) {
	for _, size := range []Size{{1, 1, 1, 1}, {3, 5, 7, 3}, {3, 43, 67, 71}, {2, 130, 33, 17}} {
		p, err := Operations(size)
		must(t, err)
		in := inputs(p, 5)
		got, want := start(t, s, p), start(t, ref.Device, p)
		for range 2 {
			got.run(t, in)
			want.run(t, in)
		}
		s.judge(t, p.Name, got.results(t), want.results(t))
	}
}
