package tsne

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// turned is ten points of three columns, of lengths that differ tenfold.
func turned() Matrix {
	x := NewMatrix(10, 3)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Row(i)[j] = math.Sin(1+3*float64(i)+float64(j*j)) * float64(1+i)
		}
	}
	return x
}

// The values are scikit-learn 1.9.1's _joint_probabilities of the squared cosine distances at perplexity 2.5.
func TestCosineAffinities(t *testing.T) {
	p, err := NewAffinities(context.Background(), turned(), AffinityOptions{Perplexity: 2.5, Neighbours: AllNeighbours,
		Metric: Cosine})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int][]float64{
		0: {0, 0, 4.88932599e-02, 0, 2.42847710e-02, 0, 4.19861310e-03, 0, 3.31436040e-04, 0},
		3: {0, 4.86186621e-02, 0, 0, 0, 4.94219093e-02, 0, 9.98243837e-03, 0, 4.00370477e-03},
	} {
		for j, w := range want {
			if got := p.At(i, j); math.Abs(got-w) > 1e-6 { // its search ends at an entropy that is 1e-5 off
				t.Errorf("p of %d and %d is %.9g, want %.9g", i, j, got, w)
			}
		}
	}
}

// The lengths of rows make no difference to the picture, and a row without a direction is said.
func TestCosineLooksAtDirections(t *testing.T) {
	x := turned()
	scaled := Matrix{Rows: x.Rows, Cols: x.Cols, Data: slices.Clone(x.Data)}
	for i := range scaled.Rows {
		for k := range scaled.Row(i) {
			scaled.Row(i)[k] *= math.Ldexp(1, 5*i-20)
		}
	}
	fit := func(x Matrix) ([]float64, error) {
		l, err := New(WithMetric(Cosine), WithPerplexity(2.5)).Fit(context.Background(), x)
		if err != nil {
			return nil, err
		}
		return l.Y.Data, nil
	}
	a, err := fit(x)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := fit(scaled); err != nil || !slices.Equal(a, b) {
		t.Errorf("scaled rows lie elsewhere: %v", err)
	}
	if _, _, err := (UMAP{Metric: Cosine, Neighbours: 4, Epochs: 5}).Fit(context.Background(), x); err != nil {
		t.Error(err)
	}
	clear(x.Row(4))
	if _, err := fit(x); err == nil || !strings.Contains(err.Error(), "row 4 (counted from 0) is all zeros") {
		t.Errorf("a row of zeros: %v", err)
	}
	if _, err := New(WithRecipe(PaperScript()), WithMetric(Cosine)).Fit(context.Background(),
		NewMatrix(100, 20)); err == nil || !strings.Contains(err.Error(), "principal components") {
		t.Errorf("of principal components: %v", err)
	}
	if _, err := New(WithMetric("manhattan")).Fit(context.Background(), NewMatrix(100, 20)); err == nil ||
		!strings.Contains(err.Error(), `"manhattan" is unknown`) {
		t.Errorf("an unknown metric: %v", err)
	}
}

// One label, labels of single points and coincident points have their picture, and a sentence about what is not known.
func TestAnalyseWithoutFigures(t *testing.T) {
	x, label := wave()
	one, alone, each, single := make([]int, 120), slices.Clone(label), make([]int, 120), slices.Clone(label)
	alone[3], single[7], single[9] = 99, 50, 51
	for i := range each {
		each[i] = i
	}
	tight := NewMatrix(120, 4)
	for i := range tight.Rows {
		copy(tight.Row(i), x.Row(label[i]))
		tight.Row(i)[0] += 1e-12 * float64(i)
	}
	for name, c := range map[string]struct {
		e       *Embeddings
		note    string
		figures bool
	}{
		"one":    {&Embeddings{Mean: x, Label: one, Names: []string{"push"}}, "every point has label push", false},
		"each":   {&Embeddings{Mean: x, Label: each}, "every label has a single point", false},
		"alone":  {&Embeddings{Mean: x, Label: alone}, "1 label with a single point each (99)", true},
		"single": {&Embeddings{Mean: x, Label: single}, "2 labels with a single point each (50, 51)", true},
		"tight":  {&Embeddings{Mean: tight, Label: label}, "lie in one place", true},
	} {
		r, err := Analyse(context.Background(), c.e, AnalyseOptions{Repeats: -1, Bootstrap: 2, Splits: 2,
			TSNE: []Option{WithPerplexity(5)}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(strings.Join(r.Notes, "\n"), c.note) {
			t.Errorf("%s: notes %q, want %q", name, r.Notes, c.note)
		}
		if r.Layout.Y.Rows != 120 || (r.Labels > 0) != c.figures ||
			c.figures && !(r.Plane.Accuracy >= 0 && r.Plane.Ratio > 0) {
			t.Errorf("%s: %d labels, accuracy %v, ratio %v", name, r.Labels, r.Plane.Accuracy, r.Plane.Ratio)
		}
	}
}
