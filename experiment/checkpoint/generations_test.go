package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// generation saves the number n as a checkpoint, and restored returns the one that Restore finds.
func generation(t *testing.T, path string, n int) {
	t.Helper()
	if err := Save(path, Header{ConfigHash: "hash"}, func(w *Writer) error { return w.JSON("n", n) }); err != nil {
		t.Fatal(err)
	}
}

func restored(path string) (n int, lost, err error) {
	lost, err = Restore(path, "hash", func(r *Reader) error { return r.JSON("n", &n) })
	return n, lost, err
}

// Of two generations the newest that is whole is restored, and what is the matter with the other is told.
func TestGenerations(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.bin")
	if _, _, err := restored(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without any: %v", err)
	}
	for n := range 3 {
		generation(t, path, n)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 || Previous(path) != filepath.Join(dir, "c.previous.bin") {
		t.Errorf("files %v", entries)
	}
	if n, lost, err := restored(path); n != 2 || lost != nil || err != nil {
		t.Errorf("newest: %d, %v, %v", n, lost, err)
	}
	whole, _ := os.ReadFile(path)
	spoil := func(p string, data []byte) {
		t.Helper()
		os.Remove(p) // a generation may be a second name of the other
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, data := range map[string][]byte{"truncated": whole[:len(whole)-1], "not a nacre checkpoint": nil} {
		spoil(path, data)
		if n, lost, err := restored(path); n != 1 || err != nil || lost == nil ||
			!strings.Contains(lost.Error(), want) {
			t.Errorf("%s: %d, %v, %v", want, n, lost, err)
		}
	}
	os.Remove(path)
	if n, lost, err := restored(path); n != 1 || !errors.Is(lost, os.ErrNotExist) || err != nil {
		t.Errorf("newest missing: %d, %v, %v", n, lost, err)
	}
	newer := append([]byte(nil), whole...)
	newer[len(magic)]++
	spoil(path, newer)
	var version *VersionError
	if _, _, err := restored(path); !errors.As(err, &version) {
		t.Errorf("a newer program's checkpoint was passed over: %v", err)
	}
	spoil(path, whole[:9])
	spoil(Previous(path), whole[:20])
	if _, _, err := restored(path); !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), "c.bin") ||
		!strings.Contains(err.Error(), "c.previous.bin") {
		t.Errorf("both damaged: %v", err)
	}
}

// A process killed between giving the older generation its name and putting the new one in place leaves one content
// under both names; the next Save goes on from there.
func TestKilledBetweenGenerations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.bin")
	generation(t, path, 1)
	if err := keep(path); err != nil {
		t.Fatal(err)
	}
	if n, lost, err := restored(path); n != 1 || lost != nil || err != nil {
		t.Errorf("%d, %v, %v", n, lost, err)
	}
	generation(t, path, 2)
	os.Remove(path)
	if n, _, err := restored(path); n != 1 || err != nil {
		t.Errorf("generation before: %d, %v", n, err)
	}
}
