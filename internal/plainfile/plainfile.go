// Package plainfile opens the files of folders. If there is something else in place of a file, it is refused at once
// with a sentence: for example a named pipe that never answers, an endless device, a folder or a circle of links. A
// file larger than its reader allows is refused before it is read. A path may lead through a .zip file as through a
// folder that can only be read.
//
//	text, err := plainfile.Read("config.toml", 1<<20)
//	text, err = plainfile.Read("study.zip/runs/pearl-seed1/config.toml", 1<<20)
package plainfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Open opens the file at path for reading, also if links lead to it.
func Open(path string) (File, error) {
	a, within, err := archived(path)
	if err != nil {
		return nil, err
	}
	if a != nil {
		f, err := a.open(path, within, maxMember)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	f, err := OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err // the result must not be a File that is a nil *os.File
	}
	return f, nil
}

// OpenFile is os.OpenFile for files only, and not for those of an archive. With os.O_CREATE there may be nothing at
// path.
func OpenFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	if err := Writable(path); err != nil {
		return nil, err
	}
	if err := Check(path); err != nil && !(os.IsNotExist(err) && flag&os.O_CREATE != 0) {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|nonblock, mode) // another process may have put a pipe there since
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Check returns an error if there is something at path that is not a file. If there is nothing, the error is
// os.ErrNotExist.
func Check(path string) error {
	info, err := Stat(path)
	if err != nil {
		return err
	}
	return check(path, info)
}

func check(path string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s; expected a file", path, kind(info.Mode()))
}

func kind(m os.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&os.ModeNamedPipe != 0:
		return "a named pipe"
	case m&os.ModeSocket != 0:
		return "a socket"
	case m&os.ModeDevice != 0:
		return "a device"
	}
	return "no ordinary file (" + m.Type().String() + ")"
}

// Read returns the contents of the file at path, which may have at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	a, within, err := archived(path)
	if err != nil {
		return nil, err
	}
	if a != nil {
		f, err := a.open(path, within, min(limit, maxMember))
		if err != nil {
			return nil, err
		}
		return f.data, nil
	}
	f, err := OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, tooLong(path, info.Size(), limit)
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1)) // it may grow while it is read
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, tooLong(path, int64(len(text)), limit)
	}
	return text, nil
}

func tooLong(path string, bytes, limit int64) error {
	return fmt.Errorf("%s has %d bytes; expected at most %d", path, bytes, limit)
}

// Tail returns the end of a file, at most most bytes and from the beginning of a line. The result cut reports whether
// something stands before it.
func Tail(name string, most int64) (text string, cut bool, err error) {
	f, err := Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	from := max(0, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if _, rest, found := bytes.Cut(data, []byte("\n")); from > 0 && found {
		data = rest
	}
	return string(data), from > 0, err
}
