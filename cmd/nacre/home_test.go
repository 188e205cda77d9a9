package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/notebooks"
)

// The shipped notebooks come into a folder as they are in the program; what the user has there stays.
func TestExamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if out := must(t, "examples", dir); !strings.Contains(out, dir+": 8 files copied") {
		t.Errorf("printed %q", out)
	}
	want, err := notebooks.Files.ReadFile("quickstart.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if contents(t, dir, "quickstart.ipynb") != string(want) {
		t.Error("the quickstart is not the one in the program")
	}
	if err := os.WriteFile(filepath.Join(dir, "quickstart.ipynb"), []byte("my own"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "reproduce.ipynb")); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "examples", dir); !strings.Contains(out, "1 file copied") ||
		contents(t, dir, "quickstart.ipynb") != "my own" {
		t.Errorf("a second time: %q, quickstart %q", out, contents(t, dir, "quickstart.ipynb"))
	}
}

// Without a network, and without a wheel, setup says what to do and leaves nothing behind.
func TestSetupWithoutPip(t *testing.T) {
	for _, v := range []string{"PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "NACRE_PYTHON"} {
		t.Setenv(v, "")
	}
	t.Setenv("NACRE_HOME", t.TempDir())
	status, _, stderr := nacre(t.Context(), "setup")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if last := lines[len(lines)-1]; status != 1 || len(lines) > 2 || !strings.Contains(last, "pip") &&
		!strings.Contains(last, "built without MuJoCo") {
		t.Errorf("status %d: %q", status, stderr)
	}
}
