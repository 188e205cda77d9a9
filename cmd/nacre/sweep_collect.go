package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("sweep", sweepCollectCommand) }

func sweepCollectCommand(env *app.Env) *cobra.Command {
	var o app.SweepFolderOptions
	cmd := &cobra.Command{
		Use:   "collect PLAN",
		Short: "Write the results of a sweep into one table",
		Long: `Collect writes results.csv into the sweep's folder: for each run of the plan its state, its budget, and the
adapted return on the test tasks with an interval over tasks. Finished runs that other plans began in the folder
keep their rows, and are named. "nacre table" and "nacre curves" take the folder itself.`,
		Example: "  nacre sweep collect plan.toml",
		Args:    oneArg("the file of a plan or the folder of a sweep"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Path = args[0]
			return do(cmd.Context(), env, app.SweepCollect, o)
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "`file` to write (default results.csv in the sweep's folder)")
	jsonFlag(cmd, env)
	return cmd
}
