package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, resumeCommand) }

func resumeCommand(env *app.Env) *cobra.Command {
	var o app.ResumeOptions
	cmd := &cobra.Command{
		Use:   "resume FOLDER",
		Short: "Continue a run from its checkpoint",
		Long: `Resume continues an interrupted run. The result is bit for bit that of a run that was never interrupted, on
the same kind of processor and with the same versions. If those differ, resume says so and records it.

It says which checkpoint it found. If checkpoint.bin is missing or damaged, it continues from
checkpoint.previous.bin. It makes missing weights and metrics again from the checkpoint. A run that has
results but no whole checkpoint is trained from its beginning again only with --start-over, which removes what
the run computed.

With --set it trains a run longer, even a finished one. You can set the algorithm's number of iterations or
env_steps. At its end the run is, byte for byte, what it would be with this length from the start.`,
		Example: `  nacre resume runs/point
  nacre resume runs/point --set pearl.iterations=80
  nacre resume --start-over runs/point`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			if err := checkOtherDevice(o.Host); err != nil {
				return err
			}
			if o.StartOver && len(o.Set) > 0 {
				return app.Usagef("--start-over with --set: expected one of them; a run is made longer from where " +
					"it is")
			}
			return do(cmd.Context(), env, app.Resume, o)
		},
	}
	cmd.Flags().BoolVar(&o.StartOver, "start-over", false,
		"train the run again from its beginning; its results are removed")
	cmd.Flags().StringArrayVar(&o.Set, "set", nil,
		"setting that makes the run longer, as `key=value`, for example pearl.iterations=80")
	workersFlag(cmd, &o.Workers)
	keepFlags(cmd, &o.Host)
	deviceFlags(cmd, &o.Host)
	jsonFlag(cmd, env)
	return cmd
}
