package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"nacre/internal/plainfile"
)

var (
	// ErrNotCheckpoint reports a file that does not begin like a checkpoint.
	ErrNotCheckpoint = errors.New("not a nacre checkpoint")
	// ErrTruncated reports a checkpoint whose end is missing.
	ErrTruncated = errors.New("truncated")
)

// VersionError reports a checkpoint of another format version.
type VersionError struct{ Found int }

func (e *VersionError) Error() string {
	if e.Found > FormatVersion {
		return fmt.Sprintf("format version %d is newer than this program's (%d); use the nacre that wrote it", e.Found,
			FormatVersion)
	}
	return fmt.Sprintf("format version %d is older than this program's (%d); finish the run with the nacre that "+
		"wrote it", e.Found, FormatVersion)
}

// CorruptError reports a part of a checkpoint whose content differs from what was written. Section is "header", "index"
// or the name of a section.
type CorruptError struct{ Section, Reason string }

func (e *CorruptError) Error() string {
	return fmt.Sprintf("section %s is corrupt: %s", e.Section, e.Reason)
}

// ConfigError reports a checkpoint that belongs to another configuration. The values are fingerprints.
type ConfigError struct{ Found, Want string }

func (e *ConfigError) Error() string {
	return fmt.Sprintf("belongs to another configuration (fingerprint %.12s, expected %.12s); its settings were "+
		"changed after it was written", e.Found, e.Want)
}

// Load opens the checkpoint at path, verifies every checksum, and then calls the function read to restore the state. So
// read is never called for a damaged file. configHash, unless empty, must equal the header's. Errors wrap
// ErrNotCheckpoint, ErrTruncated, *VersionError, *CorruptError or *ConfigError, and name the file.
func Load(path, configHash string, read func(*Reader) error) error {
	return opened(path, func(r *Reader) error {
		if configHash != "" && r.header.ConfigHash != configHash {
			return &ConfigError{Found: r.header.ConfigHash, Want: configHash}
		}
		if err := r.verify(); err != nil {
			return err
		}
		return read(r)
	})
}

// Sizes are the bytes of each section of the checkpoint at path, by its name. Only the index is read and verified.
func Sizes(path string) (map[string]int64, error) {
	sizes := map[string]int64{}
	return sizes, opened(path, func(r *Reader) error {
		for _, s := range r.sections {
			sizes[s.Name] = s.Size
		}
		return nil
	})
}

// opened calls use with the checkpoint at path, of which only the header and the index are verified.
func opened(path string, use func(*Reader) error) error {
	f, err := plainfile.Open(path)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	r, err := newReader(f, info.Size())
	if err == nil {
		err = use(r)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %s: %w", path, err)
	}
	return nil
}

// Reader gives the sections of a checkpoint, in any order.
type Reader struct {
	file     io.ReaderAt
	header   Header
	sections []section
}

// Header returns the checkpoint's header.
func (r *Reader) Header() Header { return r.header }

// Names lists the sections in the order they were written.
func (r *Reader) Names() []string {
	names := make([]string, len(r.sections))
	for i, s := range r.sections {
		names[i] = s.Name
	}
	return names
}

// Has reports whether there is a section of that name.
func (r *Reader) Has(name string) bool {
	return slices.ContainsFunc(r.sections, func(s section) bool { return s.Name == name })
}

func (r *Reader) find(name string) (section, error) {
	for _, s := range r.sections {
		if s.Name == name {
			return s, nil
		}
	}
	return section{}, fmt.Errorf("section %s is missing", name)
}

// Section returns the bytes of a section; its Size method returns their number.
func (r *Reader) Section(name string) (*io.SectionReader, error) {
	s, err := r.find(name)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(r.file, s.Offset, s.Size), nil
}

// JSON decodes a section written by Writer.JSON into v.
func (r *Reader) JSON(name string, v any) error {
	in, err := r.Section(name)
	if err != nil {
		return err
	}
	if err := json.NewDecoder(in).Decode(v); err != nil {
		return fmt.Errorf("section %s: %w", name, err)
	}
	return nil
}

