package experiment

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A branch from every checkpoint that there is, without other settings, ends as its parent did; with others it has the
// history's bytes and says what it is.
func TestBranch(t *testing.T) {
	host := Host{Workers: 1, KeepState: 2}
	for _, algorithm := range []string{"pearl", "tcl-pearl", "maml", "rl2", "mql", "varibad", "oracle"} {
		if testing.Short() && algorithm != "pearl" && algorithm != "rl2" {
			continue
		}
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			parent := wholeRun(t, tinyRun(t, algorithm), 5, host)
			for _, at := range []int{2, 4, 5} {
				if at == 2 && testing.Short() {
					continue
				}
				dir := filepath.Join(t.TempDir(), "branch")
				run, _, err := Branch(parent, at, dir, Host{Workers: 2}, nil)
				end(t, run, err)
				equalRuns(t, dir, parent)
			}
			for _, pairs := range [][]string{{"evaluation.every=1"}, {"checkpoint_every=2"}} {
				dir := filepath.Join(t.TempDir(), "branch")
				run, _, err := Branch(parent, 4, dir, Host{Workers: 1}, func(c *Config) error {
					return Change(c, pairs...)
				})
				end(t, run, err)
				lines := bytes.SplitAfter(read(t, parent, MetricsFile), []byte("\n"))
				if history := bytes.Join(lines[:5], nil); !bytes.HasPrefix(read(t, dir, MetricsFile), history) {
					t.Errorf("%v: the history's bytes differ", pairs)
				}
				record, err := (&Run{Dir: dir}).Record()
				if err != nil || record.Branch == nil || record.Branch.Iteration != 4 ||
					filepath.Base(record.Branch.Parent) != "run" || len(record.Branch.Changed) != 1 {
					t.Errorf("%v: record %+v, %v", pairs, record.Branch, err)
				}
			}
		})
	}
}

// A branch may be longer than its parent, from its end too, and is then what a longer run would have been.
func TestLongerBranch(t *testing.T) {
	host := Host{Workers: 1}
	cfg := tinyRun(t, "oracle")
	parent := wholeRun(t, cfg, 4, host)
	before := read(t, parent, MetricsFile)
	dir := filepath.Join(t.TempDir(), "branch")
	run, _, err := Branch(parent, 4, dir, host, func(c *Config) error { length(t, c, 7); return nil })
	end(t, run, err)
	equalRuns(t, dir, wholeRun(t, cfg, 7, host))
	if !bytes.Equal(before, read(t, parent, MetricsFile)) {
		t.Error("the parent was changed")
	}
}

// What cannot be is refused by its name, and leaves no folder behind.
func TestBranchRefuses(t *testing.T) {
	parent := wholeRun(t, tinyRun(t, "pearl"), 4, Host{Workers: 1})
	for _, c := range []struct {
		at    int
		pairs string
		want  string
	}{
		{2, "", "the run has no checkpoint of then; it has those after 3, 4; \"nacre train --keep-checkpoints N\" " +
			"keeps"},
		{9, "", "it has those after 3, 4"},
		{4, "seed=6", "seed cannot be changed in a branch"},
		{4, "family=sparse-point-robot", "family cannot be changed in a branch"},
		{4, "train_tasks=5", "train_tasks cannot be changed in a branch"},
		{4, "arithmetic=float64", "arithmetic cannot be changed in a branch"},
		{4, "pearl.hidden=7", "pearl.hidden cannot be changed in a branch: with 7 instead of 6 the state does not fit"},
		{4, "pearl.gamma=0.5 pearl.latent=3", "pearl.latent cannot be changed in a branch"},
		{4, "pearl.discount=0.5 pearl.latent=3", "pearl.latent cannot be changed in a branch"},
		{4, "evaluation.protocol.explore=3", "evaluation.protocol.explore cannot be changed in a branch"},
		{4, "pearl.iterations=3", "pearl.iterations = 3 is no more than the run has trained already"},
		{4, "pearl.latnet=3", "unknown key pearl.latnet; the nearest is pearl.latent"},
	} {
		if strings.Contains(c.pairs, "gamma") {
			c.want = "unknown key pearl.gamma"
		}
		out := filepath.Join(t.TempDir(), "branch")
		_, _, err := Branch(parent, c.at, out, Host{Workers: 1}, func(cfg *Config) error {
			return Change(cfg, strings.Fields(c.pairs)...)
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s: %v, want %s", c.at, c.pairs, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(out, ConfigFile)); err == nil {
			t.Errorf("%d %s: a run was left behind", c.at, c.pairs)
		}
	}
}
