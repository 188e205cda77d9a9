//go:build unix

package tables_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment/sweep"
	"nacre/experiment/tables"
)

// Whatever links lead to a run, a table has it once and says what it left out.
func TestLinkedRuns(t *testing.T) {
	scratch, home := t.TempDir(), t.TempDir()
	written(t, filepath.Join(scratch, "a"), "pearl", "ml1/push", 1, at(1), []float64{1})
	written(t, filepath.Join(scratch, "far/below/the/given/folder/b"), "pearl", "ml1/push", 2, at(1), []float64{1})
	plan := sweep.Plan{Name: "s", Out: filepath.Join(scratch, "s"), Families: []string{"point-goal"},
		Seeds: []uint64{1}, Preset: "quick/point-goal", Systems: []sweep.System{{Algorithm: "pearl"}}}
	f, err := sweep.Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	writtenOf(t, f.RunDir(f.Runs[0]), f.Runs[0].Config, at(5), []float64{5})
	at := func(name string) string { return filepath.Join(home, name) }
	if err := errors.Join(os.Symlink(scratch, at("runs")), os.Symlink(filepath.Join(scratch, "a"), at("one")),
		os.Mkdir(at("mixed"), 0o755),
		os.Symlink(filepath.Join(scratch, "a"), at("mixed/a")), os.Symlink(filepath.Join(scratch, "s"), at("mixed/s")),
		os.Symlink("..", at("mixed/up")),
		os.Mkdir(at("empty"), 0o755), os.Symlink(filepath.Join(scratch, "gone"), at("empty/b"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths string
		runs  int
		notes string // in them; empty for none
	}{
		{"runs", 3, ""}, {"runs/", 3, ""}, {"one", 1, ""}, {"mixed/a", 1, ""}, {"mixed/s", 1, ""},
		{"mixed", 3, "leads back to"}, {"one runs/a", 1, "runs/a was named before"},
		{"runs one", 3, "one was named before"},
	} {
		var paths []string
		for _, p := range strings.Fields(c.paths) {
			paths = append(paths, home+"/"+p)
		}
		found, notes, err := tables.Load(paths...)
		all := strings.Join(notes, "\n")
		if err != nil || len(found) != c.runs || (c.notes == "") != (all == "") || !strings.Contains(all, c.notes) {
			t.Errorf("%s: %d runs, notes %q, %v; want %d and %q", c.paths, len(found), notes, err, c.runs, c.notes)
		}
	}
	if _, _, err := tables.Load(at("empty")); err == nil || !strings.Contains(err.Error(), "holds no run folder") ||
		!strings.Contains(err.Error(), "leads nowhere") {
		t.Error(err)
	}
}
