package study

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/tsne"
)

// ContextResult says how well the encoder of a run tells tasks apart with contexts of one kind.
type ContextResult struct {
	Context experiment.ContextKind `json:"context"`
	PerTask int                    `json:"per_task"` // contexts per task
	Plane   tsne.Discrimination    `json:"plane"`    // the plane of t-SNE, with the recipe of studies
	Latent  tsne.Discrimination    `json:"latent"`   // posterior means

	embeddings *tsne.Embeddings
	layout     tsne.Matrix // n×2
}

// ContextFiles returns the names of the files in a run's folder with the embeddings of a kind of context and with their
// plane. For windows they are EmbeddingsFile and LayoutFile.
func ContextFiles(kind experiment.ContextKind) (embeddings, layout string) {
	if kind == experiment.WindowContext {
		return EmbeddingsFile, LayoutFile
	}
	return fmt.Sprintf("embeddings-%s.npz", kind), fmt.Sprintf("layout-%s.npz", kind)
}

// contextPicture is the name of the picture of a kind's planes, without its ending.
func contextPicture(kind experiment.ContextKind) string {
	if kind == experiment.WindowContext {
		return "tsne"
	}
	return "tsne-" + string(kind)
}

// explore makes and embeds the contexts of all kinds in the plan. The first set has windows, which every study embeds.
func (r *runner) explore(ctx context.Context, a *experiment.Agent,
	s *SeedResult) (windows *experiment.Contexts, err error) {
	o := experiment.EmbedOptions{
		Tasks: r.plan.Tasks, Windows: r.plan.Windows, Length: r.length, Seed: s.Seed, VaryStart: r.plan.VaryStart,
	}
	kinds := []experiment.ContextKind{experiment.WindowContext}
	for _, k := range r.plan.Contexts {
		if k != experiment.WindowContext && k != experiment.MetaTestContext {
			kinds = append(kinds, k)
		}
	}
	made, err := a.Contexts(ctx, o, kinds...)
	if err != nil {
		return nil, err
	}
	if slices.Contains(r.plan.Contexts, experiment.MetaTestContext) {
		o.Windows = r.plan.Adaptations
		adapted, err := a.Contexts(ctx, o, experiment.MetaTestContext)
		if err != nil {
			return nil, err
		}
		made = append(made, adapted...)
	}
	if s.embeddings, err = a.EmbedContexts(made[0]); err != nil {
		return nil, err
	}
	narrow(s.embeddings)
	for _, kind := range r.plan.Contexts {
		c := ContextResult{Context: kind}
		i := slices.IndexFunc(made, func(m *experiment.Contexts) bool { return m.Kind == kind })
		if c.embeddings, err = a.EmbedContexts(made[i]); err != nil {
			return nil, err
		}
		meansOnly(c.embeddings)
		s.Contexts = append(s.Contexts, c)
	}
	return made[0], nil
}

// narrow rounds embeddings to 32 bits, the precision of the networks. Then files are half as long, and results are
// computed from the stored numbers.
func narrow(e *tsne.Embeddings) {
	for _, m := range []tsne.Matrix{e.Mean, e.Std} {
		for i, v := range m.Data {
			m.Data[i] = float64(float32(v))
		}
	}
}

// meansOnly is narrow, and drops the standard deviations, which are evaluated only for windows.
func meansOnly(e *tsne.Embeddings) {
	e.Std = tsne.Matrix{}
	narrow(e)
}

// analyseContexts lays out and measures the embeddings of every kind, after those of windows.
func (s *SeedResult) analyseContexts(ctx context.Context, show progress.Progress) error {
	for i := range s.Contexts {
		c := &s.Contexts[i]
		if c.Context == experiment.WindowContext {
			c.embeddings, c.layout = s.embeddings, s.Embedding.Layout.Y
		} else {
			stage := show.Stage(fmt.Sprintf("t-SNE, context %s, seed %d", c.Context, s.Seed), 0)
			var err error
			c.layout, err = layOut(ctx, c.embeddings.Mean, s.Seed)
			stage.Done()
			if err != nil {
				return err
			}
		}
		if err := c.measure(s.Seed); err != nil {
			return err
		}
	}
	return nil
}

