//go:build unix

package python_test

import (
	"encoding/json"
	"slices"
	"testing"

	"nacre/internal/python/pythontest"
)

// others are agents of which PyTorch and ONNX must compute the same as NumPy: all kinds of networks and views.
var others = map[string]struct {
	algorithm, family string
	settings          []string
	tolerance         float64
}{
	"views": {"pearl", "point-goal", []string{"pearl.rewards=symlog", "pearl.observations=standardised",
		"pearl.next_obs_in_context=true"}, 1e-5},
	"views in float64":  {"pearl", "point-goal", []string{"pearl.rewards=symlog", "arithmetic=float64"}, 1e-12},
	"points":            {"focal", "point-goal", nil, 1e-5},
	"oracle":            {"oracle", "point-goal", []string{"oracle.steps_per_task=20"}, 1e-5},
	"rl2":               {"rl2", "point-goal", nil, 1e-5},
	"rl2, discrete":     {"rl2", "bandit-5", nil, 1e-5},
	"varibad":           {"varibad", "point-goal", nil, 1e-5},
	"varibad, discrete": {"varibad", "grid", nil, 1e-5},
	"maml":              {"maml", "point-goal", []string{"maml.meta_batch=2", "maml.action_scale=3"}, 1e-5},
	"maml, discrete":    {"maml", "bandit-5", []string{"maml.meta_batch=2"}, 1e-5},
}

// same compares the functions of agents by NumPy with those by another library.
func same(t *testing.T, library string) {
	t.Helper()
	for name, of := range others {
		t.Run(name, func(t *testing.T) {
			var dir string
			if slices.Contains([]string{"rl2", "varibad", "maml"}, of.algorithm) {
				dir = remembering(t, of.algorithm, of.family, of.settings...)
			} else {
				dir = run(t, of.algorithm, of.family, of.settings...)
			}
			grown(t, dir)
			text, err := script(t, "testdata/others.py", dir, library)
			var differ struct{ Difference, Size float64 }
			if err == nil {
				err = json.Unmarshal([]byte(text), &differ)
			}
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			t.Logf("%+v", differ)
			if differ.Difference > of.tolerance || differ.Size < 0.1 {
				t.Errorf("differences %+v; want at most %g, and numbers that are not nearly 0", differ, of.tolerance)
			}
		})
	}
}

// A module of PyTorch computes what the package computes with NumPy, and gradients reach its parameters.
func TestTorch(t *testing.T) {
	pythontest.Clients(t, "numpy", "torch")
	same(t, "torch")
}

// ONNX's run time computes from an agent's files what the package computes.
func TestONNX(t *testing.T) {
	pythontest.Clients(t, "numpy", "onnx", "onnxruntime")
	same(t, "onnx")
}
