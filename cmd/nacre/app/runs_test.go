package app_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
	_ "nacre/sim/families"
)

// begun makes the folder of a run that was begun and stopped.
func begun(t *testing.T, dir string) {
	t.Helper()
	cfg, err := experiment.Preset("quick/point-goal")
	if err == nil {
		err = experiment.Change(&cfg, "train_tasks=3", "test_tasks=2", "pearl.hidden=4", "pearl.encoder_hidden=4")
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Start(dir, cfg, experiment.Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
}

// A filter that no run passes says so, a name with a line break stays on its line, and a run whose process left no word
// is said to have been killed.
func TestRuns(t *testing.T) {
	root := t.TempDir()
	list := func(o app.RunsOptions) string {
		t.Helper()
		var out bytes.Buffer
		o.Root = root
		if err := app.Runs(t.Context(), &app.Env{Out: &out, Err: &out}, o); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := list(app.RunsOptions{Filters: []string{"state=failed"}}); !strings.HasPrefix(got,
		"no run folders below ") {
		t.Errorf("of an empty folder: %s", got)
	}
	begun(t, filepath.Join(root, "a"))
	begun(t, filepath.Join(root, "b\nc\t\x1b[1m"))
	for _, filters := range [][]string{{"state=failed"}, {"state=interrupted", "seed=9"}, {"algorithm=maml"}} {
		if got, want := list(app.RunsOptions{Filters: filters}), "none of the 2 runs below "+root+" has "+
			strings.Join(filters, " and ")+"\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	got := list(app.RunsOptions{})
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[2], `b\nc\t\x1b[1m  interrupted`) || lines[3] != "2 interrupted" ||
		lines[4] != "a: interrupted: killed, or its machine went down: its process left no word" {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
	err := app.Runs(t.Context(), &app.Env{Out: &bytes.Buffer{}},
		app.RunsOptions{Root: root, Filters: []string{"state=faild"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "failed"?`) {
		t.Errorf("a state that is none: %v", err)
	}
}
