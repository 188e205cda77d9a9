package experiment

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment/progress"
	"nacre/internal/heavy"
)

// trained is a finished small run, and a copy of its folder before it was finished: stopped, with two generations.
func trained(t *testing.T) (whole, stopped string) {
	t.Helper()
	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := Change(&cfg, "train_tasks=6", "test_tasks=3", "pearl.hidden=8", "pearl.encoder_hidden=8",
		"pearl.meta_batch=3", "pearl.batch=8",
		"pearl.context=8", "pearl.initial_steps=20", "pearl.updates_per_iteration=3", "pearl.tasks_per_iteration=3",
		"pearl.iterations=4", "tcl.window=8"); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	whole, stopped = filepath.Join(parent, "whole"), filepath.Join(parent, "stopped")
	for _, dir := range []string{whole, stopped} {
		run, err := Start(dir, cfg, Host{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		if dir == stopped {
			for run.Iteration() < 2 {
				if err := run.iteration(ctx, progress.Silent().Stage("", 0)); err != nil {
					t.Fatal(err)
				}
			}
			stop()
		}
		if err := run.Train(ctx, progress.Silent()); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		stop()
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return whole, stopped
}

func clone(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// states are those of a run's files that are not whole.
func states(t *testing.T, dir string) (out []string) {
	t.Helper()
	found, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.State != Whole {
			out = append(out, f.File+" "+f.State)
		}
	}
	return out
}

// Whatever file of a run is lost or damaged, Verify finds it, and resuming says so and ends like a run left alone.
func TestRepair(t *testing.T) {
	heavy.Skip(t, "it breaks and repairs a run in every way")
	whole, stopped := trained(t)
	if bad := states(t, whole); bad != nil {
		t.Errorf("a whole run: %v", bad)
	}
	remove := func(names ...string) func(string) error {
		return func(dir string) (err error) {
			for _, name := range names {
				err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
			}
			return err
		}
	}
	flip := func(name string, at int) func(string) error {
		return func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, name))
			data[(at+len(data))%len(data)] ^= 1
			return errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
	}
	for _, c := range []struct {
		name   string
		spoil  func(dir string) error
		bad    string // of Verify, the first
		notice string
	}{
		{"no checkpoint", remove(CheckpointFile), "checkpoint.bin missing", "continued from the checkpoint before it"},
		{"a damaged checkpoint", flip(CheckpointFile, 3000), "checkpoint.bin damaged",
			"continued from the checkpoint before it"},
		{"no older checkpoint", remove(PreviousCheckpointFile), "", ""},
		{"no weights", remove(WeightsFile), "weights.safetensors missing",
			"weights.safetensors is missing: made again"},
		{"damaged weights", flip(WeightsFile, -3), "weights.safetensors damaged",
			"not of the state in the checkpoint: made again"},
		{"no metrics", remove(MetricsFile, TimingFile), "metrics.csv missing",
			"metrics.csv: no such file or directory: made again"},
		{"changed metrics", flip(MetricsFile, -5), "metrics.csv damaged", "the file was changed: made again"},
		{"no evaluation", func(dir string) error { return os.RemoveAll(filepath.Join(dir, EvaluationFile)) }, "-", ""},
		{"no tasks", remove(TasksFile), "tasks.json missing", "tasks.json is missing: made again"},
	} {
		for _, from := range []string{stopped, whole} {
			dir := clone(t, from)
			if err := c.spoil(dir); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			want := c.bad
			if want == "-" { // only a run that was trained to its end should have the file
				want = map[string]string{whole: "evaluation.json missing"}[from]
			}
			if bad := append(states(t, dir), ""); bad[0] != want {
				t.Errorf("%s: verified %v, want %s", c.name, bad, want)
			}
			run, notices, err := Resume(dir, Host{Workers: 1})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if !strings.Contains(run.Found(), ".bin, saved after ") {
				t.Errorf("%s: found %q", c.name, run.Found())
			}
			if said := strings.Join(notices, "\n"); !strings.Contains(said, c.notice) || c.notice == "" && said != "" {
				t.Errorf("%s: notices %q, want %q", c.name, said, c.notice)
			}
			if err := errors.Join(run.Train(t.Context(), progress.Silent()), run.Close()); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			for _, name := range []string{MetricsFile, WeightsFile, EvaluationFile, TasksFile} {
				if !bytes.Equal(read(t, dir, name), read(t, whole, name)) {
					t.Errorf("%s: %s is not that of a run left alone", c.name, name)
				}
			}
			if record, err := run.run.Record(); err != nil ||
				c.notice != "" && !slices.ContainsFunc(record.Sessions[len(record.Sessions)-1].Notices,
					func(n string) bool { return strings.Contains(n, c.notice) }) {
				t.Errorf("%s: recorded %+v, %v", c.name, record, err)
			}
			if bad := states(t, dir); bad != nil {
				t.Errorf("%s: after resuming %v", c.name, bad)
			}
		}
	}
}

// A run that has results and no checkpoint left is not begun anew without being asked.
func TestStartOver(t *testing.T) {
	whole, stopped := trained(t)
	for _, spoil := range []func(dir string) error{
		func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, CheckpointFile)),
				os.Remove(filepath.Join(dir, PreviousCheckpointFile)))
		},
		func(dir string) error {
			return errors.Join(os.Truncate(filepath.Join(dir, CheckpointFile), 100),
				os.Truncate(filepath.Join(dir, PreviousCheckpointFile), 0))
		},
	} {
		dir := clone(t, stopped)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		metrics := read(t, dir, MetricsFile)
		var lost *LostError
		if _, _, err := Resume(dir, Host{Workers: 1}); !errors.As(err, &lost) ||
			!strings.Contains(err.Error(), "nacre resume --start-over "+dir) {
			t.Errorf("resumed: %v", err)
		}
		if !bytes.Equal(read(t, dir, MetricsFile), metrics) {
			t.Error("refusing changed the metrics")
		}
		run, notices, err := StartOver(dir, Host{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(notices) == 0 || !strings.Contains(notices[0], "started over") {
			t.Errorf("notices %v", notices)
		}
		if err := errors.Join(run.Train(t.Context(), progress.Silent()), run.Close()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{MetricsFile, WeightsFile, EvaluationFile} {
			if !bytes.Equal(read(t, dir, name), read(t, whole, name)) {
				t.Errorf("%s is not that of the first time", name)
			}
		}
	}
}

// Metrics that are removed while a run trains are there again at its next checkpoint.
func TestMetricsRemovedWhileTraining(t *testing.T) {
	whole, stopped := trained(t)
	run, _, err := Resume(stopped, Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(stopped, MetricsFile)),
		os.Truncate(filepath.Join(stopped, TimingFile), 3)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run.Train(t.Context(), progress.Silent()), run.Close()); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, stopped, MetricsFile), read(t, whole, MetricsFile); !bytes.Equal(got, want) {
		t.Errorf("metrics\n%s\nwant\n%s", got, want)
	}
	if bad := states(t, stopped); bad != nil {
		t.Errorf("afterwards %v", bad)
	}
}

