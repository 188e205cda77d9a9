package main

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, tsneCommand) }

func tsneCommand(env *app.Env) *cobra.Command {
	var o app.TSNEOptions
	cmd := &cobra.Command{
		Use:   "tsne FILE|FOLDER [FILE|FOLDER]...",
		Short: "Draw embeddings with t-SNE and measure how well tasks lie apart",
		Long: `Tsne lays embeddings out in the plane and draws them. For the plane and for latent space it prints the mean
distance of points to their task's centroid, the mean distance between centroids, their ratio, the silhouette,
and the accuracy of the nearest centroid on held-out windows. The paper's figures stand beside them.

An input is an .npz, .npy, .safetensors, .parquet, .csv, .tsv, .json or .jsonl file, perhaps with .gz, or a
run folder in which "nacre embed" was run. Tsne says which columns it lays out. It leaves out counters of
rows, time or seeds; --columns chooses. Several inputs are drawn side by side in one scale. For each pair it
says whether they differ by more than other starts of t-SNE and other windows would cause. Points without
labels are drawn in one colour.

It writes pictures (tsne.png, tsne.svg), numbers (tsne.json) and coordinates (tsne.npz, and tsne.csv with
labels and the input's other columns). With --width it writes tsne.pdf too, and pictures have that width.`,
		Example: `  nacre tsne runs/point
  nacre tsne runs/pearl runs/tcl-pearl --out figures
  nacre tsne runs/tcl-pearl --umap
  nacre tsne mine.csv --label task --columns 'latent*' --perplexity 20 --out figures`,
		Args: someArgs("files of embeddings or run folders"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Inputs = args
			if o.Separator = strings.NewReplacer(`\t`, "\t", "tab", "\t").Replace(o.Separator); utf8.RuneCountInString(
				o.Separator) > 1 {
				return app.Usagef("--separator %q: expected one letter, such as ; or tab", o.Separator)
			}
			if !(o.Perplexity == 0 || o.Perplexity > 1 && o.Perplexity < 1e6) {
				return app.Usagef("--perplexity %g: expected a number above 1 and below 1000000, or 0 for the recipe's",
					o.Perplexity)
			}
			for _, name := range []string{"recipe", "perplexity", "iterations", "start", "method", "repeats"} {
				if o.UMAP && cmd.Flags().Changed(name) {
					return app.Usagef("--%s is for t-SNE, not for --umap", name)
				}
			}
			for _, name := range []string{"neighbours", "min-dist"} {
				if !o.UMAP && cmd.Flags().Changed(name) {
					return app.Usagef("--%s is for --umap", name)
				}
			}
			if o.Metric == "euclidean" {
				o.Metric = ""
			}
			return do(cmd.Context(), env, app.TSNE, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Recipe, "recipe", "", "named settings of t-SNE")
	f.Float64Var(&o.Perplexity, "perplexity", 0, "effective number of neighbours, 0 for the recipe's")
	number(f, &o.Iterations, "iterations", 0, 0, maxCount, "iterations, 0 for the recipe's")
	word(f, &o.Start, "start", "", "first layout: pca or random (default the recipe's)", "pca", "random")
	word(f, &o.Metric, "metric", "", "distance of neighbours: euclidean (default) or cosine", "euclidean", "cosine")
	word(f, &o.Method, "method", "",
		"repulsion: exact, fft or barnes-hut (default the quickest for the number of points here)",
		"exact", "fft", "barnes-hut")
	f.BoolVar(&o.UMAP, "umap", false, "lay out with UMAP instead of t-SNE")
	number(f, &o.Neighbours, "neighbours", 0, 0, maxCount,
		"with --umap, neighbours of a point, itself among them (default 15)")
	f.Float64Var(&o.MinDist, "min-dist", 0, "with --umap, how near points may come (default 0.1)")
	number(f, &o.Repeats, "repeats", 0, 0, 1000, "layouts from other random starts, to see how far the figures "+
		"spread (default 5 for several inputs of at most 5,000 points)")
	f.StringVar(&o.Label, "label", "",
		"`name` of the column or array that holds the labels; for an .npy file, a second .npy file with them")
	f.StringSliceVar(&o.Columns, "columns", nil, "`names` of the columns to lay out, separated by commas; patterns "+
		"such as 'latent*' too (default all numeric columns, except labels and counters of rows, time or seeds)")
	f.StringVar(&o.Separator, "separator", "",
		"separator of the fields of a CSV file: one letter, or tab (default detected, as --decimal and --encoding are)")
	word(f, &o.Decimal, "decimal", "", "decimal mark of a CSV file: . or ,", ".", ",")
	f.StringVar(&o.Encoding, "encoding", "", "encoding of a file's text, such as latin1 or utf-16le")
	f.StringVarP(&o.Out, "out", "o", "",
		"`folder` for plots and figures (default beside the input, of several the current folder)")
	paperFlags(cmd, &o.Paper)
	seedFlag(cmd, &o.Seed, 0, "seed of the layout")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
