package tsne

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// npyFile is an array's file with a header as given and data.
func npyFile(header string, data []byte) []byte {
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return append(append(b, header...), data...)
}

// arrayFile is a matrix of float64 whose header claims a shape.
func arrayFile(shape string, n int) []byte {
	data := make([]byte, 8*n)
	for i := range n {
		binary.LittleEndian.PutUint64(data[8*i:], 0x3ff0000000000000)
	}
	return npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': "+shape+", }", data)
}

// archive is an .npz file of arrays by name.
func archive(t testing.TB, arrays map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, raw := range arrays {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bounded reads a file's contents and fails where that takes much more memory than the contents, or too long. What is
// read must be what Embeddings promise.
func bounded(t *testing.T, name string, raw []byte, label string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	e, err := Read(name, raw, label)
	runtime.ReadMemStats(&after)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("%s of %d bytes took %v", name, len(raw), took)
	}
	if used, may := after.TotalAlloc-before.TotalAlloc, uint64(64<<20+200*len(raw)); used > may {
		t.Errorf("%s of %d bytes took %d bytes of memory", name, len(raw), used)
	}
	if err != nil {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name the file: %v", err)
		}
		return
	}
	if err := e.check(); err != nil {
		t.Errorf("%q: %v", raw, err)
	}
	if len(e.Mean.Data) != e.Mean.Rows*e.Mean.Cols {
		t.Errorf("%q: %d×%d of %d values", raw, e.Mean.Rows, e.Mean.Cols, len(e.Mean.Data))
	}
}

// claims are headers that claim what the file does not have: sizes that overflow, that are negative, and that fit no
// memory.
var claims = []string{
	"(1000000000000000, 2)", "(1000000000000000,)", "(4611686018427387904, 4)", "(2305843009213693952, 8)",
	"(9223372036854775807, 2)",
	"(-1, -2)", "(-1, 2)", "(0, 1000000000000000)", "(1000000000000000, 0)", "(2, 1)", "(2, 1, 1)", "()",
	"(3037000500, 3037000500)", "(99999999999999999999, 1)",
}

func TestClaimsOfHeaders(t *testing.T) {
	for _, shape := range claims {
		for _, fortran := range []string{"False", "True"} {
			raw := npyFile("{'descr': '<f8', 'fortran_order': "+fortran+", 'shape': "+shape+", }", make([]byte, 16))
			bounded(t, "x.npy", raw, "")
			bounded(t, "x.npz", archive(t, map[string][]byte{"mean.npy": raw}), "")
		}
		for _, typ := range []string{"<U1000000000000000", "<U4", "|S0", "<U-1", "|S9223372036854775807", "<f8",
			"|b1", "|O"} {
			labels := npyFile("{'descr': '"+typ+"', 'fortran_order': False, 'shape': "+shape+", }", make([]byte, 16))
			bounded(t, "x.npz", archive(t, map[string][]byte{"mean.npy": arrayFile("(2, 1)", 2), "label.npy": labels}),
				"")
		}
	}
}

// An archive may hold far more than its size: what comes out of it is bounded.
func TestArchiveThatIsABomb(t *testing.T) {
	raw := archive(t, map[string][]byte{"mean.npy": arrayFile("(2, 1)", 2)})
	bomb := archive(t, map[string][]byte{"mean.npy": npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': "+
		"(1500000, 8), }", make([]byte, 96<<20))})
	bounded(t, "small.npz", raw, "")
	if _, err := Read("bomb.npz", bomb, ""); err == nil || !strings.Contains(err.Error(), "bomb.npz") {
		t.Errorf("%d bytes that unpack to 96 MiB: %v", len(bomb), err)
	}
}

func FuzzRead(f *testing.F) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 30))
	dir := f.TempDir()
	e := &Embeddings{Mean: Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4}}, Label: []int{0, 1}}
	for _, ext := range []string{".npz", ".csv", ".safetensors"} {
		file := filepath.Join(dir, "e"+ext)
		if err := e.Save(file); err != nil {
			f.Fatal(err)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(ext, raw)
	}
	for i, shape := range claims {
		f.Add(".npy", arrayFile(shape, i%4))
		f.Add(".npz", archive(f, map[string][]byte{"mean.npy": arrayFile("(2, 1)", 2),
			"label.npy": arrayFile(shape, 2)}))
	}
	f.Add(".npz", archive(f, map[string][]byte{
		"z.npy": arrayFile("(2, 1)", 2),
		"label.npy": npyFile("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
			[]byte("a\x00\x00\x00b\x00\x00\x00a\x00\x00\x00\x00\x00\x00\x00")),
	}))
	for _, text := range []string{"", "a\n", "a,b\n1,2\n", "mean0,label\n1,x\n2,y\n", "mean0,mean0\n1,2\n",
		"z0,std0\n1,-1\n", "\"a\n", "mean0\nnan\ninf\n1e999\n", "label\nx\n"} {
		f.Add(".csv", []byte(text))
	}
	f.Fuzz(func(t *testing.T, ext string, raw []byte) {
		switch ext {
		case ".npy", ".npz", ".csv", ".safetensors":
		default:
			return
		}
		bounded(t, "x"+ext, raw, "")
		for _, label := range Labels("x"+ext, raw) {
			bounded(t, "x"+ext, raw, label)
		}
	})
}

func ExampleRead() {
	e, err := Read("points.csv", []byte("mean0,mean1,label\n1,2,ant\n3,4,bee\n"), "")
	fmt.Println(e.Mean.Rows, e.Names, err)
	// Output: 2 [ant bee] <nil>
}
