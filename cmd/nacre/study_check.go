package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("study", checkStudyCommand) }

func checkStudyCommand(env *app.Env) *cobra.Command {
	var o app.CheckStudyOptions
	cmd := &cobra.Command{
		Use:   "check FOLDER",
		Short: "Compute every number of a study again from what is stored beside it",
		Long: `Check reads the folder of a study, or a folder or .zip file into which it was packed, and computes its figures
again: figures of the embeddings from the arrays, tables and verdicts from the runs, mean returns from single
trajectories, steps and updates from the metrics. It fails if one differs in the last bit. Nothing is trained
or simulated.`,
		Example: "  nacre study check out/push\n  nacre study check notebooks/data/push.zip --layouts",
		Args:    oneArg("the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return do(cmd.Context(), env, app.CheckStudy, o)
		},
	}
	cmd.Flags().BoolVar(&o.Layouts, "layouts", false, "also repeat t-SNE from random starts, which takes longest")
	jsonFlag(cmd, env)
	return cmd
}
