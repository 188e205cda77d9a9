package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
)

// A run that is stopped in its first collection stops at once, says that nothing was saved, and is, continued, the run
// that was never stopped, byte for byte. Of a collection that would take minutes nothing else would do.
func TestStoppedInTheFirstCollection(t *testing.T) {
	for _, algorithm := range []string{"pearl", "tcl-pearl"} {
		t.Run(algorithm, func(t *testing.T) { stoppedInTheFirst(t, algorithm) })
	}
}

func stoppedInTheFirst(t *testing.T, algorithm string) {
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Algorithm = algorithm
	if err := experiment.Change(&cfg, "pearl.iterations=2", "pearl.updates_per_iteration=2",
		"pearl.tasks_per_iteration=2", "train_tasks=16",
		"test_tasks=2", "pearl.initial_steps=40", "pearl.hidden=8", "pearl.encoder_hidden=8"); err != nil {
		t.Fatal(err)
	}
	begin := func(name string) *experiment.Training {
		t.Helper()
		tr, err := experiment.Start(filepath.Join(t.TempDir(), name), cfg, experiment.Host{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	finish := func(tr *experiment.Training) (metrics, weights string) {
		t.Helper()
		if err := errors.Join(tr.Train(t.Context(), progress.Silent()), tr.Close()); err != nil {
			t.Fatal(err)
		}
		for name, to := range map[string]*string{experiment.MetricsFile: &metrics, experiment.WeightsFile: &weights} {
			data, err := os.ReadFile(filepath.Join(tr.Dir(), name))
			if err != nil {
				t.Fatal(err)
			}
			*to = string(data)
		}
		return metrics, weights
	}
	metrics, weights := finish(begin("whole"))

	stopped := errors.New("told to stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	tr := begin("stopped")
	err = errors.Join(tr.Train(ctx, progress.Silent()), tr.Close())
	if !errors.Is(err, stopped) ||
		!strings.Contains(err.Error(), "in the first collection, before which there is nothing to save") {
		t.Fatalf("stopped: %v", err)
	}
	if _, err := os.Stat(filepath.Join(tr.Dir(), experiment.CheckpointFile)); !os.IsNotExist(err) {
		t.Errorf("there is a checkpoint of a collection that is incomplete: %v", err)
	}
	again, notices, err := experiment.Resume(tr.Dir(), experiment.Host{Workers: 1})
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "it begins anew") {
		t.Fatalf("%q, %v", notices, err)
	}
	if m, w := finish(again); m != metrics || w != weights {
		t.Errorf("continued, the run ends with\n%s\nwant\n%s", m, metrics)
	}
}

// A first collection that would take long ends within moments of being told to.
func TestFirstCollectionStopsPromptly(t *testing.T) {
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := experiment.Change(&cfg, "pearl.initial_steps=100000", "pearl.buffer_capacity=1000"); err != nil {
		t.Fatal(err)
	}
	tr, err := experiment.Start(filepath.Join(t.TempDir(), "run"), cfg, experiment.Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := tr.Train(ctx, progress.Silent()); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "first collection") {
		t.Errorf("%v", err)
	}
}
