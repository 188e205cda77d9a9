package coretest

import (
	"math"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
)

// The benchmark's size: 3 tasks of 4 transitions, windows of 5.
const (
	nT, nB, nO, nA, nL, nW = 3, 4, 3, 2, 2, 5
	nH, nE                 = 7, 6
)

type nets struct{ enc, key, q1, q2, v, vt, pi nn.MLP }

func newNets() nets {
	mlp := func(name string, in, hidden, out int) nn.MLP {
		return nn.MLP{Name: name, In: in, Hidden: []int{hidden, hidden, hidden}, Out: out, Act: op.ReLU}
	}
	n := nets{
		enc: mlp("enc", nO+nA+1, nE, 2*nL), q1: mlp("q1", nO+nA+nL, nH, 1), q2: mlp("q2", nO+nA+nL, nH, 1),
		v: mlp("v", nO+nL, nH, 1), pi: mlp("pi", nO+nL, nH, 2*nA),
	}
	n.key, n.vt = n.enc.As("key"), n.v.As("vt")
	return n
}

// posterior is the product of a window's Gaussian factors, per task.
func posterior(s *core.Stage, enc nn.MLP, w *graph.Node) (mu, variance *graph.Node) {
	h := enc.Apply(s, w)
	precision := s.Recip(s.Clamp(s.Softplus(s.SliceCols(h, nL, 2*nL)), 1e-7, math.Inf(1)))
	variance = s.Recip(s.SumRows(precision, nW))
	mu = s.Mul(variance, s.SumRows(s.Mul(s.SliceCols(h, 0, nL), precision), nW))
	return mu, variance
}

// Benchmark is the whole TCL-PEARL update, with its stages in the order of training. All its sizes are odd numbers.
func Benchmark(t testing.TB) *core.Program {
	t.Helper()
	n := newNets()
	adam := core.DefaultAdam(3e-4)
	b := core.NewBuilder("tcl-pearl", nT)

	s := b.Stage("critic")
	mu, variance := posterior(s, n.enc, s.Input("wq", nT*nW, nO+nA+1))
	kmu, kvar := posterior(s, n.key, s.Input("wk", nT*nW, nO+nA+1))
	kmu, ksd := s.StopGrad(kmu), s.StopGrad(s.Sqrt(kvar))
	z := s.Add(mu, s.Mul(s.Sqrt(variance), s.Input("ez", nT, nL)))
	zz := s.RepeatRows(z, nB)
	obs, act := s.Input("obs", nT*nB, nO), s.Input("act", nT*nB, nA)
	oaz := s.ConcatCols(obs, act, zz)
	q1, q2 := n.q1.Apply(s, oaz), n.q2.Apply(s, oaz)
	vbar := n.vt.Apply(s, s.ConcatCols(s.Input("nobs", nT*nB, nO), s.StopGrad(zz)))
	y := s.StopGrad(s.Add(s.Scale(s.Input("rew", nT*nB, 1), 5),
		s.Mul(s.Affine(s.Input("done", nT*nB, 1), -0.99, 0.99), vbar)))
	kl := s.Scale(s.SumAll(s.Sub(s.Shift(s.Add(variance, s.Square(mu)), -1), s.Log(variance))), 0.5)
	qf := s.Add(s.MeanAll(s.Square(s.Sub(q1, y))), s.MeanAll(s.Square(s.Sub(q2, y))))
	sd := s.Sqrt(variance)
	logits := s.Neg(s.Add(s.SquaredDistances(mu, kmu), s.SquaredDistances(sd, ksd)))
	positive := s.Neg(s.SumCols(s.Add(s.Square(s.Sub(mu, kmu)), s.Square(s.Sub(sd, ksd)))))
	tcl := s.MeanAll(s.Sub(s.LogSumExp(logits), positive))
	loss := s.Add(s.Add(s.Scale(kl, 0.1), qf), tcl)
	params := append(append(n.enc.Nodes(s), n.q1.Nodes(s)...), n.q2.Nodes(s)...)
	g := s.Minimise(loss, adam, params...)
	s.Output("kl", kl)
	s.Output("qf", qf)
	s.Output("tcl", tcl)
	s.OutputNorm("|g_enc|", g[:8]...)
	s.OutputNorm("|g_q1|", g[8:16]...)
	s.OutputNorm("|g_q2|", g[16:]...)
	s.Output("sum_z", s.SumAll(z))
	nn.EMA(b, n.key, n.enc, 0.005)

	a := b.Stage("actor")
	zd := a.From(s, zz)
	oz := a.ConcatCols(a.Input("obs", nT*nB, nO), zd)
	h := n.pi.Apply(a, oz)
	mean, logstd := a.SliceCols(h, 0, nA), a.Clamp(a.SliceCols(h, nA, 2*nA), -20, 2)
	ea := a.Input("ea", nT*nB, nA)
	anew := a.Tanh(a.Add(mean, a.Mul(a.Exp(logstd), ea)))
	logpi := a.SumCols(a.Sub(
		a.Sub(a.Affine(a.Square(ea), -0.5, -0.5*math.Log(2*math.Pi)), logstd),
		a.Log(a.Affine(a.Square(anew), -1, 1+1e-6))))
	onz := a.ConcatCols(a.Input("obs", nT*nB, nO), anew, zd)
	qm := a.Min(n.q1.Apply(a, onz), n.q2.Apply(a, onz))
	lp := a.Add(a.MeanAll(a.Sub(logpi, qm)),
		a.Scale(a.Add(a.MeanAll(a.Square(mean)), a.MeanAll(a.Square(logstd))), 1e-3))
	gp := a.Minimise(lp, adam, n.pi.Nodes(a)...)
	a.Output("pi", lp)
	a.OutputNorm("|g_pi|", gp...)
	a.Output("sum_a", a.SumAll(anew))
	a.Output("sum_logpi", a.SumAll(logpi))

	c := b.Stage("value")
	v := n.v.Apply(c, c.ConcatCols(c.Input("obs", nT*nB, nO), c.From(s, zz)))
	vf := c.MeanAll(c.Square(c.Sub(v, c.Sub(c.From(a, qm), c.From(a, logpi)))))
	gv := c.Minimise(vf, adam, n.v.Nodes(c)...)
	c.Output("vf", vf)
	c.OutputNorm("|g_v|", gv...)
	nn.EMA(b, n.vt, n.v, 0.005)

	p, err := b.Compile()
	must(t, err)
	return p
}

