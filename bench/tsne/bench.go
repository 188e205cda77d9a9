// Package tsnebench times t-SNE beside other libraries on the same points and judges every layout by one evaluator.
// The others run as programs of their own, from the scripts in this folder.
//
//	points := tsnebench.Points(1600)
//	judge, err := tsnebench.NewJudge(ctx, points)
//	r := tsnebench.Peers(tsnebench.Where{Home: "peers"})[0].Run(ctx, points, tsne.Matrix{}, 1)
//	err = judge.Score(ctx, &r)
//	fmt.Println(r.Name, r.CPU, r.KL)
package tsnebench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"nacre/internal/rng"
	"nacre/internal/usage"
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
	// Kullback-Leibler divergence as in Judge.KL; 0 for UMAP, and if there are more points than a Judge takes
	// neighbours of
	KL     float64 `json:"kl,omitempty"`
	Trust  float64 `json:"trustworthiness,omitempty"` // over all points, of more than 5,000 over a sample of 1,000
	Recall float64 `json:"knn_recall,omitempty"`      // of the 10 nearest, over all points
	Absent string  `json:"absent,omitempty"`          // why there is no layout
	Made   string  `json:"made,omitempty"`            // when, where that is not the time of the report

	y    tsne.Matrix
	umap bool
}

// Points makes n points. If n is 1,600, they are eight Gaussian clusters in seven dimensions, as in the paper. For any
// other n they are twenty clusters with eight strong directions each, in fifty dimensions. If n is 70,000, there are
// 784 dimensions, as in MNIST.
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
	g *tsne.Graph
	p *tsne.Affinities
}

// mostJudged is up to how many points all their neighbours are found to judge layouts by; of more, a sample's.
const mostJudged = 200_000

// NewJudge finds the exact 90 nearest neighbours, by which all layouts are judged. For 70,000 points of 784 columns
// that takes minutes. For more than 200,000 points it finds no neighbours: then layouts are judged by a sample of 1,000
// points, without KL.
func NewJudge(ctx context.Context, x tsne.Matrix) (*Judge, error) {
	if x.Rows > mostJudged {
		return &Judge{x: x}, nil
	}
	g, err := tsne.ExactNeighbours(ctx, x, 90, 0)
	if err != nil {
		return nil, err
	}
	p, err := tsne.NewAffinities(ctx, x, tsne.AffinityOptions{Perplexity: 30, Graph: g})
	return &Judge{x, g, p}, err
}

// KL returns the Kullback-Leibler divergence of a layout in nats. The affinities P have the exact 90 nearest neighbours
// at perplexity 30; the sum Z is over all pairs of the layout.
func (j *Judge) KL(y tsne.Matrix) (float64, error) { return j.p.KL(y) }

// Score fills in what the layout is worth.
func (j *Judge) Score(ctx context.Context, r *Result) error {
	if r.Absent != "" {
		return nil
	}
	var err error
	if !r.umap && j.p != nil {
		if r.KL, err = j.p.KL(r.y); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	q, err := tsne.MeasureNeighbourhood(j.x, r.y, recalled)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	r.Trust, r.Recall = q.Trustworthiness, q.Recall
	if j.g == nil {
		return nil
	}
	plane, err := tsne.ExactNeighbours(ctx, r.y, recalled, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	r.Recall = j.recall(plane)
	return nil
}

const recalled = 10

// recall is the share of the nearest points in the data that are also nearest in the plane. A sample would not do: that
// of two layouts of one library differs by half a per cent over 1,000 points, and by a tenth of one over 20,000.
func (j *Judge) recall(plane *tsne.Graph) float64 {
	same := 0
	for i := range len(plane.Index) / plane.K {
		near := plane.Index[i*plane.K : (i+1)*plane.K]
		for _, k := range j.g.Index[i*j.g.K : i*j.g.K+recalled] {
			if slices.Contains(near, k) {
				same++
			}
		}
	}
	return float64(same) / float64(len(plane.Index))
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

// Self lays the points out with this program. If the matrix start has rows, it is the first layout.
func Self(ctx context.Context, x, start tsne.Matrix, workers int) (Result, error) {
	r := Result{Name: "nacre", Version: runtime.GOOS + "/" + runtime.GOARCH, Points: x.Rows, Columns: x.Cols}
	options := []tsne.Option{tsne.WithWorkers(workers)}
	if start.Rows > 0 {
		options = append(options, tsne.WithInit(start))
	}
	wall, cpu := time.Now(), usage.CPU()
	s, err := tsne.New(options...).Start(ctx, x)
	if err == nil {
		_, err = s.Step(ctx, s.Remaining())
	}
	if err != nil {
		return r, err
	}
	r.Wall, r.CPU, r.Iterations = time.Since(wall).Seconds(), usage.CPU()-cpu, s.Iteration()
	r.y = tsne.NewMatrix(x.Rows, 2)
	for i, v := range s.Positions() {
		r.y.Data[i] = float64(v)
	}
	return r, nil
}

// SelfUMAP lays the points out by UMAP with this program.
func SelfUMAP(ctx context.Context, x tsne.Matrix, workers int) (Result, error) {
	r := Result{Name: "nacre UMAP", Version: runtime.GOOS + "/" + runtime.GOARCH, Points: x.Rows, Columns: x.Cols,
		umap: true}
	wall, cpu := time.Now(), usage.CPU()
	var err error
	r.y, _, err = tsne.UMAP{Workers: workers, Progress: func(_, of int) { r.Iterations = of }}.Fit(ctx, x)
	r.Wall, r.CPU = time.Since(wall).Seconds(), usage.CPU()-cpu
	return r, err
}
