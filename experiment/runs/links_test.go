//go:build unix

package runs_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/runs"
)

// The list follows links: the root may be one, a run, and a folder of runs; each run is there once. Who serves the
// folder does not follow those below it.
func TestLinkedRuns(t *testing.T) {
	scratch, home := t.TempDir(), t.TempDir()
	synthetic(t, scratch, "study/seed1", 1)
	synthetic(t, scratch, "study/seed2", 2, "seed=2")
	synthetic(t, scratch, "alone", 1)
	synthetic(t, home, "runs/own", 1)
	for _, l := range [][2]string{{filepath.Join(scratch, "study"), "runs/linked"},
		{filepath.Join(scratch, "alone"), "runs/one"}, {"own", "runs/latest"},
		{"..", "runs/up"}, {"/gone", "runs/lost"}, {"runs", "root"}} {
		must(t, os.Symlink(l[0], filepath.Join(home, l[1])))
	}
	for _, root := range []string{filepath.Join(home, "runs"), filepath.Join(home, "root")} {
		for _, c := range []struct {
			links bool
			want  []string
			notes int
		}{{true, []string{"linked/seed1", "linked/seed2", "one", "own"}, 4}, {false, []string{"own"}, 3}} {
			x := runs.Open(root)
			x.Links = c.links
			must(t, x.Refresh(context.Background()))
			var paths []string
			for _, r := range x.Runs() {
				paths = append(paths, r.Path)
				if _, err := experiment.View(x.Dir(r)); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(paths, c.want) || len(x.Notes()) != c.notes {
				t.Errorf("%s, links followed %v: %v and notes %q; want %v and %d", root, c.links, paths, x.Notes(),
					c.want, c.notes)
			}
			if c.links && !strings.Contains(strings.Join(x.Notes(), "\n"), "own once more") {
				t.Errorf("notes %q", x.Notes())
			}
		}
	}
}
