package tsne

import (
	"context"
	"math"
	"strings"
	"testing"

	"nacre/internal/rng"
)

// Two layouts with standard deviations 3 and 4, each from 5 layouts: by Welch, ν = 25²/(81/4 + 256/4) = 7.4184 and the
// limit t(0.975; ν)·5. The tabled quantiles are 2.365 for ν = 7 and 2.306 for 8.
func TestNoise(t *testing.T) {
	got := noise(3, 5, 4, 5) / 5
	if got < 2.306 || got > 2.365 {
		t.Errorf("quantile %.4f, want between those of 7 and 8 degrees of freedom, 2.365 and 2.306", got)
	}
	near(t, "one side without spread", noise(2, 5, 0, 5)/2, 2.776, 1e-3) // t(0.975; 4)
	near(t, "no spread", noise(0, 5, 0, 5), 0, 0)
}

func TestVerdicts(t *testing.T) {
	limit := 0.3
	for want, c := range map[string]Comparison{
		"A 1, B 1.2, difference 0.2. Within the noise of t-SNE itself: two layouts of the same points differ by up " +
			"to 0.3.": {Space: "plane", A: 1, B: 1.2, Layouts: &limit, Windows: 0.1},
		"but within what drawing the windows anew makes " +
			"(0.9)": {Space: "plane", A: 1, B: 1.5, Layouts: &limit, Windows: 0.9},
		"More than t-SNE makes by itself (0.3) and than drawing the windows anew makes " +
			"(0.1)": {Space: "plane", A: 1, B: 1.5, Layouts: &limit, Windows: 0.1},
		"is not known without repeated " +
			"layouts": {Space: "plane", A: 1, B: 9, Windows: 0.1},
		"Within what drawing the windows anew makes " +
			"(0.1)": {Space: "latent", A: 1, B: 1.05, Windows: 0.1},
		"More than drawing the windows anew makes " +
			"(0.1)": {Space: "latent", A: 2, B: 1, Windows: 0.1},
	} {
		if got := c.verdict("ratio", "A", "B"); !strings.Contains(got, want) || !strings.HasPrefix(got, "Ratio: ") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// One set of points against itself differs in nothing; against groups far apart it differs in every space.
func TestCompare(t *testing.T) {
	report := func(apart float64) *Report {
		x, label := NewMatrix(150, 3), make([]int, 150)
		r := rng.New(4, rng.TSNE)
		for i := range 150 {
			label[i] = i % 3
			for c := range 3 {
				x.Row(i)[c] = r.NormFloat64()
			}
			x.Row(i)[label[i]] += apart
		}
		rep, err := Analyse(context.Background(), &Embeddings{Mean: x, Label: label}, AnalyseOptions{
			TSNE: []Option{WithRecipe(quickRecipe())}, Repeats: 4, Bootstrap: 200,
		})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	a, b := report(1), report(8)
	same, err := Compare("a", a, "b", a)
	if err != nil {
		t.Fatal(err)
	}
	far, err := Compare("a", a, "b", b)
	if err != nil {
		t.Fatal(err)
	}
	if len(same) != 4 || len(far) != 4 { // ratio and accuracy in the plane and in latent space
		t.Fatalf("%d and %d comparisons", len(same), len(far))
	}
	for i := range same {
		if !strings.Contains(same[i].Verdict, "Within ") || same[i].Space == "plane" &&
			(same[i].Layouts == nil || math.IsNaN(*same[i].Layouts)) {
			t.Errorf("a report against itself: %+v", same[i])
		}
	}
	if !strings.Contains(far[0].Verdict, "More than t-SNE makes by itself") ||
		!strings.Contains(far[1].Verdict, "More than drawing") {
		t.Errorf("groups far apart: %q, %q", far[0].Verdict, far[1].Verdict)
	}
	b.Recipe.Perplexity = 5
	if _, err := Compare("a", a, "b", b); err == nil || !strings.Contains(err.Error(), "different recipes") {
		t.Errorf("two recipes: %v", err)
	}
}
