// Package safetensors writes and reads trained weights in the safetensors format: 8 bytes of header length, a JSON
// header that names every tensor's type, shape and place, then the raw little-endian data. PyTorch, JAX and numpy
// read it with one call, and it cannot carry code.
//
// Tensors are written as float32, float64 or int64. All real types of the format can be read. Floats of 8 and 16 bits
// become float32, which holds them exactly. Smaller whole numbers and truth values become int64. U64 values keep their
// bits. Reading is strict: everything in the header is checked against the file.
//
//	err := safetensors.Save("weights.safetensors", []safetensors.Tensor{
//		safetensors.F32("policy/w0", []int{2, 3}, data),
//	}, map[string]string{"program": "nacre"})
//	file, err := safetensors.Load("weights.safetensors")
//	w, ok := file.Tensor("policy/w0") // w.Shape, w.Data32
package safetensors

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"nacre/internal/atomicfile"
	"nacre/internal/nearest"
)

// maxHeader is the format's own limit on the length of the header.
const maxHeader = 100_000_000

// Tensor is a named row-major array. Exactly one of Data32, Data64 and Ints is used, as DType says.
type Tensor struct {
	Name   string
	DType  string // "F32", "F64", "I64" or, only when read, another type of the format
	Shape  []int  // empty for a scalar
	Data32 []float32
	Data64 []float64
	Ints   []int64 // U64 values are kept as bits: uint64(v) gives the value
}

// Len is the number of values.
func (t Tensor) Len() int { return max(len(t.Data32), len(t.Data64), len(t.Ints)) }

// Half reports whether the values had 16 bits or fewer in the file. They are read into float32.
func (t Tensor) Half() bool { return t.Data32 != nil && t.DType != "F32" }

// F32 is a float32 tensor; the product of shape must be len(data).
func F32(name string, shape []int, data []float32) Tensor {
	return Tensor{Name: name, DType: "F32", Shape: shape, Data32: data}
}

// F64 is a float64 tensor; the product of shape must be len(data).
func F64(name string, shape []int, data []float64) Tensor {
	return Tensor{Name: name, DType: "F64", Shape: shape, Data64: data}
}

// I64 is a tensor of whole numbers; the product of shape must be len(data).
func I64(name string, shape []int, data []int64) Tensor {
	return Tensor{Name: name, DType: "I64", Shape: shape, Ints: data}
}

// File is the content of a safetensors file.
type File struct {
	Tensors  []Tensor // in the order of their data
	Metadata map[string]string
}

// Tensor finds a tensor by name.
func (f *File) Tensor(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// entry is a tensor's record in the header.
type entry struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// Save writes tensors and metadata to path, replacing it in one step. Equal arguments give equal bytes.
func Save(path string, tensors []Tensor, metadata map[string]string) error {
	err := atomicfile.Write(path, func(w io.Writer) error { return Write(w, tensors, metadata) })
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// Write writes tensors and metadata to w. Tensors are sorted by name, float64 before float32, so that all data are
// aligned to their size. Names must be distinct and not empty, and not __metadata__, which the format reserves.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	sorted := slices.Clone(tensors)
	slices.SortStableFunc(sorted, func(a, b Tensor) int {
		if a.DType != b.DType {
			return strings.Compare(b.DType, a.DType)
		}
		return strings.Compare(a.Name, b.Name)
	})
	header, err := header(sorted, metadata)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := binary.Write(out, binary.LittleEndian, uint64(len(header))); err != nil {
		return err
	}
	out.Write(header)
	for _, t := range sorted {
		for _, values := range []any{t.Data32, t.Data64, t.Ints} {
			if err := binary.Write(out, binary.LittleEndian, values); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// header builds the JSON header, padded with spaces so that the data begins at a multiple of 8.
func header(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	entries := map[string]any{}
	if len(metadata) > 0 {
		entries["__metadata__"] = metadata
	}
	at := uint64(0)
	for _, t := range tensors {
		if t.Name == "" || t.Name == "__metadata__" || entries[t.Name] != nil {
			return nil, fmt.Errorf("tensor name %q is empty, reserved or used twice", t.Name)
		}
		size, err := t.size()
		if err != nil {
			return nil, err
		}
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		entries[t.Name] = entry{t.DType, shape, [2]uint64{at, at + size}}
		at += size
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("header of %d bytes; the format allows %d", len(text), maxHeader)
	}
	return text, nil
}

// size is the tensor's length in bytes, after checking type and shape against its data.
func (t Tensor) size() (uint64, error) {
	if t.DType != "F32" && t.DType != "F64" && t.DType != "I64" {
		return 0, fmt.Errorf("tensor %s: type %q is not written; expected F32, F64 or I64", t.Name, t.DType)
	}
	if t.DType != "F32" && len(t.Data32) > 0 || t.DType != "F64" && len(t.Data64) > 0 ||
		t.DType != "I64" && len(t.Ints) > 0 {
		return 0, fmt.Errorf("tensor %s: type %q does not match its data", t.Name, t.DType)
	}
	size, err := byteSize(t.DType, t.Shape)
	if err != nil {
		return 0, fmt.Errorf("tensor %s: %w", t.Name, err)
	}
	if have := 4*uint64(len(t.Data32)) + 8*uint64(len(t.Data64)+len(t.Ints)); have != size {
		return 0, fmt.Errorf("tensor %s: %d bytes of data for shape %v of %s", t.Name, have, t.Shape, t.DType)
	}
	return size, nil
}

// widths are the bytes of a value of each type.
var widths = map[string]uint64{
	"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E5M2": 1, "F8_E4M3": 1,
	"I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}

// byteSize is the number of bytes of an array, refusing shapes whose product overflows.
func byteSize(dtype string, shape []int) (uint64, error) {
	size, ok := widths[dtype]
	if !ok {
		return 0, fmt.Errorf("type %q is not supported%s", dtype,
			nearest.Hint(dtype, slices.Collect(maps.Keys(widths))))
	}
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has a negative size", shape)
		}
		if d > 0 && size > math.MaxInt64/uint64(d) {
			return 0, fmt.Errorf("shape %v is too large", shape)
		}
		size *= uint64(d)
	}
	return size, nil
}
