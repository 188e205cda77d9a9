package recording

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// whole is a recording of two steps.
func whole(t testing.TB) []byte {
	r := Recording{
		Family: "point-goal", Params: []float64{1, 2}, Obs: [][]float64{{0, 1}, {2, 3}, {4, 5}},
		Act: [][]float64{{1}, {-1}}, Reward: []float64{1, 2},
		Context: []float64{1, 2}, Success: []bool{false, true}, Done: []bool{false, false},
		QPos: [][]float64{{0}, {1}, {2}},
	}
	file := filepath.Join(t.TempDir(), "r.npz")
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// with replaces one array of an archive.
func with(t testing.TB, file []byte, name string, array []byte) []byte {
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range in.File {
		if f.Name != name+".npy" {
			if err := out.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, err := out.Create(name + ".npy")
	if err == nil {
		_, err = w.Write(array)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func npyFile(shape string, data []byte) []byte {
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }"
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	return append(append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})), header...), data...)
}

var claims = []string{"(1000000000000000, 2)", "(1000000000000000,)", "(4611686018427387904, 4)", "(-1, -2)", "(2, 0)",
	"(2,)", "(2, 1, 1)", "(9, 9"}

// bounded reads a file's contents and fails where that takes much more memory, or gives what a recording is not.
func bounded(t *testing.T, raw []byte) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := parse(raw)
	runtime.ReadMemStats(&after)
	if used, may := after.TotalAlloc-before.TotalAlloc, uint64(300<<20+600*len(raw)); used > may {
		t.Errorf("%d bytes took %d bytes of memory", len(raw), used)
	}
	if err != nil {
		return err
	}
	if n := len(r.Act); n == 0 || len(r.Obs) != n+1 || len(r.Reward) != n || len(r.Done) != n || len(r.Success) != n {
		t.Errorf("%q: %d actions, %d observations, %d rewards", raw, n, len(r.Obs), len(r.Reward))
	}
	return nil
}

// A header may claim any shape: what is not there is refused before anything is made for it.
func TestClaimsOfHeaders(t *testing.T) {
	good := whole(t)
	if err := bounded(t, good); err != nil {
		t.Fatal(err)
	}
	for _, shape := range claims {
		for _, name := range []string{"obs", "act", "qpos", "mocap"} {
			if err := bounded(t, with(t, good, name, npyFile(shape, make([]byte, 16)))); err == nil {
				t.Errorf("%s of shape %s was read", name, shape)
			}
		}
	}
	if err := bounded(t, with(t, good, "obs", npyFile("(3000000, 4)", make([]byte, 96<<20)))); err == nil ||
		!strings.Contains(err.Error(), "unpacks") {
		t.Errorf("a bomb: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	good := whole(f)
	f.Add(good)
	f.Add(good[:len(good)-10])
	for _, shape := range claims {
		f.Add(with(f, good, "obs", npyFile(shape, make([]byte, 16))))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { _ = bounded(t, raw) })
}
