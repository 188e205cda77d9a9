package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/internal/loopback"
)

func init() { register(headTrain, runsCommand) }

func runsCommand(env *app.Env) *cobra.Command {
	var file app.RunsFileOptions
	o := &file.RunsOptions
	var serve, prune, yes bool
	notebook := app.NotebookOptions{Runs: true, Address: loopback.Host()}
	cmd := &cobra.Command{
		Use:   "runs [FOLDER]",
		Short: "List the run folders below a folder, or watch them in the browser",
		Long: `Runs lists every run folder below a folder (default: this one), with its configuration, its progress and its
result. Filters and columns are fields of a run (state, algorithm, family, seed, group, tag and so on),
settings by their dotted key, and columns of the metrics, whose last number counts.

With --out it writes all of them into one table for pandas, polars or R: a row for each iteration, or with
--rows for each trajectory of the final evaluation, or for each run.

With --serve it serves the page of runs instead. The page shows all of them live, their curves side by side,
notes and tags. It can start, stop and resume runs. nacre notebook has the same page at /runs.

With --prune it lists the files of finished runs that are needed only for further training: checkpoints with
their replay data. With --yes it removes those. Weights, metrics, configuration and evaluation stay, so a
pruned run is evaluated, embedded and drawn as before; "nacre resume" says that it was pruned. --filter
chooses runs.`,
		Example: `  nacre runs
  nacre runs out --filter state=running --filter algorithm=pearl
  nacre runs out --sort -adapted_return --column pearl.latent --column kl
  nacre runs out --json
  nacre runs out/sweep --out sweep.parquet --column pearl.latent
  nacre runs out --prune --filter group=ml1
  nacre runs out --prune --yes
  nacre runs out --serve`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return app.Usagef("expected one folder, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Root = "."
			if len(args) == 1 {
				o.Root = args[0]
			}
			switch out := cmd.Flags().Changed("out"); {
			case out && (prune || serve):
				return app.Usagef("--out writes a file of runs: expected it without --prune and --serve")
			case out:
				return app.RunsFile(cmd.Context(), env, file)
			case cmd.Flags().Changed("rows"):
				return app.Usagef("--rows says what --out writes: expected --out with it")
			case prune && serve:
				return app.Usagef("--prune and --serve: expected one of them")
			case prune:
				return app.Prune(cmd.Context(), env, app.PruneOptions{Root: o.Root, Filters: o.Filters, Yes: yes})
			case yes:
				return app.Usagef("--yes removes what --prune lists: expected --prune with it")
			case !serve:
				return app.Runs(cmd.Context(), env, *o)
			}
			notebook.Path = o.Root
			return do(cmd.Context(), env, serveNotebook, notebook)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.Filters, "filter", nil, "only runs with this `key=value`; may be repeated")
	f.StringVar(&o.Sort, "sort", "", "`key` to sort by; -key for the largest first")
	f.StringArrayVar(&o.Columns, "column", nil, "one more `key` to print; may be repeated")
	f.StringVarP(&file.Out, "out", "o", "", "`file` to write, .parquet or .csv")
	f.StringVar(&file.Rows, "rows", app.RowNames[0],
		"with --out, what a row of the file is: "+strings.Join(app.RowNames, ", "))
	f.BoolVar(&prune, "prune", false, "list the files of finished runs that are needed only for further training")
	f.BoolVar(&yes, "yes", false, "with --prune, remove these files")
	jsonFlag(cmd, env)
	f.BoolVar(&serve, "serve", false, "serve the page of runs")
	number(f, &notebook.Port, "port", 8888, 0, maxPort,
		"with --serve, `port` to listen on, or one of the nine after it; 0 for any")
	f.BoolVar(&notebook.Browser, "browser", false, "with --serve, open the browser")
	processesFlag(cmd, &notebook.Processes)
	return cmd
}
