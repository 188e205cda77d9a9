package tsne

import (
	"context"
	"fmt"
	"testing"

	"nacre/internal/rng"
)

// BenchmarkFit is the paper's size, eight groups of 200 points in seven dimensions, through the whole of Current.
func BenchmarkFit(b *testing.B) {
	x := NewMatrix(1600, 7)
	r := rng.New(1, rng.TSNE)
	var centre [8][7]float64
	for g := range centre {
		for c := range centre[g] {
			centre[g][c] = 2 * r.NormFloat64()
		}
	}
	for i := range 1600 {
		for c := range 7 {
			x.Row(i)[c] = centre[i%8][c] + r.NormFloat64()
		}
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				if _, err := New(WithWorkers(workers)).Fit(context.Background(), x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkForces is one evaluation of the gradient at that size, on one core.
func BenchmarkForces(b *testing.B) {
	x := NewMatrix(1600, 7)
	y := make([]float32, 3200)
	r := rng.New(1, rng.TSNE)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	for i := range y {
		y[i] = float32(10 * r.NormFloat64())
	}
	p, err := NewAffinities(context.Background(), x, 30, 1)
	if err != nil {
		b.Fatal(err)
	}
	f := newForces(1600)
	for b.Loop() {
		f.compute(p, y, 1)
	}
}
