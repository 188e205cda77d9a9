package tsne

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/internal/rng"
)

// wave is three groups of forty points in four dimensions given by a formula, so that other programs can make it.
func wave() (Matrix, []int) {
	x, label := NewMatrix(120, 4), make([]int, 120)
	for i := range 120 {
		label[i] = i % 3
		for c := range 4 {
			a, b := float64(i+1), float64(c+1)
			x.Row(i)[c] = 4*math.Cos(2*math.Pi*float64(i%3)/3+float64(c)) + 2*math.Sin(12.9898*a*b) +
				0.5*math.Sin(78.233*a+float64(c*c))
		}
	}
	return x, label
}

func wavePlane() Matrix {
	y := NewMatrix(120, 2)
	for i := range 120 {
		y.Row(i)[0] = 10 * math.Sin(1.7*float64(i)+0.3)
		y.Row(i)[1] = 7 * math.Cos(2.9*float64(i))
	}
	return y
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, want %.12g within %g", what, got, want, tol)
	}
}

func fit(t *testing.T, x Matrix, opts ...Option) *Layout {
	t.Helper()
	l, err := New(opts...).Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func affinities(t *testing.T, x Matrix, perplexity float64) *Affinities {
	t.Helper()
	p, err := NewAffinities(context.Background(), x, AffinityOptions{Perplexity: perplexity, Neighbours: x.Rows,
		Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The reference values are from numpy in float64, with the bandwidths found by Brent's method.
func TestAffinitiesAndKLAgainstNumpy(t *testing.T) {
	x, _ := wave()
	p := affinities(t, x, 15)
	for _, c := range []struct {
		i, j int
		want float64
	}{{0, 1, 3.65892221838416e-10}, {0, 3, 3.7128470200354964e-05}, {80, 17, 2.376802255443938e-05},
		{118, 119, 4.498477672510313e-11}} {
		near(t, "p", p.At(c.i, c.j)/c.want, 1, 1e-6)
	}
	kl, err := p.KL(wavePlane())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "KL", kl, 2.603272749028889, 1e-6)
}

func TestEveryRowHasThePerplexity(t *testing.T) {
	x, _ := wave()
	for _, scale := range []float64{1e-60, 1e-6, 1, 1e9} {
		y := NewMatrix(120, 4)
		for k, v := range x.Data {
			y.Data[k] = v * scale
		}
		g, err := Neighbours(context.Background(), y, 119, 2)
		if err != nil {
			t.Fatal(err)
		}
		d, p := make([]float64, 119), make([]float64, 119)
		for _, perplexity := range []float64{1.5, 5, 30, 39.6} {
			for i := range 120 {
				for s, v := range g.Distance[i*119 : (i+1)*119] {
					d[s] = float64(v) * float64(v)
				}
				if scale < 1e-40 {
					continue // Graph.Distance is float32 and cannot hold these
				}
				calibrate(d, p, perplexity, false)
				sum, entropy := 0.0, 0.0
				for _, v := range p {
					if v > 0 {
						sum += v
						entropy -= v * math.Log(v)
					}
				}
				near(t, "Σ p", sum, 1, 1e-9)
				near(t, "perplexity", math.Exp(entropy), perplexity, 1e-6)
			}
		}
	}
}

// Points at equal distances from each other have the same neighbours at every bandwidth: p_ij = 1/(n(n−1)).
func TestEquidistantPoints(t *testing.T) {
	x := NewMatrix(12, 12)
	for i := range 12 {
		x.Row(i)[i] = 1
	}
	p := affinities(t, x, 3)
	near(t, "p", p.At(2, 7), 1.0/132, 1e-9)
	if len(p.Notes) != 1 {
		t.Errorf("notes %q, want one about ties", p.Notes)
	}
}

// Two neighbours at squared distances 0 and u beyond: p = 1/(1+e^−βu), whose entropy is a known function of p.
func TestCalibrateTwoNeighbours(t *testing.T) {
	p := 0.7
	perplexity := math.Exp(-p*math.Log(p) - (1-p)*math.Log(1-p))
	prob := make([]float64, 2)
	calibrate([]float64{2, 5}, prob, perplexity, false)
	near(t, "p", prob[0], p, 1e-8)
}

// gradient is 4·(attraction − repulsion/Z) at the layout y, by the given method.
func gradient(t *testing.T, x, y Matrix, m Method) []float64 {
	t.Helper()
	r := Current()
	r.Perplexity, r.Method, r.Neighbours, r.Dims = 15, m, x.Rows, y.Cols
	s, err := New(WithRecipe(r), WithInit(y)).Start(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	z := s.repel.compute(s.Positions(), s.rep)
	s.attract()
	g := make([]float64, len(y.Data))
	for i := range g {
		g[i] = 4 * (float64(s.att[i]) - float64(s.rep[i])/z)
	}
	return g
}

func TestGradientAgainstFiniteDifferences(t *testing.T) {
	x, _ := wave()
	p := affinities(t, x, 15)
	y := wavePlane()
	for i := range y.Data {
		y.Data[i] = float64(float32(y.Data[i] * 0.2))
	}
	space := NewMatrix(120, 3)
	for i := range space.Data {
		space.Data[i] = float64(float32(2 * math.Sin(float64(i*i))))
	}
	for _, c := range []struct {
		m   Method
		y   Matrix
		tol float64
	}{{MethodExact, y, 2e-5}, {MethodFFT, y, 2e-4}, {MethodBarnesHut, y, 1e-2}, {MethodBarnesHut, space, 1e-2}} {
		grad := gradient(t, x, c.y, c.m)
		largest := 0.0
		for _, g := range grad {
			largest = max(largest, math.Abs(g))
		}
		for _, at := range []int{0, 1, 2, 63, 64, 127, 200, 239} {
			const h = 1.0 / 64 // KL takes positions as float32
			v := c.y.Data[at]
			c.y.Data[at] = v + h
			up, _ := p.KL(c.y)
			c.y.Data[at] = v - h
			down, _ := p.KL(c.y)
			c.y.Data[at] = v
			near(t, string(c.m)+": ∂KL/∂y", grad[at]/largest, (up-down)/(2*h)/largest, c.tol+2e-3)
		}
	}
}

// scikit-learn 1.9.1, method exact, 1,000 iterations, ended at 0.1043 from principal components and at 0.0976 to
// 0.1092 from three random starts, by the same P.
func TestKLReachesScikitLearn(t *testing.T) {
	x, _ := wave()
	l := fit(t, x, WithPerplexity(15))
	if l.KL > 0.1093 {
		t.Errorf("KL %.4f, scikit-learn reaches 0.0976 to 0.1092", l.KL)
	}
	sparse, err := NewAffinities(context.Background(), x, AffinityOptions{Perplexity: 15})
	if err != nil {
		t.Fatal(err)
	}
	kl, _ := sparse.KL(l.Y)
	near(t, "reported KL", l.KL, kl, 1e-6)
	if all, _ := affinities(t, x, 15).KL(l.Y); all > 0.1093 {
		t.Errorf("KL over all pairs %.4f", all)
	}
}

func TestSameResultForAnyNumberOfWorkers(t *testing.T) {
	x, _ := wave()
	for _, r := range Recipes() {
		r.Phases[len(r.Phases)-1].Iterations = 60
		one := fit(t, x, WithRecipe(r), WithSeed(3), WithWorkers(1))
		for _, w := range []int{2, 3} {
			if l := fit(t, x, WithRecipe(r), WithSeed(3), WithWorkers(w)); !slices.Equal(l.Y.Data, one.Y.Data) ||
				l.KL != one.KL {
				t.Errorf("%s: %d workers give another layout than 1", r.Name, w)
			}
		}
		if l := fit(t, x, WithRecipe(r), WithSeed(4)); slices.Equal(l.Y.Data, one.Y.Data) {
			t.Errorf("%s: seed 4 gives the layout of seed 3", r.Name)
		}
	}
}

// The schedule grows with the points, 750 iterations as openTSNE's and 1,000 as scikit-learn's, unless a recipe is
// given.
func TestScheduleBySize(t *testing.T) {
	for _, c := range []struct {
		m       *TSNE
		n, want int
	}{
		{New(), 10000, 750}, {New(WithPerplexity(9)), 10001, 1000},
		{New(WithRecipe(Current())), 10001, 750}, {New(WithRecipe(PaperScript())), 10001, 1000},
	} {
		if got := c.m.sized(c.n).recipe.Iterations(); got != c.want {
			t.Errorf("%d points: %d iterations, want %d", c.n, got, c.want)
		}
		if c.m.recipe.Phases[1].Iterations == 750 {
			t.Error("settling the schedule changed the method")
		}
	}
}

func TestStepInPiecesEqualsFit(t *testing.T) {
	x, _ := wave()
	ctx := context.Background()
	r := Current()
	r.Phases[0].Iterations, r.Phases[1].Iterations = 40, 30
	whole := fit(t, x, WithRecipe(r))
	var seen []int
	s, err := New(WithRecipe(r), WithProgress(20, func(p Progress) { seen = append(seen, p.Iteration) })).Start(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	live := s.Positions()
	for _, k := range []int{1, 38, 0, 2, 7} {
		if made, err := s.Step(ctx, k); made != k || err != nil {
			t.Fatalf("Step(%d) made %d, %v", k, made, err)
		}
	}
	if made, _ := s.Step(ctx, 1000); made != 22 || s.Iteration() != 70 || s.Remaining() != 0 {
		t.Errorf("the last Step made %d of 22, %d done, %d remaining", made, s.Iteration(), s.Remaining())
	}
	for i, v := range whole.Y.Data {
		if float64(live[i]) != v {
			t.Fatalf("coordinate %d is %v in pieces, %v at once", i, live[i], v)
		}
	}
	if !slices.Equal(seen, []int{20, 40, 60, 70}) {
		t.Errorf("progress at %v", seen)
	}
}

func TestSessionChangesParameters(t *testing.T) {
	x, _ := wave()
	ctx := context.Background()
	s, err := New(WithPerplexity(30)).Start(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	s.Step(ctx, 100)
	if err := s.SetPerplexity(ctx, 15); err != nil {
		t.Fatal(err)
	}
	near(t, "p over 3·perplexity neighbours", s.Affinities().At(0, 3)/3.7128470200354964e-05, 1, 1e-3)
	if err := s.SetPlan([]Phase{{Iterations: 400, Exaggeration: 1, Momentum: 0.8, Restart: true}}); err != nil {
		t.Fatal(err)
	}
	before := s.KL()
	s.Step(ctx, 400)
	if s.Remaining() != 0 || s.Iteration() != 500 || s.KL() > 0.12 || s.KL() > before {
		t.Errorf("%d done, %d remaining, KL %.4f after %.4f", s.Iteration(), s.Remaining(), s.KL(), before)
	}
	if l := s.Layout(); l.Recipe.Perplexity != 15 {
		t.Errorf("the layout says perplexity %v", l.Recipe.Perplexity)
	}
	if err := s.SetPlan([]Phase{{Iterations: 1, Exaggeration: 1, Momentum: 1}}); err == nil {
		t.Error("momentum 1 was accepted")
	}
	if err := s.SetPerplexity(ctx, 50); err == nil {
		t.Error("perplexity 50 was accepted for 120 points")
	}
}

func TestPermutedPointsGivePermutedLayout(t *testing.T) {
	x, _ := wave()
	perm := rng.New(7, rng.TSNE).Perm(120)
	y := NewMatrix(120, 2)
	for i := range y.Data {
		y.Data[i] = 1e-4 * math.Sin(float64(i*i))
	}
	px, py := NewMatrix(120, 4), NewMatrix(120, 2)
	for i, j := range perm {
		copy(px.Row(i), x.Row(j))
		copy(py.Row(i), y.Row(j))
	}
	r := Current()
	r.Perplexity = 15
	r.Phases = []Phase{{Iterations: 30, Exaggeration: 12, Momentum: 0.8}}
	a := fit(t, x, WithRecipe(r), WithInit(y))
	b := fit(t, px, WithRecipe(r), WithInit(py))
	size := 0.0
	for _, v := range a.Y.Data {
		size = max(size, math.Abs(v))
	}
	for i, j := range perm {
		near(t, "x", b.Y.Row(i)[0]/size, a.Y.Row(j)[0]/size, 1e-3)
		near(t, "y", b.Y.Row(i)[1]/size, a.Y.Row(j)[1]/size, 1e-3)
	}
}

func TestScaleAndConstantColumnsDoNotMatter(t *testing.T) {
	x, _ := wave()
	wide := NewMatrix(120, 6)
	for i := range 120 {
		row := wide.Row(i)
		row[0], row[5] = 3, -1e9
		for c, v := range x.Row(i) {
			row[1+c] = v * 1024
		}
	}
	r := Current()
	r.Phases = r.Phases[:1]
	a, b := fit(t, x, WithRecipe(r)), fit(t, wide, WithRecipe(r))
	if !slices.Equal(a.Y.Data, b.Y.Data) {
		t.Error("a power-of-two scale and constant columns changed the layout")
	}
	if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "2 columns of 6") {
		t.Errorf("notes %q", b.Notes)
	}
}

func TestDuplicatesAndLinesAreLaidOut(t *testing.T) {
	dup := NewMatrix(60, 2)
	for i := range 60 {
		dup.Row(i)[0], dup.Row(i)[1] = float64(i%3), float64(i%3*i%3)
	}
	line := NewMatrix(60, 1)
	for i := range 60 {
		line.Data[i] = float64(i)
	}
	for name, x := range map[string]Matrix{"duplicates": dup, "line": line} {
		l := fit(t, x, WithPerplexity(10))
		for i, v := range l.Y.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: coordinate %d is %v", name, i, v)
			}
		}
		for i := range 59 {
			if slices.Equal(l.Y.Row(i), l.Y.Row(i+1)) {
				t.Errorf("%s: points %d and %d coincide", name, i, i+1)
			}
		}
	}
	if l := fit(t, dup, WithPerplexity(10)); len(l.Notes) != 1 || !strings.HasPrefix(l.Notes[0], "60 points of 60") {
		t.Errorf("notes %q", l.Notes)
	}
}

// components are the scores of the rows of x on its first k principal components, in the units of x.
func components(t *testing.T, x Matrix, k int) Matrix {
	t.Helper()
	f, err := newFrame(x)
	if err != nil {
		t.Fatal(err)
	}
	p := f.apply(x)
	mean, loadings := principal(p, k, 2)
	scores := project(p, mean, loadings)
	out := NewMatrix(x.Rows, k)
	for i, v := range scores.data {
		out.Data[i] = float64(v) / f.scale
	}
	return out
}

func TestPrincipalComponents(t *testing.T) {
	x, _ := wave()
	pc := components(t, x, 2)
	want := [][2]float64{{5.5347631, 2.78238326}, {-1.58858869, -2.18734202}, {0.22569434, 3.96666491}} // numpy's SVD
	for i, w := range want {
		near(t, "first", pc.Row(i)[0], w[0], 2e-6)
		near(t, "second", pc.Row(i)[1], w[1], 2e-6)
	}
}

// Many columns go another way: the components of points in a plane that a rotation has hidden in 600 columns are the
// points' own, whose covariance is diagonal.
func TestPrincipalComponentsOfManyColumns(t *testing.T) {
	x := NewMatrix(300, 600)
	var first, second []float64
	for i := range 300 {
		a, b := 5*math.Sin(2*math.Pi*float64(i)/300), 2*math.Cos(2*math.Pi*float64(i)/300)
		first, second = append(first, a), append(second, b)
		for c := range 600 {
			x.Row(i)[c] = (a*math.Cos(math.Pi*(float64(c)+0.5)*7/600) +
				b*math.Cos(math.Pi*(float64(c)+0.5)*90/600)) / math.Sqrt(300)
		}
	}
	pc := components(t, x, 2)
	sign := [2]float64{math.Copysign(1, pc.Row(75)[0]*first[75]), math.Copysign(1, pc.Row(0)[1]*second[0])}
	for i := range 300 {
		near(t, "first", sign[0]*pc.Row(i)[0], first[i], 1e-5)
		near(t, "second", sign[1]*pc.Row(i)[1], second[i], 1e-5)
	}
}

func TestBadInput(t *testing.T) {
	x, _ := wave()
	nan := NewMatrix(120, 4)
	copy(nan.Data, x.Data)
	nan.Row(17)[2] = math.NaN()
	inf := NewMatrix(120, 4)
	inf.Row(3)[0] = math.Inf(-1)
	edit := func(f func(*Recipe)) Option {
		r := Current()
		f(&r)
		return WithRecipe(r)
	}
	for _, c := range []struct {
		x    Matrix
		opt  Option
		want string
	}{
		{nan, WithSeed(1), "row 17, column 2 (counted from 0) is NaN"},
		{inf, WithSeed(1), "row 3, column 0 (counted from 0) is -Inf"},
		{x, WithPerplexity(40), "perplexity 40 needs at least 121 points, got 120; the largest perplexity allowed " +
			"here is 39.66"},
		{x, WithPerplexity(1), "perplexity 1 is outside (1, 39.67]"},
		{x, WithPerplexity(math.NaN()), "perplexity NaN is outside"},
		{NewMatrix(1, 4), WithSeed(1), "1 point cannot be laid out"},
		{NewMatrix(4, 4), WithPerplexity(1.2), "4 points cannot be laid out: t-SNE needs at least 5"},
		{NewMatrix(0, 4), WithSeed(1), "no data: the matrix is 0×4"},
		{NewMatrix(100, 3), WithSeed(1), "all 100 points are equal"},
		{Matrix{Rows: 3, Cols: 2, Data: make([]float64, 5)}, WithSeed(1), "a 3×2 matrix needs 6 values, got 5"},
		{x, WithInit(NewMatrix(3, 2)), "the given start has 6 values; 120 points need 120×2"},
		{x, WithStart("spectral", 1), `start "spectral" is unknown`},
		{x, WithStart(StartRandom, 0), "start_std 0 must be positive"},
		{x, edit(func(r *Recipe) { r.PCADims = -1 }), "pca_dims -1 is negative"},
		{x, edit(func(r *Recipe) { r.StepClip = -1 }), "step_clip -1"},
		{x, edit(func(r *Recipe) { r.Phases[1].Momentum = 1 }), "phase 1: momentum 1 is outside [0, 1)"},
		{x, edit(func(r *Recipe) { r.Phases[0].Exaggeration = 0 }), "phase 0: exaggeration 0"},
		{x, edit(func(r *Recipe) { r.Phases[0].LearningRate = -3 }), "phase 0: learning_rate -3"},
	} {
		_, err := New(c.opt).Fit(context.Background(), c.x)
		var bad *InputError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := New().Start(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if made, err := s.Step(ctx, 5); made != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Step made %d, %v", made, err)
	}
	if made, err := s.Step(context.Background(), 5); made != 5 || err != nil {
		t.Errorf("the session did not go on: %d, %v", made, err)
	}
}

// A search for neighbours ends soon after its context does, also where one thread does everything and timers wait for
// it.
func TestNeighboursCancelled(t *testing.T) {
	x := NewMatrix(20_000, 10)
	r := rand.New(rand.NewPCG(8, 9))
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	if g, err := ExactNeighbours(ctx, x, 30, 1); g != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was cancelled returned %v, %v", g != nil, err)
	}
}
