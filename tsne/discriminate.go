package tsne

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"nacre/internal/rng"
)

// Discrimination says how well labels can be predicted from points. It holds figures of clusters, and the accuracy of
// three classifiers on points they were not fitted to.
type Discrimination struct {
	Clusters
	// accuracy of the nearest centroid, with centroids from the other half of the points
	Accuracy   float64 `json:"held_out_accuracy"`
	Neighbours float64 `json:"knn_accuracy"`          // accuracy of the majority among the five nearest other points
	Probe      float64 `json:"linear_probe_accuracy"` // accuracy of a logistic regression, in five folds

	// Replicates are these figures for points drawn again within every label, by JSON name. Classifiers are not fitted
	// again: each drawn point keeps its first result.
	Replicates map[string][]float64 `json:"-"`
}

// These are the JSON names of the figures that Discriminate replicates.
const (
	RatioFigure      = "ratio"
	SilhouetteFigure = "silhouette"
	AccuracyFigure   = "held_out_accuracy"
	NeighboursFigure = "knn_accuracy"
	ProbeFigure      = "linear_probe_accuracy"
)

// Figure is one of the replicated figures by its JSON name.
func (d Discrimination) Figure(name string) float64 {
	return map[string]float64{
		RatioFigure: d.Ratio, SilhouetteFigure: d.Silhouette, AccuracyFigure: d.Accuracy,
		NeighboursFigure: d.Neighbours, ProbeFigure: d.Probe,
	}[name]
}

const (
	voters = 5 // number of neighbours of the nearest-neighbour classifier
	folds  = 5 // number of folds of the linear probe
)

// Discriminate measures how well the labels can be predicted from the rows of x. It needs at least two labels, each
// with at least two rows. The argument bootstrap is the number of replicates, at least 1. Replicates of the same seed
// draw the same points. workers ≤ 0 means one worker per core.
func Discriminate(x Matrix, label []int, bootstrap int, seed uint64, workers int) (Discrimination, error) {
	if err := checkData(x); err != nil {
		return Discrimination{}, err
	}
	g, err := newGroups(label, x.Rows)
	if err != nil {
		return Discrimination{}, err
	}
	if err := g.checkPairs(); err != nil {
		return Discrimination{}, err
	}
	if bootstrap < 1 {
		return Discrimination{}, badInput("bootstrap %d must be at least 1", bootstrap)
	}
	if x.Rows <= voters {
		return Discrimination{}, badInput("%d points; nearest neighbours need more than %d", x.Rows, voters)
	}
	workers = New(WithWorkers(workers)).workers
	x, unit := moderate(x)
	sil, right := silhouettes(x, g, workers), heldOut(x, g, AnalyseOptions{}.withDefaults().Splits, seed)
	near := nearestNeighbours(x, g, workers)
	probe, err := linearProbe(x, g, workers)
	if err != nil {
		return Discrimination{}, err
	}
	measure := func(chosen []int) Discrimination {
		d := Discrimination{Clusters: centroidDistances(x, g, chosen).in(unit)}
		d.Silhouette, d.Accuracy = meanOf(sil, chosen), meanOf(right, chosen)
		d.Neighbours, d.Probe = meanOf(near, chosen), meanOf(probe, chosen)
		return d
	}
	out := measure(nil)
	draws := make([]Discrimination, bootstrap)
	parallel(workers, bootstrap, func(b int) {
		draws[b] = measure(g.resample(rng.New(seed, rng.Bootstrap, 3, uint64(b))))
	})
	out.Replicates = map[string][]float64{}
	for _, name := range []string{RatioFigure, SilhouetteFigure, AccuracyFigure, NeighboursFigure, ProbeFigure} {
		for _, d := range draws {
			out.Replicates[name] = append(out.Replicates[name], d.Figure(name))
		}
	}
	return out, nil
}

// meanOf is the mean over chosen values, nil choosing each once.
func meanOf(v []float64, chosen []int) float64 {
	if chosen == nil {
		return mean(v)
	}
	drawn := make([]float64, len(chosen))
	for k, i := range chosen {
		drawn[k] = v[i]
	}
	return mean(drawn)
}

// nearestNeighbours returns 1 for every point whose label most of its nearest other points have, else 0. If labels have
// the same number of votes, the smallest label wins. If points are equally near, the first counts.
func nearestNeighbours(x Matrix, g *groups, workers int) []float64 {
	out := make([]float64, x.Rows)
	cut(x.Rows).each(workers, func(_, lo, hi int) {
		votes := make([]int, len(g.values))
		for i := lo; i < hi; i++ {
			var nearest [voters]int
			var at [voters]float64
			n := 0
			for j := range x.Rows {
				if j == i {
					continue
				}
				d := distance(x.Row(i), x.Row(j))
				if n == voters && d >= at[voters-1] {
					continue
				}
				n = min(n+1, voters)
				k := n - 1
				for ; k > 0 && at[k-1] > d; k-- {
					at[k], nearest[k] = at[k-1], nearest[k-1]
				}
				at[k], nearest[k] = d, j
			}
			clear(votes)
			for _, j := range nearest[:n] {
				votes[g.of[j]]++
			}
			if slices.Index(votes, slices.Max(votes)) == g.of[i] {
				out[i] = 1
			}
		}
	})
	return out
}

