package experiment_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	_ "nacre/sim/families"
)

// What is kept after the last iteration is what training leaves, also of a run that was interrupted and resumed;
// keeping changes nothing else.
func TestKept(t *testing.T) {
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := experiment.Change(&cfg, "pearl.iterations=3", "pearl.hidden=8", "pearl.encoder_hidden=8",
		"pearl.updates_per_iteration=4", "pearl.meta_batch=2", "pearl.batch=8",
		"train_tasks=3", "test_tasks=2"); err != nil {
		t.Fatal(err)
	}
	train := func(host experiment.Host, stop bool) string {
		dir := filepath.Join(t.TempDir(), "run")
		host.Workers = 1
		run, err := experiment.Start(dir, cfg, host)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if stop {
			cancel()
		}
		err = run.Train(ctx, nil)
		cancel()
		if closed := run.Close(); closed != nil || (err == nil) == stop {
			t.Fatal(err, closed)
		}
		if stop {
			if run, _, err = experiment.Resume(dir, host); err != nil {
				t.Fatal(err)
			}
			if err := run.Train(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			run.Close()
		}
		return dir
	}
	read := func(parts ...string) []byte {
		b, err := os.ReadFile(filepath.Join(parts...))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	none, each, resumed := train(experiment.Host{}, false), train(experiment.Host{Keep: 1}, false),
		train(experiment.Host{Keep: 1}, true)
	if kept, err := experiment.Kept(none); err != nil || kept != nil {
		t.Errorf("a run that keeps nothing has %v (%v)", kept, err)
	}
	for _, name := range []string{"000000", "000001", "000002", "000003"} {
		if !bytes.Equal(read(each, experiment.KeptFolder, name+".safetensors"),
			read(resumed, experiment.KeptFolder, name+".safetensors")) {
			t.Errorf("the weights %s of the resumed run are others", name)
		}
	}
	if last := read(each, experiment.KeptFolder, "000003.safetensors"); !bytes.Equal(last,
		read(each, experiment.WeightsFile)) || !bytes.Equal(last, read(none, experiment.WeightsFile)) {
		t.Error("the weights kept last are not those of the end")
	}
	if _, err := experiment.LoadKept(each, 7, experiment.Host{}); err == nil ||
		!strings.Contains(err.Error(), "expected one of [0 1 2 3]") {
		t.Errorf("weights that are not there: %v", err)
	}
	a, err := experiment.LoadKept(each, 1, experiment.Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
}
