//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/internal/fatal"
	"nacre/internal/wgpu"
	"nacre/tsne"
)

var opened *Accelerator

// open makes an engine on the first adapter, a software one included, or skips the test if there is none.
func open(t testing.TB) *Accelerator {
	t.Helper()
	if opened == nil {
		e, err := Open(Options{Software: true})
		var missing *wgpu.Error
		if errors.As(err, &missing) && (missing.Fault == wgpu.NoLibrary || missing.Fault == wgpu.NoDevice) {
			t.Skipf("not tested: %v", err)
		}
		must(t, err)
		opened = e
	}
	return opened
}

var must = fatal.On

// clusters are points of several normal clusters, of which some are far away.
func clusters(seed uint64, n, columns int) tsne.Matrix {
	r := rand.New(rand.NewPCG(seed, 7))
	x := tsne.NewMatrix(n, columns)
	of := 3 + r.IntN(8)
	centre := tsne.NewMatrix(of, columns)
	for i := range centre.Data {
		centre.Data[i] = 3 * r.NormFloat64()
	}
	for i := range n {
		for c, m := range centre.Row(i % of) {
			x.Row(i)[c] = m + r.NormFloat64()
		}
	}
	return x
}

// A whole convolution, through rows, columns and back, is what the definition of the kernel's sum gives in float64, and
// the step that follows is that of the definition of the gradient.
func TestGradientIsThatOfTheDefinition(t *testing.T) {
	e := open(t)
	for _, c := range []struct {
		name   string
		n      int
		spread float64 // of positions
		bound  float64 // relative to the root mean square
	}{
		{"tiny", 300, 0.01, 2e-3}, {"small", 700, 0.5, 1e-2}, {"middling", 1500, 6, 1e-2}, {"wide", 2000, 40, 1e-2},
		{"few", 5, 1, 1e-2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(c.n), 1))
			y := make([]float32, 2*c.n)
			for i := range y {
				y[i] = float32(c.spread * r.NormFloat64())
			}
			if c.n > 100 { // duplicates, and one point far from the others
				copy(y[20:60], y[60:100])
				y[0] = float32(9 * c.spread)
			}
			w := workOf(r, y)
			d, err := e.Load(context.Background(), w)
			must(t, err)
			defer d.Close()
			w.State = centred(w.State)
			ph := tsne.Phase{Exaggeration: 3, LearningRate: 1, Momentum: 0}
			made, err := d.Advance(context.Background(), 1, ph, math.Inf(1))
			if err != nil || made != 1 {
				t.Fatalf("made %d: %v", made, err)
			}
			got := stateOf(c.n)
			z, err := d.Read(got)
			must(t, err)
			wantZ, want := gradient(w, ph.Exaggeration)
			if math.Abs(z/wantZ-1) > 1e-4 {
				t.Errorf("Z is %.8g, by definition %.8g", z, wantZ)
			}
			var sum, off float64
			for i, g := range want {
				gain := 0.8 // the steps were zero: no coordinate was going downhill
				if got.Gains[i] != float32(gain) {
					t.Fatalf("gain %d is %g, want %g", i, got.Gains[i], gain)
				}
				sum += g * g
				off += sq(-float64(got.Steps[i])/gain - g)
			}
			if e := math.Sqrt(off / sum); !(e < c.bound) {
				t.Errorf("the gradient is off by %.2g of its root mean square, want below %.2g", e, c.bound)
			} else {
				t.Logf("off by %.2g, Z by %.2g", e, math.Abs(z/wantZ-1))
			}
			var mean [2]float64
			for i, v := range got.Positions {
				mean[i%2] += float64(v) / float64(c.n)
			}
			if math.Hypot(mean[0], mean[1]) > 1e-5*c.spread {
				t.Errorf("the mean is %v, want 0", mean)
			}
		})
	}
}

func sq(x float64) float64 { return x * x }

func stateOf(n int) tsne.State {
	return tsne.State{Positions: make([]float32, 2*n), Steps: make([]float32, 2*n), Gains: make([]float32, 2*n)}
}

