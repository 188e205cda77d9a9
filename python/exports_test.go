//go:build unix

package python_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/internal/fatal"
	"nacre/internal/python/pythontest"
)

// Weights & Biases' own client writes a run offline, while it is watched. The file has what metrics.csv has.
func TestWandb(t *testing.T) {
	pythontest.Clients(t, "numpy", "wandb")
	t.Setenv("WANDB_SILENT", "true")
	dir, folder := run(t, "pearl", "point-goal"), t.TempDir()
	text, err := script(t, "-c", `
import sys, nacre_rl
run = nacre_rl.Run(sys.argv[1])
rows = list(run.watch(pause=0.01))
assert [r["iteration"] for r in rows] == [0, 1] and rows[1]["adapted_return"] == run.metrics["adapted_return"][1], rows
logged = run.to_wandb(live=True, mode="offline", dir=sys.argv[2])
assert logged.config["pearl.hidden"] == 19 and logged.config["algorithm"] == "pearl"
print(run.evaluation["summary"]["adapted"]["mean"])
`, dir, folder)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	files, err := filepath.Glob(filepath.Join(folder, "wandb", "offline-run-*", "*.wandb"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v; want one file", files, err)
	}
	file, err := os.ReadFile(files[0])
	fatal.On(t, err)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, want := range []string{"evaluation/adapted", lines[len(lines)-1], "pearl.hidden"} {
		if !strings.Contains(string(file), want) {
			t.Errorf("the file has no %s", want)
		}
	}
	log, err := foreign.Open(files[0], foreign.Columns{Step: "env_steps", Return: "adapted_return"})
	fatal.On(t, err)
	metrics, err := experiment.ReadMetrics(filepath.Join(dir, experiment.MetricsFile))
	fatal.On(t, err)
	steps, err := metrics.Column("env_steps")
	fatal.On(t, err)
	returns, err := metrics.Column("adapted_return")
	fatal.On(t, err)
	at := 0
	for i, want := range returns {
		if math.IsNaN(want) {
			continue
		}
		if at >= len(log.Points) || log.Points[at].Return != want || log.Points[at].Steps != steps[i] {
			t.Fatalf("points %+v; want %v at %v", log.Points, returns, steps)
		}
		at++
	}
	if at == 0 || at != len(log.Points) {
		t.Errorf("%d points; want %d, and some", len(log.Points), at)
	}
}

// MLflow's own client logs a run, and reads back what metrics.csv has.
func TestMLflow(t *testing.T) {
	pythontest.Clients(t, "numpy", "mlflow-skinny")
	t.Setenv("MLFLOW_ALLOW_FILE_STORE", "true") // a folder, where it would have a database
	dir := run(t, "pearl", "point-goal")
	text, err := script(t, "-c", `
import sys, mlflow, nacre_rl
mlflow.set_tracking_uri("file:" + sys.argv[2])
run = nacre_rl.Run(sys.argv[1])
name = run.to_mlflow(run_name="first")
client = mlflow.tracking.MlflowClient()
read = client.get_run(name).data
assert read.params["pearl.hidden"] == "19" and read.params["algorithm"] == "pearl", read.params
assert read.metrics["evaluation/adapted"] == run.evaluation["summary"]["adapted"]["mean"], read.metrics
history = {m.step: m.value for m in client.get_metric_history(name, "q_loss")}
assert len(history) == 2 and history == dict(zip(run.metrics["iteration"], run.metrics["q_loss"])), history
`, dir, filepath.Join(t.TempDir(), "mlruns"))
	if err != nil {
		t.Errorf("%v: %s", err, text)
	}
}
