package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment/paper"
	"nacre/internal/heavy"
	"nacre/internal/measurement"
	"nacre/sim"
)

func TestHiddenGoalsAreRows(t *testing.T) {
	for name := range hiddenGoals {
		if paper.Table1().Row(name) == nil {
			t.Errorf("%s has a hidden goal and is no row of table 1", name)
		}
	}
}

// What a goal-blind and a goal-knowing hand can get was computed before this package existed, in thousands.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name        string
		object      place
		goals       box
		blind, told float64
	}{
		{"plate-slide-back", place{0, 0.85}, box{place{-0.1, 0.6}, place{0.1, 0.6}}, 247, 451},
		{"plate-slide-side", place{0, 0.6}, box{place{-0.3, 0.6}, place{-0.25, 0.7}}, 321, 456},
	} {
		blind, told, err := hiddenGoals[c.name].bounds([]place{c.object}, c.goals, 200)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(blind*rate-c.blind) > 2 || math.Abs(told*rate-c.told) > 1 {
			t.Errorf("%s: blind %.1f and told %.1f, want %g and %g", c.name, blind*rate, told*rate, c.blind, c.told)
		}
	}
	at := place{0.1, 0.8, 0.02}
	for name, h := range hiddenGoals { // a goal that is always at one place is as good as told
		blind, told, err := h.bounds([]place{{0, 0.5, 0.02}}, box{at, at}, 200)
		if err != nil || math.Abs(blind-told) > 1e-6*math.Abs(told) {
			t.Errorf("%s, one goal: blind %.3f, told %.3f (%v)", name, blind, told, err)
		}
	}
	if _, _, err := hiddenGoals["push"].bounds([]place{at}, box{at, at}, 200); err == nil ||
		!strings.Contains(err.Error(), "0 goals of a million") {
		t.Errorf("goals that are too near: %v", err)
	}
}

// holding are families whose controller brings the thing to its goal and stays there.
var holding = []string{"push", "push-back", "reach", "reach-wall", "hand-insert", "plate-slide-back-side"}

