package app

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"nacre/server/process"
)

func TestKernelMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"": process.MachineMemory(), "none": 0, "8GB": 8e9, "8 GB": 8e9, "1.5gib": 3 << 29, "64MiB": 64 << 20, "100000000": 100_000_000,
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
	first, err := listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	second, err := listen("127.0.0.1", port)
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
	if _, _, err := notebookPlace(filepath.Join(dir, "none.ipynb")); err == nil || !strings.Contains(err.Error(), "none.ipynb: expected a folder or a notebook") {
		t.Error(err)
	}
}
