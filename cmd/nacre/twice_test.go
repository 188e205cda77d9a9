package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
)

// A preset in a file of settings is used, and two presets, seeds, algorithms or families are refused.
func TestSettingsGivenTwice(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.toml")
	const text = "preset = \"quick/point-goal\"\nseed = 7\n[pearl]\nlatent = 3\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	args := trainArgs(run)
	for i, a := range args {
		if a == "--preset" {
			args[i], args[i+1] = "--config", file
		}
	}
	must(t, append(args, "--set", "pearl.iterations=1")...)
	got, err := os.ReadFile(filepath.Join(run, experiment.ConfigFile))
	if err != nil || !strings.Contains(string(got), "preset = 'quick/point-goal'") ||
		!strings.Contains(string(got), "\nlatent = 3\n") || !strings.Contains(string(got), "family = 'point-goal'") {
		t.Errorf("%s, %v", got, err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-p", "study/point-goal", "-c", file},
			`c.toml has preset = "quick/point-goal", and --preset is study/point-goal`},
		{[]string{"-p", "quick/point-goal", "--set", "preset=study/point-goal"},
			"choose the preset with --preset study/point-goal"},
		{[]string{"-p", "quick/point-goal", "--set", "seed=5", "-s", "1"},
			"--set seed=5, and --seed is 1: expected one of them"},
		{[]string{"-p", "quick/point-goal", "--set", "algorithm=maml", "-a", "pearl"},
			"--set algorithm=maml, and --algorithm is pearl"},
		{[]string{"-p", "quick/point-goal", "--set", "family=cheetah-vel", "-f", "point-goal"},
			"--set family=cheetah-vel, and --family is point-goal"},
		{[]string{"-p", "quick/point-goal", "--set", " seed = 0", "--seed", "3"}, "and --seed is 3"},
		{[]string{"-c", file, "--config", "b.toml"}, "c.toml\": expected one of them"},
		{[]string{"-p", "quick/point-goal", "-p", "study/point-goal"}, `given before as "quick/point-goal"`},
		{[]string{"-c", file, "-a", "pearl", "-a", "maml"}, `given before as "pearl"`},
	} {
		status, _, stderr := nacre(t.Context(), append([]string{"train", "-o", filepath.Join(dir, "no")}, c.args...)...)
		if status != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: %d, %s, want %s", c.args, status, stderr, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "no")); err == nil {
		t.Error("a refused training left a folder")
	}
}
