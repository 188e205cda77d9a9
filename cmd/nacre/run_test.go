package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/cmd/nacre/app"
	"nacre/core/cuda"
	"nacre/experiment"
	"nacre/experiment/study"
	"nacre/internal/heavy"
	"nacre/tsne"
)

// The tests of this file run the real commands on the smallest run that has everything: several iterations, both
// buffers, evaluations, checkpoints.

var tiny = []string{
	"train_tasks=6", "test_tasks=4", "evaluation.every=2", "pearl.hidden=16", "pearl.encoder_hidden=16",
	"pearl.meta_batch=4", "pearl.batch=16", "pearl.context=8", "pearl.initial_steps=40",
	"pearl.prior_steps=40", "pearl.extra_posterior_steps=20", "pearl.tasks_per_iteration=3",
	"pearl.updates_per_iteration=40", "pearl.iterations=8",
}

// set puts --set before every assignment.
func set(assignments ...string) []string {
	var out []string
	for _, a := range assignments {
		out = append(out, "--set", a)
	}
	return out
}

func trainArgs(dir string, more ...string) []string {
	args := append([]string{"train", "--preset", "quick/point-goal", "--seed", "3", "--out", dir}, set(tiny...)...)
	if !slices.Contains(more, "pearl") {
		args = append(args, "--set", "tcl.window=8")
	}
	return append(args, more...)
}

// nacre runs a command line in this process.
func nacre(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(ctx, args, &out, &err)
	return status, out.String(), err.String()
}

// must runs a command line that has to succeed and returns what it printed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := nacre(t.Context(), args...)
	if status != 0 {
		t.Fatalf("nacre %s: status %d: %s", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// TestMain lets the test binary be nacre, so that a process of its own can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("NACRE_TEST_PROCESS") != "" {
		main()
	}
	os.Exit(m.Run())
}

