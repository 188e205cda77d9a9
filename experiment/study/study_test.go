package study

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/heavy"
	"nacre/internal/safetensors"
	"nacre/rl/protocol"
	"nacre/tsne"
)

func TestFind(t *testing.T) {
	if _, err := Find("point-gaol"); err == nil || !strings.Contains(err.Error(), `did you mean "point-goal"?`) {
		t.Errorf("misspelt: %v", err)
	}
	names := map[string]bool{}
	for _, l := range List() {
		names[l.Name] = true
		if l.About == "" {
			t.Errorf("%s has no description", l.Name)
		}
	}
	if !names[Quickstart] || !names["point-goal"] || !names["cheetah-vel"] {
		t.Errorf("studies %v", names)
	}
}

// A verdict claims a difference only where the seeds' ranges do not touch.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want string
	}{
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, "Larger than the spread over seeds: every seed of TCL-PEARL lies " +
			"above every seed of PEARL. Arms that do not differ lie apart like that with probability 0.1."},
		{[]float64{1, 2}, []float64{4, 5}, "with probability 0.33."},
		{[]float64{4, 5, 6}, []float64{1, 2, 3}, "every seed of PEARL lies above every seed of TCL-PEARL"},
		{[]float64{1, 2, 4.5}, []float64{4, 5, 6}, "Not larger than the spread over seeds"},
		{[]float64{1, 2}, []float64{2, 3}, "Not larger than the spread over seeds"},
		{[]float64{1}, []float64{1000}, "Return: TCL-PEARL 1e+03, PEARL 1."},
	} {
		got := verdict("return", "PEARL", "TCL-PEARL", SpreadOf(c.a), SpreadOf(c.b))
		if !strings.HasPrefix(got, "Return: ") || !strings.Contains(got, c.want) {
			t.Errorf("%v against %v: %s", c.a, c.b, got)
		}
	}
	if got := verdict("return", "PEARL", "TCL-PEARL", SpreadOf([]float64{1}), SpreadOf([]float64{9})); strings.Contains(
		got, "spread") {
		t.Errorf("one seed each: %s", got)
	}
	got := verdict("ratio", "PEARL", "TCL-PEARL", SpreadOf([]float64{1, 3}), SpreadOf([]float64{0.5, 0.7}))
	if want := "Ratio: PEARL 2 (1 to 3), TCL-PEARL 0.6 (0.5 to 0.7). "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q first", got, want)
	}
}

// returns makes a seed's evaluation from returns by task; every task has one repeat of one trajectory.
func returns(params []float64, values []float64) SeedResult {
	r := protocol.Result{Protocol: protocol.Protocol{Scored: 1, Repeats: 1}}
	for i, v := range values {
		r.Tasks = append(r.Tasks, protocol.TaskResult{ID: i, Params: []float64{params[i]}, Return: [][]float64{{v}}})
	}
	return SeedResult{Adapted: r}
}

// Seeds with the same tasks are crossed with them: where returns depend on the task only, the interval is that of a
// bootstrap over the tasks, with a standard error of sd/√tasks however many seeds there are. Were the tasks taken for
// independent ones, it would be √seeds narrower.
func TestIntervalKnowsSharedTasks(t *testing.T) {
	const tasks, seeds = 40, 9
	var params, values []float64
	square := 0.0
	for i := range tasks {
		v := float64(i) - (tasks-1)/2.0
		params, values, square = append(params, float64(i)), append(values, v), square+v*v
	}
	shared := ArmResult{Arm: armOf("pearl")}
	own := ArmResult{Arm: armOf("pearl")}
	for s := range seeds {
		shared.Seeds = append(shared.Seeds, returns(params, values))
		other := make([]float64, tasks)
		for i := range other {
			other[i] = params[i] + 1000*float64(s)
		}
		own.Seeds = append(own.Seeds, returns(other, values))
	}
	standardError := math.Sqrt(square/tasks) / math.Sqrt(tasks)
	for _, c := range []struct {
		arm  ArmResult
		want float64
	}{{shared, 2 * 1.96 * standardError}, {own, 2 * 1.96 * standardError / math.Sqrt(seeds)}} {
		curve, err := c.arm.curve()
		if err != nil {
			t.Fatal(err)
		}
		if width := curve[0].Hi - curve[0].Lo; math.Abs(width/c.want-1) > 0.06 || math.Abs(curve[0].Mean) > 1e-12 {
			t.Errorf("mean %v, width %v, want 0 and %v", curve[0].Mean, width, c.want)
		}
		adapted, err := c.arm.adapted()
		if err != nil || adapted != curve[0] {
			t.Errorf("the only trajectory is the scored one: %v and %v, %v", adapted, curve[0], err)
		}
	}
}

func TestByTask(t *testing.T) {
	r := protocol.Result{Tasks: []protocol.TaskResult{{Return: [][]float64{{1, 2}, {3, 6}}},
		{Return: [][]float64{{5, 5}, {5, 9}}}}}
	if got := byTask(r, 1); !reflect.DeepEqual(got, []float64{4, 7}) {
		t.Errorf("%v", got)
	}
}

