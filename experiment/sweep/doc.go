// Package sweep trains every system of a plan on every family with every seed. It expands a plan into runs, works on
// them with processes of this machine or hands them to Slurm as a job array, says how far they are and collects what
// came of them. It is no scheduler: on a cluster Slurm queues, places and restarts jobs, and a run continues from its
// checkpoint wherever it is started next.
//
//	plan, err := sweep.Load("plan.toml")
//	folder, err := sweep.Prepare(plan)
//	runner := sweep.Runner{Local: plan.Local, Worker: []string{"nacre", "sweep", "worker"}, Show: progress.Silent()}
//	outcome, err := runner.Run(ctx, folder) // or: folder.WriteJobs, folder.Submit
//	status, err := folder.Status()
//	err = folder.Collect("results.csv", status)
//	folder, err = sweep.OpenPlan(plan) // later, to look only
package sweep
