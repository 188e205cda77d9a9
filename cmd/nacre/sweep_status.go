package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("sweep", sweepStatusCommand) }

func sweepStatusCommand(env *app.Env) *cobra.Command {
	var o app.SweepFolderOptions
	cmd := &cobra.Command{
		Use:   "status PLAN",
		Short: "Say how far a sweep is, here or with Slurm",
		Long: `Status counts the runs of a plan by what they are doing and names those under way, interrupted or failed. Of a
sweep with Slurm it also asks squeue. Instead of the plan it takes the sweep's folder, and counts all that was begun
there. The exit status is 0 when every run is finished, 3 when one is not, 1 when that cannot be told.`,
		Example: "  nacre sweep status plan.toml --json",
		Args:    oneArg("the file of a plan or the folder of a sweep"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Path = args[0]
			return do(cmd.Context(), env, app.SweepStatus, o)
		},
	}
	jsonFlag(cmd, env)
	return cmd
}
