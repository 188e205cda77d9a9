//go:build unix

package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
	"nacre/internal/fatal"
	"nacre/internal/python/pythontest"
)

// A run is watched as lines of JSON, and what is wrong is one sentence.
func TestWatch(t *testing.T) {
	pythontest.Environment(t, "numpy")
	root := t.TempDir()
	dir, killed := filepath.Join(root, "a"), filepath.Join(root, "b")
	brief(t, dir, 1)
	begun(t, killed)
	watch := func(o app.WatchOptions) (string, error) {
		var out bytes.Buffer
		err := app.Watch(t.Context(), &app.Env{Out: &out, Err: &out}, o)
		return out.String(), err
	}
	text, err := watch(app.WatchOptions{Run: dir, To: "jsonl"})
	fatal.On(t, err)
	metrics, err := experiment.ReadMetrics(filepath.Join(dir, experiment.MetricsFile))
	fatal.On(t, err)
	losses, err := metrics.Column("q_loss")
	fatal.On(t, err)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(losses) {
		t.Fatalf("%d lines; want %d:\n%s", len(lines), len(losses), text)
	}
	for i, line := range lines {
		var row map[string]float64
		fatal.On(t, json.Unmarshal([]byte(line), &row))
		if row["q_loss"] != losses[i] || row["iteration"] != float64(i) {
			t.Errorf("%s; want the loss %v", line, losses[i])
		}
	}
	for want, o := range map[string]app.WatchOptions{
		"did not finish: the last one left no word":            {Run: killed, To: "jsonl"},
		"wandb is not installed":                               {Run: dir, To: "wandb"},
		"--to jsonl has no options, got project":               {Run: dir, To: "jsonl", Options: []string{"project=x"}},
		`--option "project": expected key=value`:               {Run: dir, To: "wandb", Options: []string{"project"}},
		"TensorBoard reads the run folder itself":              {Run: dir, To: "tensorboard"},
		`--to "wandd": no such program; did you mean "wandb"?`: {Run: dir, To: "wandd"},
		"is not a run folder":                                  {Run: root, To: "jsonl"},
	} {
		text, err := watch(o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(text, "Trace") {
			t.Errorf("%+v: %v, %s; want %s", o, err, text, want)
		}
	}
}

// What is logged by the client of MLflow has the name of the run folder and the options given.
func TestWatchMLflow(t *testing.T) {
	pythontest.Clients(t, "numpy", "mlflow-skinny")
	t.Setenv("MLFLOW_ALLOW_FILE_STORE", "true")
	root := t.TempDir()
	t.Setenv("MLFLOW_TRACKING_URI", "file:"+filepath.Join(root, "logs"))
	dir := filepath.Join(root, "first")
	brief(t, dir, 1)
	var out bytes.Buffer
	env := &app.Env{Out: &out, Err: &out}
	o := app.WatchOptions{Run: dir, To: "mlflow", Options: []string{"description=d"}}
	fatal.On(t, app.Watch(t.Context(), env, o))
	names, err := filepath.Glob(filepath.Join(root, "logs", "*", "*", "tags", "mlflow.runName"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v: %s", names, err, out.String())
	}
	if text, err := os.ReadFile(names[0]); err != nil || string(text) != "first" {
		t.Errorf("%v, %v: %q", names, err, text)
	}
	err = app.Watch(t.Context(), env, app.WatchOptions{Run: dir, To: "mlflow", Options: []string{"colour=red"}})
	if err == nil || !strings.Contains(err.Error(), "--option of --to mlflow: ") {
		t.Errorf("%v", err)
	}
}
