package coretest

import (
	"math"
	"strings"
	"sync"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
	"nacre/core/ref"
)

// steps is how many updates are followed.
const steps = 5

func mustUpdate(t testing.TB) *core.Program {
	t.Helper()
	p, err := Update()
	must(t, err)
	return p
}

// update follows several updates beside the reference: outputs after each, parameters and the optimiser's state.
func (s suite) update(t *testing.T) {
	p := mustUpdate(t)
	got, want := start(t, s, p), start(t, ref.Device, p)
	tolerance := s.Tolerance
	for step := range uint64(steps) {
		in := inputs(p, 100+step)
		got.run(t, in)
		want.run(t, in)
		s.Tolerance += tolerance // rounding adds up along the way
		s.judge(t, "update", got.results(t), want.results(t))
	}
}

// trained returns what updates from a fresh start leave.
func (s suite) trained(t testing.TB, p *core.Program) numbers {
	t.Helper()
	r := start(t, s, p)
	for step := range uint64(steps) {
		r.run(t, inputs(p, 100+step))
	}
	return r.results(t)
}

// sameBits repeats updates, on a memory of their own and on the same.
func (s suite) sameBits(t *testing.T) {
	p := mustUpdate(t)
	want := s.trained(t, p)
	identical(t, "another memory", s.trained(t, p), want)
	r := start(t, s, p)
	for range 2 {
		r.reset(t)
		for step := range uint64(steps) {
			r.run(t, inputs(p, 100+step))
		}
		identical(t, "the same memory again", r.results(t), want)
	}
}

// sideBySide loads and runs programs on several memories at the same time.
func (s suite) sideBySide(t *testing.T) {
	p := mustUpdate(t)
	want := s.trained(t, p)
	var all sync.WaitGroup
	got := make([]numbers, 3)
	for i := range got {
		all.Go(func() {
			mem, err := s.NewMemory(p.ParamSpecs())
			if err != nil {
				t.Error(err)
				return
			}
			run, err := s.Load(p, mem)
			if err != nil {
				t.Error(err)
				return
			}
			defer run.Close()
			r := running{run, p, mem}
			check := &soft{TB: t}
			r.reset(check)
			for step := range uint64(steps) {
				r.run(check, inputs(p, 100+step))
			}
			if got[i] = r.results(check); check.failed {
				got[i] = nil
			}
		})
	}
	all.Wait()
	for _, g := range got {
		if g != nil {
			identical(t, "beside others", g, want)
		}
	}
}

// soft is a test whose helpers do not end the goroutine they run in, which is not the test's.
type soft struct {
	testing.TB
	failed bool
}

func (s *soft) Fatal(args ...any) {
	s.failed = true
	s.Error(args...)
}

// sharedMemory checks that a second program reads the parameters that the first program steps, in either order of
// loading.
func (s suite) sharedMemory(t *testing.T) {
	p := mustUpdate(t)
	b := core.NewBuilder("act", 1)
	st := b.Stage("act")
	st.Output("action", st.Dense(st.Input("obs", 3, 5), st.Param("policy/w", 5, 4), st.Param("policy/b", 1, 4),
		op.Tanh))
	act, err := b.Compile()
	must(t, err)
	results := map[core.Device][]numbers{}
	for _, d := range []core.Device{s.Device, ref.Device} {
		update := start(t, d, p)
		early := load(t, d, act, update.mem)
		see := func(r running) {
			r.run(t, inputs(act, 7))
			x := make([]float64, 12)
			must(t, r.Read64("action", x))
			results[d] = append(results[d], numbers{"action": x})
		}
		see(early)
		update.run(t, inputs(p, 100))
		see(early)
		late := load(t, d, act, update.mem)
		see(late)
		must(t, late.Close()) // the others go on
		must(t, update.mem.Write("policy/b", []float64{1, -1, 0.5, 0}))
		see(early)
		update.run(t, inputs(p, 101))
		see(early)
	}
	for i, want := range results[ref.Device] {
		s.judge(t, "a policy after updates", results[s.Device][i], want)
		if i == 1 || i == 3 || i == 4 {
			if distance(want["action"], results[ref.Device][i-1]["action"]) == 0 {
				t.Fatal("the reference's policy does not change; nothing is tested")
			}
		}
	}
}

