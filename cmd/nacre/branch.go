package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, branchCommand) }

func branchCommand(env *app.Env) *cobra.Command {
	var o app.BranchOptions
	cmd := &cobra.Command{
		Use:   "branch FOLDER",
		Short: "Begin a run from another's state, with other settings",
		Long: `Branch makes a run folder that begins with the state that another run had after some complete iterations, and
trains it to its end. History, data and random streams up to that point are the same. After that point the
settings of --set hold. The record in config.toml names the parent, the iteration and what was changed.

The parent must have a checkpoint of that iteration: its last, the one before it, or one that
--keep-checkpoints kept. Some settings cannot be changed, such as sizes of networks, the seed or the family.
If you set one, the error names it. Without --set the branch ends as its parent did, byte for byte.`,
		Example: `  nacre train --preset quick/point-goal --keep-checkpoints 10 --out runs/point
  nacre branch runs/point --at 20 --set pearl.lr_policy=1e-4 --out runs/point-slow`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			if !cmd.Flags().Changed("at") || o.Out == "" {
				return app.Usagef("expected --at, the iterations to begin after, and --out, the folder of the new run")
			}
			if err := checkOtherDevice(o.Host); err != nil {
				return err
			}
			return do(cmd.Context(), env, app.Branch, o)
		},
	}
	f := cmd.Flags()
	number(f, &o.At, "at", 0, 1, 1e6, "number of complete `iterations` that both runs share")
	f.StringArrayVar(&o.Set, "set", nil, "setting to change from that iteration on, as `key=value`; may be repeated")
	f.StringVarP(&o.Out, "out", "o", "", "run `folder` to make")
	workersFlag(cmd, &o.Workers)
	keepFlags(cmd, &o.Host)
	deviceFlags(cmd, &o.Host)
	jsonFlag(cmd, env)
	return cmd
}
