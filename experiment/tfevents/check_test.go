package tfevents

import (
	"bytes"
	"os"
	"testing"

	"nacre/internal/bounded"
)

// written is the content of a file of three records.
func written(t testing.TB) (path string, data []byte) {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for step := range int64(2) {
		if err := w.Scalars(step, map[string]float64{"loss": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := Files(dir)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err = os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return files[0], data
}

// A file cut anywhere has fewer records and no error; a flipped bit is one.
func TestCheck(t *testing.T) {
	path, data := written(t)
	if n, whole, err := Check(path); n != 3 || !whole || err != nil {
		t.Errorf("%d, %v, %v", n, whole, err)
	}
	for cut := range data {
		if n, whole, err := check(bytes.NewReader(data[:cut])); err != nil || n > 2 || whole && n == 0 && cut > 0 {
			t.Fatalf("cut at %d: %d, %v, %v", cut, n, whole, err)
		}
		flipped := bytes.Clone(data)
		flipped[cut] ^= 4
		if _, _, err := check(bytes.NewReader(flipped)); err == nil {
			t.Fatalf("a bit flipped in byte %d is not noticed", cut)
		}
	}
}

func FuzzCheck(f *testing.F) {
	_, data := written(f)
	f.Add(data)
	f.Add(data[:20])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		defer bounded.Input(t, len(data))()
		if n, _, _ := check(bytes.NewReader(data)); 16*n > len(data) {
			t.Fatalf("%d records in %d bytes", n, len(data))
		}
	})
}

func TestLargeInputs(t *testing.T) {
	_, data := written(t)
	bounded.Large(t, func(b []byte) { _, _, _ = check(bytes.NewReader(b)) }, data)
}