// writeNet fills a network as the benchmark does: its weights are outputs×inputs.
func writeNet(t testing.TB, mem core.Memory, m nn.MLP, id uint64, last float64) {
	t.Helper()
	specs := m.Specs()
	for i, p := range specs {
		l := uint64(i / 2)
		x := make([]float64, p.Rows*p.Cols)
		switch {
		case i%2 == 0:
			half := 1 / math.Sqrt(float64(p.Cols))
			if i == len(specs)-2 {
				half = last
			}
			w := rng.Uniform(1000*id+10*l, len(x), -half, half)
			for r := range p.Rows {
				for c := range p.Cols {
					x[r*p.Cols+c] = w[c*p.Rows+r]
				}
			}
		case i == len(specs)-1:
			x = rng.Uniform(1000*id+10*l+1, len(x), -last, last)
		default:
			for k := range x {
				x[k] = 0.1
			}
		}
		must(t, mem.Write(p.Name, x))
	}
}

// BenchmarkExpected are the figures of the benchmark's first three updates, computed with PyTorch in float64 from the
// same numbers. The figures are losses, norms of gradients, sums of the drawn values, and sums of the weights' absolute
// values.
var BenchmarkExpected = []map[string]float64{
	{"kl": 3.343134615532046, "qf": 37.90144184364209, "tcl": 1.098611899196141, "vf": 1.296685452416548,
		"pi":      -1.092268126454343,
		"|g_enc|": 0.1422219808348653, "|g_q1|": 2.860967549890946, "|g_q2|": 3.0490799639704,
		"|g_v|": 2.32460409351453, "|g_pi|": 1.376871593030849,
		"sum_z": -0.5779417557258426, "sum_a": -1.208995093121059, "sum_logpi": -13.10261170964062,
		"sum|enc|": 24.24409093394612, "sum|q1|": 27.61623651899332, "sum|v|": 26.32141979225081,
		"sum|pi|": 28.44871893259171, "sum|key|": 24.24481329428474, "sum|vt|": 26.32351785936202},
	{"kl": 3.342103488038448, "qf": 37.89882905259688, "tcl": 1.098611891624047, "vf": 1.885328999360148,
		"pi":      -1.354051464462617,
		"|g_enc|": 0.1421453555032729, "|g_q1|": 2.85245403131553, "|g_q2|": 3.118138608131503,
		"|g_v|": 2.882822826777372, "|g_pi|": 0.3371187151832774,
		"sum_z": 0.4011016912844099, "sum_a": 1.558515661551757, "sum_logpi": -16.23526698711219,
		"sum|enc|": 24.24698505086293, "sum|q1|": 27.62055999904776, "sum|v|": 26.32124691620843,
		"sum|pi|": 28.44779745549015, "sum|key|": 24.24481571510135, "sum|vt|": 26.32350573471245},
	{"kl": 3.341071989560089, "qf": 37.8953843112985, "tcl": 1.098611884898731, "vf": 2.088857997663659,
		"pi":      -1.425125490043184,
		"|g_enc|": 0.1421525012644305, "|g_q1|": 2.853494986100582, "|g_q2|": 3.055230196865734,
		"|g_v|": 3.028430563161879, "|g_pi|": 0.8688992427459009,
		"sum_z": -1.170905433781765, "sum_a": -1.562930483042112, "sum_logpi": -17.079986472485,
		"sum|enc|": 24.25277729764913, "sum|q1|": 27.62424548244792, "sum|v|": 26.32203103365065,
		"sum|pi|": 28.44577950880439, "sum|key|": 24.24483394906974, "sum|vt|": 26.32349458285747},
}

