package tsne

import (
	"context"
	"fmt"
	"math"
	"slices"

	"nacre/internal/rng"
)

// AnalyseOptions configures Analyse; zero values are the defaults.
type AnalyseOptions struct {
	TSNE       []Option              // recipe, seed, workers of the layout
	Repeats    int                   // layouts from other random starts; default 5, negative for none
	Bootstrap  int                   // resamples per interval; default 1000
	Splits     int                   // random halvings for held-out accuracy; default 20
	Neighbours int                   // k of trustworthiness, continuity and recall; default 10
	Progress   func(done, total int) // iterations over all layouts, called about every 10
	UMAP       *UMAP                 // lays out instead of t-SNE, once; seed and workers are those of TSNE
}

func (o AnalyseOptions) withDefaults() AnalyseOptions {
	set := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&o.Repeats, 5)
	set(&o.Bootstrap, 1000)
	set(&o.Splits, 20)
	set(&o.Neighbours, 10)
	o.Repeats = max(o.Repeats, 0)
	if o.UMAP != nil {
		o.Repeats = 0
	}
	return o
}

// Space holds the figures of one space with their bootstrap intervals: points are drawn anew within every label,
// the layout stays, so an interval says how much depends on which windows were embedded, not on t-SNE.
type Space struct {
	Clusters
	Accuracy  float64             `json:"held_out_accuracy"` // nearest centroid, centroids from the other half
	Intervals map[string]Interval `json:"intervals"`         // 95 %, by JSON name of the figure
}

// Spread is a mean and a sample standard deviation.
type Spread struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// Seeds holds the spread of the figures of the plane over layouts that differ in their random start only.
type Seeds struct {
	Layouts int               `json:"layouts"`
	Start   Start             `json:"start"`
	Figures map[string]Spread `json:"figures"` // by JSON name of the figure, and "kl"
}

// Report holds what Analyse found. Compare Plane between encoders only under one recipe, and then by Ratio; Latent and
// Posterior do not depend on t-SNE at all.
type Report struct {
	Points     int     `json:"points"`
	Dimensions int     `json:"dimensions"`
	Labels     int     `json:"labels"`          // different ones; 0 where the points have none
	Recipe     Recipe  `json:"recipe,omitzero"` // like KL absent of a layout by UMAP
	UMAP       *UMAP   `json:"umap,omitempty"`
	Seed       uint64  `json:"seed"`
	KL         float64 `json:"kl,omitzero"`
	Plane      Space   `json:"plane,omitzero"`      // the layout; like the other spaces absent without labels
	Latent     Space   `json:"latent,omitzero"`     // posterior means, Euclidean
	Posterior  *Space  `json:"posterior,omitempty"` // posteriors, 2-Wasserstein; only with standard deviations
	// layout against latent means; absent when k is too large for n
	Fidelity *Neighbourhood `json:"fidelity,omitempty"`
	Seeds    *Seeds         `json:"seeds,omitempty"`
	Notes    []string       `json:"notes,omitempty"`

	Layout *Layout `json:"-"`
}