// nothingLeft runs on inputs that are no numbers, so that all a program keeps is none either; what it computes next,
// from numbers, must not show that.
func (s suite) nothingLeft(t *testing.T) {
	p := mustUpdate(t)
	all, err := Operations(Size{3, 5, 7, 3})
	must(t, err)
	for _, p := range []*core.Program{p, all} {
		fresh, used := start(t, s, p), start(t, s, p)
		poison := inputs(p, 100)
		for _, x := range poison {
			for i := range x {
				x[i] = math.NaN()
			}
		}
		used.run(t, poison)
		used.reset(t)
		fresh.run(t, inputs(p, 100))
		used.run(t, inputs(p, 100))
		identical(t, p.Name+" after a run on NaN", used.results(t), fresh.results(t))
	}
}

// memory writes and reads every entry.
func (s suite) memory(t *testing.T) {
	specs := []core.ParamSpec{{Name: "q/w", Rows: 5, Cols: 19}, {Name: "b.m", Rows: 1, Cols: 1},
		{Name: "column", Rows: 33, Cols: 1}}
	mem, err := s.NewMemory(specs)
	must(t, err)
	if got := mem.Params(); len(got) != 3 || got[0] != specs[0] || got[1] != specs[1] || got[2] != specs[2] {
		t.Errorf("parameters %v", got)
	}
	for k, spec := range specs {
		entries := state(spec)
		entries[""] = spec.Rows * spec.Cols
		for suffix, n := range entries {
			x := make([]float64, n)
			must(t, mem.Read(spec.Name+suffix, x))
			for i, v := range x {
				if v != 0 {
					t.Fatalf("number %d of %s%s is %v before anything was written", i, spec.Name, suffix, v)
				}
				x[i] = float64(float32(float64(k) + 1/float64(i+3)))
			}
			if suffix == ".t" {
				x[0] = 123456
			}
			must(t, mem.Write(spec.Name+suffix, x))
			got := make([]float64, n)
			must(t, mem.Read(spec.Name+suffix, got))
			identical(t, "memory", numbers{suffix: got}, numbers{suffix: x})
		}
	}
}

// foreign is a memory of no device.
type foreign struct{ core.Memory }

// wrongUse makes every mistake that a caller can; each must be an error that names what was wrong.
func (s suite) wrongUse(t *testing.T) {
	p := mustUpdate(t)
	r := start(t, s, p)
	missing, err := s.NewMemory(p.ParamSpecs()[1:])
	must(t, err)
	other := p.ParamSpecs()
	other[0].Cols++
	misshapen, err := s.NewMemory(other)
	must(t, err)
	loadOn := func(m core.Memory) error { _, err := s.Load(p, m); return err }
	declare := func(specs ...core.ParamSpec) error { _, err := s.NewMemory(specs); return err }
	broken := *p
	broken.Groups = 0
	_, invalid := s.Load(&broken, r.mem)
	first := p.ParamSpecs()[0].Name
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"short input":               {r.Write("obs", make([]float32, 5)), "obs"},
		"short input of float64":    {r.Write64("obs", make([]float64, 5)), "obs"},
		"unknown input":             {r.Write("observation", nil), "observation"},
		"long output":               {r.Read("entropy", make([]float32, 2)), "entropy"},
		"unknown output":            {r.Read64("entropie", make([]float64, 1)), "entropie"},
		"unknown entry":             {r.mem.Read("q3/w0", nil), "q3/w0"},
		"unknown state":             {r.mem.Read(first+".x", nil), first + ".x"},
		"short entry":               {r.mem.Write(first, make([]float64, 1)), first},
		"long step count":           {r.mem.Write(first+".t", make([]float64, 2)), first + ".t"},
		"memory without parameters": {loadOn(missing), first},
		"parameters of other shape": {loadOn(misshapen), first},
		"another device's memory":   {loadOn(foreign{}), "another device"},
		"invalid program":           {invalid, "Groups"},
		"parameter without rows":    {declare(core.ParamSpec{Name: "w", Rows: 0, Cols: 1}), "0×1"},
		"parameter without a name":  {declare(core.ParamSpec{Rows: 1, Cols: 1}), "name"},
		"parameter declared twice": {declare(core.ParamSpec{Name: "w", Rows: 1, Cols: 1},
			core.ParamSpec{Name: "w", Rows: 1, Cols: 1}), "twice"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that names %q", what, c.err, c.want)
		}
	}
	r.run(t, inputs(p, 100)) // none of it has done harm
}

