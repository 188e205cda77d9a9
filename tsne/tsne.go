// Package tsne lays points out in the plane by t-distributed stochastic neighbour embedding (van der Maaten and
// Hinton 2008) and measures how well the layout, and the points it came from, keep groups apart: centroid distances,
// nearest-centroid accuracy, silhouette, trustworthiness. The method is exact, O(n²) per iteration over all cores,
// meant for a few thousand points; the result depends on the data, the recipe and the seed, never on the number of
// workers. The package knows nothing of where the points come from.
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

// Start names where a layout begins.
type Start string

const (
	// StartPCA is the first two principal components, scaled so that the first has the recipe's StartStd, with
	// normal jitter of a hundredth of that, which separates equal points.
	StartPCA Start = "pca"
	// StartRandom is a normal cloud of standard deviation StartStd.
	StartRandom Start = "random"
	// StartGiven is the layout passed by WithInit, used as it is.
	StartGiven Start = "given"
)

// Recipe is everything besides data and seed that decides a layout. It is plain data, meant to be stored with
// every figure: t-SNE distances can be compared only between layouts of one recipe.
type Recipe struct {
	Name       string  `json:"name" toml:"name"`
	Perplexity float64 `json:"perplexity" toml:"perplexity"` // effective number of neighbours, in (1, (n-1)/3]
	PCADims    int     `json:"pca_dims" toml:"pca_dims"`     // principal components kept before anything else; 0 keeps the columns as they are
	Start      Start   `json:"start" toml:"start"`
	StartStd   float64 `json:"start_std" toml:"start_std"` // layout units
	StepClip   float64 `json:"step_clip" toml:"step_clip"` // longest step of a point in one iteration, layout units; 0 is no limit
	Phases     []Phase `json:"phases" toml:"phases"`
}

// Phase is a stretch of gradient descent with constant parameters. One iteration moves point i by
//
//	u ← momentum·u − rate·gain·Σ_j (exaggeration·p_ij − q_ij)·(y_i − y_j)/(1 + |y_i − y_j|²)
//
// where the gain of each coordinate grows by 0.2 while it keeps going downhill (u and the sum have opposite signs)
// and shrinks to 0.8 of itself, never below 0.01, when it does not (Jacobs 1988). The sum is a quarter of the gradient of
// KL(P‖Q), as in the original code and in openTSNE; scikit-learn's learning rate is a quarter of this one.
type Phase struct {
	Iterations   int     `json:"iterations" toml:"iterations"`
	Exaggeration float64 `json:"exaggeration" toml:"exaggeration"`   // factor on the attraction, ≥ 1 in practice
	Momentum     float64 `json:"momentum" toml:"momentum"`           // in [0, 1)
	LearningRate float64 `json:"learning_rate" toml:"learning_rate"` // 0 means n/exaggeration
	Restart      bool    `json:"restart" toml:"restart"`             // begin with zero steps and unit gains
}

// Current is the field's present practice (the defaults of openTSNE): perplexity 30, PCA start, 250 iterations at
// exaggeration 12 and 500 without, learning rate n/exaggeration (Belkina et al. 2019), momentum 0.8, steps of at
// most 5.
func Current() Recipe {
	return Recipe{
		Name: "current", Perplexity: 30, Start: StartPCA, StartStd: 1e-4, StepClip: 5,
		Phases: []Phase{
			{Iterations: 250, Exaggeration: 12, Momentum: 0.8},
			{Iterations: 500, Exaggeration: 1, Momentum: 0.8, Restart: true},
		},
	}
}

// PaperScript is the procedure of the TCL-PEARL study as its authors ran it: perplexity 20 on the first 14 principal
// components and the schedule of van der Maaten's script, 1,000 iterations at learning rate 500 from a
// unit-normal start, exaggeration 4 for the first 100 and momentum 0.5 for the first 20.
func PaperScript() Recipe {
	return Recipe{
		Name: "paper-script", Perplexity: 20, PCADims: 14, Start: StartRandom, StartStd: 1,
		Phases: []Phase{
			{Iterations: 20, Exaggeration: 4, Momentum: 0.5, LearningRate: 500},
			{Iterations: 80, Exaggeration: 4, Momentum: 0.8, LearningRate: 500},
			{Iterations: 900, Exaggeration: 1, Momentum: 0.8, LearningRate: 500},
		},
	}
}

// Recipes lists the named recipes.
func Recipes() []Recipe { return []Recipe{Current(), PaperScript()} }

// Iterations is the length of the whole schedule.
func (r Recipe) Iterations() int {
	n := 0
	for _, p := range r.Phases {
		n += p.Iterations
	}
	return n
}

// Progress is what a progress callback sees.
type Progress struct {
	Iteration, Of int     // iterations done and planned
	KL            float64 // exact KL(P‖Q) in nats, without exaggeration
	Positions     []float32
}

// TSNE is a configured method. It holds no data and may be used again and from several goroutines.
type TSNE struct {
	recipe   Recipe
	seed     uint64
	workers  int
	init     []float64
	every    int
	progress func(Progress)
}

// Option configures New.
type Option func(*TSNE)

// WithRecipe sets the recipe; the default is Current.
func WithRecipe(r Recipe) Option { return func(t *TSNE) { t.recipe = r } }