// No step of the goal-knowing controller pays more than what the bounds are made of, and those that hold a thing at its
// goal come near.
func TestPaysIsWhatFamiliesPay(t *testing.T) {
	heavy.Skip(t, "compiles a scene for every family")
	for name, h := range hiddenGoals {
		p, err := lookup(t.Context(), "ml1-2020/"+name)
		if errors.Is(err, errOpen) || errors.Is(err, sim.ErrUnavailable) {
			t.Logf("%s: not compared: %v", name, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		_, tasks, err := p.family.Tasks(0, 1, 6)
		if err != nil {
			t.Fatal(err)
		}
		var list []sim.Episode
		for _, task := range tasks {
			list = append(list, sim.Episode{Task: task})
		}
		act, err := sim.GoalPolicy(p.family, list)
		if err != nil {
			t.Fatal(err)
		}
		made, err := p.Rollout(t.Context(), list, act, steps)
		if err != nil {
			t.Fatal(err)
		}
		near := 0.0
		for _, e := range made {
			goal := place(e.Task.Params[3:6]).plus(h.by)
			most := h.pays(place{float64(e.Obs[3]), float64(e.Obs[4]), float64(e.Obs[5])}, goal, goal)
			paid := float64(slices.Max(e.Reward))
			near = max(near, paid/most)
			if paid > 1.01*most {
				t.Errorf("%s, task %d: a step paid %.1f, and at most %.1f was expected", name, e.Task.ID, paid, most)
			}
		}
		t.Logf("%s: the best step paid %.3f of the most expected", name, near)
		if slices.Contains(holding, name) && near < 0.9 {
			t.Errorf("%s: the best step paid %.3f of the most expected, want 0.9", name, near)
		}
	}
}

// SciPy 1.17.1: ttest_ind(b, a, equal_var=False).confidence_interval().
func TestWelch(t *testing.T) {
	i := welch([]float64{1, 2, 3}, []float64{2, 4, 9})
	if math.Abs(i.Mean-3) > 1e-12 || math.Abs(i.Lo+5.20770157910286) > 1e-6 || math.Abs(i.Hi-11.20770157910286) > 1e-6 {
		t.Errorf("%v (%v to %v), want 3 (-5.2077 to 11.2077)", i.Mean, i.Lo, i.Hi)
	}
}

func write(t *testing.T, folder, text string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "progress.csv"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const (
	olderHead = "TotalEnvSteps,MetaTest/Average/NumTrajs,MetaTest/Average/AverageReturn,MetaTest/Average/SuccessRate\n"
	newerHead = "TotalEnvSteps,MetaTest/Average/NumEpisodes,MetaTest/Average/AverageReturn," +
		"MetaTest/Average/SuccessRate\n"
)

func TestLogs(t *testing.T) {
	root := t.TempDir()
	pearl := filepath.Join(root, "results/pearl")
	write(t, filepath.Join(pearl, "soccer-v1"), olderHead+"900000,10,1,0\n924000,10,1000,0\n1000000,10,3000,0.5\n"+
		"1024000,10,9,0\n")
	write(t, filepath.Join(pearl, "soccer-v1_2"), olderHead+"950000,10,6000,1\n")
	write(t, filepath.Join(root, "results/tcl-pearl/soccer-v1"), olderHead+"950000,10,5000,1\n")
	a := authors{root}
	p, tcl, err := a.old("soccer", []float64{4, 5})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.lasts(); !slices.Equal(got, []float64{2, 6}) || len(tcl) != 1 {
		t.Errorf("PEARL's runs %v and %d of TCL-PEARL, want [2 6] and 1", got, len(tcl))
	}
	if m, _ := p.highest(); !math.IsNaN(m) {
		t.Errorf("the highest mean of 20 evaluations is %v in runs with fewer", m)
	}
	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{"TotalEnvSteps\n1\n", "has no column MetaTest/Average/AverageReturn"},
		{olderHead + "950000,10,x,0\n", "line 2, column MetaTest/Average/AverageReturn"},
		{newerHead + "950000,10,4000,0\n", "without the column NumTrajs"},
		{olderHead + "950000,10,8000,0\n", "the mean is 7.000 and the paper's cell 4.00"},
	} {
		write(t, filepath.Join(pearl, "soccer-v1"), c.text)
		if _, _, err := a.old("soccer", []float64{4, 5}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error that says %q", c.text, err, c.want)
		}
	}
	if _, _, err := a.old("hammer", []float64{0, 0}); err == nil ||
		!strings.Contains(err.Error(), "expected a checkout of") {
		t.Errorf("no logs: %v", err)
	}
	if _, err := a.new("push"); err == nil || !strings.Contains(err.Error(), "0 logs; expected one") {
		t.Errorf("no logs: %v", err)
	}
}

func TestHighest(t *testing.T) {
	l := log{}
	for k := range 30 {
		l.returns, l.success = append(l.returns, float64(k)), append(l.success, float64(k/20))
	}
	if m, s := l.highest(); m != 19.5 || s != 0.5 { // 10 to 29, of which the last ten were successes
		t.Errorf("highest %v with success %v, want 19.5 and 0.5", m, s)
	}
}

// docs/table1.md says these counts in words.
func TestWhatThePageSays(t *testing.T) {
	name, err := measurement.Newest("../..", "table1-parts")
	if err != nil {
		t.Fatal(err)
	}
	m, err := measurement.Load("../..", name)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		part   int
		column string
		value  float64
	}{
		{0, "rows", 25}, {0, "clear_better", 0}, {0, "clear_worse", 0}, {0, "run_beyond", 0},
		{1, "rows", 25}, {1, "better", 17}, {1, "comparable", 4}, {2, "rows", 13}, {3, "rows", 12}, {3, "hidden", 12},
		{4, "beyond", 0},
	}
	for _, w := range want {
		if got := m.Rows[w.part].Cells[w.column]; got.Words != "" || got.Value != w.value {
			t.Errorf("%s, %s: %+v, and docs/table1.md says %g", m.Rows[w.part].Of[0], w.column, got, w.value)
		}
	}
}
