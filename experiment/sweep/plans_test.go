//go:build unix

package sweep_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/rl/protocol"
)

// written leaves what training would: a run of the sweep that is finished.
func written(t *testing.T, f *sweep.Folder, names ...string) {
	t.Helper()
	for _, r := range f.Runs {
		if len(names) > 0 && !slices.Contains(names, r.Name) {
			continue
		}
		if _, err := os.Stat(f.RunDir(r)); err == nil {
			continue
		}
		run, err := experiment.Create(f.RunDir(r))
		if err != nil {
			t.Fatal(err)
		}
		iterations, _, err := r.Config.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		result := protocol.Result{Protocol: protocol.Protocol{Scored: 1, Repeats: 1}, Tasks: []protocol.TaskResult{{
			Return: [][]float64{{1}}, Success: [][]bool{{false}}, Len: [][]int{{1}}}}}
		result.Summary.Adapted = stats.MeanInterval([]float64{1})
		evaluation, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		rows := "iteration,env_steps,updates,adapted_return,adapted_success\n"
		for i := range iterations {
			rows += fmt.Sprintf("%d,%d,%d,1,0\n", i, 100*(i+1), 10*(i+1))
		}
		_, err = run.Begin(r.Config, experiment.NewProcess())
		err = errors.Join(err, run.Close(), os.WriteFile(run.Path(experiment.MetricsFile), []byte(rows), 0o644),
			os.WriteFile(run.Path(experiment.EvaluationFile), evaluation, 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// planned is a plan of two systems and some seeds in a folder.
func planned(out string, seeds ...uint64) sweep.Plan {
	return sweep.Plan{Name: "plan", Out: out, Families: []string{"point-goal"}, Seeds: seeds,
		Preset: "quick/point-goal",
		Systems: []sweep.System{{Algorithm: "pearl"},
			{Name: "wide", Algorithm: "pearl", Set: []string{"pearl.hidden=70"}}}}
}

// told returns what status counts and which runs collect has rows of, for a plan that is only looked at.
func told(t *testing.T, p sweep.Plan) (states, rows, others string) {
	t.Helper()
	f, err := sweep.OpenPlan(p)
	if err != nil {
		t.Fatal(err)
	}
	status, err := f.Status()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, s := range status {
		words = append(words, string(s.State))
	}
	table := filepath.Join(t.TempDir(), "results.csv")
	if err := f.Collect(table, status); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		name, _, _ := strings.Cut(line, ",")
		names = append(names, strings.TrimPrefix(name, "point-goal-"))
	}
	var left []string
	for _, r := range f.Others {
		left = append(left, r.System+strings.TrimPrefix(r.Name, "point-goal-"+r.System))
	}
	return strings.Join(words, " "), strings.Join(names, " "), strings.Join(left, " ")
}

// Whatever plans worked in a folder: status counts the runs of the plan named, and no finished run loses its row.
func TestPlansOfOneFolder(t *testing.T) {
	const both = "pearl-seed1 wide-seed1 pearl-seed2 wide-seed2"
	only := func(p sweep.Plan, systems ...sweep.System) sweep.Plan { p.Systems = systems; return p }
	wide := planned("").Systems[1]
	for name, c := range map[string]struct {
		ran                  []sweep.Plan
		asked                sweep.Plan
		states, rows, others string
	}{
		"smaller in seeds, the larger asked": {[]sweep.Plan{planned("", 1, 2), planned("", 2)}, planned("", 1, 2),
			"finished finished finished finished", both, ""},
		"smaller in seeds, itself asked": {[]sweep.Plan{planned("", 1, 2), planned("", 2)}, planned("", 2),
			"finished finished", "pearl-seed2 wide-seed2 pearl-seed1 wide-seed1", "pearl-seed1 wide-seed1"},
		"a seed that was never run": {[]sweep.Plan{planned("", 1)}, planned("", 1, 3),
			"finished finished waiting waiting", "pearl-seed1 wide-seed1 pearl-seed3 wide-seed3", ""},
		"plans that share nothing": {[]sweep.Plan{planned("", 1), planned("", 2)}, planned("", 1),
			"finished finished", both, "pearl-seed2 wide-seed2"},
		"a system less": {[]sweep.Plan{planned("", 1), only(planned("", 1), wide)},
			only(planned("", 1), wide), "finished", "wide-seed1 pearl-seed1", "pearl-seed1"},
		"a system by another name": {[]sweep.Plan{planned("", 1)},
			only(planned("", 1), sweep.System{Name: "broad", Algorithm: "pearl"}), "waiting",
			"broad-seed1 pearl-seed1 wide-seed1", "pearl-seed1 wide-seed1"},
		"seeds in another order": {[]sweep.Plan{planned("", 1, 2)}, planned("", 2, 1),
			"finished finished finished finished", "pearl-seed2 wide-seed2 pearl-seed1 wide-seed1", ""},
		"three plans, one after another": {[]sweep.Plan{planned("", 1), planned("", 2), planned("", 3)},
			planned("", 3), "finished finished", "pearl-seed3 wide-seed3 pearl-seed2 wide-seed2 pearl-seed1 wide-seed1",
			"pearl-seed1 wide-seed1 pearl-seed2 wide-seed2"},
		"a larger plan that was never prepared": {[]sweep.Plan{planned("", 2)}, planned("", 1, 2),
			"waiting waiting finished finished", both, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			for _, p := range c.ran {
				p.Out = out
				written(t, prepare(t, p))
			}
			c.asked.Out = out
			states, rows, others := told(t, c.asked)
			if states != c.states || rows != c.rows || sorted(others) != sorted(c.others) {
				t.Errorf("states %q, want %q; rows %q, want %q; others %q, want %q", states, c.states, rows, c.rows,
					others, c.others)
			}
			// The folder itself, without a plan, has all that was begun.
			f, err := sweep.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(filepath.Join(out, "runs"))
			if err != nil || len(f.Runs) != len(entries) {
				t.Errorf("the folder has %d runs and tells of %d, %v", len(entries), len(f.Runs), err)
			}
		})
	}
}

func sorted(words string) string {
	list := strings.Fields(words)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// Older programs left in the manifest only what the last plan named; what they ran is found by its configuration.
func TestCutManifest(t *testing.T) {
	plan := planned(t.TempDir(), 1, 2)
	f := prepare(t, plan)
	written(t, f, f.Runs[0].Name, f.Runs[3].Name) // pearl-seed1, wide-seed2
	text, err := json.Marshal(sweep.Folder{Name: "plan", Runs: f.Runs[2:]})
	if err == nil {
		err = os.WriteFile(filepath.Join(plan.Out, sweep.ManifestFile), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if states, rows, _ := told(t, plan); states != "finished waiting waiting finished" ||
		rows != "pearl-seed1 wide-seed1 pearl-seed2 wide-seed2" {
		t.Errorf("%s; %s", states, rows)
	}
	opened, err := sweep.Open(plan.Out)
	if err != nil || len(opened.Runs) != 3 || opened.Runs[2].System != "pearl" || opened.Runs[2].Seed != 1 ||
		opened.Runs[2].Family != "point-goal" {
		t.Errorf("%+v, %v", opened, err)
	}
}

// A plan whose settings are not those of a run that was begun is refused by all that reads plans, with the setting.
func TestOtherSettings(t *testing.T) {
	out := t.TempDir()
	written(t, prepare(t, planned(out, 1)))
	for want, change := range map[string]func(*sweep.Plan){
		"pearl.iterations = 9, it was ": func(p *sweep.Plan) { p.Set = []string{"pearl.iterations=9"} },
		"pearl.latent = 3, it was 5":    func(p *sweep.Plan) { p.Set = []string{"pearl.latent=3"} },
		"env_steps = 5000, it was 0":    func(p *sweep.Plan) { p.EnvSteps = 5000 },
		"pearl.hidden = 71, it was 70":  func(p *sweep.Plan) { p.Systems[1].Set = []string{"pearl.hidden=71"} },
		`algorithm = "tcl-pearl", it was "pearl"`: func(p *sweep.Plan) {
			p.Systems[0] = sweep.System{Name: "pearl", Algorithm: "tcl-pearl"}
		},
	} {
		p := planned(out, 1, 2)
		change(&p)
		_, prepared := sweep.Prepare(p)
		_, opened := sweep.OpenPlan(p)
		for _, err := range []error{prepared, opened} {
			if err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), "-seed1 was begun with another configuration") {
				t.Errorf("error %v, want one with %s", err, want)
			}
		}
	}
	// What was refused has changed nothing.
	if states, _, _ := told(t, planned(out, 1)); states != "finished finished" {
		t.Error(states)
	}
}

// A plan that is longer than what was trained: its runs are not finished, until they are trained on.
func TestPlanLongerThanPrepared(t *testing.T) {
	out := t.TempDir()
	short, long := planned(out, 1), planned(out, 1)
	short.Set, long.Set = []string{"pearl.iterations=1"}, []string{"pearl.iterations=2"}
	written(t, prepare(t, short))
	if states, _, _ := told(t, long); states != "interrupted interrupted" {
		t.Errorf("the longer plan: %s", states)
	}
	if states, _, _ := told(t, short); states != "finished finished" {
		t.Errorf("the plan itself: %s", states)
	}
}

// Before a sweep there is nothing to tell.
func TestNothingBegun(t *testing.T) {
	if _, err := sweep.OpenPlan(planned(filepath.Join(t.TempDir(), "none"), 1)); err == nil ||
		!strings.Contains(err.Error(), "is not the folder of a sweep") {
		t.Error(err)
	}
}
