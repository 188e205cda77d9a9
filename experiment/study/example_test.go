package study_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/study"
)

// tiny are changes that make a training run of the point robot take a fraction of a second.
var tiny = []string{
	"train_tasks=6", "test_tasks=4", "pearl.hidden=16", "pearl.encoder_hidden=16", "pearl.meta_batch=4",
	"pearl.batch=16", "pearl.context=8", "tcl.window=8", "pearl.initial_steps=40", "pearl.prior_steps=40",
	"pearl.extra_posterior_steps=20", "pearl.tasks_per_iteration=3", "pearl.updates_per_iteration=20",
	"pearl.iterations=3",
}

func Example() {
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	plan, err := study.Find("point-goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan.Seeds, plan.Repeats, plan.Windows, plan.Layouts, plan.Set = 2, 2, 12, 0, tiny
	plan.Adaptations = 12
	result, err := study.Run(context.Background(), dir, plan, experiment.Host{Workers: 1}, progress.Silent())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range result.Centroids {
		fmt.Println(row.Arm, row.Space, len(row.Ratio.All))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	// Output:
	// pearl plane 2
	// pearl-windows plane 2
	// tcl-pearl plane 2
	// pearl latent 2
	// pearl-windows latent 2
	// tcl-pearl latent 2
	// pearl 2-Wasserstein 2
	// pearl-windows 2-Wasserstein 2
	// tcl-pearl 2-Wasserstein 2
	// adaptation.png
	// adaptation.svg
	// learning.png
	// learning.svg
	// plan.json
	// report.html
	// report.md
	// results.json
	// tsne-meta-test.png
	// tsne-meta-test.svg
	// tsne-rollout.png
	// tsne-rollout.svg
	// tsne-rows.png
	// tsne-rows.svg
	// tsne.png
	// tsne.svg
}
