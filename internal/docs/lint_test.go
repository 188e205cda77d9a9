package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// TestStaticcheck runs staticcheck, in the release that internal/tools/go.mod names, with the checks of
// staticcheck.conf. What it finds in generated files does not count. A finding that is meant stays, with a line
// //lint:ignore CHECK WHY.
func TestStaticcheck(t *testing.T) {
	heavy.Skip(t, "staticcheck reads the whole program, which takes minutes the first time")
	root := rootOf(t)
	program := filepath.Join(t.TempDir(), "staticcheck")
	build := exec.Command("go", "build", "-o", program, "honnef.co/go/tools/cmd/staticcheck")
	build.Dir = filepath.Join(root, "internal/tools")
	build.Env = append(os.Environ(), "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Skipf("staticcheck could not be fetched and built, which needs the network once: %v\n%s", err, text)
	}
	check := exec.Command(program, "./...")
	check.Dir = root
	var found, problems bytes.Buffer
	check.Stdout, check.Stderr = &found, &problems
	if err := check.Run(); err != nil {
		if _, findings := errors.AsType[*exec.ExitError](err); !findings || found.Len() == 0 {
			t.Fatalf("staticcheck: %v\n%s", err, &problems)
		}
	}
	for line := range strings.Lines(found.String()) {
		name, _, _ := strings.Cut(line, ":")
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !generated.Match(text) {
			t.Errorf("%s", strings.TrimSpace(line))
		}
	}
}