// Analyse lays the means of e out and measures how well its labels separate in the plane, among the latent means
// and among the posteriors. For Gaussians with diagonal covariance the squared 2-Wasserstein distance is
// |μ₁−μ₂|² + |σ₁−σ₂|², so posteriors are points (μ, σ) of a Euclidean space, and the barycentre of a group, its
// centroid there, is the mean of both. Of points without labels, of one label, or of labels with a single point each
// only the layout and its fidelity are reported; Notes says why. Labelled
// points whose means are all equal lie in one place; they have neither fidelity nor repeated layouts.
func Analyse(ctx context.Context, e *Embeddings, opts AnalyseOptions) (*Report, error) {
	o := opts.withDefaults()
	if err := e.check(); err != nil {
		return nil, err
	}
	if o.Bootstrap < 2 || o.Splits < 1 {
		return nil, badInput("bootstrap %d and splits %d must be at least 2 and 1", o.Bootstrap, o.Splits)
	}
	t := New(o.TSNE...).sized(e.Mean.Rows)
	if err := t.check(e.Mean); err != nil {
		return nil, err
	}
	g, left := e.groups()
	total := (1 + o.Repeats) * t.recipe.Iterations()
	together := e.Label != nil && !differ(e.Mean)
	var layout *Layout
	var err error
	switch {
	case together:
		layout = o.point(t, e.Mean.Rows)
	case o.UMAP != nil:
		layout, err = o.umap(ctx, t, e.Mean)
	default:
		layout, err = o.fit(ctx, t, e.Mean, 0, total)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{
		Points: e.Mean.Rows, Dimensions: e.Mean.Cols,
		Recipe: layout.Recipe, UMAP: o.UMAP, Seed: t.seed, KL: layout.KL,
		Notes: append(slices.Clone(layout.Notes), left...), Layout: layout,
	}
	if g != nil {
		r.Labels = len(g.values)
		r.Plane, r.Latent = o.space(layout.Y, g, t), o.space(e.Mean, g, t)
		if e.Std.Rows > 0 {
			p := o.space(e.posterior(), g, t)
			r.Posterior = &p
		}
		if s := r.Latent; !together && s.IntraRMS < coincide && s.Inter > 0 {
			r.Notes = append(r.Notes,
				fmt.Sprintf("the points of each label lie in one place: their ratio among the data, %.3g, is that of "+
					"rounding", s.Ratio))
		}
	}
	if together {
		return r, nil
	}
	if 2*o.Neighbours < e.Mean.Rows {
		metric := t.recipe.Metric
		if o.UMAP != nil {
			metric = o.UMAP.Metric
		}
		x, err := metric.of(e.Mean)
		if err != nil {
			return nil, err
		}
		f, err := MeasureNeighbourhood(x, layout.Y, o.Neighbours)
		if err != nil {
			return nil, err
		}
		r.Fidelity = &f
	}
	if o.Repeats > 0 {
		if r.Seeds, err = o.repeat(ctx, *t, e.Mean, g, total); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Separation measures how well the labels of e separate among its means, without any layout: the Latent of Analyse's
// report, under the same options.
func Separation(e *Embeddings, opts AnalyseOptions) (Space, error) {
	o := opts.withDefaults()
	if err := e.check(); err != nil {
		return Space{}, err
	}
	if e.Label == nil {
		return Space{}, badInput("separation of points without labels")
	}
	g, notes := e.groups()
	if g == nil {
		return Space{}, badInput("%s", notes[0])
	}
	return o.space(e.Mean, g, New(o.TSNE...)), nil
}

// fit runs t with the shared progress count, run being the layouts made before.
func (o AnalyseOptions) fit(ctx context.Context, t *TSNE, x Matrix, run, total int) (*Layout, error) {
	s, err := t.Start(ctx, x)
	if err != nil {
		return nil, err
	}
	before := run * s.Remaining()
	for s.Remaining() > 0 {
		if _, err := s.Step(ctx, 10); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(before+s.Iteration(), total)
		}
	}
	return s.Layout(), nil
}

// point is the layout of n points that are all equal.
func (o *AnalyseOptions) point(t *TSNE, n int) *Layout {
	l := &Layout{
		Y: NewMatrix(n, 2), Recipe: t.recipe, Seed: t.seed,
		Notes: []string{fmt.Sprintf("all %d points are equal: they lie in one place, and their ratio is 0", n)},
	}
	if o.UMAP != nil {
		u := o.UMAP.withDefaults(n)
		o.UMAP, l.Recipe = &u, Recipe{}
	}
	return l
}

// umap lays out with UMAP, and says with which settings.
func (o *AnalyseOptions) umap(ctx context.Context, t *TSNE, x Matrix) (*Layout, error) {
	u := *o.UMAP
	u.Seed, u.Workers, u.Graph, u.Progress = t.seed, t.workers, t.graph, o.Progress
	u = u.withDefaults(x.Rows)
	y, notes, err := u.Fit(ctx, x)
	o.UMAP = &u
	return &Layout{Y: y, Seed: t.seed, Notes: notes}, err
}

// figures are the numbers of one space by their JSON name.
func figures(c Clusters, accuracy float64) map[string]float64 {
	return map[string]float64{
		"distance_to_centroid":                c.Intra,
		"distance_between_centroids":          c.Inter,
		"ratio":                               c.Ratio,
		"distance_to_centroid_over_rms":       c.IntraRMS,
		"distance_between_centroids_over_rms": c.InterRMS,
		"silhouette":                          c.Silhouette,
		"held_out_accuracy":                   accuracy,
	}
}

func (o AnalyseOptions) space(x Matrix, g *groups, t *TSNE) Space {
	x, unit := moderate(x)
	sil, right := silhouettes(x, g, t.workers), heldOut(x, g, o.Splits, t.seed)
	s := Space{Clusters: centroidDistances(x, g, nil).in(unit), Accuracy: mean(right), Intervals: map[string]Interval{}}
	s.Silhouette = mean(sil)
	draws := make([]map[string]float64, o.Bootstrap)
	parallel(t.workers, o.Bootstrap, func(b int) {
		chosen := g.resample(rng.New(t.seed, rng.Bootstrap, 2, uint64(b)))
		c := centroidDistances(x, g, chosen).in(unit)
		drawnSil, drawnRight := make([]float64, len(chosen)), make([]float64, len(chosen))
		for k, i := range chosen {
			drawnSil[k], drawnRight[k] = sil[i], right[i]
		}
		c.Silhouette = mean(drawnSil)
		draws[b] = figures(c, mean(drawnRight))
	})
	for name := range draws[0] {
		v := make([]float64, len(draws))
		for b, d := range draws {
			v[b] = d[name]
		}
		s.Intervals[name] = percentile95(v)
	}
	return s
}

// repeat lays x out from other random starts. A start from principal components is replaced by a random one of
// the same spread: it would give nearly the same picture every time and hide the freedom t-SNE has.
func (o AnalyseOptions) repeat(ctx context.Context, t TSNE, x Matrix, g *groups, total int) (*Seeds, error) {
	std := t.recipe.StartStd
	if t.recipe.Start == StartGiven {
		std = 1e-4
	}
	t.recipe.Start, t.recipe.StartStd, t.progress = StartRandom, std, nil
	values := map[string][]float64{}
	first := t.seed
	for k := 1; k <= o.Repeats; k++ {
		t.seed = first + uint64(k)
		layout, err := o.fit(ctx, &t, x, k, total)
		if err != nil {
			return nil, err
		}
		f := map[string]float64{}
		if g != nil {
			c := centroidDistances(layout.Y, g, nil)
			c.Silhouette = mean(silhouettes(layout.Y, g, t.workers))
			f = figures(c, mean(heldOut(layout.Y, g, o.Splits, first)))
		}
		f["kl"] = layout.KL
		for name, v := range f {
			values[name] = append(values[name], v)
		}
	}
	s := &Seeds{Layouts: o.Repeats, Start: StartRandom, Figures: map[string]Spread{}}
	for name, v := range values {
		s.Figures[name] = spread(v)
	}
	return s, nil
}

func spread(v []float64) Spread {
	s := Spread{Mean: mean(v)}
	if len(v) > 1 {
		for _, a := range v {
			s.SD += (a - s.Mean) * (a - s.Mean)
		}
		s.SD = math.Sqrt(s.SD / float64(len(v)-1))
	}
	return s
}

// coincide is the distance to the centroid, over the rms distance, below which points of a label lie in one place.
const coincide = 1e-6

// groups are those of the labels; nil without labels, and where distances between centroids cannot be had: of one
// label, or of labels with a single point each. What cannot be had is said.
func (e *Embeddings) groups() (g *groups, notes []string) {
	if e.Label == nil {
		return nil, nil
	}
	g = group(e.Label)
	var single []string
	for k, m := range g.member {
		if len(m) == 1 {
			single = append(single, e.Name(g.values[k]))
		}
	}
	switch {
	case len(g.values) < 2:
		return nil, []string{fmt.Sprintf("every point has label %s: there are no distances between centroids",
			e.Name(g.values[0]))}
	case len(single) == len(g.values):
		return nil, []string{"every label has a single point: there are no distances to centroids"}
	case single != nil:
		notes = []string{fmt.Sprintf("%s with a single point each (%s): held-out accuracy is of the others",
			count(len(single), "label"), listed(single))}
	}
	return g, notes
}

// posterior returns (μ, σ) side by side, the space in which 2-Wasserstein distances are Euclidean.
func (e *Embeddings) posterior() Matrix {
	out := NewMatrix(e.Mean.Rows, 2*e.Mean.Cols)
	for i := range out.Rows {
		copy(out.Row(i), slices.Concat(e.Mean.Row(i), e.Std.Row(i)))
	}
	return out
}
