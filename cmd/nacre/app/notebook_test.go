package app

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/loopback"
	"nacre/server/process"
)

func TestKernelMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"": process.MachineMemory(), "none": 0, "8GB": 8e9, "8 GB": 8e9, "1.5gib": 3 << 29, "64MiB": 64 << 20,
		"100000000": 100_000_000,
	} {
		if got, err := kernelMemory(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"8XB", "-1GB", "1MB", "NaNGB", "1e30GB", "lots"} {
		if got, err := kernelMemory(text); err == nil || !strings.Contains(err.Error(), "--kernel-memory "+text) {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
}

func TestListenTakesTheNextFreePort(t *testing.T) {
	first, err := listen(loopback.Host(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	second, err := listen(loopback.Host(), port)
	if err != nil {
		t.Skip(err) // the machine has no room around this port
	}
	defer second.Close()
	if got := second.Addr().(*net.TCPAddr).Port; got <= port || got > port+9 {
		t.Errorf("got port %d after %d", got, port)
	}
}

func TestNotebookPlace(t *testing.T) {
	dir := t.TempDir()
	if d, f, err := notebookPlace(dir); err != nil || d != dir || f != "" {
		t.Error(d, f, err)
	}
	if _, _, err := notebookPlace(filepath.Join(dir, "none.ipynb")); err == nil ||
		!strings.Contains(err.Error(), "none.ipynb: expected a folder or a notebook") {
		t.Error(err)
	}
}

// The notebooks of a checkout are originals, from whichever folder they are served; copies of them anywhere, other
// notebooks and those of a folder that is merely called so are not.
func TestOriginals(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"notebooks/quickstart.ipynb", "notebooks/quickstart-Copy1.ipynb",
		"notebooks/mine.ipynb", "mine/quickstart.ipynb", "mine/notebooks/quickstart.ipynb"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fixed := func(dir, path string) bool { return originals(filepath.Join(root, dir))(path) }
	if fixed("notebooks", "quickstart.ipynb") {
		t.Error("a folder called notebooks is taken for a checkout's")
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module nacre\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir, path string
		want      bool
	}{
		{"notebooks", "quickstart.ipynb", true}, {"", "notebooks/quickstart.ipynb", true},
		{"notebooks", "quickstart-Copy1.ipynb", false}, {"notebooks", "mine.ipynb", false},
		{"mine", "quickstart.ipynb", false}, {"mine", "notebooks/quickstart.ipynb", false},
		{"notebooks", "data/quickstart.ipynb", false},
	} {
		if got := fixed(c.dir, c.path); got != c.want {
			t.Errorf("%s in %q: original %v, want %v", c.path, c.dir, got, c.want)
		}
	}
}
