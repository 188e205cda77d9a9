// Package checkpoint stores the state of a running experiment in one file, from which it continues bit for bit. The
// file has named sections, each with a checksum. It is written as a stream, so a replay buffer is not copied in memory.
// It replaces the old file in one step, so a killed program or a full disk leaves the previous checkpoint whole. One
// older generation is kept, in case the newest is lost or damaged on its disk.
//
//	err := checkpoint.Save(path, checkpoint.Header{Settings: settings}, func(w *checkpoint.Writer) error {
//		if err := w.JSON("progress", progress); err != nil {
//			return err
//		}
//		return checkpoint.Put(w, "q1/w0", weights)
//	})
//	err = checkpoint.Load(path, "", func(r *checkpoint.Reader) error {
//		if err := r.JSON("progress", &progress); err != nil {
//			return err
//		}
//		return checkpoint.Get(r, "q1/w0", weights)
//	})
//
// The file is: magic "nacreckp", format version, header (JSON) and its checksum; the sections one after another; an
// index of them (JSON); a trailer with the index's place and checksum and the magic "nacreend". Numbers are
// little-endian, checksums CRC-32C. A file that ends early has no trailer.
package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"nacre/internal/atomicfile"
	"nacre/internal/version"
)

// FormatVersion is the version of the file's layout and of its sections. Raise it when a section changes its meaning. A
// checkpoint of another version is refused.
const FormatVersion = 1

const (
	magic       = "nacreckp"
	endMagic    = "nacreend"
	trailerSize = 8 + 4 + 4 + len(endMagic) // index offset, length, checksum, magic
	maxHeader   = 1 << 20
	maxIndex    = 1 << 28
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header says to which run and program a checkpoint belongs.
type Header struct {
	Program string `json:"program"` // the build that wrote it; Save fills it in
	// the configuration of the run that it continues, as settings by dotted key; in files of older programs, a hash of
	// the configuration
	Settings   map[string]json.RawMessage `json:"settings,omitempty"`
	ConfigHash string                     `json:"config_hash,omitempty"`
}

// section is an entry of the index.
type section struct {
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"` // element type of a slice written by Put
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	CRC    uint32 `json:"crc32c"`
}

// open makes the temporary file; tests put a failing disk here.
var open = atomicfile.Open

// Save writes a checkpoint to path. The function write is called once and adds the sections. If write returns an error,
// or anything else fails, the file at path stays as it was, and the error says so. The new file replaces the old one
// only after it is complete and on disk. The old one stays as Previous(path), for Restore.
func Save(path string, h Header, write func(*Writer) error) error {
	h.Program = version.Get().String()
	err := atomicfile.WriteWith(open, path, func(file io.Writer) error {
		w := &Writer{out: bufio.NewWriterSize(file, 1<<20), names: map[string]bool{}}
		if err := w.header(h); err != nil {
			return err
		}
		if err := write(w); err != nil {
			return err
		}
		if err := w.finish(); err != nil {
			return err
		}
		return keep(path)
	})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Writer adds sections to a checkpoint, in the order of the calls.
type Writer struct {
	out   *bufio.Writer
	at    int64
	crc   hash.Hash32
	index []section
	names map[string]bool
}

// sectionWriter appends to the current section, counting and checksumming.
type sectionWriter struct{ w *Writer }

func (s sectionWriter) Write(p []byte) (int, error) {
	n, err := s.w.out.Write(p)
	s.w.at += int64(n)
	s.w.crc.Write(p[:n])
	return n, err
}

// Section adds a section of raw bytes, which the function write writes. Names must be new and not empty.
func (w *Writer) Section(name string, write func(io.Writer) error) error {
	return w.add(name, "", write)
}

func (w *Writer) add(name, typ string, write func(io.Writer) error) error {
	if name == "" || w.names[name] {
		return fmt.Errorf("section name %q is empty or already used", name)
	}
	w.names[name] = true
	w.crc = crc32.New(castagnoli)
	start := w.at
	if err := write(sectionWriter{w}); err != nil {
		return fmt.Errorf("section %s: %w", name, err)
	}
	w.index = append(w.index, section{name, typ, start, w.at - start, w.crc.Sum32()})
	return nil
}

// JSON adds v as JSON. It is for small state. Numbers that are not finite cannot be written in this way.
func (w *Writer) JSON(name string, v any) error {
	return w.add(name, "json", func(out io.Writer) error { return json.NewEncoder(out).Encode(v) })
}

func (w *Writer) raw(p []byte) error {
	n, err := w.out.Write(p)
	w.at += int64(n)
	return err
}

func (w *Writer) header(h Header) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(magic)
	binary.Write(&b, binary.LittleEndian, uint32(FormatVersion))
	binary.Write(&b, binary.LittleEndian, uint32(len(text)))
	b.Write(text)
	binary.Write(&b, binary.LittleEndian, crc32.Checksum(text, castagnoli))
	return w.raw(b.Bytes())
}

func (w *Writer) finish() error {
	text, err := json.Marshal(w.index)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Write(text)
	binary.Write(&b, binary.LittleEndian, uint64(w.at))
	binary.Write(&b, binary.LittleEndian, uint32(len(text)))
	binary.Write(&b, binary.LittleEndian, crc32.Checksum(text, castagnoli))
	b.WriteString(endMagic)
	if err := w.raw(b.Bytes()); err != nil {
		return err
	}
	return w.out.Flush()
}
