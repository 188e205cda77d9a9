package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
)

// small makes a run of a second.
var small = Set("pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.updates_per_iteration=4", "pearl.initial_steps=40", "pearl.meta_batch=3",
	"pearl.batch=8", "pearl.context=8", "pearl.tasks_per_iteration=2", "train_tasks=5", "test_tasks=4", "evaluation.every=1", "tcl.window=4")

func TestTrain(t *testing.T) {
	t.Chdir(t.TempDir())
	run, err := Train("quick/point-goal", small, Iterations(2), Latent(2), Quiet(), Seed(3))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(run.Dir, filepath.Join("runs", "quick-point-goal-tcl-pearl-seed3-")) {
		t.Errorf("the run is in %s", run.Dir)
	}
	metrics := run.Metrics()
	if steps, err := metrics.Numbers("env_steps"); err != nil || len(steps) != 2 {
		t.Errorf("metrics of %d iterations: %v", len(steps), err)
	}
	if names, _ := metrics.Unique("algorithm"); len(names) != 1 || names[0] != "TCL-PEARL" {
		t.Errorf("metrics of %v", names)
	}
	p := run.Config().Evaluation.Protocol
	if f := run.Returns(); f.Err() != nil || f.Len() != 4*p.Repeats*p.Trajectories() || f.Is("adapted", 1).Len() != 4*p.Repeats*p.Scored {
		t.Errorf("%d returns (%v) of 4 tasks under %+v", f.Len(), f.Err(), p)
	}
	if c := run.Curve(); c.Err() != nil || len(c.Panels[0].Marks[0].X) != 2 {
		t.Errorf("curve: %v", c)
	}
	layout, err := run.TSNE(experiment.EmbedOptions{Tasks: 3, Windows: 12})
	if err != nil {
		t.Fatal(err)
	}
	if ratio, err := layout.Figures().Numbers("ratio"); err != nil || len(ratio) != 3 || ratio[1] != layout.Latent.Ratio {
		t.Errorf("ratios %v, %v", ratio, err)
	}
	if b, err := layout.MIMEBundle(); err != nil || !strings.Contains(b["text/plain"].(string), "between centroids") {
		t.Errorf("shown: %v", err)
	}
	rollout, err := run.Rollout(3)
	if err != nil || len(rollout.Episodes) != 1 {
		t.Errorf("rollout: %v, %v", rollout.Episodes, err)
	}
	if _, err := run.Rollout(4); err == nil || !strings.Contains(err.Error(), "test task 4 of point-goal; expected 0 to 3") {
		t.Errorf("a task that is not there: %v", err)
	}
	// The same again opens it; something else in its folder is refused.
	written, err := os.Stat(filepath.Join(run.Dir, experiment.MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Train("quick/point-goal", small, Iterations(2), Latent(2), Quiet(), Seed(3))
	if err != nil || again.Dir != run.Dir {
		t.Fatalf("again: %v, %v", again, err)
	}
	if now, err := os.Stat(filepath.Join(run.Dir, experiment.MetricsFile)); err != nil || now.ModTime() != written.ModTime() {
		t.Errorf("trained again: %v", err)
	}
	if _, err := Train("quick/point-goal", small, Iterations(2), Latent(3), Quiet(), Seed(3), Folder(run.Dir)); err == nil || !strings.Contains(err.Error(), "holds another run") {
		t.Errorf("another run in its folder: %v", err)
	}
}

// What Saved calls sees the run as it was saved, and ends the training where it fails.
func TestSaved(t *testing.T) {
	t.Chdir(t.TempDir())
	calls := 0
	run, err := Train("quick/point-goal", small, Iterations(2), Quiet(), Saved(func(r *Run) error {
		calls++
		tasks := r.Tasks()
		if tasks.Len() != 4 || !tasks.Has("parameter 2") || tasks.Has("parameter 3") {
			t.Errorf("the tasks are %v", tasks)
		}
		both, err := r.Rollout(2, 0)
		x, _ := tasks.Numbers("parameter 1")
		if err == nil && (len(both.Episodes) != 2 || both.Episodes[0].Params[0] != x[2] || both.Episodes[1].Params[0] != x[0]) {
			t.Errorf("%d rollouts, not of tasks 2 and 0", len(both.Episodes))
		}
		return err
	}))
	if err != nil || calls == 0 {
		t.Fatalf("%d calls, %v", calls, err)
	}
	if all, err := run.Rollout(); err != nil || len(all.Episodes) != 4 {
		t.Errorf("%d episodes on all four tasks, %v", len(all.Episodes), err)
	}
	enough := errors.New("enough")
	_, err = Train("quick/point-goal", small, Iterations(100000), Quiet(), Set("checkpoint_every=1"), Saved(func(*Run) error { return enough }))
	if err != enough {
		t.Errorf("a failing show gives %v", err)
	}
}

func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	runs, err := Compare("quick/point-goal", []string{"pearl", "rl2"}, []int{1, 2}, small, Iterations(1), Set("rl2.hidden=4", "rl2.meta_batch=2", "rl2.epochs=1", "rl2.episodes=2"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := runs.Metrics().Group("algorithm", "seed").Count().CSV()
	if want := "algorithm,seed,n\nPEARL,1,1\nPEARL,2,1\nRL²,1,1\nRL²,2,1\n"; err != nil || string(got) != want {
		t.Errorf("metrics of\n%s (%v), want\n%s", got, err, want)
	}
	if c := runs.Curve(); c.Err() != nil || len(c.Names) != 2 {
		t.Errorf("curves: %v", c)
	}
	all, err := OpenAll("runs")
	if err != nil || len(all) != 4 {
		t.Errorf("%d runs opened: %v", len(all), err)
	}
}

func TestRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, call := range map[string]func() error{
		`did you mean "quick/point-goal"?`:  func() error { _, err := Train("quick/pont-goal"); return err },
		`RL² has no setting "latent"`:       func() error { _, err := Train("quick/point-goal", Algorithm("rl2"), Latent(3)); return err },
		"one folder (x) for 2 runs":         func() error { _, err := Compare("quick/point-goal", nil, []int{1, 2}, Folder("x")); return err },
		"algorithm \"perl\" does not exist": func() error { _, err := Compare("quick/point-goal", []string{"pearl", "perl"}, nil); return err },
		"none does not exist":               func() error { _, err := Open("none"); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("%d files are left: %v", len(entries), err)
	}
}
