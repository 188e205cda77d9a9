package tfevents

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"nacre/internal/bounded"
)

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What TensorBoard's own package writes is read, the restart with it.
func TestReadOfficialBytes(t *testing.T) {
	e, err := read(bytes.NewReader(decoded(t, official)))
	want := []Scalar{{"loss/q", 300, 1700000000.25, float64(float32(0.1))}, {"return", 300, 1700000000.25, -212.5}}
	if err != nil || !slices.Equal(e.Scalars, want) || !slices.Equal(e.Purge, []Purge{{0, 300}}) || e.Cut != "" ||
		e.Others != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// framed is a message as a record.
func framed(message []byte) []byte {
	w := &Writer{}
	f, err := os.CreateTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	w.file = f
	if err := w.record(message); err != nil {
		panic(err)
	}
	w.file.Close()
	data, err := os.ReadFile(f.Name())
	if err != nil {
		panic(err)
	}
	return data
}

// tensor is an event with a TensorProto of a tag, as TensorFlow 2 writes it.
func tensor(tag string, step uint64, proto []byte) []byte {
	value := protowire.AppendString(protowire.AppendTag(nil, valueTag, protowire.BytesType), tag)
	value = protowire.AppendBytes(protowire.AppendTag(value, valueTensor, protowire.BytesType), proto)
	summary := protowire.AppendBytes(protowire.AppendTag(nil, summaryValue, protowire.BytesType), value)
	event := protowire.AppendVarint(protowire.AppendTag(nil, eventStep, protowire.VarintType), step)
	return framed(protowire.AppendBytes(protowire.AppendTag(event, eventSummary, protowire.BytesType), summary))
}

// Scalars as tensors, of every type and way to write them; what is none is counted.
func TestReadTensors(t *testing.T) {
	var data []byte
	for _, text := range []string{
		"0801" + "1200" + "2204" + "0000c03f",                      // float, content 1.5
		"0802" + "1200" + "2208" + "000000000000f8bf",              // double, content −1.5
		"0801" + "1200" + "2a04" + "0000c03f",                      // float_val, packed
		"0801" + "1200" + "2d" + "0000c03f",                        // float_val, not packed
		"0803" + "1200" + "3801",                                   // int_val 1
		"0809" + "1200" + "5201" + "07",                            // int64_val 7, packed
		"0809" + "1200" + "2208" + "feffffffffffffff",              // int64, content −2
		"0801" + "1204" + "12020802" + "2208" + "0000c03f0000c03f", // two numbers
		"0807" + "1200" + "4203" + "616263",                        // a text
	} {
		data = append(data, tensor("x", 5, decoded(t, text))...)
	}
	e, err := read(bytes.NewReader(data))
	var got []float64
	for _, s := range e.Scalars {
		got = append(got, s.Value)
	}
	if err != nil || !slices.Equal(got, []float64{1.5, -1.5, 1.5, 1.5, 1, 7, -2}) || e.Others != 2 {
		t.Errorf("%v, %d others, %v", got, e.Others, err)
	}
}

// A file that is cut anywhere gives what is whole, and says where it is cut; a damaged record ends it.
func TestReadCutAndDamaged(t *testing.T) {
	_, data := written(t)
	for cut := range data {
		e, err := read(bytes.NewReader(data[:cut]))
		if err != nil || len(e.Scalars) > 1 || (e.Cut == "") != (bytesOf(data, cut)) {
			t.Fatalf("cut at %d: %+v, %v", cut, e, err)
		}
	}
	damaged := bytes.Clone(data)
	damaged[len(data)-3] ^= 1
	if e, err := read(bytes.NewReader(damaged)); err != nil || len(e.Scalars) != 1 ||
		!strings.Contains(e.Cut, "record 3 is damaged") {
		t.Errorf("%+v, %v", e, err)
	}
	damaged[0] ^= 1
	if _, err := read(bytes.NewReader(damaged)); err == nil || !strings.Contains(err.Error(), "not an event file") {
		t.Errorf("the first record damaged: %v", err)
	}
	path := filepath.Join(t.TempDir(), "events.out.tfevents.1")
	if err := os.WriteFile(path, []byte("step,loss\n1,2\n3,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file of another kind: %v", err)
	}
}

// bytesOf reports whether a file cut at a place ends between two records.
func bytesOf(data []byte, cut int) bool {
	_, whole, _ := check(bytes.NewReader(data[:cut]))
	return whole
}

func FuzzRead(f *testing.F) {
	_, data := written(f)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer bounded.Input(t, len(data))()
		if e, err := read(bytes.NewReader(data)); err == nil && 16*len(e.Purge) > len(data) {
			t.Fatalf("%d restarts in %d bytes", len(e.Purge), len(data))
		}
	})
}
