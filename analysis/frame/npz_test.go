package frame

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nacre/tsne"
)

// Embeddings are a table as they are and as a file has them.
func TestEmbeddings(t *testing.T) {
	e := &tsne.Embeddings{
		Mean:  tsne.Matrix{Rows: 3, Cols: 2, Data: []float64{1, 2, 3, 4, 5, 6}},
		Std:   tsne.Matrix{Rows: 3, Cols: 2, Data: []float64{.1, .2, .3, .4, .5, .6}},
		Label: []int{1, 0, 1}, Names: []string{"left", "right"},
	}
	f, err := Of(e)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(f.Head(1)), "label,mean0,mean1,std0,std1 / right,1,2,0.1,0.2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	path := filepath.Join(t.TempDir(), "e.npz")
	if err := e.Save(path); err != nil {
		t.Fatal(err)
	}
	if f, err = Read(path); err != nil {
		t.Fatal(err)
	}
	if got, want := text(f.Tail(1)), "mean0,mean1,std0,std1,label,label_name / 5,6,0.5,0.6,1,right"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if f, err = Of(e.Mean); err != nil || strings.Join(f.Names(), " ") != "0 1" {
		t.Errorf("a matrix is %v, %v", f, err)
	}
}

// Labels that are whole numbers come out of a table of points in their own digits, whatever file they were in.
func TestLabelsInTheirOwnDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, first := range []int64{0, -3, 1e15 - 1, 1<<53 - 1, 1 << 53, -1<<53 - 2, 1.7e18, math.MaxInt64 - 3,
		math.MinInt64} {
		var want []string
		csv, json, npy := "a,b,label\n", "[", npyOf(12)
		for i := range 12 {
			label := first + int64(r.IntN(4))
			want = append(want, strconv.FormatInt(label, 10))
			csv += fmt.Sprintf("%d,%d,%d\n", i%5, i%7, label)
			json += fmt.Sprintf(`%s{"a": %d, "b": %d, "label": %d}`, strings.Repeat(",", min(i, 1)), i%5, i%7, label)
			npy = binary.LittleEndian.AppendUint64(npy, uint64(label))
		}
		points := npyOf(12, 2)
		for i := range 24 {
			points = binary.LittleEndian.AppendUint64(points, uint64(i%5))
		}
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, data := range map[string][]byte{"z.npy": points, "label.npy": npy} {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		for name, raw := range map[string]string{"a.csv": csv, "a.json": json + "]", "a.npz": b.String()} {
			e, err := tsne.Read(name, []byte(raw), "")
			if err != nil {
				t.Fatal(err)
			}
			f, err := Of(e)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := f.Texts("label"); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
			file, err := f.Select("label").CSV()
			if err != nil || string(file) != "label\n"+strings.Join(want, "\n")+"\n" {
				t.Errorf("%s as a file: %s, %v", name, file, err)
			}
		}
	}
}

// npyOf is the beginning of a NumPy file of whole numbers of 64 bits.
func npyOf(shape ...int) []byte {
	text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]") + ","
	h := "{'descr': '<i8', 'fortran_order': False, 'shape': (" + text + "), }"
	h += strings.Repeat(" ", 63-(10+len(h))%64) + "\n"
	return append([]byte("\x93NUMPY\x01\x00"), string([]byte{byte(len(h)), byte(len(h) >> 8)})+h...)
}