// separate is nacre as a process of its own.
func separate(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NACRE_TEST_PROCESS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

func contents(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sameRun compares everything a run computed, byte by byte.
func sameRun(t *testing.T, what, got, want string) {
	t.Helper()
	for _, name := range []string{experiment.MetricsFile, experiment.WeightsFile, experiment.EvaluationFile,
		experiment.TasksFile} {
		if contents(t, got, name) != contents(t, want, name) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// Killed with SIGKILL again and again at random moments and resumed, a run ends with the bytes of one left alone.
func TestKilledRunEndsTheSame(t *testing.T) {
	t.Run("tcl-pearl", func(t *testing.T) { testKilled(t, func(dir string) []string { return trainArgs(dir) }) })
	for name, args := range map[string]func(dir string) []string{"maml": mamlArgs, "rl2": rl2Args, "mql": mqlArgs} {
		t.Run(name, func(t *testing.T) {
			heavy.Skip(t, "trains again after every kill")
			testKilled(t, args)
		})
	}
}

// rl2Args and mqlArgs train those for some iterations.
func rl2Args(dir string) []string {
	return append([]string{"train", "--preset", "quick/point-goal-rl2", "--seed", "3", "--out", dir},
		set("rl2.hidden=16", "rl2.meta_batch=4", "rl2.iterations=12", "evaluation.every=4")...)
}

func mqlArgs(dir string) []string {
	return append([]string{"train", "--preset", "quick/point-goal-mql", "--seed", "3", "--out", dir},
		set("mql.hidden=16", "mql.batch=32", "mql.history=4", "mql.updates_per_iteration=20", "mql.iterations=8",
			"evaluation.every=3", "test_tasks=3")...)
}

// mamlArgs trains MAML for some iterations.
func mamlArgs(dir string) []string {
	return append([]string{"train", "--preset", "quick/point-goal-maml", "--seed", "3", "--out", dir},
		set("maml.hidden=16", "maml.meta_batch=4", "maml.episodes=5", "maml.iterations=12", "maml.value=mlp",
			"evaluation.every=4")...)
}

func testKilled(t *testing.T, train func(dir string) []string) {
	parent := t.TempDir()
	whole, broken := filepath.Join(parent, "whole"), filepath.Join(parent, "broken")
	started := time.Now()
	must(t, train(whole)...)
	alone := time.Since(started)
	kills, args := 0, train(broken)
	for done := false; !done; {
		cmd, stderr := separate(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 4 {
			delay := time.Duration(rand.Int64N(int64(alone)))
			timer := time.AfterFunc(delay, func() { cmd.Process.Kill() })
			defer timer.Stop()
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		switch {
		case err == nil:
			done = true
		case errors.As(err, &exit) && !exit.Exited():
			kills++
		default:
			t.Fatalf("after %d kills: %v: %s", kills, err, stderr)
		}
		if _, err := os.Stat(filepath.Join(broken, experiment.ConfigFile)); err == nil {
			args = []string{"resume", broken}
		}
	}
	t.Logf("%d kills", kills)
	sameRun(t, "after kills", broken, whole)
}

// The first interrupt saves a checkpoint in the middle of an iteration and says how to go on; resuming ends like a
// run left alone.
func TestInterruptedRunEndsTheSame(t *testing.T) {
	parent := t.TempDir()
	whole, broken := filepath.Join(parent, "whole"), filepath.Join(parent, "broken")
	must(t, trainArgs(whole, "--algorithm", "pearl")...)
	interrupt(t, broken, "--algorithm", "pearl")
	out := must(t, "resume", broken)
	if !strings.Contains(out, "pearl on point-goal, seed 3") || !strings.Contains(out, broken) {
		t.Errorf("resume printed %q", out)
	}
	sameRun(t, "after an interrupt", broken, whole)
	again := contents(t, broken, experiment.WeightsFile)
	must(t, "resume", broken)
	if contents(t, broken, experiment.WeightsFile) != again {
		t.Error("resuming a finished run changed it")
	}
}

// interrupt trains in dir and interrupts it after its first checkpoint.
func interrupt(t *testing.T, dir string, more ...string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, experiment.CheckpointFile)); err == nil {
				cancel(app.ErrInterrupted)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	status, _, stderr := nacre(ctx, trainArgs(dir, more...)...)
	want := "checkpoint saved; continue with: nacre resume " + dir
	if status != exitInterrupted || !strings.Contains(stderr, "nacre: interrupted after") ||
		!strings.Contains(stderr, want) {
		t.Fatalf("interrupted: status %d, %q", status, stderr)
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	parent := t.TempDir()
	one, two := filepath.Join(parent, "1"), filepath.Join(parent, "2")
	must(t, trainArgs(one, "--workers", "1")...)
	must(t, trainArgs(two, "--workers", "2")...)
	sameRun(t, "two workers", two, one)
	heavy.Skip(t, "six more trainings, of the other algorithms")

	one, two = filepath.Join(parent, "maml 1"), filepath.Join(parent, "maml 2")
	must(t, append(mamlArgs(one), "--workers", "1")...)
	must(t, append(mamlArgs(two), "--workers", "2")...)
	sameRun(t, "maml with two workers", two, one)

	for name, args := range map[string]func(string) []string{"rl2": rl2Args, "mql": mqlArgs} {
		one, two = filepath.Join(parent, name+" 1"), filepath.Join(parent, name+" 2")
		must(t, append(args(one), "--workers", "1")...)
		must(t, append(args(two), "--workers", "2")...)
		sameRun(t, name+" with two workers", two, one)
		// An evaluation of the finished run, from its folder alone, is the run's own.
		var again app.EvalReport
		decode(t, must(t, "eval", one, "--json", "--seed", "3"), &again)
		run, err := experiment.View(one)
		if err != nil {
			t.Fatal(err)
		}
		own, err := run.ReadEvaluation()
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(again.Agent.Tasks), fmt.Sprint(own.Tasks); a != b {
			t.Errorf("%s: evaluated again:\n%s\n%s", name, a, b)
		}
	}
}

// A run made before some settings were added is read, evaluated and resumed: those it lacks have their defaults and no
// say in its fingerprint.
func TestRunsWithoutLaterSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	interrupt(t, dir, "--algorithm", "pearl")
	text := contents(t, dir, experiment.ConfigFile)
	for _, line := range []string{"env_steps = 0\n", "pre_tanh_reg = 0.0\n"} {
		if !strings.Contains(text, line) {
			t.Fatalf("no %q in %s", line, text)
		}
		text = strings.Replace(text, line, "", 1)
	}
	if err := os.WriteFile(filepath.Join(dir, experiment.ConfigFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	must(t, "eval", dir)
	must(t, "resume", dir)
}

// config.toml of a run, given to another, makes the same run; layers lie over each other in the order of the help.
func TestConfigurationLayers(t *testing.T) {
	parent := t.TempDir()
	first, second := filepath.Join(parent, "a"), filepath.Join(parent, "b")
	must(t, trainArgs(first, "--set", "pearl.iterations=2")...)
	must(t, "train", "--config", filepath.Join(first, experiment.ConfigFile), "--out", second)
	sameRun(t, "the same configuration", second, first)

	third := filepath.Join(parent, "c")
	must(t, "train", "--preset", "oyster/cheetah-vel", "--config", filepath.Join(first, experiment.ConfigFile),
		"--algorithm", "pearl",
		"--set", "pearl.iterations=1", "--seed", "7", "--out", third)
	text := contents(t, third, experiment.ConfigFile)
	for _, want := range []string{"algorithm = 'pearl'", "family = 'point-goal'", "seed = 7", "iterations = 1",
		"hidden = 16"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("config.toml lacks %q", want)
		}
	}
}

// A run made when configurations held the tables of all algorithms is evaluated as one without those it does not read.
func TestEvaluateAnOlderRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../experiment/testdata/db218f0/tcl-pearl")); err != nil {
		t.Fatal(err)
	}
	want := must(t, "eval", dir, "--json")
	text := contents(t, dir, experiment.ConfigFile)
	from, to := strings.Index(text, "# used by oracle"), strings.Index(text, "# What ran this configuration")
	if from < 0 || to < from {
		t.Fatalf("no tables of other algorithms in %s", text)
	}
	if err := os.WriteFile(filepath.Join(dir, experiment.ConfigFile), []byte(text[:from]+text[to:]),
		0o644); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "eval", dir, "--json"); got != want {
		t.Errorf("evaluated as %s, with the tables as %s", got, want)
	}
}

// Everything that is done with finished runs.
func TestCommandsOnRuns(t *testing.T) {
	parent := t.TempDir()
	pearl, tcl := filepath.Join(parent, "pearl"), filepath.Join(parent, "tcl")
	must(t, trainArgs(pearl, "--algorithm", "pearl")...)
	must(t, trainArgs(tcl)...)

	var eval app.EvalReport
	decode(t, must(t, "eval", tcl, "--repeats", "3", "--explore", "1", "--json"), &eval)
	if len(eval.Agent.Summary.Return) != 2 || len(eval.Agent.Tasks) != 4 || len(eval.Agent.Tasks[0].Return) != 3 {
		t.Errorf("eval: %d trajectories, %d tasks", len(eval.Agent.Summary.Return), len(eval.Agent.Tasks))
	}
	adapted, random, goal := eval.Agent.Summary.Adapted, eval.Random.Summary.Adapted, eval.Goal.Summary.Adapted
	if !(adapted.Lo < adapted.Mean && adapted.Mean < adapted.Hi) || !(random.Mean < goal.Mean) {
		t.Errorf("eval: adapted %v, random %v, goal-knowing %v", adapted, random, goal)
	}
	foot := max(random.Mean, eval.Still.Summary.Adapted.Mean)
	if want := (adapted.Mean - foot) / (goal.Mean - foot); *eval.Share != want {
		t.Errorf("eval: share %v, want %v", *eval.Share, want)
	}
	text := must(t, "eval", tcl, "--train-tasks")
	if !strings.Contains(text, "6 tasks") || !strings.Contains(text, "goal-knowing") ||
		!strings.Contains(text, "of the way") {
		t.Errorf("eval printed %s", text)
	}

	csv := filepath.Join(parent, "tcl.csv")
	for kind, want := range map[string]string{
		"window": "2 windows of 8 transitions from", "rows": "2 contexts of 8 independent transitions from",
		"rollout":   "2 whole rollouts from",
		"meta-test": "2 explorations under", "adapted": "2 windows of 8 transitions after adaptation from",
	} {
		if text := must(t, "embed", tcl, "--context", kind, "--tasks", "2", "--windows", "2", "--length", "8", "--out",
			csv); !strings.HasPrefix(text, want) {
			t.Errorf("embed of %s printed %q, want %q first", kind, text, want)
		}
	}
	must(t, "embed", tcl, "--tasks", "3", "--windows", "10", "--out", csv)
	must(t, "embed", tcl, "--tasks", "3", "--windows", "10")
	must(t, "embed", pearl, "--tasks", "3", "--windows", "10")
	a, err := tsne.Load(csv, "label")
	if err != nil {
		t.Fatal(err)
	}
	b, err := tsne.Load(filepath.Join(tcl, app.EmbeddingsFile), "label")
	if err != nil {
		t.Fatal(err)
	}
	if a.Mean.Rows != 30 || a.Mean.Cols != 5 || b.Mean.Rows != 30 || a.Mean.Data[17] != b.Mean.Data[17] ||
		len(a.Std.Data) != 150 {
		t.Errorf("embed: csv %d×%d, npz %d rows", a.Mean.Rows, a.Mean.Cols, b.Mean.Rows)
	}

	figures := filepath.Join(parent, "figures")
	var planes app.TSNEReport
	decode(t, must(t, "tsne", pearl, tcl, "--perplexity", "8", "--repeats", "2", "--out", figures, "--json"), &planes)
	if len(planes.Planes) != 2 || planes.Planes[1].Name != "TCL-PEARL, seed 3" ||
		planes.Planes[0].Report.Points != 30 || planes.Planes[0].Report.Seeds.Layouts != 2 {
		t.Errorf("tsne: %+v", planes.Planes)
	}
	picture(t, filepath.Join(figures, "tsne.png"))
	var saved app.TSNEReport
	decode(t, contents(t, figures, "tsne.json"), &saved)
	if saved.Planes[0].Report.Plane.Ratio != planes.Planes[0].Report.Plane.Ratio ||
		!strings.Contains(contents(t, figures, "tsne.svg"), "<svg") {
		t.Error("tsne: saved figures differ from printed ones")
	}
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}

func picture(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if image, err := png.Decode(f); err != nil || image.Bounds().Dx() < 400 || image.Bounds().Dy() < 300 {
		t.Errorf("%s: %v, %v", path, err, image.Bounds())
	}
}

// The quickstart does every family of this build and finds its finished runs again.
func TestQuickstart(t *testing.T) {
	heavy.Skip(t, "trains and measures two studies")
	dir := filepath.Join(t.TempDir(), "out")
	args := append([]string{"study", "quickstart", "--windows", "12", "--layouts", "1", "--out", dir}, set(tiny...)...)
	args = append(args, "--set", "pearl.iterations=3")
	text := must(t, args...)
	if strings.Contains(text, "2.575") || !strings.Contains(text, "report: "+filepath.Join(dir, study.PageFile)) {
		t.Errorf("printed %s", text)
	}
	weights := contents(t, filepath.Join(dir, "point-goal", "runs", "pearl-seed1"), experiment.CheckpointFile)
	var suite study.Suite
	decode(t, must(t, append(args, "--json")...), &suite)
	if contents(t, filepath.Join(dir, "point-goal", "runs", "pearl-seed1"), experiment.CheckpointFile) != weights {
		t.Error("a finished run was trained again")
	}
	if len(suite.Studies)+len(suite.Missing) != 2 {
		t.Errorf("%d studies, missing %v", len(suite.Studies), suite.Missing)
	}
	report := contents(t, dir, study.ReportFile)
	for _, r := range suite.Studies {
		checkStudy(t, r)
		if !strings.Contains(report, "("+r.Family+"/tsne.png)") ||
			!strings.Contains(report, "("+r.Family+"/report.md)") {
			t.Errorf("%s is not in the report", r.Family)
		}
	}
	for _, m := range suite.Missing {
		if !strings.Contains(report, m) {
			t.Errorf("the report does not say %q", m)
		}
	}
}

func checkStudy(t *testing.T, r *study.Result) {
	t.Helper()
	for _, name := range []string{"tsne", "adaptation", "learning"} {
		picture(t, filepath.Join(r.Dir, name+".png"))
		if !strings.Contains(contents(t, r.Dir, name+".svg"), "</svg>") {
			t.Errorf("%s.svg is not whole", name)
		}
	}
	if len(r.Arms) != 3 || len(r.Centroids) != 9 || r.Arms[0].Seeds[0].Embedding.Points != 8*12 {
		t.Errorf("%s: %d arms, %d rows", r.Family, len(r.Arms), len(r.Centroids))
	}
	for _, row := range r.Centroids {
		if want := row.Between.Mean / row.ToCentroid.Mean; row.Ratio.Mean != want {
			t.Errorf("%s %s: ratio %v, want %v", row.Arm, row.Space, row.Ratio.Mean, want)
		}
	}
	report := contents(t, r.Dir, study.ReportFile)
	for _, want := range []string{"tsne.png", "adaptation.png", "learning.png",
		"nothing can be said about the spread"} {
		if !strings.Contains(report, want) {
			t.Errorf("%s: the report lacks %q", r.Family, want)
		}
	}
	for _, push := range []string{"38.8", "44.86", "1.156", "2.575"} { // the paper's figures, of another family
		if strings.Contains(report, "*"+push+"*") {
			t.Errorf("%s: the report has the paper's %s, which is of push", r.Family, push)
		}
	}
	if (r.Family == "point-goal") != strings.Contains(report,
		"Share of the way from standing still or random actions") {
		t.Errorf("%s: the report, share of the way to the goal-knowing controller", r.Family)
	}
}

func TestLists(t *testing.T) {
	var presets app.PresetList
	decode(t, must(t, "presets", "--json"), &presets)
	names := must(t, "presets")
	for _, want := range []string{"oyster/cheetah-vel", "paper/ml1", "quick/point-goal"} {
		if !strings.Contains(names, want) {
			t.Errorf("presets lack %s", want)
		}
	}
	var families app.FamilyList
	decode(t, must(t, "envs", "--json"), &families)
	for _, f := range families {
		if f.Observation < 1 || f.Horizon < 1 || f.Available == (f.Advice != "") || f.Available && f.TrainTasks < 1 {
			t.Errorf("family %+v", f)
		}
	}
	sparse := false
	for line := range strings.Lines(must(t, "envs")) {
		sparse = sparse || strings.HasPrefix(strings.Join(strings.Fields(line), " "),
			"point-goal-sparse 2 2 20 2 80/20 ")
	}
	if len(presets) < 15 || !sparse {
		t.Errorf("%d presets; envs lists point-goal-sparse: %v", len(presets), sparse)
	}
}

func TestBench(t *testing.T) {
	heavy.Skip(t, "runs updates at the sizes of the publications")
	var timings app.UpdateTimings
	decode(t, must(t, "bench", "update", "--size", "oyster", "--algo", "pearl", "--updates", "1", "--json"), &timings)
	// 2 per multiply-add; 16 tasks of 256 transitions and contexts of 64 rows at the published widths, see
	// core/README.md.
	if len(timings.Rows) != 1 || timings.Rows[0].Work < 20 || timings.Rows[0].Work > 35 ||
		!(timings.Rows[0].Median >= timings.Rows[0].Min) {
		t.Errorf("bench update: %+v", timings)
	}
	var plans app.UpdatePlans
	decode(t, must(t, "bench", "update", "--explain", "--size", "oyster", "--algo", "pearl", "--updates", "1",
		"--json"), &plans)
	if len(plans.Plans) != 1 || len(plans.Plans[0].Regions) < 50 || !(plans.Plans[0].Wall > 0) {
		t.Errorf("bench update --explain: %+v", plans)
	}
	var scalings app.UpdateScalings
	decode(t, must(t, "bench", "update", "--scaling", "--size", "oyster", "--algo", "mql", "--updates", "1", "-w", "2",
		"--json"), &scalings)
	if r := scalings.Rows; len(r) != 1 || r[0].Workers != 2 || !(r[0].One > 0 && r[0].All > 0 && r[0].Apart > 0) {
		t.Errorf("bench update --scaling: %+v", scalings)
	}
	var check app.UpdateCheck
	decode(t, must(t, "bench", "update", "--check", "--size", "oyster", "--algo", "tcl-pearl", "--json"), &check)
	if !check.OK || len(check.Rows) != 30 {
		t.Errorf("bench update --check: %v, %d figures", check.OK, len(check.Rows))
	}
	for _, l := range check.Rows {
		if l.Diff64 > 1e-9 || l.Diff32 > 1e-4 || l.Float64 == l.Float32 && l.Figure != "tcl_loss" {
			t.Errorf("bench update --check: %+v", l)
		}
	}
	var rates app.SimReport
	decode(t, must(t, "bench", "sim", "--envs", "2", "--steps", "10", "--rounds", "1", "--json"), &rates)
	if !(rates.Episodes > 0) || (len(rates.Families) == 0) == (rates.Missing == "") {
		t.Errorf("bench sim: %+v", rates)
	}
}

// The plan of an update is as fast by the model as the page says, drawing and eight seeds included: a plan that lost
// its transposed copies, its sums by several blocks or its drawing by many would not be.
func TestModelledUpdates(t *testing.T) {
	heavy.Skip(t, "models the launches of every update")
	files, err := filepath.Glob("../../docs/measurements/gpu-model-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no measurements: %v", err)
	}
	text, err := os.ReadFile(slices.Max(files))
	if err != nil {
		t.Fatal(err)
	}
	var measured struct {
		Rows []struct {
			Of    []string
			Cells struct{ Now, Given, Eight, Critical, Compiler, Fused float64 }
		}
	}
	if err := json.Unmarshal(text, &measured); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, precision := range cuda.Precisions {
		args := []string{"bench", "update", "--explain", "--device", "cuda", "--gpu", "h100", "--precision", precision,
			"--algo", "both", "--json"}
		var one, eight app.UpdateModels
		decode(t, must(t, args...), &one)
		decode(t, must(t, append(args, "--seeds", "8")...), &eight)
		for k, m := range one {
			for _, row := range measured.Rows {
				if row.Of[0] != m.Algorithm+"/H100" || row.Of[1] != m.Size || row.Of[2] != precision {
					continue
				}
				compared++
				c := row.Cells
				got := []float64{m.Total, m.Given, eight[k].PerSeed, m.Critical, m.Compiler, m.Fused}
				for j, want := range []float64{c.Now, c.Given, c.Eight, c.Critical, c.Compiler, c.Fused} {
					if math.Abs(got[j]-want) > 0.06 {
						t.Errorf("%s, %s, %s: %.1f µs, %s has %.1f", m.Algorithm, m.Size, precision, got,
							filepath.Base(slices.Max(files)), want)
					}
				}
			}
		}
	}
	if compared != 4*len(cuda.Precisions) {
		t.Errorf("%d updates are compared, expected %d", compared, 4*len(cuda.Precisions))
	}
}
