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
		Long: `Tsne lays the same points out by this program, scikit-learn, openTSNE, wasm-bhtsne, this program as WebAssembly and
go-tsne, and computes the KL divergence, trustworthiness and neighbour recall of every layout alike. What is not
there is installed with pip and npm; what cannot be is one line. All but go-tsne (300 iterations of its own example)
run with their defaults at perplexity 30; 1,600 points are the paper's shape in seven dimensions, 70,000 have the 784
columns of MNIST, others fifty. From 50,000 points on the others take tens of minutes. Layouts of more than 200,000
points are judged by a sample of 1,000.`,
		Example: `  nacre bench tsne
  nacre bench tsne --sizes 1600,10000,50000,100000 --keep out/layouts --json
  nacre bench tsne --sizes 10000 --umap --peers umap-learn
  nacre bench tsne --sizes 1600 --digits --peers openTSNE --starts 24`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := firstError(between("workers", o.Workers, 0, maxWorkers), between("starts", o.Starts, 0, 1000))
			for _, n := range o.Sizes {
				err = firstError(err, between("sizes", n, 100, 1_000_000))
			}
			if err != nil {
				return err
			}
			return do(cmd.Context(), env, app.BenchTSNE, o)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.Sizes, "sizes", []int{1600, 10000}, "numbers of points")
	f.BoolVar(&o.Digits, "digits", false, "lay out the digits of scikit-learn too")
	f.BoolVar(&o.UMAP, "umap", false, "lay them out by UMAP too, beside umap-learn")
	f.IntVar(&o.Starts, "starts", 0,
		"further layouts from random starts that the libraries share, to tell differences from chance")
	f.StringSliceVar(&o.Peers, "peers", nil, "other libraries by name (default all)")
	f.StringVar(&o.Scripts, "scripts", "", "`folder` of the programs that run the others (default those in nacre)")
	f.StringVar(&o.Home, "home", "",
		"`folder` in which those that are not there are installed (default tsne in the cache)")
	f.StringVar(&o.Python, "python", "",
		"`interpreter` with numpy, scikit-learn and openTSNE (default one made in --home)")
	f.StringVar(&o.Node, "node", "node", "Node.js `command`")
	f.StringVar(&o.Modules, "modules", "", "`folder` with wasm-bhtsne (default one made in --home)")
	f.StringVar(&o.Keep, "keep", "",
		"`folder` in which the others' layouts stay, so that a run that was stopped goes on")
	f.IntVar(&o.Workers, "workers", 1, "threads each library may use")
	jsonFlag(cmd, env)
	return cmd
}