// layOut makes the plane of the rows of x. Rows that are all equal lie in one place: an agent that has settled on one
// motion gives its encoder the same context on every task.
func layOut(ctx context.Context, x tsne.Matrix, seed uint64) (tsne.Matrix, error) {
	one := true
	for i := range x.Rows {
		one = one && slices.Equal(x.Row(i), x.Row(0))
	}
	if one {
		return tsne.NewMatrix(x.Rows, 2), nil
	}
	layout, err := tsne.New(tsne.WithRecipe(Layout()), tsne.WithSeed(seed)).Fit(ctx, x)
	if err != nil {
		return tsne.Matrix{}, err
	}
	return layout.Y, nil
}

// measure computes the results of the plane and of latent space, with their replicates.
func (c *ContextResult) measure(seed uint64) (err error) {
	const replicates = 1000
	labels := slices.Compact(slices.Sorted(slices.Values(c.embeddings.Label)))
	c.PerTask = len(c.embeddings.Label) / len(labels)
	if c.Plane, err = tsne.Discriminate(c.layout, c.embeddings.Label, replicates, seed, 0); err != nil {
		return err
	}
	c.Latent, err = tsne.Discriminate(c.embeddings.Mean, c.embeddings.Label, replicates, seed, 0)
	return err
}

// save writes the arrays of a kind to the folder of the run; those of windows are there already.
func (c *ContextResult) save(dir string) error {
	if c.Context == experiment.WindowContext {
		return nil
	}
	embeddings, layout := ContextFiles(c.Context)
	if err := c.embeddings.Save(filepath.Join(dir, embeddings)); err != nil {
		return err
	}
	plane := tsne.Embeddings{Mean: c.layout, Label: c.embeddings.Label}
	return plane.Save(filepath.Join(dir, layout))
}

// load reads the arrays that save has written. Replicates are not stored; they are made again when they are needed.
func (c *ContextResult) load(dir string, names []string) (err error) {
	embeddings, layout := ContextFiles(c.Context)
	if c.embeddings, err = tsne.Load(filepath.Join(dir, embeddings), ""); err != nil {
		return err
	}
	c.embeddings.Names = names
	plane, err := tsne.Load(filepath.Join(dir, layout), "")
	if err != nil {
		return err
	}
	c.layout = plane.Mean
	return nil
}

// replicate makes the replicates of results that were read.
func (c *ContextResult) replicate(seed uint64) error {
	if c.Latent.Replicates != nil {
		return nil
	}
	again := *c
	if err := again.measure(seed); err != nil {
		return err
	}
	c.Plane.Replicates, c.Latent.Replicates = again.Plane.Replicates, again.Latent.Replicates
	return nil
}

// figure is a number by which arms are compared, measured once per seed.
type figure struct {
	name string // name in results.json
	what string // name in sentences
	of   func(SeedResult) (stats.Replicated, error)
}

// ratioInPlane and the others name the figures of contexts.
const (
	ratioInPlane  = "plane_ratio"
	ratioInLatent = "latent_ratio"
)

// figuresOf returns the figures of contexts of one kind.
func figuresOf(kind experiment.ContextKind) []figure {
	figureOf := func(name, what string, pick func(*ContextResult) (tsne.Discrimination, string)) figure {
		return figure{name, what, func(s SeedResult) (stats.Replicated, error) {
			c, err := s.context(kind)
			if err != nil {
				return stats.Replicated{}, err
			}
			if err := c.replicate(s.Seed); err != nil {
				return stats.Replicated{}, err
			}
			d, of := pick(c)
			return stats.Replicated{Value: d.Figure(of), Replicates: d.Replicates[of]}, nil
		}}
	}
	latent := func(name string) func(*ContextResult) (tsne.Discrimination, string) {
		return func(c *ContextResult) (tsne.Discrimination, string) { return c.Latent, name }
	}
	return []figure{
		figureOf(ratioInPlane, "ratio in the plane", func(c *ContextResult) (tsne.Discrimination, string) {
			return c.Plane, tsne.RatioFigure
		}),
		figureOf(ratioInLatent, "ratio in latent space", latent(tsne.RatioFigure)),
		figureOf(tsne.SilhouetteFigure, "silhouette", latent(tsne.SilhouetteFigure)),
		figureOf(tsne.AccuracyFigure, "nearest-centroid accuracy", latent(tsne.AccuracyFigure)),
		figureOf(tsne.NeighboursFigure, "kNN accuracy", latent(tsne.NeighboursFigure)),
		figureOf(tsne.ProbeFigure, "linear-probe accuracy", latent(tsne.ProbeFigure)),
	}
}

