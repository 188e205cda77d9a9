//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/gpu"
	"nacre/core/ref"
	"nacre/experiment/programs"
	"nacre/internal/heavy"
)

// tclUpdate is TCL-PEARL's update and a memory with the parameters it starts from.
func tclUpdate(t *testing.T) (*core.Program, core.Memory) {
	t.Helper()
	of := programs.For(t, "tcl-pearl")
	for _, p := range of.Programs {
		if strings.HasSuffix(p.Name, ".update") {
			return p, of.Memory
		}
	}
	t.Fatal("there is no update of TCL-PEARL")
	return nil, nil
}

// Operands of two TF32 numbers give float32's figures; of one, or of bfloat16, they give what their digits allow, and
// no less is lost than they lose.
func TestPrecisions(t *testing.T) {
	heavy.Skip(t, "compiles whole updates for every precision")
	fakecuda.Use(t)
	p, start := tclUpdate(t)
	params, inputs := programs.Content(t, p, start)
	want := programs.Execute(t, ref.Device, p, params, inputs, 2)
	for precision, bounds := range map[string][2]float64{"fp32": {0, 5e-5}, "tf32x3": {0, 5e-5}, "tf32": {1e-5, 2e-2},
		"bf16": {1e-4, 2e-1}} {
		got := programs.Execute(t, newDevice(t, cuda.Options{Precision: precision}), p, params, inputs, 2)
		worst := 0.0
		for name := range p.Outputs {
			worst = max(worst, programs.Difference(got[name], want[name]))
		}
		if !(worst >= bounds[0] && worst <= bounds[1]) {
			t.Errorf("%s: outputs are off by %.1e, want %.0e to %.0e", precision, worst, bounds[0], bounds[1])
		}
	}
	if _, err := cuda.New(cuda.Options{Precision: "tf23"}); err == nil || !strings.Contains(err.Error(), "tf32x3") {
		t.Errorf("the error of an unknown precision is %v", err)
	}
}

// What the optimiser keeps of the weights' transposed copies is what writing the weights makes of them: an update from
// parameters that were read and written again is the same bits as one that goes on.
func TestTransposedCopies(t *testing.T) {
	fakecuda.Use(t)
	p, start := tclUpdate(t)
	params, inputs := programs.Content(t, p, start)
	d := newDevice(t, cuda.Options{Precision: "tf32"})
	open := func(content map[string][]float64) (core.Memory, core.Runner) {
		mem, err := d.NewMemory(p.ParamSpecs())
		must(t, err)
		r, err := d.Load(p, mem)
		must(t, err)
		for _, name := range slices.Sorted(maps.Keys(content)) {
			must(t, mem.Write(name, content[name]))
		}
		for _, name := range slices.Sorted(maps.Keys(inputs)) {
			must(t, r.Write64(name, inputs[name]))
		}
		return mem, r
	}
	state := func(mem core.Memory) map[string][]float64 {
		out := map[string][]float64{}
		for _, s := range mem.Params() {
			for _, suffix := range []string{"", ".m", ".v"} {
				out[s.Name+suffix] = make([]float64, s.Rows*s.Cols)
				must(t, mem.Read(s.Name+suffix, out[s.Name+suffix]))
			}
			out[s.Name+".t"] = make([]float64, 1)
			must(t, mem.Read(s.Name+".t", out[s.Name+".t"]))
		}
		return out
	}
	mem, r := open(params)
	for range 3 {
		must(t, r.Run())
	}
	other, s := open(state(mem))
	must(t, r.Run())
	must(t, s.Run())
	want := state(mem)
	for name, x := range state(other) {
		if !slices.Equal(x, want[name]) {
			t.Errorf("%s is another after an update from parameters written anew", name)
		}
	}
	must(t, r.Close())
	must(t, s.Close())
}

// Products in TF32 are made in whole fours of all that lies side by side, with the bits that they have as they are:
// what is added is zeros, since nothing is ever written between matrices, nor where rows end.
func TestWholeFours(t *testing.T) {
	fakecuda.Use(t)
	p, start := tclUpdate(t)
	pl, err := gpu.New(p, cuda.Planning(cuda.Options{Precision: "tf32"}))
	must(t, err)
	padded := 0
	for _, u := range pl.Units {
		g := u.Product
		if g == nil {
			continue
		}
		if g.WholeN%4 != 0 || g.WholeK%4 != 0 || g.TA && g.WholeM%4 != 0 || g.WholeM-g.M > 3 || g.WholeN-g.N > 3 ||
			g.WholeK-g.K > 3 {
			t.Errorf("%s is made as %d×%d of %d terms", pl.Describe(u), g.WholeM, g.WholeN, g.WholeK)
		}
		if n := pl.SizeOf(g.Out); n < g.WholeM*gpu.Pitch(g.N) {
			t.Errorf("%s has room for %d numbers", pl.Describe(u), n)
		}
		if g.WholeM > g.M || g.WholeN > g.N || g.WholeK > g.K {
			padded++
		}
	}
	if padded < 10 {
		t.Errorf("%d products are padded; nothing was tested", padded)
	}
	params, inputs := programs.Content(t, p, start)
	d := newDevice(t, cuda.Options{Precision: "tf32"})
	want := programs.Execute(t, cuda.Unpadded{Device: d}, p, params, inputs, 3)
	for entry, x := range programs.Execute(t, d, p, params, inputs, 3) {
		if !slices.Equal(x, want[entry]) {
			t.Errorf("%s is another by %.1e than where products are not padded", entry,
				programs.Difference(x, want[entry]))
		}
	}
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	for name, x := range params {
		must(t, mem.Write(name, x))
	}
	r, err := d.Load(p, mem)
	must(t, err)
	defer r.Close()
	for name, x := range inputs {
		must(t, r.Write64(name, x))
	}
	for range 3 {
		must(t, r.Run())
	}
	n, err := cuda.Between(mem)
	must(t, err)
	if n > 0 {
		t.Errorf("%d numbers between the parameters' are not zero", n)
	}
}

