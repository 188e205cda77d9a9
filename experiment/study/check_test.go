package study

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/internal/heavy"
	"nacre/internal/plainfile"
	"nacre/internal/safetensors"
	"nacre/rl/protocol"
	"nacre/sim"
	_ "nacre/sim/families"
	contrast "nacre/tcl"
	"nacre/tsne"
)

// inJSON is v as it survives being stored.
func inJSON(t *testing.T, v any) any {
	t.Helper()
	out, err := generic(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A study with more seeds goes on from a packed one: runs without weights keep what an earlier program measured, and
// the report says so; another plan, which would have to measure them, is refused.
func TestPackedStudyGoesOn(t *testing.T) {
	heavy.Skip(t, "trains a study")
	dir, to, host := filepath.Join(t.TempDir(), "study"), filepath.Join(t.TempDir(), "packed"),
		experiment.Host{Workers: 2}
	plan := quickly()
	plan.Seeds = 2
	want, err := Run(t.Context(), dir, plan, host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(dir, to); err != nil {
		t.Fatal(err)
	}
	packed, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	packed.Arms[0].Seeds[1].Commit = "earlier"
	if err := atomicfile.WriteJSON(filepath.Join(to, ResultsFile), packed); err != nil {
		t.Fatal(err)
	}
	plan.Seeds = 3
	r, err := Run(t.Context(), to, plan, host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	for i, arm := range r.Arms {
		if len(arm.Seeds) != 3 || !reflect.DeepEqual(arm.Seeds[1].Adapted, want.Arms[i].Seeds[1].Adapted) {
			t.Errorf("%s: %d seeds, or other figures of the second", arm.Name, len(arm.Seeds))
		}
	}
	if text := r.report(); !strings.Contains(text, "commit earlier: pearl 2") {
		t.Errorf("the report does not name the commit that measured a run:\n%s", text)
	}
	if c, err := Check(t.Context(), to, false, progress.Silent()); err != nil || len(c.Differences) > 0 {
		t.Errorf("%v, %v", c.Differences, err)
	}
	plan.Windows++
	if _, err := Run(t.Context(), to, plan, host, progress.Silent()); err == nil ||
		!strings.Contains(err.Error(), "has no weights") {
		t.Errorf("another plan: %v", err)
	}
}

// adapted returns what an evaluation finds of a run's agent on its test tasks.
func adapted(t *testing.T, dir string) []protocol.TaskResult {
	t.Helper()
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r, err := a.Evaluate(t.Context(), a.TestTasks, a.Config.Evaluation.Protocol, 5)
	if err != nil {
		t.Fatal(err)
	}
	return r.Tasks
}

// Every number of a packed study comes out of its arrays, trajectories and metrics again, and a changed one does not.
func TestPackedStudyChecks(t *testing.T) {
	heavy.Skip(t, "trains a study and measures it in every way")
	dir, to := filepath.Join(t.TempDir(), "study"), filepath.Join(t.TempDir(), "packed")
	plan := quickly()
	plan.Seeds, plan.Layouts, plan.Script = 2, 2, true
	plan.Contexts, plan.Adaptations = experiment.ContextKinds, 12
	if _, err := Run(t.Context(), dir, plan, experiment.Host{Workers: 1}, progress.Silent()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	bytes, err := Pack(dir, to)
	if err != nil || bytes < 10_000 {
		t.Fatalf("%d bytes, %v", bytes, err)
	}
	whole := adapted(t, filepath.Join(dir, "runs", "tcl-pearl-seed1"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if c, err := Check(t.Context(), to, true, progress.Silent()); err != nil || len(c.Differences) > 0 ||
		c.Numbers < 1500 {
		t.Fatalf("%d numbers, %v, %v", c.Numbers, c.Differences, err)
	}
	r, err := Open(to)
	if err != nil || r.Arms[2].Seeds[1].Run != "runs/tcl-pearl-seed2" || r.Session.Go == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if rows := len(r.Centroids); rows != 3*len(Spaces) {
		t.Errorf("%d rows, want three for each of %v", rows, Spaces)
	}
	// The packed weights are of an agent that acts as it did; of the networks that it learnt with nothing is there, and
	// the second seed's stay behind.
	if got := adapted(t, filepath.Join(to, r.Arms[2].Seeds[0].Run)); !reflect.DeepEqual(got, whole) {
		t.Errorf("the packed agent returns %v, the one that was trained %v", got, whole)
	}
	file, err := safetensors.Load(filepath.Join(to, r.Arms[2].Seeds[0].Run, experiment.WeightsFile))
	if err != nil || file.Metadata["left_out"] != "encoder_key q1 q2 v v_target" {
		t.Errorf("packed weights are without %q; %v", file.Metadata["left_out"], err)
	}
	if exists(filepath.Join(to, r.Arms[1].Seeds[1].Run, experiment.WeightsFile)) {
		t.Error("the second seed's weights are packed")
	}
	if _, err := Pack(to, to); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("packing into a folder that is in use: %v", err)
	}

	r.Centroids[0].Ratio.All[1] *= 1 + 1e-15
	r.Arms[0].Seeds[1].Embedding.Latent.Accuracy += 1e-9
	r.Arms[1].Seeds[0].Script.Plane.Ratio++
	r.Arms[1].Seeds[0].Adapted.Summary.Adapted.Mean++
	r.Arms[0].Seeds[0].EnvSteps++
	r.Arms[0].Seeds[0].Crossed[0].Latent.Accuracy++
	r.Verdicts[0] = "TCL-PEARL is better."
	r.Contexts[2].Figures["knn_accuracy"] = stats.Interval{Mean: 1, Lo: 1, Hi: 1, Level: 0.95, N: 2}
	r.Attribution[0].Windows.Mean++
	if err := atomicfile.WriteJSON(filepath.Join(to, ResultsFile), r); err != nil {
		t.Fatal(err)
	}
	plane := filepath.Join(to, "runs", "pearl-seed2", LayoutFile)
	e, err := tsne.Load(plane, "")
	if err != nil {
		t.Fatal(err)
	}
	e.Mean.Data[7] += 1e-12
	if err := e.Save(plane); err != nil {
		t.Fatal(err)
	}
	c, err := Check(t.Context(), to, false, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	var where []string
	for _, d := range c.Differences {
		where = append(where, strings.TrimSuffix(strings.Fields(d)[0], ":"))
	}
	want := []string{
		"runs/pearl-seed2/layout.npz", "/arms/0/seeds/0/crossed/0/latent/held_out_accuracy",
		"/arms/0/seeds/0/env_steps", "/arms/0/seeds/1/embedding/latent/held_out_accuracy",
		"/arms/1/seeds/0/adapted/summary/adapted/mean", "/arms/1/seeds/0/script_embedding/plane/ratio",
		"/attribution/0/windows/mean", "/centroids/0/ratio/seeds/1",
		"/contexts/2/figures/knn_accuracy/hi", "/contexts/2/figures/knn_accuracy/lo",
		"/contexts/2/figures/knn_accuracy/mean", "/verdicts/0",
	}
	if !reflect.DeepEqual(where, want) {
		t.Errorf("differences found in %q, want %q", where, want)
	}
}

// The aggregates of a suite come out again too, with the primary outcome first, and a changed one does not.
func TestSuiteChecks(t *testing.T) {
	heavy.Skip(t, "trains two studies")
	dir := t.TempDir()
	var plans []Plan
	for _, name := range []string{"one", "two"} {
		p := quickly()
		p.Name, p.Seeds, p.Layouts = name, 2, 0
		p.Contexts, p.Adaptations = experiment.ContextKinds[:2], 12
		plans = append(plans, p)
	}
	plans[1].Set = append(slices.Clone(plans[1].Set), "test_tasks=5")
	s, err := RunSuite(t.Context(), dir, Families, plans, experiment.Host{Workers: 2}, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if s.Aggregates[0].Score != primaryScore || s.Studies[0].Outcomes[0].Figure != shareFromBlind {
		t.Errorf("first aggregate %q, first outcome %+v", s.Aggregates[0].Score, s.Studies[0].Outcomes[0])
	}
	if c, err := Check(t.Context(), dir, false, progress.Silent()); err != nil || len(c.Differences) > 0 ||
		c.Numbers < 3000 {
		t.Fatalf("%d numbers, %v, %v", c.Numbers, c.Differences, err)
	}
	to := filepath.Join(t.TempDir(), "packed")
	if _, err := PackSuite(dir, to); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	dir = to
	again, err := RunSuite(t.Context(), dir, Families, plans, experiment.Host{Workers: 2}, progress.Silent())
	if err != nil || !reflect.DeepEqual(again.Studies[1].Arms[2].Seeds[1].Adapted,
		s.Studies[1].Arms[2].Seeds[1].Adapted) {
		t.Errorf("going on from what is packed: %v, or other figures", err)
	}
	file, err := openSuite(dir)
	if err != nil {
		t.Fatal(err)
	}
	file.Aggregates[0].Arms[1].InterquartileMean.Mean++
	two, err := Open(filepath.Join(dir, "two"))
	if err != nil {
		t.Fatal(err)
	}
	two.Outcomes[0].Seeds[0]++
	for name, v := range map[string]any{ResultsFile: file, "two/" + ResultsFile: two} {
		if err := atomicfile.WriteJSON(filepath.Join(dir, name), v); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Check(t.Context(), dir, false, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	var where []string
	for _, d := range c.Differences {
		where = append(where, strings.Fields(d)[0])
	}
	slices.Sort(where)
	if want := []string{"/aggregates/0/arms/1/interquartile_mean/mean", "two/outcomes/0/seeds/0"}; !reflect.DeepEqual(
		where, want) {
		t.Errorf("differences found in %q, want %q", where, want)
	}
}

// The primary outcome divides what the agent returns more than the goal-blind controller on the test tasks by what the
// goal is worth on all; where that is next to nothing the family is unsuitable and has none.
func TestPrimaryOutcome(t *testing.T) {
	of := func(returns ...float64) protocol.Result {
		r := protocol.Result{Protocol: protocol.Protocol{Scored: 1},
			Summary: protocol.Summary{Adapted: stats.Interval{Mean: stats.Mean(returns)}}}
		for _, v := range returns {
			r.Tasks = append(r.Tasks, protocol.TaskResult{Return: [][]float64{{v}}})
		}
		return r
	}
	blind, goal := of(10, 20), of(20, 60)
	b := Baseline{1, experiment.Baselines{Random: of(0, 0), Blind: &blind, Goal: &goal}, []float64{10, 40, 10, 40}}
	if s := b.shareOfTasks(of(15, 30)); s.Value != .3 || slices.Max(s.Replicates) != 1 ||
		slices.Min(s.Replicates) != .125 {
		t.Errorf("share %v, replicates from %v to %v; want 0.3, from 5/40 to 10/10", s.Value, slices.Min(s.Replicates),
			slices.Max(s.Replicates))
	}
	s := SeedResult{Adapted: of(15, 30)}
	if err := s.place(&b); err != nil || *s.ShareFromBlind != .3 || *s.Share != .5625 {
		t.Errorf("%v of the way from blind, %v from random, %v", s.ShareFromBlind, s.Share, err)
	}
	b.GoalWorth = []float64{0, 20}
	if s := b.shareOfTasks(of(15, 20)); s.Value != .25 || slices.Max(s.Replicates) != .5 {
		t.Errorf("with a task that both controllers do alike: %v, at most %v", s.Value, slices.Max(s.Replicates))
	}
	b.GoalWorth = []float64{20, -20}
	if err := s.place(&b); err != nil || s.ShareFromBlind != nil {
		t.Errorf("where the goal is worth nothing: %v, %v", s.ShareFromBlind, err)
	}
	for blind, want := range map[float64]bool{0: false, 89: false, 91: true, 120: true} {
		b, g := of(blind), of(100)
		r := &Result{Baselines: []Baseline{{1, experiment.Baselines{Random: of(0), Blind: &b, Goal: &g},
			[]float64{100 - blind}}}}
		if r.Unsuitable() != want || r.hasShare() == want {
			t.Errorf("between 0 and 100 a goal-blind controller at %v: unsuitable %v", blind, r.Unsuitable())
		}
	}
	if r := (&Result{Baselines: []Baseline{{Seed: 1}}}); r.Unsuitable() || r.hasShare() {
		t.Error("without controllers a family is neither suitable nor unsuitable")
	}
}

// What is shipped with the notebooks agrees with itself. Planes take long, so only each arm's first run is laid out
// again; nacre study check lays out all of them.
func TestShippedStudiesCheck(t *testing.T) {
	heavy.Skip(t, "lays out the planes of every run again")
	found, err := filepath.Glob(filepath.Join("..", "..", "notebooks", "data", "*.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 3 {
		t.Fatalf("%d studies found, want three at least", len(found))
	}
	for _, path := range found {
		var kind struct {
			Arms json.RawMessage `json:"arms"`
		}
		data, err := plainfile.Read(filepath.Join(path, ResultsFile), 1<<26)
		if err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(data, &kind) != nil || kind.Arms == nil {
			continue
		}
		c, err := check(t.Context(), path, false, 1, progress.Silent())
		if err != nil || len(c.Differences) > 0 {
			t.Errorf("%s: %v, %v", path, err, c.Differences)
		}
	}
}

// Readings of an open point share the runs of the study and report beside it.
func TestAblation(t *testing.T) {
	heavy.Skip(t, "trains a study")
	dir := filepath.Join(t.TempDir(), "study")
	host := experiment.Host{Workers: 1}
	plan := quickly()
	plan.Ablation = "window"
	r, err := Run(t.Context(), dir, plan, host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, a := range r.Arms {
		titles = append(titles, a.Title)
	}
	if want := []string{"TCL-PEARL", "TCL-PEARL, windows of 2", "TCL-PEARL, windows of 8"}; !reflect.DeepEqual(titles,
		want) {
		t.Errorf("arms %q, want %q", titles, want)
	}
	if r.Window != 4 || r.Dir != filepath.Join(dir, "ablations", "window") || len(r.Chance) != 2 {
		t.Errorf("windows of %d, in %s, %d comparisons", r.Window, r.Dir, len(r.Chance))
	}
	for name, want := range map[string]int{"tcl-pearl": 4, "tcl-pearl-window-2": 2, "tcl-pearl-window-8": 8} {
		a, err := experiment.LoadAgent(filepath.Join(dir, "runs", name+"-seed1"), host)
		if err != nil {
			t.Fatal(err)
		}
		if contrast.Of(a.Config).Window != want {
			t.Errorf("%s: trained on windows of %d, want %d", name, contrast.Of(a.Config).Window, want)
		}
		a.Close()
	}
	to := filepath.Join(t.TempDir(), "packed")
	if _, err := Pack(r.Dir, to); err != nil {
		t.Fatal(err)
	}
	if c, err := Check(t.Context(), to, true, progress.Silent()); err != nil || len(c.Differences) > 0 {
		t.Errorf("%v, %v", c.Differences, err)
	}
	// The study shares a run with its ablation, but embeds its windows by other encoders.
	plan.Ablation = ""
	if s, err := Run(t.Context(), dir, plan, host, progress.Silent()); err != nil || len(r.Crossed) != 9 ||
		len(s.Crossed) != 9 {
		t.Errorf("%d and %d rows of crossed windows, want 9 and 9: %v", len(r.Crossed), len(s.Crossed), err)
	}
	plan.Ablation = "windows"
	if _, err := Run(t.Context(), dir, plan, host, progress.Silent()); err == nil ||
		!strings.Contains(err.Error(), `did you mean "window"?`) {
		t.Errorf("misspelt: %v", err)
	}
}

// Every reading of every open point is a configuration, and another than the plan's own.
func TestAblationsAreConfigurations(t *testing.T) {
	for _, scale := range Scales {
		plan, err := Find("push")
		if err != nil {
			t.Fatal(err)
		}
		if plan, err = plan.At(scale); err != nil || plan.Scale != scale {
			t.Fatalf("%+v, %v", plan, err)
		}
		for _, line := range Ablations() {
			plan.Ablation = line.Name
			arms, err := plan.arms()
			if err != nil || len(arms) < 2 || line.About == "" {
				t.Fatalf("%s: %d arms, %v", line.Name, len(arms), err)
			}
			r := &runner{plan: plan}
			base, err := r.config(arms[0], 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, arm := range arms[1:] {
				cfg, err := r.config(arm, 1)
				if err != nil {
					t.Fatal(err)
				}
				if same, err := base.Equal(cfg); err != nil || same {
					t.Errorf("%s: %s is the plan's own configuration, %v", line.Name, arm.Name, err)
				}
			}
		}
	}
	if _, err := plans[0].At("paper"); err == nil || !strings.Contains(err.Error(), "one scale only") {
		t.Errorf("the point robot at the paper's scale: %v", err)
	}
	if _, err := plans[2].At("huge"); err == nil || !strings.Contains(err.Error(), "small or paper") {
		t.Errorf("another scale: %v", err)
	}
}

// The study of Meta-World push from training to report, in miniature.
func TestPush(t *testing.T) {
	heavy.Skip(t, "the simulator takes a minute")
	if _, err := sim.Lookup("ml1/push"); errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	}
	plan, err := Find("push")
	if err != nil {
		t.Fatal(err)
	}
	plan.Seeds, plan.Repeats, plan.Windows, plan.Adaptations, plan.Layouts = 1, 1, 12, 12, 0
	plan.Set = []string{"train_tasks=2", "test_tasks=2", "pearl.hidden=8", "pearl.encoder_hidden=8",
		"pearl.meta_batch=2", "pearl.batch=8",
		"pearl.initial_steps=200", "pearl.tasks_per_iteration=1", "pearl.updates_per_iteration=2", "pearl.iterations=1",
		"evaluation.protocol.explore=1"}
	dir := filepath.Join(t.TempDir(), "push")
	r, err := Run(t.Context(), dir, plan, experiment.Host{}, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if r.Window != 64 || r.Arms[0].Seeds[0].Tasks[0] != "task 0 (-0.075, 0.825)" {
		t.Errorf("windows of %d, tasks %v", r.Window, r.Arms[0].Seeds[0].Tasks)
	}
	report, err := os.ReadFile(filepath.Join(dir, ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tsne-script.png", "published.png", "26,360", "4,560", "RL2, authors' log, run 2",
		"Every rollout starts somewhere else"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, name := range pictures {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
