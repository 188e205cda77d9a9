//go:build unix

package python_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/internal/fatal"
	"nacre/internal/python/pythontest"
	"nacre/rl/protocol"
)

// State dicts of PEARL's published code, made and computed by PyTorch, are a run whose agent acts like them in Python
// and in the program, and which the program evaluates. What does not fit is said in one sentence.
func TestOysterByTorch(t *testing.T) {
	pythontest.Clients(t, "numpy", "torch")
	dir := filepath.Join(t.TempDir(), "imported")
	text, err := script(t, "testdata/oyster.py", t.TempDir(), dir)
	var got struct {
		Difference, Size float64
		Said             []string
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &got)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Logf("%+v", got)
	if got.Difference > 1e-5 || got.Size < 0.1 {
		t.Errorf("differences %+v", got)
	}
	wants := []string{"exists; expected a folder to make", "nowhere.pth does not exist", "files has the network 'q3'",
		"has no net; it has nets, step", "is no state dict of tensors: it has q", "has no linear layer last_fc",
		"has no place for: norm.weight", "q1 has 5 inputs and 1 outputs; expected 7 and 1",
		"expected one width and depth",
		"weights that are no finite numbers", "is no state dict of tensors: it has a list", "holds no tensors alone"}
	if len(got.Said) != len(wants) {
		t.Fatalf("%q", got.Said)
	}
	for i, want := range wants {
		if !strings.Contains(got.Said[i], want) {
			t.Errorf("%q; want %q in it", got.Said[i], want)
		}
	}
	compare(t, dir, asked(t, dir), 1e-5)
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1})
	fatal.On(t, err)
	defer a.Close()
	p := protocol.Protocol{Explore: 2, Scored: 1, Repeats: 1, Z: "mean"}
	result, err := a.Evaluate(t.Context(), a.TestTasks, p, 1)
	if err != nil || len(result.Tasks) != 2 || result.Summary.Adapted.Mean >= 0 {
		t.Errorf("%v: %+v", err, result.Summary)
	}
}
