// Package pythontest makes virtual environments of Python for tests.
//
//	func TestPendulum(t *testing.T) {
//		pythontest.Environment(t, "numpy", "gymnasium")
package pythontest

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/python"
)

// Environment creates a virtual environment with these packages and makes it the chosen Python until the test ends.
// Such a test counts as heavy. Environment skips the test where there is no Python, or where pip cannot bring a
// package.
func Environment(t *testing.T, packages ...string) {
	t.Helper()
	heavy.Skip(t, "pip fetches "+strings.Join(packages, " and "))
	p, err := python.Find()
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	made := filepath.Join(folder, "bin", "python")
	for _, argv := range [][]string{{p.Path, "-m", "venv", folder},
		append([]string{made, "-m", "pip", "install", "--quiet"}, packages...)} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			t.Skipf("%s: %v: %s; a package index that pip reaches brings it", strings.Join(argv, " "), err,
				lines[len(lines)-1])
		}
	}
	t.Setenv(python.Variable, made)
}
