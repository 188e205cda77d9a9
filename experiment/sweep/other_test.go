//go:build unix

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

// A run's folder that holds another run of the plan, whichever, gives its numbers to none: status names a setting in
// which they differ, and the collected table has no return of it.
func TestFoldersOfOtherRuns(t *testing.T) {
	f := prepare(t, planned(t.TempDir(), 1, 2))
	written(t, f)
	home := t.TempDir()
	for i, r := range f.Runs {
		if err := os.Rename(f.RunDir(r), filepath.Join(home, f.Runs[i].Name)); err != nil {
			t.Fatal(err)
		}
	}
	for i, at := range f.Runs {
		for _, from := range f.Runs {
			if err := os.CopyFS(f.RunDir(at), os.DirFS(filepath.Join(home, from.Name))); err != nil {
				t.Fatal(err)
			}
			status, err := f.Status()
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "results.csv")
			if err := f.Collect(out, status); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			s, want := status[i], ""
			switch {
			case at.System != from.System:
				want = "pearl.hidden = "
			case at.Seed != from.Seed:
				want = "seed = "
			}
			if own := want == ""; own != (s.State == sweep.Finished) || own != (s.Other == "") ||
				!strings.Contains(s.Other, want) || strings.Contains(string(text), ",finished,") != own {
				t.Errorf("%s in the folder of %s: %s, %q, want %q; collected %s", from.Name, at.Name, s.State, s.Other,
					want, text)
			}
			if err := os.RemoveAll(f.RunDir(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A folder without its configuration, or a file in its place, is not a run that has not begun. A damaged list of runs
// says how it is made again, and the next preparation does so.
func TestObstacles(t *testing.T) {
	plan := planned(t.TempDir(), 1)
	f := prepare(t, plan)
	written(t, f, f.Runs[1].Name)
	dir := f.RunDir(f.Runs[0])
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func() error{
		"is a file, where the run's folder would be": func() error { return nil },
		"has checkpoint.bin and no config.toml": func() error {
			return errors.Join(os.Remove(dir), os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir,
				experiment.CheckpointFile), nil, 0o644))
		},
	} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		status, err := f.Status()
		if err != nil || status[0].State != sweep.Failed || !strings.Contains(status[0].Damage, want) ||
			status[1].State != sweep.Finished {
			t.Errorf("%+v, %v; want %q", status, err, want)
		}
	}
	if err := os.Truncate(filepath.Join(f.Dir, sweep.ManifestFile), 50); err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Open(f.Dir); err == nil ||
		!strings.Contains(err.Error(), "nacre sweep with the plan writes it") {
		t.Errorf("a damaged manifest: %v", err)
	}
	prepare(t, plan)
	if again, err := sweep.Open(f.Dir); err != nil || len(again.Runs) != 2 {
		t.Errorf("prepared again: %+v, %v", again, err)
	}
}
