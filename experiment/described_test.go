package experiment

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/experiment/progress"
	"nacre/internal/fatal"
	"nacre/internal/safetensors"
	"nacre/rl"
	"nacre/rl/weights"
)

// viewed trains an agent for a moment whose networks see their inputs through views.
func viewed(t *testing.T, algorithm string, settings ...string) string {
	t.Helper()
	cfg, err := Preset("quick/point-goal")
	fatal.On(t, err)
	cfg.Algorithm = algorithm
	fatal.On(t, Change(&cfg, append([]string{"train_tasks=4", "test_tasks=2"}, settings...)...))
	dir := filepath.Join(t.TempDir(), "run")
	run, err := Start(dir, cfg, Host{Workers: 1})
	fatal.On(t, err)
	fatal.On(t, run.Train(context.Background(), progress.Silent()), run.Close())
	return dir
}

var brief = []string{"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=3", "pearl.batch=8",
	"pearl.context=8", "pearl.initial_steps=20", "pearl.updates_per_iteration=3", "pearl.tasks_per_iteration=2",
	"pearl.iterations=1"}

// A file of weights whose networks see their inputs through views says so, and a reader who knows nothing of it finds
// no first layers. Files in the older form, without a description and with parameters' names, are read as before and
// are not called lost.
func TestDescribedWeights(t *testing.T) {
	dir := viewed(t, "pearl", append(brief, "pearl.rewards=symlog", "pearl.observations=standardised")...)
	path, written := filepath.Join(dir, WeightsFile), read(t, dir, WeightsFile)
	file, err := safetensors.Load(path)
	fatal.On(t, err)
	d, ok, err := weights.Parse(file.Metadata)
	fatal.On(t, err)
	if !ok || d.Seen() != "next_observation standardised, observation standardised, reward symlog" ||
		d.Belief != weights.Product {
		t.Errorf("described %v: %+v", ok, d)
	}
	for _, network := range []string{"encoder", "policy", "q1", "q2", "v", "v_target"} {
		for _, layer := range []string{"/w0", "/b0"} {
			_, plain := file.Tensor(network + layer)
			if _, other := file.Tensor(network + layer + "_viewed"); plain || !other {
				t.Errorf("%s%s is stored: %v; under another name: %v", network, layer, plain, other)
			}
		}
		n := d.Networks[network]
		at, sizes := 0, append(append([]int{0}, n.Hidden...), 0)
		for _, p := range n.Inputs {
			sizes[0] += p.Size
		}
		for _, p := range n.Outputs {
			sizes[len(sizes)-1] += p.Size
		}
		for at < len(sizes)-1 {
			name := d.Stored(network + "/w" + string(rune('0'+at)))
			if w, _ := file.Tensor(name); !slices.Equal(w.Shape, sizes[at:at+2]) {
				t.Errorf("%s is %v; described is %v", name, w.Shape, sizes[at:at+2])
			}
			at++
		}
	}

	posteriors := func() any {
		a, err := LoadAgent(dir, Host{Workers: 1})
		fatal.On(t, err)
		defer a.Close()
		g, err := a.Learner.(rl.Encoding).Encoder().Posteriors([][]float32{{.5, -.25, 1, -1, -3, 1, 2, 0, 1, -70}, nil})
		fatal.On(t, err)
		return g
	}
	want := posteriors()
	older, err := ReadWeights(path)
	fatal.On(t, err)
	delete(older.Metadata, weights.Key)
	fatal.On(t, safetensors.Save(path, older.Tensors, older.Metadata))
	if got := posteriors(); !reflect.DeepEqual(got, want) {
		t.Errorf("posteriors of the older form %v, want %v", got, want)
	}
	if bad := states(t, dir); bad != nil {
		t.Errorf("a run with weights in the older form: %v", bad)
	}
	run, notices, err := Resume(dir, Host{Workers: 1})
	fatal.On(t, err, run.Close())
	if strings.Contains(strings.Join(notices, " "), WeightsFile) || !slices.Equal(read(t, dir, WeightsFile), written) {
		t.Errorf("resuming says %q; want nothing of weights, and these in today's form", notices)
	}

	edit(t, dir, "rewards = 'symlog'", "rewards = 'raw'")
	if _, err := LoadAgent(dir, Host{Workers: 1}); err == nil || !strings.Contains(err.Error(), "see next_observation "+
		"standardised, observation standardised, reward symlog; those of config.toml see next_observation "+
		"standardised, observation standardised: one of the two files was changed") {
		t.Errorf("%v; want an error about the views", err)
	}
}

// The oracle's view of the task stands in the description, in numbers.
func TestDescribedOracle(t *testing.T) {
	dir := viewed(t, "oracle", "oracle.hidden=8", "oracle.meta_batch=3", "oracle.batch=8", "oracle.initial_steps=20",
		"oracle.steps_per_task=20", "oracle.tasks_per_iteration=2", "oracle.updates_per_iteration=3",
		"oracle.iterations=1", "evaluation.protocol.explore=0")
	file, err := safetensors.Load(filepath.Join(dir, WeightsFile))
	fatal.On(t, err)
	d, _, err := weights.Parse(file.Metadata)
	fatal.On(t, err)
	_, train, _, err := (&Run{Dir: dir}).ReadTasks()
	fatal.On(t, err)
	view := d.Views["task"]
	if len(view.Mean) != 2 || len(view.Scale) != 2 {
		t.Fatalf("%+v", d)
	}
	for j := range 2 {
		var sum, square float64
		for _, task := range train {
			x := (task.Params[j] - view.Mean[j]) * view.Scale[j]
			sum, square = sum+x, square+x*x
		}
		if n := float64(len(train)); max(sum, -sum) > 1e-12 || max(square/n-1, 1-square/n) > 1e-12 {
			t.Errorf("coordinate %d has the sum %g and the mean square %g", j, sum, square/n)
		}
	}
}