// negation is an operation that no device has heard of.
type negation struct{ op.StopGrad }

func (negation) Eval(dst op.Mat, in []op.Mat) {
	for i, x := range in[0].Data {
		dst.Data[i] = -x
	}
}

// total is a program that sums over all rows.
type total struct{ op.SumAll }

func (total) Eval(dst op.Mat, in []op.Mat) { dst.Data[0] = 17 }

// unknownOperation loads operations of a later vocabulary: a device may compute them by their definition, or refuse to
// load; it may not take them for something else.
func (s suite) unknownOperation(t *testing.T) {
	for _, o := range []op.Op{negation{}, total{}} {
		shape, err := graph.ShapeOf(o, op.Shape{Rows: 2, Cols: 2})
		must(t, err)
		p := &core.Program{Name: "later", Groups: 1, TileGroups: 1, Lanes: 1,
			Values: []core.Value{{Name: "x", Kind: core.Input, Rows: 2, Cols: 2},
				{Name: "y", Rows: shape.Rows, Cols: shape.Cols}},
			Levels: []core.Level{{Whole: []core.Instr{{Op: o, In: []int{0}, Out: 1}}}},
			Inputs: map[string]int{"x": 0}, Outputs: map[string]int{"y": 1}}
		must(t, p.Validate())
		mem, err := s.NewMemory(nil)
		must(t, err)
		r, err := s.Load(p, mem)
		if err != nil {
			if !strings.Contains(err.Error(), "coretest.") {
				t.Errorf("error %v, want one that names %T", err, o)
			}
			continue
		}
		x, got := []float64{1, 2, 3, 4}, make([]float64, shape.Rows*shape.Cols)
		want := op.Mat{Rows: shape.Rows, Cols: shape.Cols, Data: make([]float64, len(got))}
		o.Eval(want, []op.Mat{{Rows: 2, Cols: 2, Data: x}})
		must(t, r.Write64("x", x))
		must(t, r.Run())
		must(t, r.Read64("y", got))
		identical(t, "an operation nobody knows", numbers{"y": got}, numbers{"y": want.Data})
		must(t, r.Close())
	}
}

// close closes a program twice, and uses it then.
func (s suite) close(t *testing.T) {
	p := mustUpdate(t)
	r := start(t, s, p)
	r.run(t, inputs(p, 100))
	must(t, r.Close())
	must(t, r.Close())
	if r.Run() == nil {
		t.Error("a closed program runs")
	}
	if r.Write("obs", make([]float32, 3*37*5)) == nil || r.Read("entropy", make([]float32, 1)) == nil {
		t.Error("a closed program takes inputs or has outputs")
	}
	again := load(t, s, p, r.mem) // its parameters are still there
	again.run(t, inputs(p, 101))
	want := start(t, s, p)
	want.run(t, inputs(p, 100))
	want.run(t, inputs(p, 101))
	identical(t, "loaded again", again.results(t), want.results(t))
}

// allocations counts the allocations of a run.
func (s suite) allocations(t *testing.T) {
	if s.Allocates {
		t.Skip("not tested: this device's runs may allocate")
	}
	p := mustUpdate(t)
	r := start(t, s, p)
	r.run(t, inputs(p, 100))
	var err error
	n := testing.AllocsPerRun(20, func() {
		if err == nil {
			err = r.Run()
		}
	})
	must(t, err)
	if n >= 1 {
		t.Errorf("%v allocations per run, want none", n)
	}
}
