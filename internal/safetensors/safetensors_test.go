package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/internal/bounded"
	"nacre/internal/safetensors"
)

func Example() {
	var b bytes.Buffer
	err := safetensors.Write(&b, []safetensors.Tensor{
		safetensors.F32("policy/w0", []int{1, 3}, []float32{0.5, -1, 2}),
	}, map[string]string{"program": "nacre"})
	fmt.Println(err)
	file, err := safetensors.Read(&b, int64(b.Len()))
	w, ok := file.Tensor("policy/w0")
	fmt.Println(w.Shape, w.Data32, ok, file.Metadata["program"], err)
	// Output:
	// <nil>
	// [1 3] [0.5 -1 2] true nacre <nil>
}

// raw assembles a file from a header and data as they are.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func read(b []byte) (*safetensors.File, error) {
	return safetensors.Read(bytes.NewReader(b), int64(len(b)))
}

// The bytes are spelled out from the format's description: the reader is not judged by the writer alone.
func TestReadsTheFormat(t *testing.T) {
	b := raw(`{"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"__metadata__":{"k":"v"},"s":{"dtype":"F64","shape":[],"data_offsets":[8,16]}} `,
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)
	file, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	want := &safetensors.File{
		Tensors: []safetensors.Tensor{
			safetensors.F32("a", []int{2, 1}, []float32{1, -2}), safetensors.F64("s", []int{}, []float64{1}),
		},
		Metadata: map[string]string{"k": "v"},
	}
	if !reflect.DeepEqual(file, want) {
		t.Errorf("got %+v, want %+v", file, want)
	}
}

func TestRoundTripIsExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	tensors := []safetensors.Tensor{
		safetensors.F32("q1/w0", []int{2, 2}, []float32{math.Float32frombits(0x7fc00123), float32(math.Inf(1)),
			math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1))}),
		safetensors.F64("stat", []int{3}, []float64{math.Pi, math.SmallestNonzeroFloat64, math.MaxFloat64}),
		safetensors.F32("empty", []int{0, 4}, []float32{}),
		safetensors.F32("a scalar \"é\"", nil, []float32{7}),
	}
	if err := safetensors.Save(path, tensors, map[string]string{"b": "2", "a": "1"}); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(path)
	if header := binary.LittleEndian.Uint64(first); header%8 != 0 {
		t.Errorf("header of %d bytes leaves the data unaligned", header)
	}
	file, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range tensors {
		got, ok := file.Tensor(want.Name)
		if !ok || len(got.Shape) != len(want.Shape) || len(got.Data32) != len(want.Data32) ||
			len(got.Data64) != len(want.Data64) {
			t.Fatalf("%s: %+v, want %+v", want.Name, got, want)
		}
		for i := range want.Data32 {
			if math.Float32bits(got.Data32[i]) != math.Float32bits(want.Data32[i]) {
				t.Errorf("%s[%d] changed", want.Name, i)
			}
		}
		for i := range want.Data64 {
			if math.Float64bits(got.Data64[i]) != math.Float64bits(want.Data64[i]) {
				t.Errorf("%s[%d] changed", want.Name, i)
			}
		}
	}
	tensors[0], tensors[2] = tensors[2], tensors[0]
	if err := safetensors.Save(path, tensors, map[string]string{"a": "1", "b": "2"}); err != nil {
		t.Fatal(err)
	}
	if second, _ := os.ReadFile(path); !bytes.Equal(first, second) {
		t.Error("equal content in another order gave other bytes")
	}
	if _, ok := file.Tensor("missing"); ok {
		t.Error("found a tensor that is not there")
	}
	if _, err := safetensors.Load(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// Every type of elements, of bits that the formats' definitions give a value.
func TestNarrowTypes(t *testing.T) {
	inf, tiny := float32(math.Inf(1)), float32(math.Ldexp(1, -24))
	for dtype, c := range map[string]struct {
		data   []byte
		floats []float32
		ints   []int64
	}{
		"BF16":    {[]byte{0xc0, 0x3f, 0x80, 0xff}, []float32{1.5, -inf}, nil},
		"F16":     {[]byte{0, 0x3e, 1, 0, 0, 0xfc}, []float32{1.5, tiny, -inf}, nil},
		"F8_E5M2": {[]byte{0x3e, 0xfc, 1}, []float32{1.5, -inf, float32(math.Ldexp(1, -16))}, nil},
		"F8_E4M3": {[]byte{0x3c, 0xfe, 1}, []float32{1.5, -448, float32(math.Ldexp(1, -9))}, nil},
		"U64":     {bytes.Repeat([]byte{0xff}, 8), nil, []int64{-1}}, // the bits of 2⁶⁴−1
		"U32":     {bytes.Repeat([]byte{0xff}, 4), nil, []int64{1<<32 - 1}},
		"U16":     {[]byte{0xff, 0xff}, nil, []int64{65535}},
		"I16":     {[]byte{0xff, 0xff}, nil, []int64{-1}},
		"U8":      {[]byte{0xff}, nil, []int64{255}},
		"I8":      {[]byte{0xff}, nil, []int64{-1}},
		"BOOL":    {[]byte{1, 0}, nil, []int64{1, 0}},
	} {
		n := len(c.floats) + len(c.ints)
		file, err := read(raw(fmt.Sprintf(`{"a":{"dtype":"%s","shape":[%d],"data_offsets":[0,%d]}}`, dtype, n,
			len(c.data)), c.data...))
		if err != nil {
			t.Errorf("%s: %v", dtype, err)
			continue
		}
		if got := file.Tensors[0]; !slices.Equal(got.Data32, c.floats) || !slices.Equal(got.Ints, c.ints) {
			t.Errorf("%s: %v and %v, want %v and %v", dtype, got.Data32, got.Ints, c.floats, c.ints)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	one := func(dtype, shape, offsets string) string {
		return `{"a":{"dtype":` + dtype + `,"shape":` + shape + `,"data_offsets":` + offsets + `}}`
	}
	four := []byte{0, 0, 0, 0}
	for what, b := range map[string][]byte{
		"expected at least 8":           {1, 2, 3},
		"header of 1000 bytes":          binary.LittleEndian.AppendUint64(nil, 1000),
		"header of 9223372036854775808": binary.LittleEndian.AppendUint64(nil, 1<<63),
		"begin with {":                  raw(`[1]`),
		"does not begin":                raw(``),
		"EOF":                           raw(`{"a"`),
		"is repeated":                   raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, four...),
		"after the closing brace":       raw(`{}{}`),
		`type "C64" is not supported`:   raw(one(`"C64"`, `[1]`, `[0,8]`), append(four, four...)...),
		"negative size":                 raw(one(`"F32"`, `[-1]`, `[0,4]`), four...),
		"too large":                     raw(one(`"F32"`, `[4294967296,4294967296]`, `[0,0]`)),
		"byte range [0 8]":              raw(one(`"F32"`, `[1]`, `[0,8]`), append(four, four...)...),
		"byte range [4 0]":              raw(one(`"F32"`, `[1]`, `[4,0]`), four...),
		"begins at byte 4":              raw(one(`"F32"`, `[1]`, `[4,8]`), append(four, four...)...),
		"cover 4 bytes":                 raw(one(`"F32"`, `[1]`, `[0,4]`), append(four, 9)...),
		"cover 4 bytes of data":         raw(one(`"F32"`, `[1]`, `[0,4]`), 0, 0, 0),
		"begins at byte 0":              raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, four...),
		"cannot unmarshal":              raw(one(`"F32"`, `[1.5]`, `[0,4]`), four...),
		"unknown field":                 raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}`, four...),
		"is null":                       raw(`{"a":null}`),
		"__metadata__":                  raw(`{"__metadata__":{"k":1}}`),
	} {
		file, err := read(b)
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %+v, %v", what, file, err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	ok := safetensors.F32("a", []int{1}, []float32{1})
	for what, tensors := range map[string][]safetensors.Tensor{
		`"a" is empty, reserved or used twice`: {ok, ok},
		`"" is empty`:                          {safetensors.F32("", []int{1}, []float32{1})},
		`"__metadata__" is`:                    {safetensors.F32("__metadata__", []int{1}, []float32{1})},
		"4 bytes of data for shape [2]":        {safetensors.F32("a", []int{2}, []float32{1})},
		`type "F16" is not written`:            {{Name: "a", DType: "F16"}},
		"does not match its data":              {{Name: "a", DType: "F32", Shape: []int{1}, Data64: []float64{1}}},
	} {
		err := safetensors.Save(filepath.Join(t.TempDir(), "w"), tensors, nil)
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Whatever is accepted must be what writing it again says: same tensors, same bits.
func FuzzRead(f *testing.F) {
	f.Add(raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"k":"v"}}`, 0, 0, 0x80, 0x3f))
	f.Add(raw(`{"a":{"dtype":"F64","shape":[0,3],"data_offsets":[0,0]}}  `))
	f.Add(raw(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer bounded.Input(t, len(b))()
		file, err := read(b)
		if err != nil || slices.ContainsFunc(file.Tensors, func(t safetensors.Tensor) bool {
			return !slices.Contains([]string{"F32", "F64", "I64"}, t.DType)
		}) {
			return
		}
		var out bytes.Buffer
		if err := safetensors.Write(&out, file.Tensors, file.Metadata); err != nil {
			for _, tensor := range file.Tensors {
				if tensor.Name == "" {
					return // an empty name is legal to read, but not a name of ours
				}
			}
			t.Fatalf("accepted but not writable: %v", err)
		}
		again, err := read(out.Bytes())
		if err != nil || len(again.Tensors) != len(file.Tensors) {
			t.Fatalf("written again: %v", err)
		}
		for _, want := range file.Tensors {
			got, _ := again.Tensor(want.Name)
			if fmt.Sprint(want.Shape) != fmt.Sprint(got.Shape) || len(got.Data32) != len(want.Data32) ||
				len(got.Data64) != len(want.Data64) {
				t.Fatalf("%+v became %+v", want, got)
			}
		}
	})
}

func TestLargeInputs(t *testing.T) {
	one := raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"k":"v"}}`, 0, 0, 0x80, 0x3f)
	long := append(binary.LittleEndian.AppendUint64(nil, 1<<20), one[8:]...) // a header of a megabyte
	bounded.Large(t, func(b []byte) { _, _ = read(b) }, one, long)
}
