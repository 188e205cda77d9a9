package main

import (
	"context"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

// sweeping are the actions of nacre sweep.
type sweeping struct {
	Run     func(context.Context, *app.Env, app.SweepOptions) error
	Status  func(context.Context, *app.Env, app.SweepFolderOptions) error
	Collect func(context.Context, *app.Env, app.SweepFolderOptions) error
	Worker  func(context.Context, *app.Env, app.SweepWorkerOptions) error
}

func sweepCommand(env *app.Env, a sweeping) *cobra.Command {
	var o app.SweepOptions
	cmd := &cobra.Command{
		Use:   "sweep PLAN",
		Short: "Train every system of a plan on every family with every seed",
		Long: `Sweep reads a plan (TOML: families, systems, seeds, a budget) and trains its runs: on this machine, so many
processes at a time and each pinned to cores of its own, or with --on slurm as a job array of a cluster. What is
finished is kept: the same command continues after an interruption. A run that fails is reported with its log
and the others go on. Where there is no file PLAN it is a plan that comes with nacre: ml1 is the paper's grid.`,
		Example: `  nacre sweep plan.toml
  nacre sweep plan.toml --device cuda --together 8
  nacre sweep plan.toml --on slurm
  nacre sweep ml1 --on slurm --dry-run
  nacre sweep status plan.toml
  nacre sweep collect plan.toml`,
		Args: oneArg("the file of a plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Plan = args[0]
			if err := firstError(oneOf("on", o.On, "local", "slurm"), between("processes", o.Processes, 0, maxWorkers), between("together", o.Together, 0, 1024)); err != nil {
				return err
			}
			return a.Run(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.On, "on", "local", "where to run: local or slurm")
	f.IntVar(&o.Processes, "processes", 0, "`number` of processes at a time on this machine, 0 for the plan's")
	f.IntVar(&o.Together, "together", 0, "`number` of runs of one system in each process, whose updates are one program on a GPU; 0 for the plan's")
	deviceFlags(cmd, &o.DeviceOptions)
	f.BoolVar(&o.DryRun, "dry-run", false, "check the plan and write the folder and the job script, but start nothing")
	jsonFlag(cmd, env)
	cmd.AddCommand(sweepStatusCommand(env, a), sweepCollectCommand(env, a), sweepWorkerCommand(env, a))
	return cmd
}

func sweepStatusCommand(env *app.Env, a sweeping) *cobra.Command {
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
			return a.Status(cmd.Context(), env, o)
		},
	}
	jsonFlag(cmd, env)
	return cmd
}

func sweepCollectCommand(env *app.Env, a sweeping) *cobra.Command {
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
			return a.Collect(cmd.Context(), env, o)
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "`file` to write (default results.csv in the sweep's folder)")
	jsonFlag(cmd, env)
	return cmd
}

// sweepWorkerCommand is what sweeps start for one run, or for several together.
func sweepWorkerCommand(env *app.Env, a sweeping) *cobra.Command {
	var o app.SweepWorkerOptions
	cmd := &cobra.Command{
		Use:    "worker FOLDER RUN...",
		Short:  "Do runs of a sweep",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir, o.Runs = args[0], args[1:]
			return a.Worker(cmd.Context(), env, o)
		},
	}
	deviceFlags(cmd, &o.DeviceOptions)
	return cmd
}
