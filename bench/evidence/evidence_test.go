package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/rl/config"
	"nacre/sim"
)

// Every item has its rules; those that wait for nothing can run, and so can their probes.
func TestQueue(t *testing.T) {
	items, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		if item.Waits != "" {
			continue
		}
		runs, err := item.plan(t.TempDir()).Expand()
		if errors.Is(err, sim.ErrUnavailable) {
			t.Skip(err)
		}
		if err != nil {
			t.Errorf("%s: %v", item.Name, err)
			continue
		}
		probes, err := item.probes(runs)
		if err != nil || len(probes) != len(item.Families)*len(item.Systems) {
			t.Errorf("%s: %d probes, %v", item.Name, len(probes), err)
		}
	}
}

// tiny is an item of the point robot whose runs take a moment.
func tiny() Item {
	small := []string{"pearl.iterations=1", "pearl.updates_per_iteration=3", "pearl.initial_steps=20",
		"pearl.prior_steps=20",
		"pearl.extra_posterior_steps=20", "pearl.tasks_per_iteration=1", "pearl.meta_batch=4", "train_tasks=4",
		"test_tasks=1", "pearl.hidden=8",
		"pearl.encoder_hidden=8", "pearl.batch=8"}
	return Item{Name: "tiny", Asks: "a", Outcome: "o", Test: "t", None: "n", Stop: "s", Hours: []float64{1, 1},
		Families: []string{"point-goal"},
		Preset:   "quick/point-goal", Seeds: []uint64{1, 2}, Set: small,
		Probe:   []string{"pearl.updates_per_iteration=2"},
		Systems: []sweep.System{{Algorithm: "pearl"}}}
}

// The bits of a probe are those of its settings, and are kept.
func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	runs, err := tiny().plan(dir).Expand()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFingerprints(filepath.Join(dir, "fingerprints"))
	if err != nil {
		t.Fatal(err)
	}
	of := func(pairs ...string) fingerprint {
		t.Helper()
		cfg := runs[0].Config
		if err := experiment.Change(&cfg, pairs...); err != nil {
			t.Fatal(err)
		}
		p, err := f.of(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := of()
	if again := of(); !again.same(first) || len(first.Bits) != 16 || first.Kernel == "" {
		t.Errorf("%v, then %v", first, again)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "fingerprints", "*.json")); len(kept) != 1 {
		t.Errorf("%d files of fingerprints, want 1", len(kept))
	}
	if other := of("pearl.lr_q=2e-3"); other.same(first) {
		t.Errorf("another rate has the same fingerprint %v", other)
	}
	if err := os.RemoveAll(filepath.Join(dir, "fingerprints")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "fingerprints"), 0o755); err != nil {
		t.Fatal(err)
	}
	if again := of(); !again.same(first) {
		t.Errorf("computed again: %v, want %v", again, first)
	}
}

// A run that is under way under another fingerprint begins anew and that is said; one under the same goes on; one that
// is finished stays, and is said to be of another. What is packed has its own fingerprint.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	item := tiny()
	f, err := sweep.Prepare(item.plan(dir))
	if err != nil {
		t.Fatal(err)
	}
	old, now := fingerprint{Kernel: "avx512", Bits: "aaaa", Commit: "one"},
		fingerprint{Kernel: "avx2", Bits: "bbbb", Commit: "two"}
	var said []string
	say := func(text string) { said = append(said, text) }
	both := func(p fingerprint) {
		t.Helper()
		said = nil
		all, err := f.Status()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if err := settle(f, r, p, say); err != nil {
				t.Fatal(err)
			}
		}
	}
	both(old)
	if len(said) != 0 {
		t.Errorf("of runs that are not begun: %q", said)
	}
	// Seed 1 is trained to its end, seed 2 begun.
	if err := sweep.Work(t.Context(), f.Dir, []string{f.Runs[0].Name}, experiment.Host{Workers: 1},
		progress.Silent()); err != nil {
		t.Fatal(err)
	}
	begin(t, f, f.Runs[1])
	both(fingerprint{Kernel: "avx512", Bits: "aaaa", Commit: "three"}) // another version with the same bits
	if len(said) != 0 {
		t.Errorf("under the same fingerprint: %q", said)
	}
	both(now)
	if len(said) != 2 || !strings.Contains(said[0], "seed1: finished under another fingerprint") ||
		!strings.Contains(said[1], "seed2: begun anew") ||
		!strings.Contains(said[1], "avx512") {
		t.Errorf("under another: %q", said)
	}
	if _, err := os.Stat(f.RunDir(f.Runs[1])); !os.IsNotExist(err) {
		t.Errorf("what was begun is still there: %v", err)
	}
	p, err := packed(f, item, sweep.RunStatus{Run: f.Runs[0], Dir: f.RunDir(f.Runs[0])})
	if err != nil || p.Kernel != "avx512" || p.Bits != "aaaa" {
		t.Errorf("packed %+v, %v", p, err)
	}
}

// A run that is committed is not trained again on a machine that has nothing of it. Another item's run of the same name
// is trained.
func TestCommittedRunsAreDone(t *testing.T) {
	item := tiny()
	f, err := sweep.Prepare(item.plan(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	all := len(f.Runs)
	first, second := f.Runs[0].Name, f.Runs[1].Name
	n := leaveOut(f, item.Name, results{[]Packed{{Item: item.Name, Run: first}, {Item: "another", Run: second}}})
	if n != 1 || len(f.Runs) != all-1 || f.Runs[0].Name != second {
		t.Errorf("%d of %d left out, then %d, the first %s; expected all but %s", n, all, len(f.Runs), f.Runs[0].Name,
			first)
	}
	if left, err := f.Status(); err != nil || len(left) != all-1 {
		t.Errorf("status of %d runs, %v; expected %d", len(left), err, all-1)
	}
}

// begin makes the folder of a run that is under way.
func begin(t *testing.T, f *sweep.Folder, r sweep.Run) {
	t.Helper()
	tr, err := experiment.Start(f.RunDir(r), r.Config, experiment.Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
}

// An item without a rule is refused, with the rule's name.
func TestRulesAreAskedFor(t *testing.T) {
	item := tiny()
	item.None = ""
	if err := item.check(); err == nil || !strings.Contains(err.Error(), "has no none") {
		t.Errorf("%v", err)
	}
	if err := config.Check(&item); err != nil {
		t.Errorf("a whole item: %v", err)
	}
}
