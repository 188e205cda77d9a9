package kernels

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/kernel/jupyter/zmq"
	"nacre/kernel/kerneltest"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "kernel" {
		c, err := zmq.ReadConnection(os.Args[2])
		if err == nil {
			err = zmq.Serve(context.Background(), c, &kerneltest.Session{}, slog.New(slog.DiscardHandler))
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestMeasure(t *testing.T) {
	k := Kernel{Name: "test", Argv: []string{os.Args[0], "kernel", "{connection_file}"}, First: "value 2",
		Small: "sleep 5", Print: "many %d"}
	r, err := Measure(t.Context(), k, Options{Cells: 20, Lines: 1000, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if r.Cells != 20 || r.P50 < 5 || r.P99 < r.P50 || r.First <= 0 || r.Lines != 1000 || r.Messages < 1 ||
		r.Messages > 1000 {
		t.Errorf("%+v", r)
	}
	gone := Kernel{Name: "gone", Argv: []string{os.Args[0], "kernel", "no such file"}}
	if r, err := Measure(t.Context(), gone, Options{}); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("a kernel that ends at once: %+v, %v", r, err)
	}
	k.Small = "fail A b"
	if r, err := Measure(t.Context(), k, Options{Cells: 1, Limit: time.Second}); err == nil {
		t.Errorf("a cell that fails: %+v", r)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("JUPYTER_PATH", dir)
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	if err := os.MkdirAll(filepath.Join(dir, "kernels", "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kernels", "mine", "kernel.json"),
		[]byte(`{"argv":["go-kernel","{connection_file}"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	found, absent := Find([]Kernel{{Name: "mine", Small: "1"}, {Name: "nobody-has-this"}})
	if len(found) != 1 || found[0].Argv[0] != "go-kernel" || found[0].Small != "1" || len(absent) != 1 ||
		absent[0] != "nobody-has-this" {
		t.Errorf("%+v, %v", found, absent)
	}
}
