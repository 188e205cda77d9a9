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

// decode reads little-endian values of the tensor's type.
func (t *Tensor) decode(raw []byte) {
	order, width := binary.LittleEndian, int(widths[t.DType])
	n := len(raw) / width
	switch t.DType {
	case "F64":
		t.Data64 = make([]float64, n)
		for i := range t.Data64 {
			t.Data64[i] = math.Float64frombits(order.Uint64(raw[8*i:]))
		}
	case "F32", "F16", "BF16", "F8_E5M2", "F8_E4M3":
		t.Data32 = make([]float32, n)
		for i := range t.Data32 {
			t.Data32[i] = single(t.DType, raw[width*i:])
		}
	default:
		t.Ints = make([]int64, n)
		for i := range t.Ints {
			var b [8]byte
			copy(b[:], raw[width*i:width*(i+1)])
			v, unused := order.Uint64(b[:]), 64-8*width
			if t.Ints[i] = int64(v); t.DType[0] == 'I' {
				t.Ints[i] = int64(v<<unused) >> unused
			}
		}
	}
}

// single decodes a floating-point number of 32 bits or fewer.
func single(dtype string, raw []byte) float32 {
	switch dtype {
	case "F32":
		return math.Float32frombits(binary.LittleEndian.Uint32(raw))
	case "BF16": // the upper half of a float32
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw)) << 16)
	case "F16":
		return binaryFloat(binary.LittleEndian.Uint16(raw), 10, 15, true)
	case "F8_E5M2": // the upper half of a float16
		return binaryFloat(uint16(raw[0])<<8, 10, 15, true)
	}
	return binaryFloat(uint16(raw[0]&0x7f)|uint16(raw[0]&0x80)<<8, 3, 7, false) // F8_E4M3, without infinities
}

// binaryFloat decodes a number with the sign in the highest bit, then the exponent, then the given number of bits of
// fraction. The largest exponent is infinity and NaN; without infinities, NaN is all ones.
func binaryFloat(b uint16, fraction, bias int, infinities bool) float32 {
	exponent, f := int(b&0x7fff)>>fraction, float64(b&(1<<fraction-1))/float64(int(1)<<fraction)
	v := math.Ldexp(1+f, exponent-bias)
	switch {
	case exponent == 0:
		v = math.Ldexp(f, 1-bias)
	case infinities && exponent == 2*bias+1 && f == 0:
		v = math.Inf(1)
	case infinities && exponent == 2*bias+1, !infinities && b&0x7fff == 0x7f:
		v = math.NaN()
	}
	if b>>15 == 1 {
		v = -v
	}
	return float32(v)
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
			return nil, nil, fmt.Errorf("tensor %s: byte range %v for shape %v of %s", name, e.Offsets,
				e.Shape, e.DType)
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
			return nil, nil, fmt.Errorf("tensor %s begins at byte %d of the data; expected %d", t.Name,
				ordered[i].Offsets[0], at)
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
