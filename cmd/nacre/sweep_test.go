package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/cmd/nacre/app"
	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/internal/heavy"
	"nacre/rl/protocol"
	"nacre/sim"
)

// A plan from its file to the tables: two systems of two seeds with a budget of environment steps, collected, drawn,
// and set beside each other.
func TestSweepToTables(t *testing.T) {
	heavy.Skip(t, "trains a sweep")
	dir := t.TempDir()
	out, plan := filepath.Join(dir, "out"), filepath.Join(dir, "plan.toml")
	var assignments []string
	for _, a := range tiny {
		assignments = append(assignments, fmt.Sprintf("%q", a))
	}
	text := fmt.Sprintf("name = 'tables'\nout = %q\nfamilies = ['point-goal']\nseeds = [1, 2]\n"+
		"preset = 'quick/point-goal'\nenv_steps = 3000\nset = [%s]\n"+
		"[[systems]]\nalgorithm = 'pearl'\n[[systems]]\nalgorithm = 'tcl-pearl'\n[local]\nprocesses = 2\n", out,
		strings.Join(assignments, ", "))
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, []string{"sweep", "status", plan}, "is not the folder of a sweep")
	t.Setenv("NACRE_TEST_PROCESS", "1") // the sweep's workers are this program as nacre
	var report app.SweepReport
	if err := json.Unmarshal([]byte(must(t, "sweep", plan, "--json")), &report); err != nil ||
		report.Counts["finished"] != 4 {
		t.Fatalf("%+v, %v", report, err)
	}
	budget(t, filepath.Join(out, "runs", "point-goal-pearl-seed1"))
	byIndex(t, text, out)
	if text := must(t, "sweep", "status", out); !strings.Contains(text, "4 runs, 4 finished") {
		t.Errorf("status: %s", text)
	}
	// Plans with a seed more and one less: nothing is trained, nothing is forgotten.
	more, less := filepath.Join(dir, "more.toml"), filepath.Join(dir, "less.toml")
	for file, seeds := range map[string]string{more: "[1, 2, 3]", less: "[2]"} {
		if err := os.WriteFile(file, []byte(strings.Replace(text, "[1, 2]", seeds, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if status, text, stderr := nacre(t.Context(), "sweep", "status", more); status != exitUnfinished ||
		!strings.Contains(text, "6 runs, 4 finished, 2 not begun;") || stderr != "" {
		t.Errorf("status %d: %s%s", status, text, stderr)
	}
	const others = "not in this plan: 2 runs of the folder, 2 finished"
	if text := must(t, "sweep", less, "-q"); !strings.Contains(text, "2 runs, 2 finished;") ||
		!strings.Contains(text, others) {
		t.Errorf("a smaller plan: %s", text)
	}
	if text := must(t, "sweep", "collect", less); !strings.Contains(text, others+"; the finished keep their rows") ||
		strings.Count(contents(t, out, "results.csv"), "\n") != 5 {
		t.Errorf("a smaller plan collected: %s", text)
	}
	must(t, "sweep", "collect", plan)
	rows, err := csv.NewReader(strings.NewReader(contents(t, out, "results.csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[4][0] != "point-goal-tcl-pearl-seed2" || rows[4][5] != "finished" {
		t.Fatalf("collected %v, %v", rows, err)
	}
	var pearl []float64
	for _, row := range []int{1, 3} {
		v, err := strconv.ParseFloat(rows[row][11], 64)
		if err != nil {
			t.Fatal(err)
		}
		pearl = append(pearl, v)
	}
	var table struct {
		Systems []string
		Cells   [][]struct {
			Seeds  []float64
			Final  struct{ Mean float64 }
			Budget struct {
				Steps int `json:"env_steps_max"`
			}
		}
	}
	if err := json.Unmarshal([]byte(must(t, "table", "runs", out, "--json")), &table); err != nil {
		t.Fatal(err)
	}
	cell := table.Cells[0][0]
	if len(table.Systems) != 2 || len(cell.Seeds) != 2 || math.Abs(cell.Final.Mean-stats.Mean(pearl)) > 1e-9 ||
		cell.Budget.Steps < 3000 {
		t.Errorf("table %+v, collected %v", table, pearl)
	}
	picture := filepath.Join(dir, "curves.svg")
	if text := must(t, "curves", out, "-o", picture); !strings.Contains(text, "point-goal, TCL-PEARL: ") ||
		!strings.Contains(contents(t, dir, "curves.svg"), "TCL-PEARL") {
		t.Errorf("curves: %s", text)
	}
	run := filepath.Join(out, "runs", "point-goal-tcl-pearl-seed2")
	fails(t, []string{"table", "tsne", out}, "none of the 4 runs has an embeddings.npz", "nacre embed")
	must(t, "embed", run, "--tasks", "2", "--windows", "40")
	words := strings.Join(strings.Fields(must(t, "table", "tsne", out)), " ")
	for _, want := range []string{"point-goal TCL-PEARL 1 80 ", "3 runs have no embeddings.npz"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, words)
		}
	}
	if strings.Contains(words, "paper's are of") || strings.Contains(words, "the paper TCL-PEARL") {
		t.Errorf("the paper's figures of push beside point-goal: %s", words)
	}
}

// byIndex trains the plan of a finished sweep again, each run by its index as a scheduler would, and compares.
func byIndex(t *testing.T, plan, out string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "out")
	file := filepath.Join(t.TempDir(), "plan.toml")
	if err := os.WriteFile(file, []byte(strings.Replace(plan, out, other, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"3", "0", "2", "1", "1"} {
		must(t, "sweep", "worker", file, "--index", index)
	}
	fails(t, []string{"sweep", "worker", file, "--index", "4"}, "sweep tables has 4 runs, with the indices 0 to 3")
	fails(t, []string{"sweep", "worker", file}, "expected either --index N or the names of runs")
	fails(t, []string{"sweep", "worker", other, "no-such-run"}, "no-such-run")
	runs, err := os.ReadDir(filepath.Join(out, "runs"))
	if err != nil || len(runs) != 4 {
		t.Fatalf("%v, %v; want 4 runs", runs, err)
	}
	for _, r := range runs {
		for _, name := range []string{experiment.MetricsFile, experiment.WeightsFile, experiment.EvaluationFile} {
			at := filepath.Join("runs", r.Name(), name)
			if contents(t, other, at) != contents(t, out, at) {
				t.Errorf("%s differs from that of a sweep on one machine", at)
			}
		}
	}
}

// budget checks that a run ended with the iteration that reached 3,000 environment steps.
func budget(t *testing.T, dir string) {
	t.Helper()
	metrics, err := experiment.ReadMetrics(filepath.Join(dir, experiment.MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := metrics.Column("env_steps")
	if err != nil {
		t.Fatal(err)
	}
	returns, err := metrics.Column("adapted_return")
	if n := len(steps); err != nil || n < 2 || steps[n-1] < 3000 || steps[n-2] >= 3000 || returns[n-1] != returns[n-1] {
		t.Errorf("environment steps %v, returns %v, %v; want the last to be the first of 3,000 and more, and evaluated",
			steps, returns, err)
	}
}

// The plan of the paper's grid that comes with the program is 1,050 runs, each under the protocol of its algorithm.
func TestPaperGrid(t *testing.T) {
	plan, err := sweep.Load("ml1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Load("ml2"); err == nil || !strings.Contains(err.Error(), `did you mean "ml1"?`) {
		t.Errorf("a plan that does not exist: %v", err)
	}
	runs, err := plan.Expand()
	if errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil || len(runs) != 50*7*3 {
		t.Fatalf("%d runs, %v; want 1050", len(runs), err)
	}
	protocols := map[string]string{"pearl": "garage-ml1", "pearl-windows": "garage-ml1", "tcl-pearl": "garage-ml1",
		"maml": "garage-ml1-onpolicy", "rl2": "garage-ml1-onpolicy", "mql": "mql", "oracle": "oracle"}
	for _, r := range runs {
		want, err := protocol.Preset(protocols[r.System])
		if err != nil {
			t.Fatal(err)
		}
		if r.System == "mql" {
			want.Scored = 2 // evaluation episodes, as published with it
		}
		got := r.Config.Evaluation.Protocol
		got.Extend, want.Extend, want.Repeats = false, false, got.Repeats
		if got != want || r.Config.EnvSteps != 1_000_000 || r.Config.Algorithm != r.System {
			t.Fatalf("%s: %+v, want %+v", r.Name, got, want)
		}
	}
}
