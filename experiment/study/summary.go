package study

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"nacre/analysis/stats"
	"nacre/rl/protocol"
	"nacre/tsne"
)

// Spread is a number over the training seeds: their mean, smallest and largest value.
type Spread struct {
	Mean float64   `json:"mean"`
	Min  float64   `json:"min"`
	Max  float64   `json:"max"`
	All  []float64 `json:"seeds"`
}

// SpreadOf summarises one value per seed. There must be at least one value.
func SpreadOf(values []float64) Spread {
	return Spread{Mean: stats.Mean(values), Min: slices.Min(values), Max: slices.Max(values), All: values}
}

// String writes the mean, and the range if there are several seeds.
func (s Spread) String() string {
	if len(s.All) < 2 {
		return fmt.Sprintf("%.3g", s.Mean)
	}
	return fmt.Sprintf("%.3g (%.3g to %.3g)", s.Mean, s.Min, s.Max)
}

// CentroidRow is one arm's line in the centroid table of one space.
type CentroidRow struct {
	Arm        string `json:"arm"`
	Space      string `json:"space"` // one of Spaces
	ToCentroid Spread `json:"distance_to_centroid"`
	Between    Spread `json:"distance_between_centroids"`
	Ratio      Spread `json:"ratio"`
	// accuracy of the nearest centroid, with the centroids of the other half of the points
	Accuracy   Spread `json:"held_out_accuracy"`
	Silhouette Spread `json:"silhouette"`
	// Layouts is the spread of the plane's ratio over t-SNE's own random starts, one entry per training seed.
	Layouts []tsne.Spread `json:"ratio_over_layouts,omitempty"`
}

// Spaces lists the spaces in which centroids are measured: the t-SNE plane under the recipe of studies and under that
// of the paper's script, the posterior means with Euclidean distances, and the posteriors with 2-Wasserstein distances.
var Spaces = []string{"plane", "script", "latent", "2-Wasserstein"}

// space picks the figures of one of Spaces.
func (s SeedResult) space(name string) (tsne.Space, bool) {
	switch name {
	case "plane":
		return s.Embedding.Plane, true
	case "script":
		if s.Script == nil {
			return tsne.Space{}, false
		}
		return s.Script.Plane, true
	case "latent":
		return s.Embedding.Latent, true
	}
	if s.Embedding.Posterior == nil {
		return tsne.Space{}, false
	}
	return *s.Embedding.Posterior, true
}

// CrossedRow says how well the encoder of one arm tells tasks apart if it gets the windows of another arm, or its own
// windows. This is measured among the posterior means. Rows with the windows of one arm differ in the encoder only.
type CrossedRow struct {
	Windows  string `json:"windows"` // arm
	Encoder  string `json:"encoder"` // arm
	Ratio    Spread `json:"ratio"`
	Accuracy Spread `json:"held_out_accuracy"`
}

// crossed is the table of windows by encoders, for the pairs that all seeds have. An arm that was added to a packed
// study lacks the encoders whose weights are not shipped. An old study has no pairs.
func (r *Result) crossed() (rows []CrossedRow) {
	if len(r.Arms) < 2 {
		return nil
	}
	others := 0
	for _, windows := range r.Arms {
	encoders:
		for _, encoder := range r.Arms {
			var ratio, accuracy []float64
			for _, s := range windows.Seeds {
				f := s.Embedding.Latent
				if windows.Name != encoder.Name {
					i := slices.IndexFunc(s.Crossed, func(c Crossed) bool { return c.Encoder == encoder.Name })
					if i < 0 {
						continue encoders
					}
					f = s.Crossed[i].Latent
				}
				ratio, accuracy = append(ratio, f.Ratio), append(accuracy, f.Accuracy)
			}
			if windows.Name != encoder.Name {
				others++
			}
			rows = append(rows, CrossedRow{windows.Name, encoder.Name, SpreadOf(ratio), SpreadOf(accuracy)})
		}
	}
	if others == 0 {
		return nil
	}
	return rows
}

