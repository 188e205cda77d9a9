package tsne

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
)

func TestClustersByHand(t *testing.T) {
	x := Matrix{Rows: 4, Cols: 2, Data: []float64{0, 0, 2, 0, 10, 0, 10, 4}}
	c, err := MeasureClusters(x, []int{7, 7, -1, -1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "intra", c.Intra, 1.5, 1e-12)
	near(t, "inter", c.Inter, math.Sqrt(85), 1e-12)
	near(t, "ratio", c.Ratio, math.Sqrt(85)/1.5, 1e-12)
	near(t, "rms", c.RMS, math.Sqrt(23.75), 1e-12)
	near(t, "intra/rms", c.IntraRMS, 1.5/math.Sqrt(23.75), 1e-12)
	near(t, "inter/rms", c.InterRMS, math.Sqrt(85/23.75), 1e-12)
	s := 1 - 2/((10+math.Sqrt(116))/2) + 1 - 2/((8+math.Sqrt(80))/2) + 1 - 4/9.0 +
		1 - 4/((math.Sqrt(116)+math.Sqrt(80))/2)
	near(t, "silhouette", c.Silhouette, s/4, 1e-12)

	cent, labels, err := Centroids(x, []int{7, 7, -1, -1})
	if err != nil || !reflect.DeepEqual(cent.Data, []float64{10, 2, 1, 0}) || !reflect.DeepEqual(labels, []int{-1, 7}) {
		t.Errorf("centroids %v of %v, %v", cent.Data, labels, err)
	}
}

func TestThreeCentroidsAverageOverPairs(t *testing.T) {
	x := Matrix{Rows: 4, Cols: 1, Data: []float64{0, 4, 1, 9}}
	c, err := MeasureClusters(x, []int{0, 1, 0, 2})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "inter", c.Inter, (3.5+8.5+5)/3, 1e-12)
	near(t, "intra", c.Intra, 0.25, 1e-12)
}

func TestHeldOutAccuracyByHand(t *testing.T) {
	// Whatever the halves, a held-out 0 or 6 is nearer to 4 than to the other of its own group.
	x := Matrix{Rows: 4, Cols: 1, Data: []float64{0, 6, 4, 4}}
	acc, err := NearestCentroidAccuracy(x, []int{0, 0, 1, 1}, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", acc, 0.5, 1e-12)
}

// Two unit normals a distance 2 apart are told apart with probability Φ(1).
func TestHeldOutAccuracyOfTwoNormals(t *testing.T) {
	x, label := NewMatrix(4000, 1), make([]int, 4000)
	r := rng.New(1, rng.TSNE)
	for i := range x.Rows {
		label[i] = i % 2
		x.Data[i] = r.NormFloat64() + 2*float64(i%2)
	}
	acc, err := NearestCentroidAccuracy(x, label, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", acc, 0.5*math.Erfc(-1/math.Sqrt2), 4*math.Sqrt(0.84*0.16/4000))
}

// Values by scikit-learn 1.9.1: trustworthiness both ways round, silhouette_score.
func TestQualityAgainstScikitLearn(t *testing.T) {
	x, label := wave()
	y := wavePlane()
	q, err := MeasureNeighbourhood(x, y, 7)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "trustworthiness", q.Trustworthiness, 0.4464831804281345, 1e-9)
	near(t, "continuity", q.Continuity, 0.6587046745303626, 1e-9)
	for _, c := range []struct {
		x    Matrix
		want float64
	}{{x, 0.5810947008575795}, {y, -0.03316532592279895}} {
		m, err := MeasureClusters(c.x, label)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "silhouette", m.Silhouette, c.want, 1e-9)
	}
	same, err := MeasureNeighbourhood(x, x, 7)
	if err != nil || same.Trustworthiness != 1 || same.Continuity != 1 || same.Recall != 1 {
		t.Errorf("a layout equal to its data: %+v, %v", same, err)
	}
}

func TestRecallByHand(t *testing.T) {
	x := Matrix{Rows: 5, Cols: 1, Data: []float64{0, 1, 3, 7, 15}}
	y := Matrix{Rows: 5, Cols: 1, Data: []float64{0, 1, 3, 15, 7}}
	// Nearest in x: 1 0 1 2 3; in y: 1 0 1 4 2.
	q, err := MeasureNeighbourhood(x, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "recall", q.Recall, 0.6, 1e-12)
}