// workOf is a layout with random affinities that are symmetric and sum to one.
func workOf(r *rand.Rand, y []float32) tsne.Work {
	n := len(y) / 2
	p := make([]map[int]float64, n)
	for i := range p {
		p[i] = map[int]float64{}
	}
	total := 0.0
	for i := range n {
		for range 1 + r.IntN(20) {
			if j := r.IntN(n); j != i {
				v := r.Float64()
				p[i][j] += v
				p[j][i] += v
				total += 2 * v
			}
		}
	}
	w := tsne.Work{Points: n, Ends: []int32{0}, State: stateOf(n)}
	copy(w.State.Positions, y)
	for i := range w.State.Gains {
		w.State.Gains[i] = 1
	}
	for i, row := range p {
		for j := range n {
			if v := row[j]; v > 0 {
				w.Columns, w.Values = append(w.Columns, int32(j)), append(w.Values, float32(v/total))
			}
		}
		for len(w.Columns)%16 != 0 {
			w.Columns, w.Values = append(w.Columns, int32(i)), append(w.Values, 0)
		}
		w.Ends = append(w.Ends, int32(len(w.Columns)/16))
	}
	return w
}

// gradient is Σ_j (exaggeration·p − q)·(y_i − y_j)/(1+|y_i−y_j|²) over all pairs in float64, and Z.
func gradient(w tsne.Work, exaggeration float64) (z float64, g []float64) {
	g = make([]float64, 2*w.Points)
	rep := make([]float64, len(g))
	y := w.State.Positions
	for i := range w.Points {
		for j := range w.Points {
			if i == j {
				continue
			}
			dx, dy := float64(y[2*i])-float64(y[2*j]), float64(y[2*i+1])-float64(y[2*j+1])
			q := 1 / (1 + dx*dx + dy*dy)
			z += q
			rep[2*i] += q * q * dx
			rep[2*i+1] += q * q * dy
		}
		for e := 16 * w.Ends[i]; e < 16*w.Ends[i+1]; e++ {
			j, p := w.Columns[e], float64(w.Values[e])
			dx, dy := float64(y[2*i])-float64(y[2*j]), float64(y[2*i+1])-float64(y[2*j+1])
			q := 1 / (1 + dx*dx + dy*dy)
			g[2*i] += exaggeration * p * q * dx
			g[2*i+1] += exaggeration * p * q * dy
		}
	}
	for i := range g {
		g[i] -= rep[i] / z
	}
	return z, g
}

// short is the recipe with fewer iterations.
func short(n int) tsne.Option {
	r := tsne.CurrentFor(n)
	r.Phases[0].Iterations, r.Phases[1].Iterations = 60, 60
	return tsne.WithRecipe(r)
}

// A layout is as good as the processor's, the same bits each time and however it is cut into pieces, and a note says
// what made it.
func TestLayoutIsAsGoodAndTheSameAlways(t *testing.T) {
	e := open(t)
	x := clusters(3, 1500, 20)
	copy(x.Row(7), x.Row(8)) // duplicates
	ctx := context.Background()
	cpu, err := tsne.New(short(x.Rows), tsne.WithSeed(5)).Fit(ctx, x)
	must(t, err)
	gpu, err := tsne.New(short(x.Rows), tsne.WithSeed(5), tsne.WithEngine(e)).Fit(ctx, x)
	must(t, err)
	if gpu.Method != tsne.MethodFFT || !slices.ContainsFunc(gpu.Notes, func(n string) bool {
		return strings.Contains(n, "by WebGPU")
	}) {
		t.Errorf("method %q, notes %q", gpu.Method, gpu.Notes)
	}
	if math.Abs(gpu.KL-cpu.KL) > 0.02 {
		t.Errorf("KL %.4f, the processor's %.4f", gpu.KL, cpu.KL)
	}
	t.Logf("KL %.4f, the processor's %.4f", gpu.KL, cpu.KL)
	s, err := tsne.New(short(x.Rows), tsne.WithSeed(5), tsne.WithEngine(e)).Start(ctx, x)
	must(t, err)
	defer s.Close()
	for _, k := range []int{1, 2, 7, 13, 40, 1000} {
		_, err := s.Step(ctx, k)
		must(t, err)
	}
	for i, v := range s.Positions() {
		if float64(v) != gpu.Y.Data[i] {
			t.Fatalf("coordinate %d is %g in pieces and %g in one", i, v, gpu.Y.Data[i])
		}
	}
}

