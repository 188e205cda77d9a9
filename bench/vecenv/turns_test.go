package vecenv

import (
	"context"
	"strings"
	"testing"
)

// A Python that answers as the script does: lines that packages print are passed over, and a way that is missing says
// why.
func TestTurns(t *testing.T) {
	python := interpreter(t, `echo "a package says hello"
echo '{"sync": "1.2", "envpool": "missing: ModuleNotFoundError: No module named envpool"}'
while read -r way calls; do echo "{\"steps\": $((4 * calls)), \"wall\": 0.5}"; done`)
	turns, err := NewTurns(context.Background(), python, "CartPole-v1", 4)
	if err != nil {
		t.Fatal(err)
	}
	if !turns.Has("sync") || turns.Has("envpool") || turns.Has("subproc") {
		t.Errorf("ways: %v", turns.Versions)
	}
	turn, err := turns.Take("sync", 25)
	if err != nil || turn != (Turn{Steps: 100, Wall: 0.5}) {
		t.Errorf("%+v, %v; expected 100 steps in half a second", turn, err)
	}
	if _, err := turns.Take("envpool", 1); err == nil || !strings.Contains(err.Error(), "No module named envpool") {
		t.Errorf("a way that is missing: %v", err)
	}
	if err := turns.Close(); err != nil {
		t.Error(err)
	}
}

func TestTurnsSayWhyPythonEnded(t *testing.T) {
	python := interpreter(t, "echo >&2 \"No module named 'numpy'\"; exit 1")
	_, err := NewTurns(context.Background(), python, "CartPole-v1", 4)
	if err == nil || !strings.Contains(err.Error(), "No module named 'numpy'") {
		t.Errorf("a Python without NumPy: %v", err)
	}
}
