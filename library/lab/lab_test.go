package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nacre/experiment"
	"nacre/library/cell"
	"nacre/library/display"
)

// small makes a run of a second.
var small = Set("pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.updates_per_iteration=4", "pearl.initial_steps=40",
	"pearl.meta_batch=3",
	"pearl.batch=8", "pearl.context=8", "pearl.tasks_per_iteration=2", "train_tasks=5", "test_tasks=4",
	"evaluation.every=1", "tcl.window=4")

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
	if f := run.Returns(); f.Err() != nil || f.Len() != 4*p.Repeats*p.Trajectories() ||
		f.Is("adapted", 1).Len() != 4*p.Repeats*p.Scored {
		t.Errorf("%d returns (%v) of 4 tasks under %+v", f.Len(), f.Err(), p)
	}
	if c := run.Curve(); c.Err() != nil || len(c.Panels[0].Marks[0].X) != 2 {
		t.Errorf("curve: %v", c)
	}
	layout, err := run.TSNE(experiment.EmbedOptions{Tasks: 3, Windows: 12})
	if err != nil {
		t.Fatal(err)
	}
	if ratio, err := layout.Figures().Numbers("ratio"); err != nil || len(ratio) != 3 ||
		ratio[1] != layout.Latent.Ratio {
		t.Errorf("ratios %v, %v", ratio, err)
	}
	if b, err := layout.MIMEBundle(); err != nil || !strings.Contains(b["text/plain"].(string), "between centroids") {
		t.Errorf("shown: %v", err)
	}
	for n, tasks := range map[int][]int{1: {3}, 2: {0, 2}, 4: nil} {
		if rollout, err := run.Rollout(tasks...); err != nil || len(rollout.Episodes) != n {
			t.Errorf("rollout on %v: %d episodes, expected %d: %v", tasks, len(rollout.Episodes), n, err)
		}
	}
	if _, err := run.Rollout(4); err == nil ||
		!strings.Contains(err.Error(), "test task 4 of point-goal; expected 0 to 3") {
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
	if now, err := os.Stat(filepath.Join(run.Dir, experiment.MetricsFile)); err != nil ||
		now.ModTime() != written.ModTime() {
		t.Errorf("trained again: %v", err)
	}
	if _, err := Train("quick/point-goal", small, Iterations(2), Latent(3), Quiet(), Seed(3),
		Folder(run.Dir)); err == nil || !strings.Contains(err.Error(), "holds another run") {
		t.Errorf("another run in its folder: %v", err)
	}
}

