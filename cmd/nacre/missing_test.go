package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is not there is one line with the nearest name, and nothing is said to be under way before it.
func TestMissingThings(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"quickstart.ipynb", "mine.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{`did you mean "quickstart.ipynb"?`, []string{"execute", filepath.Join(dir, "quickstat.ipynb")}},
		{`did you mean "mine.csv"?`, []string{"tsne", filepath.Join(dir, "mne.csv")}},
		{`did you mean "point-goal"?`, []string{"rollout", "point-gaol"}},
		{`did you mean "point-goal"?`, []string{"render", "point-gaol"}},
	} {
		if status, _, stderr := nacre(t.Context(), c.args...); status == 0 || !strings.Contains(stderr, c.want) ||
			strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
			t.Errorf("nacre %v ended with %d and\n%s\nwant one line with %q", c.args, status, stderr, c.want)
		}
	}
}