// BenchmarkNets are the networks whose weights are summed in the figures.
func BenchmarkNets() []nn.MLP {
	n := newNets()
	return []nn.MLP{n.enc, n.q1, n.v, n.pi, n.key, n.vt}
}

// BenchmarkMemory is a device's memory with a program's parameters at the start of the benchmark.
func BenchmarkMemory(t testing.TB, d core.Device, p *core.Program) core.Memory {
	t.Helper()
	n := newNets()
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	for i, m := range []nn.MLP{n.enc, n.q1, n.q2, n.v, n.pi} {
		last := 3e-3
		if m.Name == "pi" {
			last = 1e-3
		}
		writeNet(t, mem, m, uint64(i+1), last)
	}
	for _, c := range [][2]nn.MLP{{n.key, n.enc}, {n.vt, n.v}} {
		must(t, nn.Copy(mem, c[0], c[1]))
	}
	return mem
}

// BenchmarkInputs are the inputs of update number step, by name.
func BenchmarkInputs(step int) map[string][]float64 {
	const rows, ctx = nT * nB, nO + nA + 1
	done := rng.Uniform(5, rows, 0, 1)
	for i, u := range done {
		done[i] = 0
		if u < 0.01 {
			done[i] = 1
		}
	}
	off := rng.Normal(9, nT*ctx)
	window := func(stream uint64) []float64 {
		w := rng.Normal(stream, nT*nW*ctx)
		for i := range w {
			w[i] += off[i/(nW*ctx)*ctx+i%ctx]
		}
		return w
	}
	return map[string][]float64{
		"obs": rng.Normal(1, rows*nO), "nobs": rng.Normal(2, rows*nO), "act": rng.Uniform(3, rows*nA, -1, 1),
		"rew":  rng.Normal(4, rows),
		"done": done, "wq": window(6), "wk": window(7),
		// The noise of z and of the actions is another in each update.
		"ez": rng.Normal(uint64(1000000*(step+1)+1), nT*nL), "ea": rng.Normal(uint64(1000000*(step+1)+2), nT*nB*nA),
	}
}

// BenchmarkFigures returns the figures of as many updates as BenchmarkExpected has. The program is Benchmark's, or one
// that must give the same figures.
func BenchmarkFigures(t testing.TB, d core.Device, p *core.Program) (figures []map[string]float64) {
	t.Helper()
	mem := BenchmarkMemory(t, d, p)
	r, err := d.Load(p, mem)
	must(t, err)
	defer r.Close()
	for step := range BenchmarkExpected {
		for name, x := range BenchmarkInputs(step) {
			must(t, r.Write64(name, x))
		}
		must(t, r.Run())
		got := map[string]float64{}
		for name := range p.Outputs {
			x := make([]float64, 1)
			must(t, r.Read64(name, x))
			got[name] = x[0]
		}
		for _, m := range BenchmarkNets() {
			got["sum|"+m.Name+"|"] = sumOfSizes(t, mem, m)
		}
		figures = append(figures, got)
	}
	return figures
}

// JudgeBenchmark reports figures of the benchmark's updates on a device whose relative error is above a tolerance.
func JudgeBenchmark(t testing.TB, d core.Device, tolerance float64) {
	t.Helper()
	worst := 0.0
	for step, got := range BenchmarkFigures(t, d, Benchmark(t)) {
		for name, want := range BenchmarkExpected[step] {
			x, ok := got[name]
			off := math.Abs(x/want - 1)
			worst = max(worst, off)
			if !ok || !(off <= tolerance) {
				t.Errorf("update %d: %s = %.16g, want %.16g", step, name, x, want)
			}
		}
	}
	t.Logf("largest difference of a figure %.1e", worst)
}

// sumOfSizes is the sum of the absolute values of a network's weights.
func sumOfSizes(t testing.TB, mem core.Memory, m nn.MLP) float64 {
	sum := 0.0
	for _, p := range m.Specs() {
		x := make([]float64, p.Rows*p.Cols)
		must(t, mem.Read(p.Name, x))
		for _, v := range x {
			sum += math.Abs(v)
		}
	}
	return sum
}