// The same Folder with more iterations trains the run on; a branch shares its history and says what it is.
func TestLongerAndBranch(t *testing.T) {
	t.Chdir(t.TempDir())
	train := func(n int, folder string) *Run {
		t.Helper()
		run, err := Train("quick/point-goal", small, Iterations(n), Latent(2), Quiet(), Seed(3), Folder(folder))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	train(2, "grown")
	grown, whole := train(4, "grown"), train(4, "whole")
	bytes := func(dir, name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, name := range []string{experiment.MetricsFile, experiment.WeightsFile, experiment.EvaluationFile} {
		if bytes(grown.Dir, name) != bytes(whole.Dir, name) {
			t.Errorf("%s of a run trained on differs", name)
		}
	}
	if _, err := Train("quick/point-goal", small, Iterations(3), Latent(2), Quiet(), Seed(3),
		Folder("grown")); err == nil || !strings.Contains(err.Error(), "can only be made longer") {
		t.Errorf("shorter: %v", err)
	}
	for range 2 { // the second time it is there
		branch, err := Branch(grown, 4, Set("pearl.lr_q=1e-4"), Iterations(5), Quiet())
		if err != nil {
			t.Fatal(err)
		}
		history, all := bytes(whole.Dir, experiment.MetricsFile), bytes(branch.Dir, experiment.MetricsFile)
		if !strings.HasPrefix(all, history) || strings.Count(all, "\n") != 6 || branch.Config().Seed != 3 {
			t.Errorf("a branch in %s:\n%s\nof\n%s", branch.Dir, all, history)
		}
	}
	for want, options := range map[string][]Option{
		"no checkpoint of then; it has those after": {Quiet(), Folder("none")},
		"shares these with its run":                 {Quiet(), Seed(4)},
		"pearl.latent cannot be changed":            {Quiet(), Latent(3)},
		"unknown key pearl.latnet":                  {Quiet(), Set("pearl.latnet=1")},
	} {
		at := 4
		if strings.HasPrefix(want, "no checkpoint") {
			at = 1
		}
		if _, err := Branch(grown, at, options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Seeds are whole numbers from 0, keys have one spelling, and unknown names have a nearest one.
func TestBadOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, options := range map[string][]Option{
		"lab: seed = -1: expected a whole number from 0 to 9223372036854775807": {Seed(-1)},
		"unknown key PEARL.latent; the nearest is pearl.latent":                 {Set("PEARL.latent=7")},
		"unknown key SEED; the nearest is seed":                                 {Set("SEED=7")},
		"unknown key iterations; the nearest is pearl.iterations": {Algorithm("pearl"),
			Set("iterations=7")},
		`expected the name of a protocol; did you mean "garage-ml1"?`: {
			Set("evaluation.protocol.name=garage-ml2")},
	} {
		if _, err := Train("quick/point-goal", append(options, Quiet())...); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Compare("quick/point-goal", nil, []int{1, -2}, Quiet()); err == nil ||
		!strings.Contains(err.Error(), "seed = -2") {
		t.Errorf("a negative seed: %v", err)
	}
	if _, err := Compare("quick/point-goal", nil, nil, Over("latnet", 1, 2), Quiet()); err == nil ||
		!strings.Contains(err.Error(), `no setting "latnet"; did you mean "latent"?`) {
		t.Errorf("a misspelt setting: %v", err)
	}
}

func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	runs, err := Compare("quick/point-goal", []string{"pearl", "rl2"}, []int{1, 2}, small, Iterations(1),
		Set("rl2.hidden=4", "rl2.meta_batch=2", "rl2.epochs=1", "rl2.episodes=2"))
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

// shelf keeps what is shown.
type shelf struct {
	cell.Cell
	mu    sync.Mutex
	shown []any
}

func (s *shelf) Context() context.Context { return context.Background() }

func (s *shelf) Show(v any, _ string, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, v)
	return nil
}

// Runs that are there already are drawn beside those that are trained, whichever come first.
func TestFoundRunsAreDrawn(t *testing.T) {
	t.Chdir(t.TempDir())
	compare := func(seeds ...int) *shelf {
		t.Helper()
		s := &shelf{}
		cell.SetCurrent(func() cell.Cell { return s })
		defer cell.SetCurrent(func() cell.Cell { return nil })
		if _, err := Compare("quick/point-goal", nil, seeds, small, Iterations(2)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	compare(1, 3)
	want := "TCL-PEARL, mean of 3: 2; TCL-PEARL, seed 1: 2; TCL-PEARL, seed 2: 2; TCL-PEARL, seed 3: 2"
	if got := drawn(t, compare(1, 2, 3)); got != want {
		t.Errorf("the curves have %q points, want %q", got, want)
	}
	found := compare(1, 2, 3)
	if got := drawn(t, found); got != want {
		t.Errorf("the curves of runs that were found have %q points, want %q", got, want)
	}
	last := fmt.Sprint(found.shown[len(found.shown)-1])
	if !strings.Contains(last, "all 3 runs were found finished in runs: nothing to train") {
		t.Errorf("the line says %q", last)
	}
}

// drawn lists the lines that were shown last, with their numbers of points.
func drawn(t *testing.T, s *shelf) string {
	t.Helper()
	var names []string
	for _, v := range s.shown {
		shown, is := v.(interface {
			MIMEBundle() (map[string]any, error)
		})
		if !is {
			continue
		}
		b, err := shown.MIMEBundle()
		if err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(b[display.CurvesMIME])
		if err != nil {
			t.Fatal(err)
		}
		var curves struct {
			Series []struct {
				Name  string
				Group string
				Mean  bool
				X     []float64
			}
		}
		if json.Unmarshal(j, &curves) != nil || len(curves.Series) == 0 {
			continue // something else, or nothing yet
		}
		names = nil
		for _, s := range curves.Series {
			if s.Group != "TCL-PEARL" || s.Mean != strings.HasSuffix(s.Name, "mean of 3") {
				t.Errorf("%+v", s)
			}
			names = append(names, fmt.Sprint(s.Name, ": ", len(s.X)))
		}
	}
	slices.Sort(names)
	return strings.Join(names, "; ")
}

// The line of progress carries the share of the whole, which a page names if the kernel ends before the training does.
func TestProgressHasItsShare(t *testing.T) {
	s := &shelf{}
	cell.SetCurrent(func() cell.Cell { return s })
	defer cell.SetCurrent(func() cell.Cell { return nil })
	w := newWatch(Runs{{}, {}}, false, nil)
	w.line = display.Updating(display.Text(""))
	w.Stage("train", 100)
	w.finished()
	w.Add(20)
	last, is := s.shown[len(s.shown)-1].(interface{ Metadata() map[string]any })
	if !is {
		t.Fatalf("%T has no metadata", s.shown[len(s.shown)-1])
	}
	m := last.Metadata()["nacre"].(map[string]any)
	uses, _ := m["uses"].(string)
	if m["share"] != 0.6 || !strings.Contains(uses, "memory ") {
		t.Errorf("in the second of two runs, at 20 of 100 updates, the metadata are %v", m)
	}
}

// A run that goes on begins where it stopped, and the time left is that of what is left.
func TestProgressOfWhatGoesOn(t *testing.T) {
	w := newWatch(Runs{{}, {}}, true, nil)
	w.made = 60
	w.Stage("train", 40)
	if w.share() != 0.3 || w.base != 0.3 || w.total != 100 {
		t.Errorf("at 60 of 100 updates of the first of two runs: share %v of base %v, %d updates", w.share(), w.base,
			w.total)
	}
}

// The small panels have what a run's tables have, and follow them.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
	tr := newTrace(dir)
	if tr.read() {
		t.Error("something was read of nothing")
	}
	write("metrics.csv", "iteration,env_steps,updates,adapted_return,q_loss,loss,kl\n"+
		"0,100,10,-5,2,9,NaN\n1,300,20,,3,9,1\n")
	write("timing.csv", "iteration,collect_s,update_s,evaluate_s,policy_s\n0,1,1,2,7\n")
	want := map[string]string{"loss of the critic": "[2 3]", "KL of the posterior": "[NaN 1]",
		"steps per second": "[25]"}
	check := func() {
		t.Helper()
		if !tr.read() || tr.read() {
			t.Error("what was added is not read once")
		}
		for _, p := range panels {
			if got := p.values(tr); got != nil && fmt.Sprint(got) != want[p.title] {
				t.Errorf("%s: %v, want %s", p.title, got, want[p.title])
			}
		}
	}
	check()
	write("timing.csv", "1,2,2,1,0\n2,0,0,0,0\n")
	write("metrics.csv", "2,400,30,-4,4,9,2\n")
	want = map[string]string{"loss of the critic": "[2 3 4]", "KL of the posterior": "[NaN 1 2]",
		"steps per second": "[25 40 NaN]"}
	check()
}

// A run is looked at as it was saved, until it ends; of looks that take long the next sees what came meanwhile.
func TestEvery(t *testing.T) {
	var updates []float64
	run, err := Train("quick/point-goal", small, Iterations(4), Quiet(), Folder(t.TempDir()),
		Every(1, func(run *Run) error {
			m, err := run.Metrics().Numbers("updates")
			if err != nil {
				return err
			}
			if len(m) > 0 { // the weights are first saved within the first iteration
				updates = append(updates, m[len(m)-1])
			}
			_, err = run.Rollout(0)
			return err
		}))
	if err != nil || len(updates) == 0 || updates[len(updates)-1] != 16 || !slices.IsSorted(updates) {
		t.Errorf("looked at after %v updates (%v), expected the last after 16", updates, err)
	}
	want := errors.New("enough seen")
	if _, err = Train("quick/point-goal", small, Iterations(1), Quiet(), Folder(t.TempDir()),
		Every(1, func(*Run) error { return want })); !errors.Is(err, want) {
		t.Errorf("an error of looking is %v", err)
	}
	if _, err := run.Embedded(experiment.RowsContext); err == nil ||
		!strings.Contains(err.Error(), "embeddings-rows.npz") {
		t.Errorf("embeddings that are not there: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, call := range map[string]func() error{
		`did you mean "quick/point-goal"?`: func() error { _, err := Train("quick/pont-goal"); return err },
		`RL² has no setting "latent"`: func() error {
			_, err := Train("quick/point-goal", Algorithm("rl2"), Latent(3))
			return err
		},
		"one folder (x) for 2 runs": func() error {
			_, err := Compare("quick/point-goal", nil, []int{1, 2}, Folder("x"))
			return err
		},
		"algorithm \"perl\" does not exist": func() error {
			_, err := Compare("quick/point-goal", []string{"pearl", "perl"}, nil)
			return err
		},
		"none does not exist": func() error { _, err := Open("none"); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("%d files are left: %v", len(entries), err)
	}
}
