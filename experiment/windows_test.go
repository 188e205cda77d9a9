package experiment_test

import (
	"slices"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
)

// PEARL on windows is PEARL that samples windows, of TCL-PEARL's length and whatever the rest of TCL's table says.
func TestWindowsArePEARLs(t *testing.T) {
	weights := map[string][]float64{}
	for name, settings := range map[string][]string{
		"pearl-windows": {"algorithm=pearl-windows", "tcl.window=10", "tcl.scale=7"},
		"pearl":         {"algorithm=pearl", "pearl.context_sampling=window", "pearl.context=10"},
	} {
		cfg, err := experiment.Preset("quick/point-goal")
		if err != nil {
			t.Fatal(err)
		}
		settings = append(slices.Concat([]string{
			"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=3", "pearl.batch=8", "pearl.context=6",
			"pearl.initial_steps=40", "pearl.tasks_per_iteration=2", "pearl.prior_steps=20",
			"pearl.extra_posterior_steps=20", "pearl.updates_per_iteration=6",
		}, []string{"train_tasks=4", "test_tasks=2", "pearl.iterations=2"}, settings), "seed=3")
		if err := experiment.Change(&cfg, settings...); err != nil {
			t.Fatal(err)
		}
		run, err := experiment.Start(t.TempDir()+"/run", cfg, experiment.Host{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if err := run.Train(t.Context(), progress.Silent()); err != nil {
			t.Fatal(err)
		}
		m := run.Learner.Memory()
		x := make([]float64, 8)
		if err := m.Read("policy/b0", x); err != nil {
			t.Fatal(err)
		}
		weights[name] = x
	}
	if a, b := weights["pearl-windows"], weights["pearl"]; !slices.Equal(a, b) {
		t.Errorf("%v, want %v", a, b)
	}
}
