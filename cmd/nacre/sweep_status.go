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
		Short: "Show the progress of a sweep, here or with Slurm",
		Long: `Status counts the runs of a plan by their state and names those under way, interrupted or failed. For a sweep
with Slurm it also asks squeue. If it gets the sweep's folder instead of the plan, it counts all runs that
were begun there. The exit status is 0 if every run is finished, 3 if one is not, and 1 if that is unknown.`,
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
