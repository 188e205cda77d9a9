package main

import (
	"errors"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("sweep", sweepWorkerCommand) }

func sweepWorkerCommand(env *app.Env) *cobra.Command {
	var o app.SweepWorkerOptions
	cmd := &cobra.Command{
		Use:   "worker PLAN {--index N | RUN...}",
		Short: "Train one run of a plan, for a scheduler that gives each process an index",
		Long: `Worker starts a run of a sweep, or continues it from its checkpoint, and ends when the run is finished. It is one
process of a job array: of Kubernetes, AWS Batch, SkyPilot, GNU parallel, Ray. PLAN is a plan or a sweep's
folder, which all processes must share. If another process is writing the run, worker waits for it, and takes
the run over if that process or its machine dies. Several RUNs are trained at the same time.`,
		Example: `  nacre sweep worker plan.toml --index "$JOB_COMPLETION_INDEX"          # a Kubernetes Indexed Job
  nacre sweep worker plan.toml --index "$AWS_BATCH_JOB_ARRAY_INDEX"     # an array job of AWS Batch
  seq 0 15 | parallel nacre sweep worker plan.toml --index {}           # GNU parallel
  nacre sweep worker out/ml1 ml1-push-pearl-seed1                       # by name`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Path, o.Runs = args[0], args[1:]
			if indexed := cmd.Flags().Changed("index"); indexed == (len(o.Runs) > 0) {
				return errors.New("expected either --index N or the names of runs after the plan; nacre sweep status " +
					"PLAN --json lists them in the order of their indices, from 0")
			}
			if err := checkDevice(o.Host); err != nil {
				return err
			}
			return do(cmd.Context(), env, app.SweepWorker, o)
		},
	}
	f := cmd.Flags()
	number(f, &o.Index, "index", 0, 0, 1<<30, "`number` of the run in the plan, from 0")
	f.BoolVar(&o.Share, "share", false, "leave a run that another process is writing to that process, and end")
	deviceFlags(cmd, &o.Host)
	return cmd
}
