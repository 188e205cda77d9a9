package measurement

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What Save writes, Load reads again.
func TestSave(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "docs", "measurements"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := Measurement{What: "w", Date: "2026-11-29", Commit: "c", Machine: "m", Spread: "ranges",
		Commands: []string{"go & run"},
		Labels:   []string{"of"}, Columns: []Column{{Name: "x", Head: "X", Digits: 2, Show: "each"}},
		Rows: []Row{
			{Of: []string{"a"}, Cells: map[string]Cell{"x": {Value: 1.5}}},
			{Of: []string{"b"}, Cells: map[string]Cell{"x": {Words: "none"}}},
			{Of: []string{"c"}, Cells: map[string]Cell{"x": {Value: 2, Low: 1, High: 3, Ranged: true}}},
			{Of: []string{"d"}, Cells: map[string]Cell{"x": {Value: 2, Low: 1, High: 3, Ranged: true,
				Seeds: []float64{1, 3}}}},
		}}
	path, err := Save(root, "topic", m)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "go & run") {
		t.Errorf("%s does not have the command as it is:\n%s", path, text)
	}
	got, err := Load(root, "topic-2026-11-29")
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("read %+v (%v), want %+v", got, err, m)
	}
	m.Machine = ""
	if _, err := Save(root, "topic", m); err == nil || !strings.Contains(err.Error(), "machine is missing") {
		t.Errorf("a measurement without a machine: %v", err)
	}
}
