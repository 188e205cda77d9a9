package experiment_test

import (
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment"
)

func Example() {
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
	if _, err := run.Begin(&cfg, experiment.NewSession()); err != nil {
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
