// Package pythontest makes virtual environments of Python for tests.
//
//	func TestPendulum(t *testing.T) {
//		pythontest.Environment(t, "numpy", "gymnasium")
package pythontest

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/python"
)

// shared are the environments that Main's tests share: folder has them, and of says by packages how making one ended.
var shared struct {
	sync.Mutex
	folder string
	of     map[string]made
}

type made struct{ interpreter, failed string }

// Main runs the tests of a package and returns the exit status. Until it returns, tests that ask Environment for the
// same packages get the same environment. TestMain calls it:
//
//	func TestMain(m *testing.M) { os.Exit(pythontest.Main(m)) }
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "nacre-python")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(folder)
	shared.folder, shared.of = folder, map[string]made{}
	return m.Run()
}

// Environment creates a virtual environment with these packages and makes it the chosen Python until the test ends.
// The environment is the test's own, unless Main runs the tests. Such a test counts as heavy. Environment skips the
// test where there is no Python, or where pip cannot bring a package.
func Environment(t *testing.T, packages ...string) {
	t.Helper()
	heavy.Skip(t, "pip fetches "+strings.Join(packages, " and "))
	p, err := python.Find()
	if err != nil {
		t.Skip(err)
	}
	var of made
	if shared.folder == "" {
		of = create(p, t.TempDir(), packages)
	} else {
		shared.Lock()
		defer shared.Unlock()
		name, is := strings.Join(packages, "+"), false
		if of, is = shared.of[name]; !is {
			of = create(p, filepath.Join(shared.folder, name), packages)
			shared.of[name] = of
		}
	}
	if of.failed != "" {
		t.Skip(of.failed)
	}
	t.Setenv(python.Variable, of.interpreter)
}

// ClientsVariable is the environment variable that lets Clients fetch packages.
const ClientsVariable = "NACRE_CLIENTS"

// Clients is Environment for packages that are large, such as PyTorch. Only make python-test fetches them.
func Clients(t *testing.T, packages ...string) {
	t.Helper()
	if os.Getenv(ClientsVariable) == "" {
		t.Skip("make python-test fetches " + strings.Join(packages, ", "))
	}
	Environment(t, packages...)
}

// create makes an environment in a folder.
func create(p python.Python, folder string, packages []string) made {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	defer stop()
	interpreter := filepath.Join(folder, "bin", "python")
	for _, argv := range [][]string{{p.Path, "-m", "venv", folder},
		append([]string{interpreter, "-m", "pip", "install", "--quiet"}, packages...)} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			return made{failed: fmt.Sprintf("%s: %v: %s; a package index that pip reaches brings it",
				strings.Join(argv, " "), err, lines[len(lines)-1])}
		}
	}
	return made{interpreter: interpreter}
}