// Few points, and what is refused.
func TestFewAndBad(t *testing.T) {
	e := open(t)
	ctx := context.Background()
	x := clusters(1, 13, 4)
	l, err := tsne.New(short(13), tsne.WithPerplexity(4), tsne.WithEngine(e)).Fit(ctx, x)
	must(t, err)
	for _, v := range l.Y.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("positions %v", l.Y.Data)
		}
	}
	var bad *tsne.InputError
	x.Data[5] = math.NaN()
	if _, err := tsne.New(tsne.WithPerplexity(4), tsne.WithEngine(e)).Fit(ctx, x); !errors.As(err, &bad) ||
		!strings.Contains(bad.Problem, "row 1, column 1") {
		t.Errorf("a value that is no number: %v", err)
	}
	if _, err := tsne.New(tsne.WithEngine(e)).Fit(ctx, clusters(1, 60, 4)); !errors.As(err, &bad) ||
		!strings.Contains(bad.Problem, "perplexity") {
		t.Errorf("too few points for perplexity 30: %v", err)
	}
}

// A layout that is stopped can go on, with the same result.
func TestStopped(t *testing.T) {
	e := open(t)
	x := clusters(4, 400, 10)
	whole, err := tsne.New(short(x.Rows), tsne.WithEngine(e)).Fit(context.Background(), x)
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	calls := 0
	s, err := tsne.New(short(x.Rows), tsne.WithEngine(e), tsne.WithProgress(5, func(tsne.Progress) {
		if calls++; calls == 9 {
			stop()
		}
	})).Start(ctx, x)
	must(t, err)
	defer s.Close()
	if made, err := s.Step(ctx, 1000); made != 45 || !errors.Is(err, context.Canceled) || s.Iteration() != 45 {
		t.Fatalf("stopped after %d of %d: %v", made, s.Iteration(), err)
	}
	_, err = s.Step(context.Background(), 1000)
	must(t, err)
	if !slices.Equal(s.Layout().Y.Data, whole.Y.Data) {
		t.Error("the layout is another after it was stopped")
	}
}

// Where the GPU falls away, or the layout becomes too wide, the processor goes on from the last state, and says so.
func TestFallsBack(t *testing.T) {
	e, err := Open(Options{Software: true})
	var missing *wgpu.Error
	if errors.As(err, &missing) && missing.Fault != wgpu.LostGPU {
		t.Skipf("not tested: %v", err)
	}
	must(t, err)
	ctx := context.Background()
	x := clusters(5, 500, 8)
	s, err := tsne.New(short(x.Rows), tsne.WithEngine(e)).Start(ctx, x)
	must(t, err)
	_, err = s.Step(ctx, 30)
	must(t, err)
	before := slices.Clone(s.Positions())
	e.Close()
	_, err = s.Step(ctx, 1)
	must(t, err)
	if s.Iteration() != 31 || slices.Equal(before, s.Positions()) {
		t.Errorf("iteration %d", s.Iteration())
	}
	_, err = s.Step(ctx, 1000)
	must(t, err)
	l := s.Layout()
	if note := l.Notes[len(l.Notes)-1]; !strings.Contains(note, "after 30 iterations") ||
		!strings.Contains(note, "lost") || l.KL > 2 {
		t.Errorf("KL %.3f, notes %q", l.KL, l.Notes)
	}
	if _, err := tsne.New(short(x.Rows), tsne.WithEngine(e)).Fit(ctx, x); err != nil {
		t.Errorf("an engine whose GPU is lost: %v", err)
	}

	wide := tsne.NewMatrix(500, 2)
	for i := range wide.Data {
		wide.Data[i] = 1e4 * float64(i%7)
	}
	l, err = tsne.New(short(x.Rows), tsne.WithInit(wide), tsne.WithEngine(open(t))).Fit(ctx, x)
	must(t, err)
	if note := l.Notes[len(l.Notes)-1]; !strings.Contains(note, "too wide") {
		t.Errorf("a layout as wide as 60,000: notes %q", l.Notes)
	}
}
