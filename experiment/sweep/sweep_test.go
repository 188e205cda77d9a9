//go:build unix

package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/core/cuda/fakecuda"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/heavy"
	"nacre/pearl"
	"nacre/sim"
	"nacre/tcl"
)

// The test binary is also the worker of the sweeps it tests.
func TestMain(m *testing.M) {
	if len(os.Args) >= 4 && os.Args[1] == "worker" {
		ctx, cancel := context.WithCancelCause(context.Background())
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		go func() { <-stop; cancel(errInterrupted) }()
		if err := sweep.Share(ctx, os.Args[2], os.Args[3:],
			experiment.Host{Workers: 1, Device: os.Getenv("NACRE_TEST_DEVICE")},
			progress.Lines(os.Stderr, time.Minute)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "host" {
		if err := otherHost(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// otherHost lets this process work on a sweep as another host. It is nil where no process can have its own host's name.
var otherHost func(name, dir string) error

var errInterrupted = errors.New("interrupted")

// small is a plan of three short runs.
func small(out string) sweep.Plan {
	return sweep.Plan{
		Name: "small", Out: out, Families: []string{"point-goal"}, Seeds: []uint64{1}, Preset: "quick/{family}",
		Set: []string{"pearl.iterations=6", "pearl.updates_per_iteration=20", "pearl.initial_steps=40",
			"pearl.meta_batch=4", "train_tasks=5", "test_tasks=2"},
		Systems: []sweep.System{{Algorithm: "pearl"}, {Algorithm: "tcl-pearl"},
			{Name: "told", Preset: "quick/{family}-oracle",
				Set: []string{"oracle.iterations=5", "oracle.updates_per_iteration=20", "oracle.meta_batch=4"}}},
		Local: sweep.Local{Processes: 2},
	}
}

func engine(p sweep.Plan) sweep.Runner {
	return sweep.Runner{Local: p.Local, Worker: []string{os.Args[0], "worker"}, Show: progress.Silent()}
}

func prepare(t *testing.T, p sweep.Plan) *sweep.Folder {
	t.Helper()
	f, err := sweep.Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compared are the files that must not depend on how a run came about.
var compared = []string{experiment.MetricsFile, experiment.WeightsFile, experiment.EvaluationFile, experiment.TasksFile}

// same compares the runs of two sweeps byte by byte.
func same(t *testing.T, a, b *sweep.Folder) {
	t.Helper()
	for _, r := range a.Runs {
		for _, name := range compared {
			x, err := os.ReadFile(filepath.Join(a.RunDir(r), name))
			if err != nil {
				t.Fatal(err)
			}
			y, err := os.ReadFile(filepath.Join(b.RunDir(r), name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(x, y) {
				t.Errorf("%s of %s differs", name, r.Name)
			}
		}
	}
}

// waitFor waits until a run of the sweep has written a file of its folder.
func waitFor(t *testing.T, f *sweep.Folder, r sweep.Run, name string) {
	t.Helper()
	for range 6000 {
		if _, err := os.Stat(filepath.Join(f.RunDir(r), name)); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s of %s did not appear", name, r.Name)
}

// One process is killed with SIGKILL, the sweep is interrupted, and called again: every file is that of a sweep that
// was left alone.
func TestKilledAndResumedSweepEndsTheSame(t *testing.T) {
	heavy.Skip(t, "trains and kills a sweep")
	whole := prepare(t, small(filepath.Join(t.TempDir(), "whole")))
	out, err := engine(small("")).Run(t.Context(), whole)
	if err != nil || out.Finished != 3 || len(out.Failed) != 0 {
		t.Fatalf("undisturbed: %+v, %v", out, err)
	}
	plan := small(filepath.Join(t.TempDir(), "broken"))
	broken := prepare(t, plan)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		waitFor(t, broken, broken.Runs[0], experiment.CheckpointFile)
		status, err := broken.Status()
		if err != nil {
			t.Error(err)
		}
		syscall.Kill(status[0].Attempt.PID, syscall.SIGKILL)
		waitFor(t, broken, broken.Runs[2], experiment.CheckpointFile)
		cancel(errInterrupted)
	}()
	out, err = engine(plan).Run(ctx, broken)
	if !errors.Is(err, errInterrupted) || len(out.Failed) != 1 || out.Failed[0].Run != "point-goal-pearl-seed1" ||
		!strings.Contains(out.Failed[0].Reason, "killed") || out.Left == 0 {
		t.Fatalf("killed and interrupted: %+v, %v", out, err)
	}
	status, err := broken.Status()
	if err != nil || status[0].State != sweep.Interrupted || status[2].State != sweep.Interrupted {
		t.Fatalf("after the interruption: %s, %s, %v", status[0].State, status[2].State, err)
	}
	// Whoever continues needs the plan only.
	again := prepare(t, plan)
	out, err = engine(plan).Run(t.Context(), again)
	if err != nil || out.Kept+out.Finished != 3 || out.Left != 0 {
		t.Fatalf("continued: %+v, %v", out, err)
	}
	same(t, whole, again)
	if out, err = engine(plan).Run(t.Context(), again); err != nil || out.Kept != 3 || out.Finished != 0 {
		t.Errorf("with nothing left to do: %+v, %v", out, err)
	}
	if status, err = again.Status(); err != nil || status[0].Attempt.Number < 2 || status[0].State != sweep.Finished ||
		status[0].Iterations != 6 {
		t.Errorf("%+v, %v", status[0], err)
	}
}

// Runs of one system in one process end with the files of runs with a process each, on the CPU and, as one program, on
// the stand-in for a GPU; also where one run of the process cannot be begun, and where all are interrupted.
func TestTogether(t *testing.T) {
	heavy.Skip(t, "it trains twelve runs")
	plan := small("")
	plan.Systems, plan.Seeds = plan.Systems[:2], []uint64{1, 2, 3}
	for device, set := range map[string]func(*testing.T){"cpu": func(*testing.T) {}, "cuda": func(t *testing.T) {
		fakecuda.Use(t)
	}} {
		t.Run(device, func(t *testing.T) {
			set(t)
			t.Setenv("NACRE_TEST_DEVICE", device)
			plan.Out, plan.Local = filepath.Join(t.TempDir(), "apart"), sweep.Local{Processes: 2}
			apart := prepare(t, plan)
			if out, err := engine(plan).Run(t.Context(), apart); err != nil || out.Finished != 6 {
				t.Fatalf("apart: %+v, %v", out, err)
			}
			plan.Out, plan.Local = filepath.Join(t.TempDir(), "together"), sweep.Local{Processes: 1, Together: 3}
			together := prepare(t, plan)
			bad := together.RunDir(together.Runs[2]) // PEARL's second seed
			if err := errors.Join(os.Mkdir(bad, 0o755),
				os.WriteFile(filepath.Join(bad, "thesis.tex"), nil, 0o644)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				waitFor(t, together, together.Runs[1], experiment.CheckpointFile) // TCL-PEARL's first: PEARL's are over
				cancel(errInterrupted)
			}()
			out, err := engine(plan).Run(ctx, together)
			if !errors.Is(err, errInterrupted) || out.Finished != 2 || len(out.Failed) != 1 ||
				out.Failed[0].Run != together.Runs[2].Name ||
				!strings.Contains(out.Failed[0].Reason, "thesis.tex") || out.Left != 3 {
				t.Fatalf("together: %+v, %v", out, err)
			}
			if err := os.RemoveAll(bad); err != nil {
				t.Fatal(err)
			}
			if out, err = engine(plan).Run(t.Context(), together); err != nil || out.Kept != 2 || out.Finished != 4 {
				t.Fatalf("continued: %+v, %v", out, err)
			}
			same(t, apart, together)
			status, err := together.Status()
			if err != nil || status[1].Attempt.PID != status[3].Attempt.PID ||
				status[1].Attempt.PID != status[5].Attempt.PID {
				t.Errorf("TCL-PEARL's runs had processes %d, %d and %d, want one; %v", status[1].Attempt.PID,
					status[3].Attempt.PID, status[5].Attempt.PID, err)
			}
			if log, err := os.ReadFile(together.LogFile(together.Runs[5])); err != nil ||
				!strings.Contains(string(log), "seed 3: ") || !strings.Contains(string(log), "adapted return") {
				t.Errorf("log %q, %v", log, err)
			}
		})
	}
}

// A run whose folder is somebody else's fails by name, with its reason and log, and the others finish.
func TestFailingRunLeavesTheOthers(t *testing.T) {
	plan := small(t.TempDir())
	f := prepare(t, plan)
	bad := f.Runs[1]
	if err := os.Mkdir(f.RunDir(bad), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.RunDir(bad), "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := engine(plan).Run(t.Context(), f)
	if err != nil || out.Finished != 2 || len(out.Failed) != 1 || out.Failed[0].Run != bad.Name ||
		!strings.Contains(out.Failed[0].Reason, "thesis.tex") {
		t.Fatalf("%+v, %v", out, err)
	}
	if log, err := os.ReadFile(out.Failed[0].Log); err != nil || !strings.Contains(string(log), "thesis.tex") {
		t.Errorf("log %q, %v", log, err)
	}
	status, err := f.Status()
	if err != nil || status[1].State != sweep.Failed || status[0].State != sweep.Finished {
		t.Fatalf("%+v, %v", status, err)
	}
	table := filepath.Join(t.TempDir(), "results.csv")
	if err := f.Collect(table, status); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(table)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[2],
		"point-goal-tcl-pearl-seed1,point-goal,tcl-pearl,tcl-pearl,1,failed,0,0,0,0.0,1,,,") ||
		!strings.HasPrefix(lines[3], "point-goal-told-seed1,point-goal,told,oracle,1,finished,5,") {
		t.Errorf("collected:\n%s", text)
	}
}

// grid is a family of the test of expansion, of which only the name matters.
type grid struct{ name string }

func (g grid) Spec() sim.Spec {
	return sim.Spec{Name: g.name, ObsDim: 1, ActDim: 1, Horizon: 1}
}
func (grid) Tasks(uint64, int, int) (train, test []sim.Task, err error) {
	return nil, nil, errors.New("no tasks")
}
func (grid) NewBatch(int) (sim.Batch, error) { return nil, errors.New("no simulation") }

// Fifty families, six systems and three seeds are nine hundred runs.
func TestExpand(t *testing.T) {
	heavy.Skip(t, "expands the paper's grid")
	for i := range 50 {
		if err := sim.Define(grid{fmt.Sprintf("grid/%02d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sim.Define(grid{"grid/00:v2"}); err != nil { // a variant, which a pattern without a colon leaves out
		t.Fatal(err)
	}
	plan := sweep.Plan{Name: "grid", Families: []string{"grid/*"}, Seeds: []uint64{1, 2, 3}, Preset: "paper/ml1",
		EnvSteps: 1_000_000,
		Set:      []string{"evaluation.every=2", "pearl.latent=6"}, Systems: []sweep.System{
			{Algorithm: "pearl"}, {Algorithm: "tcl-pearl"},
			{Name: "tcl-128", Algorithm: "tcl-pearl", Set: []string{"tcl.window=128", "pearl.latent=5"}},
			{Algorithm: "oracle"}, {Name: "narrow", Set: []string{"pearl.hidden=64"}},
			{Name: "small", Preset: "ml1/push-small", Algorithm: "pearl"}}}
	runs, err := plan.Expand()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, r := range runs {
		names[r.Name] = true
	}
	if len(runs) != 900 || len(names) != 900 {
		t.Fatalf("%d runs of %d names, want 900", len(runs), len(names))
	}
	if runs[0].Name != "grid-00-pearl-seed1" || runs[299].Name != "grid-49-small-seed1" ||
		runs[300].Name != "grid-00-pearl-seed2" {
		t.Errorf("order: %s, %s, %s", runs[0].Name, runs[299].Name, runs[300].Name)
	}
	c := runs[302].Config
	if c.Algorithm != "tcl-pearl" || c.Family != "grid/00" || c.Seed != 2 || c.EnvSteps != 1_000_000 ||
		tcl.Of(c).Window != 128 || pearl.Of(c).Latent != 5 || c.Evaluation.Every != 2 {
		t.Errorf("%s: %+v", runs[302].Name, c)
	}
	if c := runs[4].Config; c.Algorithm != "tcl-pearl" || pearl.Of(c).Hidden != 64 || pearl.Of(c).Latent != 6 ||
		runs[4].System != "narrow" {
		t.Errorf("%s: %+v", runs[4].Name, c)
	}
	plan.Families = []string{"grid/*:v2"}
	if variants, err := plan.Expand(); err != nil || len(variants) != 18 ||
		variants[0].Name != "grid-00-v2-pearl-seed1" {
		t.Errorf("%d runs of variants, %v", len(variants), err)
	}
	if c := runs[5].Config; c.Preset != "ml1/push-small" || c.Family != "grid/00" || pearl.Of(c).Hidden != 128 {
		t.Errorf("%s: %+v", runs[5].Name, c)
	}
}

func TestBadPlans(t *testing.T) {
	const good = "name = 'a'\nfamilies = ['point-goal']\nseeds = [1]\npreset = 'quick/point-goal'\n"
	for want, text := range map[string]string{
		`plan.toml: name = ""`:      "families = ['point-goal']",
		"families is empty":         "name = 'a'",
		"plan.toml: seeds is empty": "name = 'a'\nfamilies = ['point-goal']",
		"no [[systems]]":            good,
		"no family matches": strings.Replace(good, "point-goal", "moon/*", 1) +
			"[[systems]]\nalgorithm = 'pearl'",
		`unknown family "point-gaol"; did you mean`: strings.Replace(good, "point-goal", "point-gaol", 1) +
			"[[systems]]\nalgorithm = 'pearl'",
		`algorithm "pearls" does not exist`:             good + "[[systems]]\nalgorithm = 'pearls'",
		`preset "quick/pint-goal" does not exist; did `: good + "[[systems]]\npreset = 'quick/pint-goal'",
		"two runs are called point-goal-pearl-seed1": good + "[[systems]]\nalgorithm = 'pearl'\n[[systems]]\n" +
			"algorithm = 'pearl'\nset = ['pearl.latent=3']",
		"set pearl.latnet=3:": good +
			"[[systems]]\nalgorithm = 'pearl'\nset = ['pearl.latnet=3']",
		"set changes family or seed": good + "[[systems]]\nset = ['seed=3']",
		`system name "a b"`:          good + "[[systems]]\nname = 'a b'",
		"algoritm":                   good + "[[systems]]\nalgoritm = 'pearl'",
		"at_once": good +
			"[[systems]]\nalgorithm = 'pearl'\n[slurm]\nat_once = -1",
		`options = "qos=high", want options of sbatch`: good +
			"[[systems]]\nalgorithm = 'pearl'\n[slurm]\noptions = ['qos=high']",
	} {
		file := filepath.Join(t.TempDir(), "plan.toml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := sweep.Load(file)
		if err == nil {
			_, err = p.Expand()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A plan may grow, and change runs that were not begun, but not those that were.
func TestChangedPlan(t *testing.T) {
	plan := small(t.TempDir())
	f := prepare(t, plan)
	if err := os.MkdirAll(f.RunDir(f.Runs[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.RunDir(f.Runs[0]), experiment.ConfigFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	plan.Seeds = append(plan.Seeds, 2)
	plan.Systems[1].Set = []string{"tcl.window=8"}
	if f = prepare(t, plan); len(f.Runs) != 6 {
		t.Errorf("%d runs, want 6", len(f.Runs))
	}
	plan.Systems[0].Set = []string{"pearl.latent=3"}
	if _, err := sweep.Prepare(plan); err == nil ||
		!strings.Contains(err.Error(), "point-goal-pearl-seed1 was begun with another configuration") {
		t.Errorf("error %v", err)
	}
	opened, err := sweep.Open(plan.Out)
	if err != nil || len(opened.Runs) != 6 {
		t.Errorf("%+v, %v", opened, err)
	}
	if _, err := sweep.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the folder of a sweep") {
		t.Errorf("error %v", err)
	}
}

// A plan that became longer trains its runs on: in the end they are those of a plan that was as long from its
// beginning. One that became shorter is refused.
func TestLongerPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("trains nine runs; go test without -short, as make test-all does")
	}
	plan, long := small(t.TempDir()), small(t.TempDir())
	longer := func(p *sweep.Plan) {
		p.Set[0] = "pearl.iterations=8"
		p.Systems[2].Set[0] = "oracle.iterations=7"
	}
	if out, err := engine(plan).Run(t.Context(), prepare(t, plan)); err != nil || out.Finished != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	longer(&plan)
	longer(&long)
	f, g := prepare(t, plan), prepare(t, long)
	status, err := f.Status()
	if err != nil || slices.ContainsFunc(status, func(s sweep.RunStatus) bool {
		return s.State == sweep.Finished || s.Share >= 1
	}) {
		t.Errorf("%+v, %v", status, err)
	}
	for _, f := range []*sweep.Folder{f, g} {
		if out, err := engine(plan).Run(t.Context(), f); err != nil || out.Finished != 3 {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	same(t, f, g)
	plan.Set[0] = "pearl.iterations=3"
	if _, err := sweep.Prepare(plan); err == nil ||
		!strings.Contains(err.Error(), "pearl.iterations = 3, it was 8; a run can only be made longer") {
		t.Errorf("a shorter plan: %v", err)
	}
}

// What a plan sets for all systems reaches those whose algorithm reads it; what none reads is an error.
func TestSharedSettings(t *testing.T) {
	p := sweep.Plan{Name: "shared", Families: []string{"point-goal"}, Seeds: []uint64{1},
		Set: []string{"tcl.window=8", "test_tasks=3"},
		Systems: []sweep.System{{Preset: "quick/point-goal", Algorithm: "pearl"}, {Preset: "quick/point-goal"},
			{Preset: "quick/point-goal-rl2"}}}
	runs, err := p.Expand()
	if err != nil {
		t.Fatal(err)
	}
	if n := tcl.Of(runs[1].Config).Window; n != 8 || runs[2].Config.TestTasks != 3 ||
		runs[2].Config.Algorithm != "rl2" {
		t.Errorf("window %d, %+v", n, runs[2].Config)
	}
	p.Set = append(p.Set, "mql.hidden=8")
	if _, err := p.Expand(); err == nil ||
		!strings.Contains(err.Error(), `set "mql.hidden=8": no algorithm of the plan reads that table`) {
		t.Errorf("a table that no system reads: %v", err)
	}
	p.Set, p.Systems[2].Set = nil, []string{"tcl.window=8"}
	if _, err := p.Expand(); err == nil || !strings.Contains(err.Error(), "table tcl is set, but rl2 reads only rl2") {
		t.Errorf("a system's own table that it does not read: %v", err)
	}
}
