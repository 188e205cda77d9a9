package runs_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/experiment/runs"
	"nacre/experiment/study"
	"nacre/experiment/sweep"
)

// command puts a stand-in for a program on the path.
func command(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Runs of a sweep that have not begun are listed with it, those that its processes gave up with the reason, and those
// that Slurm has as it says.
func TestSweepsAndStudies(t *testing.T) {
	root := t.TempDir()
	plan := sweep.Plan{Name: "grid", Out: filepath.Join(root, "grid"), Families: []string{"point-goal"},
		Seeds: []uint64{1, 2, 3, 4, 5}, Preset: "quick/point-goal", Systems: []sweep.System{{Algorithm: "pearl"}}}
	folder, err := sweep.Prepare(plan)
	must(t, err)
	synthetic(t, root, "grid/runs/"+folder.Runs[0].Name, 3, "seed=1")
	attempt := func(name, problem string) {
		text, err := json.Marshal(sweep.Attempt{Number: 1, Error: problem})
		must(t, err)
		must(t, os.WriteFile(filepath.Join(root, "grid", "state", name+".json"), text, 0o644))
	}
	attempt(folder.Runs[1].Name, "no memory")
	manifest, err := json.Marshal(sweep.Folder{Name: "point",
		Runs: []sweep.Run{{Name: "pearl-seed1", Family: "point-goal", System: "pearl", Seed: 1},
			{Name: "../../escape"}}})
	must(t, err)
	must(t, os.Mkdir(filepath.Join(root, "study"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "study", study.PlanFile), manifest, 0o644))
	must(t, os.Mkdir(filepath.Join(root, "hostile"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "hostile", sweep.ManifestFile), []byte("[["), 0o644))

	command(t, "squeue", "echo 41 1 PENDING; echo 41 2 RUNNING")
	jobs, err := json.Marshal([]sweep.Submission{{Job: "41", Runs: []string{folder.Runs[2].Name, folder.Runs[3].Name}}})
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(root, "grid", "slurm"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "grid", "slurm", "jobs.json"), jobs, 0o644))

	x := runs.Open(root)
	want := map[string]runs.State{"grid/runs/" + folder.Runs[0].Name: runs.Interrupted,
		"grid/runs/" + folder.Runs[1].Name: runs.Failed, "grid/runs/" + folder.Runs[2].Name: runs.Queued,
		"grid/runs/" + folder.Runs[3].Name: runs.Running, "grid/runs/" + folder.Runs[4].Name: runs.Waiting,
		"study/runs/pearl-seed1": runs.Waiting}
	states := func() map[string]runs.State {
		must(t, x.Refresh(context.Background()))
		got := map[string]runs.State{}
		for _, r := range x.Runs() {
			got[r.Path] = r.State
			if r.Group != strings.Split(r.Path, "/")[0] || r.State == runs.Failed && r.Problem != "no memory" ||
				r.Family != "point-goal" {
				t.Errorf("%s: group %q, problem %q, family %q", r.Path, r.Group, r.Problem, r.Family)
			}
		}
		return got
	}
	same := func(got map[string]runs.State) bool {
		if len(got) != len(want) {
			return false
		}
		for path, s := range want {
			if got[path] != s {
				return false
			}
		}
		return true
	}
	got := states()
	for end := time.Now().Add(2 * time.Minute); !same(got) &&
		time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got = states() // what Slurm says comes after a while
	}
	if !same(got) {
		t.Fatalf("states %v, want %v", got, want)
	}
	if c := runs.Columns(x.Runs()); len(c) != 0 {
		t.Errorf("settings that differ from those of runs that have none yet: %v", c)
	}

	// What waits begins, and what is under way ends.
	version := x.Since(0).Version
	synthetic(t, root, "study/runs/pearl-seed1", 1)
	attempt(folder.Runs[1].Name, "")
	want["study/runs/pearl-seed1"], want["grid/runs/"+folder.Runs[1].Name] = runs.Interrupted, runs.Waiting
	if got := states(); !same(got) {
		t.Errorf("states %v, want %v", got, want)
	}
	if c := x.Since(version); len(c.Runs) != 2 {
		t.Errorf("two runs changed, and %d are said to", len(c.Runs))
	}
	// What has a checkpoint and no configuration does not wait: it is broken, and says what to do.
	lost := filepath.Join(root, "grid", "runs", folder.Runs[4].Name)
	must(t, os.MkdirAll(lost, 0o755))
	must(t, os.WriteFile(filepath.Join(lost, experiment.CheckpointFile), nil, 0o644))
	want["grid/runs/"+folder.Runs[4].Name] = runs.Broken
	again := runs.Open(root)
	must(t, again.Refresh(context.Background()))
	if r, err := again.Find("grid/runs/" + folder.Runs[4].Name); err != nil || r.State != runs.Broken ||
		!strings.Contains(r.Problem, "nacre resume") {
		t.Errorf("a run without a configuration: %+v, %v", r, err)
	}
	queue, err := runs.NewJobs(x, []string{"none"}, 1, slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(t, err)
	for _, k := range []int{2, 4} {
		if err := queue.Resume("grid/runs/" + folder.Runs[k].Name); err == nil {
			t.Errorf("%s was resumed, though it %s", folder.Runs[k].Name, want["grid/runs/"+folder.Runs[k].Name])
		}
	}
}

