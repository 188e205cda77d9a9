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
