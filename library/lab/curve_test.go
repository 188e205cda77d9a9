package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/runs/runstest"
)

// evaluated makes a run folder with evaluations of the form steps → return.
func evaluated(t *testing.T, name string, set []string, points ...[2]float64) string {
	t.Helper()
	dir, err := runstest.Make(t.TempDir(), name, 0, set...)
	if err != nil {
		t.Fatal(err)
	}
	text := "iteration,env_steps,updates,adapted_return,adapted_success\n"
	for i, p := range points {
		text += fmt.Sprintf("%d,%v,%d,%v,\n", i, p[0], i, p[1])
	}
	if err := os.WriteFile(filepath.Join(dir, experiment.MetricsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A notebook draws what nacre curves draws: seeds without a step in common have one line and their range.
func TestCurveOverSeeds(t *testing.T) {
	three := evaluated(t, "3", []string{"seed=3"}, [2]float64{3633, 169.7}, [2]float64{5654, 27.5},
		[2]float64{7702, 17.2})
	four := evaluated(t, "4", []string{"seed=4"}, [2]float64{3642, 53.5}, [2]float64{5657, 13.4},
		[2]float64{7690, 25.2})
	runs, err := OpenAll(three, four)
	if err != nil {
		t.Fatal(err)
	}
	c := runs.Curve()
	if c.Err() != nil || len(c.Panels) != 1 || len(c.Panels[0].Marks) != 1 || len(c.Notes) != 0 {
		t.Fatalf("%v", c)
	}
	m := c.Panels[0].Marks[0]
	if !slices.Equal(m.X, []float64{3642, 5654, 5657, 7690}) || m.Hi[3] != 25.2 || m.Lo[2] != 13.4 {
		t.Errorf("%+v", m)
	}
	one, err := Open(three)
	if err != nil {
		t.Fatal(err)
	}
	if m := one.Curve().Panels[0].Marks[0]; len(m.X) != 3 || m.Lo != nil {
		t.Errorf("one seed: %+v", m)
	}
}

func TestCurveRefusesAndSays(t *testing.T) {
	point := [2]float64{100, 1}
	a, b := evaluated(t, "a", []string{"seed=1"}, point), evaluated(t, "b", []string{"seed=2", "test_tasks=5"}, point)
	open := func(dirs ...string) Runs {
		runs, err := OpenAll(dirs...)
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	if c := open(a, b).Curve(); c.Err() != nil ||
		!slices.Equal(c.Notes, []string{"TCL-PEARL: the seeds have 2 different configurations"}) {
		t.Errorf("%q, %v", c.Notes, c.Err())
	}
	copied := evaluated(t, "c", []string{"seed=1"}, point)
	if c := open(a, copied).Curve(); c.Err() == nil ||
		!strings.Contains(c.Err().Error(),
			"are the same system, family and seed: give one of them, or choose runs with Where") {
		t.Errorf("copies: %v", c.Err())
	}
	algorithm := evaluated(t, "d", []string{"seed=1", "algorithm=pearl"}, point)
	family := evaluated(t, "e", []string{"seed=2", "family=point-goal-sparse", "algorithm=pearl"}, point)
	c := open(a, algorithm).Curve()
	if c.Err() != nil || !slices.Equal(c.Names, []string{"TCL-PEARL", "PEARL"}) {
		t.Errorf("lines %q, %v", c.Names, c.Err())
	}
	if c := open(a, family).Curve(); c.Err() != nil || len(c.Panels) != 2 {
		t.Errorf("two families: %v", c)
	}
	varied := open(a, b)
	varied[0].at, varied[1].at = []setting{{"latent", "2"}, {"x", "1"}}, []setting{{"latent", "3"}, {"x", "1"}}
	if c := varied.Curve(); !slices.Equal(c.Names, []string{"2", "3"}) || c.By != "latent" {
		t.Errorf("varied: %q by %q, %v", c.Names, c.By, c.Err())
	}
	varied[1].at[1].value = "5"
	if c := varied.Curve(); !slices.Equal(c.Names, []string{"latent 2, x 1", "latent 3, x 5"}) {
		t.Errorf("two settings: %q, %v", c.Names, c.Err())
	}
}

// The log of another program is a run that can be read and drawn, beside Nacre's, and nothing else.
func TestLogOfAnotherProgram(t *testing.T) {
	ours := evaluated(t, "ours", []string{"seed=1"}, [2]float64{100, 1}, [2]float64{200, 2})
	dir := filepath.Join(t.TempDir(), "ppo", "seed4")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "progress.csv"),
		[]byte("time/total_timesteps,eval/mean_reward,mine\n100,3,7\n150,,\n200,5,8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	runs, err := OpenAll(ours, dir)
	if err != nil {
		t.Fatal(err)
	}
	c := runs.Curve()
	if c.Err() != nil || len(c.Panels) != 2 ||
		!slices.Equal(c.Names, []string{"TCL-PEARL", "ppo (Stable-Baselines3)"}) {
		t.Fatalf("%q, %v", c.Names, c.Err())
	}
	if len(c.Notes) != 2 || !strings.HasSuffix(c.Notes[1],
		"the return is missing in 1 of 3 rows, first at step 150: they are left out") ||
		!strings.HasSuffix(c.Notes[0],
			`Stable-Baselines3's log: steps from "time/total_timesteps", return from "eval/mean_reward"`) {
		t.Errorf("said %q", c.Notes)
	}
	metrics := runs.Metrics()
	if v, err := metrics.Numbers("adapted_return"); err != nil || len(v) != 5 || v[2] != 3 {
		t.Errorf("returns %v, %v", v, err)
	}
	if v, err := runs.Summary().Numbers("return"); err != nil || v[1] != 5 {
		t.Errorf("summary %v, %v", v, err)
	}
	one, err := Open(dir)
	if err != nil || one.Title() != "ppo (Stable-Baselines3) on environment not named, seed 4" {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := one.Rollout(0); err == nil || !strings.Contains(err.Error(), "is the log of another program") {
		t.Errorf("rollout: %v", err)
	}
	mine, err := OpenLogs("", "mine", dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := mine.Curve().Panels[0].Marks[0]; !slices.Equal(m.Y, []float64{7, 8}) {
		t.Errorf("the chosen column: %v", m.Y)
	}
}
