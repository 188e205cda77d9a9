package main

import (
	"context"

	"github.com/spf13/cobra"

	"nacre/internal/app"
)

func benchCommand(env *app.Env, a actions) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "bench",
		Short: "Measure the training core and the simulator",
	})
	if a.Update != nil {
		cmd.AddCommand(benchUpdateCommand(env, a.Update))
	}
	if a.Rollout != nil {
		cmd.AddCommand(benchRolloutCommand(env, a.Rollout))
	}
	return cmd
}

func benchUpdateCommand(env *app.Env, update func(context.Context, *app.Env, app.BenchOptions) error) *cobra.Command {
	var o app.BenchOptions
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Time one complete TCL-PEARL update, or check it digit by digit",
		Long: `Update times the complete gradient update of TCL-PEARL at the sizes of the published runs. With --check it
prints the losses and gradient norms of the first three updates in float64 beside reference figures computed
with other software, and the CPU's float32 beside them; the exit status is 1 when they differ by more than
they should.`,
		Example: `  nacre bench update --size oyster
  nacre bench update --check`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := firstError(oneOf("size", o.Size, "both", "oyster", "metaworld"), between("updates", o.Updates, 1, maxCount), commonChecks(o.Workers, o.Device))
			if err != nil {
				return err
			}
			return update(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Check, "check", false, "compare with reference figures instead of timing")
	f.StringVar(&o.Size, "size", "both", "oyster, metaworld or both")
	f.IntVar(&o.Updates, "updates", 20, "updates to time")
	workersFlag(cmd, &o.Workers)
	deviceFlag(cmd, &o.Device)
	jsonFlag(cmd, env)
	return cmd
}

func benchRolloutCommand(env *app.Env, rollout func(context.Context, *app.Env, app.BenchOptions) error) *cobra.Command {
	var o app.BenchOptions
	cmd := &cobra.Command{
		Use:     "rollout",
		Short:   "Time a family's simulation",
		Long:    `Rollout times episodes of a family under random actions and, for families on MuJoCo, a plain loop in C beside them.`,
		Example: "  nacre bench rollout --family cheetah-vel",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := firstError(between("episodes", o.Episodes, 1, maxCount), between("workers", o.Workers, 0, maxWorkers)); err != nil {
				return err
			}
			return rollout(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Family, "family", "f", "point-goal", "family of tasks")
	f.IntVar(&o.Episodes, "episodes", 64, "episodes to run")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
