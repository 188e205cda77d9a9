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
	TSNE       []Option // options of the layout: recipe, seed, workers
	Repeats    int      // number of layouts from other random starts; 0 is 5, a negative number is none
	Bootstrap  int      // number of resamples per interval; 0 is 1000
	Splits     int      // number of random halvings for held-out accuracy; 0 is 20
	Neighbours int      // number k of trustworthiness, continuity and recall; 0 is 10
	// function called about every 10 iterations, with the iterations made and planned in all layouts
	Progress func(done, total int)
	// method of the layout instead of t-SNE, without Repeats; it uses TSNE's seed and workers
	UMAP *UMAP
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

// Space holds the figures of one space with their bootstrap intervals. Points are drawn again within every label, and
// the layout stays fixed. So an interval shows the effect of which windows were embedded, not the effect of t-SNE.
type Space struct {
	Clusters
	// share of points nearest to their own label's centroid, which comes from the other half of the points
	Accuracy  float64             `json:"held_out_accuracy"`
	Intervals map[string]Interval `json:"intervals"` // 95 % intervals by the JSON name of the figure
}

// Spread is a mean and a sample standard deviation.
type Spread struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// Seeds holds the spread of the plane's figures over layouts that differ only in their random start.
type Seeds struct {
	Layouts int               `json:"layouts"`
	Start   Start             `json:"start"`
	Figures map[string]Spread `json:"figures"` // spreads by the JSON name of the figure, and "kl"
}

// Report holds what Analyse found. Planes of two encoders can be compared only under one recipe, and then by Ratio.
// Latent and Posterior do not depend on t-SNE.
type Report struct {
	Points     int     `json:"points"`
	Dimensions int     `json:"dimensions"`
	Labels     int     `json:"labels"`          // number of different labels; 0 if they form no groups
	Recipe     Recipe  `json:"recipe,omitzero"` // recipe of t-SNE; absent, like KL, if UMAP made the layout
	UMAP       *UMAP   `json:"umap,omitempty"`
	Seed       uint64  `json:"seed"`
	KL         float64 `json:"kl,omitzero"`
	// space of the layout; absent, like the other spaces, if Labels is 0
	Plane  Space `json:"plane,omitzero"`
	Latent Space `json:"latent,omitzero"` // space of the posterior means, with Euclidean distance
	// space of the posteriors, with the 2-Wasserstein distance; nil without standard deviations
	Posterior *Space `json:"posterior,omitempty"`
	// comparison of the layout with the latent means; nil if k is too large for n
	Fidelity *Neighbourhood `json:"fidelity,omitempty"`
	Seeds    *Seeds         `json:"seeds,omitempty"`
	Notes    []string       `json:"notes,omitempty"`

	Layout *Layout `json:"-"`
}

// Analyse lays out the means of e. It measures how well the labels separate in the plane, among the latent means and
// among the posteriors. For Gaussians with diagonal covariance the squared 2-Wasserstein distance is |μ₁−μ₂|² +
// |σ₁−σ₂|², so posteriors are points (μ, σ) of a Euclidean space. The barycentre of a group, which is its centroid in
// this space, is the mean of both μ and σ. If there are no labels, only one label, or a single point for each label,
// the report has only the layout and its fidelity; Notes says why. If all means of labelled points are equal, the
// points lie in one place; the report then has no fidelity and no repeated layouts.
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
			r.Posterior = new(o.space(e.posterior(), g, t))
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

// Separation measures how well the labels of e separate among its means, without a layout. It equals the Latent of
// Analyse's report under the same options.
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

// groups returns the groups of equal labels. It is nil without labels, with only one label, or if each label has a
// single point: then there are no distances between centroids. The notes say what is missing.
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
