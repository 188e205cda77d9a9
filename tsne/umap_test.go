package tsne

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// The parameters of the curve that umap-learn 0.5.12 finds for its own defaults and for two others (find_ab_params).
func TestUMAPCurve(t *testing.T) {
	for _, c := range []struct{ spread, minDist, a, b float64 }{
		{1, 0.1, 1.57694346, 0.89506089}, {1, 0.5, 0.58303002, 1.33416686}, {1, 0.001, 1.92907313, 0.79150432},
	} {
		a, b := UMAP{Spread: c.spread, MinDist: c.minDist}.curve()
		if math.Abs(a-c.a) > 2e-4 || math.Abs(b-c.b) > 2e-4 {
			t.Errorf("spread %g, least distance %g: a %.6f b %.6f, umap-learn has %.6f %.6f", c.spread, c.minDist,
				a, b, c.a, c.b)
		}
	}
}

func TestPowers(t *testing.T) {
	p := newPowers(0.8951)
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		x := float32(math.Exp(40 * (r.Float64() - 0.5)))
		if got, want := float64(p.of(x)), math.Pow(float64(x), 0.8951); math.Abs(got/want-1) > 3e-7 {
			t.Fatalf("%g to the power: %g, want %g", x, got, want)
		}
	}
}

// The memberships of a point's own neighbours sum to log2 of their number, itself counted.
func TestUMAPSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		d := make([]float64, 14)
		for i := range d {
			d[i] = 1 + 3*r.Float64()
		}
		rho, sigma := spreadOf(d)
		if rho != slices.Min(d) {
			t.Fatalf("ρ %g, the nearest is at %g", rho, slices.Min(d))
		}
		sum := 0.0
		for _, v := range d {
			sum += math.Exp(-(v - rho) / sigma)
		}
		if math.Abs(sum-math.Log2(15)) > 1e-4 {
			t.Errorf("memberships sum to %g", sum)
		}
	}
}

// Groups far apart stay apart and neighbours stay neighbours, alike for any number of workers; another seed gives
// another layout.
func TestUMAP(t *testing.T) {
	heavy.Skip(t, "lays out thousands of points")
	r := rand.New(rand.NewPCG(7, 8))
	x, label := NewMatrix(600, 8), make([]int, 600)
	for i := range label {
		label[i] = i % 5
		for k := range 8 {
			x.Row(i)[k] = 6*float64((label[i]*(k+3))%5) + r.NormFloat64()
		}
	}
	layout := func(u UMAP) Matrix {
		t.Helper()
		y, notes, err := u.Fit(context.Background(), x)
		if err != nil || len(notes) > 0 {
			t.Fatal(err, notes)
		}
		return y
	}
	one, three := layout(UMAP{Workers: 1, Seed: 3}), layout(UMAP{Workers: 3, Seed: 3})
	if !slices.Equal(one.Data, three.Data) {
		t.Error("three workers give another layout than one")
	}
	if other := layout(UMAP{Workers: 2, Seed: 4}); slices.Equal(one.Data, other.Data) {
		t.Error("two seeds give one layout")
	}
	q, err := MeasureNeighbourhood(x, one, 10)
	if err != nil || q.Trustworthiness < 0.95 {
		t.Errorf("trustworthiness %v, %v", q, err)
	}
	c, err := MeasureClusters(one, label)
	if err != nil || c.Silhouette < 0.7 {
		t.Errorf("silhouette %.3f, %v", c.Silhouette, err)
	}
	g, err := Neighbours(context.Background(), x, 14, 1)
	if err != nil {
		t.Fatal(err)
	}
	if given := layout(UMAP{Graph: g, Seed: 3}); math.Abs(given.Data[0]-one.Data[0]) > 20 {
		t.Errorf("the layout of the same neighbours, given, begins with %g, not near %g", given.Data[0], one.Data[0])
	}
	ctx, stop := context.WithCancel(context.Background())
	if _, _, err := (UMAP{Progress: func(done, _ int) {
		if done == 3 {
			stop()
		}
	}}).Fit(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	for _, bad := range []UMAP{{Neighbours: 2}, {Neighbours: 601}, {MinDist: 2}, {MinDist: math.NaN()}, {Epochs: -1},
		{Negatives: -1}} {
		var e *InputError
		if _, _, err := bad.Fit(context.Background(), x); !errors.As(err, &e) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	same := NewMatrix(50, 3)
	if _, _, err := (UMAP{}).Fit(context.Background(), same); err == nil || !strings.Contains(err.Error(), "equal") {
		t.Errorf("equal points: %v", err)
	}
	copy(same.Row(0), []float64{1, 2, 3})
	if y, _, err := (UMAP{}).Fit(context.Background(), same); err != nil || slices.ContainsFunc(y.Data, math.IsNaN) {
		t.Errorf("49 equal points and one other: %v", err)
	}
}
