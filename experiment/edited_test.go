package experiment

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/safetensors"
)

// Weights that somebody has stored in half precision are taken and said to be so; whole numbers are none.
func TestHalfWeights(t *testing.T) {
	whole, _ := trained(t)
	for dtype, want := range map[string]string{"BF16": "has weights of type BF16, half of float32's precision",
		"I16": "is of type I16; expected floating-point numbers"} {
		dir := clone(t, whole)
		shorten(t, filepath.Join(dir, WeightsFile), dtype)
		a, err := LoadAgent(dir, Host{Workers: 1})
		if dtype == "I16" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", dtype, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(a.half, want) {
			t.Errorf("%s: said %q, want %q", dtype, a.half, want)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A configuration that an editor has begun with a byte-order mark is read as before.
func TestByteOrderMark(t *testing.T) {
	whole, _ := trained(t)
	dir := clone(t, whole)
	path := filepath.Join(dir, ConfigFile)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("\ufeff"), text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := LoadAgent(dir, Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// shorten rewrites the tensors of float32 in a file with the upper half of their bits, as elements of the type.
func shorten(t *testing.T, path, dtype string) {
	t.Helper()
	file, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header, data := map[string]any{"__metadata__": file.Metadata}, []byte(nil)
	for _, x := range file.Tensors {
		from := len(data)
		for _, v := range x.Data32 {
			data = binary.LittleEndian.AppendUint16(data, uint16(math.Float32bits(v)>>16))
		}
		if x.Data32 == nil {
			t.Fatalf("%s is of type %s", x.Name, x.DType)
		}
		header[x.Name] = entry{dtype, x.Shape, [2]int{from, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if err := os.WriteFile(path, append(append(out, text...), data...), 0o644); err != nil {
		t.Fatal(err)
	}
}
