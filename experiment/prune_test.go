package experiment

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment/checkpoint"
	"nacre/rl"
)

// A finished run loses its checkpoints and nothing else; it is evaluated as before, verified as whole, and says why it
// cannot be trained further. To start over it is as any other.
func TestPrune(t *testing.T) {
	whole, stopped := trained(t)
	dir := clone(t, whole)
	run, err := View(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := run.Spare()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, CheckpointFile))
	if err != nil {
		t.Fatal(err)
	}
	if s.Checkpoint != info.Size() || s.Replay <= 0 || s.Replay >= s.Checkpoint || s.Needed != "" {
		t.Errorf("spare %+v of a checkpoint of %d bytes", s, info.Size())
	}
	if err := os.Mkdir(filepath.Join(dir, StatesFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stateFile(1)), make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := run.Spare(); err != nil || s.States != 100 {
		t.Errorf("a checkpoint for a branch: %+v, %v", s, err)
	}
	before := files(t, dir)
	removed, err := Prune(dir)
	if err != nil || removed.Bytes() != s.Bytes() {
		t.Fatalf("removed %+v, %v; want %+v", removed, err, s)
	}
	after := files(t, dir)
	for name, text := range before {
		gone := name == CheckpointFile || name == PreviousCheckpointFile
		if _, there := after[name]; there == gone || !gone && after[name] != text && name != LockFile {
			t.Errorf("%s: there %v, changed %v", name, there, after[name] != text)
		}
	}
	a, err := LoadAgent(dir, Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if bad := states(t, dir); bad != nil {
		t.Errorf("verified: %v", bad)
	}
	_, _, err = Resume(dir, Host{Workers: 1})
	if lost, ok := errors.AsType[*LostError](err); !ok || !strings.Contains(lost.Error(), "nacre runs --prune") ||
		!strings.Contains(lost.Error(), "cannot be continued") {
		t.Errorf("resumed: %v", err)
	}
	_, _, err = Branch(dir, 2, filepath.Join(t.TempDir(), "branch"), Host{Workers: 1}, nil)
	if err == nil || !strings.Contains(err.Error(), `"nacre runs --prune" removed checkpoint.bin`) {
		t.Errorf("branched: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, StatesFolder)); err != nil {
		t.Fatal(err)
	}
	if s, err := Prune(dir); err != nil || s.Bytes() != 0 {
		t.Errorf("a second time: %+v, %v", s, err)
	}
	again, _, err := StartOver(dir, Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if run.Has(PrunedFile) {
		t.Error("started over it counts as pruned")
	}
	// A run that is not finished, is being written, or has lost its evaluation keeps everything.
	before = files(t, stopped)
	if _, err := Prune(stopped); !errors.Is(err, ErrUnfinished) {
		t.Errorf("not finished: %v", err)
	}
	if !maps.Equal(files(t, stopped), before) {
		t.Error("not finished: the folder has changed")
	}
	held := clone(t, whole)
	writer, err := Open(held)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := Prune(held); !errors.Is(err, ErrLocked) || !writer.Has(CheckpointFile) {
		t.Errorf("being written: %v", err)
	}
	damaged := clone(t, whole)
	if err := os.Truncate(filepath.Join(damaged, EvaluationFile), 10); err != nil {
		t.Fatal(err)
	}
	if _, err := Prune(damaged); err == nil || !strings.Contains(err.Error(), EvaluationFile) {
		t.Errorf("half an evaluation: %v", err)
	}
	if r, _ := View(damaged); !r.Has(CheckpointFile) {
		t.Error("half an evaluation: the checkpoint is gone")
	}
	for _, name := range []string{WeightsFile, TasksFile, TimingFile, MetricsFile, CheckpointFile} {
		for what, harm := range map[string]func(path string) error{"missing": os.Remove,
			"cut": func(path string) error { return os.Truncate(path, 50) }} {
			if name == CheckpointFile && what == "missing" {
				continue // only the older one is left to remove
			}
			dir := clone(t, whole)
			if err := harm(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			_, err := Prune(dir)
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "nacre resume ") {
				t.Errorf("%s %s: %v", name, what, err)
			}
			if r, _ := View(dir); !r.Has(CheckpointFile) || !r.Has(PreviousCheckpointFile) {
				t.Errorf("%s %s: a checkpoint is gone", name, what)
			}
		}
	}
}

// files are the contents of a folder's files, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			out[e.Name()] = string(read(t, dir, e.Name()))
		}
	}
	return out
}

// Every algorithm says of itself whether its adaptation needs what it collected, and names what holds transitions so
// that Spare finds it.
func TestRemembers(t *testing.T) {
	for _, name := range []string{"pearl", "tcl-pearl", "mql", "oracle"} {
		cfg := short(t, name)
		run, err := Start(filepath.Join(t.TempDir(), "run"), cfg, Host{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		algorithm, err := rl.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, is := run.Learner.(rl.Experienced); is != algorithm.Remembers {
			t.Errorf("%s: Remembers is %v, its learner is Experienced: %v", name, algorithm.Remembers, is)
		}
		if err := errors.Join(run.Train(t.Context(), nil), run.Close()); err != nil {
			t.Fatal(err)
		}
		view, err := View(run.Dir())
		if err != nil {
			t.Fatal(err)
		}
		s, err := Prune(run.Dir())
		if err != nil || s.Replay == 0 || (s.Needed != "") != algorithm.Remembers ||
			view.Has(CheckpointFile) != algorithm.Remembers {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		a, err := LoadAgent(run.Dir(), Host{Workers: 1})
		if err != nil {
			t.Errorf("%s: pruned it is not loaded: %v", name, err)
			continue
		}
		a.Close()
	}
	if _, err := checkpoint.Sizes(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("sizes of nothing: %v", err)
	}
}
