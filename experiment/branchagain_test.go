package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// branched is a parent, and a finished branch of it with other settings.
func branched(t *testing.T, algorithm string, at int, pairs ...string) (parent, branch string) {
	t.Helper()
	host := Host{Workers: 1, KeepState: 2}
	parent, branch = wholeRun(t, tinyRun(t, algorithm), 5, host), filepath.Join(t.TempDir(), "branch")
	run, _, err := Branch(parent, at, branch, Host{Workers: 1}, func(c *Config) error { return Change(c, pairs...) })
	end(t, run, err)
	return parent, branch
}

// keepOnly removes everything but these files.
func keepOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+e.Name()+" ") {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A branch that was killed before its first checkpoint, at any point, begins again where it branched, and so does one
// that is started over.
func TestBranchesBeginAgain(t *testing.T) {
	heavy.Skip(t, "trains and kills many runs")
	for _, c := range []struct {
		algorithm string
		at        int
		pairs     []string
	}{{"pearl", 4, []string{"pearl.lr_policy=0.01"}}, {"oracle", 2, []string{"evaluation.every=1"}},
		{"pearl", 4, nil}} {
		parent, branch := branched(t, c.algorithm, c.at, c.pairs...)
		history := strings.Join(strings.SplitAfter(string(read(t, branch, MetricsFile)), "\n")[:c.at+1], "")
		for _, left := range []string{"config.toml", "config.toml tasks.json metrics.csv",
			"config.toml tasks.json metrics.csv timing.csv", "half"} {
			dir := clone(t, branch)
			keepOnly(t, dir, strings.Fields(strings.Replace(left, "half", "config.toml metrics.csv", 1))...)
			if strings.Contains(left, "metrics") {
				write(t, dir, MetricsFile, history)
			} else if left == "half" {
				write(t, dir, MetricsFile, history[:len(history)/2])
			}
			run, notices, err := Resume(dir, Host{Workers: 1})
			if err == nil && !strings.Contains(fmt.Sprint(notices), fmt.Sprintf("from its parent, after %d", c.at)) {
				t.Errorf("%s: notices %q", left, notices)
			}
			end(t, run, err)
			equalRuns(t, dir, branch)
			if record, err := (&Run{Dir: dir}).Record(); err != nil || record.Branch == nil ||
				record.Branch.Parent != parent || record.Branch.Iteration != c.at {
				t.Errorf("%s: record %+v, %v", left, record.Branch, err)
			}
		}
		dir := clone(t, branch)
		if _, err := Prune(dir); err != nil {
			t.Fatal(err)
		}
		_, _, err := Resume(dir, Host{Workers: 1})
		want := fmt.Sprintf("from iteration %d of its parent %s: nacre resume --start-over", c.at, parent)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a pruned branch: %v, want %s", err, want)
		}
		run, _, err := StartOver(dir, Host{Workers: 1})
		end(t, run, err)
		equalRuns(t, dir, branch)
	}
}

// A branch whose parent does not give its state any more is not started over from anywhere else, and keeps its files.
func TestBranchesWithoutParent(t *testing.T) {
	parent, branch := branched(t, "oracle", 2, "evaluation.every=1")
	for name, c := range map[string]struct {
		harm func(parent, branch string)
		want string
	}{
		"gone":      {func(p, _ string) { os.RemoveAll(p) }, "does not exist"},
		"no state":  {func(p, _ string) { os.RemoveAll(filepath.Join(p, StatesFolder)) }, "has no checkpoint of then"},
		"no config": {func(p, _ string) { os.Remove(filepath.Join(p, ConfigFile)) }, "and no config.toml"},
		"edited": {func(p, _ string) { edit(t, p, "discount = ", "discount = 0.5 #") },
			"it differs from its parent in"},
		"own edited": {func(_, b string) { edit(t, b, "every = 1\n", "every = 3\n") }, "its record says"},
		"own seed":   {func(_, b string) { edit(t, b, "\nseed = 5\n", "\nseed = 6\n") }, "seed cannot be changed"},
	} {
		p, b := clone(t, parent), clone(t, branch)
		edit(t, b, parent, p)
		c.harm(p, b)
		before := string(read(t, b, MetricsFile))
		_, _, err := StartOver(b, Host{Workers: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "nacre branch PARENT --at 2 --out NEW") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if after := string(read(t, b, MetricsFile)); after != before {
			t.Errorf("%s: metrics.csv was changed", name)
		}
	}
}

// A branch into a folder that cannot be its own is refused as a new run is.
func TestBranchesNeedAFolder(t *testing.T) {
	parent := wholeRun(t, tinyRun(t, "oracle"), 2, Host{Workers: 1})
	full, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	write(t, full, "x", "")
	write(t, filepath.Dir(file), "file", "")
	metrics := t.TempDir()
	write(t, metrics, MetricsFile, "iteration\n")
	for dir, want := range map[string]string{
		full: "is not empty (it has x)", file: "not a directory", parent: "already holds a run",
		metrics: "is not empty (it has metrics.csv)", filepath.Join(parent, "sub"): "lies within the run " + parent,
		filepath.Join(parent, "a", "b"): "lies within the run " + parent, "/dev/null/x": "not a directory",
	} {
		_, _, err := Branch(parent, 2, dir, Host{Workers: 1}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("branch into %s: %v, want %s", dir, err, want)
		}
		if _, err := Start(dir, tinyRun(t, "oracle"), Host{Workers: 1}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("train into %s: %v, want %s", dir, err, want)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
