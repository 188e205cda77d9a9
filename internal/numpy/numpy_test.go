package numpy

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"

	"nacre/internal/bounded"
)

func Example() {
	var file bytes.Buffer
	_ = npy.Write(&file, []float64{1, 2, 3})
	r, _, n, err := Open(file.Bytes())
	values := make([]float64, n)
	fmt.Println(err, r.Read(&values), values)
	_, _, _, err = Open(bytes.Replace(file.Bytes(), []byte("(3,), } "), []byte("(99,), }"), 1))
	fmt.Println(err)
	// Output:
	// <nil> <nil> [1 2 3]
	// its shape is [99]; there are 24 bytes for it
}

func FuzzOpen(f *testing.F) {
	var file bytes.Buffer
	if err := npy.Write(&file, []float64{1, 2, 3}); err != nil {
		f.Fatal(err)
	}
	whole := file.Bytes()
	f.Add(whole)
	f.Add(whole[:20])
	f.Add(bytes.ReplaceAll(whole, []byte("\n"), []byte(" ")))
	f.Add(bytes.Replace(whole, []byte("}"), []byte(" "), 1))
	f.Add(append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), whole[10:]...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		defer bounded.Input(t, len(raw))()
		r, data, n, err := Open(raw)
		if err != nil {
			return
		}
		if n < 0 || n > len(raw) || len(data) > len(raw) {
			t.Errorf("%q: %d elements, %d bytes", raw, n, len(data))
		}
		if h, _, err := Parse(raw); err != nil || len(h.Shape) != len(r.Header.Descr.Shape) {
			t.Errorf("%q: %v, %v", raw, h.Shape, err)
		}
	})
}

func TestElements(t *testing.T) {
	for _, test := range []struct {
		shape []int
		size  int
		want  int // -1 for an error
	}{
		{nil, 1, 1}, {[]int{}, 0, 1}, {[]int{0}, 0, 0}, {[]int{0, math.MaxInt}, 8, 0}, {[]int{math.MaxInt, 0}, 8, -1},
		{[]int{2, 0}, 0, 0}, {[]int{2, 0, 3}, 0, 0}, {[]int{8}, 8, 8}, {[]int{9}, 8, -1},
		{[]int{1 << 62, 4}, 64, -1}, {[]int{3_037_000_500, 3_037_000_500}, 64, -1}, {[]int{-1, -1}, 8, -1},
		{[]int{2, -4}, 8, -1}, {[]int{2, 2, 2}, 8, 8},
	} {
		got, err := elements(test.shape, test.size)
		if (err != nil) != (test.want < 0) || err == nil && got != test.want {
			t.Errorf("%v of %d bytes: %d, %v, want %d", test.shape, test.size, got, err, test.want)
		}
	}
}

func TestReadAll(t *testing.T) {
	left := int64(10)
	if b, err := ReadAll(strings.NewReader("1234567"), &left); err != nil || string(b) != "1234567" || left != 3 {
		t.Errorf("%q, %v, %d left", b, err, left)
	}
	if b, err := ReadAll(strings.NewReader("890"), &left); err != nil || len(b) != 3 || left != 0 {
		t.Errorf("%q, %v, %d left", b, err, left)
	}
	if _, err := ReadAll(bytes.NewReader(make([]byte, 1)), &left); err == nil {
		t.Error("one byte more than may be")
	}
}

func TestLargeInputs(t *testing.T) {
	var file bytes.Buffer
	if err := npy.Write(&file, []float64{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	long := append([]byte("\x93NUMPY\x02\x00\xff\xff\x0f\x00"), file.Bytes()[10:]...) // a header of a megabyte
	bounded.Large(t, func(b []byte) { _, _, _, _ = Open(b) }, file.Bytes(), long)
}
