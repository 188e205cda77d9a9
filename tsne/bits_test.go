package tsne

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
	"nacre/tsne/internal/lanes"
)

// shortRecipe runs through all phases of a layout quickly.
func shortRecipe(m Method, dims int) Recipe {
	r := Current()
	r.Perplexity, r.Method, r.Dims = 12, m, dims
	r.Phases[0].Iterations, r.Phases[1].Iterations = 60, 60
	return r
}

// AVX-512, AVX2 and plain Go lay the points out in the same places, to the last bit, by every method.
func TestAllKernelsGiveTheSameLayout(t *testing.T) {
	x, _ := wave()
	for _, c := range []struct {
		method Method
		dims   int
	}{{MethodExact, 2}, {MethodFFT, 2}, {MethodBarnesHut, 2}, {MethodBarnesHut, 3}} {
		var want []float64
		for _, set := range lanes.Available() {
			name := set.Name
			l := fit(t, x, WithRecipe(shortRecipe(c.method, c.dims)), func(t *TSNE) { t.kernels = name })
			if want == nil {
				want = l.Y.Data
			} else if !slices.Equal(want, l.Y.Data) {
				t.Errorf("%s in %d dimensions: %s gives another layout", c.method, c.dims, name)
			}
		}
	}
}

func TestUnknownKernels(t *testing.T) {
	t.Setenv(lanes.Environment, "mmx")
	x, _ := wave()
	if _, err := New().Fit(context.Background(), x); err == nil {
		t.Error("NACRE_CPU=mmx was accepted")
	}
}

// Grid and tree find minima as good as all pairs do.
func TestMethodsReachTheSameKL(t *testing.T) {
	x, _ := wave()
	for _, m := range []Method{MethodExact, MethodFFT, MethodBarnesHut} {
		best := math.Inf(1)
		for seed := range uint64(3) {
			r := Current()
			r.Perplexity, r.Method, r.Start = 15, m, StartRandom
			best = min(best, fit(t, x, WithRecipe(r), WithSeed(seed)).KL)
		}
		if best > 0.1092 {
			t.Errorf("%s: the best KL of three is %.4f; scikit-learn's three were 0.0976 to 0.1092", m, best)
		}
	}
}

// Three dimensions hold the neighbourhoods better than two.
func TestThreeDimensions(t *testing.T) {
	x, label := wave()
	l := fit(t, x, WithPerplexity(15), WithDims(3))
	if l.Y.Cols != 3 || l.KL > 0.0977 {
		t.Errorf("%d columns, KL %.4f; in the plane scikit-learn reaches 0.0976", l.Y.Cols, l.KL)
	}
	c, err := MeasureClusters(l.Y, label)
	if err != nil || c.Ratio < 2 {
		t.Errorf("ratio %v, %v", c.Ratio, err)
	}
}

// A graph given by hand makes the layout that the points make.
func TestGivenGraph(t *testing.T) {
	x, _ := wave()
	g, err := Neighbours(context.Background(), x, 36, 2)
	if err != nil {
		t.Fatal(err)
	}
	if g.Recall != 1 {
		t.Errorf("recall %v of an exact search", g.Recall)
	}
	for i := range 120 {
		want := newRanking(120, 36)
		want.from(x, i)
		for s, j := range want.order {
			d := math.Sqrt(want.d[j])
			if got := float64(g.Distance[i*36+s]); g.Index[i*36+s] != int32(j) && math.Abs(got-d) > 1e-6*d {
				t.Fatalf("neighbour %d of point %d is %d at %v, want %d at %v", s, i, g.Index[i*36+s], got, j, d)
			}
		}
	}
	r := shortRecipe(MethodExact, 2)
	a := fit(t, x, WithRecipe(r), WithStart(StartRandom, 1e-4))
	b := fit(t, Matrix{Rows: 120}, WithRecipe(r), WithStart(StartRandom, 1e-4), WithGraph(g))
	near(t, "KL by the graph", b.KL, a.KL, 2e-3)
	for name, c := range map[string]func(g *Graph){
		"is 120; points are 0 to 119": func(g *Graph) { g.Index[5] = 120 },
		"has point 0 twice":           func(g *Graph) { g.Index[5] = 0 },
		"between points 0 and":        func(g *Graph) { g.Distance[3] = float32(math.NaN()) },
		"4319 indices":                func(g *Graph) { g.Index = g.Index[1:] },
		"the graph has 0 neighbours":  func(g *Graph) { g.K = 0 },
	} {
		bad := &Graph{K: g.K, Index: slices.Clone(g.Index), Distance: slices.Clone(g.Distance)}
		c(bad)
		refuses(t, x, name, WithGraph(bad))
	}
	refuses(t, Matrix{Rows: 120}, "needs a random or given start", WithGraph(g))
	refuses(t, x, "needs a graph of at least 39 neighbours", WithGraph(g), WithPerplexity(38.5))
}

func refuses(t *testing.T, x Matrix, want string, opts ...Option) {
	t.Helper()
	_, err := New(opts...).Fit(context.Background(), x)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// The cell search finds what it says it finds.
func TestCellSearchRecall(t *testing.T) {
	const n, k = 4000, 30
	x := NewMatrix(n, 10)
	noise := make([]float64, len(x.Data))
	normals(rng.New(3, rng.TSNE), noise)
	for i := range n {
		for c := range 10 {
			x.Row(i)[c] = noise[i*10+c] + 4*math.Sin(float64(i%9*(c+1)))
		}
	}
	f, err := newFrame(x)
	if err != nil {
		t.Fatal(err)
	}
	p := f.apply(x)
	set := lanes.Available()[0]
	exact, err := nearestOf(context.Background(), set, p, k, 2, alone(), true)
	if err != nil {
		t.Fatal(err)
	}
	found, stated, _, _ := cellSearch(context.Background(), set, p, k, 2, alone())
	same := 0
	for i := range n {
		for _, j := range exact.id[i*k : (i+1)*k] {
			if slices.Contains(found.id[i*k:(i+1)*k], j) {
				same++
			}
		}
	}
	actual := float64(same) / (n * k)
	if stated < wantedRecall || math.Abs(actual-stated) > 0.015 {
		t.Errorf("stated recall %.4f, true %.4f", stated, actual)
	}
	one, _, _, _ := cellSearch(context.Background(), set, p, k, 1, alone())
	if !slices.Equal(one.id, found.id) {
		t.Error("another number of workers finds other neighbours")
	}
}
