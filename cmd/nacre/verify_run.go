package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("verify", verifyRunCommand) }

func verifyRunCommand(env *app.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run FOLDER",
		Short: "Check the files of a run folder",
		Long: `Run reads what training wrote in a run folder: configuration, both generations of checkpoints with every
checksum, tasks, metrics, weights, the evaluation and the event files. Metrics and weights must be those of
the checkpoint. It changes nothing. The exit status is 1 if a file is missing or damaged; the message says
whether "nacre resume" makes it again.`,
		Example: "  nacre verify run runs/point",
		Args:    oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return do(cmd.Context(), env, app.VerifyRun, args[0])
		},
	}
	jsonFlag(cmd, env)
	return cmd
}
