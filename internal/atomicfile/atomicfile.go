// Package atomicfile replaces a file in one step. A reader sees the old content or the new content, complete and on
// disk, even if the program or the machine stops at any moment.
//
//	err := atomicfile.WriteBytes("config.toml", text)
package atomicfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nacre/internal/plainfile"
)

// File has the methods that a temporary file needs. *os.File has them.
type File interface {
	io.WriteCloser
	Sync() error
}

// Open creates or empties the file at path for writing.
func Open(path string) (File, error) {
	return plainfile.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
}

// Write calls write with a temporary file beside path, puts the file on disk and renames it to path. If anything fails,
// the temporary file is removed and the file at path stays as it was. At most one process may write a path at a time.
// The temporary file of a killed process is overwritten by the next process.
func Write(path string, write func(io.Writer) error) error {
	return WriteWith(Open, path, write)
}

// WriteBytes is Write for contents that are in memory.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// WriteJSON is Write for a value as JSON, indented by one space.
func WriteJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteBytes(path, append(text, '\n'))
}

// WriteWith is Write with another way to open the temporary file.
func WriteWith(open func(path string) (File, error), path string, write func(io.Writer) error) error {
	temp := path + ".tmp"
	f, err := open(temp)
	if err != nil {
		return describe(path, err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return describe(path, err)
	}
	return syncDir(filepath.Dir(path))
}

// describe adds what a user wants to know first when writing fails: whether anything was lost.
func describe(path string, err error) error {
	kept := "nothing was written"
	if _, statErr := os.Stat(path); statErr == nil {
		kept = "the previous file is unchanged"
	}
	if errors.Is(err, errNoSpace) {
		return fmt.Errorf("disk full writing %s; %s: %w", path, kept, err)
	}
	return fmt.Errorf("writing %s; %s: %w", path, kept, err)
}
