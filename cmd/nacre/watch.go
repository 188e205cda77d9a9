package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, watchCommand) }

func watchCommand(env *app.Env) *cobra.Command {
	var o app.WatchOptions
	cmd := &cobra.Command{
		Use:   "watch RUN",
		Short: "Follow a run while it trains: as lines of JSON, or in W&B or MLflow",
		Long: `Watch follows a run until training ends, and says if it was interrupted, failed or was killed. By default
it prints the metrics of each iteration as a line of JSON.

With --to wandb or mlflow it logs settings, metrics and the final evaluation by the client of W&B or MLflow,
which must be installed in your Python. --option passes an option to wandb.init or mlflow.start_run. The name
is that of the folder unless an option says another. TensorBoard needs no such command: it reads run folders.`,
		Example: `  nacre watch runs/first
  nacre watch runs/first --to wandb --option project=meta --option mode=offline
  nacre watch runs/first --to mlflow`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Run = args[0]
			return do(cmd.Context(), env, app.Watch, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.To, "to", app.WatchPrograms[0], "`program`: "+strings.Join(app.WatchPrograms, ", "))
	f.StringArrayVar(&o.Options, "option", nil, "`key=value` for wandb.init or mlflow.start_run; may be repeated")
	return cmd
}
