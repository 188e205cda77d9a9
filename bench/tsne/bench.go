// Package tsnebench times t-SNE beside other libraries on the same points and judges every layout by one evaluator.
// The others run as programs of their own, from the scripts in this folder.
//
//	points := tsnebench.Points(1600)
//	judge, err := tsnebench.NewJudge(ctx, points)
//	r := tsnebench.Peers(tsnebench.Where{Scripts: "bench/tsne", Home: ".deps/tsne"})[0].Run(ctx, points, tsne.Matrix{}, 1)
//	err = judge.Score(&r)
//	fmt.Println(r.Name, r.CPU, r.KL)
package tsnebench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"nacre/internal/rng"
	"nacre/tsne"
)

// Result is one layout of one library.
type Result struct {
	Name       string  `json:"name"`
	Version    string  `json:"version,omitempty"`
	Points     int     `json:"points"`
	Columns    int     `json:"columns"`
	Iterations int     `json:"iterations,omitempty"`
	Wall       float64 `json:"wall_s,omitempty"` // of the layout alone, neighbours and start included
	CPU        float64 `json:"cpu_s,omitempty"`  // processor time of the same; 0 where it cannot be had
	KL         float64 `json:"kl,omitempty"`     // nats; P on the exact 90 nearest neighbours at perplexity 30, Z over all pairs
	Trust      float64 `json:"trustworthiness,omitempty"`
	Recall     float64 `json:"knn_recall,omitempty"`
	Absent     string  `json:"absent,omitempty"` // why there is no layout
	Made       string  `json:"made,omitempty"`   // when, where that is not the time of the report

	y tsne.Matrix
}

// Points makes the data of a size: 1,600 are eight Gaussian clusters in seven dimensions, the paper's shape; others are
// twenty clusters of eight strong directions each in fifty dimensions, 70,000 in 784, the size of MNIST.
func Points(n int) tsne.Matrix {
	clusters, d, rank, noise := 20, 50, 8, 0.3
	switch n {
	case 1600:
		clusters, d, rank, noise = 8, 7, 0, 1
	case 70000:
		d = 784
	}
	r := rng.New(uint64(n), rng.TSNE)
	centre := tsne.NewMatrix(clusters, d)
	axes := tsne.NewMatrix(clusters*rank, d)
	for i := range centre.Data {
		centre.Data[i] = 2 * r.NormFloat64()
	}
	for i := range axes.Data {
		axes.Data[i] = 2 * r.NormFloat64() / math.Sqrt(float64(rank))
	}
	x := tsne.NewMatrix(n, d)
	for i := range n {
		k := i % clusters
		row := x.Row(i)
		for c := range row {
			row[c] = centre.Row(k)[c] + noise*r.NormFloat64()
		}
		for a := range rank {
			s := r.NormFloat64()
			for c, v := range axes.Row(k*rank + a) {
				row[c] += s * v
			}
		}
	}
	return x
}

// Judge scores layouts of one data set.
type Judge struct {
	x tsne.Matrix
	p *tsne.Affinities
}

// NewJudge computes the affinities all layouts are judged by: on the exact 90 nearest neighbours, but for MNIST's size,
// where finding them takes minutes and those that tsne.Neighbours finds serve all.
func NewJudge(ctx context.Context, x tsne.Matrix) (*Judge, error) {
	p, err := tsne.NewAffinities(ctx, x, tsne.AffinityOptions{Perplexity: 30, Neighbours: 90, Exact: len(x.Data) < 2e7})
	return &Judge{x, p}, err
}

// Score fills in what the layout is worth.
func (j *Judge) Score(r *Result) error {
	if r.Absent != "" {
		return nil
	}
	var err error
	if r.KL, err = j.p.KL(r.y); err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	q, err := tsne.MeasureNeighbourhood(j.x, r.y, 10)
	r.Trust, r.Recall = q.Trustworthiness, q.Recall
	return err
}

// Start is a first layout from a seed, a normal cloud of standard deviation 10⁻⁴, for libraries to share.
func Start(n int, seed uint64) tsne.Matrix {
	r := rng.New(seed, rng.TSNE)
	y := tsne.NewMatrix(n, 2)
	for i := range y.Data {
		y.Data[i] = 1e-4 * r.NormFloat64()
	}
	return y
}

// Self lays the points out with this program, from start where it has rows.
func Self(ctx context.Context, x, start tsne.Matrix, workers int) (Result, error) {
	r := Result{Name: "nacre", Version: runtime.GOOS + "/" + runtime.GOARCH, Points: x.Rows, Columns: x.Cols}
	options := []tsne.Option{tsne.WithWorkers(workers)}
	if start.Rows > 0 {
		options = append(options, tsne.WithInit(start))
	}
	wall, cpu := time.Now(), processor()
	s, err := tsne.New(options...).Start(ctx, x)
	if err == nil {
		_, err = s.Step(ctx, s.Remaining())
	}
	if err != nil {
		return r, err
	}
	r.Wall, r.CPU, r.Iterations = time.Since(wall).Seconds(), processor()-cpu, s.Iteration()
	r.y = tsne.NewMatrix(x.Rows, 2)
	for i, v := range s.Positions() {
		r.y.Data[i] = float64(v)
	}
	return r, nil
}
