package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"nacre/internal/atomicfile"
	"nacre/internal/bounded"
)

func Example() {
	dir, _ := os.MkdirTemp("", "checkpoint")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "checkpoint.bin")
	err := Save(path, Header{ConfigHash: "6a09"}, func(w *Writer) error {
		if err := w.JSON("progress", map[string]int{"iteration": 12}); err != nil {
			return err
		}
		return Put(w, "q1/w0", []float32{0.25, -1})
	})
	fmt.Println(err)
	weights := make([]float32, 2)
	progress := map[string]int{}
	err = Load(path, "6a09", func(r *Reader) error {
		if err := r.JSON("progress", &progress); err != nil {
			return err
		}
		return Get(r, "q1/w0", weights)
	})
	fmt.Println(progress["iteration"], weights, err)
	// Output:
	// <nil>
	// 12 [0.25 -1] <nil>
}

type state struct {
	f32   []float32
	f64   []float64
	i64   []int64
	u64   []uint64
	done  []bool
	text  string
	count int
}

// sample has the values that are easily lost: NaN with a payload, infinities, negative zero, subnormals, more
// elements than one chunk.
func sample() state {
	s := state{
		f32: make([]float32, 3*chunk+5),
		f64: []float64{math.Float64frombits(0x7ff8000000000123), math.Inf(-1), math.Copysign(0, -1),
			math.SmallestNonzeroFloat64, math.MaxFloat64},
		i64:  []int64{math.MinInt64, -1, 0, math.MaxInt64},
		u64:  []uint64{0, math.MaxUint64},
		done: []bool{true, false, true},
		text: "raw bytes \x00\xff", count: 7,
	}
	for i := range s.f32 {
		s.f32[i] = math.Float32frombits(uint32(i) * 2654435761)
	}
	return s
}

func (s state) save(path string) error {
	return Save(path, Header{ConfigHash: "hash"}, func(w *Writer) error {
		return errors.Join(
			w.JSON("count", s.count), Put(w, "f32", s.f32), Put(w, "f64", s.f64), Put(w, "i64", s.i64),
			Put(w, "u64", s.u64),
			Put(w, "done", s.done), Put(w, "empty", []float32{}),
			w.Section("text", func(out io.Writer) error {
				_, err := io.WriteString(out, s.text)
				return err
			}))
	})
}

func bits32(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, v := range x {
		b[i] = math.Float32bits(v)
	}
	return b
}

func bits64(x []float64) []uint64 {
	b := make([]uint64, len(x))
	for i, v := range x {
		b[i] = math.Float64bits(v)
	}
	return b
}

func TestRoundTripIsExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := sample()
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	err := Load(path, "hash", func(r *Reader) error {
		if got := strings.Join(r.Names(), " "); got != "count f32 f64 i64 u64 done empty text" {
			t.Errorf("sections %s", got)
		}
		if r.Header().Program == "" || r.Header().ConfigHash != "hash" {
			t.Errorf("header %+v", r.Header())
		}
		in, err := r.Section("text")
		if err != nil {
			return err
		}
		text, err := io.ReadAll(in)
		if err != nil || string(text) != s.text || in.Size() != int64(len(s.text)) {
			t.Errorf("text %q, %v", text, err)
		}
		f32, err1 := GetAll[float32](r, "f32")
		f64, err2 := GetAll[float64](r, "f64")
		i64, err3 := GetAll[int64](r, "i64")
		u64, err4 := GetAll[uint64](r, "u64")
		done := make([]bool, 3)
		count := 0
		err = errors.Join(err1, err2, err3, err4, Get(r, "done", done), Get(r, "empty", []float32{}),
			r.JSON("count", &count))
		if !reflect.DeepEqual(bits32(f32), bits32(s.f32)) || !reflect.DeepEqual(bits64(f64), bits64(s.f64)) {
			t.Error("floating-point values changed")
		}
		if !reflect.DeepEqual(i64, s.i64) || !reflect.DeepEqual(u64, s.u64) || !reflect.DeepEqual(done, s.done) ||
			count != 7 {
			t.Errorf("got %v %v %v %d", i64, u64, done, count)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Cut at any length the file must be recognised as incomplete, never restored.
func TestTruncatedAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := state{f32: []float32{1, 2}, text: "x"}
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	for n := range len(whole) {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		err := Load(path, "hash", func(*Reader) error {
			t.Fatalf("restored from %d of %d bytes", n, len(whole))
			return nil
		})
		want := ErrTruncated
		if n == 0 {
			want = ErrNotCheckpoint
		}
		if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// One flipped bit anywhere must be noticed, and in a section be blamed on that section.
func TestEveryFlippedBitIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := state{f32: []float32{1, 2}, f64: []float64{3}, text: "abc"}
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	r, err := newReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(whole) {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1 << (i % 8)
		os.WriteFile(path, damaged, 0o644)
		err := Load(path, "hash", func(*Reader) error { return nil })
		if err == nil {
			t.Fatalf("bit flip in byte %d of %d was not noticed", i, len(whole))
		}
		for _, sec := range r.sections {
			var corrupt *CorruptError
			if int64(i) >= sec.Offset && int64(i) < sec.Offset+sec.Size && (!errors.As(err, &corrupt) ||
				corrupt.Section != sec.Name) {
				t.Errorf("byte %d in %s: %v", i, sec.Name, err)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	if err := sample().save(path); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	never := func(*Reader) error { t.Error("restored"); return nil }

	var config *ConfigError
	if err := Load(path, "other", never); !errors.As(err, &config) || config.Found != "hash" || config.Want != "other" {
		t.Errorf("other configuration: %v", err)
	}
	for _, v := range []uint32{0, FormatVersion + 1} {
		changed := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(changed[len(magic):], v)
		os.WriteFile(path, changed, 0o644)
		word := "older"
		if v > FormatVersion {
			word = "newer"
		}
		var version *VersionError
		if err := Load(path, "hash", never); !errors.As(err, &version) || version.Found != int(v) ||
			!strings.Contains(err.Error(), word) {
			t.Errorf("version %d: %v", v, err)
		}
	}
	os.WriteFile(path, []byte("PK\x03\x04 some other file entirely"), 0o644)
	if err := Load(path, "", never); !errors.Is(err, ErrNotCheckpoint) {
		t.Errorf("other file: %v", err)
	}
	if err := Load(path+".none", "", never); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestSectionMistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	if err := sample().save(path); err != nil {
		t.Fatal(err)
	}
	err := Load(path, "", func(r *Reader) error {
		for what, err := range map[string]error{
			"section q is missing":                 Get(r, "q", []float32{}),
			"section f64 holds float64; expected":  Get(r, "f64", make([]float32, 5)),
			"section f64 has 5 values; expected 4": Get(r, "f64", make([]float64, 4)),
			"section text holds ; expected uint8":  Get(r, "text", make([]byte, 1)),
			"section f32: ":                        r.JSON("f32", new(int)),
			"section nothing is missing":           r.JSON("nothing", new(int)),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), what) {
				t.Errorf("got %v, want %s", err, what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "twice"} {
		err := Save(path, Header{}, func(w *Writer) error {
			if err := Put(w, "twice", []float32{1}); err != nil {
				return err
			}
			return Put(w, name, []float32{1})
		})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("section name %q: %v", name, err)
		}
	}
	if err := ReadSlice(strings.NewReader("123"), make([]float32, 1)); err != io.ErrUnexpectedEOF {
		t.Errorf("short slice: %v", err)
	}
	if err := ReadSlice(strings.NewReader(""), make([]float32, 1)); err != io.ErrUnexpectedEOF {
		t.Errorf("empty slice: %v", err)
	}
}

// fullDisk behaves like a file system with room bytes left.
type fullDisk struct {
	atomicfile.File
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	f.room -= n
	if m, err := f.File.Write(p[:n]); err != nil || n == len(p) {
		return m, err
	}
	return n, &os.PathError{Op: "write", Path: "checkpoint", Err: syscall.ENOSPC}
}

// On a disk that fills at any point of the file the previous checkpoint stays, loads, and the message says so.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c")
	old := state{f32: []float32{42}, text: "old"}
	if err := old.save(path); err != nil {
		t.Fatal(err)
	}
	defer func() { open = atomicfile.Open }()
	for _, room := range []int{0, 1, 100, 150_000, 196_000} {
		open = func(p string) (atomicfile.File, error) {
			f, err := atomicfile.Open(p)
			return &fullDisk{f, room}, err
		}
		err := sample().save(path)
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk full") ||
			!strings.Contains(err.Error(), "previous file is unchanged") {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		got := make([]float32, 1)
		if err := Load(path, "hash", func(r *Reader) error { return Get(r, "f32", got) }); err != nil || got[0] != 42 {
			t.Errorf("room for %d bytes: previous checkpoint gives %v, %v", room, got, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 { // also no generation before the only one
			t.Errorf("room for %d bytes: files left behind: %v", room, entries)
		}
	}
}

// A section is streamed: saving and loading 64 MiB allocates a small fraction of it.
func TestMemoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	big := make([]float32, 16<<20)
	big[len(big)-1] = 3
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := Save(path, Header{}, func(w *Writer) error { return Put(w, "big", big) })
	if err == nil {
		err = Load(path, "", func(r *Reader) error { big[len(big)-1] = 0; return Get(r, "big", big) })
	}
	runtime.ReadMemStats(&after)
	if err != nil || big[len(big)-1] != 3 {
		t.Fatalf("last value %g, %v", big[len(big)-1], err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("allocated %d bytes for a section of %d", got, 4*len(big))
	}
}

func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "c")
	small := state{f32: []float32{1}, text: "x"}
	if err := small.save(path); err != nil {
		f.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer bounded.Input(t, len(data))()
		r, err := newReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		if r.verify() != nil {
			return
		}
		for _, name := range r.Names() {
			in, err := r.Section(name)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, in); err != nil || n != in.Size() {
				t.Fatalf("section %s: read %d of %d bytes: %v", name, n, in.Size(), err)
			}
		}
	})
}

func TestLargeInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	if err := (&state{f32: []float32{1}, text: "x"}).save(path); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	bounded.Large(t, func(b []byte) {
		if r, err := newReader(bytes.NewReader(b), int64(len(b))); err == nil {
			_ = r.verify()
		}
	}, whole)
}