// What the page asks for without a server is there.
func TestExport(t *testing.T) {
	root := t.TempDir()
	synthetic(t, root, "one", 4)
	synthetic(t, root, "two", 2, "seed=8", "pearl.latent=4")
	x := runs.Open(root)
	must(t, x.Refresh(context.Background()))
	written := map[string]string{}
	n, err := runs.Export([]runs.Source{{Index: x, Under: "mine"}}, "here", func(name string, v any) error {
		text, err := json.Marshal(v)
		written[name] = string(text)
		return err
	})
	must(t, err)
	var l runs.Listing
	must(t, json.Unmarshal([]byte(written["list.json"]), &l))
	var e runs.Exported
	must(t, json.Unmarshal([]byte(written["run-1.json"]), &e))
	if n != 2 || len(written) != 3 || l.Runs[1].Path != "mine/two" || strings.Join(l.Columns, ",") != "pearl.latent" ||
		l.Values["mine/two"][0] != "4" || e.Settings["pearl.latent"] != "4" {
		t.Errorf("%d runs in %d files: %s", n, len(written), written["list.json"])
	}
	if c := e.Curves["adapted_return"]; c.Path != "mine/two" || len(c.Values) != 2 || c.Values[1] != 1 {
		t.Errorf("the curve is %+v", c)
	}
	for name, text := range written {
		if strings.Contains(text, root) {
			t.Errorf("%s tells where the folder lay: %.200s", name, text)
		}
	}
}

// What is made of a run is made one after the other, tells what it does, can be cancelled, and is known to be older
// than the run.
func TestProducts(t *testing.T) {
	root := t.TempDir()
	dir := synthetic(t, root, "one", 1)
	x := runs.Open(root)
	must(t, x.Refresh(context.Background()))
	script := filepath.Join(t.TempDir(), "nacre")
	must(t, os.WriteFile(script, []byte(`#!/bin/sh
echo "$1 at work" >&2
case "$1" in
embed) echo x > "$2/embeddings.npz" ;;
tsne) while ! test -e "$2/go"; do sleep 0.02; done; echo x > "$2/tsne.npz" ;;
render) echo "no MuJoCo" >&2; exit 1 ;;
esac
`), 0o755))
	p := runs.NewProducts(x, []string{script}, slog.New(slog.DiscardHandler))
	defer p.Close()
	if err := p.Make("one", "embedding"); err == nil || !strings.Contains(err.Error(), "no agent") {
		t.Errorf("without an agent: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "weights.safetensors"), nil, 0o644))
	if err := p.Make("one", "embeding"); err == nil || !strings.Contains(err.Error(), "embedding") {
		t.Errorf("an unknown product: %v", err)
	}
	until := func(what string, ok func(list []runs.Making) bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			list := p.List()
			if ok(list) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("never %s: %+v", what, list)
			}
		}
	}
	must(t, p.Make("one", "embedding"))
	must(t, p.Make("one", "embedding"))
	must(t, p.Make("one", "rollout"))
	until("at the layout", func(l []runs.Making) bool {
		return len(l) == 2 && l[0].Line == "tsne at work" && l[1].Began.IsZero()
	})
	must(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o644))
	until("failed", func(l []runs.Making) bool { return len(l) == 1 && l[0].Error == "no MuJoCo" })
	if f := runs.All[0].Fresh(dir); f != runs.Fresh {
		t.Errorf("the embedding is %s", f)
	}
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(dir, "weights.safetensors"), later, later))
	if f := runs.All[0].Fresh(dir); f != runs.Older {
		t.Errorf("the embedding of an earlier agent is %s", f)
	}
	must(t, runs.WriteReport(dir, filepath.Join(dir, runs.ReportFile)))
	must(t, os.Chtimes(filepath.Join(dir, runs.ReportFile), later, later))
	if f := runs.All[2].Fresh(dir); f != runs.Fresh {
		t.Errorf("the report is %s", f)
	}
	must(t, os.WriteFile(filepath.Join(dir, runs.NoteFile), []byte(`{"text": "", "tags": []}`), 0o644))
	must(t, os.Chtimes(filepath.Join(dir, runs.NoteFile), later.Add(time.Hour), later.Add(time.Hour)))
	if f := runs.All[2].Fresh(dir); f != runs.Older {
		t.Errorf("the report from before a note is %s", f)
	}
	must(t, os.Remove(filepath.Join(dir, "go")))
	must(t, p.Make("one", "embedding"))
	until("under way again", func(l []runs.Making) bool { return len(l) == 2 && l[1].Line == "tsne at work" })
	p.Cancel("one", "embedding")
	p.Cancel("one", "rollout")
	until("cancelled", func(l []runs.Making) bool { return len(l) == 0 })
}