// linearProbe returns 1 for every point that a logistic regression on the points of other folds gives its label, else
// 0. The k-th of the m points of a label is in fold ⌊5k/m⌋; every fold leaves at least one point of every label, and
// labels of fewer points than folds have empty ones.
func linearProbe(x Matrix, g *groups, workers int) ([]float64, error) {
	fold := make([]int, x.Rows)
	for _, m := range g.member {
		for k, i := range m {
			fold[i] = k * folds / len(m)
		}
	}
	out := make([]float64, x.Rows)
	var failed [folds]error
	parallel(workers, folds, func(f int) {
		var train, test []int
		for i := range fold {
			if fold[i] == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		if len(test) == 0 {
			return
		}
		m, err := fitLogistic(x, g, train)
		if err != nil {
			failed[f] = err
			return
		}
		for _, i := range test {
			if m.classify(x.Row(i)) == g.of[i] {
				out[i] = 1
			}
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// logistic is a multinomial logistic regression on standardised features.
type logistic struct {
	mean, scale []float64 // mean and scale of the features
	weight      []float64 // labels × (features and intercept), row-major
	labels      int
}

// fitLogistic minimises, over the chosen points, the sum of −log p(label) plus half the squared length of the weights
// but the intercepts, on features less their mean and over their deviation (divisor n).
func fitLogistic(x Matrix, g *groups, chosen []int) (*logistic, error) {
	d, n := x.Cols, float64(len(chosen))
	m := &logistic{mean: make([]float64, d), scale: make([]float64, d), labels: len(g.values)}
	for _, i := range chosen {
		for k, v := range x.Row(i) {
			m.mean[k] += v / n
		}
	}
	for _, i := range chosen {
		for k, v := range x.Row(i) {
			m.scale[k] += (v - m.mean[k]) * (v - m.mean[k]) / n
		}
	}
	for k := range m.scale {
		if m.scale[k] = math.Sqrt(m.scale[k]); m.scale[k] == 0 {
			m.scale[k] = 1
		}
	}
	rows := make([][]float64, len(chosen))
	for r, i := range chosen {
		rows[r] = m.features(x.Row(i))
	}
	width := d + 1
	p := make([]float64, m.labels)
	// loss adds up the gradient as well where grad is not nil.
	loss := func(w, grad []float64) float64 {
		clear(grad)
		sum := 0.0
		for k, v := range w {
			if k%width != d {
				sum += v * v / 2
				if grad != nil {
					grad[k] = v
				}
			}
		}
		for r, row := range rows {
			own := g.of[chosen[r]]
			scores(p, w, row)
			top, total := slices.Max(p), 0.0
			for c := range p {
				p[c] -= top
				total += math.Exp(p[c])
			}
			sum += math.Log(total) - p[own]
			if grad == nil {
				continue
			}
			for c := range p {
				e := math.Exp(p[c]) / total
				if c == own {
					e--
				}
				for k, v := range row {
					grad[c*width+k] += e * v
				}
			}
		}
		return sum
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: func(w []float64) float64 { return loss(w, nil) },
		Grad: func(grad, w []float64) { loss(w, grad) },
	}, make([]float64, m.labels*width), &optimize.Settings{GradientThreshold: 1e-6, MajorIterations: 1000,
		Concurrent: 1}, &optimize.LBFGS{})
	// Where rounding ends the line search before the gradient is as small, the weights are as good as they get.
	if result == nil || result.X == nil {
		return nil, badInput("the linear probe cannot be fitted: %v", err)
	}
	m.weight = result.X
	return m, nil
}

// features are standardised, with a 1 for the intercept.
func (m *logistic) features(row []float64) []float64 {
	out := make([]float64, len(row)+1)
	for k, v := range row {
		out[k] = (v - m.mean[k]) / m.scale[k]
	}
	out[len(row)] = 1
	return out
}

// scores are the logits of the labels. w has one row for each label.
func scores(out, w, features []float64) {
	for c := range out {
		s := 0.0
		for k, v := range features {
			s += w[c*len(features)+k] * v
		}
		out[c] = s
	}
}

// classify returns the most probable group of a point.
func (m *logistic) classify(row []float64) int {
	p := make([]float64, m.labels)
	scores(p, m.weight, m.features(row))
	return slices.Index(p, slices.Max(p))
}
