package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func reportCommand(env *app.Env) *cobra.Command {
	var o app.ReportRunOptions
	cmd := &cobra.Command{
		Use:   "report FOLDER",
		Short: "Write a page about one run",
		Long: `Report writes one HTML page about a run, which needs nothing beside it: how far it is, the return on test tasks over
training and after adaptation, the last metrics, the note, what ran it, its configuration, and, where "nacre embed" and
"nacre tsne" were run, the layout of its embeddings with the centroid figures. "nacre study" writes the report of a study.`,
		Example: `  nacre report runs/point
  nacre report runs/point --out point.html`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return app.ReportRun(cmd.Context(), env, o)
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "`file` to write (default report.html in the run folder)")
	jsonFlag(cmd, env)
	return cmd
}
