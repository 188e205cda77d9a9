package measurement

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewest(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "docs/measurements")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"update-2026-11-22", "update-2026-12-01", "update-wasm-2027-01-01"} {
		if err := os.WriteFile(filepath.Join(folder, name+".json"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Newest(root, "update"); err != nil || got != "update-2026-12-01" {
		t.Errorf("Newest: %q, %v; want update-2026-12-01", got, err)
	}
	if _, err := Newest(root, "updates"); err == nil || !strings.Contains(err.Error(), "updates-DATE.json") {
		t.Errorf("%v, want an error that names the file", err)
	}
}
