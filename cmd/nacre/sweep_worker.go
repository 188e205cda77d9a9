package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("sweep", sweepWorkerCommand) }

// sweepWorkerCommand is the command that sweeps start for one run or for several runs together.
func sweepWorkerCommand(env *app.Env) *cobra.Command {
	var o app.SweepWorkerOptions
	cmd := &cobra.Command{
		Use:    "worker FOLDER RUN...",
		Short:  "Do runs of a sweep",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir, o.Runs = args[0], args[1:]
			return do(cmd.Context(), env, app.SweepWorker, o)
		},
	}
	deviceFlags(cmd, &o.Host)
	return cmd
}
