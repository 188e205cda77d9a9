package lab_test

import (
	"fmt"
	"os"

	"nacre/library/lab"
)

func Example() {
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	run, err := lab.Train("quick/point-goal", lab.Iterations(1), lab.Latent(3), lab.Folder(dir), lab.Quiet(),
		lab.Set("pearl.updates_per_iteration=5", "pearl.initial_steps=100", "evaluation.every=1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Metrics().Select("algorithm", "seed", "updates"))
	// Output:
	// algorithm  seed  updates
	// TCL-PEARL     0        5
	// 1 row of 3 columns
}
