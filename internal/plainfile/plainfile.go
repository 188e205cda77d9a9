// Package plainfile opens files that a folder is said to have. What stands in place of one, a named pipe that never
// answers, a device that never ends, a folder, a circle of links, is refused at once with a sentence; a file larger
// than its reader allows is refused before it is read. A path may lead through a .zip file as through a folder that is
// only read.
//
//	text, err := plainfile.Read("config.toml", 1<<20)
//	text, err = plainfile.Read("study.zip/runs/pearl-seed1/config.toml", 1<<20)
package plainfile

import (
	"fmt"
	"io"
	"os"
)

// Open opens the file at path, or the file that links there lead to, for reading.
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
		return nil, err // and no File that is a nil *os.File
	}
	return f, nil
}

// OpenFile is os.OpenFile for files alone, not for those of an archive. With os.O_CREATE there may be nothing at path.
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

// Check reports what at path is not a file. The error of nothing at all is os.ErrNotExist.
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
