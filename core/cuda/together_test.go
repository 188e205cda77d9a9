//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/experiment/programs"
	"nacre/internal/heavy"
)

// scattered is content of a program for one seed: that of another, moved a little.
func scattered(of map[string][]float64, seed uint64) map[string][]float64 {
	r := rand.New(rand.NewPCG(seed, 3))
	out := map[string][]float64{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		x := of[name]
		out[name] = make([]float64, len(x))
		for i := range x {
			out[name][i] = float64(float32(x[i] * (0.9 + 0.1*r.Float64())))
		}
	}
	return out
}

// Eight memories whose programs run as one, started from eight goroutines, end with the bits of eight by themselves:
// PEARL's and TCL-PEARL's updates and diagnoses, by cuBLASLt, in other precisions, by our own products, and where the
// library makes no products of several. One that stops early does not hold the others up.
func TestTogether(t *testing.T) {
	heavy.Skip(t, "runs eight seeds on the processor's stand-in for a GPU")
	fake := fakecuda.Use(t)
	for _, name := range []string{"pearl", "tcl-pearl"} {
		of := programs.For(t, name)
		for way, o := range map[string]cuda.Options{"": {}, "own": {Products: "own"}, "one by one": {},
			"tf32": {Precision: "tf32"}, "tf32x3": {Precision: "tf32x3"}} {
			if way != "" && name == "pearl" {
				continue
			}
			fake.Batches(way != "one by one")
			seeds(t, of, o, map[bool]int{true: 8, false: 2}[way == ""])
		}
	}
}

func seeds(t *testing.T, of programs.Of, o cuda.Options, n int) {
	used := slices.Clone(of.Programs[:2])
	params, _ := programs.Content(t, used[0], of.Memory)
	train := func(seed, updates int, mem core.Memory, runs []core.Runner) map[string][]float64 {
		out := map[string][]float64{}
		for i := range updates {
			for k, p := range used {
				_, inputs := programs.Content(t, p, of.Memory)
				for input, x := range scattered(inputs, uint64(100*seed+i)) {
					must(t, runs[k].Write64(input, x))
				}
				must(t, runs[k].Run())
			}
		}
		for k, p := range used {
			for output, v := range p.Outputs {
				x := make([]float64, p.Values[v].Rows*p.Values[v].Cols)
				must(t, runs[k].Read64(output, x))
				out[p.Name+" "+output] = x
			}
			must(t, runs[k].Close())
		}
		for _, s := range mem.Params() {
			for _, suffix := range []string{"", ".m", ".v"} {
				x := make([]float64, s.Rows*s.Cols)
				must(t, mem.Read(s.Name+suffix, x))
				out[s.Name+suffix] = x
			}
		}
		return out
	}
	open := func(d core.Device, seed int) (core.Memory, []core.Runner) {
		mem, err := d.NewMemory(of.Memory.Params())
		must(t, err)
		var runs []core.Runner
		for _, p := range used {
			run, err := d.Load(p, mem)
			must(t, err)
			runs = append(runs, run)
		}
		for name, x := range scattered(params, uint64(seed)) {
			must(t, mem.Write(name, x))
		}
		return mem, runs
	}
	updates := func(seed int) int { return 2 - seed/(n-1) } // the last stops early
	several := o
	several.Together = n
	d := newDevice(t, several)
	mems, runs, together := make([]core.Memory, n), make([][]core.Runner, n), make([]map[string][]float64, n)
	for seed := range n {
		mems[seed], runs[seed] = open(d, seed)
	}
	before := cuda.Graphs(d)
	var all sync.WaitGroup
	for seed := range n {
		all.Go(func() { together[seed] = train(seed, updates(seed), mems[seed], runs[seed]) })
	}
	all.Wait()
	if launched := cuda.Graphs(d) - before; launched >= 2*(2*n-1) { // as many as alone
		t.Errorf("%d graphs were launched: nothing ran together", launched)
	}
	for seed := range n {
		d := newDevice(t, o)
		mem, runs := open(d, seed)
		for entry, want := range train(seed, updates(seed), mem, runs) {
			for i, x := range together[seed][entry] {
				if math.Float64bits(x) != math.Float64bits(want[i]) {
					t.Fatalf("%s, %+v, seed %d: %s[%d] is %g together, %g alone", used[0].Name, o, seed, entry,
						i, x, want[i])
				}
			}
		}
	}
}
