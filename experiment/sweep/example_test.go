package sweep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment/sweep"
)

// Two algorithms on one family with three seeds, as a job array of a cluster.
func Example() {
	dir, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	plan := sweep.Plan{Name: "first", Out: dir, Families: []string{"point-goal"}, Seeds: []uint64{1, 2, 3},
		Preset:  "quick/{family}",
		Systems: []sweep.System{{Algorithm: "pearl"}, {Algorithm: "tcl-pearl"}}}
	folder, err := sweep.Prepare(plan)
	if err != nil {
		panic(err)
	}
	job, err := folder.WriteJobs(context.Background(), sweep.Slurm{CPUs: 2, Memory: "2G"},
		[]string{"nacre", "sweep", "worker"})
	if err != nil {
		panic(err)
	}
	fmt.Println(filepath.Base(job.Script), len(job.Runs), job.Runs[5])
	status, err := folder.Status()
	fmt.Println(status[5].State, err)
	// Output:
	// job-1.sh 6 point-goal-tcl-pearl-seed3
	// waiting <nil>
}
