package vecenv

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// interpreter writes a shell script that stands for a Python.
func interpreter(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMeasure(t *testing.T) {
	// The arguments after -c SCRIPT come back in the figures.
	python := interpreter(t,
		`echo "{\"stepped\": \"$3\", \"sync\": {\"wall\": $4, \"cpu\": $5}, \"async\": {\"wall\": $6}}"`)
	r, err := Measure(context.Background(), python, "ml1/push", 16, 100, 2)
	want := Rates{Stepped: "ml1/push", Sync: Rate{Wall: 16, CPU: 100}, Async: Rate{Wall: 2}}
	if err != nil || r != want {
		t.Errorf("%+v, %v; expected %+v", r, err, want)
	}
}

func TestMeasureSaysWhatIsMissing(t *testing.T) {
	for text, word := range map[string]string{
		"echo >&2 \"ModuleNotFoundError: No module named 'gymnasium'\"; exit 1": "No module named 'gymnasium'",
		"echo nothing useful": "nothing useful",
	} {
		_, err := Measure(context.Background(), interpreter(t, text), "ant-dir", 1, 1, 1)
		if err == nil || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), "ant-dir") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
