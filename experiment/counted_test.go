package experiment

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/internal/heavy"
)

// rows changes the lines of a run's metrics below the header.
func rows(t *testing.T, dir string, change func(lines []string) []string) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(string(read(t, dir, MetricsFile)), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	write(t, dir, MetricsFile, strings.Join(append(lines[:1:1], change(lines[1:])...), ""))
}

// cell replaces a cell of a line.
func cell(line string, column int, text string) string {
	cells := strings.Split(line, ",")
	cells[column] = text
	return strings.Join(cells, ",")
}

func standingOf(t *testing.T, dir string) Standing {
	t.Helper()
	run, err := View(dir)
	cfg := Default()
	if err == nil {
		_, err = run.ReadConfig(&cfg)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := run.Standing(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An evaluated run whose files are not those of its whole training is not finished. It says which file, where and what
// to type; verify finds the same; resume says what it repairs, and then the run is what it was.
func TestDamagedRunsAreNotFinished(t *testing.T) {
	heavy.Skip(t, "damages a run in many places")
	whole := wholeRun(t, tinyRun(t, "oracle", "evaluation.every=1"), 4, Host{Workers: 1})
	if s := standingOf(t, whole); !s.Finished || s.Damage != "" || s.Share != 1 {
		t.Fatalf("a whole run: %+v", s)
	}
	some := func(n int) func([]string) []string { return func(l []string) []string { return l[:n] } }
	twice := func(from, to int) func([]string) []string {
		return func(l []string) []string { return append(l, l[from:to]...) }
	}
	for name, c := range map[string]struct {
		harm         func(dir string)
		file         string
		says, repair string
	}{
		"cut": {func(d string) { rows(t, d, some(2)) }, MetricsFile, "metrics.csv ends at iteration 2 of 4",
			"shorter"},
		"no row": {func(d string) { rows(t, d, some(0)) }, MetricsFile, "metrics.csv ends at iteration 0 of 4",
			"shorter"},
		"half a line": {func(d string) {
			text := read(t, d, MetricsFile)
			write(t, d, MetricsFile, string(text[:len(text)-30]))
		}, MetricsFile, "metrics.csv ends within line 5, at iteration 3 of 4", "shorter"},
		"half a line more": {func(d string) { write(t, d, MetricsFile, string(read(t, d, MetricsFile))+"4,96") },
			MetricsFile, "metrics.csv ends within line 6, after the end",
			"1 lines after the end of the run, from line 6"},
		"missing": {func(d string) { os.Remove(filepath.Join(d, MetricsFile)) }, MetricsFile, "metrics.csv is missing",
			"no such file"},
		"rows again": {func(d string) { rows(t, d, twice(2, 4)) }, MetricsFile,
			"metrics.csv has iteration 2 on line 6; expected 4", "2 lines after the end of the run, from line 6"},
		"the first again": {func(d string) { rows(t, d, twice(0, 1)) }, MetricsFile,
			"metrics.csv has iteration 0 on line 6", "1 lines after the end"},
		"a row too many": {func(d string) {
			rows(t, d, func(l []string) []string { return append(l, cell(cell(l[3], 0, "4"), 1, "9999")) })
		}, MetricsFile, "metrics.csv has 5 rows; the run ends after 4", "1 lines after the end"},
		"a row lost": {func(d string) {
			rows(t, d, func(l []string) []string { return append(l[:1:1], l[2:]...) })
		}, MetricsFile, "metrics.csv has iteration 2 on line 3; expected 1", "shorter"},
		"no steps": {func(d string) {
			rows(t, d, func(l []string) []string { l[1] = cell(l[1], 1, "NaN"); return l })
		}, MetricsFile, "metrics.csv has env_steps = NaN on line 3; expected a whole number",
			"the file was changed"},
		"evaluation cut": {func(d string) {
			text := read(t, d, EvaluationFile)
			write(t, d, EvaluationFile, string(text[:len(text)/2]))
		}, EvaluationFile, "evaluation.json: line ", "are evaluated again"},
		"evaluation of nothing": {func(d string) { write(t, d, EvaluationFile, "{}") }, EvaluationFile,
			"evaluation.json: it has no trajectories", "are evaluated again"},
		"evaluation with a null": {func(d string) {
			text := regexp.MustCompile(`(?s)("return": \[\s*\[\s*)[^,\s]+`).ReplaceAllString(string(read(t, d,
				EvaluationFile)), "${1}null")
			write(t, d, EvaluationFile, text)
		}, EvaluationFile, "is null", "are evaluated again"},
		"evaluation of other numbers": {func(d string) {
			run, err := View(d)
			if err != nil {
				t.Fatal(err)
			}
			result, err := run.ReadEvaluation()
			if err != nil {
				t.Fatal(err)
			}
			for i := range result.Tasks {
				result.Tasks[i].Return[0][len(result.Tasks[i].Return[0])-1] += 50
			}
			result.Summary.Adapted = stats.MeanInterval(result.AdaptedByTask())
			text, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			write(t, d, EvaluationFile, string(text))
		}, EvaluationFile, "", "the last row of metrics.csv has"},
		"evaluation empty": {func(d string) { write(t, d, EvaluationFile, "") }, EvaluationFile,
			"evaluation.json: line 1: unexpected end", "are evaluated again"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := clone(t, whole)
			c.harm(dir)
			s := standingOf(t, dir)
			if c.says != "" && (s.Finished || !strings.Contains(s.Damage, c.says) ||
				!strings.HasSuffix(s.Damage, "nacre resume "+dir+" repairs it")) {
				t.Errorf("%+v, want %s", s, c.says)
			}
			if got := states(t, dir); len(got) != 1 || !strings.HasPrefix(got[0], c.file) {
				t.Errorf("verify: %q", got)
			}
			if _, err := Prune(dir); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("prune: %v", err)
			}
			run, notices, err := Resume(dir, Host{Workers: 1})
			end(t, run, err)
			if got := strings.Join(notices, "; "); !strings.Contains(got, c.repair) {
				t.Errorf("resume: %q, want %s", got, c.repair)
			}
			equalRuns(t, dir, whole)
			if s := standingOf(t, dir); !s.Finished || s.Damage != "" {
				t.Errorf("repaired: %+v", s)
			}
		})
	}
	dir := clone(t, whole)
	if _, err := Prune(dir); err != nil {
		t.Fatal(err)
	}
	rows(t, dir, some(1))
	if s := standingOf(t, dir); !strings.Contains(s.Damage, "nacre resume --start-over "+dir) {
		t.Errorf("pruned: %+v", s)
	}
}

// Rows of a run that do not count are named, and those that do give the curve.
func TestEvaluations(t *testing.T) {
	cfg := tinyRun(t, "oracle", "evaluation.every=1")
	length(t, &cfg, 4)
	const head = "iteration,env_steps,updates,adapted_return,adapted_success\n"
	steps := cfg
	steps.EnvSteps = 300
	for name, c := range map[string]struct {
		cfg  Config
		rows string
		want string // returns
		says string
	}{
		"whole":       {cfg, "0,100,1,-1,\n1,200,2,-2,\n2,300,3,,\n3,400,4,-4,\n", "-1 -2 -4", ""},
		"equal steps": {cfg, "0,100,1,-1,\n1,100,2,-2,\n", "-1 -2", ""},
		"back": {cfg, "0,100,1,-1,\n1,200,2,-2,\n2,300,3,-3,\n1,200,2,5,\n", "-1 5",
			"steps of metrics.csv go back once, first to 200 on line 5: the 2 rows above"},
		"back twice": {cfg, "0,100,1,-1,\n0,100,1,3,\n1,200,2,-2,\n1,200,2,5,\n", "3 5",
			"go back 2 times, first to 100 on line 3: the 2 rows"},
		"same rows": {cfg, "0,100,1,-1,\n1,200,2,-2,\n0,100,1,-1,\n1,200,2,-2,\n", "-1 -2",
			"go back once, first to 100 on line 4"},
		"too many": {cfg, "0,1,1,1,\n1,2,2,2,\n2,3,3,3,\n3,4,4,4,\n4,5,5,5,\n5,6,6,6,\n", "1 2 3 4",
			"2 rows after the end of the run, 4 iterations"},
		"beyond steps": {steps, "0,100,1,1,\n1,200,2,2,\n2,310,3,3,\n3,410,4,4,\n", "1 2 3",
			"1 rows after the end of the run, 300 environment steps"},
		"no steps": {cfg, "0,100,1,-1,\n1,,2,-2,\n2,NaN,3,-3,\n3,Inf,4,-4,\n", "-1",
			"3 of 4 rows of metrics.csv have no number of steps, first line 3"},
		"NaN": {cfg, "0,100,1,-1,\n1,200,2,NaN,\n2,300,3,,\n3,400,4,-4,\n", "-1 -4",
			"the return is NaN or infinite in 1 of 4 rows of metrics.csv, first NaN on line 3"},
		"all NaN": {cfg, "0,100,1,NaN,\n1,200,2,nan,\n", "",
			"in 2 of 2 rows of metrics.csv, first NaN on line 2"},
		"infinite": {cfg, "0,100,1,-1,\n1,200,2,+Inf,\n2,300,3,-Inf,\n", "-1",
			"in 2 of 3 rows of metrics.csv, first +Inf on line 3"},
		"half a line": {cfg, "0,100,1,-1,\n1,20", "-1", "metrics.csv ends within line 3, which is left out"},
		"NaN later":   {cfg, "0,100,1,-1,\n1,200,2,-2,\n1,200,2,NaN,\n", "-1", "first NaN on line 4"},
		"success": {cfg, "0,100,1,-1,Inf\n1,200,2,-2,1\n", "-1 -2",
			"the success rate is NaN or infinite in 1 of 2 rows of metrics.csv, first +Inf on line 2"},
	} {
		dir := t.TempDir()
		write(t, dir, MetricsFile, head+c.rows)
		list, _, notes, err := (&Run{Dir: dir}).Evaluations(c.cfg)
		var got []string
		for _, e := range list {
			got = append(got, fmt.Sprint(e.Return))
		}
		said := strings.Join(notes, "; ")
		if err != nil || strings.Join(got, " ") != c.want || !strings.Contains(said, c.says) ||
			c.says == "" && said != "" {
			t.Errorf("%s: %v, %q, %v; want %s, %s", name, got, said, err, c.want, c.says)
		}
	}
}

// A config.toml that ends before its record is refused wherever it is read, and named.
func TestCutConfigurations(t *testing.T) {
	heavy.Skip(t, "reads every cut of a configuration")
	whole := wholeRun(t, tinyRun(t, "oracle"), 2, Host{Workers: 1})
	text := string(read(t, whole, ConfigFile))
	settings := text[:strings.Index(text, "[record]")]
	lines := strings.SplitAfter(settings, "\n")
	for _, cut := range []string{lines[0], strings.Join(lines[:3], ""), strings.Join(lines[:len(lines)/2], ""),
		settings, settings[:600], settings[:len(settings)/3], settings[:len(settings)/2+1]} {
		dir := clone(t, whole)
		write(t, dir, ConfigFile, cut)
		cfg := Default()
		_, err := (&Run{Dir: dir}).ReadConfig(&cfg)
		_, _, resumed := Resume(dir, Host{Workers: 1})
		for _, err := range []error{err, resumed} {
			if err == nil || !strings.Contains(err.Error(), ConfigFile) || strings.Contains(err.Error(), "\n") ||
				!strings.Contains(err.Error(), "remove the file, then nacre resume "+dir+" makes it again") {
				t.Errorf("cut after %d bytes: %v", len(cut), err)
			}
		}
		if got := states(t, dir); len(got) == 0 || got[0] != "config.toml damaged" {
			t.Errorf("cut after %d bytes: verify %q", len(cut), got)
		}
		if err := os.Remove(filepath.Join(dir, ConfigFile)); err != nil {
			t.Fatal(err)
		}
		run, _, err := Resume(dir, Host{Workers: 1})
		end(t, run, err)
		equalRuns(t, dir, whole)
	}
}

// Tasks that are not those of the seed are found by verify and made again by resume, which says so.
func TestAlteredTasks(t *testing.T) {
	whole := wholeRun(t, tinyRun(t, "oracle"), 2, Host{Workers: 1})
	for name, c := range map[string]struct {
		change func(*Tasks)
		says   string
	}{
		"one number": {func(k *Tasks) { k.Test[1].Params[0] += 1e-9 }, "test task 2 as ["},
		"all": {func(k *Tasks) { k.Test[0].Params, k.Test[1].Params = []float64{5, 5}, []float64{5, 5} },
			"test task 1 as [5 5]"},
		"one less": {func(k *Tasks) { k.Train = k.Train[1:] }, "3 train tasks; expected 4"},
		"none":     {func(k *Tasks) { *k = Tasks{Family: k.Family} }, "0 train tasks; expected 4"},
		"swapped":  {func(k *Tasks) { k.Train[0], k.Train[1] = k.Train[1], k.Train[0] }, "train task 1 as"},
		"longer":   {func(k *Tasks) { k.Train[2].Params = append(k.Train[2].Params, 1) }, "train task 3 as"},
		"an id":    {func(k *Tasks) { k.Train[3].ID = 7 }, "with id 7"},
	} {
		dir := clone(t, whole)
		var k Tasks
		if err := json.Unmarshal(read(t, dir, TasksFile), &k); err != nil {
			t.Fatal(err)
		}
		c.change(&k)
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, TasksFile, string(text))
		if got := states(t, dir); len(got) != 1 || got[0] != "tasks.json damaged" {
			t.Errorf("%s: verify %q", name, got)
		}
		run, notices, err := Resume(dir, Host{Workers: 1})
		end(t, run, err)
		if got := strings.Join(notices, "; "); !strings.Contains(got, c.says) || !strings.Contains(got, "made again") {
			t.Errorf("%s: %q, want %s", name, got, c.says)
		}
		equalRuns(t, dir, whole)
	}
}
