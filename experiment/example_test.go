package experiment_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment"
	"nacre/experiment/progress"
)

// A run from its preset to the return on tasks it has not seen.
func Example() {
	parent, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(parent)
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg.Seed = 1
	err = experiment.Change(&cfg, "pearl.hidden=16", "pearl.initial_steps=20", "pearl.updates_per_iteration=10",
		"pearl.iterations=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := experiment.Start(filepath.Join(parent, "first"), cfg, experiment.Host{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	if err := t.Train(context.Background(), progress.Silent()); err != nil {
		fmt.Println(err)
		return
	}
	result, err := t.Result()
	fmt.Println(len(result.Tasks), len(result.Summary.Return), t.Updates(), err)
	// Output:
	// 10 3 20 <nil>
}

func ExampleMetrics() {
	parent, _ := os.MkdirTemp("", "runs")
	defer os.RemoveAll(parent)
	cfg := struct {
		Seed uint64 `toml:"seed"`
	}{7}

	run, err := experiment.Create(filepath.Join(parent, "a"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer run.Close()
	if _, err := run.Begin(&cfg, experiment.NewProcess()); err != nil {
		fmt.Println(err)
	}
	metrics, err := experiment.NewMetrics(run.Path(experiment.MetricsFile), "iteration", "loss")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(metrics.Write(experiment.Row{"iteration": 1, "loss": 0.25}))
	text, _ := os.ReadFile(run.Path(experiment.MetricsFile))
	fmt.Print(string(text))
	// Output:
	// <nil>
	// iteration,loss
	// 1,0.25
}
