package tsne

import (
	"math"
	"testing"
)

// waves are 60 points of three labels that overlap.
func waves() (Matrix, []int) {
	x, label := NewMatrix(60, 3), make([]int, 60)
	for i := range 60 {
		v, l := float64(i), i%3
		label[i] = l
		is := func(k int) float64 {
			if l == k {
				return 1
			}
			return 0
		}
		copy(x.Row(i), []float64{math.Sin(1.7*v+float64(l)) + .6*float64(l), math.Cos(2.3*v)*1.5 - .4*is(1),
			math.Sin(.31*v*v) + .5*is(2)})
	}
	return x, label
}

// The figures are scikit-learn's (1.9.1): KNeighborsClassifier(5) leaving one out, LogisticRegression(C=1) after
// StandardScaler on the same five folds, silhouette_score.
func TestDiscriminationIsThatOfScikitLearn(t *testing.T) {
	x, label := waves()
	for _, workers := range []int{1, 3} {
		d, err := Discriminate(x, label, 50, 1, workers)
		if err != nil {
			t.Fatal(err)
		}
		if d.Neighbours != 25./60 || math.Abs(d.Probe-31./60) > 1e-12 {
			t.Errorf("%v right by neighbours and %v by the probe, want 25 and 31 of 60", 60*d.Neighbours, 60*d.Probe)
		}
		if math.Abs(d.Silhouette-.0028895272003394306) > 1e-12 {
			t.Errorf("silhouette %v", d.Silhouette)
		}
		accuracy, err := NearestCentroidAccuracy(x, label, 20, 1)
		if err != nil || d.Accuracy != accuracy {
			t.Errorf("nearest centroid %v, want %v, %v", d.Accuracy, accuracy, err)
		}
	}
}

// The weights on all points are those of scikit-learn, as above.
func TestLogisticRegression(t *testing.T) {
	x, label := waves()
	all := make([]int, x.Rows)
	for i := range all {
		all[i] = i
	}
	m, err := fitLogistic(x, group(label), all)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		-.9919915755733616, .15191713999149806, -.3559124723183392, -.006949490430535854,
		-.021079319018493792, -.1706954599242614, -.37741080421328305, .2856404148591866,
		1.0130708945918556, .01877831993276347, .7333232765316221, -.27869092442865046,
	}
	for k, v := range want {
		if math.Abs(m.weight[k]-v) > 1e-6 {
			t.Errorf("weight %d is %v, want %v", k, m.weight[k], v)
		}
	}
}

// Points that coincide with their label are told by everything, labels that are dealt out by nothing.
func TestDiscriminationEnds(t *testing.T) {
	x, label := NewMatrix(400, 2), make([]int, 400)
	for i := range label {
		label[i] = i % 4
		x.Row(i)[0], x.Row(i)[1] = float64(label[i])+.01*math.Sin(float64(i)), .01*math.Cos(float64(i*i))
	}
	d, err := Discriminate(x, label, 200, 1, 0)
	if err != nil || d.Accuracy != 1 || d.Neighbours != 1 || d.Probe != 1 || d.Ratio < 50 || d.Silhouette < .9 {
		t.Errorf("%+v, %v", d, err)
	}
	// An interval of so many right answers is binomial: the standard error is √(p(1−p)/n) over the labels.
	for i := range label {
		x.Row(i)[0], x.Row(i)[1] = math.Sin(float64(i*i)), math.Cos(float64(3*i*i+i))
	}
	if d, err = Discriminate(x, label, 2000, 1, 0); err != nil || d.Accuracy > .4 || d.Neighbours > .4 || d.Probe > .4 {
		t.Fatalf("%+v, %v", d, err)
	}
	want := math.Sqrt(d.Neighbours * (1 - d.Neighbours) / 400)
	if got := spread(d.Replicates[NeighboursFigure]); math.Abs(got.SD/want-1) > .15 ||
		math.Abs(got.Mean-d.Neighbours) > .01 {
		t.Errorf("replicates of %v: %+v, want a deviation of about %v", d.Neighbours, got, want)
	}
	if _, err := Discriminate(x, label, 0, 1, 0); err == nil {
		t.Error("no replicates")
	}
	if _, err := Discriminate(x, label[1:], 1, 1, 0); err == nil {
		t.Error("fewer labels than points")
	}
}
