package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"nacre/internal/plainfile"
)

// Load reads the safetensors file at path.
func Load(path string) (*File, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	file, err := Read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w", path, err)
	}
	return file, nil
}

// Read reads a safetensors file of size bytes. The header must be a JSON object without repeated names, every
// tensor's byte range must fit its type and shape, and the ranges must cover the data exactly, without gaps or
// overlaps. Nothing larger than the file is ever allocated.
func Read(r io.Reader, size int64) (*File, error) {
	var length uint64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil || size < 8 {
		return nil, fmt.Errorf("%d bytes; expected at least 8 of header length", size)
	}
	if length > maxHeader || length > uint64(size-8) {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", length, size)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	file, entries, err := parseHeader(text, uint64(size)-8-length)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for i, e := range entries {
		raw := make([]byte, e.Offsets[1]-e.Offsets[0])
		if _, err := io.ReadFull(r, raw); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", file.Tensors[i].Name, err)
		}
		file.Tensors[i].decode(raw)
	}
	return file, nil
}

func (t *Tensor) decode(raw []byte) {
	order := binary.LittleEndian
	switch t.DType {
	case "F32":
		t.Data32 = make([]float32, len(raw)/4)
		for i := range t.Data32 {
			t.Data32[i] = math.Float32frombits(order.Uint32(raw[4*i:]))
		}
	case "F64":
		t.Data64 = make([]float64, len(raw)/8)
		for i := range t.Data64 {
			t.Data64[i] = math.Float64frombits(order.Uint64(raw[8*i:]))
		}
	case "I64":
		t.Ints = make([]int64, len(raw)/8)
		for i := range t.Ints {
			t.Ints[i] = int64(order.Uint64(raw[8*i:]))
		}
	case "I32":
		t.Ints = make([]int64, len(raw)/4)
		for i := range t.Ints {
			t.Ints[i] = int64(int32(order.Uint32(raw[4*i:])))
		}
	}
}

// parseHeader returns the tensors in the order of their data, without the data, and their entries.
func parseHeader(text []byte, dataSize uint64) (*File, []entry, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, nil, fmt.Errorf("does not begin with {")
	}
	raw, err := uniqueKeys(text)
	if err != nil {
		return nil, nil, err
	}
	file := &File{}
	entries := map[string]entry{}
	for name, value := range raw {
		if name == "__metadata__" {
			if err := strict(value, &file.Metadata); err != nil {
				return nil, nil, fmt.Errorf("__metadata__: %w", err)
			}
			continue
		}
		var e entry
		if err := strict(value, &e); err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		want, err := byteSize(e.DType, e.Shape)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		if e.Offsets[1] < e.Offsets[0] || e.Offsets[1]-e.Offsets[0] != want {
			return nil, nil, fmt.Errorf("tensor %s: byte range %v for shape %v of %s", name, e.Offsets, e.Shape, e.DType)
		}
		entries[name] = e
		file.Tensors = append(file.Tensors, Tensor{Name: name, DType: e.DType, Shape: e.Shape})
	}
	slices.SortFunc(file.Tensors, func(a, b Tensor) int {
		x, y := entries[a.Name].Offsets, entries[b.Name].Offsets
		if c := slices.Compare(x[:], y[:]); c != 0 {
			return c
		}
		return bytes.Compare([]byte(a.Name), []byte(b.Name))
	})
	ordered := make([]entry, len(file.Tensors))
	at := uint64(0)
	for i, t := range file.Tensors {
		ordered[i] = entries[t.Name]
		if ordered[i].Offsets[0] != at {
			return nil, nil, fmt.Errorf("tensor %s begins at byte %d of the data; expected %d", t.Name, ordered[i].Offsets[0], at)
		}
		at = ordered[i].Offsets[1]
	}
	if at != dataSize {
		return nil, nil, fmt.Errorf("tensors cover %d bytes of data; the file has %d", at, dataSize)
	}
	return file, ordered, nil
}

// uniqueKeys decodes a JSON object one level deep, refusing repeated names (which encoding/json would merge
// silently) and anything but spaces after it.
func uniqueKeys(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		if _, repeated := out[name]; !ok || repeated {
			return nil, fmt.Errorf("name %v is repeated or not a string", token)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimRight(text[d.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes after the closing brace", len(rest))
	}
	return out, nil
}

// strict decodes JSON without unknown names. A JSON null is refused: it would leave the value as it was.
func strict(text []byte, v any) error {
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return fmt.Errorf("is null")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
