package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerBench(benchTSNECommand) }

func benchTSNECommand(env *app.Env) *cobra.Command {
	var o app.BenchTSNEOptions
	cmd := &cobra.Command{
		Use:   "tsne",
		Short: "Time t-SNE beside other libraries on the same points",
		Long: `Tsne lays out the same points with this program, scikit-learn, openTSNE, wasm-bhtsne, this program as
WebAssembly and go-tsne, and computes the KL divergence, trustworthiness and neighbour recall of every layout
in the same way. Missing libraries are installed with pip and npm. If that fails, a line says so. All but
go-tsne (300 iterations of its own example) run with their defaults at perplexity 30. 1,600 points are 8
clusters in seven dimensions, as in the paper; 70,000 have the 784 columns of MNIST; other sizes have fifty
columns. From 50,000 points on the other libraries take tens of minutes. Layouts of more than 200,000 points
are scored on a sample of 1,000.`,
		Example: `  nacre bench tsne
  nacre bench tsne --sizes 1600,10000,50000,100000 --keep out/layouts --json
  nacre bench tsne --sizes 10000 --umap --peers umap-learn
  nacre bench tsne --sizes 1600 --digits --peers openTSNE --starts 24`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, n := range o.Sizes {
				if err := between("sizes", n, 100, 1_000_000); err != nil {
					return err
				}
			}
			return do(cmd.Context(), env, app.BenchTSNE, o)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.Sizes, "sizes", []int{1600, 10000}, "numbers of points")
	f.BoolVar(&o.Digits, "digits", false, "also lay out scikit-learn's digits")
	f.BoolVar(&o.UMAP, "umap", false, "also lay out by UMAP, beside umap-learn")
	number(f, &o.Starts, "starts", 0, 0, 1000,
		"further layouts from random starts that the libraries share, to tell differences from chance")
	f.StringSliceVar(&o.Peers, "peers", nil, "other libraries by name (default all)")
	f.StringVar(&o.Scripts, "scripts", "", "`folder` of the programs that run the others (default those in nacre)")
	f.StringVar(&o.Home, "home", "",
		"`folder` in which missing libraries are installed (default tsne in the cache)")
	f.StringVar(&o.Python, "python", "",
		"`interpreter` with numpy, scikit-learn and openTSNE (default one made in --home)")
	f.StringVar(&o.Node, "node", "node", "Node.js `command`")
	f.StringVar(&o.Modules, "modules", "", "`folder` with wasm-bhtsne (default one made in --home)")
	f.StringVar(&o.Keep, "keep", "",
		"`folder` in which the others' layouts are kept, so that a stopped run can continue")
	number(f, &o.Workers, "workers", 1, 0, maxWorkers, "threads that each library may use")
	jsonFlag(cmd, env)
	return cmd
}