// summarise fills the tables and verdicts.
func (r *Result) summarise() error {
	r.Crossed = r.crossed()
	for _, name := range Spaces {
		for _, a := range r.Arms {
			if row, ok := a.centroids(name); ok {
				r.Centroids = append(r.Centroids, row)
			}
		}
	}
	r.Verdicts = r.verdicts()
	if err := r.contexts(); err != nil {
		return err
	}
	if err := r.attribute(); err != nil {
		return err
	}
	if err := r.factorise(); err != nil {
		return err
	}
	if len(r.Plan.Contexts) > 0 { // older studies have numbers of embeddings only
		if err := r.outcomes(); err != nil {
			return err
		}
	}
	r.ContextVerdicts = r.contextVerdicts()
	return r.chance()
}

// chance finds, for every pair of runs, the differences that other windows or layouts could also make.
func (r *Result) chance() error {
	first := r.Arms[0]
	for i := range first.Seeds {
		for _, a := range r.Arms[1:] {
			lines, err := tsne.Compare(first.Title, &first.Seeds[i].Embedding, a.Title, &a.Seeds[i].Embedding)
			if err != nil {
				return err
			}
			r.Chance = append(r.Chance, Chance{Seed: first.Seeds[i].Seed, Arm: a.Name, Lines: lines})
		}
	}
	return nil
}

func (a ArmResult) centroids(space string) (CentroidRow, bool) {
	row := CentroidRow{Arm: a.Name, Space: space}
	var to, between, ratio, accuracy, silhouette []float64
	for _, s := range a.Seeds {
		f, ok := s.space(space)
		if !ok {
			return row, false
		}
		to, between, ratio = append(to, f.Intra), append(between, f.Inter), append(ratio, f.Ratio)
		accuracy, silhouette = append(accuracy, f.Accuracy), append(silhouette, f.Silhouette)
		report := &s.Embedding
		if space == "script" {
			report = s.Script
		}
		if (space == "plane" || space == "script") && report.Seeds != nil {
			row.Layouts = append(row.Layouts, report.Seeds.Figures["ratio"])
		}
	}
	row.ToCentroid, row.Between, row.Ratio = SpreadOf(to), SpreadOf(between), SpreadOf(ratio)
	row.Accuracy, row.Silhouette = SpreadOf(accuracy), SpreadOf(silhouette)
	return row, true
}

// each collects one value per seed of an arm.
func (a ArmResult) each(value func(SeedResult) float64) []float64 {
	out := make([]float64, len(a.Seeds))
	for i, s := range a.Seeds {
		out[i] = value(s)
	}
	return out
}

// title is an arm's name in tables.
func (r *Result) title(arm string) string {
	for _, a := range r.Arms {
		if a.Name == arm {
			return a.Title
		}
	}
	return arm
}

// compared lists the numbers by which arms are compared.
var compared = []struct {
	what string
	of   func(SeedResult) float64
}{
	{"ratio of centroid distances in the plane", func(s SeedResult) float64 { return s.Embedding.Plane.Ratio }},
	{"ratio of centroid distances in latent space", func(s SeedResult) float64 { return s.Embedding.Latent.Ratio }},
	{"held-out accuracy in latent space", func(s SeedResult) float64 { return s.Embedding.Latent.Accuracy }},
	{"return on test tasks after adaptation", func(s SeedResult) float64 { return s.Adapted.Summary.Adapted.Mean }},
}

// verdicts says for each compared number whether the arms differ by more than their seeds do. With one seed it says
// that the spread over seeds is unknown.
func (r *Result) verdicts() []string {
	var out []string
	for _, c := range compared {
		first := r.Arms[0]
		for _, arm := range r.Arms[1:] {
			out = append(out, verdict(c.what, first.Title, arm.Title, SpreadOf(first.each(c.of)),
				SpreadOf(arm.each(c.of))))
		}
	}
	out = append(out, r.crossedVerdicts()...)
	if r.Plan.Seeds < 2 {
		out = append(out, "With one seed per algorithm nothing can be said about the spread over seeds: no "+
			"difference above is evidence for either.")
	}
	return out
}