// Where all of cuBLASLt's algorithms fail to run, an update is as it should be, and says who multiplied.
func TestProductsFail(t *testing.T) {
	heavy.Skip(t, "compiles whole updates for every precision")
	gpu := fakecuda.Use(t)
	gpu.Refuses(3)
	p, start := tclUpdate(t)
	params, inputs := programs.Content(t, p, start)
	want := programs.Execute(t, ref.Device, p, params, inputs, 2)
	for _, precision := range cuda.Precisions[:3] {
		d := newDevice(t, cuda.Options{Precision: precision})
		got := programs.Execute(t, d, p, params, inputs, 2)
		for entry, w := range want {
			if e := programs.Difference(got[entry], w); !(e <= 5e-5) {
				t.Errorf("%s: %s is off by %.1e", precision, entry, e)
			}
		}
		if notices := d.(core.Described).Describe().Notices; len(notices) == 0 {
			t.Errorf("%s: no notice", precision)
		}
	}
}

// Processes that keep choices at once lose none, and all have the first that was kept.
func TestChoicesAtOnce(t *testing.T) {
	kept, all := cuda.KeepAtOnce(t.TempDir(), 20, 7)
	if kept != 20*7+1 {
		t.Errorf("%d choices are kept, want %d", kept, 20*7+1)
	}
	for _, a := range all {
		if a != all[0] {
			t.Errorf("one product's algorithm is %d for one process and %d for another", all[0], a)
		}
	}
}

// The fastest algorithm that works is taken, and kept: the next device takes it without measuring, unless what is kept
// is torn or another GPU's.
func TestChoice(t *testing.T) {
	gpu := fakecuda.Use(t)
	p := line(t)
	chosen := func() []int {
		d := newDevice(t, cuda.Options{})
		mem, err := d.NewMemory(p.ParamSpecs())
		must(t, err)
		r, err := d.Load(p, mem)
		must(t, err)
		defer r.Close()
		return cuda.Algorithms(r)
	}
	want := func(what string, algorithm int) {
		t.Helper()
		if got := chosen(); !slices.Equal(got, []int{algorithm, algorithm}) {
			t.Errorf("%s: the two products take algorithms %d, want %d", what, got, algorithm)
		}
	}
	path := func() string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "nacre", "kernels", "products-*.json"))
		must(t, err)
		if len(files) != 1 {
			t.Fatalf("kept choices: %q, want one file", files)
		}
		return files[0]
	}
	want("the library's first is the fastest", 0)
	gpu.Speed(2, 5)
	want("another is faster now, but one is kept", 0)
	must(t, os.Remove(path()))
	late := newDevice(t, cuda.Options{})
	want("another is faster", 2)
	gpu.Speed(1, 2)
	mem, err := late.NewMemory(p.ParamSpecs())
	must(t, err)
	r, err := late.Load(p, mem)
	must(t, err)
	if got := cuda.Algorithms(r); !slices.Equal(got, []int{2, 2}) {
		t.Errorf("where another process has chosen meanwhile algorithms %d are taken, want its own, 2", got)
	}
	must(t, r.Close())
	gpu.Speed(1, 11)
	together := newDevice(t, cuda.Options{Together: 2})
	var first core.Runner
	for range 2 {
		mem, err := together.NewMemory(p.ParamSpecs())
		must(t, err)
		r, err := together.Load(p, mem)
		must(t, err)
		defer r.Close()
		first = cmp.Or(first, r)
	}
	if got := cuda.Algorithms(first); !slices.Equal(got, []int{2, 2, 2, 2}) {
		t.Errorf("in one memory and in two algorithms %d are taken", got)
	}
	gpu.Speed(2, 50)
	want("the other is kept", 2)
	file := path()
	kept, err := os.ReadFile(file)
	must(t, err)
	for n := 0; n < len(kept); n += 97 {
		must(t, os.WriteFile(file, kept[:n], 0o644))
		want(fmt.Sprintf("torn after %d bytes", n), 0)
	}
	must(t, os.WriteFile(file, []byte(strings.Replace(string(kept), "Fake H100", "Fake H200", 1)), 0o644))
	want("another GPU's", 0)
	must(t, os.Remove(file))
	gpu.Speed(0, 100)
	gpu.Speed(1, 120)
	gpu.Speed(2, 98)
	want("faster by less than the margin", 0)
	must(t, os.Remove(file))
	gpu.Speed(0, 1)
	gpu.Refuses(1)
	want("the fastest fails", 2)
	must(t, os.Remove(file))
	gpu.Refuses(0)
	want("the first is the fastest again", 0)
	gpu.Refuses(1)
	want("the kept one fails", 1)
}
