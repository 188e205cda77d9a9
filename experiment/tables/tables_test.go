package tables_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/experiment/tables"
	"nacre/pearl"
	"nacre/rl/protocol"
)

// written makes a run folder as training would leave it: evaluations of the form steps → return, and in a finished run
// the returns of the test tasks at the end.
func written(t *testing.T, dir, algorithm, family string, seed uint64, evaluations [][2]float64, final []float64) {
	t.Helper()
	cfg, err := experiment.Preset("paper/ml1")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Algorithm, cfg.Family, cfg.Seed, cfg.EnvSteps = algorithm, family, seed, 1_040_000
	writtenOf(t, dir, cfg, evaluations, final)
}

// writtenOf is written for a run of any configuration.
func writtenOf(t *testing.T, dir string, cfg experiment.Config, evaluations [][2]float64, final []float64) {
	t.Helper()
	run, err := experiment.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if _, err := run.Begin(cfg, experiment.NewProcess()); err != nil {
		t.Fatal(err)
	}
	metrics, err := experiment.NewMetrics(run.Path(experiment.MetricsFile), "iteration", "env_steps", "updates",
		"adapted_return", "adapted_success")
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Close()
	timing, err := experiment.NewMetrics(run.Path(experiment.TimingFile), "iteration", "update_s")
	if err != nil {
		t.Fatal(err)
	}
	defer timing.Close()
	for i, e := range evaluations {
		row := experiment.Row{"iteration": float64(i), "env_steps": e[0], "updates": 10 * float64(i+1)}
		if !math.IsNaN(e[1]) {
			row["adapted_return"], row["adapted_success"] = e[1], 0.5
		}
		if err := metrics.Write(row); err != nil {
			t.Fatal(err)
		}
		if err := timing.Write(experiment.Row{"iteration": float64(i), "update_s": 900}); err != nil {
			t.Fatal(err)
		}
	}
	if final == nil {
		return
	}
	p := protocol.Protocol{Name: "garage-ml1", Explore: 0, Scored: 1, Repeats: 1}
	result := protocol.Result{Protocol: p}
	for i, v := range final {
		result.Tasks = append(result.Tasks, protocol.TaskResult{ID: i, Params: []float64{float64(i)},
			Return: [][]float64{{v}}, Success: [][]bool{{true}}, Len: [][]int{{1}}})
	}
	result.Summary.Adapted = stats.MeanInterval(result.AdaptedByTask())
	result.Summary.AdaptedSuccess = stats.MeanInterval([]float64{1})
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(run.Path(experiment.EvaluationFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// at is a finished run's evaluations with a mean over the last tenth of a million steps of v; what is outside of it
// must not count.
func at(v float64) [][2]float64 {
	return [][2]float64{{400_000, 9e6}, {900_000, -9e6}, {910_000, v - 100}, {950_000, math.NaN()},
		{1_000_000, v + 100}, {1_040_000, 9e6}}
}

// build makes the runs of the small table of which all figures below were computed by hand.
func small(t *testing.T) []tables.Run {
	t.Helper()
	dir := t.TempDir()
	for family, values := range map[string]map[string][]float64{
		"ml1/push":  {"pearl": {1000, 3000}, "tcl-pearl": {4000, 6000}},
		"ml1/reach": {"pearl": {2004, 2004}, "tcl-pearl": {2001, 1999}},
		"ml1/sweep": {"pearl": {8000, 8000}, "tcl-pearl": {3000, 5000}},
	} {
		for algorithm, seeds := range values {
			for i, v := range seeds {
				name := fmt.Sprintf("%s-%s-%d", filepath.Base(family), algorithm, i+1)
				written(t, filepath.Join(dir, name), algorithm, family, uint64(i+1), at(v), []float64{v - 500, v + 500})
			}
		}
	}
	written(t, filepath.Join(dir, "push-tcl-3"), "tcl-pearl", "ml1/push", 3, at(0)[:1], nil)
	written(t, filepath.Join(dir, "soccer-pearl-1"), "pearl", "ml1/soccer", 1, at(0)[:1], nil)
	written(t, filepath.Join(dir, "other"), "pearl", "cheetah-vel", 1, at(0), []float64{1})
	runs, _, err := tables.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 5e-5 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestSmallTable(t *testing.T) {
	table, err := tables.Build("ml1", small(t), tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(table.Families, []string{"ml1/push", "ml1/reach", "ml1/soccer", "ml1/sweep"}) ||
		!reflect.DeepEqual(table.Systems, []string{"pearl", "tcl-pearl"}) {
		t.Fatalf("%v, %v", table.Families, table.Systems)
	}
	push := table.Cells[0]
	near(t, "push, PEARL", push[0].Return.Mean, 2)
	near(t, "its interval", push[0].Return.Lo, 2-12.706205) // t(1)·√2/√2
	near(t, "push, TCL-PEARL", push[1].Return.Mean, 5)
	near(t, "the paper's figure", *push[1].Paper, 26.36)
	if b := push[0].Budget; b.Evaluations != 2 || b.EnvStepsLo != 1_040_000 || b.UpdatesHi != 60 || b.Seconds != 5400 ||
		b.TestTasks != 2 {
		t.Errorf("budget %+v", b)
	}
	// Both seeds have the same tasks: 0.5, 1.5 and 2.5, 3.5.
	want, err := stats.BootstrapCrossed([][]float64{{0.5, 1.5}, {2.5, 3.5}}, 0.95, 4000, 1)
	if err != nil || *push[0].Final != want {
		t.Errorf("at the end %v, want %v (%v)", push[0].Final, want, err)
	}
	pair := table.Ours.Pairs[0]
	if pair.System != "TCL-PEARL" || pair.Against != "PEARL" || pair.Better != 1 || pair.Equal != 1 ||
		pair.Worse != 1 || pair.P != 1 || pair.Seeded != 3 || pair.Above != 1 || pair.Below != 2 {
		t.Errorf("%+v", pair)
	}
	near(t, "geometric mean", *pair.Geometric, math.Cbrt(2.5*1*0.5))
	near(t, "mean", *pair.Mean, 4.0/3)
	near(t, "median", *pair.Median, 1)
	for j, wins := range []stats.WinCount{{Outright: 1, Shared: 1}, {Outright: 1, Shared: 1}} {
		c := table.Ours.Columns[j]
		near(t, c.System+" mean rank", c.MeanRank, 1.5)
		if c.Wins != wins {
			t.Errorf("%s wins %v, want %v", c.System, c.Wins, wins)
		}
	}
	near(t, "mean of PEARL", table.Ours.Columns[0].Mean, 4)
	// Of the paper only the rows that have runs count.
	if table.Paper.Environments != 3 || table.Expected != 50 || len(table.Missing) != 46 || len(table.Left) != 1 {
		t.Errorf("%d of the paper, %d missing of %d, %d left", table.Paper.Environments, len(table.Missing),
			table.Expected, len(table.Left))
	}
	var text strings.Builder
	if err := table.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"incomplete grid: 2 of 8 cells are empty, 12 of 24 runs counted",
		"ml1/push, TCL-PEARL: seed 3 is at 38 %",
		"4 of 50 environments have runs", "greater in 1, equal in 1, less in 1; sign test p = 1.000",
		"wins 1 (+1 shared)", "2.00 [-10.71, 14.71]  2   4.56"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, &text)
		}
	}
}

func TestAtAndAgainst(t *testing.T) {
	runs := small(t)
	table, err := tables.Build("runs", runs, tables.Options{At: 400_000, Against: "tcl-pearl"})
	if err != nil {
		t.Fatal(err)
	}
	// At 400,000 steps the unfinished runs count too, and every run stood at 9e6.
	if table.Cells[1][1].Return.N != 3 || table.Cells[1][1].Return.Mean != 9e6 ||
		table.Ours.Pairs[0].System != "PEARL" || table.Ours.Pairs[0].Equal != 3 {
		t.Errorf("%+v, %+v", table.Cells[1][1].Return, table.Ours.Pairs)
	}
	for want, o := range map[string]tables.Options{
		`no runs of system "perl"; did you mean "pearl"?`: {Against: "perl"}} {
		if _, err := tables.Build("runs", runs, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := tables.Build("controls", runs[1:], tables.Options{}); err == nil ||
		!strings.Contains(err.Error(), "none of the 14 runs belongs to this table") {
		t.Errorf("error %v", err)
	}
	if _, err := tables.Build("ml2", runs, tables.Options{}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "ml1"`) {
		t.Errorf("error %v", err)
	}
}

func TestRuntime(t *testing.T) {
	table, err := tables.Build("runtime", small(t), tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Six iterations of 900 s for 1,040,000 steps.
	near(t, "pace", table.Cells[1][0].Return.Mean, 5400/1.04)
	near(t, "the paper's", *table.Cells[1][0].Paper, 18259.77)
	near(t, "the paper's ratio", *table.Paper.Pairs[0].Mean,
		mean(24089.16/18259.77, *table.Cells[2][1].Paper / *table.Cells[2][0].Paper,
			*table.Cells[4][1].Paper / *table.Cells[4][0].Paper))
}

func mean(x ...float64) float64 { return stats.Mean(x) }

func TestDuplicatesAndNothing(t *testing.T) {
	dir := t.TempDir()
	written(t, filepath.Join(dir, "a"), "pearl", "ml1/push", 1, at(1), []float64{1})
	written(t, filepath.Join(dir, "b"), "pearl", "ml1/push", 1, at(1), []float64{1})
	runs, _, err := tables.Load(dir, filepath.Join(dir, "a"))
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if _, err := tables.Build("ml1", runs, tables.Options{}); err == nil ||
		!strings.Contains(err.Error(), "same system, family and seed") {
		t.Errorf("error %v", err)
	}
	if _, _, err := tables.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no run folder") {
		t.Errorf("error %v", err)
	}
}

// In a sweep's folder runs have the sweep's names for their systems, and those not begun are there too.
func TestSweepNames(t *testing.T) {
	plan := sweep.Plan{Name: "two", Out: t.TempDir(), Families: []string{"point-goal"}, Seeds: []uint64{1, 2},
		Preset: "quick/point-goal",
		Systems: []sweep.System{{Name: "wide", Algorithm: "pearl", Set: []string{"env_steps=1040000"}},
			{Name: "narrow", Algorithm: "pearl", Set: []string{"env_steps=1040000", "pearl.hidden=8"}}}}
	f, err := sweep.Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	writtenOf(t, f.RunDir(f.Runs[0]), f.Runs[0].Config, at(5), []float64{5})
	runs, _, err := tables.Load(plan.Out)
	if err != nil || len(runs) != 4 || runs[0].System != "wide" || runs[3].System != "narrow" ||
		pearl.Of(runs[3].Config).Hidden != 8 {
		t.Fatalf("%+v, %v", runs, err)
	}
	table, err := tables.Build("runs", runs, tables.Options{})
	if err != nil || table.Cells[0][0].Return.N != 1 || table.Cells[0][1].Return.N != 0 ||
		!strings.Contains(table.Notes[0], "1 of 2 cells are empty, 1 of 4 runs") {
		t.Errorf("%+v, %v", table, err)
	}
	// the folder of one run in the place of another counts for none
	if err := os.CopyFS(f.RunDir(f.Runs[2]), os.DirFS(f.RunDir(f.Runs[0]))); err != nil {
		t.Fatal(err)
	}
	runs, notes, err := tables.Load(plan.Out)
	if err != nil || len(runs) != 3 || len(notes) != 1 ||
		!strings.Contains(notes[0], "holds another run: seed = 1, and the plan has 2") {
		t.Errorf("%d runs, %q, %v", len(runs), notes, err)
	}
}

func TestCurves(t *testing.T) {
	dir := t.TempDir()
	nan := math.NaN()
	written(t, filepath.Join(dir, "1"), "pearl", "ml1/basketball", 1,
		[][2]float64{{100_000, 0}, {200_000, nan}, {300_000, 20}, {500_000, 40}}, nil)
	written(t, filepath.Join(dir, "2"), "pearl", "ml1/basketball", 2,
		[][2]float64{{200_000, 30}, {300_000, 40}, {400_000, 50}, {500_000, 60}}, nil)
	for seed := range uint64(3) {
		written(t, filepath.Join(dir, fmt.Sprint("t", seed)), "tcl-pearl", "ml1/basketball", seed,
			[][2]float64{{100_000, float64(seed)}, {450_000, 7}}, nil)
	}
	written(t, filepath.Join(dir, "p"), "pearl", "point-goal", 1, [][2]float64{{1000, 1}}, nil)
	runs, _, err := tables.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	panels, notes, err := tables.Curves(runs, tables.CurveOptions{Backdrop: true})
	if err != nil || len(panels) != 2 || len(notes) != 1 ||
		!strings.Contains(notes[0],
			"PEARL: values of 1 of 2 seeds from 100000 environment steps on are not drawn before 200000") {
		t.Fatalf("%d panels, %v, %v", len(panels), notes, err)
	}
	names := map[string]int{}
	for i, s := range panels[0].Series {
		names[s.Name] = i
		if s.Faint && s.X[len(s.X)-1] > 500_000 {
			t.Errorf("%s goes on to %v steps", s.Name, s.X[len(s.X)-1])
		}
	}
	// Seed 1 stands at 10 and 30 between its evaluations, where seed 2 has some.
	pearl := panels[0].Series[names["PEARL"]]
	if !reflect.DeepEqual(pearl.X, []float64{200_000, 300_000, 400_000, 500_000}) ||
		!reflect.DeepEqual(pearl.Y, []float64{20, 30, 40, 50}) ||
		!reflect.DeepEqual(pearl.Lo, []float64{10, 20, 30, 40}) {
		t.Errorf("%+v", pearl)
	}
	// Three seeds at 0, 1 and 2: t(2) = 4.302653, s = 1.
	tcl := panels[0].Series[names["TCL-PEARL"]]
	near(t, "end of the interval", tcl.Hi[0], 1+4.302653/math.Sqrt(3))
	// The authors' first points of PEARL on basketball, three runs at 350,000 steps: −25.33, −27.85 and −26.57.
	authors := panels[0].Series[names["PEARL, authors"]]
	near(t, "the authors' curve", authors.Y[0], -(25.33+27.85+26.57)/3)
	if !authors.Faint || authors.Like != "PEARL" || authors.X[0] != 250_000 && authors.X[0] != 350_000 {
		t.Errorf("%+v", authors)
	}
	if len(panels[1].Series) != 1 || panels[1].Series[0].Lo != nil {
		t.Errorf("point-goal: %+v", panels[1].Series)
	}
	panels, notes, err = tables.Curves(runs, tables.CurveOptions{Steps: 200_000})
	if err != nil || !reflect.DeepEqual(panels[0].Series[0].Y, []float64{20}) || len(notes) != 1 {
		t.Errorf("up to 200,000 steps: %+v, %v, %v", panels, notes, err)
	}
	written(t, filepath.Join(dir, "3"), "pearl", "ml1/basketball", 3, [][2]float64{{200_000, 50}, {300_000, 60}}, nil)
	if runs, _, err = tables.Load(dir); err != nil {
		t.Fatal(err)
	}
	panels, notes, err = tables.Curves(runs, tables.CurveOptions{})
	if err != nil || len(notes) != 1 ||
		!strings.Contains(notes[0], "; the mean ends at 500000 environment steps with 2 of 3 seeds") ||
		!reflect.DeepEqual(panels[0].Series[0].Y, []float64{30, 40, 40, 50}) {
		t.Errorf("with a run that ends early: %+v, %v, %v", panels, notes, err)
	}
}

// The walker ends episodes early, so that no two seeds evaluate at one step: their mean is interpolated, their range
// drawn, and a third seed that stays behind ends with Student's interval, not the line.
func TestCurvesOfSeedsWithoutCommonSteps(t *testing.T) {
	dir := t.TempDir()
	a := [][2]float64{{3633, 169.7}, {5654, 27.5}, {7702, 17.2}}
	b := [][2]float64{{3642, 53.5}, {5657, 13.4}, {7690, 25.2}}
	written(t, filepath.Join(dir, "3"), "pearl", "walker-rand-params", 3, a, nil)
	written(t, filepath.Join(dir, "4"), "pearl", "walker-rand-params", 4, b, nil)
	runs, _, err := tables.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	panels, notes, err := tables.Curves(runs, tables.CurveOptions{})
	if err != nil || len(notes) != 0 {
		t.Fatalf("%v, %v", notes, err)
	}
	s := panels[0].Series[0]
	if !reflect.DeepEqual(s.X, []float64{3642, 5654, 5657, 7690}) || !reflect.DeepEqual(s.Seeds, []int{2, 2, 2, 2}) {
		t.Errorf("mean of %v seeds at %v", s.Seeds, s.X)
	}
	near(t, "the mean where the second begins", s.Y[0], (53.5+169.7-142.2*9/2021)/2)
	near(t, "its range", s.Hi[3], 25.2)
	near(t, "its range", s.Lo[3], 27.5-10.3*2036/2048)

	written(t, filepath.Join(dir, "5"), "pearl", "walker-rand-params", 5, [][2]float64{{3600, 60}, {5656, 20}}, nil)
	if runs, _, err = tables.Load(dir); err != nil {
		t.Fatal(err)
	}
	panels, notes, err = tables.Curves(runs, tables.CurveOptions{})
	s = panels[0].Series[0]
	if err != nil || !reflect.DeepEqual(s.Seeds[len(s.Seeds)-2:], []int{2, 2}) || len(notes) != 1 ||
		!strings.Contains(notes[0], "PEARL: the mean ends at 7690 environment steps with 2 of 3 seeds") {
		t.Errorf("%v of %v seeds, %v, %v", s.X, s.Seeds, notes, err)
	}
}

// What a table refuses or says of seeds, curves do too.
func TestCurvesOfCopies(t *testing.T) {
	dir := t.TempDir()
	points := [][2]float64{{100, 1}, {200, 2}}
	written(t, filepath.Join(dir, "a"), "pearl", "point-goal", 1, points, nil)
	written(t, filepath.Join(dir, "b"), "pearl", "point-goal", 1, points[:1], nil)
	runs, _, err := tables.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := tables.Curves(runs, tables.CurveOptions{}); err == nil ||
		!strings.Contains(err.Error(), "are the same system, family and seed: give one of them") {
		t.Errorf("two runs of one seed: %v", err)
	}
	runs[1].Config.Seed = 2
	runs[1].Config.TestTasks++
	_, notes, err := tables.Curves(runs, tables.CurveOptions{})
	if err != nil || len(notes) != 2 || notes[0] != "point-goal, PEARL: the seeds have 2 different configurations" {
		t.Errorf("other settings: %q, %v", notes, err)
	}
	late := runs[1]
	late.Curve = []tables.Point{{EnvSteps: 300, Return: 1}}
	if _, _, err := tables.Curves([]tables.Run{runs[0], late}, tables.CurveOptions{}); err == nil ||
		!strings.Contains(err.Error(), "nothing to draw: point-goal, PEARL: the seeds have 2 different "+
			"configurations; point-goal, PEARL: no mean is drawn") {
		t.Errorf("seeds that never overlap: %v", err)
	}
}

// log writes the progress.csv of another program.
func log(t *testing.T, dir, text, variant string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"progress.csv": text, "variant.json": variant} {
		if content == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Logs of other programs are drawn and counted beside runs, and what they are read from is said once.
func TestLogsBesideRuns(t *testing.T) {
	dir := t.TempDir()
	written(t, filepath.Join(dir, "ours"), "pearl", "cheetah-vel", 1, [][2]float64{{1000, 5}, {2000, 6}}, []float64{6})
	for seed := range 2 {
		log(t, filepath.Join(dir, "oyster", fmt.Sprintf("seed%d", seed)),
			fmt.Sprintf("AverageReturn_all_test_tasks,Number of env steps total\n%d,%d\n%d,%d\n", seed, 1000+500*seed,
				2+seed, 2000+500*seed),
			fmt.Sprintf(`{"env_name": "cheetah-vel", "seed": %d, "latent_size": %d}`, seed, 5+seed))
	}
	runs, _, err := tables.Load(dir)
	if err != nil || len(runs) != 3 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	panels, notes, err := tables.Curves(runs, tables.CurveOptions{})
	if err != nil || len(panels) != 1 || len(panels[0].Series) != 2 {
		t.Fatalf("%+v, %v", panels, err)
	}
	s := panels[0].Series[1]
	if s.Name != "oyster" || !reflect.DeepEqual(s.X, []float64{1500, 2000}) ||
		!reflect.DeepEqual(s.Y, []float64{1, 2}) || !reflect.DeepEqual(s.Seeds, []int{2, 2}) {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{`seed0 and 1 more: oyster's log: steps from "Number of env steps total", return from "AverageReturn_all_test_tasks"`, "cheetah-vel, oyster: the seeds have 2 different configurations"} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("no %q in %q", want, notes)
		}
	}
	table, err := tables.Build("runs", runs, tables.Options{})
	if err != nil || table.Cells[0][1].Return.N != 2 || table.Cells[0][1].Return.Mean != 2.5 ||
		!strings.Contains(table.Notes[0], "oyster's log: steps from") {
		t.Errorf("%+v, %v", table, err)
	}

	for seed, column := range []string{"Evaluation/AverageReturn", "MetaTest/Average/AverageReturn"} {
		log(t, filepath.Join(dir, "garage", fmt.Sprintf("seed%d", seed)),
			fmt.Sprintf("TotalEnvSteps,%s\n1000,%d\n2000,9\n",
				column, seed), "")
	}
	if runs, _, err = tables.Load(filepath.Join(dir, "garage")); err != nil {
		t.Fatal(err)
	}
	if _, notes, err = tables.Curves(runs, tables.CurveOptions{}); err != nil || !strings.Contains(strings.Join(notes,
		"\n"),
		`the returns of the seeds are from different columns: "Evaluation/AverageReturn" (1), "MetaTest/Average/AverageReturn" (1)`) {
		t.Errorf("returns of different columns: %q, %v", notes, err)
	}

	log(t, filepath.Join(dir, "copy", "a"), "r,steps\n1,2\n", "")
	log(t, filepath.Join(dir, "copy", "b"), "r,steps\n1,2\n", "")
	if runs, _, err = tables.Load(filepath.Join(dir, "copy")); err != nil || len(runs) != 2 {
		t.Fatal(err)
	}
	runs[1].System = runs[0].System
	runs[1].Log.System = runs[0].Log.System
	if _, _, err := tables.Curves(runs, tables.CurveOptions{}); err == nil ||
		!strings.Contains(err.Error(), "are one log twice, to the last digit: give one of them") {
		t.Errorf("copies: %v", err)
	}
	for _, seed := range []string{"seed1", "seed2"} {
		log(t, filepath.Join(dir, "seeds", seed), "r,steps\n1,2\n3,4\n", "")
	}
	if runs, _, err = tables.Load(filepath.Join(dir, "seeds")); err != nil || len(runs) != 2 {
		t.Fatal(err)
	}
	if _, _, err := tables.Curves(runs, tables.CurveOptions{}); err == nil ||
		!strings.Contains(err.Error(), "are one log twice, to the last digit: give one of them") {
		t.Errorf("a copy under another seed: %v", err)
	}

	log(t, filepath.Join(dir, "none"), "r,steps\n,1\nnan,2\n", "")
	if runs, _, err = tables.Load(filepath.Join(dir, "none")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tables.Curves(runs, tables.CurveOptions{}); err == nil || !strings.Contains(err.Error(),
		"no evaluation yet "+
			"in") || !strings.Contains(err.Error(),
		`column "r", the return, has no number: it is NaN or missing in all 2 rows`) {
		t.Errorf("only NaN: %v", err)
	}

	log(t, filepath.Join(dir, "seeds", "begun"), " ", "")
	os.RemoveAll(filepath.Join(dir, "seeds", "seed2"))
	runs, notes, err = tables.Load(filepath.Join(dir, "seeds"))
	if err != nil || len(runs) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "begun is left out: ") {
		t.Errorf("a log that is none yet: %d runs, %q, %v", len(runs), notes, err)
	}
	if _, _, err := tables.Load(filepath.Join(dir, "seeds", "begun")); err == nil {
		t.Error("a log that is none yet, named, is no error")
	}
	if _, err := experiment.View(filepath.Join(dir, "oyster", "seed0")); err == nil ||
		!strings.Contains(err.Error(), "is the log of another program (oyster)") ||
		!strings.Contains(err.Error(), "cannot be resumed, evaluated or branched") {
		t.Errorf("as a run: %v", err)
	}
}

// A run whose returns became NaN has no value at its end, whatever it had before; at the steps before, it has.
func TestRunThatBecameNaN(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nan")
	const steps = 100_000
	written(t, dir, "pearl", "ml1/push", 1, [][2]float64{{5 * steps, 1}, {6 * steps, 2}, {7 * steps, 7}, {8 * steps, 8},
		{9.5 * steps, 9}, {1_040_000, 10}}, []float64{1})
	path := filepath.Join(dir, experiment.MetricsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"7", "8", "9", "10"} {
		text = bytes.Replace(text, []byte(","+v+",0.5\n"), []byte(",NaN,0.5\n"), 1)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := tables.Read(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[float64]float64{0: math.NaN(), 5.2 * steps: 1, 6.1 * steps: 2, 7.5 * steps: math.NaN()} {
		if v, _, ok := r.Return(at); ok == math.IsNaN(want) || ok && v != want {
			t.Errorf("at %v steps: %v, %v; want %v", at, v, ok, want)
		}
	}
	if said := strings.Join(r.Notes, "; "); !strings.Contains(said, "the return is NaN or infinite in 4 of 6 rows") {
		t.Errorf("said %q", said)
	}
}
