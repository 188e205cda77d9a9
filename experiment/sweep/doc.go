// Package sweep trains every system of a plan on every family with every seed. It expands a plan into runs. It works on
// the runs with processes of this machine or gives them to Slurm as a job array. It shows their progress and collects
// their results. It is no scheduler: on a cluster Slurm queues, places and restarts jobs, and a run continues from its
// checkpoint on any node.
//
//	plan, err := sweep.Load("plan.toml")
//	folder, err := sweep.Prepare(plan)
//	runner := sweep.Runner{Local: plan.Local, Worker: []string{"nacre", "sweep", "worker"}, Show: progress.Silent()}
//	outcome, err := runner.Run(ctx, folder) // or: folder.WriteJobs, folder.Submit
//	status, err := folder.Status()
//	err = folder.Collect("results.csv", status)
//	folder, err = sweep.OpenPlan(plan) // later, to look only
package sweep
