package app_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/cmd/nacre/app"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/fatal"
)

// brief trains a run for a moment.
func brief(t *testing.T, dir string, seed uint64, settings ...string) {
	t.Helper()
	cfg, err := experiment.Preset("quick/point-goal")
	fatal.On(t, err)
	cfg.Seed = seed
	small := []string{"train_tasks=3", "test_tasks=2", "evaluation.protocol.repeats=2", "pearl.hidden=4",
		"pearl.encoder_hidden=4", "pearl.initial_steps=40", "pearl.tasks_per_iteration=2", "pearl.meta_batch=2",
		"pearl.updates_per_iteration=2", "pearl.iterations=2"}
	fatal.On(t, experiment.Change(&cfg, append(small, settings...)...))
	run, err := experiment.Start(dir, cfg, experiment.Host{Workers: 1})
	fatal.On(t, err)
	fatal.On(t, run.Train(context.Background(), progress.Silent()), run.Close())
}

// The runs of a sweep are one table, for each kind of row: the numbers are those of the run folders.
func TestRunsFile(t *testing.T) {
	root := t.TempDir()
	const large = 1<<63 - 1
	brief(t, filepath.Join(root, "s", "a"), large)
	brief(t, filepath.Join(root, "s", "b"), 2, "pearl.latent=3")
	begun(t, filepath.Join(root, "s", "c"))
	write := func(o app.RunsFileOptions) (string, error) {
		var out bytes.Buffer
		o.Root, o.Columns = root, []string{"pearl.latent", "preset"}
		err := app.RunsFile(t.Context(), &app.Env{Out: &out, Err: &out}, o)
		return strings.ReplaceAll(out.String(), root, "ROOT"), err
	}
	file := filepath.Join(root, "all.parquet")
	said, err := write(app.RunsFileOptions{Out: file, Rows: "iterations"})
	fatal.On(t, err)
	f, err := frame.Read(file)
	fatal.On(t, err)
	if want := fmt.Sprintf("ROOT/all.parquet: 4 rows and %d columns of 2 runs\n1 run without such rows\n",
		len(f.Names())); said != want {
		t.Errorf("%q; want %q", said, want)
	}
	metrics, err := experiment.ReadMetrics(filepath.Join(root, "s", "a", experiment.MetricsFile))
	fatal.On(t, err)
	for column, want := range map[string]string{"run": "s/a s/a s/b s/b", "iteration": "0 1 0 1",
		"pearl.latent": "5 5 3 3", "seed": "9223372036854775807 9223372036854775807 2 2",
		"family": "point-goal point-goal point-goal point-goal",
		"preset": "quick/point-goal quick/point-goal quick/point-goal quick/point-goal"} {
		if got, err := f.Texts(column); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v; want %s", column, got, err, want)
		}
	}
	losses, err := f.Numbers("q_loss")
	fatal.On(t, err)
	if want, err := metrics.Column("q_loss"); err != nil || losses[1] != want[1] {
		t.Errorf("%v, %v; want %v", losses, err, want)
	}
	for rows, want := range map[string]string{"returns": "24 rows", "runs": "3 rows"} {
		if said, err := write(app.RunsFileOptions{Out: filepath.Join(root, rows+".csv"), Rows: rows}); err != nil ||
			!strings.Contains(said, want) {
			t.Errorf("%s: %q, %v; want %s", rows, said, err, want)
		}
	}
	for want, o := range map[string]app.RunsFileOptions{
		"--out \"x.xlsx\": the name must end in .parquet or .csv": {Out: "x.xlsx", Rows: "runs"},
		"--rows \"retuns\": no such rows; did you mean \"returns\"? (known: iterations, returns, runs)": {Out: "x.csv",
			Rows: "retuns"},
	} {
		if said, err := write(o); err == nil || err.Error() != want {
			t.Errorf("%q, %v; want %s", said, err, want)
		}
	}
	o := app.RunsFileOptions{Out: filepath.Join(root, "none.csv"), Rows: "returns"}
	o.Filters = []string{"state=interrupted"}
	if _, err := write(o); err == nil || !strings.Contains(err.Error(), "below "+root+" none has rows of returns") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(o.Out); err == nil {
		t.Error("a file without rows was written")
	}
}