func TestWassersteinBetweenPosteriors(t *testing.T) {
	e := &Embeddings{
		Mean: Matrix{Rows: 4, Cols: 1, Data: []float64{0, 0, 3, 3}},
		Std:  Matrix{Rows: 4, Cols: 1, Data: []float64{1, 3, 6, 6}},
	}
	c, err := MeasureClusters(e.posterior(), []int{0, 0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "W₂ between barycentres N(0,2²), N(3,6²)", c.Inter, 5, 1e-12)
	near(t, "W₂ to barycentre", c.Intra, 0.5, 1e-12)
}

func TestPercentiles(t *testing.T) {
	v := make([]float64, 101)
	for i := range v {
		v[i] = float64((i * 37) % 101)
	}
	if got := percentile95(v); got != (Interval{2.5, 97.5}) {
		t.Errorf("got %v", got)
	}
	if s := spread([]float64{2, 4, 9}); s.Mean != 5 || math.Abs(s.SD-math.Sqrt(13)) > 1e-12 {
		t.Errorf("spread %+v", s)
	}
}

func quickRecipe() Recipe {
	r := Current()
	r.Perplexity = 15
	r.Phases[0].Iterations, r.Phases[1].Iterations = 60, 60
	return r
}

func TestAnalyse(t *testing.T) {
	x, label := wave()
	e := &Embeddings{Mean: x, Std: NewMatrix(120, 4), Label: label}
	for i := range e.Std.Data {
		e.Std.Data[i] = 0.25
	}
	run := func(workers int) (*Report, []int) {
		var seen []int
		r, err := Analyse(context.Background(), e, AnalyseOptions{
			TSNE: []Option{WithRecipe(quickRecipe()), WithSeed(5), WithWorkers(workers)}, Repeats: 2, Bootstrap: 400,
			Progress: func(done, total int) {
				if total != 360 {
					t.Fatalf("total %d, want 360", total)
				}
				seen = append(seen, done)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r, seen
	}
	r, seen := run(1)
	if len(seen) != 36 || seen[0] != 10 || seen[35] != 360 {
		t.Errorf("progress %v", seen)
	}
	if other, _ := run(3); !reflect.DeepEqual(r, other) {
		t.Error("another number of workers gives another report")
	}

	near(t, "equal σ: posterior against latent", r.Posterior.Intra, r.Latent.Intra, 1e-12)
	near(t, "silhouette", r.Latent.Silhouette, 0.5810947008575795, 1e-9)
	if r.Points != 120 || r.Labels != 3 || r.Dimensions != 4 || r.Plane.Ratio < 2 || r.Plane.Accuracy != 1 {
		t.Errorf("report %+v", r)
	}
	// The interval of a mean over 120 points, against the normal approximation.
	g := group(label)
	c := g.centroids(x, nil)
	var d []float64
	for i := range 120 {
		d = append(d, distance(x.Row(i), c.Row(label[i])))
	}
	v := r.Latent.Intervals["distance_to_centroid"]
	width := 2 * 1.96 * spread(d).SD / math.Sqrt(120)
	near(t, "width of the interval", (v[1]-v[0])/width, 1, 0.25)
	for name, s := range map[string]Space{"plane": r.Plane, "latent": r.Latent} {
		for figure, v := range s.Intervals {
			if at := figures(s.Clusters, s.Accuracy)[figure]; !(v[0] <= v[1]) || at < v[0]-(v[1]-v[0])-1e-9 ||
				at > v[1]+(v[1]-v[0])+1e-9 {
				t.Errorf("%s %s is %v, its interval %v", name, figure, at, v)
			}
		}
	}
	if s := r.Seeds; s.Layouts != 2 || s.Figures["ratio"].SD == 0 || s.Figures["kl"].Mean == 0 {
		t.Errorf("seeds %+v", s)
	}

	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back := Report{Layout: r.Layout}
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(&back, r) {
		t.Errorf("the report changes on its way through JSON: %v", err)
	}
	for _, name := range []string{`"plane":{"distance_to_centroid":`, `"held_out_accuracy":`, `"ratio":[`} {
		if !strings.Contains(string(raw), name) {
			t.Errorf("no %s in %s", name, raw)
		}
	}
}

// Points without labels have the same layout and the same fidelity, and nothing that would need labels.
func TestAnalyseWithoutLabels(t *testing.T) {
	x, label := wave()
	o := AnalyseOptions{TSNE: []Option{WithPerplexity(15)}, Repeats: 2, Bootstrap: 10}
	with, err := Analyse(context.Background(), &Embeddings{Mean: x, Label: label}, o)
	if err != nil {
		t.Fatal(err)
	}
	without, err := Analyse(context.Background(), &Embeddings{Mean: x}, o)
	if err != nil {
		t.Fatal(err)
	}
	if without.Labels != 0 || without.KL != with.KL || *without.Fidelity != *with.Fidelity ||
		without.Seeds.Figures["kl"] != with.Seeds.Figures["kl"] {
		t.Errorf("without labels %+v, with %+v", without, with)
	}
	text, err := json.Marshal(without)
	if err != nil || strings.Contains(string(text), "centroid") || strings.Contains(string(text), "accuracy") {
		t.Errorf("%s, %v", text, err)
	}
	if c, err := Compare("a", without, "b", with); err != nil || c != nil {
		t.Errorf("compared %v, %v", c, err)
	}
}

// A power of two that takes squares out of float64's range changes distances by that power and nothing else.
func TestAnalyseAtAnyScale(t *testing.T) {
	x, label := wave()
	o := AnalyseOptions{TSNE: []Option{WithPerplexity(15)}, Repeats: -1, Bootstrap: 10}
	want, err := Analyse(context.Background(), &Embeddings{Mean: x, Label: label}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []int{-900, 900} {
		scaled := NewMatrix(x.Rows, x.Cols)
		for i, v := range x.Data {
			scaled.Data[i] = math.Ldexp(v, e)
		}
		got, err := Analyse(context.Background(), &Embeddings{Mean: scaled, Label: label}, o)
		if err != nil {
			t.Fatal(err)
		}
		if *got.Fidelity != *want.Fidelity || got.KL != want.KL {
			t.Errorf("·2^%d: fidelity %+v, want %+v", e, *got.Fidelity, *want.Fidelity)
		}
		if l, w := got.Latent, want.Latent; math.Ldexp(l.Intra, -e) != w.Intra || l.Ratio != w.Ratio ||
			l.Accuracy != w.Accuracy || l.Silhouette != w.Silhouette {
			t.Errorf("·2^%d: latent %+v, want %+v", e, l.Clusters, w.Clusters)
		}
	}
}

func TestAnalyseRefuses(t *testing.T) {
	x, label := wave()
	short := &Embeddings{Mean: x, Label: label[:7]}
	std := &Embeddings{Mean: x, Label: label, Std: NewMatrix(120, 4)}
	std.Std.Row(2)[1] = -0.5
	for _, c := range []struct {
		e    *Embeddings
		want string
	}{
		{&Embeddings{Mean: Matrix{Rows: 1, Cols: 2, Data: []float64{1, 2}}, Label: []int{3}},
			"1 point cannot be laid out: t-SNE needs at least 5"},
		{short, "7 labels for 120 points"},
		{std, "std: row 2, column 1 is -0.5"},
		{&Embeddings{Mean: x, Label: label, Std: NewMatrix(120, 3)}, "std is 120×3, mean is 120×4"},
	} {
		_, err := Analyse(context.Background(), c.e, AnalyseOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if c, err := MeasureClusters(Matrix{Rows: 4, Cols: 1, Data: []float64{0.1, 0.1, 0.1, 0.1}},
		[]int{0, 0, 0, 1}); err != nil || c != (Clusters{}) {
		t.Errorf("equal points: %+v, %v", c, err)
	}
	if _, err := MeasureNeighbourhood(x, x, 60); err == nil || !strings.Contains(err.Error(), "1 to 59") {
		t.Errorf("got %v", err)
	}
	collapsed := Matrix{Rows: 4, Cols: 1, Data: []float64{1, 1, 2, 2}}
	if c, err := MeasureClusters(collapsed, []int{0, 0, 1, 1}); err != nil || math.IsInf(c.Ratio, 0) || c.Ratio < 1e11 {
		t.Errorf("collapsed groups: %+v, %v", c, err)
	}
}

// An encoder that is given one context again and again tells nothing apart: that is a finding, not bad input.
func TestAnalyseOfEqualPoints(t *testing.T) {
	e := &Embeddings{Mean: NewMatrix(120, 3), Std: NewMatrix(120, 3)}
	for i := range 120 {
		e.Label = append(e.Label, i%4)
		copy(e.Mean.Row(i), []float64{0.1, -1.7, 3.3}) // a mean of 30 of them is none of them
		e.Std.Row(i)[0] = float64(i % 4)               // posteriors may differ where means do not
	}
	normal := rng.New(1, rng.TSNE)
	for _, o := range []AnalyseOptions{{}, {Repeats: 3}, {TSNE: []Option{WithRecipe(PaperScript())}}, {UMAP: &UMAP{}}} {
		r, err := Analyse(t.Context(), e, o)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]Space{"plane": r.Plane, "latent": r.Latent} {
			if s.Ratio != 0 || s.RMS != 0 || s.Silhouette != 0 || s.Accuracy != 0.25 ||
				s.Intervals["ratio"] != (Interval{}) {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if r.Posterior == nil || r.Posterior.Accuracy != 1 || len(r.Notes) != 1 ||
			!strings.Contains(r.Notes[0], "all 120 points are equal") {
			t.Errorf("%+v, %q", r.Posterior, r.Notes)
		}
		if len(r.Layout.Y.Data) != 240 || differ(r.Layout.Y) {
			t.Errorf("layout %v", r.Layout.Y)
		}
		other := &Embeddings{Mean: NewMatrix(120, 3), Label: e.Label, Std: e.Std}
		for i := range other.Mean.Data {
			other.Mean.Data[i] = normal.NormFloat64()
		}
		apart, err := Analyse(t.Context(), other, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compare("a", r, "b", apart); err != nil {
			t.Errorf("beside a report of others: %v", err)
		}
	}
	d, err := Discriminate(e.Mean, e.Label, 10, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d.Ratio != 0 || d.Silhouette != 0 || d.Accuracy != 0.25 || d.Neighbours > 0.5 || d.Probe != 0.25 ||
		slices.Max(d.Replicates[RatioFigure]) != 0 {
		t.Errorf("%+v", d)
	}
	e.Label = nil
	if _, err := Analyse(t.Context(), e, AnalyseOptions{}); err == nil ||
		!strings.Contains(err.Error(), "all 120 points are equal") {
		t.Errorf("without labels: %v", err)
	}
}

// Eight 7-D Gaussian clusters of 200 points: facts of other programs on this data with these centres at their
// defaults give ratios of 7.6 to 9.3 (scikit-learn exact 9.00, openTSNE 9.20), distances to the centroid of 3.8 to
// 7 and between centroids of 31 to 62.
func TestGaussianClusters(t *testing.T) {
	centre := [8][7]float64{
		{3.249, -1.224, -1.056, -2.146, 1.731, -4.603, 3.49}, {-1.522, 0.638, -0.499, 2.924, -4.12, -0.645, -0.768},
		{2.268, -2.2, -0.345, -1.756, 0.084, 1.166, -2.201}, {2.289, 1.803, 1.005, 1.802, -1.367, -0.246, -1.872},
		{-0.536, 1.061, -1.383, -0.794, -1.374, -1.69, -1.342}, {-0.025, -2.235, 0.469, 3.32, 1.484, -0.384, -1.775},
		{-1.494, 3.385, 0.102, -1.274, 0.382, 4.201, 0.24}, {1.234, 0.6, -0.704, -2.285, -0.699, -0.418, 1.173},
	}
	x, label := NewMatrix(1600, 7), make([]int, 1600)
	r := rng.New(1, rng.TSNE)
	for i := range 1600 {
		label[i] = i % 8
		for c := range 7 {
			x.Row(i)[c] = centre[i%8][c] + r.NormFloat64()
		}
	}
	l := fit(t, x)
	c, err := MeasureClusters(l.Y, label)
	if err != nil {
		t.Fatal(err)
	}
	if c.Ratio < 7.6 || c.Ratio > 9.8 || c.Intra < 3.8 || c.Intra > 7.5 || c.Inter < 31 || c.Inter > 66 {
		t.Errorf("%+v", c)
	}
	t.Logf("KL %.4f, distance to centroid %.2f, between centroids %.1f, ratio %.2f", l.KL, c.Intra, c.Inter, c.Ratio)
}