// quickly is a plan that takes a second.
func quickly(more ...string) Plan {
	return Plan{Name: "test", Preset: "quick/point-goal", Seeds: 1, Repeats: 1, Tasks: 8, Windows: 12,
		Set: append([]string{
			"train_tasks=4", "test_tasks=2", "pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=4",
			"pearl.batch=8",
			"pearl.context=4", "tcl.window=4", "pearl.initial_steps=20", "pearl.prior_steps=20",
			"pearl.extra_posterior_steps=20",
			"pearl.tasks_per_iteration=2", "pearl.updates_per_iteration=5", "pearl.iterations=2",
		}, more...)}
}

// A study that is run again finds its runs, gives the same figures with what it kept of them and without, and refuses
// runs of another configuration.
func TestRunAgain(t *testing.T) {
	heavy.Skip(t, "trains a study again")
	dir := filepath.Join(t.TempDir(), "study")
	host := experiment.Host{Workers: 1}
	first, err := Run(t.Context(), dir, quickly(), host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, filepath.FromSlash(first.Arms[1].Seeds[0].Run))
	checkpoint := filepath.Join(folder, experiment.CheckpointFile)
	before, err := os.Stat(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Run(t.Context(), dir, quickly(), host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(inJSON(t, kept.Arms), inJSON(t, first.Arms)) ||
		!reflect.DeepEqual(kept.Centroids, first.Centroids) {
		t.Error("what was kept are other figures")
	}
	if err := os.Remove(filepath.Join(folder, keptFile)); err != nil {
		t.Fatal(err)
	}
	again, err := Run(t.Context(), dir, quickly(), experiment.Host{Workers: 2}, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(checkpoint); err != nil || !os.SameFile(before, after) {
		t.Errorf("the run was trained again: %v", err)
	}
	if !reflect.DeepEqual(first.Centroids, again.Centroids) || !reflect.DeepEqual(first.Arms[1].Seeds[0].Adapted,
		again.Arms[1].Seeds[0].Adapted) {
		t.Error("the same study gave other figures")
	}
	if s := first.Arms[0].Seeds[0]; s.EnvSteps < 120 || s.Updates != 10 || !(s.Seconds > 0) || s.Share == nil {
		t.Errorf("%+v", s)
	}
	_, err = Run(t.Context(), dir, quickly("pearl.latent=3"), host, progress.Silent())
	if err == nil || !strings.Contains(err.Error(), "made with another configuration") {
		t.Errorf("another configuration: %v", err)
	}
}

// Runs that a sweep has trained have the figures of those that the study trains itself and need no checkpoint; one that
// the sweep has not trained to its end is left to it.
func TestRunsOfASweep(t *testing.T) {
	heavy.Skip(t, "trains a study")
	own, host := filepath.Join(t.TempDir(), "study"), experiment.Host{Workers: 2}
	want, err := Run(t.Context(), own, quickly(), host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	plan := sweep.Plan{
		Name: "trained", Out: filepath.Join(t.TempDir(), "trained"), Families: []string{want.Family},
		Seeds:  []uint64{1},
		Preset: quickly().Preset, Set: quickly().Set,
		Systems: []sweep.System{{Algorithm: "pearl"}, {Algorithm: "tcl-pearl"}},
	}
	folder, err := sweep.Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range folder.Runs {
		if err := sweep.Work(t.Context(), folder.Dir, []string{r.Name}, host, progress.Silent()); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(folder.RunDir(r), experiment.CheckpointFile)); err != nil {
			t.Fatal(err)
		}
	}
	p := quickly()
	p.Sweeps = []string{filepath.Join(t.TempDir(), "nothing"), folder.Dir}
	dir := filepath.Join(t.TempDir(), "study")
	got, err := Run(t.Context(), dir, p, host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Centroids, want.Centroids) || !reflect.DeepEqual(got.Outcomes, want.Outcomes) {
		t.Error("runs of a sweep have other figures")
	}
	if runs, _ := filepath.Glob(filepath.Join(dir, "runs", "*", experiment.CheckpointFile)); len(runs) != 1 ||
		filepath.Base(filepath.Dir(runs[0])) != "pearl-windows-seed1" {
		t.Errorf("the study trained %q; the sweep had all but PEARL on windows", runs)
	}
	begun := folder.Runs[0]
	if err := os.Remove(filepath.Join(folder.RunDir(begun), experiment.EvaluationFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "study"), p, host, progress.Silent()); err == nil ||
		!strings.Contains(err.Error(), begun.Name+" is not trained to its end") {
		t.Errorf("a run that the sweep has begun: %v", err)
	}
	packed := filepath.Join(t.TempDir(), "packed")
	if _, err := Pack(dir, packed); err != nil {
		t.Fatal(err)
	}
	if c, err := Check(t.Context(), packed, false, progress.Silent()); err != nil || len(c.Differences) > 0 {
		t.Errorf("%v, %v", c.Differences, err)
	}
}

// An encoder that gives every context the same posterior is a finding: the study goes on, with figures of 0 and chance.
func TestCollapsedEncoder(t *testing.T) {
	heavy.Skip(t, "trains a study and measures it in every way")
	dir, plan := filepath.Join(t.TempDir(), "study"), quickly()
	plan.Contexts, plan.Adaptations, plan.Layouts, plan.Script = experiment.ContextKinds, 12, 2, true
	r, err := Run(t.Context(), dir, plan, experiment.Host{Workers: 2}, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, filepath.FromSlash(r.Arms[1].Seeds[0].Run))
	weights := filepath.Join(folder, experiment.WeightsFile)
	f, err := safetensors.Load(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range f.Tensors {
		if strings.HasPrefix(tensor.Name, "encoder/w") {
			clear(tensor.Data32)
			clear(tensor.Data64)
		}
	}
	if err := safetensors.Save(weights, f.Tensors, f.Metadata); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, keptFile)); err != nil {
		t.Fatal(err)
	}
	if r, err = Run(t.Context(), dir, plan, experiment.Host{Workers: 2}, progress.Silent()); err != nil {
		t.Fatal(err)
	}
	for a, arm := range r.Arms {
		s := arm.Seeds[0]
		collapsed := a == 1
		for _, c := range s.Contexts {
			if (c.Latent.RMS == 0) != collapsed || (c.Plane.RMS == 0) != collapsed ||
				collapsed && (c.Latent.Ratio != 0 || c.Latent.Accuracy != 0.125) {
				t.Errorf("%s, %s: %+v", arm.Name, c.Context, c)
			}
		}
		for _, report := range s.layouts() {
			if (report.Plane.RMS == 0) != collapsed {
				t.Errorf("%s: %+v", arm.Name, report)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(page); strings.Contains(text, "NaN") ||
		strings.Count(text, "PEARL on windows, seed 1: posterior means lie 0 from") != len(experiment.ContextKinds) {
		t.Errorf("the report:\n%s", text)
	}
	packed := filepath.Join(t.TempDir(), "packed")
	if _, err := Pack(dir, packed); err != nil {
		t.Fatal(err)
	}
	if c, err := Check(t.Context(), packed, true, progress.Silent()); err != nil || len(c.Differences) > 0 {
		t.Errorf("%v, %v", c.Differences, err)
	}
}

// The windows of one arm by the encoder of the other are the very windows, and its very encoder.
func TestCrossed(t *testing.T) {
	heavy.Skip(t, "trains a study")
	dir, host := filepath.Join(t.TempDir(), "study"), experiment.Host{Workers: 1}
	r, err := Run(t.Context(), dir, quickly(), host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	agents := map[string]*experiment.Agent{}
	for _, arm := range r.Arms {
		a, err := experiment.LoadAgent(filepath.Join(dir, arm.Seeds[0].Run), host)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		agents[arm.Name] = a
	}
	if len(r.Crossed) != 9 {
		t.Fatalf("%d rows, want 9: %+v", len(r.Crossed), r.Crossed)
	}
	seen := map[float64]bool{}
	for _, row := range r.Crossed {
		w, err := agents[row.Windows].Contexts(t.Context(), experiment.EmbedOptions{Tasks: 8, Windows: 12, Length: 4,
			Seed: 1}, experiment.WindowContext)
		if err != nil {
			t.Fatal(err)
		}
		e, err := agents[row.Encoder].EmbedContexts(w[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := tsne.Separation(e, tsne.AnalyseOptions{TSNE: []tsne.Option{tsne.WithSeed(1)}})
		if err != nil {
			t.Fatal(err)
		}
		// studies keep 32 bits
		if math.Abs(row.Ratio.Mean-want.Ratio) > 1e-5*want.Ratio || row.Accuracy.Mean != want.Accuracy {
			t.Errorf("windows of %s by the encoder of %s: %v and %v, want %v and %v", row.Windows, row.Encoder,
				row.Ratio, row.Accuracy, want.Ratio, want.Accuracy)
		}
		seen[row.Ratio.Mean] = true
	}
	if len(seen) != 9 {
		t.Errorf("rows are equal: %+v", r.Crossed)
	}
}

// A study goes on after an interruption, and with runs side by side gives the figures of one after the other.
func TestInterruptedStudyContinues(t *testing.T) {
	heavy.Skip(t, "trains a study several times")
	var results []*Result
	for workers := 1; workers <= 2; workers++ {
		dir, host := filepath.Join(t.TempDir(), "study"), experiment.Host{Workers: workers}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Run(ctx, dir, quickly(), host, progress.Silent()); err == nil ||
			!strings.Contains(err.Error(), "pearl, seed 1") {
			t.Errorf("cancelled: %v", err)
		}
		r, err := Run(t.Context(), dir, quickly(), host, progress.Silent())
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	for i := range results[0].Arms {
		a, b := results[0].Arms[i].Seeds[0], results[1].Arms[i].Seeds[0]
		if !reflect.DeepEqual(a.Adapted, b.Adapted) || !reflect.DeepEqual(a.Embedding, b.Embedding) {
			t.Errorf("%s: other figures side by side", results[0].Arms[i].Name)
		}
	}
}
