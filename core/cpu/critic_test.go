package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
)

// criticNets are the twin critics of the speed benchmark, at any width.
func criticNets(in, hidden int) [2]nn.MLP {
	m := nn.MLP{In: in, Hidden: []int{hidden, hidden, hidden}, Out: 1, Act: op.ReLU}
	return [2]nn.MLP{m.As("q1"), m.As("q2")}
}

// criticProgram steps both critics towards a target by their mean squared errors.
func criticProgram(t testing.TB, groups, perGroup, in, hidden int) *core.Program {
	t.Helper()
	b := core.NewBuilder("critic", groups)
	s := b.Stage("update")
	x, y := s.Input("x", groups*perGroup, in), s.Input("y", groups*perGroup, 1)
	var loss *graph.Node
	var params []*graph.Node
	for _, q := range criticNets(in, hidden) {
		l := s.MeanAll(s.Square(s.Sub(q.Apply(s, x), y)))
		if loss != nil {
			l = s.Add(loss, l)
		}
		loss = l
		params = append(params, q.Nodes(s)...)
	}
	g := s.Minimise(loss, core.DefaultAdam(3e-4), params...)
	s.Output("loss", loss)
	s.OutputNorm("norm", g...)
	p, err := b.Compile()
	must(t, err)
	return p
}

// criticContent starts every layer with uniform weights of variance 1/inputs and no optimiser state.
func criticContent(p *core.Program, seed uint64) (params, inputs content) {
	r := rand.New(rand.NewPCG(seed, 5))
	params, inputs = random(p, r)
	for _, s := range p.ParamSpecs() {
		for i := range params[s.Name] {
			params[s.Name][i] = float64(float32((2*r.Float64() - 1) * math.Sqrt(3/float64(max(s.Rows, 30)))))
		}
		clear(params[s.Name+".m"])
		clear(params[s.Name+".v"])
		params[s.Name+".t"][0] = 0
	}
	return params, inputs
}

// Three updates of the critics against float64: losses, gradient norms, weights and moments, with groups that fill no
// block of rows and a last tile that is smaller.
func TestCriticAgainstReference(t *testing.T) {
	p := criticProgram(t, 7, 100, 31, 70)
	if p.Tiles() < 2 {
		t.Fatalf("%d tiles", p.Tiles())
	}
	params, inputs := criticContent(p, 1)
	for runs := 1; runs <= 3; runs++ {
		want := execute(t, ref.Device, p, params, inputs, runs)
		for _, k := range available() {
			one := execute(t, testDevice(k, 1), p, params, inputs, runs)
			compare(t, one, want, 1e-4)
			for _, name := range []string{"loss", "norm"} {
				if e := math.Abs(one[name][0]-want[name][0]) / want[name][0]; !(e <= 1e-5) {
					t.Errorf("%s after %d updates with %s is off by %g", name, runs, k.name, e)
				}
			}
			for workers := 2; workers <= 3; workers++ {
				identical(t, execute(t, testDevice(k, workers), p, params, inputs, runs), one)
			}
		}
	}
}

// The backward step through each of the three hidden layers of two critics is one masked product.
func TestFusion(t *testing.T) {
	p := criticProgram(t, 16, 32, 31, 40)
	masked, separate := 0, 0
	for _, seg := range segments(p) {
		for _, in := range seg.instrs {
			if in.mask >= 0 {
				masked++
			}
			if a, ok := in.op.(op.ActGrad); ok && a.Act == op.ReLU {
				separate++
			}
		}
	}
	if masked != 6 || separate != 0 {
		t.Errorf("%d masked products and %d separate ReLU gradients, want 6 and 0", masked, separate)
	}
}

// A value that only the tiles of one level use takes no room for the whole batch.
func TestTileLocalValues(t *testing.T) {
	p := criticProgram(t, 16, 256, 31, 40)
	s := planStorage(p, segments(p))
	for v, x := range p.Values {
		if x.Batched && x.Kind == core.Temp && s.place[v] == full {
			t.Errorf("%s has a buffer for all %d rows", x.Name, x.Rows)
		}
	}
	// Two critics' worth of activations would be 6 of 256×48 floats and as many gradients.
	if limit := 10 * 256 * 48; s.arena > limit {
		t.Errorf("a worker's arena has %d floats, want at most %d", s.arena, limit)
	}
}

func loadCritic(t testing.TB, d core.Device, p *core.Program) core.Runner {
	t.Helper()
	params, inputs := criticContent(p, 1)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	r, err := d.Load(p, mem)
	must(t, err)
	for name, x := range params {
		must(t, mem.Write(name, x))
	}
	for name, x := range inputs {
		must(t, r.Write64(name, x))
	}
	return r
}

func TestRunAllocatesNothing(t *testing.T) {
	p := criticProgram(t, 9, 30, 31, 40)
	for _, k := range available() {
		for _, workers := range []int{1, 3} {
			r := loadCritic(t, testDevice(k, workers), p)
			x, y := make([]float32, 9*30*31), make([]float32, 1)
			var wrote, ran, read error
			n := testing.AllocsPerRun(50, func() {
				wrote = r.Write("x", x)
				ran = r.Run()
				read = r.Read("loss", y)
			})
			must(t, wrote, ran, read)
			if n != 0 {
				t.Errorf("%s, %d workers: %v allocations per run", k.name, workers, n)
			}
			must(t, r.Close())
		}
	}
}

// BenchmarkCritic is the critics' update of the speed benchmark: 4096 rows, 31-300-300-300-1, Adam; 9.2 GFLOP.
func BenchmarkCritic(b *testing.B) {
	p := criticProgram(b, 16, 256, 31, 300)
	sets := available()
	if len(sets) > 1 {
		sets = sets[:len(sets)-1] // plain Go takes seconds
	}
	for _, k := range sets {
		for workers := 1; workers <= 2; workers++ {
			d := &device{kernels: k, pool: &pool{size: workers}, shareFrom: shareFrom}
			b.Run(d.Name(), func(b *testing.B) {
				r := loadCritic(b, d, p)
				defer r.Close()
				must(b, r.Run())
				var times []time.Duration
				for b.Loop() {
					start := time.Now()
					must(b, r.Run())
					times = append(times, time.Since(start))
				}
				slices.Sort(times)
				median := times[len(times)/2].Seconds()
				peak, err := Peak(k.name)
				must(b, err)
				b.ReportMetric(median*1e3, "ms/median")
				b.ReportMetric(times[0].Seconds()*1e3, "ms/best")
				b.ReportMetric(float64(p.FLOPs())/median/1e9, "GFLOP/s")
				b.ReportMetric(100*float64(p.FLOPs())/median/1e9/(peak*float64(workers)), "%peak")
			})
		}
	}
}

// BenchmarkPolicy is inference with few rows, where the work between kernels shows.
func BenchmarkPolicy(b *testing.B) {
	for _, rows := range []int{1, 8, 64} {
		m := nn.MLP{Name: "pi", In: 20, Hidden: []int{64, 64}, Out: 4, Act: op.Tanh}
		build := core.NewBuilder("policy", 1)
		s := build.Stage("act")
		s.Output("a", s.Tanh(m.Apply(s, s.Input("x", rows, 20))))
		p, err := build.Compile()
		must(b, err)
		d, err := New(Options{})
		must(b, err)
		mem, err := d.NewMemory(p.ParamSpecs())
		must(b, err)
		b.Run(d.Name(), func(b *testing.B) {
			r, err := d.Load(p, mem)
			must(b, err)
			defer r.Close()
			for b.Loop() {
				must(b, r.Run())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}