// WithPerplexity changes the perplexity of the recipe.
func WithPerplexity(p float64) Option { return func(t *TSNE) { t.recipe.Perplexity = p } }

// WithStart changes the start of the recipe and its standard deviation in layout units.
func WithStart(s Start, std float64) Option {
	return func(t *TSNE) { t.recipe.Start, t.recipe.StartStd = s, std }
}

// WithInit starts from y, an n×2 layout that is used as given.
func WithInit(y Matrix) Option {
	return func(t *TSNE) { t.init, t.recipe.Start = y.Data, StartGiven }
}

// WithSeed sets the seed of the start; the default is 0.
func WithSeed(seed uint64) Option { return func(t *TSNE) { t.seed = seed } }

// WithWorkers sets how many goroutines share the work; 0, the default, is one per core. The result is the same.
func WithWorkers(n int) Option { return func(t *TSNE) { t.workers = n } }

// WithProgress calls f after every so many iterations and after the last, from the goroutine that steps.
// Progress.Positions is the live layout: read it, do not keep it.
func WithProgress(every int, f func(Progress)) Option {
	return func(t *TSNE) { t.every, t.progress = every, f }
}

// New returns a method with the given options; nothing is checked until data is known.
func New(opts ...Option) *TSNE {
	t := &TSNE{recipe: Current()}
	for _, o := range opts {
		o(t)
	}
	if t.workers <= 0 {
		t.workers = runtime.GOMAXPROCS(0)
	}
	return t
}

// Layout is a finished embedding.
type Layout struct {
	Y      Matrix   // n×2, layout units, mean zero
	KL     float64  // exact KL(P‖Q) in nats
	Recipe Recipe   // what it was made with
	Seed   uint64   //
	Notes  []string // what was noticed about the data, one sentence each
}

// Fit runs the whole recipe on the rows of x (n points, any number of columns). It returns an *InputError when the
// data or the recipe cannot be used and ctx.Err() when stopped.
func (t *TSNE) Fit(ctx context.Context, x Matrix) (*Layout, error) {
	s, err := t.Start(ctx, x)
	if err != nil {
		return nil, err
	}
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

// maxPoints keeps the affinities, n(n−1)/2 float32 values, below one GiB.
const maxPoints = 20000

// LargestPerplexity is the largest perplexity n points allow, (n−1)/3: beyond a third of the points the notion of
// a neighbourhood is gone, and the same limit serves methods that keep 3·perplexity neighbours.
func LargestPerplexity(n int) float64 { return float64(n-1) / 3 }

func checkData(x Matrix) error {
	if x.Rows < 0 || x.Cols < 0 || len(x.Data) != x.Rows*x.Cols {
		return badInput("a %d×%d matrix needs %d values, got %d", x.Rows, x.Cols, x.Rows*x.Cols, len(x.Data))
	}
	if x.Rows == 0 || x.Cols == 0 {
		return badInput("no data: the matrix is %d×%d", x.Rows, x.Cols)
	}
	for i, v := range x.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return badInput("row %d, column %d (counted from 0) is %v; every value must be finite", i/x.Cols, i%x.Cols, v)
		}
	}
	return nil
}

func checkPerplexity(p float64, n int) error {
	largest := LargestPerplexity(n)
	switch {
	case n < 5:
		return badInput("%s cannot be laid out: t-SNE needs at least 5", count(n, "point"))
	case math.IsNaN(p) || p <= 1:
		return badInput("perplexity %v is outside (1, %.4g], the range for %d points", p, largest, n)
	case p > largest:
		return badInput("perplexity %v needs at least %.0f points, got %d; the largest perplexity allowed here is %.4g",
			p, math.Ceil(3*p+1), n, math.Floor(largest*100)/100)
	}
	return nil
}

func (r Recipe) check(n, cols int) error {
	if err := checkPerplexity(r.Perplexity, n); err != nil {
		return err
	}
	if r.PCADims < 0 {
		return badInput("pca_dims %d is negative; 0 keeps all columns", r.PCADims)
	}
	if !(r.StepClip >= 0) {
		return badInput("step_clip %v must be 0 (no limit) or positive", r.StepClip)
	}
	switch r.Start {
	case StartPCA, StartRandom:
		if !(r.StartStd > 0) || math.IsInf(r.StartStd, 0) {
			return badInput("start_std %v must be positive and finite", r.StartStd)
		}
	case StartGiven:
	default:
		return badInput("start %q is unknown; it is %q, %q or a layout given by WithInit", r.Start, StartPCA, StartRandom)
	}
	return checkPhases(r.Phases)
}

func checkPhases(phases []Phase) error {
	for i, p := range phases {
		switch {
		case p.Iterations < 0:
			return badInput("phase %d: iterations %d is negative", i, p.Iterations)
		case !(p.Exaggeration > 0) || math.IsInf(p.Exaggeration, 0):
			return badInput("phase %d: exaggeration %v must be positive and finite", i, p.Exaggeration)
		case !(p.Momentum >= 0 && p.Momentum < 1):
			return badInput("phase %d: momentum %v is outside [0, 1)", i, p.Momentum)
		case !(p.LearningRate >= 0) || math.IsInf(p.LearningRate, 0):
			return badInput("phase %d: learning_rate %v must be 0 (n/exaggeration) or positive", i, p.LearningRate)
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
