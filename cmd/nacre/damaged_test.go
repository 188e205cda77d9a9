package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/internal/heavy"
)

// seeds trains three small runs and returns their folder.
func seeds(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, seed := range []string{"1", "2", "3"} {
		must(t, trainArgs(filepath.Join(dir, "p"+seed), "--seed", seed, "--set", "pearl.iterations=3")...)
	}
	return dir
}

// spoil changes a file of a run.
func spoil(t *testing.T, dir, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(change(string(text))), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// first returns the first n lines.
func first(text string, n int) string { return strings.Join(strings.SplitAfter(text, "\n")[:n], "") }

// One damaged run is named with its cure by every command that lists runs, and the others are drawn and counted.
func TestOneDamagedRun(t *testing.T) {
	heavy.Skip(t, "trains a sweep")
	whole := seeds(t)
	for name, c := range map[string]struct {
		file   string
		change func(string) string
		says   string // in curves and table
		seeds  string // in curves
	}{
		"metrics cut": {experiment.MetricsFile, func(s string) string { return first(s, 3) },
			"p2: metrics.csv ends at iteration 2 of 3, although the run was evaluated: nacre resume ", "2 seeds"},
		"half a line": {experiment.MetricsFile, func(s string) string { return s[:len(s)-20] },
			"p2: metrics.csv ends within line 4, at iteration 2 of 3", "2 seeds"},
		"evaluation cut": {experiment.EvaluationFile, func(s string) string { return s[:len(s)/2] },
			"evaluation.json: line ", "3 seeds"},
		"rows again": {experiment.MetricsFile, func(s string) string {
			return s + strings.Join(strings.SplitAfter(s, "\n")[2:], "")
		}, "the steps of metrics.csv go back once, first to ", "3 seeds"},
		"a word": {experiment.MetricsFile, func(s string) string { return strings.Replace(s, "\n1,", "\nx,", 1) },
			`p2 is left out: metrics: `, "2 seeds"},
		"configuration cut": {experiment.ConfigFile, func(s string) string { return first(s, 9) },
			"without a table [record]", "2 seeds"},
		"unknown key": {experiment.ConfigFile, func(s string) string {
			return strings.Replace(s, "\nlatent = ", "\nnew_key_of_2027 = 3\nlatent = ", 1)
		}, "unknown key pearl.new_key_of_2027", "2 seeds"},
		"NaN": {experiment.MetricsFile, func(s string) string { return nanReturns(s, "NaN") },
			"p2: the return is NaN or infinite in ", "2 seeds"},
		"infinite": {experiment.MetricsFile, func(s string) string { return nanReturns(s, "+Inf") },
			"p2: the return is NaN or infinite in ", "2 seeds"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			spoil(t, filepath.Join(dir, "p2"), c.file, c.change)
			out := filepath.Join(t.TempDir(), "x.svg")
			for _, args := range [][]string{{"curves", dir, "-o", out}, {"table", "runs", dir},
				{"curves", filepath.Join(dir, "p1"), filepath.Join(dir, "p2"), filepath.Join(dir, "p3"), "-o", out}} {
				status, stdout, stderr := nacre(t.Context(), args...)
				if status != 0 || !strings.Contains(stdout+stderr, c.says) {
					t.Errorf("%v: %d\n%s%s\nwant %s", args, status, stdout, stderr, c.says)
				}
				if args[0] == "curves" && !strings.Contains(stdout, c.seeds) {
					t.Errorf("%v: %s, want %s", args, stdout, c.seeds)
				}
				if args[0] == "table" && strings.Contains(stdout, "Inf") && !strings.Contains(stdout, "infinite") {
					t.Errorf("table: %s", stdout)
				}
			}
			if strings.HasPrefix(c.says, "p2: the return") {
				return // the run is whole but for its returns
			}
			_, stdout, _ := nacre(t.Context(), "runs", dir)
			if !strings.Contains(stdout, "2 finished") && !strings.Contains(stdout, "1 interrupted, 2 finished") ||
				!strings.Contains(stdout, "p2: ") {
				t.Errorf("runs: %s", stdout)
			}
			if status, stdout, _ := nacre(t.Context(), "verify", "run", filepath.Join(dir, "p2")); status == 0 &&
				name != "unknown key" {
				t.Errorf("verify: %s", stdout)
			}
		})
	}
}

// nanReturns replaces every return of a metrics file.
func nanReturns(text, by string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	column := -1
	for i, name := range strings.Split(lines[0], ",") {
		if name == "adapted_return" {
			column = i
		}
	}
	for i := range lines[1:] {
		cells := strings.Split(lines[i+1], ",")
		if cells[column] != "" {
			cells[column] = by
		}
		lines[i+1] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

// A copy of a run is refused whatever its seed says and however short it is.
func TestCopiedRuns(t *testing.T) {
	run := filepath.Join(t.TempDir(), "p1")
	must(t, trainArgs(run, "--seed", "1", "--set", "pearl.iterations=3")...)
	for _, n := range []int{4, 3, 2} { // lines of the copy's metrics
		dir := t.TempDir()
		for _, to := range []string{"p1", "p9"} {
			if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(run)); err != nil {
				t.Fatal(err)
			}
		}
		p9 := filepath.Join(dir, "p9")
		spoil(t, p9, experiment.ConfigFile, func(s string) string {
			return strings.Replace(s, "\nseed = 1\n", "\nseed = 9\n", 1)
		})
		spoil(t, p9, experiment.MetricsFile, func(s string) string { return first(s, n) })
		for _, args := range [][]string{{"curves", dir, "-o", filepath.Join(dir, "x.svg")}, {"table", "runs", dir}} {
			fails(t, args, "p1 and "+p9+" have the same numbers at every step that both have")
		}
	}
}