// context returns the figures of a kind.
func (s SeedResult) context(kind experiment.ContextKind) (*ContextResult, error) {
	i := slices.IndexFunc(s.Contexts, func(c ContextResult) bool { return c.Context == kind })
	if i < 0 {
		return nil, fmt.Errorf("study: %s has no contexts of kind %s", s.Run, kind)
	}
	return &s.Contexts[i], nil
}

// ContextRow is one arm's line in the table of one kind of context. Every number has an interval, from a bootstrap over
// seeds and, within each seed, over contexts.
type ContextRow struct {
	Arm     string                    `json:"arm"`
	Context experiment.ContextKind    `json:"context"`
	Figures map[string]stats.Interval `json:"figures"` // of latent space, unless the name says plane
}

// Contrast is the difference of two arms in one number.
type Contrast struct {
	A string `json:"a"` // arms; the difference is B − A
	B string `json:"b"`
	// kind of context; empty for numbers of the evaluation
	Context experiment.ContextKind `json:"context,omitempty"`
	Figure  string                 `json:"figure"`
	// Difference is the mean difference, with an interval over paired seeds and contexts.
	Difference stats.Interval `json:"difference"`
	// Test is the test of the seeds' differences. It is nil with one seed, for which there is no test.
	Test *stats.SignFlips `json:"sign_flip,omitempty"`
}

// direction is the sign of the difference if its interval excludes 0, else 0.
func (c Contrast) direction() int {
	switch {
	case c.Difference.Lo > 0:
		return 1
	case c.Difference.Hi < 0:
		return -1
	}
	return 0
}

const (
	level     = 0.95
	resamples = 4000
)

// contexts fills the tables of contexts if the plan names kinds of context.
func (r *Result) contexts() error {
	for _, kind := range r.Plan.Contexts {
		for _, f := range figuresOf(kind) {
			var values [][]stats.Replicated
			for _, a := range r.Arms {
				v, err := a.figures(f)
				if err != nil {
					return err
				}
				values = append(values, v)
			}
			for i, a := range r.Arms {
				interval, err := stats.Nested(values[i:i+1], func(m []float64) float64 { return m[0] }, level,
					resamples, 1)
				if err != nil {
					return err
				}
				r.contextRow(a.Name, kind).Figures[f.name] = interval
			}
			for i := range r.Arms {
				for j := i + 1; j < len(r.Arms); j++ {
					c, err := contrastOf(values[i], values[j])
					if err != nil {
						return err
					}
					c.A, c.B, c.Context, c.Figure = r.Arms[i].Name, r.Arms[j].Name, kind, f.name
					r.Contrasts = append(r.Contrasts, c)
				}
			}
		}
	}
	return nil
}

// contextRow finds an arm's line, or begins it.
func (r *Result) contextRow(arm string, kind experiment.ContextKind) *ContextRow {
	for i := range r.Contexts {
		if c := &r.Contexts[i]; c.Arm == arm && c.Context == kind {
			return c
		}
	}
	r.Contexts = append(r.Contexts, ContextRow{Arm: arm, Context: kind, Figures: map[string]stats.Interval{}})
	return &r.Contexts[len(r.Contexts)-1]
}

// figures returns a figure for all seeds.
func (a ArmResult) figures(f figure) (out []stats.Replicated, err error) {
	for _, s := range a.Seeds {
		v, err := f.of(s)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// contrastOf compares the seeds of two arms.
func contrastOf(a, b []stats.Replicated) (c Contrast, err error) {
	c.Difference, err = stats.Nested([][]stats.Replicated{a, b}, func(m []float64) float64 { return m[1] - m[0] },
		level, resamples, 1)
	if err != nil || len(a) < 2 {
		return c, err
	}
	c.Test, err = pairedTest(valuesOf(a), valuesOf(b))
	return c, err
}

// pairedTest tests B minus A, seed by seed. Arms share the seed's tasks and streams, so the test is paired, as the
// interval is.
func pairedTest(a, b []float64) (*stats.SignFlips, error) {
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	test, err := stats.SignFlipTest(differences)
	return &test, err
}

func valuesOf(figures []stats.Replicated) []float64 {
	out := make([]float64, len(figures))
	for i, f := range figures {
		out[i] = f.Value
	}
	return out
}