// crossedVerdicts compares encoders on the same windows.
func (r *Result) crossedVerdicts() (out []string) {
	find := func(windows, encoder string) (Spread, bool) {
		i := slices.IndexFunc(r.Crossed, func(c CrossedRow) bool {
			return c.Windows == windows && c.Encoder == encoder
		})
		if i < 0 {
			return Spread{}, false
		}
		return r.Crossed[i].Accuracy, true
	}
	if len(r.Crossed) == 0 {
		return nil
	}
	for _, windows := range r.Arms {
		what := fmt.Sprintf("held-out accuracy on the windows of %s, by encoder", windows.Title)
		for _, arm := range r.Arms[1:] {
			first, has := find(windows.Name, r.Arms[0].Name)
			if other, both := find(windows.Name, arm.Name); has && both {
				out = append(out, verdict(what, r.Arms[0].Title, arm.Title, first, other))
			}
		}
	}
	return out
}

// verdict says whether the ranges of the two arms' seeds overlap. It claims no more, because a handful of seeds is too
// few for a real test. If the ranges do not overlap, it says how often this happens to arms that do not differ.
func verdict(what, nameA, nameB string, a, b Spread) string {
	if a.Mean > b.Mean {
		nameA, nameB, a, b = nameB, nameA, b, a
	}
	figures := fmt.Sprintf("%s: %s %s, %s %s.", strings.ToUpper(what[:1])+what[1:], nameB, b, nameA, a)
	switch {
	case len(a.All) < 2:
		return figures
	case a.Max < b.Min:
		return figures + fmt.Sprintf(" Larger than the spread over seeds: every seed of %s lies above every seed of "+
			"%s. Arms that do not differ lie apart like that with probability %.2g.",
			nameB, nameA, 2/combin.GeneralizedBinomial(float64(len(a.All)+len(b.All)), float64(len(a.All))))
	}
	return figures + " Not larger than the spread over seeds: the ranges overlap."
}

// curve is an arm's mean return by trajectory index, with 95 % intervals over seeds and tasks.
func (a ArmResult) curve() ([]stats.Interval, error) {
	n := a.Seeds[0].Adapted.Protocol.Trajectories()
	out := make([]stats.Interval, n)
	for i := range out {
		var values [][]float64
		for _, s := range a.Seeds {
			values = append(values, byTask(s.Adapted, i))
		}
		var err error
		if out[i], err = a.interval(values); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// adapted is an arm's mean return over the scored trajectories.
func (a ArmResult) adapted() (stats.Interval, error) {
	var values [][]float64
	for _, s := range a.Seeds {
		values = append(values, s.Adapted.AdaptedByTask())
	}
	return a.interval(values)
}

// interval is a bootstrap over seeds and tasks. It is crossed if all seeds have the same test tasks, and nested if the
// tasks come from the seed.
func (a ArmResult) interval(values [][]float64) (stats.Interval, error) {
	const resamples = 4000
	for _, s := range a.Seeds {
		if !sameTasks(s.Adapted, a.Seeds[0].Adapted) {
			return stats.Bootstrap(values, 0.95, resamples, 1)
		}
	}
	return stats.BootstrapCrossed(values, 0.95, resamples, 1)
}

func sameTasks(a, b protocol.Result) bool {
	return slices.EqualFunc(a.Tasks, b.Tasks, func(x, y protocol.TaskResult) bool {
		return reflect.DeepEqual(x.Params, y.Params)
	})
}

// byTask is the mean return of each task over its repeats, for one trajectory index.
func byTask(r protocol.Result, trajectory int) []float64 {
	out := make([]float64, len(r.Tasks))
	for i, t := range r.Tasks {
		for _, repeat := range t.Return {
			out[i] += repeat[trajectory] / float64(len(t.Return))
		}
	}
	return out
}

// baseline is the mean over seeds of a baseline's adapted return; false if there is none.
func (r *Result) baseline(pick func(Baseline) *protocol.Result) (float64, bool) {
	sum := 0.0
	for _, b := range r.Baselines {
		p := pick(b)
		if p == nil {
			return 0, false
		}
		sum += p.Summary.Adapted.Mean
	}
	return sum / float64(len(r.Baselines)), true
}

func randomOf(b Baseline) *protocol.Result { return &b.Random }
func stillOf(b Baseline) *protocol.Result  { return b.Still }
func blindOf(b Baseline) *protocol.Result  { return b.Blind }
func goalOf(b Baseline) *protocol.Result   { return b.Goal }