func newReader(file io.ReaderAt, size int64) (*Reader, error) {
	header, start, err := readHeader(file, size)
	if err != nil {
		return nil, err
	}
	sections, err := readIndex(file, size, start)
	if err != nil {
		return nil, err
	}
	return &Reader{file: file, header: header, sections: sections}, nil
}

// readHeader returns the header and the offset of the first section.
func readHeader(file io.ReaderAt, size int64) (h Header, start int64, err error) {
	fixed := make([]byte, len(magic)+8)
	n, err := file.ReadAt(fixed, 0)
	if known := min(n, len(magic)); n == 0 || !bytes.Equal(fixed[:known], []byte(magic)[:known]) {
		return h, 0, ErrNotCheckpoint
	}
	if err != nil {
		return h, 0, ErrTruncated
	}
	if v := binary.LittleEndian.Uint32(fixed[len(magic):]); v != FormatVersion {
		return h, 0, &VersionError{Found: int(v)}
	}
	length := int64(binary.LittleEndian.Uint32(fixed[len(magic)+4:]))
	if length > maxHeader {
		return h, 0, &CorruptError{"header", fmt.Sprintf("length %d", length)}
	}
	start = int64(len(fixed)) + length + 4
	if start > size {
		return h, 0, ErrTruncated
	}
	text := make([]byte, length+4)
	if _, err := file.ReadAt(text, int64(len(fixed))); err != nil {
		return h, 0, err
	}
	sum := binary.LittleEndian.Uint32(text[length:])
	if text = text[:length]; crc32.Checksum(text, castagnoli) != sum {
		return h, 0, &CorruptError{"header", "checksum differs"}
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, 0, &CorruptError{"header", err.Error()}
	}
	return h, start, nil
}

// readIndex returns the sections, which must fill the file from start to the index without gaps.
func readIndex(file io.ReaderAt, size, start int64) ([]section, error) {
	if size < start+int64(trailerSize) {
		return nil, ErrTruncated
	}
	trailer := make([]byte, trailerSize)
	if _, err := file.ReadAt(trailer, size-int64(trailerSize)); err != nil {
		return nil, err
	}
	if string(trailer[16:]) != endMagic {
		return nil, ErrTruncated
	}
	offset := binary.LittleEndian.Uint64(trailer)
	length := int64(binary.LittleEndian.Uint32(trailer[8:]))
	end := uint64(size - int64(trailerSize) - length)
	if length > maxIndex || length > size-start || offset != end || offset < uint64(start) {
		return nil, &CorruptError{"index", "its place is not where the trailer says"}
	}
	text := make([]byte, length)
	if _, err := file.ReadAt(text, int64(offset)); err != nil {
		return nil, err
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(trailer[12:]) {
		return nil, &CorruptError{"index", "checksum differs"}
	}
	var sections []section
	if err := json.Unmarshal(text, &sections); err != nil {
		return nil, &CorruptError{"index", err.Error()}
	}
	at := start
	for _, s := range sections {
		if s.Offset != at || s.Size < 0 || s.Size > int64(offset)-at {
			return nil, &CorruptError{"index", fmt.Sprintf("section %s is not where it should be", s.Name)}
		}
		at += s.Size
	}
	if at != int64(offset) {
		return nil, &CorruptError{"index", "it does not cover the file"}
	}
	return sections, nil
}

// verify reads the whole file once and compares every checksum.
func (r *Reader) verify() error {
	buffer := make([]byte, 1<<20)
	for _, s := range r.sections {
		crc := crc32.New(castagnoli)
		in := io.NewSectionReader(r.file, s.Offset, s.Size)
		if _, err := io.CopyBuffer(struct{ io.Writer }{crc}, in, buffer); err != nil {
			return fmt.Errorf("section %s: %w", s.Name, err)
		}
		if crc.Sum32() != s.CRC {
			return &CorruptError{s.Name, "checksum differs"}
		}
	}
	return nil
}
