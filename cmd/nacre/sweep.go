package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, sweepCommand) }

func sweepCommand(env *app.Env) *cobra.Command {
	var o app.SweepOptions
	cmd := &cobra.Command{
		Use:   "sweep PLAN",
		Short: "Train every system of a plan on every family with every seed",
		Long: `Sweep reads a plan (TOML: families, systems, seeds, a budget) and trains its runs. On this machine several
processes run at the same time, each pinned to its own cores. With --on slurm the runs are a job array of a
cluster. Finished runs are kept: the same command continues after an interruption. A run that fails is
reported with its log and the others continue. If there is no file of this name, PLAN is the name of a plan
that comes with nacre: ml1 is the paper's grid.`,
		Example: `  nacre sweep plan.toml
  nacre sweep plan.toml --device cuda --together 8
  nacre sweep plan.toml --on slurm
  nacre sweep ml1 --on slurm --dry-run
  nacre sweep status plan.toml
  nacre sweep collect plan.toml`,
		Args: oneArg("the file of a plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Plan = args[0]
			if err := checkDevice(o.Host); err != nil {
				return err
			}
			return do(cmd.Context(), env, app.Sweep, o)
		},
	}
	f := cmd.Flags()
	word(f, &o.On, "on", "local", "where to run: local or slurm", "slurm")
	number(f, &o.Processes, "processes", 0, 0, maxWorkers,
		"`number` of processes at a time on this machine, 0 for the plan's")
	number(f, &o.Together, "together", 0, 0, 1024,
		"`number` of runs of one system in each process, whose updates are one program on a GPU; 0 for the plan's")
	deviceFlags(cmd, &o.Host)
	f.BoolVar(&o.DryRun, "dry-run", false, "check the plan and write the folder and the job script, but start nothing")
	jsonFlag(cmd, env)
	return cmd
}
