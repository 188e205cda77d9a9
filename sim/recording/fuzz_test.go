package recording

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// arrayOf is an .npy array with a header of any shape.
func arrayOf(shape string, data ...byte) []byte {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n", shape)
	return append(append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(header)), 0}, header...), data...)
}

func packed(t testing.TB, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A header that claims more numbers than there are bytes is refused before any memory is taken for them.
func TestClaims(t *testing.T) {
	for _, shape := range []string{"(1000000000000000,)", "(4294967296, 4294967296)", "(-1,)", "(3, 0)", "(1000000000000000, 0, 7)"} {
		data := packed(t, "obs.npy", arrayOf(shape, make([]byte, 16)...))
		if _, err := decode(bytes.NewReader(data), int64(len(data))); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", shape, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a.npz")
	one := &Recording{
		Family: "x", Params: []float64{1}, Obs: [][]float64{{1, 2}, {3, 4}}, Act: [][]float64{{0}}, Reward: []float64{1}, Context: []float64{1},
		Success: []bool{true}, Done: []bool{false},
	}
	if err := one.Save(path); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(packed(f, "obs.npy", arrayOf("(2, 1)", make([]byte, 16)...)))
	f.Add(packed(f, "act.npy", arrayOf("(1000000000000000,)")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(bytes.NewReader(data), int64(len(data)))
		if err == nil && (len(r.Obs) != len(r.Act)+1 || len(r.Done) != len(r.Act)) {
			t.Fatalf("%d observations and %d ends of %d actions", len(r.Obs), len(r.Done), len(r.Act))
		}
	})
}
