package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nacre/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// fullDisk accepts room bytes and then behaves like a full disk.
type fullDisk struct {
	atomicfile.File
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, _ := f.File.Write(p[:f.room])
		f.room = 0
		return n, &os.PathError{Op: "write", Path: "temp", Err: syscall.ENOSPC}
	}
	f.room -= len(p)
	return f.File.Write(p)
}

func TestWriteReplacesWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, s := range []string{"a long first content", "short"} {
		if err := atomicfile.Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != s {
			t.Errorf("content %q, want %q", got, s)
		}
	}
}

func TestFailureKeepsPrevious(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no more numbers")
	err := atomicfile.Write(path, func(w io.Writer) error {
		io.WriteString(w, "half of the n")
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("error %v does not wrap the cause", err)
	}

	open := func(p string) (atomicfile.File, error) {
		f, err := atomicfile.Open(p)
		return &fullDisk{f, 2}, err
	}
	err = atomicfile.WriteWith(open, path, text("new"))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v does not wrap ENOSPC", err)
	}
	if !strings.Contains(err.Error(), "disk full") || !strings.Contains(err.Error(), "previous file is unchanged") {
		t.Errorf("message %q does not say what happened to the files", err)
	}

	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("content %q, want the previous one", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("a temporary file was left: %v", entries)
	}
}

func TestMissingFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "f")
	err := atomicfile.Write(path, text("x"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}
