package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, reportCommand) }

func reportCommand(env *app.Env) *cobra.Command {
	var o app.ReportRunOptions
	var bundle bool
	cmd := &cobra.Command{
		Use:   "report FOLDER",
		Short: "Write a page about one run, or a bundle for a bug report",
		Long: `Report writes one HTML page about a run, which needs no other file. It shows the run's progress, the return on
test tasks over training and after adaptation, the last metrics, the note, what ran it, and its configuration.
If "nacre embed" and "nacre tsne" were run, it also shows the layout of its embeddings with the centroid
figures. "nacre study" writes the report of a study.

With --bundle it writes a .zip for a bug report instead, and says what is in it: versions and the output of
nacre doctor. If a run folder is given, it also holds the run's settings, the end of its log, its last error,
and the names and sizes of its files. It holds no data. Names of the user, of the machine and of the home
folder are replaced, and so is text that looks like a token.`,
		Example: `  nacre report runs/point
  nacre report runs/point --out point.html
  nacre report runs/point --bundle
  nacre report --bundle`,
		Args: func(c *cobra.Command, args []string) error {
			if bundle && len(args) == 0 {
				return nil
			}
			return oneArg("a run folder")(c, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Dir = args[0]
			}
			if bundle {
				return app.Bundle(cmd.Context(), env, app.BundleOptions{Dir: o.Dir, Out: o.Out, Doctor: machine()})
			}
			return app.ReportRun(cmd.Context(), env, o)
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "`file` to write (default report.html in the run folder, or "+
		"NAME-report.html beside NAME.zip; of --bundle, nacre-report.zip here)")
	cmd.Flags().BoolVar(&bundle, "bundle", false, "write a .zip for a bug report")
	jsonFlag(cmd, env)
	return cmd
}
