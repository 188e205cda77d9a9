package cpu

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nacre/core"
	"nacre/core/op"
	"nacre/core/ref"
)

// Every entry comes back exactly as float32 holds it, so that a checkpoint restores a run bit for bit.
func TestMemoryRoundTrip(t *testing.T) {
	m, err := testDevice(&goKernels, 1).NewMemory([]core.ParamSpec{{Name: "q/w", Rows: 5, Cols: 19},
		{Name: "b.m", Rows: 1, Cols: 1}})
	must(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for _, entry := range []string{"q/w", "q/w.m", "q/w.v", "q/w.t"} {
		x := make([]float64, 5*19)
		if entry == "q/w.t" {
			x = x[:1]
		}
		for i := range x {
			x[i] = float64(math.Float32frombits(r.Uint32()))
		}
		must(t, m.Write(entry, x))
		got := make([]float64, len(x))
		must(t, m.Read(entry, got))
		identical(t, content{entry: got}, content{entry: x})
	}
	must(t, m.Write("b.m", []float64{3}))
	must(t, m.Write("b.m.t", []float64{1 << 30}))
	if s := m.Params(); len(s) != 2 || s[0].Name != "q/w" || s[1].Cols != 1 {
		t.Errorf("Params() = %v", s)
	}
}

// A program in progress goes on exactly after its memory is carried over to another device.
func TestResume(t *testing.T) {
	p := criticProgram(t, 4, 10, 5, 20)
	params, inputs := criticContent(p, 3)
	for _, k := range available() {
		d := testDevice(k, 2)
		half := execute(t, d, p, params, inputs, 2)
		for name := range p.Outputs {
			delete(half, name)
		}
		identical(t, execute(t, testDevice(k, 1), p, half, inputs, 2), execute(t, d, p, params, inputs, 4))
	}
}

func TestErrors(t *testing.T) {
	d := testDevice(&goKernels, 1)
	p := singleOp(t, op.Dense{}, false, 1, 1, 1, wholeOf(2, 3), wholeOf(3, 4), wholeOf(1, 4))
	p.Values[1] = core.Value{Kind: core.Param, Store: "w", Rows: 3, Cols: 4}
	delete(p.Inputs, "b")
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	r, err := d.Load(p, mem)
	must(t, err)
	other, err := d.NewMemory([]core.ParamSpec{{Name: "w", Rows: 4, Cols: 3}})
	must(t, err)
	refMem, err := ref.Device.NewMemory(p.ParamSpecs())
	must(t, err)
	load := func(p *core.Program, m core.Memory) error { _, err := d.Load(p, m); return err }
	declare := func(s ...core.ParamSpec) error { _, err := d.NewMemory(s); return err }
	broken := *p
	broken.Groups = 0
	for _, c := range []struct {
		err  error
		want string
	}{
		{r.Write64("a", make([]float64, 5)), "2×3"},
		{r.Write("z", nil), `no input "z"`},
		{r.Read("z", nil), `no output "z"`},
		{r.Read64("y", make([]float64, 9)), "2×4"},
		{mem.Read("v", nil), `no entry "v"`},
		{mem.Write("w.x", make([]float64, 12)), `no entry "w.x"`},
		{mem.Write("w.m", make([]float64, 1)), "12"},
		{load(p, other), `"w" 3×4`},
		{load(p, refMem), "another device"},
		{load(&broken, mem), "Groups 0"},
		{declare(core.ParamSpec{Name: "w", Rows: 0, Cols: 1}), "0×1"},
		{declare(core.ParamSpec{Name: "w", Rows: 1, Cols: 1}, core.ParamSpec{Name: "w", Rows: 1, Cols: 1}), "twice"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
	must(t, r.Close())
	must(t, r.Close())
	if r.Run() == nil || r.Write("a", make([]float32, 6)) == nil {
		t.Error("a closed program runs")
	}
}

// helpers counts the goroutines in a helper's life, those of earlier tests that are about to end included.
func helpers() int {
	buf := make([]byte, 1<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "(*job).help(")
}

// settled waits for the helpers to be n, at most a few seconds, and returns how many they are.
func settled(n int) int {
	for range 5000 {
		if helpers() == n {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return helpers()
}

// The helpers live from the first loaded program to the last closed one.
func TestWorkersEnd(t *testing.T) {
	p := criticProgram(t, 4, 10, 5, 20)
	if n := settled(0); n != 0 {
		t.Fatalf("%d helpers before any program is loaded", n)
	}
	d := testDevice(available()[0], 4)
	for range 3 {
		a, b := loadCritic(t, d, p), loadCritic(t, d, p)
		must(t, a.Run())
		must(t, a.Close())
		must(t, b.Run())
		if n := settled(3); n != 3 {
			t.Errorf("%d helpers of 4 workers while a program is loaded, want 3", n)
		}
		must(t, b.Close())
		if n := settled(0); n != 0 {
			t.Errorf("%d helpers after closing", n)
		}
	}
}

// Programs of one device run at the same time, with and without the helpers, and all get the same results.
func TestConcurrentRuns(t *testing.T) {
	p := criticProgram(t, 8, 20, 9, 40)
	params, inputs := criticContent(p, 4)
	d := testDevice(available()[0], 2)
	want := execute(t, d, p, params, inputs, 3)
	got := make([]content, 4)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = execute(t, d, p, params, inputs, 3) })
	}
	wg.Wait()
	for _, g := range got {
		identical(t, g, want)
	}
}

// Explain accounts for all matrix products of the program, and measures every region.
func TestExplain(t *testing.T) {
	p := criticProgram(t, 16, 20, 9, 40)
	d := testDevice(available()[0], 2)
	r := loadCritic(t, d, p)
	plan, err := Explain(r, 2)
	must(t, err)
	var flops int64
	for _, g := range plan.Regions {
		flops += g.FLOPs
		if g.Code == "" || g.Bytes <= 0 || !(g.Measured > 0) {
			t.Errorf("region %+v", g)
		}
	}
	if flops != p.FLOPs() || !(plan.Wall > 0) || plan.Tiles != p.Tiles() {
		t.Errorf("%d FLOPs of %d, wall %g ms, %d tiles", flops, p.FLOPs(), plan.Wall, plan.Tiles)
	}
	must(t, r.Close())
	if _, err := Explain(r, 1); err == nil {
		t.Error("a closed program is explained")
	}
}