// An empty configuration is said to be empty.
func TestEmptyConfig(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{"": "config.toml is empty", " \n": "config.toml is empty",
		"algorithm = 'pearl'\n": "config.toml ends on line 1 without a table [record]"} {
		if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Resume(dir, Host{Workers: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Without a whole checkpoint of its own a run goes on from the newest whole one that it kept for branches, to the same
// numbers, and verify says that it does. A pruned run stays as it is.
func TestKeptCheckpointContinues(t *testing.T) {
	whole := wholeRun(t, short(t, "pearl"), 3, Host{Workers: 1, KeepState: 1})
	cut := func(path string) error { return os.Truncate(path, 60) }
	for name, harm := range map[string]struct {
		own  func(path string) error
		last int // newest kept checkpoint that is left whole
	}{"removed": {os.Remove, 3}, "cut": {cut, 3}, "the newest kept one too": {os.Remove, 2}, "two of them": {cut, 1}} {
		dir := clone(t, whole)
		var errs []error
		for _, file := range []string{CheckpointFile, PreviousCheckpointFile} {
			errs = append(errs, harm.own(filepath.Join(dir, file)))
		}
		for n := harm.last + 1; n <= 3; n++ {
			errs = append(errs, cut(filepath.Join(dir, stateFile(n))))
		}
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		found, err := Verify(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.State != Whole && !f.Remade {
				t.Errorf("%s: verify: %+v", name, f)
			}
		}
		run, notices, err := Resume(dir, Host{Workers: 1, KeepState: 1})
		end(t, run, err)
		if said := strings.Join(notices, "; "); !strings.Contains(said,
			"continued from the kept "+stateFile(harm.last)) {
			t.Errorf("%s: %q", name, said)
		}
		equalRuns(t, dir, whole)
	}
	dir := clone(t, whole)
	if _, err := Prune(dir); err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if _, _, err := Resume(dir, Host{Workers: 1}); !errors.As(err, &lost) || !strings.Contains(err.Error(), "--prune") {
		t.Errorf("pruned: %v", err)
	}
}
