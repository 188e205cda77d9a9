package tsne_test

import (
	"context"
	"fmt"
	"math"

	"nacre/tsne"
)

// Two rings of points, far apart in three dimensions, stay apart in the plane.
func Example() {
	x, label := tsne.NewMatrix(100, 3), make([]int, 100)
	for i := range 100 {
		label[i] = i % 2
		angle := float64(i/2) / 50 * 2 * math.Pi
		copy(x.Row(i), []float64{math.Cos(angle), math.Sin(angle), 10 * float64(label[i])})
	}
	layout, err := tsne.New(tsne.WithPerplexity(10), tsne.WithSeed(1)).Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := tsne.MeasureClusters(layout.Y, label)
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, err := tsne.NearestCentroidAccuracy(layout.Y, label, 20, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("centroids further apart than points are from them:", c.Ratio > 1)
	fmt.Println("held-out points nearest to their own centroid:", accuracy)
	// Output:
	// centroids further apart than points are from them: true
	// held-out points nearest to their own centroid: 1
}

// A session can be stepped, watched and changed while it runs.
func ExampleOptimization() {
	x := tsne.NewMatrix(60, 2)
	for i := range 60 {
		x.Row(i)[0], x.Row(i)[1] = float64(i%10), float64(i/10)
	}
	ctx := context.Background()
	s, err := tsne.New(tsne.WithPerplexity(8)).Start(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for s.Iteration() < 100 {
		if _, err := s.Step(ctx, 10); err != nil {
			fmt.Println(err)
			return
		}
		_ = s.Positions() // draw them
	}
	early := s.KL()
	if err := s.SetPlan([]tsne.Phase{{Iterations: 400, Exaggeration: 1, Momentum: 0.8}}); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Step(ctx, s.Remaining()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Iteration(), "iterations, better than before:", s.KL() < early)
	// Output: 500 iterations, better than before: true
}
