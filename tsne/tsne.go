// Package tsne lays points out in the plane by t-distributed stochastic neighbour embedding (van der Maaten and Hinton
// 2008). It measures how well the layout, and the points the layout was made from, keep groups apart: by centroid
// distances, nearest-centroid accuracy, silhouette and trustworthiness. It is meant for any number of points up to some
// hundred thousand. A layout depends on the data, the recipe and the seed. It does not depend on the number of workers
// or on the processor's vector units. If the recipe names its Method, compilation to WebAssembly does not change the
// layout either. The package does not know where the points come from.
//
//	e, err := tsne.Load("embeddings.npz", "label")
//	if err != nil {
//		return err
//	}
//	layout, err := tsne.New(tsne.WithSeed(1)).Fit(ctx, e.Mean)
//	if err != nil {
//		return err
//	}
//	c, err := tsne.MeasureClusters(layout.Y, e.Label)
//	fmt.Println(c.Intra, c.Inter, c.Ratio)
package tsne

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"nacre/tsne/internal/lanes"
)

// Matrix is a row-major matrix of points: point i is Data[i*Cols : (i+1)*Cols].
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// NewMatrix returns a rows×cols matrix of zeros.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// Row returns point i, sharing memory with m.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// Progress holds what a progress callback sees.
type Progress struct {
	Iteration, Of int       // numbers of iterations made and planned
	KL            float64   // Optimization.KL after these iterations
	Positions     []float32 // Optimization.Positions, the live layout
}

// TSNE is a configured method. It holds no data and may be used again and from several goroutines.
type TSNE struct {
	recipe   Recipe
	bySize   bool // whether the schedule comes from CurrentFor
	seed     uint64
	workers  int
	init     []float64
	graph    *Graph
	every    int
	progress func(Progress)
	kernels  string // "" chooses
	team     *member
	engine   Accelerator
	columns  []string
}

// Option configures New.
type Option func(*TSNE)

// WithRecipe sets the recipe; the default is CurrentFor(n) for n points.
func WithRecipe(r Recipe) Option { return func(t *TSNE) { t.recipe, t.bySize = r, false } }

// WithPerplexity changes the perplexity of the recipe.
func WithPerplexity(p float64) Option { return func(t *TSNE) { t.recipe.Perplexity = p } }

// WithMetric changes the distance that neighbours and affinities go by.
func WithMetric(m Metric) Option { return func(t *TSNE) { t.recipe.Metric = m } }

// WithColumns chooses columns by names or by patterns such as "latent*". It is for callers that lay out a table, such
// as lab.LayOut.
func WithColumns(names ...string) Option { return func(t *TSNE) { t.columns = names } }

// Columns are the columns that WithColumns chose; nil if it chose none.
func (t *TSNE) Columns() []string { return t.columns }

// WithStart changes the start of the recipe and its standard deviation in layout units.
func WithStart(s Start, std float64) Option {
	return func(t *TSNE) { t.recipe.Start, t.recipe.StartStd = s, std }
}

// WithDims changes the dimension of the layout, 2 or 3.
func WithDims(d int) Option { return func(t *TSNE) { t.recipe.Dims = d } }

// WithInit starts from y, a layout that is used as given.
func WithInit(y Matrix) Option {
	return func(t *TSNE) { t.init, t.recipe.Start = y.Data, StartGiven }
}

// WithGraph sets the neighbours. The data is then used only for the start. It may have no columns if the start is
// random or given.
func WithGraph(g *Graph) Option { return func(t *TSNE) { t.graph = g } }

// WithSeed sets the seed of the start; the default is 0.
func WithSeed(seed uint64) Option { return func(t *TSNE) { t.seed = seed } }

// WithWorkers sets how many goroutines share the work; 0, the default, is one per core. The result is the same.
func WithWorkers(n int) Option { return func(t *TSNE) { t.workers = n } }

// WithProgress calls f every so many iterations and after the last iteration, from the goroutine that calls Step.
// Progress.Positions is the live layout: read it, do not keep it.
func WithProgress(every int, f func(Progress)) Option {
	return func(t *TSNE) { t.every, t.progress = every, f }
}

// New returns a method with the given options. Options are checked only when data is given.
func New(opts ...Option) *TSNE {
	t := &TSNE{recipe: Current(), bySize: true, team: alone()}
	for _, o := range opts {
		o(t)
	}
	t.workers = orAllCores(t.workers)
	return t
}

// sized is t with its schedule settled for n points.
func (t *TSNE) sized(n int) *TSNE {
	if !t.bySize {
		return t
	}
	s := *t
	s.recipe.Phases, s.bySize = CurrentFor(n).Phases, false
	return &s
}

func orAllCores(workers int) int {
	if workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// kernels are the fastest here, or what NACRE_CPU names.
func kernels() (*lanes.Set, error) {
	set, err := lanes.Select("")
	if err != nil {
		return nil, badInput("%s: %v", lanes.Environment, err)
	}
	return set, nil
}

// Layout holds the places of the points, in the plane or in space.
type Layout struct {
	Y      Matrix   // n×2 or n×3 coordinates in layout units, with mean zero
	KL     float64  // KL(P‖Q) in nats, with Q computed over every pair
	Recipe Recipe   // recipe that made the layout
	Method Method   // method that MethodAuto chose; a recipe that names this method gives the same layout everywhere
	Seed   uint64   //
	Notes  []string // sentences about what was noticed in the data
}

// Fit runs the whole recipe on the rows of x (n points, any number of columns). It returns an *InputError if the data
// or the recipe cannot be used, and ctx.Err() if it is stopped.
func (t *TSNE) Fit(ctx context.Context, x Matrix) (*Layout, error) {
	s, err := t.Start(ctx, x)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, err := s.Step(ctx, s.Remaining()); err != nil {
		return nil, err
	}
	return s.Layout(), nil
}

// InputError says what is wrong with data or recipe, in one sentence.
type InputError struct{ Problem string }

func (e *InputError) Error() string { return "tsne: " + e.Problem }

func badInput(format string, args ...any) error {
	return &InputError{Problem: fmt.Sprintf(format, args...)}
}

func checkData(x Matrix) error {
	if x.Rows < 0 || x.Cols < 0 || len(x.Data) != x.Rows*x.Cols {
		return badInput("a %d×%d matrix needs %d values, got %d", x.Rows, x.Cols, x.Rows*x.Cols, len(x.Data))
	}
	if x.Rows == 0 || x.Cols == 0 {
		return badInput("no data: the matrix is %d×%d", x.Rows, x.Cols)
	}
	for i, v := range x.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return badInput("row %d, column %d (counted from 0) is %v; every value must be finite", i/x.Cols,
				i%x.Cols, v)
		}
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
