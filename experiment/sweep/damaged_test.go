package sweep_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/sweep"
)

// A finished run whose files were cut does not count as finished, and one that cannot be read hides no other; status
// and the collected table say so, and the next sweep repairs what can be repaired.
func TestDamagedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains three runs; go test without -short, as make test-all does")
	}
	plan := small(t.TempDir())
	f := prepare(t, plan)
	if out, err := engine(plan).Run(t.Context(), f); err != nil || out.Finished != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	half := func(r sweep.Run, name string) {
		path := filepath.Join(f.RunDir(r), name)
		text, err := os.ReadFile(path)
		if err = errors.Join(err, os.WriteFile(path, text[:len(text)/2], 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	half(f.Runs[0], experiment.MetricsFile)
	half(f.Runs[1], experiment.EvaluationFile)
	half(f.Runs[2], experiment.ConfigFile)
	status, err := f.Status()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"metrics.csv ends within line ", "evaluation.json: line ", "config.toml"} {
		if s := status[i]; s.State == sweep.Finished || !strings.Contains(s.Damage, want) {
			t.Errorf("%s: %s, %q, want %s", s.Name, s.State, s.Damage, want)
		}
	}
	out := filepath.Join(t.TempDir(), "results.csv")
	if err := f.Collect(out, status); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(text), "finished") || strings.Count(string(text), "\n") != 4 {
		t.Errorf("%s, %v", text, err)
	}
	if done, err := engine(plan).Run(t.Context(), f); err != nil || done.Finished != 2 || len(done.Failed) != 1 {
		t.Errorf("swept again: %+v, %v", done, err)
	}
}
