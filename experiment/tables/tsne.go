package tables

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
	"nacre/tsne"
)

// EmbeddingTable is the paper's t-SNE study from the embeddings of runs: distances in the plane, by system.
type EmbeddingTable struct {
	Rows   []EmbeddingRow    `json:"rows"`
	Paper  []paper.Embedding `json:"paper,omitempty"`
	Recipe string            `json:"recipe"`
	Notes  []string          `json:"notes,omitempty"`
}

// EmbeddingRow is a system, with 95 % intervals over its seeds. A ratio has no unit; a distance in the plane has
// t-SNE's unit.
type EmbeddingRow struct {
	System     string         `json:"system"`
	Family     string         `json:"family"`
	ToCentroid stats.Interval `json:"to_centroid"`
	Between    stats.Interval `json:"between_centroids"`
	Ratio      stats.Interval `json:"ratio"`
	Latent     stats.Interval `json:"latent_ratio"` // ratio of distances between posterior means, without t-SNE
	Points     int            `json:"points"`       // embedded windows of each seed
}

// BuildEmbeddings lays out the embeddings that runs have in the given file and measures them. Each layout takes some
// seconds; report is called after it.
func BuildEmbeddings(ctx context.Context, runs []Run, file string, workers int,
	report func(run string)) (*EmbeddingTable, error) {
	recipe := tsne.PaperScript()
	t := &EmbeddingTable{Recipe: recipe.Name}
	type key struct{ family, system string }
	figures := map[key][]*tsne.Report{}
	var keys []key
	var families []string
	var without []string
	for _, r := range runs {
		path := filepath.Join(r.Dir, file)
		if _, err := plainfile.Stat(path); err != nil {
			without = append(without, r.Dir)
			continue
		}
		e, err := tsne.Load(path, "")
		if err != nil {
			return nil, err
		}
		analysis, err := tsne.Analyse(ctx, e, tsne.AnalyseOptions{
			TSNE:    []tsne.Option{tsne.WithRecipe(recipe), tsne.WithSeed(r.Config.Seed), tsne.WithWorkers(workers)},
			Repeats: -1})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		k := key{r.Config.Family, r.System}
		if figures[k] == nil {
			keys, families = append(keys, k), append(families, k.family)
		}
		figures[k] = append(figures[k], analysis)
		report(r.Dir)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("none of the %d runs has an %s: make it with: nacre embed RUN", len(runs), file)
	}
	if n := len(without); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d runs have no %s; make it with: %s", n, file,
			shell.Command("nacre", "embed", shell.Path(without[0]))))
	}
	t.Paper = paper.TSNEOf(families...)
	for _, k := range keys {
		of := func(value func(*tsne.Report) float64) stats.Interval {
			var x []float64
			for _, f := range figures[k] {
				x = append(x, value(f))
			}
			return stats.MeanInterval(x)
		}
		t.Rows = append(t.Rows, EmbeddingRow{System: k.system, Family: k.family, Points: figures[k][0].Points,
			ToCentroid: of(func(r *tsne.Report) float64 { return r.Plane.Intra }),
			Between:    of(func(r *tsne.Report) float64 { return r.Plane.Inter }),
			Ratio:      of(func(r *tsne.Report) float64 { return r.Plane.Ratio }),
			Latent:     of(func(r *tsne.Report) float64 { return r.Latent.Ratio })})
	}
	return t, nil
}

// WriteText prints the table as text.
func (t *EmbeddingTable) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Mean distances in the t-SNE plane under the recipe %q, [95 %% interval over seeds]", t.Recipe)
	if len(t.Paper) > 0 {
		fmt.Fprint(w, "; the paper's are of push-v1, one run each")
	}
	fmt.Fprint(w, "\n\n")
	tw := columns(w)
	fmt.Fprint(tw, "\t\tn\tpoints\tto centroid\tbetween centroids\tratio\tratio in latent space\t\n")
	for _, r := range t.Rows {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t\n", r.Family, experiment.Title(r.System), r.Ratio.N, r.Points,
			interval(r.ToCentroid), interval(r.Between),
			interval(r.Ratio), interval(r.Latent))
	}
	for _, p := range t.Paper {
		fmt.Fprintf(tw, "the paper\t%s\t1\t1600\t%.2f\t%.2f\t%.2f\t–\t\n", p.Method, p.ToCentroid, p.Between, p.Ratio())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nDistances in a plane have no unit: compare ratios.")
	for _, n := range t.Notes {
		fmt.Fprintln(w, n)
	}
	return nil
}
